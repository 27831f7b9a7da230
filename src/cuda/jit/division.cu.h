/* Division by an invariant integer in kernels: what cuda/jit/division.c prepares on the host. */
#ifndef TESS_CUDA_JIT_DIVISION_CU_H
#define TESS_CUDA_JIT_DIVISION_CU_H

#include "cuda/jit/division_params.h"

/* x / by.size, for x below 2^31. */
static __device__ uint32_t quotient_of(uint32_t x, const tess__gpu_divisor &by)
{
    return (__umulhi(x, by.multiply) + x) >> by.shift;
}

#endif
