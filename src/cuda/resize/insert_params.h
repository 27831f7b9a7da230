/* Parameters of the insertion kernels: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_RESIZE_INSERT_PARAMS_H
#define TESS_CUDA_RESIZE_INSERT_PARAMS_H

#include "cuda/resize/window_params.h"

enum {
    TESS__GPU_INSERT_THREADS = 256,
    TESS__GPU_INSERT_LOOK = 64 * TESS__GPU_INSERT_THREADS /* checked at a time */
};

/* Axes are in the order of the output's strides; strides are in elements. */
typedef struct tess__gpu_insert {
    tess__gpu_grid    tiles;
    int64_t           tile[4]; /* elements of a tile along each axis, powers of 2; 1 along the first two */
    int32_t           across;  /* the logarithm of the last one */
    int64_t           size[4], region[4];
    int32_t           name[4]; /* 0 to 3 for b, d, h, w */
    int32_t           batch;   /* the axis that is b */
    tess__gpu_origins origins;
    int64_t           first, end;            /* sub-regions first..end-1 */
    int64_t           in_next, weights_next; /* from a sub-region to the next */
    tess__gpu_array   out, in, weights, sums;

    /* Slices of the output along each axis, and for each of them a bit for each of these sub-regions: it reaches the
     * slice. Without marks all are checked. */
    uint64_t marks;          /* address */
    int64_t  words;          /* of 64 bits, of a slice */
    int64_t  slices;         /* of all axes */
    int64_t  first_slice[4]; /* of an axis; -1 where there is but one, which has no marks */
    int32_t  slice_shift[4]; /* the logarithm of its elements along the axis */
} tess__gpu_insert;

#endif
