/* Parameters of the kernels of connected components: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_GEOMETRY_DISTANCE_COMPONENTS_PARAMS_H
#define TESS_CUDA_GEOMETRY_DISTANCE_COMPONENTS_PARAMS_H

#include "cuda/jit/grid_params.h"

/* What a kernel does, in their order; macros, as the preprocessor compares them too. */
#define TESS__GPU_COMPONENTS_BEGIN 0  /* each element is its own parent */
#define TESS__GPU_COMPONENTS_JOIN 1   /* the trees of neighbours are joined */
#define TESS__GPU_COMPONENTS_END 2    /* each element gets its root */
#define TESS__GPU_COMPONENTS_COUNT 3  /* roots of each part of a batch are counted, */
#define TESS__GPU_COMPONENTS_PREFIX 4 /* those of the parts before are added up, */
#define TESS__GPU_COMPONENTS_RANK 5   /* and each root gets its number */
#define TESS__GPU_COMPONENTS_PUT 6    /* each element gets that of its root */
#define TESS__GPU_COMPONENTS_STEPS 7

/* Elements of a part. */
enum { TESS__GPU_COMPONENTS_PART = 1024 };

typedef struct tess__gpu_components {
    tess__gpu_grid  grid;
    tess__gpu_array in, out; /* truth values, numbers */
    uint64_t        parent;  /* i64, {b,d,h,w}; of roots, in the end, -1 - their number */
    uint64_t        before;  /* i64, {b,parts}: roots of a part, then those before it */
    uint64_t        counts;  /* i64, {b}; 0: not wanted */
    int64_t         n;       /* elements of a batch */
    int64_t         parts;   /* of a batch */
    int32_t         full;
} tess__gpu_components;

#endif
