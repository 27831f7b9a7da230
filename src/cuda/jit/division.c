/* The reciprocal of an invariant divisor, as Granlund and Montgomery compute it. */
#include "cuda/jit/division.h"

tess__gpu_divisor tess__cuda_divisor(int64_t size)
{
    tess__gpu_divisor by = { 0, 0, 0 };
    if (size >= (int64_t)1 << 31) return by;
    by.size = (uint32_t)size;
    while (((int64_t)1 << by.shift) < size) by.shift++;
    by.multiply = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << by.shift) - (uint64_t)size)) / (uint64_t)size + 1);
    return by;
}
