/* Parameters of the transform kernel: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_GEOMETRY_SAMPLING_TRANSFORM_PARAMS_H
#define TESS_CUDA_GEOMETRY_SAMPLING_TRANSFORM_PARAMS_H

#include "cuda/jit/division_params.h"
#include "cuda/jit/grid_params.h"

enum { TESS__GPU_TRANSFORM_THREADS = 256 };

/* Results of a tile along d, h and w, of elements of so many bytes. */
#define TESS__GPU_TRANSFORM_DEPTH(dims) ((dims) == 3 ? 8 : 1)
#define TESS__GPU_TRANSFORM_HEIGHT(dims, bytes) ((dims) == 3 ? 8 : (bytes) == 4 ? 64 : 32)
#define TESS__GPU_TRANSFORM_WIDTH(dims, bytes) ((dims) == 2 ? ((bytes) == 4 ? 64 : 32) : (bytes) == 4 ? 16 : 8)

typedef struct tess__gpu_transform {
    tess__gpu_array   out, in;
    int64_t           n[4], shape[3]; /* of the output; of the input along d, h, w */
    tess__gpu_divisor tiles[3];       /* along d, h and w */
    uint64_t          matrices;
    int64_t           matrix_step; /* numbers from one to the next; 0: there is one */
    double            from[3], to[3], outside[2];
    int32_t           border;
} tess__gpu_transform;

#endif
