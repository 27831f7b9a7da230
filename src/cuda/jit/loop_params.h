/* Parameters of kernels over strided loops: read by the host's C and by the kernels alike. */
#ifndef TESS_CUDA_JIT_LOOP_PARAMS_H
#define TESS_CUDA_JIT_LOOP_PARAMS_H

#include "cuda/jit/division_params.h"

enum {
    TESS__GPU_DIMS = 5,
    TESS__GPU_OPERANDS = 4,
    TESS__GPU_SIDE_DIMS = 3,
    TESS__GPU_LOOP_THREADS = 128 /* of a block, in kernels over loops */
};

/* Nested loops over packs of elements, outermost first; operand 0 is the output. */
typedef struct tess__gpu_loop {
    int64_t           n; /* packs */
    int64_t           shape[TESS__GPU_DIMS];
    int64_t           stride[TESS__GPU_OPERANDS][TESS__GPU_DIMS]; /* in elements */
    uint64_t          data[TESS__GPU_OPERANDS];
    uint8_t           value[TESS__GPU_OPERANDS][16]; /* operands that are one number; at a multiple of 16 bytes */
    tess__gpu_divisor divisor[TESS__GPU_DIMS];       /* of shape */
    uint32_t          head, tail;                    /* elements before the first pack of a row, behind its last one */
} tess__gpu_loop;

/* Dimensions that are counted through as one, the nearest first. */
typedef struct tess__gpu_side {
    int64_t           length; /* of all together */
    tess__gpu_divisor dim[TESS__GPU_SIDE_DIMS];
    int64_t           stride[TESS__GPU_OPERANDS][TESS__GPU_SIDE_DIMS]; /* in elements */
} tess__gpu_side;

/* Square tiles of a stack of matrices: one side is contiguous in the output, the other in the transposed inputs.
 */
typedef struct tess__gpu_tiles {
    tess__gpu_side    out, in, stack;
    tess__gpu_divisor n_out, n_in; /* tiles along the sides */
    uint64_t          data[TESS__GPU_OPERANDS];
    uint8_t           value[TESS__GPU_OPERANDS][16];
} tess__gpu_tiles;

/* Which is the first element, in b, d, h, w order, that a conversion changes? Operand 1 is the input. */
typedef struct tess__gpu_lossless {
    tess__gpu_loop loop;
    uint64_t       first; /* address of a number that becomes its index, if that is less */
} tess__gpu_lossless;

/* Numbers computed from indices: tess__fill_index. */
typedef struct tess__gpu_fill_index {
    tess__gpu_loop loop;
    double         start, step, scale, last;
    int64_t        int_start, int_step;
} tess__gpu_fill_index;

#endif
