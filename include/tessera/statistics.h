/* Statistics for signal processing: spectra and images brought to a common scale, averaged power spectra, covariances.
 *
 * Arrays have any strides. An `out` that is zeroed is made; one that was made may be exactly `in` where that is said.
 * Of an empty array there is nothing to do.
 */
#ifndef TESSERA_STATISTICS_H
#define TESSERA_STATISTICS_H

#include "tessera/array.h"
#include "tessera/fft.h"

TESS_BEGIN_C

/* ---- A common scale ---------------------------------------------------------------------------------------------- */

typedef struct tess_standardize_opts {
    double   start, stop; /* range of frequencies, as of tess_lowpass [0, all] */
    int32_t  from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t  no_endpoint; /* 1: the range ends before `stop` [0] */
    int32_t  norm;        /* of the transforms, a tess_fft_norm [BACKWARD] */
    uint32_t reserved[4]; /* must be 0 */
} tess_standardize_opts;

/** Scale a spectrum of logical `shape` so that each batch of its inverse transform has mean 0 and standard deviation 1:
 *  the zero frequency becomes 0, all else is multiplied by S / sqrt(sum of |x|^2), the sum without the zero frequency
 *  and over the full spectrum, so that in half layouts columns count twice but for column 0 and, of an even width,
 *  column w/2. S is 1 for FORWARD, sqrt(N) for ORTHO, N for BACKWARD and for NONE, with which the caller still divides
 *  the inverse by N = d h w. Where all else is 0 the result is 0. A spectrum whose range begins
 *  above 0 has no zero frequency, and its column 0 counts twice, too. Complex numbers; `out` may be exactly `in` if the
 *  layout stays, and a real one receives the power. */
TESS_API TESS_MUST_CHECK tess_status tess_standardize(tess_array *out, const tess_array *in, tess_shape shape,
                                                      const tess_standardize_opts *opts);

typedef struct tess_normalize_background_opts {
    double   shift_d, shift_h, shift_w; /* the centre is at n / 2 plus this, in pixels [0] */
    int32_t  inside;                    /* 1: by mean and deviation inside the radius [0: outside] */
    int32_t  ddof;                      /* the divisor of the variance is the number of pixels less this [0] */
    double   white_dust, black_dust;    /* replace pixels this many deviations above, or below, the mean by the
                                           mean; both are then computed again [none] */
    int32_t  ramp;                      /* 1: before that, the plane that fits the background best is subtracted [0] */
    uint32_t reserved[1];               /* must be 0 */
} tess_normalize_background_opts;

/** (x - mean) / deviation of each batch, a signal, an image or a volume, where both are those of the pixels that are
 *  more than `radius` pixels from the centre, n / 2 of each axis: the background of a particle has mean 0 and standard
 *  deviation 1 then. Where all of these are equal the result is 0. Real numbers; f16, f32 or f64 are as they are, bool
 *  and integers of up to 16 bits become f32, wider ones f64. Sums are in f64. `out` may be exactly `in`. On a GPU sums
 *  are added in another order, within 1e-12 of each other. The plane of `ramp` is one of least squares along all axes
 *  longer than 1; images without it, and without dust, are kept in f32, or f64, in between. */
TESS_API TESS_MUST_CHECK tess_status tess_normalize_background(tess_array *out, const tess_array *in, double radius,
                                                               const tess_normalize_background_opts *opts);

/* ---- Averages ---------------------------------------------------------------------------------------------------- */

typedef enum tess_power_window {
    TESS_POWER_WINDOW_DEFAULT, /* NONE */
    TESS_POWER_WINDOW_NONE,    /* patches as they are */
    TESS_POWER_WINDOW_HANN,    /* times the periodic Hann window along each axis */
    TESS_POWER_WINDOW_HAMMING, /* and so on */
    TESS_POWER_WINDOW_BLACKMAN
} tess_power_window;

typedef struct tess_average_power_opts {
    int64_t  step_d, step_h, step_w; /* pixels from one patch to the next along each axis [half a patch] */
    int32_t  window;                 /* a tess_power_window [NONE] */
    int32_t  keep_mean;              /* 1: the mean of each patch is not subtracted [0] */
    int32_t  together;               /* 1: one spectrum of all batches, {1,..} [0: one of each] */
    int32_t  norm;                   /* of the transform, a tess_fft_norm [BACKWARD] */
    int32_t  layout;                 /* of the result, a tess_fft_layout [H] */
    uint32_t reserved[5];            /* must be 0 */
} tess_average_power_opts;

/** The mean of |FFT|^2 over patches of each batch (Welch's method): the averaged power spectrum of a micrograph.
 *  `patch` is {1,1,h,w} for images, {1,d,h,w} for volumes; patches begin at multiples of the step, as many as lie
 *  inside as a whole. The mean of each is subtracted, it is multiplied with the window, and its power divided by the
 *  mean square of that, so that white noise keeps its power. Real numbers; the result is f32, of f64 and wide integers
 *  f64, or f32 or f64 as `out` was made. Powers are averaged in f64, in the order of the patches. */
TESS_API TESS_MUST_CHECK tess_status tess_average_power(tess_array *out, const tess_array *in, tess_shape patch,
                                                        const tess_average_power_opts *opts);

typedef struct tess_covariance_opts {
    int32_t  elements;    /* 1: of the elements, over the batches [0: of the batches, over their elements] */
    int32_t  ddof;        /* the divisor is the number of observations less this; NumPy's cov takes 1 [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_covariance_opts;

/** The covariance matrix, {1,1,m,m}: element (i, j) is the mean of (x_i - mean of x_i) conj(x_j - mean of x_j). Each
 *  batch is one variable, observed at its n = d h w elements, and m = b; or, with `elements`, each of the n elements is
 *  one, observed in b batches, and m = n. f32, f64, c32 or c64, integers as in tess_sqrt; sums are those of
 *  tess_matmul. `out` overlaps nothing. */
TESS_API TESS_MUST_CHECK tess_status tess_covariance(tess_array *out, const tess_array *in,
                                                     const tess_covariance_opts *opts);

/** The mean, and the L2 norm of the distances from it, sqrt(sum of |x - mean|^2), over a set of axes (0: all): as
 *  tess_mean_std, times the root of the number of elements. `norm` is real: f16, f32 or f64. */
TESS_API TESS_MUST_CHECK tess_status tess_mean_l2_norm(tess_array *mean, tess_array *norm, const tess_array *in,
                                                       int axes);

TESS_END_C

#endif
