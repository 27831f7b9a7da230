/* Affine transform kernel: tiles of results, so that neighbours read neighbours; some rows of a tile a thread.
 *
 * The program defines WIDE: reals are f64, PARTS: 2 of complex elements, DIMS: 2 or 3, METHOD: a tess_interp, and
 * NARROW: rows of the input are contiguous, and offsets in it fit into 32 bits.
 * Planes of 36 or 64 taps are not written out for each z. */
#include "cuda/geometry/transform_params.h"
#if DIMS == 3 && METHOD > 6 && !defined(TESS_SIMULATED)
#define TESS__UNROLL_Z _Pragma("unroll 1")
#endif
#include "formulas/transform.op.h"

#if WIDE
typedef double real;
#define SAMPLE_INSIDE tess__sample_inside_f64
#define SAMPLE_EDGE tess__sample_edge_f64
#define SAMPLE_WEIGHTS tess__sample_weights_f64
#define SAMPLE_ADD tess__sample_add_f64
#else
typedef float          real;
#define SAMPLE_INSIDE tess__sample_inside_f32
#define SAMPLE_EDGE tess__sample_edge_f32
#define SAMPLE_WEIGHTS tess__sample_weights_f32
#define SAMPLE_ADD tess__sample_add_f32
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

/* The coordinates of the rows of a tile. */
struct tile_row {
    tess__transform_row row;
    bool                whole; /* they are integers */
};

__shared__ tile_row rows[HEIGHT * ROWS];

#if NARROW
/* As tess__transform_window, of coordinates up to 2^30; false: it is beyond. */
static __device__ bool window_of(int interp, double c, int32_t *first, double *t)
{
    const double  shifted = c + 0x1.8p52, nearest = shifted - 0x1.8p52;
    const bool    above = nearest > c;
    const int32_t i = (int32_t)(uint32_t)tess__bits_of_f64(shifted) - (above ? 1 : 0);
    *t = c - (above ? nearest - 1.0 : nearest);
    *first = i + (int32_t)tess__interp_base_f64(interp, 0, *t) + tess__interp_first(interp);
    return __builtin_fabs(c) < 0x1p30;
}

/* As tess__sample_inside_…, by offsets of 32 bits. */
static __device__ bool sample_inside(element &e, const tess__gpu_transform &p, int64_t b, int interp, const double *c)
{
    const int taps = tess__interp_taps(interp), deep = DIMS == 3 ? taps : 1;
    real      weights[3][TESS__TRANSFORM_TAPS];
    int32_t   offset = 0;
    bool      inside = true;
#pragma unroll
    for (int k = 3 - DIMS; k < 3; k++) {
        double  t;
        int32_t i;
        inside &= window_of(interp, c[k], &i, &t);
        inside &= (uint32_t)i < (uint32_t)p.shape[k] - (uint32_t)(taps - 1);
        offset += i * (int32_t)(k == 2 ? 1 : p.in.stride[k + 1]);
        SAMPLE_WEIGHTS(interp, t, weights[k]);
    }
    if (!inside) return false;
    const real *from = (const real *)p.in.data + b * p.in.stride[0] * PARTS + offset * PARTS;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        real all = 0;
        TESS__UNROLL_Z
        for (int z = 0; z < deep; z++) {
            real plane = 0;
#pragma unroll
            for (int y = 0; y < taps; y++) {
                const real *of = from + (z * (int32_t)p.in.stride[1] + y * (int32_t)p.in.stride[2]) * PARTS + part;
                real        row = 0;
#pragma unroll
                for (int x = 0; x < taps; x++) row = SAMPLE_ADD(interp, x, weights[2], of[x * PARTS], row);
                plane = SAMPLE_ADD(interp, y, weights[1], row, plane);
            }
            all = DIMS == 2 ? plane : SAMPLE_ADD(interp, z, weights[0], plane, all);
        }
        e.part[part] = all;
    }
    return true;
}
#else
static __device__ bool sample_inside(element &e, const tess__gpu_transform &p, int64_t b, int interp, const double *c)
{
    const tess__transform_source source = source_of(p, b);
    return SAMPLE_INSIDE(e.part, &source, DIMS, PARTS, interp, c);
}
#endif

template <int INTERP>
static __device__ element sample(const tess__gpu_transform &p, int64_t b, const tess__transform_row &row, int64_t w)
{
    double  c[3];
    element e;
#pragma unroll
    for (int k = 0; k < 3; k++) c[k] = tess__transform_coordinate(&row, k, (double)w);
    e.any = sample_inside(e, p, b, INTERP, c);
    return e.any ? e : edge<INTERP>(p, b, c[0], c[1], c[2]);
}

/* Result w of a row, to `out`. */
static __device__ void do_result(const tess__gpu_transform &p, real *out, int64_t b, const tile_row &r, int64_t w)
{
    const element e = r.whole ? sample<TESS_INTERP_NEAREST>(p, b, r.row, w) : sample<METHOD>(p, b, r.row, w);
    if (!e.any) return;
#pragma unroll
    for (int part = 0; part < PARTS; part++) out[part] = e.part[part];
}

static __device__ void set_row(tile_row &r, const tess__gpu_transform &p, int64_t b, int64_t d, int64_t h)
{
    const double *m = (const double *)p.matrices + b * p.matrix_step;
    r.row = tess__transform_row_of(m, DIMS, p.from, p.to, (double)d, (double)h);
    r.whole = METHOD != TESS_INTERP_CUBIC_BSPLINE && tess__transform_is_whole(&r.row, DIMS);
}

TESS_KERNEL(THREADS, tess__gpu_transform, p)
{
    int64_t       tile = blockIdx.x;
    const int64_t column = tile % p.tiles[1], top = tile / p.tiles[1] % p.tiles[0] * HEIGHT * ROWS;
    tile /= p.tiles[0] * p.tiles[1];
    const int64_t d = tile % p.n[1], b = tile / p.n[1];
    const int64_t w = column * WIDTH + threadIdx.x % WIDTH;
    const int     y = (int)threadIdx.x / WIDTH;
    if (threadIdx.x < HEIGHT * ROWS) set_row(rows[threadIdx.x], p, b, d, top + threadIdx.x);
    __syncthreads();
    if (w >= p.n[3]) return;
    real *out = (real *)p.out.data +
                (b * p.out.stride[0] + d * p.out.stride[1] + (top + y) * p.out.stride[2] + w * p.out.stride[3]) * PARTS;
#pragma unroll
    for (int i = 0; i < ROWS; i++, out += HEIGHT * p.out.stride[2] * PARTS)
        if (top + y + i * HEIGHT < p.n[2]) do_result(p, out, b, rows[y + i * HEIGHT], w);
}
