/* Median, rank and quantile filters: each result is one of the elements in a window around its position.
 *
 * `window` has odd sizes along d, h and w, and 1 along b, and is centred on the position of the result. All real
 * dtypes. Elements are ordered as in tess_sort and NumPy: NaNs come last, whatever their sign, and results that are NaN
 * have the same bits; -0 comes before +0. Values outside are given by the border (tessera/border.h), with the option
 * `value` converted to the dtype of `in`. With TESS_BORDER_NOTHING, results whose window is not completely inside are
 * not written, and `out` must be allocated. `out` has the dtype and shape of `in`, any strides, and must not overlap
 * it, except in tess_remove_outliers. Results of the filters are bit-identical on every device.
 */
#ifndef TESSERA_RANK_FILTER_H
#define TESSERA_RANK_FILTER_H

#include "tessera/array.h"
#include "tessera/border.h"

TESS_BEGIN_C

typedef struct tess_rank_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_rank_opts;

/** Computes the median of each window. */
TESS_API TESS_MUST_CHECK tess_status tess_median_filter(tess_array *out, const tess_array *in, tess_shape window,
                                                        const tess_rank_opts *opts);

/** Finds the element of each window with this rank: 0 is the minimum, 1 the next; -1 is the maximum, -2 the one
 *  before. */
TESS_API TESS_MUST_CHECK tess_status tess_rank_filter(tess_array *out, const tess_array *in, tess_shape window,
                                                      int64_t rank, const tess_rank_opts *opts);

/** Finds a quantile of each window: the element at index (n - 1) q, rounded to an integer (halves to even), of its n
 *  elements in order. q = 0 is the minimum, 0.5 the median, 1 the maximum. */
TESS_API TESS_MUST_CHECK tess_status tess_quantile_filter(tess_array *out, const tess_array *in, tess_shape window,
                                                          double q, const tess_rank_opts *opts);

typedef struct tess_outliers_opts {
    int32_t     border;      /* a tess_border other than NOTHING [MIRROR] */
    int32_t     unused;      /* must be 0 */
    double      value;       /* border VALUE: value outside [0] */
    tess_shape  window;      /* odd sizes of the window [3 along w, and along h and d where they are longer than 1] */
    tess_array *count;       /* receives the number of elements replaced in each batch, i64 {b,1,1,1} [none] */
    uint32_t    reserved[4]; /* must be 0 */
} tess_outliers_opts;

/** Replaces hot and dead pixels by the median of their window. A pixel is hot or dead if |in - median| exceeds
 *  `threshold`, which is above 0, times the standard deviation of in - median over its batch (tess_std). All others are
 *  unchanged, and so are batches in which a difference is NaN or infinite. `out` may be exactly `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_remove_outliers(tess_array *out, const tess_array *in, double threshold,
                                                          const tess_outliers_opts *opts);

TESS_END_C

#endif
