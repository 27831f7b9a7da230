/* Compensated summation of f64 for your own loops (the Kahan–Babuška algorithm in Neumaier's variant): rounding errors
 * are summed separately, and the result is as accurate as if it had been rounded once.
 *
 *     tess_compensated total = tess_compensated_zero();
 *     for (int64_t i = 0; i < n; i++) tess_compensated_add(&total, x[i]);
 *     double sum = tess_compensated_sum(&total);
 *
 * Give each thread its own sum and join them with tess_compensated_merge; the result depends on the order of the
 * numbers in its last bit only. `-ffast-math` defeats the compensation. tess_sum does the same for arrays.
 */
#ifndef TESSERA_COMPENSATED_H
#define TESSERA_COMPENSATED_H

#include "tessera/math/fn.h"

/** A partial sum, and the sum of its rounding errors. Zeroed, it is an empty sum. */
typedef struct tess_compensated {
    double sum, error;
} tess_compensated;

/** Returns an empty sum, in C and C++. */
TESS_FN tess_compensated tess_compensated_zero(void)
{
    tess_compensated zero = { 0, 0 };
    return zero;
}

/** Adds a number. The part lost to rounding is added to the errors, exactly. */
TESS_FN void tess_compensated_add(tess_compensated *total, double x)
{
    const double before = total->sum, after = before + x;
    const int    larger = (before < 0 ? -before : before) >= (x < 0 ? -x : x);
    total->error += larger ? before - after + x : x - after + before;
    total->sum = after;
}

/** Adds another partial sum. */
TESS_FN void tess_compensated_merge(tess_compensated *total, const tess_compensated *other)
{
    tess_compensated_add(total, other->sum);
    total->error += other->error;
}

/** Returns the result. Infinities and NaNs give the same result as ordinary summation. */
TESS_FN double tess_compensated_sum(const tess_compensated *total)
{
    return total->sum - total->sum == 0 ? total->sum + total->error : total->sum;
}

#endif
