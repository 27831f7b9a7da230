/* Exclusive prefix sum of counts, in place, with the total after the last: one block goes through all of them. */
#include "cuda/index/mask_params.h"

enum { THREADS = 1024, WARPS = THREADS / 32 };

__shared__ int64_t sums[WARPS];

TESS_KERNEL(THREADS, tess__gpu_add_up, p)
{
    int64_t *const counts = (int64_t *)p.counts;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int64_t        before = 0;
    for (int64_t first = 0; first < p.n; first += THREADS) {
        const int64_t i = first + threadIdx.x, own = i < p.n ? counts[i] : 0;
        int64_t       upto = own, all = 0;
        for (unsigned far = 1; far < 32; far *= 2) {
            const int64_t other = __shfl_up_sync(0xffffffffu, upto, far);
            if (lane >= far) upto += other;
        }
        if (lane == 31) sums[warp] = upto;
        __syncthreads();
        for (unsigned w = 0; w < WARPS; w++) {
            if (w == warp) upto += all;
            all += sums[w];
        }
        if (i < p.n) counts[i] = before + upto - own;
        before += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) counts[p.n] = before;
}
