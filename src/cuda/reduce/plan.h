/* Plan of a reduction on a GPU: kept and reduced axes in the order of memory, and threads for each.
 *
 * Sizes, strides and dtypes alone decide, never the device: results are the same on every one. */
#ifndef TESS_CUDA_REDUCE_PLAN_H
#define TESS_CUDA_REDUCE_PLAN_H

#include "backend.h"
#include "cuda/reduce/reduce_params.h"

enum { TESS__CUDA_REDUCE_THREADS = 256 };

/* What of a plan is compiled into its kernel. */
typedef struct tess__cuda_reduce_shape {
    uint8_t columns; /* 1: cuda/reduce/columns.cu.h; else rows.cu.h */
    uint8_t kept_dims, reduced_dims;
    uint8_t wide;     /* 2^31 results or numbers, or more */
    uint8_t pack;     /* results side by side of a thread */
    uint8_t packed;   /* outputs of a pack are written at once */
    uint8_t group;    /* rows: numbers that are read together */
    uint8_t within;   /* rows: groups lie within runs of the innermost axis */
    uint8_t bytes[2]; /* of the loads that read packs or groups of each input; 0: element by element */
} tess__cuda_reduce_shape;

typedef struct tess__cuda_reduce_plan {
    tess__gpu_reduce        p; /* but for data on the device that are not arrays' */
    tess__cuda_reduce_shape shape;
    int64_t                 blocks;
    int64_t                 merge_blocks; /* not 0: a second launch, with these teams, merges chunks */
    int32_t                 merge_team;
} tess__cuda_reduce_plan;

/* `slots`: of the states of all items; `numbered`: an item needs elements' numbers. */
void tess__cuda_plan_reduction(tess__cuda_reduce_plan *plan, const tess__reduce *work, int slots, bool numbered);

#endif
