/* Parameters of the B-spline prefilter kernel: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_GEOMETRY_SAMPLING_PREFILTER_PARAMS_H
#define TESS_CUDA_GEOMETRY_SAMPLING_PREFILTER_PARAMS_H

#include "cuda/jit/grid_params.h"

enum {
    TESS__GPU_PREFILTER_THREADS = 64, /* vectors of a block, */
    TESS__GPU_PREFILTER_TILE = 32     /* or, if they are contiguous, these, read by tiles of as many elements */
};

typedef struct tess__gpu_prefilter {
    tess__gpu_array out, in;
    tess__gpu_grid  grid;              /* of vectors: the axis itself is 1 */
    int64_t         n, axis_stride[2]; /* elements of a vector, and from one to the next of out and in */
    double          value[2];
    int32_t         border;
} tess__gpu_prefilter;

#endif
