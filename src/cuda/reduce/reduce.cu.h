/* Shared code of the reduction kernels: accumulator states, tree merges between threads, and the epilogue.
 *
 * The program defines: INPUTS, 1 or 2; X_DTYPE and Y_DTYPE, their dtypes (of one input, Y_DTYPE is u8); SCALARS
 * (bits: inputs that are params.value); EACH_ITEM(DO), which is DO(0) DO(1) … for the items; ITEM0, …, a struct of
 * items.cu.h; OUT0_0, OUT0_1, …, the dtypes of their outputs, 0 if not wanted; FIRST_OUT0, …, the number of the
 * first of these in params.out; SLOTS, of all states together; NUMBERED (1: an item needs elements' numbers);
 * KEPT_DIMS and REDUCED_DIMS, 1 to 4; WIDE (1: 2^31 results or numbers, or more); PACK, results of a thread that
 * lie side by side; PACKED (1: they are written at once). */
#ifndef TESS_CUDA_REDUCE_REDUCE_CU_H
#define TESS_CUDA_REDUCE_REDUCE_CU_H

#include "cuda/jit/division.cu.h"
#include "cuda/jit/lanes.cu.h"
#include "cuda/reduce/items.cu.h"
#include "cuda/reduce/reduce_params.h"

/* AT_ONCE: pairs of chunks that a thread reads before it merges them; more of large ones cost registers. */
enum { THREADS = 256, WARPS = THREADS / 32, AT_ONCE = SLOTS <= 6 ? 2 : 1 };

typedef element<X_DTYPE>::stored x_type;
typedef element<Y_DTYPE>::stored y_type;

#if WIDE
typedef int64_t index_type;
#else
typedef uint32_t index_type;
#endif

template <class T, int N> struct alignas(sizeof(T) * N <= 16 ? sizeof(T) * N : 16) pack {
    T at[N];
};
template <class T> struct pack<T, 1> {
    T at[1];
};

/* ---- States ---- */

#define STATE_OF(i) ITEM##i::state of##i;
struct states {
    EACH_ITEM(STATE_OF)
};
static_assert(sizeof(states) == 8 * SLOTS, "the host allocates workspace for the states");

static __device__ void clear(states &s)
{
#define CLEAR(i) ITEM##i::clear(s.of##i);
    EACH_ITEM(CLEAR)
}

static __device__ void merge(states &a, const states &b)
{
#define MERGE(i) ITEM##i::merge(a.of##i, b.of##i);
    EACH_ITEM(MERGE)
}

/* Those of the lane `distance` further on. */
static __device__ states from_lane(const states &s, int distance)
{
    return from_other_lane(s, [=](uint64_t x) { return __shfl_down_sync(0xffffffffu, x, (unsigned)distance); });
}

/* Merges the states of a team of 2^team threads as a fixed tree: its first thread has the total. All
 * threads of the block call it, with teams of at most a warp or of the block. */
static __device__ void gather(states &s, int team)
{
    for (int h = team < 5 ? 1 << team >> 1 : 16; h > 0; h /= 2) merge(s, from_lane(s, h));
    if (team <= 5) return;
    __shared__ uint64_t box[WARPS][SLOTS];
    const int           warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    if (lane == 0) memcpy(box[warp], &s, sizeof s);
    __syncthreads();
    if (warp > 0) return;
    memcpy(&s, box[lane % WARPS], sizeof s);
    for (int h = WARPS / 2; h > 0; h /= 2) merge(s, from_lane(s, h));
}

/* ---- Indices ---- */

/* i is split by the sizes of a nest: index[d] along each axis. */
template <int DIMS> static __device__ void split(int64_t index[DIMS], const tess__gpu_nest &nest, index_type i)
{
#pragma unroll
    for (int d = DIMS - 1; d > 0; d--) {
#if WIDE
        const index_type quotient = i / nest.size[d];
#else
        const index_type quotient = quotient_of(i, nest.divisor[d]);
#endif
        index[d] = (int64_t)(i - quotient * (index_type)nest.size[d]);
        i = quotient;
    }
    index[0] = (int64_t)i;
}

/* Where elements are, and which number they have. */
struct spot {
    int64_t at[2], number;
};

static __device__ spot locate_number(const tess__gpu_reduce &p, index_type i)
{
    int64_t index[REDUCED_DIMS];
    spot    s = { { 0, 0 }, NUMBERED ? p.first_number : 0 };
    split<REDUCED_DIMS>(index, p.reduced, i);
#pragma unroll
    for (int d = 0; d < REDUCED_DIMS; d++) {
        s.at[0] += index[d] * p.reduced.in[0][d];
        s.at[1] += index[d] * p.reduced.in[1][d];
        if (NUMBERED) s.number += index[d] * p.number[d];
    }
    return s;
}

/* The index of the first result of pack i along the kept axes. */
static __device__ void locate_result(int64_t index[KEPT_DIMS], const tess__gpu_reduce &p, index_type i)
{
    split<KEPT_DIMS>(index, p.kept, i);
    index[KEPT_DIMS - 1] *= PACK;
}

static __device__ int64_t offset_in(const tess__gpu_reduce &p, int k, const int64_t index[KEPT_DIMS])
{
    int64_t at = 0;
#pragma unroll
    for (int d = 0; d < KEPT_DIMS; d++) at += index[d] * p.kept.in[k][d];
    return at;
}

/* ---- Elements ---- */

/* N elements from `from` on, which lie `stride` apart; BYTES is not 0 if that is 1, and they can be read by loads of
 * so many bytes. */
template <int N, int BYTES, class T> static __device__ void load(T to[N], const T *from, int64_t stride)
{
    if constexpr (BYTES > (int)sizeof(T)) {
        constexpr int each = BYTES / (int)sizeof(T);
#pragma unroll
        for (int i = 0; i < N / each; i++) {
            const pack<T, each> some = ((const pack<T, each> *)from)[i];
#pragma unroll
            for (int e = 0; e < each; e++) to[i * each + e] = some.at[e];
        }
    } else {
#pragma unroll
        for (int e = 0; e < N; e++) to[e] = from[e * stride];
    }
}

template <int N, class T> static __device__ void set(T to[N], const uint8_t *value)
{
    T one;
    memcpy(&one, value, sizeof one);
#pragma unroll
    for (int e = 0; e < N; e++) to[e] = one;
}

/* ---- Results ---- */

/* NaNs of sums carry signs and bits that depend on the device's habits: all become the same. */
static __device__ double   canonical_nan(double x) { return x == x ? x : __builtin_nan(""); }
static __device__ int64_t  canonical_nan(int64_t x) { return x; }
static __device__ uint64_t canonical_nan(uint64_t x) { return x; }
static __device__ tess_c64 canonical_nan(tess_c64 z)
{
    z.re = canonical_nan(z.re), z.im = canonical_nan(z.im);
    return z;
}

/* Output k of N results from index on, of which value(e) is one. */
template <int N, int OUT, int WIDE_DTYPE, class VALUE>
static __device__ void put(const tess__gpu_reduce &p, int k, const int64_t index[KEPT_DIMS], VALUE value)
{
    typedef typename element<OUT>::stored stored;
    int64_t                               at = 0;
#pragma unroll
    for (int d = 0; d < KEPT_DIMS; d++) at += index[d] * p.out_stride[k][d];
    stored         *to = (stored *)p.out[k] + at;
    pack<stored, N> all;
#pragma unroll
    for (int e = 0; e < N; e++) all.at[e] = element<OUT>::store(convert<OUT, WIDE_DTYPE>(canonical_nan(value(e))));
    if constexpr (PACKED && N > 1) {
        *(pack<stored, N> *)to = all;
    } else {
#pragma unroll
        for (int e = 0; e < N; e++) to[e * p.out_stride[k][KEPT_DIMS - 1]] = all.at[e];
    }
}

#define OUTPUT(i, which)                                                                                               \
    if constexpr (OUT##i##_##which != 0) {                                                                             \
        constexpr int dtype = OUT##i##_##which == 0 ? (int)TESS_U8 : OUT##i##_##which;                                 \
        put<N, dtype, ITEM##i::wide>(p, FIRST_OUT##i + which, index, [&](int e) {                                      \
            return ITEM##i::epilogue<which>(s[e].of##i, p.reduced.n, p.ddof);                                          \
        });                                                                                                            \
    }

/* All outputs of N results, from index on. */
template <int N>
static __device__ void epilogue(const tess__gpu_reduce &p, const states s[N], const int64_t index[KEPT_DIMS])
{
#define OUTPUTS(i) OUTPUT(i, 0) OUTPUT(i, 1)
    EACH_ITEM(OUTPUTS)
}

/* ---- Chunks ---- */

static __device__ void keep_chunk(const tess__gpu_reduce &p, const states &s, int64_t result, int64_t chunk)
{
    ((states *)p.chunk_states)[result * p.result_step + chunk * p.chunk_step] = s;
}

/* Four chunks, `step` apart, merged as two pairs: chunks of equal size are merged fastest. */
static __device__ states four_chunks(const states *chunk, int64_t step)
{
    states all;
#pragma unroll AT_ONCE
    for (int i = 0; i < 4; i += 2) {
        states two = chunk[i * step];
        merge(two, chunk[(i + 1) * step]);
        if (i == 0) all = two;
        else merge(all, two);
    }
    return all;
}

/* Merges the chunks of each result by a team, in a fixed order, and writes the result. */
static __device__ void merge_chunks(const tess__gpu_reduce &p)
{
    const int     team = 1 << p.team, lane = (int)threadIdx.x & (team - 1);
    const int64_t result = (int64_t)blockIdx.x * (THREADS >> p.team) + (threadIdx.x >> p.team);
    states        s;
    clear(s);
    if (result < p.results) {
        const states *chunk = (const states *)p.chunk_states + result * p.result_step;
        int64_t       i = lane;
        for (; i + 3 * team < p.chunks; i += 4 * team)
            merge(s, four_chunks(chunk + i * p.chunk_step, team * p.chunk_step));
        for (; i < p.chunks; i += team) merge(s, chunk[i * p.chunk_step]);
    }
    gather(s, p.team);
    if (lane != 0 || result >= p.results) return;
    int64_t index[KEPT_DIMS];
    locate_result(index, p, (index_type)(result / PACK));
    index[KEPT_DIMS - 1] += result % PACK;
    epilogue<1>(p, &s, index);
}

#endif
