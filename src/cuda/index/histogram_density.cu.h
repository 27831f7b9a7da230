/* Histogram normalised to a density: each bin is divided by the sum of all bins and by its own width; one block for
 * each result. */
#include "cuda/index/histogram_params.h"

enum { THREADS = 256 };

__shared__ double sums[THREADS];

static __device__ double value_at(const tess__gpu_tables &p, int64_t i)
{
    return p.counts ? (double)((const int64_t *)p.tables)[i] : ((const double *)p.tables)[i];
}

TESS_KERNEL(THREADS, tess__gpu_tables, p)
{
    const double *const edges = (const double *)p.edges;
    for (int64_t result = blockIdx.x; result < p.results; result += gridDim.x) {
        double sum = 0;
        for (int64_t bin = threadIdx.x; bin < p.bins; bin += THREADS) sum += value_at(p, result * p.bins + bin);
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (unsigned half = THREADS / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
            __syncthreads();
        }
        sum = sums[0];
        for (int64_t bin = threadIdx.x; bin < p.bins; bin += THREADS) {
            const double x = value_at(p, result * p.bins + bin), far = edges[bin + 1] - edges[bin];
            const double width = p.single ? (double)(float)far : far; /* 0, where two edges are one number */
            ((double *)p.out)[result * p.bins + bin] = width > 0 || x != 0 ? x / width / sum : 0 / sum;
        }
        __syncthreads();
    }
}
