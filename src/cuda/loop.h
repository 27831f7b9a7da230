/* Loops over packs of elements: from the plan of the core to what a kernel is given. */
#ifndef TESS_CUDA_LOOP_H
#define TESS_CUDA_LOOP_H

#include "core/plan.h"
#include "cuda/kernel.h"
#include "cuda/kernels/params.h"

enum { TESS__CUDA_LOOP_THREADS = 256 };

/* What of a loop is compiled into its kernel. */
typedef struct tess__cuda_shape {
    uint8_t pack;  /* elements that lie together and are moved at once */
    uint8_t dims;  /* of the loop over packs */
    uint8_t wide;  /* more than 2^31 packs */
    uint8_t still; /* bits: operands that are the same along a pack */
} tess__cuda_shape;

/* The loop as packs, as large as strides, sizes and addresses allow. `given`: bits of operands that have no place in
 * memory. `unit` is not 0 where elements are moved in so many bytes; those of more are one dimension more. */
void tess__cuda_loop(tess__gpu_loop *p, tess__cuda_shape *shape, const tess__loop *loop, unsigned given, int unit);

/* How many blocks of threads a launch needs. */
int64_t tess__cuda_loop_blocks(const tess__gpu_loop *p, const tess__cuda_shape *shape);

uint64_t tess__cuda_shape_word(const tess__cuda_shape *shape);
void     tess__cuda_shape_print(tess__writer *w, const tess__cuda_shape *shape);

/* x / n = (mulhi(x, multiply) + x) >> shift for all x below 2^31; both are 0 if n is not below. */
void tess__cuda_set_division(uint32_t *multiply, uint32_t *shift, int64_t n);

/* The largest of 1, 2, 4, 8, 16 bytes that divides a size. */
int tess__cuda_unit(int64_t size);

#endif
