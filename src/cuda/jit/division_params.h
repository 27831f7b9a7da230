/* Division by an invariant integer (Granlund and Montgomery): a multiplication by a reciprocal that the host
 * computes, and a shift. Read by the host's C and by the kernels alike. */
#ifndef TESS_CUDA_JIT_DIVISION_PARAMS_H
#define TESS_CUDA_JIT_DIVISION_PARAMS_H

#include <stdint.h>

/* x / size = (mulhi(x, multiply) + x) >> shift for all x below 2^31. */
typedef struct tess__gpu_divisor {
    uint32_t size, multiply, shift;
} tess__gpu_divisor;

#endif
