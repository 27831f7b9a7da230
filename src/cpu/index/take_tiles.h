/* Gather across layouts: tiles in which the input is read along its memory, then transposed to the output. */
#ifndef TESS_CPU_INDEX_TAKE_TILES_H
#define TESS_CPU_INDEX_TAKE_TILES_H

#include <stdbool.h>

#include "core/array/plan.h"

/* The loop over result, input and indices of a take, strides of the first two in bytes, as tiles of two of its
 * dimensions: that of the indices, and one across it. */
typedef struct tess__take_tiles {
    const tess__loop *loop;
    const int64_t    *offset;   /* of each index in the input, bytes */
    int64_t           size;     /* bytes of an element */
    int               axis;     /* the dimension of the indices */
    int               across;   /* the other one */
    int64_t           n[2];     /* elements of a tile along `axis` and `across`; the last may have fewer */
    int64_t           tiles[2]; /* along each */
} tess__take_tiles;

/* Plan tiles for elements of `size` bytes, `step` bytes apart along the axis of the input. False: the loop goes along
 * memory of both arrays, is small, or has an index for each element. */
bool tess__take_tiles_plan(tess__take_tiles *t, const tess__loop *loop, int64_t size, int64_t step);

/* Take the elements; `t->offset` is set. */
void tess__take_tiles_run(tess__take_tiles *t, double cost);

#endif
