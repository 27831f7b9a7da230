/* Reductions over any set of axes: sums, moments, minima and maxima, quantiles, histograms.
 *
 * `axes` is a set of axes, such as TESS_H | TESS_W for every image; 0 means all axes. In the result the reduced axes
 * have size 1, so that it broadcasts back onto the input. `out` follows the output rule. An allocated one may have any
 * dtype that the result can be converted to (as in tess_cast); a sum computed in f64 is converted only once.
 *
 * Results depend only on the elements and their indices, not on strides, the number of threads or the instruction set.
 * On a GPU, sums and products of floats use another order of summation, fixed by shape, strides and dtypes. They are
 * the same on every GPU and differ from the CPU's by roundings of f64; variances of f32 are as accurate as those of
 * f64. All other results equal the CPU's. The functions tess_host_… reduce the whole array to a number on the host and
 * synchronise with the device; the suffixes _int, _uint and _complex name the type of the number.
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
 * Integer sums and products wrap. f16 and f32 are summed in f64. On the CPU, sums and means with a result of f16 or f32
 * first add groups of up to four elements in f32 in two cases: each result has at most 32 elements, or the innermost
 * axis longer than 1 is kept and has at least 8 elements (docs/reductions.md). A NaN makes the result NaN, also for min
 * and max.
 *
 * For no elements, the sum is 0, the product 1, logsumexp -inf, any 0, all 1 and the norm 0; mean, rmsd, min, max,
 * argmin and argmax are errors; var and std are NaN if the number of elements does not exceed ddof.
 */
#ifndef TESSERA_REDUCE_H
#define TESSERA_REDUCE_H

#include "tessera/array.h"
#include "tessera/normalize.h"
#include "tessera/scan.h"

TESS_BEGIN_C

typedef struct tess_reduce_opts {
    int32_t  skip_nan;    /* 1: ignore NaNs [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_reduce_opts;

typedef struct tess_sum_opts {
    int32_t  skip_nan;    /* 1: ignore NaNs [0] */
    int32_t  compensated; /* 1: sums of f64 are compensated, and as accurate as if rounded once [0: pairwise summation
                             in a tree] */
    uint32_t reserved[5]; /* must be 0 */
} tess_sum_opts;

typedef struct tess_var_opts {
    int32_t  ddof;        /* delta degrees of freedom: the divisor is the number of elements minus this [0] */
    int32_t  skip_nan;    /* 1: ignore NaNs [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_var_opts;

typedef enum tess_norm_order {
    TESS_NORM_DEFAULT, /* L2 */
    TESS_NORM_L2,      /* square root of the sum of squares */
    TESS_NORM_L1,      /* sum of magnitudes */
    TESS_NORM_MAX      /* largest magnitude */
} tess_norm_order;

typedef struct tess_norm_opts {
    int32_t  order;       /* a tess_norm_order [L2] */
    int32_t  skip_nan;    /* 1: ignore NaNs [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_norm_opts;

typedef struct tess_argmin_opts {
    int32_t  skip_nan;    /* 1: ignore NaNs [0] */
    int32_t  last;        /* 1: return the last of equal elements, or of NaNs [0: the first] */
    uint32_t reserved[5]; /* must be 0 */
} tess_argmin_opts;

/* ---- Over a set of axes ----------------------------------------------------------------------------------------- */

/** Computes sums. f32 results of up to 2^28 elements of one sign are within 1 ulp; where groups of four are first added
 *  in f32 (see above), the relative error is within 3 * 2^-24 (less than 3 ulp). With an f64 `out`, all additions are
 *  in f64. */
TESS_API TESS_MUST_CHECK tess_status tess_sum(tess_array *out, const tess_array *in, int axes,
                                              const tess_sum_opts *opts);

/** Computes products. */
TESS_API TESS_MUST_CHECK tess_status tess_prod(tess_array *out, const tess_array *in, int axes,
                                               const tess_reduce_opts *opts);

/** Computes means. No elements are an error (TESS_ESHAPE). With skip_nan, the mean of NaNs alone is NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_mean(tess_array *out, const tess_array *in, int axes,
                                               const tess_sum_opts *opts);

/** Computes variances: the mean squared distance from the mean (complex: the squared magnitude of the distance). Never
 *  negative; exactly 0 if all elements are equal; +inf if the squares of finite numbers overflow f64. For f32 and f16
 *  with an f32 result, the relative error is within 2^-23 where f32 is normal; with an f64 array, or by tess_host_var,
 *  results are as accurate as for f64. */
TESS_API TESS_MUST_CHECK tess_status tess_var(tess_array *out, const tess_array *in, int axes,
                                              const tess_var_opts *opts);

/** Computes standard deviations. Overflows only if the result itself does, even if the variance would, and is never 0
 *  if elements differ. On a GPU this holds as long as f64 can hold the sum of the distances between elements. */
TESS_API TESS_MUST_CHECK tess_status tess_std(tess_array *out, const tess_array *in, int axes,
                                              const tess_var_opts *opts);

/** Computes mean and variance, or mean and standard deviation, in one pass. Results are bit-identical to those of the
 *  single functions; the mean is that of tess_mean in f64, rounded. */
TESS_API TESS_MUST_CHECK tess_status tess_mean_var(tess_array *mean, tess_array *var, const tess_array *in, int axes,
                                                   const tess_var_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_mean_std(tess_array *mean, tess_array *std, const tess_array *in, int axes,
                                                   const tess_var_opts *opts);

/** Computes a norm of the elements as one vector. Overflows only if the result itself does. */
TESS_API TESS_MUST_CHECK tess_status tess_norm(tess_array *out, const tess_array *in, int axes,
                                               const tess_norm_opts *opts);

/** Finds the smallest and the largest element; -0 is below +0. The result is NaN if there is a NaN, or, with skip_nan,
 *  if all elements are NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_min(tess_array *out, const tess_array *in, int axes,
                                              const tess_reduce_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_max(tess_array *out, const tess_array *in, int axes,
                                              const tess_reduce_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_minmax(tess_array *min, tess_array *max, const tess_array *in, int axes,
                                                 const tess_reduce_opts *opts);

/** Finds the index of the smallest or largest element, as i64, counted in b, d, h, w order within the reduced axes. Of
 *  equal elements the first is returned, or the last with opts->last (-0 and +0 are equal here). If there are NaNs, the
 *  index is that of the first one, or the last; with skip_nan it is -1 if all elements are NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_argmin(tess_array *out, const tess_array *in, int axes,
                                                 const tess_argmin_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_argmax(tess_array *out, const tess_array *in, int axes,
                                                 const tess_argmin_opts *opts);

/** Tests whether any or all elements are nonzero, as bool, or counts the nonzero elements, as i64. NaN is nonzero. */
TESS_API TESS_MUST_CHECK tess_status tess_any(tess_array *out, const tess_array *in, int axes);
TESS_API TESS_MUST_CHECK tess_status tess_all(tess_array *out, const tess_array *in, int axes);
TESS_API TESS_MUST_CHECK tess_status tess_count_nonzero(tess_array *out, const tess_array *in, int axes);

/** Computes the logarithm of the sum of exp(x), without overflow. If all elements are -inf, the result is -inf; with a
 *  +inf and no NaN it is +inf. A single element is returned unchanged. */
TESS_API TESS_MUST_CHECK tess_status tess_logsumexp(tess_array *out, const tess_array *in, int axes,
                                                    const tess_reduce_opts *opts);

/** Computes the sum of a * b, without conjugation; each product is rounded to the accumulator's type. a and b broadcast
 *  to each other and are promoted as in tess_mul. */
TESS_API TESS_MUST_CHECK tess_status tess_dot(tess_array *out, const tess_array *a, const tess_array *b, int axes,
                                              const tess_sum_opts *opts);

/** Computes weighted means: the sum of in * weights divided by the sum of weights. `weights` is real and broadcasts to
 *  `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_weighted_mean(tess_array *out, const tess_array *in,
                                                        const tess_array *weights, int axes);

/** Computes the root-mean-square deviation, the square root of the mean of |a - b|^2. a and b broadcast to each other.
 *  Overflows only if the result or a - b does. */
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
    tess_array *out;  /* output, as in the function of that name */
} tess_reduction;

/** Computes up to 8 reductions of one array in one pass. Each result is bit-identical to that of its own function.
 *  `opts->ddof` applies to var and std. */
TESS_API TESS_MUST_CHECK tess_status tess_reduce(const tess_reduction *items, int n, const tess_array *in, int axes,
                                                 const tess_var_opts *opts);

/* ---- Quantiles ---- */

/** How a quantile between two elements is computed, with the names and rules of NumPy. Halfway between two elements,
 *  CLOSEST_OBSERVATION takes the one of even rank, counted from 1, as in NumPy since 2.1 and in R. */
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
    int32_t  skip_nan;    /* 1: ignore NaNs; 0: a NaN makes the result NaN [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_quantile_opts;

typedef struct tess_median_opts {
    int32_t  skip_nan;    /* 1: ignore NaNs [0] */
    uint32_t reserved[7]; /* must be 0 */
} tess_median_opts;

/** Computes medians: the middle element, or the mean of the two middle ones. Dtypes are as for tess_mean: f64 for
 *  integers, f32 for f16 and f32, computed in f64 and rounded once. The input is not changed. Time is linear for any
 *  data. No elements are an error; NaNs alone give NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_median(tess_array *out, const tess_array *in, int axes,
                                                 const tess_median_opts *opts);

/** Computes the quantile q, from 0 to 1; dtypes are as for tess_median. An element with weight 0 is ignored, so that a
 *  neighbouring infinity does not give NaN. With any weight above 0 the result is that infinity, and between infinities
 *  of both signs it is NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_quantile(tess_array *out, const tess_array *in, double q, int axes,
                                                   const tess_quantile_opts *opts);

/** Computes n quantiles in one call: the innermost of the reduced axes has n elements in the result. */
TESS_API TESS_MUST_CHECK tess_status tess_quantiles(tess_array *out, const tess_array *in, const double *q, int64_t n,
                                                    int axes, const tess_quantile_opts *opts);

/** Compute a median or quantile of the whole array, on the host. They synchronise with the device. */
TESS_API TESS_MUST_CHECK tess_status tess_host_median(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_quantile(double *out, const tess_array *in, double q,
                                                        const tess_quantile_opts *opts);

/* ---- Histograms ---- */

typedef struct tess_histogram_opts {
    double            low;         /* lower edge of the first bin [the smallest element, if both are 0] */
    double            high;        /* upper edge of the last bin, included in it [the largest element, if both are 0] */
    const tess_array *edges;       /* bin edges, {1,1,1,bins+1}, in ascending order, f64; widths may be any, also 0 or
                                      infinite [none: equal bins] */
    const tess_array *weights;     /* weight of each element; broadcasts to in; the result is f64 [none] */
    int32_t           density;     /* 1: probability density, f64: counts divided by their sum and by the bin width; 0
                                      for an empty bin [0] */
    uint32_t          reserved[5]; /* must be 0 */
} tess_histogram_opts;

/** Counts the elements in each of `bins` bins; elements outside and NaNs are not counted. The innermost of the reduced
 *  axes has `bins` elements in the result, i64.
 *
 *  If no range is given, it is that of the whole array without NaNs, the same for all results; finding it
 *  synchronises with the device. If all elements are equal, it extends half a unit to both sides, or as little more
 *  as f64 can resolve. Bin i contains edges[i] <= x < edges[i+1]. Equal bins have the edges of NumPy's linspace,
 *  rounded to f16 or f32 for elements of these dtypes, unless the range then becomes empty or infinite. Elements are
 *  compared as f64: i64 and u64 beyond 2^53 are rounded to it. */
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

/** Reduce arrays of integers and bool to an integer. A result out of range is TESS_ERANGE: above INT64_MAX in i64,
 *  below 0 in u64. Sums wrap at 64 bits before that check, like those of arrays. */
TESS_API TESS_MUST_CHECK tess_status tess_host_sum_int(int64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_sum_uint(uint64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_min_int(int64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_min_uint(uint64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_max_int(int64_t *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_max_uint(uint64_t *out, const tess_array *in);

/** Reduce the whole array ignoring NaNs, as with skip_nan. If all elements are NaN, the sum is 0, the product 1,
 *  logsumexp -inf, and all others are NaN. tess_host_var, tess_host_std, tess_host_mean_std and tess_host_norm have the
 *  option skip_nan. */
TESS_API TESS_MUST_CHECK tess_status tess_host_nansum(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanprod(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanmean(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanmin(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanmax(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanminmax(double *min, double *max, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_nanlogsumexp(double *out, const tess_array *in);

/** Find the first smallest or largest element: its position (b, d, h, w), and its flat index (may be NULL). */
TESS_API TESS_MUST_CHECK tess_status tess_host_argmin(int64_t position[4], int64_t *flat, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_argmax(int64_t position[4], int64_t *flat, const tess_array *in);

TESS_END_C

#endif
