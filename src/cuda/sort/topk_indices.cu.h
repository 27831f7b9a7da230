/* Indices of the top k elements, once the order of these is known. */
#include "cuda/sort/sort_params.h"

enum { THREADS = 256 };

TESS_KERNEL(THREADS, tess__gpu_chosen, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, line = i / p.n;
    if (line < p.lines) ((int64_t *)p.out)[i] = ((const int64_t *)p.chosen)[line * p.n + ((const int64_t *)p.order)[i]];
}
