/* Parameters of the kernels of masks, prefix sums and unique elements: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_INDEX_MASK_PARAMS_H
#define TESS_CUDA_INDEX_MASK_PARAMS_H

#include "cuda/jit/loop_params.h"

enum { TESS__GPU_MASK_COUNT, TESS__GPU_MASK_COMPRESS, TESS__GPU_MASK_PLACE };

/* Elements of a block of threads, as in backend.h. */
enum { TESS__GPU_MASK_BLOCK = 8192 };

typedef struct tess__gpu_mask {
    tess__gpu_loop loop;    /* operands: array, in units of its elements, mask; in b, d, h, w order */
    int64_t        units;   /* of an element */
    uint64_t       starts;  /* of each block among the chosen; TESS__GPU_MASK_COUNT: how many each has */
    uint64_t       values;  /* contiguous; 0: not wanted, or, to be placed, `value` for all */
    uint64_t       indices; /* 0: not wanted */
    uint8_t        value[128];
} tess__gpu_mask;

/* Exclusive prefix sum of counts, in place; the total after them. */
typedef struct tess__gpu_add_up {
    int64_t  n;
    uint64_t counts;
} tess__gpu_add_up;

/* Unique elements: sorted keys, in blocks of TESS__GPU_MASK_BLOCK, and the outputs for those that differ from the one
 * before. */
typedef struct tess__gpu_unique {
    int64_t  n, n_unique;
    uint64_t keys, order;
    uint64_t starts;                           /* of each block among the different ones, or counts of each */
    uint64_t firsts;                           /* where each unique one begins; n after the last */
    uint64_t values, counts, indices, inverse; /* 0: not wanted */
    uint64_t flip;                             /* of integers: bits that differ between a number and its key */
} tess__gpu_unique;

#endif
