/* Order-preserving keys: unsigned integers of the same size as the numbers that compare as the numbers do. */
#ifndef TESS_CPU_SORT_KEYS_H
#define TESS_CPU_SORT_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "tessera/dtype.h"

enum { TESS__KEY_BOOL, TESS__KEY_UNSIGNED, TESS__KEY_SIGNED, TESS__KEY_FLOAT };

/* How numbers become keys. Keys of NaNs are the largest in both directions, and that of -0 is next to that of +0; each
 * bit pattern has a key of its own, unless `alike`: then all NaNs share one, and zeros of both signs, in ascending
 * order those of a quiet NaN and of +0. Bools: every byte that is not 0 counts as 1. */
typedef struct tess__order {
    int  size; /* bytes of a number and of its key: 1, 2, 4 or 8 */
    int  kind;
    bool descending;
    bool alike;
} tess__order;

/* Of a real dtype. */
tess__order tess__order_of(tess_dtype dtype, bool descending, bool alike);

/* The smallest key of a NaN; 0, which no NaN has, if the dtype is not a float. */
uint64_t tess__order_nan(const tess__order *order);

/* The number that a key of ascending order stands for. */
double tess__order_number(const tess__order *order, uint64_t key);

/* A key and its index, where they do not fit into one word of 8 bytes. */
typedef struct tess__pair {
    uint64_t key, index;
} tess__pair;

/* Low bits of a packed word, which hold the index. */
enum { TESS__INDEX_BITS = 32 };

#endif
