/* Parameters of the stencil kernels: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_SIGNAL_STENCIL_PARAMS_H
#define TESS_CUDA_SIGNAL_STENCIL_PARAMS_H

#include "cuda/jit/grid_params.h"

enum {
    TESS__GPU_STENCIL_THREADS = 256,
    TESS__GPU_STENCIL_CHUNK = 16,     /* weights along h and w that are met from one tile */
    TESS__GPU_STENCIL_LONG = 64,      /* of longer rows: of one row at a time */
    TESS__GPU_STENCIL_SMALL = 49,     /* weights of windows that kernels are made for, */
    TESS__GPU_STENCIL_SHORT = 15,     /* and the largest size of these along an axis */
    TESS__GPU_RANK_WIDTH = 32,        /* results of a tile of rank filters */
    TESS__GPU_RANK_HEIGHT = 8,        /* times those of a thread */
    TESS__GPU_RANK_BYTES = 40 << 10,  /* of a tile and its halo, or it is read from the array */
    TESS__GPU_RANK_ONE_PASS = 15,     /* elements of a window whose minimum is found in one pass over all axes */
    TESS__GPU_MEAN_SMALL = 16,        /* rows of a window whose sums are kept in registers */
    TESS__GPU_MEAN_SHORT = 1024,      /* columns of a window whose sums are made in shared memory */
    TESS__GPU_PLANE_WIDTH = 64,       /* results of a row of a tile of both axes, */
    TESS__GPU_PLANE_HEIGHT = 96,      /* and the most rows */
    TESS__GPU_PLANE_BYTES = 46 << 10, /* of shared memory for such a tile */
    TESS__GPU_PLANE_WINDOW = 33,      /* the largest size of a window along an axis */
    TESS__GPU_SIMILAR_WIDTH = 16,     /* rows and columns of a block of bilateral filters and non-local means */
    TESS__GPU_PATCH_RADIUS = 127      /* largest radius of a patch of non-local means */
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

/* What is combined along both axes of a plane at once. */
#define TESS__GPU_PLANE_CONVOLVE 0
#define TESS__GPU_PLANE_MEAN 1
#define TESS__GPU_PLANE_MINIMUM 2
#define TESS__GPU_PLANE_MAXIMUM 3

/* Of such a tile, by bytes of a number: the lanes that share a row, the results of a lane, the numbers it reads at
 * once, and the room for a row. Where a lane has more results than it reads at once, gaps between those of
 * neighbouring lanes put these into different banks. */
#define TESS__GPU_PLANE_LANES(size) ((size) > 4 ? 32 : 8)
#define TESS__GPU_PLANE_COLUMNS(size) (TESS__GPU_PLANE_WIDTH / TESS__GPU_PLANE_LANES(size))
#define TESS__GPU_PLANE_PACK(size) ((size) > 2 ? 16 / (size) : 8)
#define TESS__GPU_PLANE_GAP(size) ((size) == 4 ? 4 : 0)
#define TESS__GPU_PLANE_PITCH(width, size)                                                                             \
    ((TESS__GPU_PLANE_WIDTH + (width) + TESS__GPU_PLANE_COLUMNS(size) - 2) / TESS__GPU_PLANE_COLUMNS(size) *           \
     (TESS__GPU_PLANE_COLUMNS(size) + TESS__GPU_PLANE_GAP(size)))
#define TESS__GPU_PLANE_CHUNK(size) ((size) > 4 ? 4 : 8) /* results of a thread, one above the other */

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
    double          scale, base; /* as those of tess__stencil */
    uint64_t        filter;       /* weights; a footprint, or 0; of means along columns, sums that are kept, or 0 */
    uint64_t        filter_h;     /* weights along h, of both axes at once */
    uint8_t outside[16] __attribute__((aligned(16)));   /* in the dtype of sums, or as elements of the input are */
    uint8_t outside_h[16] __attribute__((aligned(16))); /* of both axes at once: what windows of a row outside give */
} tess__gpu_stencil;

#endif
