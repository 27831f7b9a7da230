/* Division by an invariant integer (Granlund and Montgomery): a multiplication by a reciprocal that the host
 * computes, and a shift. */
#ifndef TESS_CUDA_JIT_DIVISION_H
#define TESS_CUDA_JIT_DIVISION_H

#include <stdint.h>

/* x / n = (mulhi(x, multiply) + x) >> shift for all x below 2^31. */
static inline void tess__cuda_division(uint32_t *multiply, uint32_t *shift, int64_t n)
{
    *multiply = *shift = 0;
    if (n >= (int64_t)1 << 31) return;
    while (((int64_t)1 << *shift) < n) ++*shift;
    *multiply = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << *shift) - (uint64_t)n)) / (uint64_t)n + 1);
}

#endif
