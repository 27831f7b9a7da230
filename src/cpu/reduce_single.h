/* Variances of f32 whose results are f32 too: distances from a pivot near the mean, and their squares, are made in f32,
 * and summed so, DEPTH of them one after the other, by a product and a sum that are rounded each. These sums are added
 * as f64; so are the elements, in the order of their sum.
 *
 * A square is good to 3 2^-24 of itself, two for the distance and one for the product; a sum of DEPTH of them to 3
 * more. As long as no more than MOST_OFF of the squares is due to the pivot, the variance is off by at most 15 2^-24 of
 * itself, and 16 once it is rounded: less than 1e-6. Where more is, or squares leave the range of f32, other kernels
 * do it again.
 */
#ifndef TESS_CPU_REDUCE_SINGLE_H
#define TESS_CPU_REDUCE_SINGLE_H

#include <stdbool.h>
#include <stdint.h>

enum { DEPTH = 4, PLACES = 8 };

#define MOST_OFF 0.6

/* The pivot of n numbers is the mean of PLACES of them, spread so: of normal numbers, one in 2000 is not good. */
static inline int64_t place_of(int64_t n, int i) { return (n / PLACES) * i + n / (2 * PLACES); }

static inline float pivot_of(const float *x, int64_t n)
{
    float sum[PLACES];
    for (int i = 0; i < PLACES; i++) sum[i] = x[place_of(n, i)];
    for (int h = PLACES / 2; h > 0; h /= 2)
        for (int i = 0; i < h; i++) sum[i] += sum[i + h];
    return sum[0] * (1.0f / PLACES);
}

/* Is the sum of n squares good, of which `off` is due to the pivot? Squares below 2^-126 are not, and each may be one
 * of them. NaN: no. */
static inline bool is_good_spread(double n, double off, double squares)
{
    return (off <= MOST_OFF * squares) & (squares > 0x1p-96 * n) & (squares < (double)__FLT_MAX__);
}

#endif
