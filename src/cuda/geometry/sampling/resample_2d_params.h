/* Parameters of the kernel of 2-D resampling: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_GEOMETRY_SAMPLING_RESAMPLE_2D_PARAMS_H
#define TESS_CUDA_GEOMETRY_SAMPLING_RESAMPLE_2D_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/geometry/resample_2d.op.h"

typedef struct tess__gpu_resample_2d {
    tess__gpu_array       out, in;
    int64_t               n, height, width; /* results, and those of a batch */
    tess__gpu_array       ctfs, target;
    tess__resample_grid   grid;
    tess__resample_source source;
} tess__gpu_resample_2d;

#endif
