/* Row reductions, where elements of a result are closer together in memory than results: a team of threads reads the
 * elements of each result, or of a chunk of it, in groups.
 *
 * The program defines, beside that of reduce.cu.h: GROUP, numbers of a group; WITHIN (1: a group is always within a run
 * of the last reduced axis); X_BYTES and Y_BYTES: not 0 if a group can be read by loads of so many bytes. */
#include "cuda/reduce/reduce.cu.h"

struct group {
    x_type  x[GROUP];
    y_type  y[GROUP];
    int64_t number[NUMBERED ? GROUP : 1];
};

/* N numbers from number i on. */
template <int N, int X_LOAD, int Y_LOAD>
static __device__ void read(group &g, const tess__gpu_reduce &p, const int64_t base[2], index_type i)
{
    const spot    s = locate_number(p, i);
    constexpr int inner = REDUCED_DIMS - 1;
    if constexpr (SCALARS & 1) set<N>(g.x, p.value[0]);
    else load<N, X_LOAD>(g.x, (const x_type *)p.in[0] + base[0] + s.at[0], p.reduced.in[0][inner]);
    if constexpr (SCALARS & 2) set<N>(g.y, p.value[1]);
    else if constexpr (INPUTS == 2)
        load<N, Y_LOAD>(g.y, (const y_type *)p.in[1] + base[1] + s.at[1], p.reduced.in[1][inner]);
    if constexpr (NUMBERED) {
#pragma unroll
        for (int e = 0; e < N; e++) g.number[e] = s.number + e * p.number[inner];
    }
}

/* One number, as the first of a group. */
static __device__ void read_one(group &g, const tess__gpu_reduce &p, const int64_t base[2], index_type i)
{
    read<1, 0, 0>(g, p, base, i);
}

static __device__ void read_group(group &g, const tess__gpu_reduce &p, const int64_t base[2], index_type q)
{
    if constexpr (WITHIN) {
        read<GROUP, X_BYTES, Y_BYTES>(g, p, base, q * GROUP);
    } else {
#pragma unroll
        for (int e = 0; e < GROUP; e++) {
            group one;
            read_one(one, p, base, q * GROUP + e);
            g.x[e] = one.x[0];
            if constexpr (INPUTS == 2) g.y[e] = one.y[0];
            if constexpr (NUMBERED) g.number[e] = one.number[0];
        }
    }
}

/* States of an item that a thread keeps side by side: what they are does not depend on other items. */
template <class ITEM> struct ways_of {
    enum { value = sizeof(typename ITEM::state) == 8 ? 4 : sizeof(typename ITEM::state) == 16 ? 2 : 1 };
};

template <class ITEM> struct several {
    enum { N = ways_of<ITEM>::value };
    typename ITEM::state way[N];

    __device__ void clear()
    {
#pragma unroll
        for (int w = 0; w < N; w++) ITEM::clear(way[w]);
    }
    __device__ void start(x_type x, y_type y)
    {
#pragma unroll
        for (int w = 0; w < N; w++) ITEM::start(way[w], x, y);
    }
    __device__ typename ITEM::state whole()
    {
#pragma unroll
        for (int w = 0; w < N; w++) ITEM::settle(way[w]);
#pragma unroll
        for (int w = 1; w < N; w++) ITEM::merge(way[0], way[w]);
        return way[0];
    }
};

/* What a thread has so far. */
struct progress {
#define SEVERAL(i) several<ITEM##i> of##i;
    EACH_ITEM(SEVERAL)
    bool begun;

    __device__ void clear()
    {
        begun = false;
#define CLEAR_ALL(i) of##i.clear();
        EACH_ITEM(CLEAR_ALL)
    }
    __device__ void begin(const group &g)
    {
        if (begun) return;
#define START(i) of##i.start(g.x[0], g.y[0]);
        EACH_ITEM(START)
        begun = true;
    }
    template <int N> __device__ void take(const group &g, int first)
    {
#pragma unroll
        for (int e = 0; e < N; e++) {
#define ADD(i) ITEM##i::add(of##i.way[(first + e) % several<ITEM##i>::N], g.x[e], g.y[e], g.number[NUMBERED ? e : 0]);
            EACH_ITEM(ADD)
        }
    }
    __device__ states whole()
    {
        states s;
#define WHOLE(i) s.of##i = of##i.whole();
        EACH_ITEM(WHOLE)
        return s;
    }
};

/* Groups q, q + team, … below `end`, as long as there are N, which are all read before they are added; q moves on. */
template <int N>
static __device__ void walk_by(progress &now, const tess__gpu_reduce &p, const int64_t base[2], index_type &q,
                               index_type end)
{
    const index_type team = (index_type)1 << p.team;
    for (; q + (N - 1) * team < end; q += N * team) {
        group g[N];
#pragma unroll
        for (int r = 0; r < N; r++) read_group(g[r], p, base, q + (index_type)r * team);
        now.begin(g[0]);
#pragma unroll
        for (int r = 0; r < N; r++) now.take<GROUP>(g[r], r * GROUP);
    }
}

/* Groups first, first + team, … below `last` of a result whose elements begin at `base`. Large states leave
 * registers for fewer threads, each of which reads more at once; which of a thread's states an element goes to is
 * the same. */
static __device__ void walk(progress &now, const tess__gpu_reduce &p, const int64_t base[2], index_type first,
                            index_type last)
{
    const index_type whole = (index_type)(p.reduced.n / GROUP), end = last < whole ? last : whole;
    index_type       q = first;
    if (SLOTS > 2) walk_by<8>(now, p, base, q, end);
    walk_by<4>(now, p, base, q, end);
    walk_by<1>(now, p, base, q, end);
    if (q >= last) return;
    for (index_type i = q * GROUP; i < (index_type)p.reduced.n; i++) { /* the last group is not whole */
        group g;
        read_one(g, p, base, i);
        now.begin(g);
        now.take<1>(g, 0);
    }
}

static __device__ void reduce_rows(const tess__gpu_reduce &p)
{
    const int64_t unit = (int64_t)blockIdx.x * (THREADS >> p.team) + (threadIdx.x >> p.team);
    const int64_t result = p.chunks == 1 ? unit : unit / p.chunks, chunk = p.chunks == 1 ? 0 : unit % p.chunks;
    const int64_t lane = (int64_t)(threadIdx.x & ((1u << p.team) - 1));
    const int64_t groups = (p.reduced.n + GROUP - 1) / GROUP, first = chunk * p.chunk;
    int64_t       index[KEPT_DIMS];
    progress      now;
    now.clear();
    locate_result(index, p, (index_type)(result < p.results ? result : 0));
    if (result < p.results) {
        const int64_t base[2] = { offset_in(p, 0, index), offset_in(p, 1, index) };
        const int64_t last = groups - first < p.chunk ? groups : first + p.chunk;
        walk(now, p, base, (index_type)(first + lane), (index_type)last);
    }
    states s = now.whole();
    gather(s, p.team);
    if (lane != 0 || result >= p.results) return;
    if (p.chunk_states) keep_chunk(p, s, result, chunk);
    else epilogue<1>(p, &s, index);
}

TESS_KERNEL(THREADS, tess__gpu_reduce, p)
{
    if (p.merging) merge_chunks(p);
    else reduce_rows(p);
}
