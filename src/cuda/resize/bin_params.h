/* Parameters of the binning kernels: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_RESIZE_BIN_PARAMS_H
#define TESS_CUDA_RESIZE_BIN_PARAMS_H

#include "cuda/jit/grid_params.h"

enum { TESS__GPU_BIN_RUN = 2048 /* elements of a row that are added up at a time */ };

/* What a kernel does; macros, as the preprocessor compares them too. */
#define TESS__GPU_BIN_AT_ONCE 0  /* results from the input */
#define TESS__GPU_BIN_RUNS 1     /* sums of runs from the input */
#define TESS__GPU_BIN_EPILOGUE 2 /* results from sums of runs */

/* Rows of results of a thread, if for each it reads so many bytes at a time: enough, and not more than it has registers
 * for. */
#define TESS__GPU_BIN_ROWS(bytes) ((bytes) <= 32 ? 4 : (bytes) <= 64 ? 2 : 1)

typedef struct tess__gpu_bin {
    tess__gpu_grid  grid; /* results, or packs of them */
    tess__gpu_array out, in;
    int64_t         factor[4], n_in[4];
    int64_t         runs, runs_of_row;     /* of a complete block */
    uint64_t        sums;                  /* of runs: for each result `runs` of them, for each run one or two */
    int32_t         together;              /* the neighbours of a row of a block can be loaded as one */
    int32_t         out_together;          /* and the results of a row of a pack be stored as one */
    int64_t         quads;                 /* sums of two rows of two f32 numbers are f32 where those are finite */
    int64_t         n_out[4], complete[4]; /* results along each axis, and those of complete blocks */
    double          n_block;               /* elements of a complete block */
    double          inverse;               /* 1 / n_block if that is a power of 2, or 0 */
} tess__gpu_bin;

#endif
