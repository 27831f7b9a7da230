/* Median, rank and quantile filters: each result is one of the elements in a window around its position.
 *
 * `window` has an odd size along d, h and w, and 1 along b; the window of a result has it in its centre. All real
 * dtypes. The order is that of tess_sort and NumPy: NaNs come last, whatever their sign, and are one NaN as results; -0
 * comes before +0. What lies outside is the border's (tessera/border.h), the value being converted to the dtype of
 * `in`; with TESS_BORDER_NOTHING, results whose window is not inside are not written, and `out` must have been made.
 * `out` is of the dtype and shape of `in`, of any strides, and does not overlap it. The results are the same bits on
 * every device.
 */
#ifndef TESSERA_RANK_FILTER_H
#define TESSERA_RANK_FILTER_H

#include "tessera/array.h"
#include "tessera/border.h"

TESS_BEGIN_C

typedef struct tess_rank_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: what is outside [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_rank_opts;

/** The median of each window. */
TESS_API TESS_MUST_CHECK tess_status tess_median_filter(tess_array *out, const tess_array *in, tess_shape window,
                                                        const tess_rank_opts *opts);

/** The element of each window that has this rank: 0 is the minimum, 1 the next; -1 is the maximum, -2 the one before.
 *  */
TESS_API TESS_MUST_CHECK tess_status tess_rank_filter(tess_array *out, const tess_array *in, tess_shape window,
                                                      int64_t rank, const tess_rank_opts *opts);

/** The element at index (n - 1) q, rounded to an integer (halves to the even one), of the n elements of each window in
 *  order: q = 0 is the minimum, 0.5 the median, 1 the maximum. */
TESS_API TESS_MUST_CHECK tess_status tess_quantile_filter(tess_array *out, const tess_array *in, tess_shape window,
                                                          double q, const tess_rank_opts *opts);

typedef struct tess_outliers_opts {
    int32_t     border;      /* a tess_border other than NOTHING [MIRROR] */
    int32_t     unused;      /* must be 0 */
    double      value;       /* border VALUE: what is outside [0] */
    tess_shape  window;      /* odd sizes, 0: [3 along h and w, and along d if that is longer than 1] */
    tess_array *count;       /* i64 {b,1,1,1}: how many elements of each batch were replaced [none] */
    uint32_t    reserved[4]; /* must be 0 */
} tess_outliers_opts;

/** Replace hot and dead pixels: elements whose distance from the median of their window is more than `threshold` times
 *  the standard deviation of those distances (in - median) over their batch become that median; all others stay. An
 *  element whose distance is NaN stays; batches with such are left as they are. */
TESS_API TESS_MUST_CHECK tess_status tess_remove_outliers(tess_array *out, const tess_array *in, double threshold,
                                                          const tess_outliers_opts *opts);

TESS_END_C

#endif
