/* Arrays as lines: one for each place in some axes, its elements those along the other axes. Lines that are not
 * contiguous are brought in and out in blocks of neighbours, so that cache lines are used whole. */
#ifndef TESS_CPU_SORT_VECTORS_H
#define TESS_CPU_SORT_VECTORS_H

#include "tessera/array.h"

typedef struct tess__vectors {
    tess_shape kept;   /* sizes of the axes that lines lie along side by side; the others have 1 */
    int        axes;   /* those within a line, as a set of bits 0 to 3 */
    int        next;   /* axis along which the lines of a block lie */
    int64_t    n;      /* elements of a line */
    int64_t    width;  /* lines of a block; the last of a row of blocks may have fewer */
    int64_t    across; /* blocks along `next` */
    int64_t    blocks;
} tess__vectors;

/* Lines of `a` along `axes`; it is not empty. `alone`: blocks are single lines. */
void tess__vectors_of(tess__vectors *lines, const tess_array *a, int axes, bool alone);

/* A block of an array that has the same lines, each of any length. */
tess_array tess__vectors_block(const tess__vectors *lines, const tess_array *a, int64_t block);

/* How many lines a block has. */
int64_t tess__vectors_in(const tess__vectors *lines, const tess_array *block);

/* Is each line of it contiguous, in some order of its axes if there are more than one? */
bool tess__vectors_contiguous(const tess__vectors *lines, const tess_array *a);

/* The same block with contiguous lines, one behind the other, in memory that is given. */
tess_array tess__vectors_workspace(const tess__vectors *lines, const tess_array *block, void *memory, tess_dtype dtype);

/* Elements copied, or converted if the dtypes differ. */
void tess__vectors_move(const tess_array *out, const tess_array *in);

#endif
