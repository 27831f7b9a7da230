/* Column reductions, where results are closer together in memory than the elements of one: a thread computes PACK
 * neighbouring results or, where there are few results, several threads divide the elements of each.
 *
 * The program defines, beside that of reduce.cu.h: ITEM_SLOTS, the maximum of slots of an item's state; X_BYTES and
 * Y_BYTES, not 0 if PACK elements can be read by loads of so many bytes. */
#include "cuda/reduce/reduce.cu.h"

/* Rows that a thread reads before it adds them; batches of these that are added one after the other. */
enum { ROUNDS = INPUTS == 2 ? 4 : 8, BATCHES = 64 / ROUNDS };

/* An element of each column. */
struct row {
    x_type  x[PACK];
    y_type  y[PACK];
    int64_t number;
};

static __device__ void read_row(row &g, const tess__gpu_reduce &p, const int64_t base[2], index_type i)
{
    const spot    s = locate_number(p, i);
    constexpr int inner = KEPT_DIMS - 1;
    if constexpr (SCALARS & 1) set<PACK>(g.x, p.value[0]);
    else load<PACK, X_BYTES>(g.x, (const x_type *)p.in[0] + base[0] + s.at[0], p.kept.in[0][inner]);
    if constexpr (SCALARS & 2) set<PACK>(g.y, p.value[1]);
    else if constexpr (INPUTS == 2)
        load<PACK, Y_BYTES>(g.y, (const y_type *)p.in[1] + base[1] + s.at[1], p.kept.in[1][inner]);
    g.number = s.number;
}

/* What a thread has so far of a column: sums of the last rows, and those of all before, so that no sum is long. */
struct progress {
    states now, all;

    __device__ void clear()
    {
        ::clear(now);
        ::clear(all);
    }
    __device__ void start(x_type x, y_type y)
    {
#define START(i) ITEM##i::start(now.of##i, x, y);
        EACH_ITEM(START)
    }
    __device__ void add(x_type x, y_type y, int64_t number)
    {
#define ADD(i) ITEM##i::add(now.of##i, x, y, number);
        EACH_ITEM(ADD)
    }
    template <class ITEM> static __device__ void fold_item(typename ITEM::state &from, typename ITEM::state &to)
    {
        if constexpr (!ITEM::folds) return;
        ITEM::settle(from);
        ITEM::merge(to, from);
        ITEM::clear(from);
    }
    __device__ void fold()
    {
#define FOLD(i) fold_item<ITEM##i>(now.of##i, all.of##i);
        EACH_ITEM(FOLD)
    }
    __device__ states whole()
    {
        fold();
#define WHOLE(i)                                                                                                       \
    if constexpr (!ITEM##i::folds) all.of##i = now.of##i;
        EACH_ITEM(WHOLE)
        return all;
    }
};

static __device__ void start_all(progress column[PACK], const row &g)
{
#pragma unroll
    for (int e = 0; e < PACK; e++) column[e].start(g.x[e], g.y[e]);
}

static __device__ void add_row(progress column[PACK], const row &g)
{
#pragma unroll
    for (int e = 0; e < PACK; e++) column[e].add(g.x[e], g.y[e], g.number);
}

/* Numbers first, first + step, … below `last`. */
static __device__ void walk(progress column[PACK], const tess__gpu_reduce &p, const int64_t base[2], index_type first,
                            index_type last, index_type step)
{
    index_type i = first;
    int        batch = 0;
    for (; i + (ROUNDS - 1) * step < last; i += ROUNDS * step) {
        row g[ROUNDS];
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) read_row(g[r], p, base, i + (index_type)r * step);
        if (batch == 0) start_all(column, g[0]);
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) add_row(column, g[r]);
        if (++batch < BATCHES) continue;
        batch = 0;
#pragma unroll
        for (int e = 0; e < PACK; e++) column[e].fold();
    }
    for (; i < last; i += step) {
        row g;
        read_row(g, p, base, i);
        if (batch == 0) start_all(column, g);
        batch = 1;
        add_row(column, g);
    }
}

/* Merges the states of threads of one column, `across` threads apart, item by item as a fixed tree. */
template <class ITEM>
static __device__ void gather_item(typename ITEM::state &s, uint64_t box[][ITEM_SLOTS], int across)
{
    for (int h = THREADS / 2; h >= across; h /= 2) {
        __syncthreads();
        if ((int)threadIdx.x >= h && (int)threadIdx.x < 2 * h) memcpy(box[threadIdx.x], &s, sizeof s);
        __syncthreads();
        if ((int)threadIdx.x >= h) continue;
        typename ITEM::state other;
        memcpy(&other, box[threadIdx.x + h], sizeof other);
        ITEM::merge(s, other);
    }
}

static __device__ void gather_columns(states s[PACK], int across)
{
    __shared__ uint64_t box[THREADS][ITEM_SLOTS];
#pragma unroll
    for (int e = 0; e < PACK; e++) {
#define GATHER(i) gather_item<ITEM##i>(s[e].of##i, box, across);
        EACH_ITEM(GATHER)
    }
}

static __device__ void reduce_columns(const tess__gpu_reduce &p)
{
    const int      across = 1 << p.team, tx = (int)threadIdx.x & (across - 1), ty = (int)threadIdx.x >> p.team;
    const uint32_t chunks = (uint32_t)p.chunks;
    const int64_t  tile = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
    const int64_t  pack_index = tile * across + tx, packs = p.results / PACK, first = chunk * p.chunk;
    const bool     is_here = pack_index < packs;
    int64_t        index[KEPT_DIMS];
    progress       column[PACK];
    states         s[PACK];
#pragma unroll
    for (int e = 0; e < PACK; e++) column[e].clear();
    locate_result(index, p, (index_type)(is_here ? pack_index : 0));
    if (is_here) {
        const int64_t base[2] = { offset_in(p, 0, index), offset_in(p, 1, index) };
        const int64_t last = p.reduced.n - first < p.chunk ? p.reduced.n : first + p.chunk;
        walk(column, p, base, (index_type)(first + ty), (index_type)last, (index_type)(THREADS >> p.team));
    }
#pragma unroll
    for (int e = 0; e < PACK; e++) s[e] = column[e].whole();
    if (across < THREADS) gather_columns(s, across);
    if (ty > 0 || !is_here) return;
    if (p.chunk_states) {
#pragma unroll
        for (int e = 0; e < PACK; e++) keep_chunk(p, s[e], pack_index * PACK + e, chunk);
    } else {
        epilogue<PACK>(p, s, index);
    }
}

TESS_KERNEL(THREADS, tess__gpu_reduce, p)
{
    if (p.merging) merge_chunks(p);
    else reduce_columns(p);
}
