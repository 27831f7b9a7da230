/* Edges of histogram bins of equal widths. */
#include "cuda/index/histogram_params.h"
#include "formulas/histogram.op.h"

enum { THREADS = 256 };

TESS_KERNEL(THREADS, tess__gpu_edges, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i <= p.n) ((double *)p.edges)[i] = tess__edge(i, p.n, p.low, p.high, p.dtype);
}
