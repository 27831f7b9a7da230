/* Merging partial histograms: the tables of chunks are added in the order of chunks, one thread for each bin. */
#include "cuda/index/histogram_params.h"

enum { THREADS = 256 };

TESS_KERNEL(THREADS, tess__gpu_tables, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, result = i / p.bins, bin = i - result * p.bins;
    if (result >= p.results) return;
    const double *table = (const double *)p.tables + result * p.chunks * p.bins + bin;
    double        sum = p.more ? ((const double *)p.out)[i] : 0;
    for (int64_t chunk = 0; chunk < p.chunks; chunk++) sum += table[chunk * p.bins];
    ((double *)p.out)[i] = sum;
}
