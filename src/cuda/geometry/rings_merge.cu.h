/* Merging the tables of chunks: one thread for each sum of a batch, which adds those of its chunks in their order. */
#include "cuda/geometry/rings_params.h"

enum { THREADS = 256, LANES = TESS__RINGS_LANES };

TESS_KERNEL(THREADS, tess__gpu_rings, p)
{
    const int64_t per_batch = p.grid.rings * p.sums, size = (p.grid.rings + 2) * p.sums;
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, b = i / per_batch;
    if (b >= p.batches) return;
    int64_t first = b * p.grid.chunks - p.first, end = first + p.grid.chunks;
    double  all = ((const double *)p.out)[i];
    if (first < 0) first = 0;
    if (end > p.n) end = p.n;
    for (int64_t chunk = first; chunk < end; chunk++) {
        const double *table = (const double *)p.tables + chunk * LANES * size + p.sums + (i - b * per_batch);
        double        sum = table[0];
        for (int k = 1; k < LANES; k++) sum += table[k * size];
        all += sum;
    }
    ((double *)p.out)[i] = all;
}
