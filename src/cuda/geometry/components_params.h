/* Parameters of the kernels of connected components: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_GEOMETRY_COMPONENTS_PARAMS_H
#define TESS_CUDA_GEOMETRY_COMPONENTS_PARAMS_H

#include "cuda/jit/grid_params.h"

/* What a kernel does; macros, as the preprocessor compares them too. */
#define TESS__GPU_COMPONENTS_BEGIN 0 /* each element is its own parent */
#define TESS__GPU_COMPONENTS_JOIN 1  /* the trees of neighbours are joined */
#define TESS__GPU_COMPONENTS_END 2   /* each element gets its root */

typedef struct tess__gpu_components {
    tess__gpu_grid  grid;
    tess__gpu_array in;     /* truth values */
    uint64_t        parent; /* i64, {b,d,h,w} */
    int64_t         n;      /* elements of a batch */
    int32_t         full;
} tess__gpu_components;

#endif
