/* Parameters of the Stockham FFT of columns: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_FFT_COLUMNS_PARAMS_H
#define TESS_CUDA_FFT_COLUMNS_PARAMS_H

#include <stdint.h>

typedef struct tess__gpu_fft_columns {
    uint64_t out, in;
    int64_t  columns, groups;     /* of a batch: columns, which are neighbours, and blocks that take them */
    int64_t  out_row, in_row;     /* elements from one element of a column to the next */
    int64_t  out_batch, in_batch; /* elements from one batch to the next */
    uint64_t multipliers;         /* real numbers, of the neighbouring columns of a batch, */
    int64_t  multiplier_row;      /* and how many from those of one row to the next; FILTERED alone */
    double   scale;
} tess__gpu_fft_columns;

#endif
