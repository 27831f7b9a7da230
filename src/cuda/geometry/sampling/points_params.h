/* Parameters of the kernels of points: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_GEOMETRY_SAMPLING_POINTS_PARAMS_H
#define TESS_CUDA_GEOMETRY_SAMPLING_POINTS_PARAMS_H

#include "cuda/jit/division_params.h"
#include "cuda/jit/grid_params.h"

enum { TESS__GPU_POINTS_THREADS = 256 };

/* One thread for each point: blocks along a row of points, then rows, then batches. */
typedef struct tess__gpu_points {
    tess__gpu_array   values, image;   /* one for each point; what is sampled or added to */
    uint64_t          points;          /* f32 or f64 */
    int64_t           point_stride[4]; /* batch, row, point, number; in elements */
    int64_t           shape[3];        /* of an image, along d, h and w */
    int64_t           width;           /* points of a row */
    tess__gpu_divisor blocks, rows, h; /* blocks of a row; rows of a batch; rows of the values along h */
    double            outside[2];
    int32_t           border, cut;
} tess__gpu_points;

#endif
