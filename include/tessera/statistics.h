/* Statistics for signal processing: standardisation of spectra and images, averaged power spectra, covariances,
 * centres of mass.
 *
 * Arrays may have any strides. A zeroed `out` is allocated; an allocated one may be exactly `in` where the function
 * says so. Empty arrays are left alone.
 */
#ifndef TESSERA_STATISTICS_H
#define TESSERA_STATISTICS_H

#include "tessera/array.h"
#include "tessera/fft.h"

TESS_BEGIN_C

/* ---- A common scale ---------------------------------------------------------------------------------------------- */

typedef struct tess_standardize_opts {
    double   start, stop; /* range of frequencies, as in tess_lowpass [0, all] */
    int32_t  from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t  no_endpoint; /* 1: the range ends before `stop` [0] */
    int32_t  norm;        /* normalisation of the transforms, a tess_fft_norm [BACKWARD] */
    uint32_t reserved[4]; /* must be 0 */
} tess_standardize_opts;

/** Scales a spectrum of logical `shape` so that each batch of its inverse transform has mean 0 and standard deviation
 *  1.
 *
 *  The zero frequency becomes 0, and all other coefficients are multiplied by S / sqrt(sum of |x|^2). The sum is over
 *  the full spectrum without the zero frequency: in half layouts all columns count twice except column 0 and, for an
 *  even width, column w/2. S is 1 for FORWARD, sqrt(N) for ORTHO, and N for BACKWARD and NONE; with NONE the caller
 *  still divides the inverse by N = d h w. If all other coefficients are 0, the result is 0. A spectrum whose range
 *  begins above 0 has no zero frequency, and its column 0 counts twice too. Complex numbers. `out` may be exactly `in`
 *  if the layout stays the same; a real `out` receives the power. */
TESS_API TESS_MUST_CHECK tess_status tess_standardize(tess_array *out, const tess_array *in, tess_shape shape,
                                                      const tess_standardize_opts *opts);

typedef struct tess_normalize_background_opts {
    double   shift_d, shift_h, shift_w; /* shift of the centre from n / 2, in pixels [0] */
    int32_t  inside;                    /* 1: use mean and deviation inside the radius [0: outside] */
    int32_t  ddof;                      /* delta degrees of freedom: the divisor of the variance is the number of pixels
                                           minus this [0] */
    double   white_dust, black_dust;    /* replace pixels more than this many standard deviations above, or below, the
                                           mean by the mean; both are then computed again [none] */
    int32_t  ramp;                      /* 1: first subtract the plane that fits the background best [0] */
    uint32_t reserved[1];               /* must be 0 */
} tess_normalize_background_opts;

/** Normalises each batch, a signal, an image or a volume, by its background: (x - mean) / deviation. Mean and deviation
 *  are those of the pixels more than `radius` pixels from the centre, n / 2 of each axis, so that the background of a
 *  particle gets mean 0 and standard deviation 1. If these pixels are all equal, the result is 0.
 *
 *  Real numbers: f16, f32 and f64 are kept, bool and integers of up to 16 bits become f32, wider ones f64. Sums are in
 *  f64. `out` may be exactly `in`. A GPU adds in another order; results agree to within 1e-12. The plane of `ramp` is a
 *  least-squares fit along all axes longer than 1. Images without ramp and dust removal are kept in f32, or f64, in
 *  between. */
TESS_API TESS_MUST_CHECK tess_status tess_normalize_background(tess_array *out, const tess_array *in, double radius,
                                                               const tess_normalize_background_opts *opts);

/* ---- Averages ---------------------------------------------------------------------------------------------------- */

typedef enum tess_power_window {
    TESS_POWER_WINDOW_DEFAULT, /* NONE */
    TESS_POWER_WINDOW_NONE,    /* no window */
    TESS_POWER_WINDOW_HANN,    /* periodic Hann window along each axis */
    TESS_POWER_WINDOW_HAMMING, /* periodic Hamming window */
    TESS_POWER_WINDOW_BLACKMAN
} tess_power_window;

typedef struct tess_average_power_opts {
    int64_t  step_d, step_h, step_w; /* distance between patches along each axis, pixels [half a patch, at least 1] */
    int32_t  window;                 /* a tess_power_window [NONE] */
    int32_t  keep_mean;              /* 1: do not subtract the mean of each patch [0] */
    int32_t  together;               /* 1: one spectrum for all batches, {1,..} [0: one for each] */
    int32_t  norm;                   /* normalisation of the transform, a tess_fft_norm [BACKWARD] */
    int32_t  layout;                 /* layout of the result, a tess_fft_layout [H] */
    uint32_t reserved[5];            /* must be 0 */
} tess_average_power_opts;

/** Computes averaged power spectra: the mean of |FFT|^2 over patches of each batch (Welch's method), as for a
 *  micrograph.
 *
 *  `patch` is {1,1,1,w} for signals, {1,1,h,w} for images, {1,d,h,w} for volumes. Patches begin at multiples of the
 *  step and lie completely inside. The mean of each is subtracted, it is multiplied by the window, and its power is
 *  divided by the mean square of the window, so that white noise keeps its power. Real numbers; the result is f32, or
 *  f64 for f64 and wide integers, or the f32 or f64 of an allocated `out`. Powers are averaged in f64, in the order of
 *  the patches. */
TESS_API TESS_MUST_CHECK tess_status tess_average_power(tess_array *out, const tess_array *in, tess_shape patch,
                                                        const tess_average_power_opts *opts);

typedef struct tess_covariance_opts {
    int32_t  elements;    /* 1: covariance of the elements over the batches [0: of the batches over their elements] */
    int32_t  ddof;        /* delta degrees of freedom: the divisor is the number of observations minus this; NumPy's cov
                             uses 1 [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_covariance_opts;

/** Computes the covariance matrix, {1,1,m,m}: element (i, j) is the mean of (x_i - mean of x_i) conj(x_j - mean of
 *  x_j). Each batch is a variable, observed at its n = d h w elements, and m = b. With `elements`, each of the n
 *  elements is a variable, observed in b batches, and m = n. f32, f64, c32 or c64; integers as in tess_sqrt; sums are
 *  those of tess_matmul. `out` must not overlap the input. */
TESS_API TESS_MUST_CHECK tess_status tess_covariance(tess_array *out, const tess_array *in,
                                                     const tess_covariance_opts *opts);

/** Computes the mean, and the L2 norm of the deviations from it, sqrt(sum of |x - mean|^2), over a set of axes (0:
 *  all). The norm is the standard deviation of tess_mean_std times the square root of the number of elements. `norm` is
 *  real: f16, f32 or f64. */
TESS_API TESS_MUST_CHECK tess_status tess_mean_l2_norm(tess_array *mean, tess_array *norm, const tess_array *in,
                                                       int axes);

/* ---- Centre of mass ---------------------------------------------------------------------------------------------- */

/** Computes the centre of mass of each batch, in elements from the first one: {b,1,1,m} with (w) of signals, (h, w) of
 *  images or (d, h, w) of volumes, depending on the shape. `in` is real. Sums are computed in f64, so that results on a
 *  GPU agree within rounding. Where the sum of a batch is 0, the result is not finite. A zeroed `out` becomes f64; an
 *  allocated one is f16, f32 or f64. */
TESS_API TESS_MUST_CHECK tess_status tess_centre_of_mass(tess_array *out, const tess_array *in);

TESS_END_C

#endif
