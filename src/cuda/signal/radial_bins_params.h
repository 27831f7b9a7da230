/* Parameters of the kernels that sum over shells: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_SIGNAL_RADIAL_BINS_PARAMS_H
#define TESS_CUDA_SIGNAL_RADIAL_BINS_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/radial_bins.op.h"

/* What is summed now: of some batches some cones of some chunks, which begin with a group. */
typedef struct tess__gpu_radial_bins {
    tess__radial_grid grid;
    tess__gpu_array   lhs, rhs, ctfs, target;
    int64_t           batch, batches, cone, cones, chunk, chunks;
    int64_t           all_cones; /* of the output */
    int64_t           sums;
    double            cosine;
    uint64_t          axes;   /* f64: of all cones */
    uint64_t          firsts; /* i32: first shell of each chunk, {batches, chunks} */
    uint64_t          tables; /* f64: sums of each chunk, {batches, chunks, cones, lanes, window, sums} */
    uint64_t          out;    /* f64: {b, all_cones, shells, sums} */
} tess__gpu_radial_bins;

#endif
