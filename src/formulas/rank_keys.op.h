/* Order-preserving keys of rank filters: integers that compare as the numbers do, for CPU kernels and GPUs.
 *
 * Floats become signed integers of their size: NaNs of either sign the largest, all one, and -0 comes before +0. */
#ifndef TESS_FORMULAS_RANK_KEYS_OP_H
#define TESS_FORMULAS_RANK_KEYS_OP_H

#include "tessera/math/fn.h"

/* Bits of a float, and their key, each the other's inverse but for NaNs. */
TESS_FN int16_t tess__rank_key_16(int16_t x)
{
    const int16_t key = (int16_t)(x ^ (int16_t)((x >> 15) & INT16_MAX));
    return (x & INT16_MAX) > 0x7c00 ? (int16_t)0x7e00 : key;
}

TESS_FN int32_t tess__rank_key_32(int32_t x)
{
    const int32_t key = x ^ ((x >> 31) & INT32_MAX);
    return (x & INT32_MAX) > 0x7f800000 ? 0x7fc00000 : key;
}

TESS_FN int64_t tess__rank_key_64(int64_t x)
{
    const int64_t key = x ^ ((x >> 63) & INT64_MAX);
    return (x & INT64_MAX) > INT64_C(0x7ff0000000000000) ? INT64_C(0x7ff8000000000000) : key;
}

TESS_FN int16_t tess__rank_bits_16(int16_t key) { return (int16_t)(key ^ (int16_t)((key >> 15) & INT16_MAX)); }
TESS_FN int32_t tess__rank_bits_32(int32_t key) { return key ^ ((key >> 31) & INT32_MAX); }
TESS_FN int64_t tess__rank_bits_64(int64_t key) { return key ^ ((key >> 63) & INT64_MAX); }

#endif
