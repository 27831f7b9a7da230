/* Parameters of the search for an invalid element: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_INDEX_FIRST_INVALID_PARAMS_H
#define TESS_CUDA_INDEX_FIRST_INVALID_PARAMS_H

#include "cuda/jit/grid_params.h"

/* What is searched for; macros, as the preprocessor compares them too. */
#define TESS__GPU_NO_MEAN 0 /* of Poisson numbers: not 0 to 2^53 */
#define TESS__GPU_NOT_FINITE 1

typedef struct tess__gpu_find {
    tess__gpu_grid  grid;
    tess__gpu_array in;
    uint64_t        first; /* the number of the first one is put here, if it is below what is there; u64 */
} tess__gpu_find;

#endif
