/* Element-wise work: element i of the output from elements i of the inputs, in packs of elements that lie together.
 *
 * The program defines: PACK, ROUNDS (packs of a thread), DIMS (of the loop over packs, 1 to 5), WIDE (1: more than 2^31
 * packs), INPUTS (0 to 3), OUT_TYPE, IN1_TYPE, … (stored types), STILL (bits: operands whose pack is one element),
 * GIVEN (bits: operands that are params.value), and COMPUTE(out, x, y, z), which sets `out` from stored elements. */
#include "cuda/kernels/params.h"

enum { THREADS = 256 };

template <class T, int N> struct alignas(sizeof(T) * N <= 16 ? sizeof(T) * N : 16) pack {
    T at[N];
};

#if WIDE
typedef int64_t place;
#else
typedef uint32_t place;
#endif

/* Where pack i of each operand begins, in elements. */
static __device__ void locate(int64_t at[INPUTS + 1], const tess__gpu_loop &p, place i)
{
#pragma unroll
    for (int k = 0; k <= INPUTS; k++) at[k] = 0;
#pragma unroll
    for (int d = DIMS - 1; d > 0; d--) {
#if WIDE
        const place rest = i / p.shape[d];
#else
        const place rest = (__umulhi(i, p.multiply[d]) + i) >> p.shift[d];
#endif
        const int64_t index = (int64_t)(i - rest * (place)p.shape[d]);
        i = rest;
#pragma unroll
        for (int k = 0; k <= INPUTS; k++) at[k] += index * p.stride[k][d];
    }
#pragma unroll
    for (int k = 0; k <= INPUTS; k++) at[k] += (int64_t)i * p.stride[k][0];
}

template <class T, int K> static __device__ pack<T, PACK> load(const tess__gpu_loop &p, int64_t at)
{
    pack<T, PACK> all;
    if constexpr ((GIVEN >> K) & 1) {
        T value;
        memcpy(&value, p.value[K], sizeof value);
#pragma unroll
        for (int e = 0; e < PACK; e++) all.at[e] = value;
    } else if constexpr ((STILL >> K) & 1) {
        const T value = ((const T *)p.data[K])[at];
#pragma unroll
        for (int e = 0; e < PACK; e++) all.at[e] = value;
    } else {
        all = *(const pack<T, PACK> *)((const T *)p.data[K] + at);
    }
    return all;
}

#if INPUTS < 1
#define IN1_TYPE uint8_t
#endif
#if INPUTS < 2
#define IN2_TYPE uint8_t
#endif
#if INPUTS < 3
#define IN3_TYPE uint8_t
#endif

TESS_KERNEL(THREADS, tess__gpu_loop, p)
{
    int64_t              at[ROUNDS][INPUTS + 1];
    pack<IN1_TYPE, PACK> x[ROUNDS];
    pack<IN2_TYPE, PACK> y[ROUNDS];
    pack<IN3_TYPE, PACK> z[ROUNDS];
    const int64_t        first = (int64_t)blockIdx.x * (THREADS * ROUNDS) + threadIdx.x;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int64_t i = first + r * THREADS;
        if (i >= p.n) break;
        locate(at[r], p, (place)i);
        if constexpr (INPUTS >= 1) x[r] = load<IN1_TYPE, 1>(p, at[r][INPUTS >= 1 ? 1 : 0]);
        if constexpr (INPUTS >= 2) y[r] = load<IN2_TYPE, 2>(p, at[r][INPUTS >= 2 ? 2 : 0]);
        if constexpr (INPUTS >= 3) z[r] = load<IN3_TYPE, 3>(p, at[r][INPUTS >= 3 ? 3 : 0]);
    }
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        if (first + r * THREADS >= p.n) break;
        pack<OUT_TYPE, PACK> out;
#pragma unroll
        for (int e = 0; e < PACK; e++) COMPUTE(out.at[e], x[r].at[e], y[r].at[e], z[r].at[e]);
        *(pack<OUT_TYPE, PACK> *)((OUT_TYPE *)p.data[0] + at[r][0]) = out;
    }
}
