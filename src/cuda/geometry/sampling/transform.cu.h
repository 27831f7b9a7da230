/* Affine transform kernel: the elements that a tile of results needs are staged in shared memory, if they fit.
 *
 * The program defines WIDE: reals are f64, PARTS: 2 of complex elements, DIMS: 2 or 3, and METHOD: a tess_interp.
 * A tile for which they do not fit is done in strips of 8 columns. A warp has 8 x 4 results, whose windows lie in fewer
 * rows than those of 32 beside each other.
 * Planes of 36 or 64 taps are not written out for each z. */
#include "cuda/geometry/reals.cu.h"
#include "cuda/geometry/sampling/transform_params.h"
#include "cuda/jit/division.cu.h"
#if DIMS == 3 && METHOD > 6 && !defined(TESS_SIMULATED)
#define TESS__UNROLL_Z _Pragma("unroll 1")
#endif
#include "formulas/geometry/transform.op.h"

#define TAPS (METHOD == 1 ? 1 : METHOD <= 3 ? 2 : METHOD == 7 ? 6 : METHOD == 8 ? 8 : 4)
enum {
    THREADS = TESS__GPU_TRANSFORM_THREADS,
    BLOCKS = 4,                /* that share a multiprocessor */
    UNROLL = TAPS > 4 ? 1 : 4, /* results: the code must fit into the instruction cache */
    DEPTH = TESS__GPU_TRANSFORM_DEPTH(DIMS),
    HEIGHT = TESS__GPU_TRANSFORM_HEIGHT(DIMS, (int)sizeof(real) * PARTS),
    WIDTH = TESS__GPU_TRANSFORM_WIDTH(DIMS, (int)sizeof(real) * PARTS),
    /* Warps beside each other in a tile. */
    WARPS_W = WIDTH / 8,
    WARPS_H = HEIGHT / 4 < 8 / WARPS_W ? HEIGHT / 4 : 8 / WARPS_W,
    WARPS_D = 8 / (WARPS_W * WARPS_H)
};

/* A tile of results: its first element, and how many there are along d, h and w. */
struct result_tile {
    int64_t b, first[3];
    int     n[3];
};

static __device__ result_tile tile_of(const tess__gpu_transform &p)
{
    const int      size[3] = { DEPTH, HEIGHT, WIDTH };
    const uint32_t row = quotient_of(blockIdx.x, p.tiles[2]), plane = quotient_of(row, p.tiles[1]);
    const uint32_t b = quotient_of(plane, p.tiles[0]);
    const uint32_t at[3] = { plane - b * p.tiles[0].size, row - plane * p.tiles[1].size,
                             blockIdx.x - row * p.tiles[2].size };
    result_tile    tile;
    tile.b = b;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        tile.first[k] = (int64_t)at[k] * size[k];
        const int64_t left = p.n[k + 1] - tile.first[k];
        tile.n[k] = left < size[k] ? (int)left : size[k];
    }
    return tile;
}

#include "cuda/geometry/sampling/transform_box.cu.h"

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

/* Any window, from global memory: a call, so that it takes no registers from the others. */
template <int INTERP>
static __device__ __noinline__ element sample_global(const tess__gpu_transform &p, int64_t b, double z, double y,
                                                     double x)
{
    const tess__transform_source source = source_of(p, b);
    const double                 c[3] = { z, y, x };
    element                      e;
    e.any = TYPED(tess__sample)(e.part, &source, DIMS, PARTS, INTERP, c);
    return e;
}

/* As tess__sample_inside_…, of the elements in shared memory, where the window begins at `offset`. */
static __device__ void sum_taps(real *sums, const source_box &s, int interp, int32_t offset,
                                const real weights[3][TESS__TRANSFORM_TAPS])
{
    const int taps = tess__interp_taps(interp), deep = DIMS == 3 ? taps : 1;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        real all = 0;
        TESS__UNROLL_Z
        for (int z = 0; z < deep; z++) {
            real plane = 0;
#pragma unroll
            for (int y = 0; y < taps; y++) {
                const real *of = staged + (offset + z * s.pitch[0] + y * s.pitch[1]) * PARTS + part;
                real        row = 0;
#pragma unroll
                for (int x = 0; x < taps; x++) row = TYPED(tess__sample_add)(interp, x, weights[2], of[x * PARTS], row);
                plane = TYPED(tess__sample_add)(interp, y, weights[1], row, plane);
            }
            all = DIMS == 2 ? plane : TYPED(tess__sample_add)(interp, z, weights[0], plane, all);
        }
        sums[part] = all;
    }
}

/* A window of a box that fits: it is inside, or it meets no element and the border is a number; otherwise 0. */
static __device__ int sample_staged(real *sums, const tess__gpu_transform &p, const source_box &s, int interp,
                                    const double *c)
{
    const int taps = tess__interp_taps(interp);
    real      weights[3][TESS__TRANSFORM_TAPS];
    int32_t   i[3], offset = 0;
    bool      inside = true, outside = false;
#pragma unroll
    for (int k = 3 - DIMS; k < 3; k++) {
        double t;
        i[k] = window_of(interp, c[k], &t) - s.low[k];
        inside &= (uint32_t)i[k] < (uint32_t)(interp == METHOD ? s.starts[k] : s.n[k]);
        offset += i[k] * s.pitch[k];
        TYPED(tess__sample_weights)(interp, t, weights[k]);
    }
    if (inside) {
        sum_taps(sums, s, interp, offset, weights);
        return 1;
    }
#pragma unroll
    for (int k = 3 - DIMS; k < 3; k++) outside |= (i[k] + taps <= 0) | (i[k] >= s.n[k]);
    if (!outside | ((p.border != TESS_BORDER_ZERO) & (p.border != TESS_BORDER_VALUE))) return 0;
    for (int part = 0; part < PARTS; part++) sums[part] = (real)p.outside[part];
    return 1;
}

/* The coordinates of a row of a tile. */
struct tile_row {
    double start[3];
    int    whole; /* they are integers */
};

__shared__ tile_row rows[DEPTH * HEIGHT];

static __device__ void set_row(tile_row &r, const tess__gpu_transform &p, const double *m, int64_t d, int64_t h)
{
    const tess__transform_row row = tess__transform_row_of(m, DIMS, p.from, p.to, (double)d, (double)h);
    for (int k = 0; k < 3; k++) r.start[k] = row.start[k];
    r.whole = METHOD != TESS_INTERP_CUBIC_BSPLINE && tess__transform_is_whole(&row, DIMS);
}

template <int INTERP>
static __device__ element sample(const tess__gpu_transform &p, const source_box &s, int64_t b, const double *c)
{
    element e;
    e.any = s.fits && sample_staged(e.part, p, s, INTERP, c);
    return e.any ? e : sample_global<INTERP>(p, b, c[0], c[1], c[2]);
}

/* Result w of a row, to `out`. */
static __device__ void do_result(const tess__gpu_transform &p, const source_box &s, real *out, int64_t b,
                                 const tile_row &r, const double *step, double w)
{
    double c[3] = { 0.0, 0.0, 0.0 };
#pragma unroll
    for (int k = 3 - DIMS; k < 3; k++) c[k] = __builtin_fma(w, step[k], r.start[k]);
    const element e = r.whole ? sample<TESS_INTERP_NEAREST>(p, s, b, c) : sample<METHOD>(p, s, b, c);
    if (!e.any) return;
#pragma unroll
    for (int part = 0; part < PARTS; part++) out[part] = e.part[part];
}

/* The results of a thread, if they are in columns begin <= x < end of the tile. */
static __device__ void do_results(const tess__gpu_transform &p, const source_box &s, const result_tile &tile, int begin,
                                  int end, const double *step)
{
    const int     warp = (int)(threadIdx.x / 32), lane = (int)(threadIdx.x % 32);
    const int     x = warp % WARPS_W * 8 + lane % 8, y = warp / WARPS_W % WARPS_H * 4 + lane / 8;
    const int     z = warp / (WARPS_W * WARPS_H);
    const int64_t w = tile.first[2] + x, row = p.out.stride[2] * PARTS, plane = p.out.stride[1] * PARTS;
    if ((x < begin) | (x >= end)) return;
    real *out = (real *)p.out.data + (tile.b * p.out.stride[0] + w * p.out.stride[3]) * PARTS +
                (tile.first[0] + z) * plane + (tile.first[1] + y) * row;
#pragma unroll UNROLL
    for (int dz = 0; dz < DEPTH; dz += WARPS_D, out += WARPS_D * plane) {
        real *to = out;
#pragma unroll UNROLL
        for (int dy = 0; dy < HEIGHT; dy += 4 * WARPS_H, to += 4 * WARPS_H * row)
            if ((z + dz < tile.n[0]) & (y + dy < tile.n[1]))
                do_result(p, s, to, tile.b, rows[(z + dz) * HEIGHT + y + dy], step, (double)w);
    }
}

TESS_KERNEL_TIGHT(THREADS, BLOCKS, tess__gpu_transform, p)
{
    const result_tile tile = tile_of(p);
    const double     *m = (const double *)p.matrices + tile.b * p.matrix_step;
    const int         t = (int)threadIdx.x;
    double            step[3] = { 0.0, 0.0, 0.0 };
    for (int k = 0; k < DIMS; k++) step[3 - DIMS + k] = m[k * (DIMS + 1) + DIMS - 1];
    if (t < DEPTH * HEIGHT) set_row(rows[t], p, m, tile.first[0] + t / HEIGHT, tile.first[1] + t % HEIGHT);
    int strip = WIDTH;
    for (int x = 0; x < tile.n[2];) {
        const int end = x + strip < tile.n[2] ? x + strip : tile.n[2];
        __syncthreads();
        if (t >= THREADS - DIMS) set_range(p, m, t - (THREADS - DIMS) + 3 - DIMS, tile, x, end);
        __syncthreads();
        const source_box s = box_of_ranges();
        if (s.known & !s.fits & (strip > 8)) {
            strip = 8;
            continue;
        }
        if (s.fits) stage_box(s, p, tile.b);
        wait_staged();
        do_results(p, s, tile, x, end, step);
        x = end;
    }
}
