/* Reductions over any set of axes of an array, or over all of it: sums, moments, minima and maxima, quantiles,
 * histograms.
 *
 * `axes` is a set, TESS_H | TESS_W for every image; 0 means all axes. In the result the reduced axes have size 1, so
 * that it broadcasts back onto the input. `out` follows the output rule; if it was made, its dtype may be any that the
 * result can be converted to (as in tess_cast), and a sum kept in f64 inside is converted only once.
 *
 * Results depend on the elements and their indices alone: not on strides, on the number of threads or on the
 * instruction set. On a GPU sums and products of floats are made in an order of their own, which shape, strides and
 * dtypes fix: they are the same on every GPU, and beside the CPU's differ by roundings of f64, in which they are made;
 * variances of f32 are as good as those of f64. All other results are the CPU's. The functions tess_host_… reduce the
 * whole array to a number on the host, and wait for it; a name that goes on in _int, _uint or _complex says what that
 * is.
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
 * Integer sums and products wrap. Numbers of f16 and f32 are summed in f64; into f16 or f32, up to four of them are
 * added in f32 before, over axes without the innermost or where a result has at most 32. A NaN makes the result NaN,
 * also for min and max. Of nothing, the sum is 0, the product 1, logsumexp -inf, any 0, all 1, the norm 0; mean, rmsd,
 * min, max, argmin and argmax of nothing are errors; var and std are NaN where there are not more elements than ddof.
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

typedef struct tess_argmin_opts {
    int32_t  skip_nan;    /* 1: NaNs are left out, as if they were not there [0] */
    int32_t  last;        /* 1: the last of equal elements, or of NaNs, not the first [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_argmin_opts;

/* ---- Over a set of axes ----------------------------------------------------------------------------------------- */

/** Sum. f32 results of elements of one sign are within 1 ulp up to 2^28 of them; on the CPU, over axes without the
 * innermost or of up to 32 elements, within 3 * 2^-24 of themselves (less than 3 ulp). Into an f64 `out` all is added
 * in f64. */
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

/** Mean and variance, mean and standard deviation, in one pass; each is, bit for bit, what its own function gives, the
 * mean what tess_mean gives in f64, rounded. */
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
 *  equals (-0 and +0 are equal here), or with opts->last the last; the first NaN, or the last, if there is one; with
 *  skip_nan, -1 where all are NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_argmin(tess_array *out, const tess_array *in, int axes,
                                                 const tess_argmin_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_argmax(tess_array *out, const tess_array *in, int axes,
                                                 const tess_argmin_opts *opts);

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

/* ---- Quantiles ---- */

/** How a quantile that falls between two elements is found: the names and rules of NumPy. Of CLOSEST_OBSERVATION, half
 *  way between two, the one of even rank counted from 1, as in NumPy from 2.1 on and in R. */
typedef enum tess_quantile_method {
    TESS_QUANTILE_DEFAULT, /* LINEAR */
    TESS_QUANTILE_LINEAR,
    TESS_QUANTILE_LOWER,
    TESS_QUANTILE_HIGHER,
    TESS_QUANTILE_NEAREST,
    TESS_QUANTILE_MIDPOINT,
    TESS_QUANTILE_INVERTED_CDF,
    TESS_QUANTILE_AVERAGED_INVERTED_CDF,
    TESS_QUANTILE_CLOSEST_OBSERVATION,
    TESS_QUANTILE_INTERPOLATED_INVERTED_CDF,
    TESS_QUANTILE_HAZEN,
    TESS_QUANTILE_WEIBULL,
    TESS_QUANTILE_MEDIAN_UNBIASED,
    TESS_QUANTILE_NORMAL_UNBIASED
} tess_quantile_method;

typedef struct tess_quantile_opts {
    int32_t  method;      /* a tess_quantile_method [LINEAR] */
    int32_t  skip_nan;    /* 1: NaNs are left out; 0: a NaN makes the result NaN [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_quantile_opts;

typedef struct tess_median_opts {
    int32_t  skip_nan;    /* 1: NaNs are left out [0] */
    uint32_t reserved[7]; /* must be 0 */
} tess_median_opts;

/** The middle element, or the mean of the two in the middle. Dtypes as for tess_mean: f64 of integers, f32 of f16 and
 *  f32, computed in f64 and rounded once. The input is not changed. Time is linear whatever the elements are. Of
 *  nothing: an error; of NaNs alone, NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_median(tess_array *out, const tess_array *in, int axes,
                                                 const tess_median_opts *opts);

/** The quantile q, from 0 to 1; dtypes as for tess_median. An element with no weight has no say, so that an infinity
 *  next to the result does not make it NaN; with any weight the result is that infinity, and between both it is NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_quantile(tess_array *out, const tess_array *in, double q, int axes,
                                                   const tess_quantile_opts *opts);

/** n quantiles, fused: the innermost of the reduced axes has n elements in the result. */
TESS_API TESS_MUST_CHECK tess_status tess_quantiles(tess_array *out, const tess_array *in, const double *q, int64_t n,
                                                    int axes, const tess_quantile_opts *opts);

/** Of the whole array, to the host. */
TESS_API TESS_MUST_CHECK tess_status tess_host_median(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_quantile(double *out, const tess_array *in, double q,
                                                        const tess_quantile_opts *opts);

/* ---- Histograms ---- */

typedef struct tess_histogram_opts {
    double            low;         /* start of the first bin [the smallest element, if both are 0] */
    double            high;        /* end of the last bin, which includes it [the largest element, if both are 0] */
    const tess_array *edges;       /* {1,1,1,bins+1}, rising, f64: bins of any widths, also infinite [none: equal] */
    const tess_array *weights;     /* each element counts as its weight; broadcasts to in; the result is f64 [none] */
    int32_t           density;     /* 1: f64, over the sum of all and the width of the bin; 0 of an empty bin [0] */
    uint32_t          reserved[5]; /* must be 0 */
} tess_histogram_opts;

/** How many elements lie in each of `bins` bins; those outside and NaNs in none. The innermost of the reduced axes has
 *  `bins` elements in the result, i64. A range that is not given is that of the whole array, the same for all results;
 *  it is waited for; one of a single number goes half a unit to both sides, or as far as f64 can tell. Bin i has
 *  edges[i] <= x < edges[i+1]; equal ones have the edges of NumPy's linspace, rounded to f16 or f32 for elements of
 *  these, unless the range is then empty or infinite. Elements are compared as f64: i64 and u64 beyond 2^53 are rounded
 *  to it. */
TESS_API TESS_MUST_CHECK tess_status tess_histogram(tess_array *out, const tess_array *in, int64_t bins, int axes,
                                                    const tess_histogram_opts *opts);

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
