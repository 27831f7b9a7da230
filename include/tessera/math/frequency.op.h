/* Order of the frequencies of a DFT along an axis: where a signed frequency, in samples, is stored.
 *
 * Along an axis of n frequencies those from -n/2 to n/2 exist; of an even n the two ends are one coefficient.
 */
#ifndef TESSERA_MATH_FREQUENCY_OP_H
#define TESSERA_MATH_FREQUENCY_OP_H

#include "tessera/math/fn.h"

/* Zero frequency at index 0, with negative frequencies after the positive ones; at n/2; and non-negative ones only. */
enum { TESS__ORDER_FIRST, TESS__ORDER_CENTRED, TESS__ORDER_HALF };

TESS_FN int tess__frequency_exists(int64_t n, int64_t k)
{
    const int64_t most = n / 2;
    return (k >= -most) & (k <= most);
}

/* The frequency of an index. */
TESS_FN int64_t tess__frequency_at(int order, int64_t n, int64_t index)
{
    if (order == TESS__ORDER_CENTRED) return index - n / 2;
    return order == TESS__ORDER_HALF || index < (n + 1) / 2 ? index : index - n;
}

/* The index of a frequency; on full axes modulo n. */
TESS_FN int64_t tess__frequency_index(int order, int64_t n, int64_t k)
{
    if (order == TESS__ORDER_HALF) return k < 0 ? -k : k;
    if (order == TESS__ORDER_CENTRED) k += n / 2;
    return k < 0 ? k + n : k >= n ? k - n : k;
}

#endif
