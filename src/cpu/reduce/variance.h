/* Variance: the second central moment (m2) of a chunk, and the encoding of one whose squares leave the range of f64.
 *
 * A chunk's m2 is the sum of its squares less the square of its sum, over their number, while few bits cancel.
 * Otherwise distances from the chunk's mean are squared (shifted data). Where squares overflow or underflow, the chunk
 * is computed again with scaled numbers, and a negative m2 encodes a root: the root mean square of the distances,
 * negated.
 */
#ifndef TESS_CPU_REDUCE_VARIANCE_H
#define TESS_CPU_REDUCE_VARIANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/reduce/kernels.h"
#include "tessera/math/fn.h"

/* Slots of a state: the sum of the numbers; a pivot, an element or near to all; the mean less the pivot; m2; n. */
enum { TESS__VAR_SUM, TESS__VAR_PIVOT, TESS__VAR_OFFSET, TESS__VAR_M2, TESS__VAR_NUMBER, TESS__VAR_SLOTS };

/* Most bits that may cancel. Squares of f32 are exact in f64, and their sum is off by 2^-50 of itself: a variance then
 * by 2^-38. One of f64 is off by up to some hundred units in the last place. */
enum { TESS__VAR_BITS_F32 = 12, TESS__VAR_BITS_F64 = 3 };

/* A sum of squares below this has lost bits to underflow. */
#define TESS__MIN_SQUARES 0x1p-900

static inline bool tess__is_ordinary(double squares)
{
    return (squares >= TESS__MIN_SQUARES) & (squares < __builtin_inf());
}

/* True if the sum of squares of numbers, `inverse` being 1 over their count, loses more than these bits, has overflowed
 * or is NaN. */
static inline bool tess__cancels(double inverse, double sum, double squares, const int bits)
{
    const double m2 = squares - sum * (sum * inverse);
    return !((m2 >= squares / (double)(1 << bits)) & (squares < __builtin_inf()));
}

/* Of the first number, from it to the mean: below this, they cannot be told from each other. */
#define TESS__PIVOT_DISTANCE 0x1p-40

/* The number that distances are taken from: the mean. Where the first number cannot be told from it, or the sum has
 * overflowed, that is better: distances of equal numbers are then exactly 0. */
static inline double tess__pivot_of(double mean, double first)
{
    const double distance = __builtin_fabs(mean - first);
    const bool   apart = (distance > TESS__PIVOT_DISTANCE * __builtin_fabs(first)) & (distance < __builtin_inf());
    return apart ? mean : first;
}

/* m2 of numbers from their sum and sum of squares about any number; `inverse` is 1 over their count, since a division
 * takes as long as many of the other steps. */
static inline double tess__around_mean(double inverse, double s1, double s2)
{
    const double infinity = __builtin_inf();
    const double m2 = s2 - s1 * (s1 * inverse);
    const int    too_large = (s2 == infinity) & (s1 < infinity) & (s1 > -infinity);
    return tess__choose_f64(too_large, infinity, tess__choose_f64(m2 < 0, 0, m2));
}

/* The state of a chunk, from s1 and s2, the sums of distances from the pivot and of their squares. */
static inline void tess__put_variance(tess__slot *s, int64_t step, double n, double sum, double pivot, double s1,
                                      double s2)
{
    s[TESS__VAR_SUM * step].f = sum;
    s[TESS__VAR_PIVOT * step].f = pivot;
    s[TESS__VAR_OFFSET * step].f = s1 * (1 / n);
    s[TESS__VAR_M2 * step].f = tess__around_mean(1 / n, s1, s2);
    s[TESS__VAR_NUMBER * step].f = n;
}

/* The state of n numbers, at most a chunk, except its sum, computed again with a scale unless they are equal or not all
 * finite: for those whose m2 is not ordinary. */
void tess__rescale_variance(const double *x, int64_t n, tess__slot *s, int64_t step);

/* Merges state b, of the range that follows, into a. */
void tess__merge_variance(tess__slot *a, const tess__slot *b, int64_t step);

/* The root of the mean of n squares, in either encoding; and the inverse, as squares if these are in range. */
double tess__root_mean(double squares, double n);
double tess__squares_of_root(double root, double n);

/* The variance, or its root, of n numbers. */
double tess__variance_of(double squares, double n, double divisor, bool root);

/* The largest exponent among reals, at least -1022; 0 if all are 0 or one is not finite. */
int tess__exponent_of(const double *x, int64_t n);

/* x over 2^exponent. */
void tess__scale_down(double *out, const double *x, int64_t n, int exponent);

#endif
