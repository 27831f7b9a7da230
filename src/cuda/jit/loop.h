/* Strided loops over packs of elements: from the loop plan of the core to the parameters of a kernel. */
#ifndef TESS_CUDA_JIT_LOOP_H
#define TESS_CUDA_JIT_LOOP_H

#include "core/array/plan.h"
#include "cuda/jit/kernel.h"
#include "cuda/jit/loop_params.h"

/* What of a loop is compiled into its kernel. */
typedef struct tess__cuda_shape {
    uint8_t pack;    /* elements that lie together and are moved at once */
    uint8_t dims;    /* of the loop over packs */
    uint8_t wide;    /* more than 2^31 packs */
    uint8_t still;   /* bits: operands that are the same along a pack */
    uint8_t aligned; /* packs begin at multiples of their size */
    uint8_t edges;   /* one row, with elements before and behind its packs */
    uint8_t rounds;  /* packs of a thread */
} tess__cuda_shape;

/* How operands are looked at. */
typedef struct tess__cuda_operands {
    unsigned scalars; /* bits: those that are single numbers */
    unsigned moved;   /* bits: those whose elements are moved as units */
    int      unit;    /* bytes of these; elements of several units are one dimension more. 0: none are */
} tess__cuda_operands;

/* The loop as packs, as large as strides, sizes and addresses allow. */
void tess__cuda_loop_of(tess__gpu_loop *p, tess__cuda_shape *shape, const tess__loop *loop,
                        const tess__cuda_operands *operands);

/* The same where all operands are moved in units, or none. */
void tess__cuda_loop(tess__gpu_loop *p, tess__cuda_shape *shape, const tess__loop *loop, unsigned scalars, int unit);

/* The loop element by element, in its own order. */
void tess__cuda_loop_in_order(tess__gpu_loop *p, tess__cuda_shape *shape, const tess__loop *loop);

/* How many blocks of threads a launch needs. */
int64_t tess__cuda_loop_blocks(const tess__gpu_loop *p, const tess__cuda_shape *shape);

/* A word of a key, and definitions: what cuda/jit/loop.cu.h asks for, ROUNDS, THREADS, EDGES and STILL. */
uint64_t tess__cuda_shape_word(const tess__cuda_shape *shape);
void     tess__cuda_shape_print(tess__writer *w, const tess__cuda_shape *shape);

/* The largest unit, 1 to 16 bytes, in which moved operands with these addresses can be read and written. */
int tess__cuda_unit(const tess__loop *loop, unsigned moved);

#endif
