/* Parameters of the binary search kernel: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_INDEX_SEARCH_PARAMS_H
#define TESS_CUDA_INDEX_SEARCH_PARAMS_H

#include "cuda/jit/loop_params.h"

typedef struct tess__gpu_search {
    tess__gpu_loop loop;  /* operands: indices, values, first elements of rows */
    int64_t        n;     /* elements of a row */
    int32_t        right; /* after equal elements */
} tess__gpu_search;

#endif
