/* What kernels are given: read by the host's C and by the kernels alike. */
#ifndef TESS_CUDA_KERNELS_PARAMS_H
#define TESS_CUDA_KERNELS_PARAMS_H

enum { TESS__GPU_DIMS = 5, TESS__GPU_OPERANDS = 4 };

/* Nested loops over packs of elements, outermost first; operand 0 is the output. */
typedef struct tess__gpu_loop {
    int64_t  n; /* packs */
    int64_t  shape[TESS__GPU_DIMS];
    int64_t  stride[TESS__GPU_OPERANDS][TESS__GPU_DIMS]; /* in elements */
    uint64_t data[TESS__GPU_OPERANDS];
    uint32_t multiply[TESS__GPU_DIMS],
        shift[TESS__GPU_DIMS];             /* x / shape[d] = (mulhi(x, multiply) + x) >> shift, x < 2^31 */
    uint8_t value[TESS__GPU_OPERANDS][16]; /* operands that are one number */
} tess__gpu_loop;

#endif
