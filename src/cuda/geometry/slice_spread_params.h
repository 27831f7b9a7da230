/* Parameters of the kernel that spreads slices: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_GEOMETRY_SLICE_SPREAD_PARAMS_H
#define TESS_CUDA_GEOMETRY_SLICE_SPREAD_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/slice_spread.op.h"

enum { TESS__GPU_SPREAD_THREADS = 128, TESS__GPU_SPREAD_SLICES = 32 /* that a block holds at a time */ };

typedef struct tess__gpu_slice_spread {
    tess__gpu_grid      grid;                                   /* the shape of the volume */
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
