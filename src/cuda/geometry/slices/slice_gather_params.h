/* Parameters of the kernel that gathers slices: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_GEOMETRY_SLICES_SLICE_GATHER_PARAMS_H
#define TESS_CUDA_GEOMETRY_SLICES_SLICE_GATHER_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/geometry/fourier_slices.op.h"

enum { TESS__GPU_GATHER_THREADS = 128, TESS__GPU_GATHER_SLICES = 32 /* that a block holds at a time */ };

typedef struct tess__gpu_slice_gather {
    tess__gpu_grid      grid;                                    /* the shape of the output */
    tess__gpu_array     out, out_weights, slices, slice_weights; /* data 0: none */
    int64_t             out_n[3];
    int32_t             out_order[3];
    double              out_size[3];
    tess__spectrum_grid from, from_weights; /* of slices */
    int64_t             n;                  /* slices */
    uint64_t            out_rotations, out_unscales, inverses, scales;
    int64_t             out_rotation_step, out_unscale_step, inverse_step, scale_step;
    double              out_curve[2], curve[2], cutoff, sinc, window;
    int32_t             divide;
} tess__gpu_slice_gather;

#endif
