/* Affine transform kernel: tiles of results, so that neighbours read neighbours; some rows of a tile a thread.
 *
 * The program defines WIDE: reals are f64, PARTS: 2 of complex elements, DIMS: 2 or 3, and METHOD: a tess_interp. */
#include "cuda/geometry/transform_params.h"
#include "ops/transform.op.h"

#if WIDE
typedef double real;
#define SAMPLE tess__sample_f64
#else
typedef float real;
#define SAMPLE tess__sample_f32
#endif

#define TAPS (METHOD == 1 ? 1 : METHOD <= 3 ? 2 : METHOD == 7 ? 6 : METHOD == 8 ? 8 : 4)
enum {
    THREADS = TESS__GPU_TRANSFORM_THREADS,
    WIDTH = TESS__GPU_TRANSFORM_WIDTH,
    HEIGHT = TESS__GPU_TRANSFORM_HEIGHT,
    ROWS = TESS__GPU_TRANSFORM_ROWS(DIMS == 3 ? TAPS * TAPS * TAPS : TAPS * TAPS)
};

/* Result (d, h, w) of a batch, to `out`. */
static __device__ void do_result(const tess__gpu_transform &p, const tess__transform_source &source, const double *m,
                                 real *out, int64_t d, int64_t h, int64_t w)
{
    const tess__transform_row row = tess__transform_row_of(m, DIMS, p.from, p.to, (double)d, (double)h);
    double                    c[3];
    real                      result[PARTS];
#pragma unroll
    for (int k = 0; k < 3; k++) c[k] = tess__transform_coordinate(&row, k, (double)w);
    int any;
    if (METHOD != TESS_INTERP_CUBIC_BSPLINE && tess__transform_is_whole(&row, DIMS))
        any = SAMPLE(result, &source, DIMS, PARTS, TESS_INTERP_NEAREST, c);
    else any = SAMPLE(result, &source, DIMS, PARTS, METHOD, c);
    if (!any) return;
#pragma unroll
    for (int part = 0; part < PARTS; part++) out[part] = result[part];
}

TESS_KERNEL(THREADS, tess__gpu_transform, p)
{
    int64_t       tile = blockIdx.x;
    const int64_t column = tile % p.tiles[1], row = tile / p.tiles[1] % p.tiles[0];
    tile /= p.tiles[0] * p.tiles[1];
    const int64_t d = tile % p.n[1], b = tile / p.n[1];
    const int64_t w = column * WIDTH + threadIdx.x % WIDTH, top = row * HEIGHT * ROWS + threadIdx.x / WIDTH;
    if (w >= p.n[3]) return;
    const double          *m = (const double *)p.matrices + b * p.matrix_step;
    real                  *out = (real *)p.out.data;
    const int64_t          at = b * p.out.stride[0] + d * p.out.stride[1] + w * p.out.stride[3];
    tess__transform_source source;
    source.data = (const real *)p.in.data + b * p.in.stride[0] * PARTS;
    source.border = p.border;
    source.outside[0] = p.outside[0];
    source.outside[1] = p.outside[1];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        source.stride[k] = p.in.stride[k + 1];
        source.shape[k] = p.shape[k];
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int64_t h = top + i * HEIGHT;
        if (h < p.n[2]) do_result(p, source, m, out + (at + h * p.out.stride[2]) * PARTS, d, h, w);
    }
}
