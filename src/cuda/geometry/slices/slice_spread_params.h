/* Parameters of the kernel that spreads slices: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_GEOMETRY_SLICES_SLICE_SPREAD_PARAMS_H
#define TESS_CUDA_GEOMETRY_SLICES_SLICE_SPREAD_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/geometry/slice_spread.op.h"

/* The tile of the volume that a block of threads has. */
enum {
    TESS__GPU_SPREAD_DEPTH = 4,
    TESS__GPU_SPREAD_HEIGHT = 4,
    TESS__GPU_SPREAD_WIDTH = 8,
    TESS__GPU_SPREAD_THREADS = TESS__GPU_SPREAD_DEPTH * TESS__GPU_SPREAD_HEIGHT * TESS__GPU_SPREAD_WIDTH
};

typedef struct tess__gpu_slice_spread {
    tess__gpu_grid      tiles; /* of the volume */
    int64_t             volume_size[3];
    tess__gpu_array     volume, weights, slices, slice_weights; /* data 0: none */
    tess__spectrum_grid places;                                 /* of the volume */
    int64_t             slice_n[3];
    int32_t             slice_order[3];
    int64_t             n; /* slices */
    uint64_t            rotations, inverses, unscales, scales;
    int64_t             rotation_step, scale_step;
    double              curve[2], target[3], cutoff;
} tess__gpu_slice_spread;

#endif
