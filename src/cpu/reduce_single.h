/* Variances of f32 whose results are f32 too: distances from a pivot near the mean, and their squares, are summed as
 * f32, DEPTH of them one after the other, and those sums as f64.
 *
 * That is half the work. A distance is good to half an ulp, and as long as the pivot lies within the numbers no more
 * than 2 bits cancel; where it does not, or squares leave the range of f32, the other kernels do it again.
 */
#ifndef TESS_CPU_REDUCE_SINGLE_H
#define TESS_CPU_REDUCE_SINGLE_H

#include <stdbool.h>
#include <stdint.h>

enum { DEPTH = 16 };

/* sum + d d, rounded once where all processors of the architecture can, so that all its instruction sets agree. */
#if defined(__aarch64__)
#define ADD_SQUARE(sum, d) vfmaq_f32(sum, d, d)
#define ADD_ONE_SQUARE(sum, d) __builtin_fmaf(d, d, sum)
#else
#define ADD_SQUARE(sum, d) ((sum) + (d) * (d))
#define ADD_ONE_SQUARE(sum, d) ((sum) + (d) * (d))
#endif

/* Some elements' mean, of those in places 0, n / 3, n - 1 - n / 3 and n - 1. */
static inline float pivot_of(float a, float b, float c, float d) { return ((a + b) + (c + d)) * 0.25f; }

/* Is the sum of n squares good, of which `off` is due to the pivot? Squares below 2^-126 are not, and each may be one
 * of them. NaN: no. */
static inline bool is_good_spread(double n, double off, double squares)
{
    return (off <= 0.75 * squares) & (squares > 0x1p-96 * n) & (squares < (double)__FLT_MAX__);
}

#endif
