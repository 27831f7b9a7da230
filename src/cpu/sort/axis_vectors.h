/* Vectors along some axes of an array: one for each position in the other axes. Vectors that are not contiguous are
 * copied in and out in blocks of neighbours, so that whole cache lines are used. */
#ifndef TESS_CPU_SORT_AXIS_VECTORS_H
#define TESS_CPU_SORT_AXIS_VECTORS_H

#include "tessera/array.h"

typedef struct tess__vectors {
    tess_shape kept;   /* sizes of the axes that number the vectors; 1 along those within a vector */
    int        axes;   /* those within a vector, as a set of bits 0 to 3 */
    int        next;   /* axis along which the vectors of a block are neighbours */
    int64_t    n;      /* elements of a vector */
    int64_t    width;  /* vectors of a block; the last along `next` may have fewer */
    int64_t    across; /* blocks along `next` */
    int64_t    blocks;
} tess__vectors;

/* Vectors of `a` along `axes`; it is not empty. `alone`: blocks are single vectors. */
void tess__vectors_of(tess__vectors *vectors, const tess_array *a, int axes, bool alone);

/* A block of an array that has the same vectors, each of any length. */
tess_array tess__vectors_block(const tess__vectors *vectors, const tess_array *a, int64_t block);

/* The number of vectors of a block. */
int64_t tess__vectors_in(const tess__vectors *vectors, const tess_array *block);

/* True if each vector is contiguous, in some order of its axes if there are more than one. */
bool tess__vectors_contiguous(const tess__vectors *vectors, const tess_array *a);

/* The same block with contiguous vectors, one after the other, in `memory`. */
tess_array tess__vectors_workspace(const tess__vectors *vectors, const tess_array *block, void *memory,
                                   tess_dtype dtype);

/* Copies elements, or converts them if the dtypes differ. */
void tess__vectors_move(const tess_array *out, const tess_array *in);

#endif
