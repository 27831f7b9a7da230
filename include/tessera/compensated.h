/* Compensated sums of f64 for loops of your own (Neumaier's variant of Kahan's and Babuška's): each rounding error is
 * kept beside the sum, and the result is as good as if it had been rounded once.
 *
 *     tess_compensated total = tess_compensated_zero();
 *     for (int64_t i = 0; i < n; i++) tess_compensated_add(&total, x[i]);
 *     double sum = tess_compensated_sum(&total);
 *
 * Threads have one each, joined by tess_compensated_merge: the result depends on the order of the numbers, as of any
 * sum, in its last bit only. `-ffast-math` removes what this is for. tess_sum does the same for arrays.
 */
#ifndef TESSERA_COMPENSATED_H
#define TESSERA_COMPENSATED_H

#include "tessera/math/fn.h"

/** A sum so far: of the numbers, and of the rounding errors that their additions made. Zeroed, of none. */
typedef struct tess_compensated {
    double sum, error;
} tess_compensated;

/** The sum of no numbers, in C and C++. */
TESS_FN tess_compensated tess_compensated_zero(void)
{
    tess_compensated zero = { 0, 0 };
    return zero;
}

/** Add a number. What is lost of the smaller one of sum and number goes to the errors: exactly. */
TESS_FN void tess_compensated_add(tess_compensated *total, double x)
{
    const double before = total->sum, after = before + x;
    const int    larger = (before < 0 ? -before : before) >= (x < 0 ? -x : x);
    total->error += larger ? before - after + x : x - after + before;
    total->sum = after;
}

/** Add the numbers of another sum. */
TESS_FN void tess_compensated_merge(tess_compensated *total, const tess_compensated *other)
{
    tess_compensated_add(total, other->sum);
    total->error += other->error;
}

/** The result. An infinite sum is infinite, and one with a NaN or with both infinities is NaN, as without errors. */
TESS_FN double tess_compensated_sum(const tess_compensated *total)
{
    return total->sum - total->sum == 0 ? total->sum + total->error : total->sum;
}

#endif
