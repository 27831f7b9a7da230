/* Parameters of the kernels of spectrum filters: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_SIGNAL_SPECTRUM_FILTER_PARAMS_H
#define TESS_CUDA_SIGNAL_SPECTRUM_FILTER_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/spectrum_filter.op.h"

enum {
    TESS__GPU_FILTER_THREADS = 128,
    TESS__GPU_FILTER_ROWS = 16,  /* of a block, at most */
    TESS__GPU_FILTER_BATCHES = 4 /* of a thread, where multipliers are the same in all */
};

typedef struct tess__gpu_spectrum_filter {
    tess__gpu_grid      rows; /* groups of batches, depth, height, 1 */
    tess__gpu_array     out, in, table, factors[4];
    tess__filter_axis   axis[4];
    tess__filter_spec   spec;
    tess__filter_values shared; /* the constants of all batches, */
    uint64_t            values; /* or those of `n_values` batches; 0: the former */
    int64_t             n_values;
    int64_t             width, batches; /* of the output */
    int64_t             all_batches;    /* DOSE: those that parameters are of */
    int64_t             chunk, chunks;  /* columns of a block, and blocks to the width */
    int32_t             threads;        /* to a row: at least THREADS / ROWS */
    int32_t             group;          /* rows of a block, at most ROWS */
} tess__gpu_spectrum_filter;

typedef struct tess__gpu_filter_values {
    uint64_t          values, parameters;
    int64_t           n, columns, stride_b, stride_w;
    tess__filter_spec spec;
    double            shared[TESS__FILTER_MAX_COLUMNS];
    int32_t           column_of[TESS__FILTER_MAX_COLUMNS];
} tess__gpu_filter_values;

#endif
