/* Affine transform kernel: tiles of results, so that neighbours read neighbours; some rows of a tile a thread.
 *
 * The program defines WIDE: reals are f64, PARTS: 2 of complex elements, DIMS: 2 or 3, and METHOD: a tess_interp.
 * Planes of 36 or 64 taps are not written out for each z. */
#include "cuda/geometry/transform_params.h"
#if DIMS == 3 && METHOD > 6 && !defined(TESS_SIMULATED)
#define TESS__UNROLL_Z _Pragma("unroll 1")
#endif
#include "ops/transform.op.h"

#if WIDE
typedef double real;
#define SAMPLE_INSIDE tess__sample_inside_f64
#define SAMPLE_EDGE tess__sample_edge_f64
#else
typedef float real;
#define SAMPLE_INSIDE tess__sample_inside_f32
#define SAMPLE_EDGE tess__sample_edge_f32
#endif

#define TAPS (METHOD == 1 ? 1 : METHOD <= 3 ? 2 : METHOD == 7 ? 6 : METHOD == 8 ? 8 : 4)
enum {
    THREADS = TESS__GPU_TRANSFORM_THREADS,
    WIDTH = TESS__GPU_TRANSFORM_WIDTH,
    HEIGHT = TESS__GPU_TRANSFORM_HEIGHT,
    ROWS = TESS__GPU_TRANSFORM_ROWS(DIMS == 3 ? TAPS * TAPS * TAPS : TAPS * TAPS)
};

typedef struct element {
    real part[PARTS];
    int  any; /* 0: there is none */
} element;

static __device__ tess__transform_source source_of(const tess__gpu_transform &p, int64_t b)
{
    tess__transform_source s;
    s.data = (const real *)p.in.data + b * p.in.stride[0] * PARTS;
    s.border = p.border;
    s.outside[0] = p.outside[0];
    s.outside[1] = p.outside[1];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        s.stride[k] = p.in.stride[k + 1];
        s.shape[k] = p.shape[k];
    }
    return s;
}

/* Windows that reach outside are few: a call, so that they take no registers from the others. */
template <int INTERP>
static __device__ __noinline__ element edge(const tess__gpu_transform &p, int64_t b, double z, double y, double x)
{
    const tess__transform_source source = source_of(p, b);
    const double                 c[3] = { z, y, x };
    element                      e;
    e.any = SAMPLE_EDGE(e.part, &source, DIMS, PARTS, INTERP, c);
    return e;
}

template <int INTERP>
static __device__ element sample(const tess__gpu_transform &p, int64_t b, const tess__transform_row &row, int64_t w)
{
    const tess__transform_source source = source_of(p, b);
    double                       c[3];
    element                      e;
#pragma unroll
    for (int k = 0; k < 3; k++) c[k] = tess__transform_coordinate(&row, k, (double)w);
    e.any = SAMPLE_INSIDE(e.part, &source, DIMS, PARTS, INTERP, c);
    return e.any ? e : edge<INTERP>(p, b, c[0], c[1], c[2]);
}

/* Result (b, d, h, w), to `out`. */
static __device__ void do_result(const tess__gpu_transform &p, real *out, int64_t b, int64_t d, int64_t h, int64_t w)
{
    const double             *m = (const double *)p.matrices + b * p.matrix_step;
    const tess__transform_row row = tess__transform_row_of(m, DIMS, p.from, p.to, (double)d, (double)h);
    const bool                whole = METHOD != TESS_INTERP_CUBIC_BSPLINE && tess__transform_is_whole(&row, DIMS);
    const element             e = whole ? sample<TESS_INTERP_NEAREST>(p, b, row, w) : sample<METHOD>(p, b, row, w);
    if (!e.any) return;
#pragma unroll
    for (int part = 0; part < PARTS; part++) out[part] = e.part[part];
}

TESS_KERNEL(THREADS, tess__gpu_transform, p)
{
    int64_t       tile = blockIdx.x;
    const int64_t column = tile % p.tiles[1], row = tile / p.tiles[1] % p.tiles[0];
    tile /= p.tiles[0] * p.tiles[1];
    const int64_t d = tile % p.n[1], b = tile / p.n[1];
    const int64_t w = column * WIDTH + threadIdx.x % WIDTH, top = row * HEIGHT * ROWS + threadIdx.x / WIDTH;
    const int64_t at = b * p.out.stride[0] + d * p.out.stride[1] + w * p.out.stride[3];
    if (w >= p.n[3]) return;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int64_t h = top + i * HEIGHT;
        if (h < p.n[2]) do_result(p, (real *)p.out.data + (at + h * p.out.stride[2]) * PARTS, b, d, h, w);
    }
}
