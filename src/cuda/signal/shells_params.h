/* Parameters of the kernels that sum into shells: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_SIGNAL_SHELLS_PARAMS_H
#define TESS_CUDA_SIGNAL_SHELLS_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "ops/shells.op.h"

/* Chunks are counted through all batches. Tables of a chunk are {cones, shells + 1, sums}. */
typedef struct tess__gpu_shells {
    tess__shell_grid grid;
    tess__gpu_array  lhs, rhs;
    int64_t          depth, height;
    int64_t          cones;
    int64_t          groups;        /* of shells, a block each */
    int64_t          first, n;      /* chunks that have tables now */
    uint64_t         axes;          /* f64: of the cones */
    uint64_t         tables;        /* f64 */
    uint64_t         out;           /* f64: {b, cones, shells, sums} */
    int64_t          batches, sums; /* for the merging of tables */
    double           cosine;
    double           stretch; /* frequencies along the width in a shell: n / m */
} tess__gpu_shells;

#endif
