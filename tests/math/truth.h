/* The exact results, by MPFR, and how far from them a result is. */
#ifndef TESS_MATH_TRUTH_H
#define TESS_MATH_TRUTH_H

#include <stddef.h>

/* A binary format: bits of the significand, the exponent of its smallest subnormal, the exponent of its overflow. */
typedef struct truth_format {
    int bits, smallest, largest;
} truth_format;

extern const truth_format truth_f32, truth_f64;

/* |got - exact| in ulp of the exact result. An ulp of a subnormal is the smallest subnormal. Infinity where an exact
 * result rounds to it is right. A NaN, an infinity, or the sign of a zero that is wrong is infinitely far. For
 * logaddexp, the ulp is that of the larger argument where that is more. */
double truth_error(int fn, const truth_format *format, double got, double x, double y);

/* To be called by a thread that used the above, at its end. */
void truth_thread_end(void);

/* Arguments with `bits` bits that are uncommonly near to multiples of pi / 2, at most `capacity` of them, all binades from
 * 1 up; returns their number. */
size_t truth_near_quarter_turns(const truth_format *format, double *out, size_t capacity);

#endif
