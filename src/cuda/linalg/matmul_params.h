/* Parameters of the integer matrix product: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_LINALG_MATMUL_PARAMS_H
#define TESS_CUDA_LINALG_MATMUL_PARAMS_H

#include <stdint.h>

typedef struct tess__gpu_matrix {
    uint64_t data;
    int64_t  stride[4];
} tess__gpu_matrix;

typedef struct tess__gpu_matmul {
    int64_t          m, n, k, d;         /* d: of the batches */
    int64_t          across, tiles, all; /* tiles: side by side, of a batch, of all batches */
    int64_t          alpha, beta;
    tess__gpu_matrix out, a, b;
} tess__gpu_matmul;

#endif
