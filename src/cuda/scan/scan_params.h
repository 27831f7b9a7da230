/* Parameters of the scan kernels: read by the host's C and by the kernels alike. */
#ifndef TESS_CUDA_SCAN_SCAN_PARAMS_H
#define TESS_CUDA_SCAN_SCAN_PARAMS_H

#include "cuda/jit/division_params.h"

enum { TESS__GPU_VECTOR_DIMS = 4 };

/* Steps in which chunks of vectors are worked on. */
enum { TESS__GPU_SCAN_TOTALS, TESS__GPU_SCAN_STARTS, TESS__GPU_SCAN_RESULTS };

/* Operand 0 is the output. Strides in elements. */
typedef struct tess__gpu_scan {
    int64_t           vectors; /* how many, over these nested loops, outermost first */
    int64_t           size[TESS__GPU_VECTOR_DIMS];
    int64_t           stride[2][TESS__GPU_VECTOR_DIMS];
    tess__gpu_divisor divisor[TESS__GPU_VECTOR_DIMS]; /* of size */
    int64_t           n;                              /* elements of a vector */
    int64_t           along[2];
    uint64_t          data[2];
    uint64_t          chunk_states; /* of chunks: their totals, then what comes before them; 0: there is one chunk */
    int64_t           chunks;       /* of a vector */
    int64_t           chunk;        /* elements of a chunk */
    int64_t           vector_step, chunk_step; /* between those states */
    int32_t           team;                    /* rows: threads of a chunk are 2^team */
    int32_t           step;                    /* a TESS__GPU_SCAN_ */
    uint8_t           neutral[16];             /* the first result of an exclusive operation, as stored */
} tess__gpu_scan;

#endif
