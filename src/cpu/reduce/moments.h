/* Second central moment (m2) from sums and sums of squares, all in f64.
 *
 * The sum of squares less the square of the sum is accurate while little cancels: up to WIDE_BITS bits, or SINGLE_BITS
 * where elements are f32 and results are no wider. A chunk of those adds at most 80 squares, exact ones, to the same
 * number, so what is summed is off by less than 2^-44.8 of the squares, and a variance by as much as 2^-24.8 of itself.
 * Where more cancels, or squares leave the range, distances from one element are squared instead (shifted data).
 */
#ifndef TESS_CPU_REDUCE_MOMENTS_H
#define TESS_CPU_REDUCE_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/reduce/kernels.h"

enum { WIDE_BITS = 8, SINGLE_BITS = 20 };

/* 2^-bits, of a constant. */
static inline double part_of(const int bits) { return 1.0 / (double)((int64_t)1 << bits); }

/* True if the sum of squares would lose more than these bits, has left the range or is NaN. `inverse` is 1 / n. */
static inline bool cancels(double inverse, double sum, double squares, double min, const int bits)
{
    const double m2 = squares - sum * (sum * inverse);
    return !((m2 >= part_of(bits) * squares) & (squares >= min) & (squares < __builtin_inf()));
}

/* m2, the sum of squared distances from the mean of n numbers, from s1 and s2 about another number. */
static inline double around_mean(double n, double s1, double s2)
{
    const double infinity = __builtin_inf();
    const double m2 = s2 - s1 * (s1 / n);
    const bool   too_large = s2 == infinity && s1 < infinity && s1 > -infinity;
    return too_large ? infinity : m2 < 0 ? 0 : m2;
}

/* The state of a variance except its sum. */
static inline void put_variance(tess__slot *s, int64_t step, double n, double pivot, double s1, double s2)
{
    s[step].f = pivot;
    s[2 * step].f = s1 / n;
    s[3 * step].f = around_mean(n, s1, s2);
    s[4 * step].f = n;
}

#endif
