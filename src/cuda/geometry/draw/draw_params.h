/* Parameters of the kernel that draws shapes: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_GEOMETRY_DRAW_DRAW_PARAMS_H
#define TESS_CUDA_GEOMETRY_DRAW_DRAW_PARAMS_H

#include "cuda/jit/grid_params.h"
#include "formulas/geometry/draw.op.h"

typedef struct tess__gpu_draw {
    tess__gpu_grid  rows; /* batches, depth, height, and threads of a row */
    tess__gpu_array out, in;
    uint64_t        shapes;
    int64_t         n_shapes, batch_step; /* shapes of a batch, and from one batch's to the next's */
    int64_t         width;                /* of the output */
    int64_t         logical[4];
    int32_t         order[4];
    tess__draw_spec spec;
} tess__gpu_draw;

#endif
