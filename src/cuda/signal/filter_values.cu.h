/* Constants of a spectrum filter from the parameters of each batch: a thread for each batch. The program defines
 * KIND. */
#include "cuda/signal/spectrum_filter_params.h"

enum { THREADS = 128 };

TESS_KERNEL(THREADS, tess__gpu_filter_values, p)
{
    const int64_t b = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (b >= p.n) return;
    const double     *from = (const double *)p.parameters + b * p.stride_b;
    double            columns[TESS__FILTER_MAX_COLUMNS];
    tess__filter_spec spec = p.spec;
    spec.kind = KIND;
    for (int k = 0; k < TESS__FILTER_MAX_COLUMNS; k++) columns[k] = p.shared[k];
    for (int k = 0; k < p.columns; k++) columns[p.column_of[k]] = from[k * p.stride_w];
    tess__filter_values_of((tess__filter_values *)p.values + b, &spec, columns);
}
