/* Scalar type conversion: clamping, and modulo 2^bits. Defined for every value, the same on every device.
 *
 * Integers are converted by the kernels themselves; here are the parts that C leaves undefined.
 */
#ifndef TESS_FORMULAS_CONVERT_OP_H
#define TESS_FORMULAS_CONVERT_OP_H

#include "tessera/math/fn.h"

/* Float to integer, modulo 2^64, truncated; NaN and infinities are 0. From 2^53 on every double is whole,
 * and x / 2^64 less its floor is exact. */
TESS_FN uint64_t tess__f64_wrap(double x)
{
    const double two63 = 9223372036854775808.0, two64 = 2.0 * two63;
    const double size = x < 0 ? -x : x;
    const double small = size < two63 ? x : 0.0; /* NaN: 0 */
    const double scaled = size >= two63 && size <= 1.7976931348623157e308 ? x / two64 : 0.0;
    /* floor: beyond 2^52 a double is whole, below it fits an int64 */
    const double   trimmed = scaled < 4503599627370496.0 && scaled > -4503599627370496.0 ? scaled : 0.0;
    const double   whole = (double)(int64_t)trimmed;
    const double   fraction = trimmed - (whole > trimmed ? whole - 1.0 : whole);
    const double   high = fraction * two64;
    const double   above = high >= two63 ? two63 : 0.0;
    const uint64_t large = (uint64_t)(int64_t)(high - above) + (above > 0 ? (uint64_t)1 << 63 : 0);
    return (uint64_t)(int64_t)small + large;
}

#endif
