/* Indices of the top k elements, once the order of these is known. */
#include "cuda/sort/sort_params.h"

enum { THREADS = 256 };

TESS_KERNEL(THREADS, tess__gpu_chosen, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, vector = i / p.n;
    if (vector < p.vectors)
        ((int64_t *)p.out)[i] = ((const int64_t *)p.chosen)[vector * p.n + ((const int64_t *)p.order)[i]];
}
