/* Parameters of the kernels that sum into rings: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_GEOMETRY_RINGS_PARAMS_H
#define TESS_CUDA_GEOMETRY_RINGS_PARAMS_H

#include "cuda/geometry/sampling/polar_params.h"
#include "formulas/rings.op.h"

/* Chunks are counted through all batches. Tables of a chunk are {lanes, rings + 2, sums}. */
typedef struct tess__gpu_rings {
    tess__rings_grid grid;
    tess__gpu_array  in;
    int64_t          batches, depth, height, width;
    tess__gpu_ctfs   ctfs, target;
    int64_t          first, n; /* chunks that have tables now */
    uint64_t         tables;   /* f64 */
    uint64_t         out;      /* f64: {b, rings, sums} */
    int64_t          sums;
} tess__gpu_rings;

#endif
