/* Sorting, searching, quantiles, histograms, and elements taken by their place or by a mask.
 *
 * The order of real numbers is that of <, NaNs last in both directions; zeros of both signs are equal. Equal elements
 * keep their order in both directions, so what is said of indices does not depend on anything but the elements. Complex
 * and compound elements have no order.
 *
 * `axis` is a number: 0 to 3, or -1 to -4 from the end; `axes` is a set, 0 for all. Places are i64, counted along the
 * axis or, where there is none, in b, d, h, w order; an integer array that was made takes them if it can hold them.
 * Functions whose result has a length that depends on the elements wait for it, and `out` must be zeroed.
 */
#ifndef TESSERA_ORDER_H
#define TESSERA_ORDER_H

#include "tessera/array.h"

TESS_BEGIN_C

/* ---- Sorting ---- */

typedef struct tess_sort_opts {
    int32_t  descending;  /* 1: the largest first [0] */
    uint32_t reserved[7]; /* must be 0 */
} tess_sort_opts;

/** The elements of each line along an axis in order, bit for bit: zeros come as -0, +0, if descending as +0, -0; but a
 *  bool comes as 0 or 1, here and in all functions that order elements, whatever its byte. `out` may be exactly `in`,
 *  or of another dtype, to which elements are then converted. */
TESS_API TESS_MUST_CHECK tess_status tess_sort(tess_array *out, const tess_array *in, int axis,
                                               const tess_sort_opts *opts);

/** The indices that would sort each line: tess_take_along of them is tess_sort, but for the signs of zeros
 *  and the order of NaNs of different bits, which tess_sort puts in the order of their bits. */
TESS_API TESS_MUST_CHECK tess_status tess_argsort(tess_array *out, const tess_array *in, int axis,
                                                  const tess_sort_opts *opts);

/** Each line with element `kth` (negative: from the end) where tess_sort would put it, those before it not larger,
 *  those behind it not smaller; NaNs are larger than all others, and -0 is smaller than +0. Elements below it keep
 *  their order, and so do those above, NaNs among them. In linear time whatever they are. `out` as for tess_sort. */
TESS_API TESS_MUST_CHECK tess_status tess_partition(tess_array *out, const tess_array *in, int64_t kth, int axis);

typedef struct tess_topk_opts {
    int32_t  smallest;    /* 1: the smallest [0: the largest] */
    uint32_t reserved[7]; /* must be 0 */
} tess_topk_opts;

/** The k largest elements of each line, the largest first, and their indices, of equals the first; NaNs come last, so
 *  that they are taken only where there is nothing else. k is 0 to the length of a line. Either output may be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_topk(tess_array *values, tess_array *indices, const tess_array *in, int64_t k,
                                               int axis, const tess_topk_opts *opts);

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

/** n quantiles in one go: the innermost of the reduced axes has n elements in the result. */
TESS_API TESS_MUST_CHECK tess_status tess_quantiles(tess_array *out, const tess_array *in, const double *q, int64_t n,
                                                    int axes, const tess_quantile_opts *opts);

/** Of the whole array, to the host. */
TESS_API TESS_MUST_CHECK tess_status tess_host_median(double *out, const tess_array *in);
TESS_API TESS_MUST_CHECK tess_status tess_host_quantile(double *out, const tess_array *in, double q,
                                                       const tess_quantile_opts *opts);

/* ---- Searching ---- */

typedef struct tess_searchsorted_opts {
    int32_t  right;       /* 1: the last such place, behind equal elements; 0: the first [0] */
    uint32_t reserved[7]; /* must be 0 */
} tess_searchsorted_opts;

/** Where each value would go into a sorted row {..,n}, so that it stays sorted; the rows broadcast to those of `values`
 *  over B, D and H. Both are compared in their common dtype. Whether the rows are sorted is not checked. */
TESS_API TESS_MUST_CHECK tess_status tess_searchsorted(tess_array *out, const tess_array *sorted,
                                                       const tess_array *values, const tess_searchsorted_opts *opts);

/** The different elements of an array in order, {1,1,1,n}, NaNs as one, a zero as +0; and, where not NULL, how often
 *  each is there, the first place of each, and for each element of `in`, in its shape, which one it is. */
TESS_API TESS_MUST_CHECK tess_status tess_unique(tess_array *values, tess_array *counts, tess_array *indices,
                                                 tess_array *inverse, const tess_array *in);

typedef struct tess_histogram_opts {
    double            low;         /* where the first bin begins [with high 0 too: the least element] */
    double            high;        /* where the last bin ends, which includes it [with low 0 too: the largest] */
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

/* ---- Elements by place and by mask ---- */

typedef struct tess_put_opts {
    int32_t  add;         /* 1: elements are added to what is there, in their order [0: the last one stands] */
    uint32_t reserved[7]; /* must be 0 */
} tess_put_opts;

/** Slices of `in` along an axis: slice i of the result is slice indices[i]. `indices` has one axis longer than 1, or one
 *  element; negative ones count from the end, and one that is not there is an error that names it. Any dtype. */
TESS_API TESS_MUST_CHECK tess_status tess_take(tess_array *out, const tess_array *in, const tess_array *indices,
                                               int axis);

/** Elements along an axis, each by its own place: out[.., i, ..] = in[.., indices[.., i, ..], ..]. The other axes of
 *  `in` and `indices` broadcast to each other. */
TESS_API TESS_MUST_CHECK tess_status tess_take_along(tess_array *out, const tess_array *in, const tess_array *indices,
                                                     int axis);

/** The other way round: slice indices[i] of `out`, which was made, becomes slice i of `in`, which broadcasts to them. In
 *  the order of indices, the same for any number of threads. */
TESS_API TESS_MUST_CHECK tess_status tess_put(tess_array *out, const tess_array *in, const tess_array *indices, int axis,
                                              const tess_put_opts *opts);

/** Elements of the whole of `in`, by their indices in b, d, h, w order whatever its strides, in the shape of `indices`:
 *  what tess_compress and tess_unique give, and others. Negative ones count from the end; one that is not there is an
 *  error that names it. Any dtype. */
TESS_API TESS_MUST_CHECK tess_status tess_take_flat(tess_array *out, const tess_array *in, const tess_array *indices);

/** The other way round: element indices[i] of the whole of `out`, which was made, becomes in[i]; `in` broadcasts to the
 *  shape of `indices`. In their b, d, h, w order, the same for any number of threads. */
TESS_API TESS_MUST_CHECK tess_status tess_put_flat(tess_array *out, const tess_array *in, const tess_array *indices,
                                                   const tess_put_opts *opts);

/** The elements whose mask (bool, or numbers that are not 0; broadcasts to `in`) is set, in b, d, h, w order,
 *  {1,1,1,n}; and, where not NULL, their indices. `values` may be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_compress(tess_array *values, tess_array *indices, const tess_array *in,
                                                   const tess_array *mask);

/** The other way round: the elements of `out`, which was made, whose mask is set become those of `values` in turn;
 *  there must be as many, or one number of the caller's (tessera/scalar.h), which is for all of them. */
TESS_API TESS_MUST_CHECK tess_status tess_place(tess_array *out, const tess_array *values, const tess_array *mask);

TESS_END_C

#endif
