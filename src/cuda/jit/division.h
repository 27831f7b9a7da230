/* Divisors for kernels: the reciprocal by which they divide an index. */
#ifndef TESS_CUDA_JIT_DIVISION_H
#define TESS_CUDA_JIT_DIVISION_H

#include "cuda/jit/division_params.h"

/* Of a size of 2^31 or more, for which kernels divide otherwise, all numbers are 0. */
tess__gpu_divisor tess__cuda_divisor(int64_t size);

#endif
