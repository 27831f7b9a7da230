/* Normalisation of arrays to a common scale, over all elements or over any set of axes.
 *
 * `axes` is a set of axes, such as TESS_H | TESS_W for each image separately; 0 means all axes. `out` may be exactly
 * `in`, or zeroed: then it is allocated with the shape and dtype of `in`, except that bool and integers of up to 16
 * bits become f32, wider ones f64. An allocated `out` has that shape and any dtype that the result can be converted to,
 * as in tess_cast. Offsets, divisors and intermediate results are in f64 and are rounded once. NaNs and infinities
 * propagate as in the formulas. Empty arrays are left alone.
 */
#ifndef TESSERA_NORMALIZE_H
#define TESSERA_NORMALIZE_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef enum tess_normalize_mode {
    TESS_NORMALIZE_DEFAULT,  /* MEAN_STD */
    TESS_NORMALIZE_MIN_MAX,  /* (x - min) / (max - min): from 0 to 1; zeros if all are equal. Real numbers only */
    TESS_NORMALIZE_MEAN_STD, /* (x - mean) / std: mean 0, standard deviation 1; zeros if all are equal */
    TESS_NORMALIZE_L2,       /* x / norm: L2 norm 1; zeros stay zeros */
    TESS_NORMALIZE_MEAN_L2,  /* mean 0, L2 norm 1; zeros if all are equal */
    TESS_NORMALIZE_SUM       /* x / sum: sum 1; zeros stay zeros, nonzero elements with a sum of 0 become infinite */
} tess_normalize_mode;

typedef struct tess_normalize_opts {
    int32_t  mode;        /* a tess_normalize_mode [MEAN_STD] */
    int32_t  ddof;        /* MEAN_STD: the divisor of the variance is the number of elements minus this [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_normalize_opts;

/** Normalises elements by shifting and scaling them. */
TESS_API TESS_MUST_CHECK tess_status tess_normalize(tess_array *out, const tess_array *in, int axes,
                                                    const tess_normalize_opts *opts);

/** Normalises logarithms: computes x - logsumexp(x), so that the numbers add up to 1. If all are -inf, they are
 *  unchanged. With a +inf, it becomes NaN and all others -inf. Real numbers only. */
TESS_API TESS_MUST_CHECK tess_status tess_log_normalize(tess_array *out, const tess_array *in, int axes);

TESS_END_C

#endif
