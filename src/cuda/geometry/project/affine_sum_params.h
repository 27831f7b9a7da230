/* Parameters of the kernels of sums at positions of affine maps, and of footprints: read by the host's C and by the
 * kernels. */
#ifndef TESS_CUDA_GEOMETRY_PROJECT_AFFINE_SUM_PARAMS_H
#define TESS_CUDA_GEOMETRY_PROJECT_AFFINE_SUM_PARAMS_H

#include "cuda/jit/grid_params.h"

enum {
    TESS__GPU_SUM_WIDTH = 32, /* results of a tile: one a thread */
    TESS__GPU_SUM_HEIGHT = 8,
    TESS__GPU_SUM_THREADS = TESS__GPU_SUM_WIDTH * TESS__GPU_SUM_HEIGHT
};

typedef struct tess__gpu_affine_sum {
    tess__gpu_array out, in;
    int64_t         n[4], shape[3]; /* of the output; of the input along d, h, w */
    int64_t         tiles[2];       /* along h and w */
    uint64_t        maps, rays;
    int64_t         map_step;         /* maps from one batch to the next; 0: all have the same */
    int64_t         terms, term_step; /* elements from the input of one term to that of the next */
    int64_t         first, count;
    double          divisor, outside[2], volume[3];
    int32_t         border, add;
} tess__gpu_affine_sum;

typedef struct tess__gpu_footprint {
    tess__gpu_array out, in;
    int64_t         n[4], shape[3];
    int64_t         tiles[2];
    uint64_t        maps;
    int32_t         add;
} tess__gpu_footprint;

#endif
