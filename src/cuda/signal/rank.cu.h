/* Rank filter kernel: keys of a tile in shared memory, some results a thread, by a selection network or bit by bit.
 *
 * The program defines DTYPE, METHOD, a TESS__GPU_RANK_ …, WINDOW_H and WINDOW_W, the rows and columns of the window of
 * a network, TILED: a tile and its halo fit into shared memory, otherwise the array is read each time, and ROWS: the
 * results of a thread, one above the other, whose windows have rows in common. */
#include "cuda/signal/keys.cu.h"
#include "cuda/signal/tile.cu.h"

enum {
    THREADS = TESS__GPU_STENCIL_THREADS,
    WIDTH = TESS__GPU_RANK_WIDTH,
    HEIGHT = TESS__GPU_RANK_HEIGHT * ROWS,
    CAPACITY = TILED ? TESS__GPU_RANK_BYTES / (int)sizeof(key) : 1
};

__shared__ key keys[CAPACITY];

/* ---- Elements of the window ---- */

static __device__ key key_at(const tess__gpu_stencil &p, int64_t batch, const int64_t at[3])
{
    const int64_t d = index_of(p, 0, at[0]), h = index_of(p, 1, at[1]), w = index_of(p, 2, at[2]);
    if (d < 0 || h < 0 || w < 0) return to_key(*(const stored *)p.outside);
    return to_key(((const stored *)p.in
                       .data)[batch * p.in.stride[0] + d * p.in.stride[1] + h * p.in.stride[2] + w * p.in.stride[3]]);
}

/* The window of a thread: its first element, in the tile or in the array. */
struct window {
    int64_t batch, at[3];
    int     first, pitch, plane;
};

static __device__ key element_of(const tess__gpu_stencil &p, const window &v, int d, int h, int w)
{
    if constexpr (TILED != 0) return keys[v.first + d * v.plane + h * v.pitch + w];
    else {
        const int64_t at[3] = { v.at[0] + d, v.at[1] + h, v.at[2] + w };
        return key_at(p, v.batch, at);
    }
}

/* All threads fill the tile whose first window is `v`: a warp a row. */
static __device__ void load_tile(const tess__gpu_stencil &p, const window &v)
{
    const int height = HEIGHT + p.size[1] - 1;
    for (int d = 0; d < p.size[0]; d++)
        for (int y = (int)threadIdx.x / 32; y < height; y += THREADS / 32)
            for (int x = (int)threadIdx.x % 32; x < v.pitch; x += 32) {
                const int64_t at[3] = { v.at[0] + d, v.at[1] + y, v.at[2] + x };
                keys[d * v.plane + y * v.pitch + x] = key_at(p, v.batch, at);
            }
}

/* ---- Ranks ---- */

#if METHOD == TESS__GPU_RANK_NETWORK
#define NETWORK_T key
#define NETWORK_FN static __device__
#define NETWORK(name) network_##name
#include "formulas/median.op.h"

#if WINDOW_H == WINDOW_W
#if WINDOW_H == 3
#define SORT network_sort_3
#define MEDIAN network_median_3x3
#else
#define SORT network_sort_5
#define MEDIAN network_median_5x5
#endif

/* Rows are sorted once for all windows that they are a part of. A window is turned: its sorted rows are the columns. */
static __device__ void find(key found[ROWS], const tess__gpu_stencil &p, const window &v)
{
    key sorted[ROWS + WINDOW_H - 1][WINDOW_W];
#pragma unroll
    for (int h = 0; h < ROWS + WINDOW_H - 1; h++) {
#pragma unroll
        for (int w = 0; w < WINDOW_W; w++) sorted[h][w] = element_of(p, v, 0, h, w);
        SORT(sorted[h]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        key x[WINDOW_H * WINDOW_W];
#pragma unroll
        for (int h = 0; h < WINDOW_H; h++)
#pragma unroll
            for (int w = 0; w < WINDOW_W; w++) x[w * WINDOW_H + h] = sorted[r + h][w];
        found[r] = MEDIAN(x);
    }
}
#else
#if WINDOW_H * WINDOW_W == 3
#define MEDIAN network_median_3
#elif WINDOW_H * WINDOW_W == 5
#define MEDIAN network_median_5
#else
#define MEDIAN network_median_7
#endif

/* Of one row or column. */
static __device__ void find(key found[ROWS], const tess__gpu_stencil &p, const window &v)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        key x[WINDOW_H * WINDOW_W];
#pragma unroll
        for (int i = 0; i < WINDOW_H * WINDOW_W; i++)
            x[i] = element_of(p, v, 0, r + (WINDOW_H > 1 ? i : 0), WINDOW_H > 1 ? 0 : i);
        found[r] = MEDIAN(x);
    }
}
#endif
#elif METHOD == TESS__GPU_RANK_BITS
/* Keys below each of the numbers in the windows. */
static __device__ void count(int64_t below[ROWS], const key numbers[ROWS], const tess__gpu_stencil &p, const window &v)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) below[r] = 0;
    for (int d = 0; d < p.size[0]; d++)
        for (int h = 0; h < ROWS + p.size[1] - 1; h++) {
            int of_row[ROWS] = { 0 };
            for (int w = 0; w < p.size[2]; w++) {
                const key x = element_of(p, v, d, h, w);
#pragma unroll
                for (int r = 0; r < ROWS; r++) of_row[r] += x < numbers[r];
            }
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                if (h >= r && h - r < p.size[1]) below[r] += of_row[r];
        }
}

/* From the highest bit down, a bit belongs to the result if no more keys than `rank` are below the number that it
 * makes. */
static __device__ void find(key found[ROWS], const tess__gpu_stencil &p, const window &v)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        found[r] = (key)(sizeof(key) == 1 ? (bits)0 : (bits)((bits)1 << (8 * sizeof(key) - 1)));
    for (int bit = 8 * (int)sizeof(key) - 1; bit >= 0; bit--) {
        key     candidates[ROWS];
        int64_t below[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) /* wraps from the lowest key to 0 */
            candidates[r] = (key)(bits)((bits)found[r] + (bits)((bits)1 << bit));
        count(below, candidates, p, v);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (below[r] <= p.rank) found[r] = candidates[r];
    }
}
#else
#if METHOD == TESS__GPU_RANK_MINIMUM || METHOD == TESS__GPU_FOOTPRINT_MINIMUM
static __device__ key better(key x, key y) { return x < y ? x : y; }
#else
static __device__ key better(key x, key y) { return x > y ? x : y; }
#endif

/* Whether an element of the window counts. */
static __device__ bool counts(const tess__gpu_stencil &p, int d, int h, int w)
{
    if constexpr (METHOD == TESS__GPU_FOOTPRINT_MINIMUM || METHOD == TESS__GPU_FOOTPRINT_MAXIMUM)
        return ((const uint8_t *)p.filter)[((int64_t)d * p.size[1] + h) * p.size[2] + w] != 0;
    else return true;
}

static __device__ void find(key found[ROWS], const tess__gpu_stencil &p, const window &v)
{
    bool any = false;
#pragma unroll
    for (int r = 0; r < ROWS; r++) found[r] = key();
    for (int d = 0; d < p.size[0]; d++)
        for (int h = 0; h < p.size[1]; h++)
            for (int w = 0; w < p.size[2]; w++) {
                if (!counts(p, d, h, w)) continue;
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    const key x = element_of(p, v, d, r + h, w);
                    found[r] = any ? better(x, found[r]) : x;
                }
                any = true;
            }
}
#endif

TESS_KERNEL(THREADS, tess__gpu_stencil, p)
{
    const corner c = corner_of_block(p, HEIGHT, WIDTH);
    window       v;
    v.batch = c.batch;
    v.pitch = WIDTH + p.size[2] - 1;
    v.plane = v.pitch * (HEIGHT + p.size[1] - 1);
#pragma unroll
    for (int k = 0; k < 3; k++) v.at[k] = c.at[k] - p.size[k] / 2;
    if constexpr (TILED != 0) load_tile(p, v);
    __syncthreads();
    const int x = (int)threadIdx.x % WIDTH, y = (int)threadIdx.x / WIDTH * ROWS;
    key       found[ROWS];
    v.first = y * v.pitch + x;
    v.at[1] += y;
    v.at[2] += x;
    if (c.at[1] + y >= p.end[1] || c.at[2] + x >= p.end[2]) return;
    find(found, p, v);
    stored *to = (stored *)p.out.data + v.batch * p.out.stride[0] + c.at[0] * p.out.stride[1] +
                 (c.at[1] + y) * p.out.stride[2] + (c.at[2] + x) * p.out.stride[3];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (c.at[1] + y + r < p.end[1]) to[r * p.out.stride[2]] = from_key<stored>(found[r]);
}
