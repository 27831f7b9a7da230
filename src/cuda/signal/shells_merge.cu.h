/* Merging the sums of chunks: one thread for each sum of a batch, which adds those of its chunks in their order. */
#include "cuda/signal/shells_params.h"

enum { THREADS = 256 };

TESS_KERNEL(THREADS, tess__gpu_shells, p)
{
    const int64_t shells = p.grid.shells, per_cone = shells * p.sums, per_batch = p.cones * per_cone;
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, b = i / per_batch;
    if (b >= p.batches) return;
    const int64_t in_batch = i - b * per_batch, cone = in_batch / per_cone, in_cone = in_batch - cone * per_cone;
    const bool    is_last = in_cone >= per_cone - p.sums;
    int64_t       first = b * p.grid.chunks - p.first, end = first + p.grid.chunks;
    double        sum = ((const double *)p.out)[i];
    if (first < 0) first = 0;
    if (end > p.n) end = p.n;
    for (int64_t chunk = first; chunk < end; chunk++) {
        const double *table = (const double *)p.tables + (chunk * p.cones + cone) * (shells + 1) * p.sums + in_cone;
        sum += is_last ? table[0] + table[p.sums] : table[0];
    }
    ((double *)p.out)[i] = sum;
}
