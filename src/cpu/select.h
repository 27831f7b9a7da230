/* Elements by their rank: what sorting would put at a place, without sorting. */
#ifndef TESS_CPU_SELECT_H
#define TESS_CPU_SELECT_H

#include "cpu/kernels.h"

/* Elements of a line above which it is walked by chunks, which threads share, instead of as a whole. */
enum { TESS__LONG_LINE = 1 << 16 };

/* A long line of contiguous numbers, counted by a digit of their keys. */
typedef struct tess__ranks {
    const tess__key_kernel  *key;
    const tess__item_kernel *item;
    const tess__order       *order;
    const char              *in;
    int64_t                  n, chunk, chunks;
    int                      shift; /* of the digit; above it all keys are the same */
    uint64_t                 above; /* those bits */
    int64_t                  nans;
    char                    *room; /* for n keys */
    int64_t                  kept; /* keys of the digit selected last that are still there, chunk by chunk; or 0 */
    uint64_t                 digit;
    int64_t                  total[TESS__DIGITS];
    int64_t (*counts)[TESS__DIGITS]; /* of each chunk */
    int64_t *numbers;                /* four of each chunk */
} tess__ranks;

/* Bytes of memory that ranks of a line take. */
size_t tess__ranks_size(int64_t n, int64_t size);

void tess__ranks_start(tess__ranks *r, const tess__order *order, const void *in, int64_t n, char *memory);

/* The key of this rank. */
uint64_t tess__ranks_at(tess__ranks *r, int64_t rank);

/* How many keys are at most this one; `*next` is the least above it, or UINT64_MAX. */
int64_t tess__ranks_to(tess__ranks *r, uint64_t key, uint64_t *next);

/* A line with the key of rank k in its place, those below before it, those above behind it, each in their order. `out`
 * and `in` may be the same where the line is not long. */
size_t tess__partition_size(int64_t n, int64_t size);
void   tess__partition(void *out, const void *in, int64_t n, int64_t k, const tess__order *order, char *memory);

#endif
