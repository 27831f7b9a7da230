/* Parameters of the kernels of the distance transform: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_GEOMETRY_DISTANCE_DISTANCES_PARAMS_H
#define TESS_CUDA_GEOMETRY_DISTANCE_DISTANCES_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/geometry/distance.op.h"

typedef struct tess__gpu_distances {
    tess__gpu_grid  grid; /* elements of the batches that are worked on together */
    tess__gpu_array from; /* truth values, or squares of the axes before */
    tess__gpu_array to;   /* squares, or results */
    double          step2;
    int32_t         axis;
    int32_t         target; /* truth values: distances are to this one */
    int32_t         squared;
} tess__gpu_distances;

#endif
