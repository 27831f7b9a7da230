/* Direct convolution kernel: tiles of the input in shared memory, several results a thread.
 *
 * The program defines IN, OUT and SUM, the dtypes of elements and of sums, COMPLEX_FILTER, whether weights are of SUM
 * and not of its real, WINDOW: the numbers of rows and columns of a small window, 100 rows + columns, or 0 of any
 * window, 1 of long ones, whose weights are met one row at a time, and PACKED: rows are contiguous. Weights are met in
 * the order of the window, by fused operations: the bits are those of the CPU. */
#include "cuda/jit/elements.cu.h"
#include "cuda/signal/tile.cu.h"

typedef element<SUM>::held                 sum;
typedef element<real_of<SUM>::value>::held real;

enum {
    THREADS = TESS__GPU_STENCIL_THREADS,
    WARPS = THREADS / 32,
    IS_SMALL = WINDOW > 1,
    COLUMNS = TESS__GPU_STENCIL_COLUMNS(IS_SMALL), /* of a thread */
    WIDTH = 32 * COLUMNS,
    ROWS = TESS__GPU_STENCIL_ROWS(sizeof(sum)),
    HEIGHT = WARPS * ROWS,
    CHUNK_H = IS_SMALL      ? WINDOW / 100
              : WINDOW == 1 ? 1
                            : TESS__GPU_STENCIL_CHUNK,
    CHUNK_W = IS_SMALL      ? WINDOW % 100
              : WINDOW == 1 ? TESS__GPU_STENCIL_LONG
                            : TESS__GPU_STENCIL_CHUNK,
    TILE_H = HEIGHT + CHUNK_H - 1,
    TILE_W = (WIDTH + CHUNK_W + 2) / 4 * 4, /* rows begin at packs of 4 */
    PARTS = COMPLEX_FILTER ? 2 : 1
};

__shared__      __align__(16) sum tile[TILE_H][TILE_W];
__shared__ real weights[CHUNK_H * CHUNK_W * PARTS];

static __device__ real add(real s, real x, real w)
{
    if constexpr (sizeof(real) == 8) return __builtin_fma(x, w, s);
    else return __builtin_fmaf(x, w, s);
}

template <class S> static __device__ void add_product(S &s, S x, const real *w)
{
    if constexpr (element<SUM>::kind != KIND_COMPLEX) s = add(s, x, w[0]);
    else if constexpr (COMPLEX_FILTER != 0) {
        s.re = add(add(s.re, x.re, w[0]), x.im, -w[1]);
        s.im = add(add(s.im, x.im, w[0]), x.re, w[1]);
    } else {
        s.re = add(s.re, x.re, w[0]);
        s.im = add(s.im, x.im, w[0]);
    }
}

static __device__ int64_t step_in(const tess__gpu_stencil &p) { return PACKED ? 1 : p.in.stride[3]; }
static __device__ int64_t step_out(const tess__gpu_stencil &p) { return PACKED ? 1 : p.out.stride[3]; }

/* `height` rows of `width` elements into the tile, none of them outside. */
static __device__ void load_inside(const tess__gpu_stencil &p, const corner &c, int height, int width)
{
    const int                  lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const element<IN>::stored *row = (const element<IN>::stored *)p.in.data + c.batch * p.in.stride[0] +
                                     c.at[0] * p.in.stride[1] + (c.at[1] + warp) * p.in.stride[2] +
                                     (c.at[2] + lane) * step_in(p);
#pragma unroll 2
    for (int y = warp; y < height; y += WARPS, row += WARPS * p.in.stride[2]) {
#pragma unroll
        for (int x = 0; x < TILE_W; x += 32)
            if (lane + x < width) tile[y][lane + x] = convert<SUM, IN>(element<IN>::load(row[x * step_in(p)]));
    }
}

/* The same by the border; most columns are inside. */
static __device__ void load_border(const tess__gpu_stencil &p, const corner &c, int height, int width)
{
    const element<IN>::stored *in = (const element<IN>::stored *)p.in.data + c.batch * p.in.stride[0];
    const int64_t              d = index_of(p, 0, c.at[0]), left = p.n[2] - c.at[2];
    const int                  begin = c.at[2] < 0 ? (int)-c.at[2] : 0, end = left < width ? (int)left : width;
    for (int y = (int)threadIdx.x / 32; y < height; y += WARPS) {
        const int64_t              h = index_of(p, 1, c.at[1] + y);
        const bool                 exists = d >= 0 && h >= 0;
        const element<IN>::stored *row = exists ? in + d * p.in.stride[1] + h * p.in.stride[2] : in;
        for (int x = (int)threadIdx.x % 32; x < width; x += 32) {
            int64_t w = c.at[2] + x;
            if (x < begin || x >= end) w = tess_border_index((tess_border)p.border, w, p.n[2]);
            if (exists && w >= 0) tile[y][x] = convert<SUM, IN>(element<IN>::load(row[w * step_in(p)]));
            else tile[y][x] = *(const sum *)p.outside;
        }
    }
}

static __device__ void load_tile(const tess__gpu_stencil &p, const corner &c, int height, int width)
{
    const bool inside = c.at[0] >= 0 && c.at[0] < p.n[0] && c.at[1] >= 0 && c.at[1] + height <= p.n[1] &&
                        c.at[2] >= 0 && c.at[2] + width <= p.n[2];
    if (inside) load_inside(p, c, height, width);
    else load_border(p, c, height, width);
}

/* `height` rows of `width` weights, from one of a plane of the filter on. */
static __device__ void load_weights(const tess__gpu_stencil &p, int64_t from, int height, int width)
{
    const real *filter = (const real *)p.filter + from * PARTS;
    for (int i = (int)threadIdx.x; i < height * width * PARTS; i += THREADS) {
        const int row = i / (width * PARTS), column = i % (width * PARTS);
        weights[row * CHUNK_W * PARTS + column] = filter[(int64_t)row * p.size[2] * PARTS + column];
    }
}

/* The column of a tile that is a thread's c-th: neighbours where rows are kept in registers. */
static __device__ int column_of(int c)
{
    const int lane = (int)threadIdx.x % 32;
    return IS_SMALL ? COLUMNS * lane + c : lane + 32 * c;
}

#if WINDOW > 1
/* Each row of the tile is read once, and meets the weights of the results that it is a part of. */
static __device__ void meet(sum sums[ROWS][COLUMNS], int, int)
{
    const int first = (int)threadIdx.x / 32 * ROWS;
#pragma unroll
    for (int y = 0; y < ROWS + CHUNK_H - 1; y++) {
        sum row[COLUMNS + CHUNK_W - 1];
#pragma unroll
        for (int x = 0; x < COLUMNS + CHUNK_W - 1; x++) row[x] = tile[first + y][column_of(x)];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (y < r || y - r >= CHUNK_H) continue;
#pragma unroll
            for (int w = 0; w < CHUNK_W; w++)
#pragma unroll
                for (int c = 0; c < COLUMNS; c++)
                    add_product(sums[r][c], row[c + w], weights + ((y - r) * CHUNK_W + w) * PARTS);
        }
    }
}
#else
static __device__ void meet(sum sums[ROWS][COLUMNS], int height, int width)
{
    const int y = (int)threadIdx.x / 32 * ROWS;
    for (int h = 0; h < height; h++)
        for (int w = 0; w < width; w++) {
            const real *weight = weights + (h * CHUNK_W + w) * PARTS;
#pragma unroll
            for (int r = 0; r < ROWS; r++)
#pragma unroll
                for (int c = 0; c < COLUMNS; c++) add_product(sums[r][c], tile[y + r + h][column_of(c) + w], weight);
        }
}
#endif

static __device__ void store(const tess__gpu_stencil &p, const corner &c, const sum sums[ROWS][COLUMNS])
{
    const int64_t         h = c.at[1] + (int)threadIdx.x / 32 * ROWS, w = c.at[2] + column_of(0);
    element<OUT>::stored *out = (element<OUT>::stored *)p.out.data + c.batch * p.out.stride[0] +
                                c.at[0] * p.out.stride[1] + h * p.out.stride[2] + w * step_out(p);
#pragma unroll
    for (int r = 0; r < ROWS; r++, out += p.out.stride[2]) {
        if (h + r >= p.end[1]) return;
#pragma unroll
        for (int k = 0; k < COLUMNS; k++)
            if (w + column_of(k) - column_of(0) < p.end[2])
                out[(column_of(k) - column_of(0)) * step_out(p)] = element<OUT>::store(convert<OUT, SUM>(sums[r][k]));
    }
}

TESS_KERNEL_TIGHT(THREADS, sizeof(sum) > 4 ? 2 : 3, tess__gpu_stencil, p)
{
    const corner out = corner_of_block(p, HEIGHT, WIDTH);
    sum          sums[ROWS][COLUMNS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) sums[r][c] = convert<SUM, TESS_F32>(0);
    for (int d = 0; d < p.size[0]; d++)
        for (int h = 0; h < p.size[1]; h += CHUNK_H)
            for (int w = 0; w < p.size[2]; w += CHUNK_W) {
                const int height = p.size[1] - h < CHUNK_H ? p.size[1] - h : CHUNK_H;
                const int width = p.size[2] - w < CHUNK_W ? p.size[2] - w : CHUNK_W;
                corner    in = out;
                in.at[0] += d - p.size[0] / 2;
                in.at[1] += h - p.size[1] / 2;
                in.at[2] += w - p.size[2] / 2;
                __syncthreads();
                load_tile(p, in, HEIGHT + height - 1, WIDTH + width - 1);
                load_weights(p, ((int64_t)d * p.size[1] + h) * p.size[2] + w, height, width);
                __syncthreads();
                meet(sums, height, width);
            }
    store(p, out, sums);
}
