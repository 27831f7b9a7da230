/* Selection by rank (Floyd-Rivest sampling), and partition about a rank. */
#ifndef TESS_CPU_SORT_SELECT_H
#define TESS_CPU_SORT_SELECT_H

#include "cpu/sort/kernels.h"

/* Elements of a vector above which it is read by chunks, in parallel, instead of as a whole. */
enum { TESS__LONG_VECTOR = 1 << 16 };

/* A long vector of contiguous numbers, of which the keys within a window are collected. */
typedef struct tess__ranks {
    const tess__key_kernel *key;
    const tess__order      *order;
    const char             *in;
    int64_t                 n, chunk, chunks;
    int64_t                 nans;          /* estimated; exact after a pass over the vector */
    uint64_t                first, last;   /* the window, both inclusive */
    int64_t                 below, within; /* counts of keys below it and within it */
    bool                    kept;          /* those within are in the workspace, chunk by chunk, unless all are equal */
    int64_t                 samples;
    char                   *sample;    /* keys, and capacity for as many */
    char                   *workspace; /* for n keys */
    int64_t                *numbers;   /* counts of each chunk */
} tess__ranks;

/* Bytes of memory that ranks of a vector need. */
size_t tess__ranks_size(int64_t n, int64_t size);

void tess__ranks_start(tess__ranks *r, const tess__order *order, const void *in, int64_t n, char *memory);

/* A pass over the vector that collects the keys around this rank. */
void tess__ranks_look(tess__ranks *r, int64_t rank);

/* The key of this rank; takes a pass over the vector if it is not among those collected. */
uint64_t tess__ranks_at(tess__ranks *r, int64_t rank);

/* Partitions a vector: the key of rank k at index k, smaller ones before it, larger ones after it, each in their order.
 * `out` and `in` may be the same where the vector is not long. */
size_t tess__partition_size(int64_t n, int64_t size);
void   tess__partition(void *out, const void *in, int64_t n, int64_t k, const tess__order *order, char *memory);

#endif
