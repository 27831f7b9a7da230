/* Parameters of the kernel that samples spectra: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_GEOMETRY_SLICES_SPECTRUM_SAMPLE_PARAMS_H
#define TESS_CUDA_GEOMETRY_SLICES_SPECTRUM_SAMPLE_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/geometry/fourier_slices.op.h"

enum { TESS__GPU_SAMPLE_THREADS = 128, TESS__GPU_SAMPLE_WINDOW = 64 };

typedef struct tess__gpu_spectrum_sample {
    tess__gpu_grid      grid; /* the shape of the output */
    tess__gpu_array     out;
    uint64_t            in;
    int64_t             in_batch; /* elements from one batch of the input to the next; 0: there is one */
    tess__spectrum_grid from;
    int64_t             n[3]; /* logical sizes of the output, */
    int32_t             order[3];
    uint64_t            rotations, scales, shifts; /* 0: none */
    int64_t             rotation_step, scale_step, shift_step;
    int64_t             terms; /* rotations of a batch */
    double              divisor;
    double              curve[2], target[3], cutoff;
    int32_t             window;
    double              weights[TESS__GPU_SAMPLE_WINDOW];
} tess__gpu_spectrum_sample;

#endif
