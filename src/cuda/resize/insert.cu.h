/* Insertion of sub-regions into an array, or their addition to it, in their order: a block of threads takes one tile
 * of the array after the other, finds the sub-regions that overlap it from a bitmap, or by a look at all origins,
 * and applies them one after the other. Each thread owns elements of the tile, one below the other, so that no
 * barrier is needed between sub-regions; sums are kept in registers until the last sub-region.
 *
 * The program defines ORIGIN, the dtype of origins, ADD, and ROUNDS, the maximum number of elements of a thread. If
 * ADD is 0: UNIT, bytes that are moved at once, and PER, how many make an element. If it is 1: REAL, the dtype of
 * the reals of the arrays, PARTS of an element, WEIGHT, the dtype of weights, or 0, SUMS, that of their sums, or 0,
 * and SUM(x, w, y) and WEIGHT_SUM(w, y), which are stored. */
#include "cuda/jit/grid.cu.h"
#include "cuda/resize/insert_params.h"
#include "cuda/resize/origins.cu.h"

enum { THREADS = TESS__GPU_INSERT_THREADS, WARP = 32, WARPS = THREADS / WARP, LOOK = TESS__GPU_INSERT_LOOK };

/* A tile, or what a sub-region has of one: from..to-1 along each axis. */
struct box {
    int64_t from[4], to[4];
};

static __device__ box tile_of(const tess__gpu_insert &p, int64_t number)
{
    int64_t position[4];
    box     b;
    grid_position(position, p.tiles, number);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        b.from[k] = position[k] * p.tile[k];
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

/* ---- Elements of a thread ---- */

/* The column of a tile that a thread has `ROUNDS` elements of, `step` apart. */
struct column {
    int64_t x, y;   /* of the first element */
    int     rows;   /* of the tile from there on; 0 if it has no such column */
    int     step;   /* from an element to the next */
    int64_t corner; /* the first element, in the output and in sums */
    int64_t corner_of_sums;
};

static __device__ column column_of(const tess__gpu_insert &p, const box &tile)
{
    column        c;
    const int64_t dx = threadIdx.x & ((1u << p.across) - 1), dy = threadIdx.x >> p.across;
    c.x = tile.from[3] + dx;
    c.y = tile.from[2] + dy;
    c.rows = c.x < tile.to[3] && c.y < tile.to[2] ? (int)(tile.to[2] - c.y) : 0;
    c.step = THREADS >> p.across;
    const int64_t position[4] = { tile.from[0], tile.from[1], c.y, c.x };
    c.corner = grid_offset(p.out.stride, position);
    c.corner_of_sums = grid_offset(p.sums.stride, position);
    return c;
}

/* Rows from..to-1 of a column, counted from its first element, are those of sub-region `number` at `at`. */
struct region_offset {
    int     from, to;
    int64_t x, y, d, b; /* of the column's first element, in the sub-region */
};

static __device__ region_offset region_at(const tess__gpu_insert &p, const box &tile, const column &c,
                                          const int64_t at[4])
{
    region_offset r = { 0, 0, c.x - at[3], c.y - at[2], tile.from[1] - at[1], tile.from[0] - at[0] };
    if (r.x < 0 || r.x >= p.region[3]) return r;
    r.from = r.y < 0 ? (int)-r.y : 0;
    r.to = p.region[2] - r.y < c.rows ? (int)(p.region[2] - r.y) : c.rows;
    return r;
}

/* The column's first element in an array of sub-regions. */
static __device__ int64_t offset_in(const tess__gpu_array &a, int64_t next, const region_offset &r, int64_t number)
{
    return number * next + r.b * a.stride[0] + r.d * a.stride[1] + r.y * a.stride[2] + r.x * a.stride[3];
}

#if ADD
typedef element<REAL>::stored stored;

/* Sums of a thread. Elements that no sub-region has reached are not read, and stay as they are. */
struct owned {
    stored   at[ROUNDS][PARTS];
    uint32_t reached; /* bits */
#if SUMS
    element<SUMS>::stored sum[ROUNDS];
#endif
};

/* Where the elements of a thread are, one after the other. */
struct owned_offsets {
    stored *out;
#if SUMS
    element<SUMS>::stored *sum;
#endif
};

static __device__ owned_offsets first_offsets(const tess__gpu_insert &p, const column &c)
{
    owned_offsets at;
    at.out = (stored *)p.out.data + c.corner * PARTS;
#if SUMS
    at.sum = (element<SUMS>::stored *)p.sums.data + c.corner_of_sums;
#endif
    return at;
}

static __device__ void go_on(owned_offsets &at, const tess__gpu_insert &p, const column &c)
{
    at.out += c.step * p.out.stride[2] * PARTS;
#if SUMS
    at.sum += c.step * p.sums.stride[2];
#endif
}

static __device__ void read_owned(owned &mine, int k, const owned_offsets &at)
{
    mine.reached |= 1u << k;
#pragma unroll
    for (int part = 0; part < PARTS; part++) mine.at[k][part] = at.out[part];
#if SUMS
    mine.sum[k] = *at.sum;
#endif
}

static __device__ void write_owned(const owned &mine, const tess__gpu_insert &p, const column &c)
{
    owned_offsets at = first_offsets(p, c);
#pragma unroll
    for (int k = 0; k < ROUNDS; k++, go_on(at, p, c)) {
        if (!(mine.reached >> k & 1)) continue;
#pragma unroll
        for (int part = 0; part < PARTS; part++) at.out[part] = mine.at[k][part];
#if SUMS
        *at.sum = mine.sum[k];
#endif
    }
}

#if WEIGHT
typedef element<WEIGHT>         weight;
typedef element<WEIGHT>::stored stored_weight;
#else
typedef int stored_weight;
#endif

static __device__ void add_one(owned &mine, int k, const stored x[PARTS], stored_weight w)
{
#if WEIGHT
    const weight::held factor = weight::load(w);
#else
    const int factor = 1;
#endif
    (void)w, (void)factor;
#pragma unroll
    for (int part = 0; part < PARTS; part++)
        mine.at[k][part] = SUM(element<REAL>::load(x[part]), factor, element<REAL>::load(mine.at[k][part]));
#if SUMS
    mine.sum[k] = WEIGHT_SUM(factor, element<SUMS>::load(mine.sum[k]));
#endif
}

/* All loads come before all computation. */
static __device__ void take_region(owned &mine, const tess__gpu_insert &p, const column &c, const region_offset &r,
                                   int64_t number)
{
    const stored *in = (const stored *)p.in.data + offset_in(p.in, p.in_next, r, number) * PARTS;
    owned_offsets at = first_offsets(p, c);
    stored        x[ROUNDS][PARTS];
    stored_weight w[ROUNDS];
#if WEIGHT
    const stored_weight *weights = (const stored_weight *)p.weights.data;
    weights += offset_in(p.weights, p.weights_next, r, number);
#endif
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
        if (k * c.step >= r.from && k * c.step < r.to) {
#pragma unroll
            for (int part = 0; part < PARTS; part++) x[k][part] = in[part];
#if WEIGHT
            w[k] = *weights;
#endif
            if (!(mine.reached >> k & 1)) read_owned(mine, k, at);
        }
        go_on(at, p, c);
        in += c.step * p.in.stride[2] * PARTS;
#if WEIGHT
        weights += c.step * p.weights.stride[2];
#endif
    }
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
        if (k * c.step >= r.from && k * c.step < r.to) add_one(mine, k, x[k], w[k]);
}
#else
typedef unit<UNIT>::type moved;

/* The last sub-region is the last that a thread writes. */
struct owned {
    uint32_t reached;
};

static __device__ void write_owned(const owned &, const tess__gpu_insert &, const column &) {}

static __device__ void take_region(owned &, const tess__gpu_insert &p, const column &c, const region_offset &r,
                                   int64_t number)
{
    const moved *in = (const moved *)p.in.data + offset_in(p.in, p.in_next, r, number) * PER;
    moved       *out = (moved *)p.out.data + c.corner * PER;
    for (int unit = 0; unit < PER; unit++, in++, out++) {
        const moved *from = in;
        moved       *to = out, x[ROUNDS];
#pragma unroll
        for (int k = 0; k < ROUNDS; k++, from += c.step * p.in.stride[2] * PER)
            if (k * c.step >= r.from && k * c.step < r.to) x[k] = *from;
#pragma unroll
        for (int k = 0; k < ROUNDS; k++, to += c.step * p.out.stride[2] * PER)
            if (k * c.step >= r.from && k * c.step < r.to) *to = x[k];
    }
}
#endif

/* ---- Sub-regions of a tile ---- */

__shared__ int64_t  at[THREADS][4];
__shared__ uint32_t hits[WARPS];
__shared__ uint16_t chosen[THREADS];
__shared__ int      totals[WARPS];

/* The counts of threads before this one, and of all. */
static __device__ int count_before(int mine, int &all)
{
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    int       sum = mine;
    for (int h = 1; h < WARP; h *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, sum, (unsigned)h);
        if (lane >= h) sum += other;
    }
    if (lane == WARP - 1) totals[warp] = sum;
    __syncthreads();
    int before = sum - mine;
    all = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w < warp) before += totals[w];
        all += totals[w];
    }
    return before;
}

/* Those of 64 sub-regions from `number` on that may reach the tile. */
static __device__ uint64_t marks_of(const tess__gpu_insert &p, const box &tile, int64_t number)
{
    const int64_t word = (number - p.first) / 64;
    if (word >= p.words) return 0;
    uint64_t marks = ~(uint64_t)0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (p.first_slice[k] >= 0)
            marks &=
                ((const uint64_t *)p.marks)[(p.first_slice[k] + (tile.from[k] >> p.slice_shift[k])) * p.words + word];
    return marks;
}

/* Numbers of chosen sub-regions, THREADS of them from the one of position `group` on, relative to the first that is
 * looked at; `before` is the position of this thread's first. */
static __device__ void choose(uint64_t marks, int before, int group)
{
    int position = before - group;
    for (uint64_t left = marks; left && position < THREADS; left &= left - 1, position++)
        if (position >= 0) chosen[position] = (uint16_t)(threadIdx.x * 64 + __ffsll((long long)left) - 1);
}

/* Sub-regions base..end-1, LOOK of them at most. All threads of the block are here. */
static __device__ void take_some(owned &mine, const tess__gpu_insert &p, const box &tile, const column &c, int64_t base,
                                 int64_t end)
{
    const int      thread = (int)threadIdx.x;
    const uint64_t marks = p.marks ? marks_of(p, tile, base + 64 * thread) : 0;
    int            n = end - base < LOOK ? (int)(end - base) : LOOK, before = 0;
    if (p.marks) before = count_before(__popcll(marks), n);
    for (int group = 0; group < n; group += THREADS) {
        if (p.marks) choose(marks, before, group);
        else chosen[thread] = (uint16_t)(group + thread);
        __syncthreads();
        const bool     hit = group + thread < n && reaches(at[thread], p, tile, base + chosen[thread]);
        const uint32_t mask = __ballot_sync(0xffffffffu, hit);
        if (thread % WARP == 0) hits[thread / WARP] = mask;
        __syncthreads();
        for (int w = 0; w < WARPS; w++)
            for (uint32_t left = hits[w]; left; left &= left - 1) {
                const int           k = w * WARP + __ffs((int)left) - 1;
                const region_offset r = region_at(p, tile, c, at[k]);
                if (r.from < r.to) take_region(mine, p, c, r, base + chosen[k]);
            }
        __syncthreads();
    }
    __syncthreads();
}

static __device__ void fill(const tess__gpu_insert &p, const box &tile)
{
    /* A sub-region that lies in the batch of its number reaches tiles of that alone. */
    const bool    own = p.origins.batches && p.origins.count < 4;
    const int64_t batch = origin_along(tile.from, p.batch); /* tiles have one, or reach all of the axis */
    const int64_t begin = own ? batch : p.first, end = own ? origin_along(tile.to, p.batch) : p.end;
    const column  c = column_of(p, tile);
    owned         mine;
    mine.reached = 0;
    for (int64_t base = begin; base < end; base += LOOK) take_some(mine, p, tile, c, base, end);
    write_owned(mine, p, c);
}

TESS_KERNEL_TIGHT(THREADS, 3, tess__gpu_insert, p)
{
    for (int64_t number = blockIdx.x; number < p.tiles.n; number += gridDim.x) fill(p, tile_of(p, number));
}
