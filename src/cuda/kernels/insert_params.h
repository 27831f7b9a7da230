/* Sub-regions put into an array: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_KERNELS_INSERT_PARAMS_H
#define TESS_CUDA_KERNELS_INSERT_PARAMS_H

#include "cuda/kernels/window_params.h"

/* Axes are in the order of the output's strides; strides are in elements. */
typedef struct tess__gpu_insert {
    tess__gpu_grid    tiles;
    int64_t           tile[4]; /* elements of a tile along each axis; 1 along the first two */
    int64_t           size[4], region[4];
    int32_t           name[4]; /* 0 to 3 for b, d, h, w */
    int32_t           batch;   /* the axis that is b */
    tess__gpu_origins origins;
    int64_t           n;                     /* sub-regions */
    int64_t           in_next, weights_next; /* from a sub-region to the next */
    tess__gpu_array   out, in, weights, sums;
} tess__gpu_insert;

#endif
