/* Parameters of the reduction kernels: read by the host's C and by the kernels alike. */
#ifndef TESS_CUDA_REDUCE_REDUCE_PARAMS_H
#define TESS_CUDA_REDUCE_REDUCE_PARAMS_H

#include "cuda/jit/division_params.h"

enum { TESS__GPU_AXES = 4, TESS__GPU_RESULTS = 16 };

/* Nested axes, outermost first; strides in elements. */
typedef struct tess__gpu_nest {
    int64_t           n; /* product of the sizes */
    int64_t           size[TESS__GPU_AXES];
    int64_t           in[2][TESS__GPU_AXES];
    tess__gpu_divisor divisor[TESS__GPU_AXES]; /* of size */
} tess__gpu_nest;

typedef struct tess__gpu_reduce {
    tess__gpu_nest kept; /* along the last axis in packs */
    tess__gpu_nest reduced;
    int64_t        number[TESS__GPU_AXES]; /* what a step along a reduced axis adds to the number of an element */
    int64_t        first_number;
    uint64_t       in[2];
    uint64_t       out[TESS__GPU_RESULTS]; /* of item i, output k at [2 * i + k] */
    int64_t        out_stride[TESS__GPU_RESULTS][TESS__GPU_AXES];
    uint64_t       chunk_states;            /* 0: there is one chunk */
    int64_t        results;                 /* how many */
    int64_t        chunks;                  /* of a result */
    int64_t        chunk;                   /* what a chunk has at most: packs of numbers (rows) or numbers (columns) */
    int64_t        result_step, chunk_step; /* between those states */
    int32_t        team;                    /* threads of a result or chunk are 2^team; columns: threads across */
    int32_t        merging;                 /* 1: chunks are merged; the input is not read */
    int32_t        ddof;
    uint8_t        value[2][16]; /* inputs that are one number */
} tess__gpu_reduce;

#endif
