/* Parameters of the window extraction kernels: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_RESIZE_WINDOW_PARAMS_H
#define TESS_CUDA_RESIZE_WINDOW_PARAMS_H

#include "cuda/jit/grid_params.h"

enum {
    TESS__GPU_WINDOW_THREADS = 256,
    TESS__GPU_WINDOW_ROUNDS = 4,
    TESS__GPU_CHUNK = 16,
    TESS__GPU_WINDOW_CHUNKS = 4096 /* of a block, at most */
};

/* Origins in memory: {n,1,1,count} integers. */
typedef struct tess__gpu_origins {
    uint64_t data;
    int64_t  stride[2]; /* from one to the next, and of coordinates */
    int32_t  count;     /* of coordinates: 2 to 4, the last ones of b, d, h, w */
    int32_t  batches;   /* with fewer than 4: 1 if there is a batch for each, 0 if there is only one */
} tess__gpu_origins;

/* Axes are in the order of the output's strides, the last one is that of rows; strides are in elements. */
typedef struct tess__gpu_window {
    tess__gpu_grid    grid; /* the first axes, or windows instead of the first if there are origins; units of rows */
    int64_t           out_stride[4], in_stride[4], n_in[4];
    int64_t           n;       /* elements of a row of the output */
    int32_t           name[4]; /* of each axis: 0 to 3 for b, d, h, w */
    int64_t           origin[4];
    tess__gpu_origins origins;
    uint64_t          out, in;
    int32_t           border;
    int32_t           fills;   /* what lies outside is `outside` */
    int32_t           repeats; /* repeated as often as it fits into 16 bytes */
    int32_t           copied;  /* what lies inside is there already */
    uint32_t          rows;    /* of a block of threads, or 1 that is cut into parts */
    uint32_t          parts;   /* of a row */
    uint32_t          chunks;  /* of a part */
    tess__gpu_divisor divisor; /* of chunks */
    uint8_t           outside[128] __attribute__((aligned(16)));
} tess__gpu_window;

#endif
