/* Binary counter: the order in which the partial states of chunks 0, 1, 2 … are merged, a binary tree of neighbours.
 *
 * Each level holds the state of as many chunks as a one bit of their number stands for, level 0 that of the highest
 * bit. The counter does not know what a state is: who counts has memory for one at each level.
 */
#ifndef TESS_CPU_REDUCE_BINARY_COUNTER_H
#define TESS_CPU_REDUCE_BINARY_COUNTER_H

#include <stdint.h>

/* Levels that no number of chunks exceeds. */
enum { TESS__COUNTER_MAX_LEVELS = 63 };

/* Zeroed: no chunks. */
typedef struct tess__binary_counter {
    int     levels; /* in use; the state of the next chunk goes to this level */
    int64_t count;  /* chunks so far */
} tess__binary_counter;

/* How many levels n chunks need, at least one. */
static inline int tess__counter_levels(int64_t n) { return n > 1 ? 64 - __builtin_clzll((uint64_t)n) : 1; }

/* Merges the state of level + 1 into that of `level`. */
typedef void tess__merge_level_fn(void *context, int level);

/* The state of one more chunk is at level `levels`: merges once for each trailing one bit of the chunk's number. */
static inline void tess__counter_push(tess__binary_counter *c, tess__merge_level_fn *merge, void *context)
{
    c->levels++;
    for (int64_t bits = c->count++; bits & 1; bits >>= 1) merge(context, --c->levels - 1);
}

/* Merges all, from the last level on; the state is then at level 0. There is none if there were no chunks. */
static inline void tess__counter_end(tess__binary_counter *c, tess__merge_level_fn *merge, void *context)
{
    while (c->levels > 1) merge(context, --c->levels - 1);
}

#endif
