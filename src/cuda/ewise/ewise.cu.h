/* Element-wise kernel: element i of the output from elements i of the inputs, in packs of contiguous elements.
 *
 * The program defines what cuda/jit/loop.cu.h asks for and THREADS (of a block), ROUNDS (packs of a thread), EDGES (1:
 * a row has elements before and behind its packs), INPUTS (0 to 3), OUT_TYPE, IN1_TYPE, … (stored types), STILL
 * (bits: operands whose pack is one element), SCALARS (bits: operands that are params.value), and COMPUTE(out, x, y,
 * z), which sets `out` from stored elements. */
#include "cuda/ewise/inputs.cu.h"
#include "cuda/jit/loop.cu.h"

template <class T, int N> struct packing {
    enum { align = ALIGNED ? (sizeof(T) * N <= 16 ? sizeof(T) * N : 16) : alignof(T) };
    typedef pack<T, N, align> type;
};

template <class T, int K> static __device__ T number(const tess__gpu_loop &p)
{
    T value;
    memcpy(&value, p.value[K], sizeof value);
    return value;
}

template <class T, int K> static __device__ typename packing<T, PACK>::type load(const tess__gpu_loop &p, int64_t at)
{
    typename packing<T, PACK>::type all;
    if constexpr ((SCALARS >> K) & 1) {
#pragma unroll
        for (int e = 0; e < PACK; e++) all.at[e] = number<T, K>(p);
    } else if constexpr ((STILL >> K) & 1) {
        const T value = ((const T *)p.data[K])[at];
#pragma unroll
        for (int e = 0; e < PACK; e++) all.at[e] = value;
    } else {
        all = *(const typename packing<T, PACK>::type *)((const T *)p.data[K] + at);
    }
    return all;
}

#if EDGES
/* One element, e elements after the first pack of the row. */
template <class T, int K> static __device__ T load_one(const tess__gpu_loop &p, int64_t e)
{
    if constexpr ((SCALARS >> K) & 1) return number<T, K>(p);
    else return ((const T *)p.data[K])[p.stride[K][0] ? e : 0];
}

static __device__ void compute_edges(const tess__gpu_loop &p)
{
    const uint32_t i = threadIdx.x;
    if (blockIdx.x > 0 || i >= p.head + p.tail) return;
    const int64_t e = i < p.head ? (int64_t)i - p.head : p.n * PACK + (i - p.head);
    IN1_TYPE      x;
    IN2_TYPE      y;
    IN3_TYPE      z;
    OUT_TYPE      out;
    if constexpr (INPUTS >= 1) x = load_one<IN1_TYPE, 1>(p, e);
    if constexpr (INPUTS >= 2) y = load_one<IN2_TYPE, 2>(p, e);
    if constexpr (INPUTS >= 3) z = load_one<IN3_TYPE, 3>(p, e);
    COMPUTE(out, x, y, z);
    ((OUT_TYPE *)p.data[0])[e] = out;
}
#endif

TESS_KERNEL(THREADS, tess__gpu_loop, p)
{
    int64_t                       at[ROUNDS][INPUTS + 1];
    packing<IN1_TYPE, PACK>::type x[ROUNDS];
    packing<IN2_TYPE, PACK>::type y[ROUNDS];
    packing<IN3_TYPE, PACK>::type z[ROUNDS];
    const int64_t                 first = (int64_t)blockIdx.x * (THREADS * ROUNDS) + threadIdx.x;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int64_t i = first + r * THREADS;
        if (i >= p.n) break;
        locate<INPUTS + 1>(at[r], p, (index_type)i);
        if constexpr (INPUTS >= 1) x[r] = load<IN1_TYPE, 1>(p, at[r][INPUTS >= 1 ? 1 : 0]);
        if constexpr (INPUTS >= 2) y[r] = load<IN2_TYPE, 2>(p, at[r][INPUTS >= 2 ? 2 : 0]);
        if constexpr (INPUTS >= 3) z[r] = load<IN3_TYPE, 3>(p, at[r][INPUTS >= 3 ? 3 : 0]);
    }
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        if (first + r * THREADS >= p.n) break;
        packing<OUT_TYPE, PACK>::type out;
#pragma unroll
        for (int e = 0; e < PACK; e++) COMPUTE(out.at[e], x[r].at[e], y[r].at[e], z[r].at[e]);
        *(packing<OUT_TYPE, PACK>::type *)((OUT_TYPE *)p.data[0] + at[r][0]) = out;
    }
#if EDGES
    compute_edges(p);
#endif
}
