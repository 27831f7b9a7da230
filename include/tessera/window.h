/* Windows and tapers: soft edges of signals, images and volumes.
 *
 * A window has n values, i from 0 to n - 1. It is symmetric about c = (n - 1) / 2; a periodic one is the symmetric
 * window of n + 1 values without the last, as used for spectral estimates (SciPy's sym=False). Everything is computed
 * in f64, bit-identical on every processor. For n = 1 the value is 1, for the sinc window k. n = 0 is allowed.
 */
#ifndef TESSERA_WINDOW_H
#define TESSERA_WINDOW_H

#include "tessera/array.h"

TESS_BEGIN_C

/* ---- Windows ----------------------------------------------------------------------------------------------------- */

typedef struct tess_window_opts {
    int32_t  periodic;    /* 1: periodic: the window of n + 1 values without the last [0: symmetric] */
    int32_t  half;        /* 1: only indices n / 2 to n - 1, (n + 1) / 2 values [0] */
    int32_t  normalize;   /* 1: divide by the sum of the whole window, also with `half` [0] */
    int32_t  dtype;       /* dtype of a newly allocated `out`: f32 or f64 [f64] */
    uint32_t reserved[4]; /* must be 0 */
} tess_window_opts;

/* A newly allocated `out` is {1,1,1,n}, or {1,1,1,(n+1)/2}, on the CPU. An allocated one is f16, f32 or f64, on any
 * device, with that size along one axis. */

/** Computes the Hann window, 0.5 - 0.5 cos(2 pi i / (n-1)). */
TESS_API TESS_MUST_CHECK tess_status tess_window_hann(tess_array *out, int64_t n, const tess_window_opts *opts);

/** Computes the Hamming window, 0.54 - 0.46 cos(2 pi i / (n-1)). */
TESS_API TESS_MUST_CHECK tess_status tess_window_hamming(tess_array *out, int64_t n, const tess_window_opts *opts);

/** Computes the Blackman window, 0.42 - 0.5 cos(2 pi i / (n-1)) + 0.08 cos(4 pi i / (n-1)). */
TESS_API TESS_MUST_CHECK tess_status tess_window_blackman(tess_array *out, int64_t n, const tess_window_opts *opts);

/** Computes the Tukey window: 1 in the middle, with cosine edges that together cover the fraction `alpha` (0 to 1) of n
 *  - 1. 0 gives a rectangle, 1 the Hann window. */
TESS_API TESS_MUST_CHECK tess_status tess_window_tukey(tess_array *out, int64_t n, double alpha,
                                                       const tess_window_opts *opts);

/** Computes the Gaussian window, exp(-(i-c)^2 / (2 sigma^2)), with sigma above 0, in samples. */
TESS_API TESS_MUST_CHECK tess_status tess_window_gaussian(tess_array *out, int64_t n, double sigma,
                                                          const tess_window_opts *opts);

/** Computes the Kaiser window, I0(beta sqrt(1 - ((i-c)/c)^2)) / I0(beta), with the modified Bessel function I0 and beta
 *  from 0 to 700. */
TESS_API TESS_MUST_CHECK tess_status tess_window_kaiser(tess_array *out, int64_t n, double beta,
                                                        const tess_window_opts *opts);

/** Computes the sinc window, sin(pi k (i-c)) / (pi (i-c)), and k at i = c, with k above 0: the low-pass filter with a
 *  cutoff of k / 2 cycles per sample. */
TESS_API TESS_MUST_CHECK tess_status tess_window_sinc(tess_array *out, int64_t n, double k,
                                                      const tess_window_opts *opts);

/* Compute a single value of the window of the function without _at: at `index` of the window, or of its half.
 * opts->dtype is ignored; with opts->normalize the whole window is computed for its sum. */
TESS_API TESS_MUST_CHECK tess_status tess_window_hann_at(double *value, int64_t index, int64_t n,
                                                         const tess_window_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_window_hamming_at(double *value, int64_t index, int64_t n,
                                                            const tess_window_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_window_blackman_at(double *value, int64_t index, int64_t n,
                                                             const tess_window_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_window_tukey_at(double *value, int64_t index, int64_t n, double alpha,
                                                          const tess_window_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_window_gaussian_at(double *value, int64_t index, int64_t n, double sigma,
                                                             const tess_window_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_window_kaiser_at(double *value, int64_t index, int64_t n, double beta,
                                                           const tess_window_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_window_sinc_at(double *value, int64_t index, int64_t n, double k,
                                                         const tess_window_opts *opts);

/* ---- Tapers ------------------------------------------------------------------------------------------------------ */

/* Each batch is a signal {b,1,1,w}, an image {b,1,h,w} or a volume {b,d,h,w} of real numbers, with any strides. A
 * weight from 0 to 1 fades it towards `value`, or towards its own mean: value + (x - value) weight. `out` may be
 * exactly `in`, or zeroed: then it is allocated with the dtype of `in`, except that bool and integers of up to 16 bits
 * become f32, wider ones f64. An allocated `out` is f16, f32 or f64. f16 and f32 are computed in f32, f64 in f64,
 * bit-identical on every device. */

typedef struct tess_taper_opts {
    double   width_d, width_h, width_w; /* width of the soft edge along each axis, pixels [`fraction` of its size];
                                           TESS_ZERO: none */
    double   fraction;    /* width of the soft edge as a fraction of the axis, 0 to 0.5 [0.1]; TESS_ZERO: none */
    double   value;       /* value at the edges [0] */
    int32_t  mean;        /* 1: fade to the mean of each batch before tapering [0] */
    int      axes;        /* set of axes with soft edges, of D, H and W [0: all three] */
    uint32_t reserved[6]; /* must be 0 */
} tess_taper_opts;

/** Tapers the edges, by the product of a raised cosine along each axis. The weight of a pixel e pixels from the nearer
 *  end is 0.5 - 0.5 cos(pi e / width), and 1 from e = width on (a Tukey window), so that the first and last pixels have
 *  weight 0. A width above (n-1)/2 is reduced to that, which gives the Hann window. Axes of size 1 have no edges. */
TESS_API TESS_MUST_CHECK tess_status tess_taper(tess_array *out, const tess_array *in, const tess_taper_opts *opts);

typedef struct tess_taper_radial_opts {
    double   width;                     /* width of the soft edge outside the radius, pixels [0: hard edge] */
    double   shift_d, shift_h, shift_w; /* shift of the centre from n / 2, in pixels [0] */
    double   value;                     /* value outside [0] */
    int32_t  mean;                      /* 1: fade to the mean of each batch before tapering [0] */
    uint32_t reserved[7];               /* must be 0 */
} tess_taper_radial_opts;

/** Tapers outside a circle or sphere: the weight is 1 up to `radius` pixels (0 or more) from the centre, 0 from radius
 *  + width on, and 0.5 + 0.5 cos(pi (r - radius) / width) in between. The centre is at n / 2, rounded down, as in a
 *  centred spectrum; axes of size 1 are ignored. */
TESS_API TESS_MUST_CHECK tess_status tess_taper_radial(tess_array *out, const tess_array *in, double radius,
                                                       const tess_taper_radial_opts *opts);

TESS_END_C

#endif
