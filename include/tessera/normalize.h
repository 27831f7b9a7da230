/* Arrays brought to a common scale, as a whole or over any set of axes.
 *
 * `axes` is a set, TESS_H | TESS_W for every image by itself; 0 means all axes. `out` may be exactly `in`, or zeroed:
 * then it is made with the shape of `in` and its dtype, bool and integers of up to 16 bits becoming f32, wider ones
 * f64. An `out` that was made has that shape and any dtype that the result can be converted to, as in tess_cast. What
 * is subtracted and divided by is kept in f64, and so is what comes of it until it is rounded to the result. NaNs and
 * infinities spread as the formulas say. Of an empty array there is nothing to do.
 */
#ifndef TESSERA_NORMALIZE_H
#define TESSERA_NORMALIZE_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef enum tess_normalize_mode {
    TESS_NORMALIZE_DEFAULT,  /* MEAN_STD */
    TESS_NORMALIZE_MIN_MAX,  /* (x - min) / (max - min): from 0 to 1; zeros where all are equal. Real numbers only */
    TESS_NORMALIZE_MEAN_STD, /* (x - mean) / std: mean 0, standard deviation 1; zeros where all are equal */
    TESS_NORMALIZE_L2,       /* x / norm: L2 norm 1; zeros stay zeros */
    TESS_NORMALIZE_MEAN_L2,  /* mean 0, L2 norm 1; zeros where all are equal */
    TESS_NORMALIZE_SUM       /* x / sum: sum 1; zeros stay zeros, other numbers whose sum is 0 become infinite */
} tess_normalize_mode;

typedef struct tess_normalize_opts {
    int32_t  mode;        /* a tess_normalize_mode [MEAN_STD] */
    int32_t  ddof;        /* MEAN_STD: the divisor of the variance is the number of elements less this [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_normalize_opts;

/** Shift and scale numbers to a common scale. */
TESS_API TESS_MUST_CHECK tess_status tess_normalize(tess_array *out, const tess_array *in, int axes,
                                                    const tess_normalize_opts *opts);

/** x - logsumexp(x): logarithms of numbers whose sum becomes 1. All -inf: they stay. With +inf: all others become -inf,
 *  and +inf NaN. Real numbers only. */
TESS_API TESS_MUST_CHECK tess_status tess_log_normalize(tess_array *out, const tess_array *in, int axes);

TESS_END_C

#endif
