/* Parameters of the transform kernel: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_GEOMETRY_TRANSFORM_PARAMS_H
#define TESS_CUDA_GEOMETRY_TRANSFORM_PARAMS_H

#include "cuda/jit/grid_params.h"

enum {
    TESS__GPU_TRANSFORM_WIDTH = 32, /* results of a tile, */
    TESS__GPU_TRANSFORM_HEIGHT = 8, /* times those of a thread */
    TESS__GPU_TRANSFORM_THREADS = 256
};

/* Rows of results of a thread: fewer, where each has many taps. */
#define TESS__GPU_TRANSFORM_ROWS(taps) ((taps) > 16 ? 1 : (taps) > 4 ? 2 : 4)

typedef struct tess__gpu_transform {
    tess__gpu_array out, in;
    int64_t         n[4], shape[3]; /* of the output; of the input along d, h, w */
    int64_t         tiles[2];       /* along h and w */
    uint64_t        matrices;
    int64_t         matrix_step; /* numbers from one to the next; 0: there is one */
    double          from[3], to[3], outside[2];
    int32_t         border;
} tess__gpu_transform;

#endif
