/* Strided loops: from the linear index of a pack to the offsets of its elements, and packs of contiguous elements.
 *
 * The program defines DIMS (of the loop over packs, 1 to 5), WIDE (1: more than 2^31 packs), PACK (elements) and
 * ALIGNED (1: packs, or single elements, begin at multiples of their size). */
#include "cuda/jit/division.cu.h"
#include "cuda/jit/loop_params.h"

#if WIDE
typedef int64_t index_type;
#else
typedef uint32_t index_type;
#endif

/* Where pack i of operands 0 to N-1 begins, in elements. */
template <int N> static __device__ void locate(int64_t at[N], const tess__gpu_loop &p, index_type i)
{
#pragma unroll
    for (int k = 0; k < N; k++) at[k] = 0;
#pragma unroll
    for (int d = DIMS - 1; d > 0; d--) {
#if WIDE
        const index_type quotient = i / p.shape[d];
#else
        const index_type quotient = quotient_of(i, p.divisor[d]);
#endif
        const int64_t index = (int64_t)(i - quotient * (index_type)p.shape[d]);
        i = quotient;
#pragma unroll
        for (int k = 0; k < N; k++) at[k] += index * p.stride[k][d];
    }
#pragma unroll
    for (int k = 0; k < N; k++) at[k] += (int64_t)i * p.stride[k][0];
}

/* N elements that lie together, moved at once where they are ALIGN bytes at multiples of that. */
template <class T, int N, int ALIGN> struct alignas(ALIGN) pack {
    T at[N];
};
