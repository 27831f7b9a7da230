/* Numbers as keys: unsigned integers of the same size that have the numbers' order. */
#ifndef TESS_CPU_SORT_KEYS_H
#define TESS_CPU_SORT_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "tessera/dtype.h"

enum { TESS__KEY_BOOL, TESS__KEY_UNSIGNED, TESS__KEY_SIGNED, TESS__KEY_FLOAT };

/* How numbers become keys. Those of NaNs are the largest in both directions, and that of -0 is next to that of +0; each
 * pattern of bits has a key of its own, unless `alike`: then all NaNs have one, and zeros of both signs, in rising
 * order those of a quiet NaN and of +0. Of bools, all bytes that are not 0 are 1. */
typedef struct tess__order {
    int  size; /* bytes of a number and of its key: 1, 2, 4 or 8 */
    int  kind;
    bool descending;
    bool alike;
} tess__order;

/* Of a real dtype. */
tess__order tess__order_of(tess_dtype dtype, bool descending, bool alike);

/* The least key of a NaN; of numbers that are not floats, one that none has, 0. */
uint64_t tess__order_nan(const tess__order *order);

/* The number of a key, rising order. */
double tess__order_number(const tess__order *order, uint64_t key);

/* Keys, their indices behind them: in one word, or in two where they do not fit into one. */
typedef struct tess__pair {
    uint64_t key, place;
} tess__pair;

/* Bits of a word behind the key. */
enum { TESS__INDEX_BITS = 32 };

#endif
