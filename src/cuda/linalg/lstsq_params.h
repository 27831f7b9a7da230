/* Parameters of the least-squares kernel: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_LINALG_LSTSQ_PARAMS_H
#define TESS_CUDA_LINALG_LSTSQ_PARAMS_H

#include "cuda/jit/grid_params.h"

typedef struct tess__gpu_lstsq {
    int64_t         problems, d; /* d: of the batches {B,D} */
    int64_t         m, n, k;
    tess__gpu_array x, a, b;
    tess__gpu_array values, rank; /* data 0: not wanted */
    double          cond;
    uint64_t        workspace; /* of all blocks */
    int64_t         each;      /* bytes of one */
} tess__gpu_lstsq;

/* Bytes for a problem whose numbers have `size` bytes, in blocks of so many warps. */
static inline int64_t tess__gpu_lstsq_workspace(int64_t m, int64_t n, int64_t k, int64_t size, int64_t warps)
{
    const int64_t p = m < n ? n : m, q = m < n ? m : n;
    return size * (p * q + p * k + (q + k) * q + warps * q) + 8 * 5 * q;
}

#endif
