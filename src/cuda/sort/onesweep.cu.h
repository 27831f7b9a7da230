/* Onesweep radix sort, one pass: stable partition of long vectors by one digit with decoupled look-back. Tiles are
 * taken in their order; each publishes its counts as soon as it knows them, and sums those of the tiles before it to
 * learn where its own items go.
 *
 * The program defines KEY_SIZE, KEY_KIND, THREADS, MODE (a TESS__GPU_SORT, _ARGSORT, _PARTITION or _CHOOSE) and WIDE
 * (1: vectors of 2^30 elements or more). */
#define ITEMS 16
#include "cuda/sort/keys.cu.h"
#include "cuda/sort/radix.cu.h"

#if WIDE
typedef uint64_t number;
#else
typedef uint32_t number;
#endif

enum { INDICES = MODE == TESS__GPU_ARGSORT || MODE == TESS__GPU_CHOOSE };
enum { PARTITION = MODE == TESS__GPU_PARTITION || MODE == TESS__GPU_CHOOSE };

/* What a tile publishes for the look-back: how many items of a digit it has, or it and all before it. */
constexpr number PARTIAL = (number)1 << (8 * sizeof(number) - 2);
constexpr number COMPLETE = (number)2 << (8 * sizeof(number) - 2);
constexpr number COUNT = PARTIAL - 1;

__shared__ radix_workspace workspace;
__shared__ int64_t         taken_tile;
__shared__ number          base[DIGITS]; /* where items of a digit go, less their index in the tile */
__shared__ union {
    key    keys[TILE];
    number indices[INDICES ? TILE : 1];
} sorted;

static __device__ uint32_t digit_of(key k, key pivot, const tess__gpu_pass &p)
{
    if constexpr (PARTITION) return k > pivot ? 2 : k == pivot;
    return (uint32_t)(k >> 8 * p.pass) & 255;
}

/* Decoupled look-back: the sum over the tiles of this vector before this one, all of which are running or done. */
static __device__ number count_before(volatile number *state, int64_t tile, number own)
{
    number before = 0;
    for (int64_t t = 1; t <= tile;) {
        const number told = state[-t * DIGITS];
        if (told == 0) continue;
        before += told & COUNT;
        if (told & COMPLETE) break;
        t++;
    }
    if (tile > 0) state[0] = COMPLETE | (before + own);
    return before;
}

/* The tile that a block is at. */
struct tile_at {
    int64_t  vector, tile, first; /* its first element in the vector */
    uint32_t n;                   /* its elements */
    key      pivot;               /* of the vector */
};

static __device__ tile_at next_tile(const tess__gpu_pass &p)
{
    const int64_t all = taken_tile;
    tile_at       t;
    t.vector = all / p.tiles;
    t.tile = all - t.vector * p.tiles;
    t.first = t.tile * TILE;
    t.n = p.n - t.first < TILE ? (uint32_t)(p.n - t.first) : TILE;
    t.pivot = PARTITION ? ((const key *)p.pivots)[t.vector] : 0;
    return t;
}

/* After the end of a vector, the largest key. */
static __device__ void load_keys(key (&k)[ITEMS], const tile_at &t, const tess__gpu_pass &p)
{
    const key *const in = (const key *)p.in + t.vector * p.n + t.first;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const uint32_t at = first_item() + 32 * i;
        k[i] = at < t.n ? in[at] : LAST_KEY;
    }
    if (!p.first) return;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (first_item() + 32 * i < t.n) k[i] = key_of(k[i], p.order);
}

/* Where the items of each digit go. */
static __device__ void find_bases(const tile_at &t, const tess__gpu_pass &p)
{
    if (threadIdx.x < DIGITS) {
        const int     d = threadIdx.x;
        const int64_t first = PARTITION ? 3 * t.vector + (d < 2 ? d : 2) : (t.vector * p.passes + p.pass) * DIGITS + d;
        const number  start =
            PARTITION ? (number)((const uint64_t *)p.starts)[first] : ((const number *)p.starts)[first];
        volatile number *const state = (volatile number *)p.state + taken_tile * DIGITS + d;
        base[d] = start + count_before(state, t.tile, workspace.total[d]) - workspace.start[d];
    }
    __syncthreads();
}

/* to[i] = where item threadIdx.x + i * THREADS of the sorted tile goes, if indices are wanted. */
static __device__ void write_keys(number (&to)[ITEMS], const key (&k)[ITEMS], const uint32_t (&rank)[ITEMS],
                                  const tile_at &t, const tess__gpu_pass &p)
{
#pragma unroll
    for (int i = 0; i < ITEMS; i++) sorted.keys[rank[i]] = k[i];
    __syncthreads();
    key *const out = (key *)p.out + t.vector * p.n;
    const bool wanted = !INDICES || !p.last || (p.order.raw_keys && p.out);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const uint32_t at = threadIdx.x + i * THREADS;
        const key      x = sorted.keys[at];
        const number   there = base[digit_of(x, t.pivot, p)] + at;
        if (at < t.n && wanted) out[there] = p.last ? result_of(x, p.order) : x;
        if constexpr (INDICES) to[i] = there;
    }
}

/* The indices of the first so many, and the numbers there. */
static __device__ void write_results(number index, number to, int64_t vector, const tess__gpu_pass &p)
{
    if (to >= p.results) return;
    if (p.indices_out) ((int64_t *)p.indices_out)[vector * p.results + to] = (int64_t)index;
    if (p.out && !p.order.raw_keys)
        ((key *)p.out)[vector * p.results + to] = taken(((const key *)p.numbers)[vector * p.n + index]);
}

static __device__ void write_indices(const number (&to)[ITEMS], const uint32_t (&rank)[ITEMS], const tile_at &t,
                                     const tess__gpu_pass &p)
{
    const number *const before = (const number *)p.indices_in + t.vector * p.n + t.first;
    number              index[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const uint32_t at = first_item() + 32 * i;
        index[i] = p.first || at >= t.n ? (number)(t.first + at) : before[at];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) sorted.indices[rank[i]] = index[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const uint32_t at = threadIdx.x + i * THREADS;
        if (at >= t.n) continue;
        if (p.last) write_results(sorted.indices[at], to[i], t.vector, p);
        else ((number *)p.indices_out)[t.vector * p.n + to[i]] = sorted.indices[at];
    }
}

TESS_KERNEL_TIGHT(THREADS, THREADS == 512 ? 2 : 3, tess__gpu_pass, p)
{
    if (threadIdx.x == 0) taken_tile = (int64_t)atomicAdd((unsigned long long *)p.next, 1ull);
    clear_workspace(workspace);
    const tile_at t = next_tile(p);
    key           k[ITEMS];
    number        to[ITEMS];
    uint32_t      rank[ITEMS];
    load_keys(k, t, p);
    const auto digit = [&](int i) {
        const uint32_t own = digit_of(k[i], t.pivot, p);
        return PARTITION && first_item() + 32 * i >= t.n ? 2u : own;
    };
    rank_in_warp(workspace, digit, rank);
    sum_warps(workspace);
    if (threadIdx.x < DIGITS)
        ((volatile number *)p.state)[taken_tile * DIGITS + threadIdx.x] =
            (t.tile == 0 ? COMPLETE : PARTIAL) | workspace.total[threadIdx.x];
    add_totals(workspace);
    set_positions(workspace, digit, rank);
    find_bases(t, p);
    write_keys(to, k, rank, t, p);
    if constexpr (INDICES) write_indices(to, rank, t, p);
}
