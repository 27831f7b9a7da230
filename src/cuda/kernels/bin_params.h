/* Sums and means of blocks: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_KERNELS_BIN_PARAMS_H
#define TESS_CUDA_KERNELS_BIN_PARAMS_H

#include "cuda/kernels/grid_params.h"

enum { TESS__GPU_BIN_RUN = 2048 /* elements of a row that are added up at a time */ };

/* What a kernel does; asked by the preprocessor too. */
#define TESS__GPU_BIN_AT_ONCE 0 /* results from the input */
#define TESS__GPU_BIN_RUNS 1    /* sums of runs from the input */
#define TESS__GPU_BIN_FINISH 2  /* results from sums of runs */

typedef struct tess__gpu_bin {
    tess__gpu_grid  grid; /* results */
    tess__gpu_array out, in;
    int64_t         factor[4], n_in[4];
    int64_t         runs, runs_of_row; /* of a complete block */
    uint64_t        sums;              /* of runs: for each result `runs` of them, for each run one or two */
    int32_t         together;          /* the neighbours of a row of a block can be loaded as one */
} tess__gpu_bin;

#endif
