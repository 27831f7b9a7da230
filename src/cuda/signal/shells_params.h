/* Parameters of the kernels that sum into shells: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_SIGNAL_SHELLS_PARAMS_H
#define TESS_CUDA_SIGNAL_SHELLS_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/shells.op.h"

/* What is summed now: of some batches some cones of some chunks, which begin with a group. */
typedef struct tess__gpu_shells {
    tess__shell_grid grid;
    tess__gpu_array  lhs, rhs;
    int64_t          batch, batches, cone, cones, chunk, chunks;
    int64_t          all_cones; /* of the output */
    int64_t          sums;
    double           cosine;
    uint64_t         axes;   /* f64: of all cones */
    uint64_t         firsts; /* i32: first shell of each chunk, {batches, chunks} */
    uint64_t         tables; /* f64: sums of each chunk, {batches, chunks, cones, window, sums} */
    uint64_t         out;    /* f64: {b, all_cones, shells, sums} */
} tess__gpu_shells;

#endif
