/* Where element i of a loop over single elements lies.
 *
 * The program defines DIMS (1 to 5) and WIDE (1: 2^31 elements or more). */
#include "cuda/kernels/params.h"

#if WIDE
typedef int64_t walked;
#else
typedef uint32_t walked;
#endif

/* at[k] = the offset of operand k, in units of its strides. */
template <int OPERANDS> static __device__ void locate(int64_t (&at)[OPERANDS], const tess__gpu_loop &p, walked i)
{
#pragma unroll
    for (int k = 0; k < OPERANDS; k++) at[k] = 0;
#pragma unroll
    for (int d = DIMS - 1; d >= 0; d--) {
#if WIDE
        const walked rest = d > 0 ? i / p.shape[d] : 0;
#else
        const walked rest = d > 0 ? (__umulhi(i, p.multiply[d]) + i) >> p.shift[d] : 0;
#endif
        const int64_t index = (int64_t)(i - rest * (walked)p.shape[d]);
        i = rest;
#pragma unroll
        for (int k = 0; k < OPERANDS; k++) at[k] += index * p.stride[k][d];
    }
}
