/* Parameters of 4-D grids and strided arrays: read by the host's C and by kernels. */
#ifndef TESS_CUDA_JIT_GRID_PARAMS_H
#define TESS_CUDA_JIT_GRID_PARAMS_H

#include "cuda/jit/division_params.h"

/* Outermost first; no size is 0. */
typedef struct tess__gpu_grid {
    int64_t           n; /* positions */
    int64_t           size[4];
    tess__gpu_divisor divisor[4]; /* of size */
} tess__gpu_grid;

/* A strided array. */
typedef struct tess__gpu_array {
    uint64_t data;
    int64_t  stride[4]; /* in elements */
} tess__gpu_array;

#endif
