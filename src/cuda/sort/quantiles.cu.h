/* Quantiles of long vectors with sorted keys, one for each thread.
 *
 * The program defines KEY_SIZE, KEY_KIND and MODE (TESS__GPU_QUANTILES). */
#include "cuda/sort/keys.cu.h"
#include "cuda/sort/vector_quantiles.cu.h"

enum { THREADS = 128 };

TESS_KERNEL(THREADS, tess__gpu_vectors, p)
{
    const int64_t n = p.quantiles.n, item = (int64_t)blockIdx.x * THREADS + threadIdx.x, vector = item / n;
    if (vector < p.vectors)
        vector_quantiles((const key *)p.in + vector * p.n, p.n, vector, p.quantiles, item - vector * n, n, p.order);
}
