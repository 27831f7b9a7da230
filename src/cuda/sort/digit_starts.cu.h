/* Exclusive prefix sum of digit histograms, in index: one block for the 256 counts of each vector and pass.
 *
 * The program defines WIDE (1: counts of 64 bits). */
#include "cuda/sort/sort_params.h"

enum { THREADS = 256 };

#if WIDE
typedef uint64_t number;
#else
typedef uint32_t number;
#endif

__shared__ number sums[THREADS / 32];

TESS_KERNEL(THREADS, tess__gpu_counts, p)
{
    number *const  counts = (number *)p.counts + (int64_t)blockIdx.x * THREADS;
    const number   own = counts[threadIdx.x];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    number         upto = own;
    for (unsigned far = 1; far < 32; far *= 2) {
        const number other = __shfl_up_sync(0xffffffffu, upto, far);
        if (lane >= far) upto += other;
    }
    if (lane == 31) sums[warp] = upto;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) upto += sums[w];
    counts[threadIdx.x] = upto - own;
}
