/* Scaled variances: those of f64 whose squares leave its range, while their roots do not.
 *
 * A negative m2 encodes a root: it is the root mean square of the distances, negated. Chunks and states use this
 * encoding only where the squares are not well inside the range.
 */
#ifndef TESS_CPU_REDUCE_VARIANCE_SCALED_H
#define TESS_CPU_REDUCE_VARIANCE_SCALED_H

#include "cpu/reduce/reduce.h"

/* A sum of squares below this has lost bits to underflow. */
#define TESS__MIN_SQUARES 0x1p-900

static inline bool tess__is_ordinary(double squares)
{
    return squares >= TESS__MIN_SQUARES && squares < __builtin_inf();
}

/* The root of the mean of n squares, in either encoding. */
double tess__root_mean(double squares, double n);

/* The inverse: as squares if these are in range. */
double tess__squares_of_root(double root, double n);

/* The variance, or its root, of n numbers. */
double tess__variance_of(double squares, double n, double divisor, bool root);

/* The largest exponent among reals, at least -1022; 0 if all are 0 or one is not finite. */
int tess__exponent_of(const double *x, int64_t n);

/* x over 2^exponent. */
void tess__scale_down(double *out, const double *x, int64_t n, int exponent);

/* The variance kernels of f64, with a second computation by exponent for what leaves the range. */
tess__reduce_fn         tess__variance, tess__var_prefetch, tess__variance_column;
tess__columns_fn        tess__variance_columns;
tess__column_results_fn tess__variance_results;

#endif
