/* Parameters of the stencil kernels: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_SIGNAL_STENCIL_PARAMS_H
#define TESS_CUDA_SIGNAL_STENCIL_PARAMS_H

#include "cuda/jit/grid_params.h"

enum {
    TESS__GPU_STENCIL_THREADS = 256,
    TESS__GPU_STENCIL_CHUNK = 16,    /* weights along h and w that are met from one tile */
    TESS__GPU_STENCIL_LONG = 64,     /* of longer rows: of one row at a time */
    TESS__GPU_STENCIL_SMALL = 49,    /* weights of windows that kernels are made for, */
    TESS__GPU_STENCIL_SHORT = 15,    /* and the largest size of these along an axis */
    TESS__GPU_RANK_WIDTH = 32,       /* results of a tile of rank filters */
    TESS__GPU_RANK_HEIGHT = 8,       /* times those of a thread */
    TESS__GPU_RANK_BYTES = 40 << 10, /* of a tile and its halo, or it is read from the array */
    TESS__GPU_RANK_ONE_PASS = 15,    /* elements of a window whose minimum is found in one pass over all axes */
    TESS__GPU_MEAN_SMALL = 16,       /* rows of a window whose sums are kept in registers */
    TESS__GPU_MEAN_SHORT = 1024,     /* columns of a window whose sums are made in shared memory */
    TESS__GPU_SIMILAR_WIDTH = 16,    /* rows and columns of a block of bilateral filters and non-local means */
    TESS__GPU_PATCH_RADIUS = 127     /* largest radius of a patch of non-local means */
};

/* Results of a thread: one above the other, and beside each other, where a tile is 32 times as wide. */
#define TESS__GPU_STENCIL_ROWS(size) ((size) > 8 ? 2 : 4)
#define TESS__GPU_STENCIL_COLUMNS(is_small) ((is_small) ? 4 : 2)

/* How a rank is found; macros, as the preprocessor compares them too. */
#define TESS__GPU_RANK_BITS 0
#define TESS__GPU_RANK_MINIMUM 1
#define TESS__GPU_RANK_MAXIMUM 2
#define TESS__GPU_RANK_NETWORK 3
#define TESS__GPU_FOOTPRINT_MINIMUM 4 /* of elements that the footprint has */
#define TESS__GPU_FOOTPRINT_MAXIMUM 5

/* How the means of a window are summed along an axis. */
#define TESS__GPU_MEAN_ROWS 0
#define TESS__GPU_MEAN_LONG_ROWS 1
#define TESS__GPU_MEAN_COLUMNS 2

/* Axes are d, h, w, or h, d, w where the window is longer than 1 along d and not along h. */
typedef struct tess__gpu_stencil {
    tess__gpu_array out, in;
    int64_t         n[3], first[3], end[3]; /* sizes; results that are computed */
    int64_t         tiles[2];               /* along the second and third axis */
    int64_t         rank;
    int64_t         divisor; /* of sums that are the results, or 0 */
    int64_t         items;   /* MEAN_COLUMNS: threads */
    int32_t         size[3];
    int32_t         border;
    int32_t         patch[3];
    double          factor, base; /* as those of tess__stencil */
    uint64_t        filter;       /* weights; a footprint, or 0; of means along columns, sums that are kept, or 0 */
    uint8_t outside[16] __attribute__((aligned(16))); /* in the dtype of sums, or as elements of the input are */
} tess__gpu_stencil;

#endif
