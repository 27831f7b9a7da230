/* Sub-regions put into an array, or added to it, in their order: a block of threads has a tile of the array, looks
 * at all origins, takes those sub-regions that reach it one after the other, and goes on to the tile of its next turn.
 *
 * The program defines ORIGIN, the dtype of origins, and ADD. If that is 0: UNIT, bytes that are moved at once, and
 * PER, how many make an element. If it is 1: REAL, the dtype of the reals of the arrays, PARTS of an element,
 * WEIGHT, the dtype of weights, or 0, SUMS, that of their sums, or 0, and SUM(x, w, y) and WEIGHT_SUM(w, y), which
 * are stored. */
#include "cuda/kernels/grid.h"
#include "cuda/kernels/insert_params.h"
#include "cuda/kernels/origins.h"

enum { THREADS = 256, ROUNDS = 4, WARP = 32 };

/* A tile, or what a sub-region has of one: from..to-1 along each axis. */
struct box {
    int64_t from[4], to[4];
};

static __device__ box tile_of(const tess__gpu_insert &p, int64_t number)
{
    int64_t place[4];
    box     b;
    grid_place(place, p.tiles, number);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        b.from[k] = place[k] * p.tile[k];
        b.to[k] = p.size[k] - b.from[k] < p.tile[k] ? p.size[k] : b.from[k] + p.tile[k];
    }
    return b;
}

/* Where sub-region `number` begins, in the order of the axes; true if it reaches the tile. */
static __device__ bool reaches(int64_t at[4], const tess__gpu_insert &p, const box &tile, int64_t number)
{
    int64_t named[4];
    bool    all = true;
    origin_at(named, p.origins, number);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        at[k] = origin_along(named, p.name[k]);
        all = all && at[k] < tile.to[k] && at[k] + p.region[k] > tile.from[k];
    }
    return all;
}

static __device__ box common_part(const tess__gpu_insert &p, const box &tile, const int64_t at[4])
{
    box b;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int64_t end = at[k] + p.region[k];
        b.from[k] = at[k] > tile.from[k] ? at[k] : tile.from[k];
        b.to[k] = end < tile.to[k] ? end : tile.to[k];
    }
    return b;
}

/* The first element of a box in an array of the output's shape, and in one of sub-regions, that of `number` at `at`. */
static __device__ int64_t first_there(const tess__gpu_array &a, const box &b) { return grid_offset(a.stride, b.from); }

static __device__ int64_t first_here(const tess__gpu_array &a, int64_t next, const box &b, const int64_t at[4],
                                     int64_t number)
{
    int64_t offset = number * next;
#pragma unroll
    for (int k = 0; k < 4; k++) offset += (b.from[k] - at[k]) * a.stride[k];
    return offset;
}

#if ADD
typedef element<REAL>::stored stored;

/* Element (y, x) of a box. */
static __device__ void add_one(const tess__gpu_insert &p, stored *out, const stored *in, int64_t weight, int64_t sum)
{
#if WEIGHT
    const element<WEIGHT>::held w = element<WEIGHT>::load(((const element<WEIGHT>::stored *)p.weights.data)[weight]);
#else
    const int w = 1;
#endif
#pragma unroll
    for (int part = 0; part < PARTS; part++)
        out[part] = SUM(element<REAL>::load(in[part]), w, element<REAL>::load(out[part]));
#if SUMS
    element<SUMS>::stored *to = (element<SUMS>::stored *)p.sums.data + sum;
    *to = WEIGHT_SUM(w, element<SUMS>::load(*to));
#endif
    (void)w, (void)weight, (void)sum;
}

static __device__ void take_region(const tess__gpu_insert &p, const box &b, const int64_t at[4], int64_t number)
{
    const int64_t out = first_there(p.out, b), in = first_here(p.in, p.in_next, b, at, number);
    const int64_t weight = first_here(p.weights, p.weights_next, b, at, number), sum = first_there(p.sums, b);
    const int     width = (int)(b.to[3] - b.from[3]), n = (int)(b.to[2] - b.from[2]) * width;
    for (int i = (int)threadIdx.x; i < n; i += THREADS) {
        const int64_t y = i / width, x = i % width;
        add_one(p, (stored *)p.out.data + (out + y * p.out.stride[2] + x * p.out.stride[3]) * PARTS,
                (const stored *)p.in.data + (in + y * p.in.stride[2] + x * p.in.stride[3]) * PARTS,
                weight + y * p.weights.stride[2] + x * p.weights.stride[3],
                sum + y * p.sums.stride[2] + x * p.sums.stride[3]);
    }
}
#else
typedef unit<UNIT>::type piece;

static __device__ void take_region(const tess__gpu_insert &p, const box &b, const int64_t at[4], int64_t number)
{
    const int64_t out = first_there(p.out, b), in = first_here(p.in, p.in_next, b, at, number);
    const int     width = (int)(b.to[3] - b.from[3]), n = (int)(b.to[2] - b.from[2]) * width * PER;
    for (int first = (int)threadIdx.x; first < n; first += THREADS * ROUNDS) {
        piece   all[ROUNDS];
        int64_t to[ROUNDS];
#pragma unroll
        for (int k = 0; k < ROUNDS; k++) {
            const int i = first + k * THREADS;
            if (i >= n) break;
            const int64_t y = i / PER / width, x = i / PER % width, rest = i % PER;
            to[k] = (out + y * p.out.stride[2] + x * p.out.stride[3]) * PER + rest;
            all[k] = ((const piece *)p.in.data)[(in + y * p.in.stride[2] + x * p.in.stride[3]) * PER + rest];
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; k++) {
            if (first + k * THREADS >= n) break;
            ((piece *)p.out.data)[to[k]] = all[k];
        }
    }
}
#endif

__shared__ int64_t  at[THREADS][4];
__shared__ uint32_t hits[THREADS / WARP];

static __device__ void fill(const tess__gpu_insert &p, const box &tile)
{
    const int thread = (int)threadIdx.x;
    /* A sub-region that lies in the batch of its number reaches tiles of that alone. */
    const int64_t begin = p.origins.batches && p.origins.count < 4 ? tile.from[p.batch] : 0;
    const int64_t end = p.origins.batches && p.origins.count < 4 ? tile.to[p.batch] : p.n;
    for (int64_t base = begin; base < end; base += THREADS) {
        const bool     hit = base + thread < end && reaches(at[thread], p, tile, base + thread);
        const uint32_t mask = __ballot_sync(0xffffffffu, hit);
        if (thread % WARP == 0) hits[thread / WARP] = mask;
        __syncthreads();
        for (int w = 0; w < THREADS / WARP; w++)
            for (uint32_t rest = hits[w]; rest; rest &= rest - 1) {
                const int k = w * WARP + __ffs((int)rest) - 1;
                take_region(p, common_part(p, tile, at[k]), at[k], base + k);
                __syncthreads(); /* the next one may find its elements with other threads */
            }
        __syncthreads();
    }
}

TESS_KERNEL(THREADS, tess__gpu_insert, p)
{
    for (int64_t number = blockIdx.x; number < p.tiles.n; number += gridDim.x) fill(p, tile_of(p, number));
}
