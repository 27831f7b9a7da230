/* Reductions: sums, statistics and extremes over any set of axes of an array, or over all of it.
 *
 * `axes` is a set, TESS_H | TESS_W for every image; 0 means all axes. In the result the reduced axes have size 1, so
 * that it broadcasts back onto the input. `out` follows the output rule; if it was made, its dtype may be any that the
 * result can be converted to (as in tess_cast), and a sum kept in f64 inside is converted only once.
 *
 * Results depend on the elements and their indices alone: not on strides, on the number of threads or on the
 * instruction set. On a GPU sums and products of floats are made in an order of their own, which shape, strides and
 * dtypes fix: they are the same on every GPU, and beside the CPU's differ by roundings of f64, in which they are made;
 * variances of f32 are as good as those of f64. All other results are the CPU's. Each function that ends in a type's
 * name (tess_host_sum) reduces the whole array to a number on the host, and waits for it.
 *
 *     in                 sum, prod     mean, var, std, norm, logsumexp     min, max
 *     bool, i8 to i64    i64           f64                                 as in
 *     u8 to u64          u64           f64                                 as in
 *     f16                f32           f32                                 f16
 *     f32                f32           f32                                 f32
 *     f64                f64           f64                                 f64
 *     c16, c32           c32           c32; var, std, norm: f32            not defined
 *     c64                c64           c64; var, std, norm: f64            not defined
 *
 * logsumexp, argmin and argmax are not defined for complex numbers either.
 *
 * Integer sums and products wrap. Numbers of f16 and f32 are summed in f64, element by element. A NaN makes the result
 * NaN, also for min and max. Of nothing, the sum is 0, the product 1, logsumexp -inf, any 0, all 1, the norm 0; mean,
 * rmsd, min, max, argmin and argmax of nothing are errors; var and std are NaN where there are not more elements than
 * ddof.
 */
#ifndef TESSERA_REDUCE_H
#define TESSERA_REDUCE_H

#include "tessera/array.h"
#include "tessera/normalize.h"
#include "tessera/scan.h"

TESS_BEGIN_C

typedef struct tess_reduce_opts {
    int32_t  skip_nan;    /* 1: NaNs are left out, as if they were not there [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_reduce_opts;

typedef struct tess_sum_opts {
    int32_t  skip_nan;    /* 1: NaNs are left out [0] */
    int32_t  compensated; /* 1: f64 sums carry their rounding errors along, and are as good as rounded once [0: added
                             in a tree] */
    uint32_t reserved[5]; /* must be 0 */
} tess_sum_opts;

typedef struct tess_var_opts {
    int32_t  ddof;        /* the divisor is the number of elements less this [0] */
    int32_t  skip_nan;    /* 1: NaNs are left out [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_var_opts;

typedef enum tess_norm_order {
    TESS_NORM_DEFAULT, /* L2 */
    TESS_NORM_L2,      /* root of the sum of squares */
    TESS_NORM_L1,      /* sum of magnitudes */
    TESS_NORM_MAX      /* largest magnitude */
} tess_norm_order;

typedef struct tess_norm_opts {
    int32_t  order;       /* a tess_norm_order [L2] */
    int32_t  skip_nan;    /* 1: NaNs are left out [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_norm_opts;

/* ---- Over a set of axes ----------------------------------------------------------------------------------------- */

/** Sum. f32 results are within 1 ulp up to 2^28 elements of one sign. */
TESS_API TESS_MUST_CHECK tess_status tess_sum(tess_array *out, const tess_array *in, int axes,
                                              const tess_sum_opts *opts);

/** Product. */
TESS_API TESS_MUST_CHECK tess_status tess_prod(tess_array *out, const tess_array *in, int axes,
                                               const tess_reduce_opts *opts);

/** Sum over number. Of nothing: TESS_ESHAPE. Where all are NaN and left out: NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_mean(tess_array *out, const tess_array *in, int axes,
                                               const tess_sum_opts *opts);

/** Mean of the squared distance from the mean; complex: of the squared magnitude. Never negative, and 0 exactly where
 *  all elements are equal; +inf where the squares of finite numbers go beyond f64. Of f32 and f16 into f32 within
 *  2^-23 of itself where f32 has all its digits; into an f64 array, or by tess_host_var, as good as that of f64. */
TESS_API TESS_MUST_CHECK tess_status tess_var(tess_array *out, const tess_array *in, int axes,
                                              const tess_var_opts *opts);

/** Root of the variance. Does not overflow where the result does not, also where the variance does; nor does it vanish
 *  where elements differ. On a GPU that holds while f64 can hold the sum of the distances between elements. */
TESS_API TESS_MUST_CHECK tess_status tess_std(tess_array *out, const tess_array *in, int axes,
                                              const tess_var_opts *opts);

/** Mean and variance, mean and standard deviation, in one pass; each is, bit for bit, what its own function gives. */
TESS_API TESS_MUST_CHECK tess_status tess_mean_var(tess_array *mean, tess_array *var, const tess_array *in, int axes,
                                                   const tess_var_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_mean_std(tess_array *mean, tess_array *std, const tess_array *in, int axes,
                                                   const tess_var_opts *opts);

/** A norm of the elements, seen as one vector. Does not overflow where the result does not. */
TESS_API TESS_MUST_CHECK tess_status tess_norm(tess_array *out, const tess_array *in, int axes,
                                               const tess_norm_opts *opts);

/** Smallest and largest element; -0 is below +0. A NaN is the result where there is one, or, with skip_nan, where all
 *  are. */
TESS_API TESS_MUST_CHECK tess_status tess_min(tess_array *out, const tess_array *in, int axes,
                                              const tess_reduce_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_max(tess_array *out, const tess_array *in, int axes,
                                              const tess_reduce_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_minmax(tess_array *min, tess_array *max, const tess_array *in, int axes,
                                                 const tess_reduce_opts *opts);

/** Index of the smallest and largest element, as i64: counted in b, d, h, w order within the reduced axes. The first of
 *  equals (-0 and +0 are equal here); the first NaN if there is one, or, with skip_nan, -1 where all are NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_argmin(tess_array *out, const tess_array *in, int axes,
                                                 const tess_reduce_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_argmax(tess_array *out, const tess_array *in, int axes,
                                                 const tess_reduce_opts *opts);

/** Is any element, are all elements other than 0, as bool; how many are, as i64. NaN is not 0. */
TESS_API TESS_MUST_CHECK tess_status tess_any(tess_array *out, const tess_array *in, int axes);
TESS_API TESS_MUST_CHECK tess_status tess_all(tess_array *out, const tess_array *in, int axes);
TESS_API TESS_MUST_CHECK tess_status tess_count_nonzero(tess_array *out, const tess_array *in, int axes);

/** log of the sum of exp(x), without overflow. All -inf: -inf. With +inf and no NaN: +inf. One element: itself. */
TESS_API TESS_MUST_CHECK tess_status tess_logsumexp(tess_array *out, const tess_array *in, int axes,
                                                    const tess_reduce_opts *opts);

/** Sum of a * b, without conjugation; each product is rounded to the accumulator's type. a and b broadcast to each
 *  other and are promoted as in tess_mul. */
TESS_API TESS_MUST_CHECK tess_status tess_dot(tess_array *out, const tess_array *a, const tess_array *b, int axes,
                                              const tess_sum_opts *opts);

/** Sum of in * weights over the sum of weights. `weights` is real and broadcasts to `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_weighted_mean(tess_array *out, const tess_array *in,
                                                        const tess_array *weights, int axes);

/** Root of the mean of |a - b|^2. a and b broadcast to each other. Does not overflow where the result does not, unless
 *  a - b does. */
TESS_API TESS_MUST_CHECK tess_status tess_rmsd(tess_array *out, const tess_array *a, const tess_array *b, int axes);

typedef enum tess_reduction_kind {
    TESS_REDUCE_SUM = 1,
    TESS_REDUCE_PROD,
    TESS_REDUCE_MEAN,
    TESS_REDUCE_VAR,
    TESS_REDUCE_STD,
    TESS_REDUCE_NORM, /* L2 */
    TESS_REDUCE_MIN,
    TESS_REDUCE_MAX,
    TESS_REDUCE_ARGMIN,
    TESS_REDUCE_ARGMAX,
    TESS_REDUCE_ANY,
    TESS_REDUCE_ALL,
    TESS_REDUCE_COUNT_NONZERO
} tess_reduction_kind;

typedef struct tess_reduction {
    int32_t     kind; /* a tess_reduction_kind */
    tess_array *out;  /* as in the function of that name */
} tess_reduction;

/** Several reductions of one array in one pass over it; each result is, bit for bit, that of its own function. At most
 *  8. `opts->ddof` is for var and std. */
TESS_API TESS_MUST_CHECK tess_status tess_reduce(const tess_reduction *items, int n, const tess_array *in, int axes,
                                                 const tess_var_opts *opts);

/* ---- Of the whole array, to the host ---------------------------------------------------------------------------- */

TESS_API TESS_MUST_CHECK tess_status tess_host_sum(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_sum_complex(double out[2], const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_prod(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_prod_complex(double out[2], const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_mean(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_mean_complex(double out[2], const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_var(double *out, const tess_array *in, const tess_var_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_host_std(double *out, const tess_array *in, const tess_var_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_host_mean_std(double *mean, double *std, const tess_array *in,
                                                       const tess_var_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_host_norm(double *out, const tess_array *in, const tess_norm_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_host_min(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_max(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_minmax(double *min, double *max, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_any(bool *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_all(bool *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_count_nonzero(int64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_logsumexp(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_dot(double *out, const tess_array *a, const tess_array *b);
TESS_API TESS_MUST_CHECK tess_status tess_host_dot_complex(double out[2], const tess_array *a, const tess_array *b);
TESS_API TESS_MUST_CHECK tess_status tess_host_rmsd(double *out, const tess_array *a, const tess_array *b);

/** Of integers and bool only. A result that the type does not hold is TESS_ERANGE: a u64 above INT64_MAX in i64, one
 *  below 0 in u64. Sums wrap in 64 bits before, as those of arrays. */
TESS_API TESS_MUST_CHECK tess_status tess_host_sum_int(int64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_sum_uint(uint64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_min_int(int64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_min_uint(uint64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_max_int(int64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_max_uint(uint64_t *out, const tess_array *in);

/** The same without the NaNs, as with skip_nan. Where all are NaN: the sum is 0, the product 1, logsumexp -inf, all
 *  others NaN. tess_host_var, tess_host_std, tess_host_mean_std and tess_host_norm take skip_nan. */
TESS_API TESS_MUST_CHECK tess_status tess_host_nansum(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanprod(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanmean(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanmin(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanmax(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanminmax(double *min, double *max, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanlogsumexp(double *out, const tess_array *in);

/** Where the first smallest or largest element is: its position (b, d, h, w), and its flat index (NULL: not wanted). */
TESS_API TESS_MUST_CHECK tess_status tess_host_argmin(int64_t position[4], int64_t *flat, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_argmax(int64_t position[4], int64_t *flat, const tess_array *in);

TESS_END_C

#endif
