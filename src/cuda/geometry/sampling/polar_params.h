/* Parameters of the kernel of polar samples: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_GEOMETRY_SAMPLING_POLAR_PARAMS_H
#define TESS_CUDA_GEOMETRY_SAMPLING_POLAR_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/geometry/polar.op.h"

typedef struct tess__gpu_polar {
    tess__gpu_array    out, in;
    int64_t            n, height, width; /* results, and those of a batch */
    tess__gpu_array    ctfs, target;
    tess__polar_grid   grid;
    tess__polar_source source;
} tess__gpu_polar;

#endif
