/* Parallel scan of vectors whose elements are close together in memory: a team of threads, a warp or a block, scans
 * each vector, or a chunk of one, tile by tile.
 *
 * The program defines, beside that of scan.cu.h: IN_PACKED and OUT_PACKED (1: elements of a thread lie side by side and
 * can be moved at once). */
#include "cuda/jit/lanes.cu.h"
#include "cuda/scan/scan.cu.h"

enum { EACH = 4, WARPS = THREADS / 32 };

template <class T> struct alignas(sizeof(T) * EACH <= 16 ? sizeof(T) * EACH : 16) four {
    T at[EACH];
};

/* ---- States of other threads ---- */

static __device__ state from_lane_before(const state &s, int distance)
{
    return from_other_lane(s, [=](uint64_t x) { return __shfl_up_sync(0xffffffffu, x, (unsigned)distance); });
}

/* What all lanes of the warp before this one have, and what its lanes have together. */
static __device__ state before_in_warp(const state &mine, state &all)
{
    const int lane = (int)threadIdx.x % 32;
    state     s = mine;
    for (int h = 1; h < 32; h *= 2) {
        const state other = from_lane_before(s, h);
        if (lane >= h) s = join(other, s);
    }
    all = from_other_lane(s, [](uint64_t x) { return __shfl_sync(0xffffffffu, x, 31); });
    const state other = from_lane_before(s, 1);
    return lane ? other : OPERATION::none();
}

/* The same of a team. All threads of the block call it. */
static __device__ state before_in_team(const state &mine, state &all, int team)
{
    state before = before_in_warp(mine, all);
    if (team <= 5) return before;
    __shared__ uint64_t box[WARPS][SLOTS];
    const int           warp = (int)threadIdx.x / 32;
    state               start = OPERATION::none(), sum = OPERATION::none();
    __syncthreads();
    if (threadIdx.x % 32 == 0) memcpy(box[warp], &all, sizeof all);
    __syncthreads();
    for (int w = 0; w < WARPS; w++) {
        state other;
        memcpy(&other, box[w], sizeof other);
        if (w == warp) start = sum;
        sum = join(sum, other);
    }
    all = sum;
    return join(start, before);
}

/* ---- Elements ---- */

/* n of EACH elements of a vector from `from` on, as they are stored. */
static __device__ four<in_type> load(const tess__gpu_scan &p, const in_type *from, int64_t n)
{
    if (IN_PACKED && n >= EACH) return *(const four<in_type> *)from;
    four<in_type> some = {};
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (e < n) some.at[e] = from[e * p.along[1]];
    return some;
}

/* Their states; those beyond n are none. */
static __device__ void states_of(state s[EACH], const four<in_type> &some, int64_t n)
{
#pragma unroll
    for (int e = 0; e < EACH; e++) s[e] = e < n ? state_of(some.at[e]) : OPERATION::none();
}

static __device__ void write(const tess__gpu_scan &p, out_type *to, const four<out_type> &results, int64_t n)
{
    if (OUT_PACKED && n >= EACH) {
        *(four<out_type> *)to = results;
        return;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (e < n) to[e * p.along[0]] = results.at[e];
}

/* ---- Chunks ---- */

struct task {
    int64_t        vector, chunk, first, last; /* elements */
    bool           is_here;
    vector_offsets offset;
};

static __device__ task find(const tess__gpu_scan &p)
{
    task          u;
    const int64_t i = (int64_t)blockIdx.x * (THREADS >> p.team) + (threadIdx.x >> p.team);
    u.vector = p.chunks == 1 ? i : i / p.chunks;
    u.chunk = p.chunks == 1 ? 0 : i % p.chunks;
    u.is_here = u.vector < p.vectors;
    u.offset = locate(p, u.is_here ? u.vector : 0);
    u.first = u.chunk * p.chunk;
    u.last = !u.is_here ? u.first : p.n - u.first < p.chunk ? p.n : u.first + p.chunk;
    return u;
}

static __device__ int64_t lane_of(const tess__gpu_scan &p) { return threadIdx.x & ((1u << p.team) - 1); }

/* All threads run the same number of iterations: they wait for each other, while the next tile is on its way. */
static __device__ void scan_chunk(const tess__gpu_scan &p)
{
    const task     u = find(p);
    const int64_t  tile = (int64_t)EACH << p.team, mine = u.first + EACH * lane_of(p);
    const in_type *in = (const in_type *)p.data[1] + u.offset.at[1];
    state          carry = p.chunk_states && u.is_here ? *chunk_state(p, u.vector, u.chunk) : OPERATION::none();
    four<in_type>  next = load(p, in + mine * p.along[1], u.last - mine);
    for (int64_t from = 0; from < (p.chunk < p.n ? p.chunk : p.n); from += tile) {
        const int64_t  i = mine + from, n = u.last - i;
        state          s[EACH], all;
        four<out_type> results;
        states_of(s, next, n);
        next = load(p, in + (i + tile) * p.along[1], n - tile);
        state inside[EACH];
        inside[0] = s[0];
#pragma unroll
        for (int e = 1; e < EACH; e++) inside[e] = join(inside[e - 1], s[e]);
        state before = join(carry, before_in_team(inside[EACH - 1], all, p.team));
        carry = join(carry, all);
        const state start = before;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const state here = join(start, inside[e]);
            if (e < n) results.at[e] = result_at(p, i + e, before, here);
            before = here;
        }
        write(p, (out_type *)p.data[0] + u.offset.at[0] + i * p.along[0], results, n);
    }
}

static __device__ void total_chunk(const tess__gpu_scan &p)
{
    const task     u = find(p);
    const int64_t  tile = (int64_t)EACH << p.team;
    const in_type *in = (const in_type *)p.data[1] + u.offset.at[1];
    state          sum = OPERATION::none(), all;
#pragma unroll 4
    for (int64_t i = u.first + EACH * lane_of(p); i < u.last; i += tile) {
        state s[EACH];
        states_of(s, load(p, in + i * p.along[1], u.last - i), u.last - i);
#pragma unroll
        for (int e = 0; e < EACH; e++) sum = join(sum, s[e]);
    }
    (void)before_in_team(sum, all, p.team);
    if (u.is_here && lane_of(p) == 0) *chunk_state(p, u.vector, u.chunk) = all;
}

/* Totals of a vector's chunks become what is before each; a block for a vector. */
static __device__ void start_chunks(const tess__gpu_scan &p)
{
    state carry = OPERATION::none();
    for (int64_t first = 0; first < p.chunks; first += THREADS) {
        const int64_t chunk = first + threadIdx.x;
        state         all;
        const state   mine = chunk < p.chunks ? *chunk_state(p, blockIdx.x, chunk) : OPERATION::none();
        const state   before = before_in_team(mine, all, 8);
        if (chunk < p.chunks) *chunk_state(p, blockIdx.x, chunk) = join(carry, before);
        carry = join(carry, all);
    }
}

TESS_KERNEL(THREADS, tess__gpu_scan, p)
{
    if (p.step == TESS__GPU_SCAN_TOTALS) total_chunk(p);
    else if (p.step == TESS__GPU_SCAN_STARTS) start_chunks(p);
    else scan_chunk(p);
}
