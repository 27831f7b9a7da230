/* Elements by their rank: what sorting would put at a place, without sorting. */
#ifndef TESS_CPU_SORT_SELECT_H
#define TESS_CPU_SORT_SELECT_H

#include "cpu/sort/kernels.h"

/* Elements of a line above which it is walked by chunks, which threads share, instead of as a whole. */
enum { TESS__LONG_VECTOR = 1 << 16 };

/* A long line of contiguous numbers, whose keys between two are kept: a window. */
typedef struct tess__ranks {
    const tess__key_kernel *key;
    const tess__order      *order;
    const char             *in;
    int64_t                 n, chunk, chunks;
    int64_t                 nans;          /* about so many; exactly, once the line has been looked at */
    uint64_t                first, last;   /* the window, with both */
    int64_t                 below, within; /* keys below it and within it */
    bool                    kept;          /* those within are in the room, chunk by chunk, unless they are all one */
    int64_t                 samples;
    char                   *sample;    /* keys, and room for as many */
    char                   *workspace; /* for n keys */
    int64_t                *numbers;   /* of each chunk */
} tess__ranks;

/* Bytes of memory that ranks of a line take. */
size_t tess__ranks_size(int64_t n, int64_t size);

void tess__ranks_start(tess__ranks *r, const tess__order *order, const void *in, int64_t n, char *memory);

/* Walks over the line and keeps the keys around this rank. */
void tess__ranks_look(tess__ranks *r, int64_t rank);

/* The key of this rank; the line is looked at if it is not among those that were kept. */
uint64_t tess__ranks_at(tess__ranks *r, int64_t rank);

/* A line with the key of rank k in its place, those below before it, those above behind it, each in their order. `out`
 * and `in` may be the same where the line is not long. */
size_t tess__partition_size(int64_t n, int64_t size);
void   tess__partition(void *out, const void *in, int64_t n, int64_t k, const tess__order *order, char *memory);

#endif
