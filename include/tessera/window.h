/* Windows, and tapers: soft edges of signals, images and volumes.
 *
 * A window has n values, i from 0 to n - 1. It is symmetric about c = (n - 1) / 2; a periodic one is the symmetric one
 * of n + 1 values without the last, as spectral estimates want it (SciPy's sym=False). All is computed in f64, with the
 * same bits on every processor. n = 1 gives 1, for the sinc k. Of n = 0 there is nothing to do.
 */
#ifndef TESSERA_WINDOW_H
#define TESSERA_WINDOW_H

#include "tessera/array.h"

TESS_BEGIN_C

/* ---- Windows ----------------------------------------------------------------------------------------------------- */

typedef struct tess_window_opts {
    int32_t  periodic;    /* 1: the window of n + 1 values without the last [0: symmetric] */
    int32_t  half;        /* 1: indices n / 2 to n - 1 alone, (n + 1) / 2 of them [0] */
    int32_t  normalize;   /* 1: divided by the sum of the whole window, also where half of it is wanted [0] */
    int32_t  dtype;       /* of an `out` that is to be made: f32 or f64 [f64] */
    uint32_t reserved[4]; /* must be 0 */
} tess_window_opts;

/* An `out` that is made is {1,1,1,n}, or {1,1,1,(n+1)/2}, on the CPU. One that was made is f16, f32 or f64, on any
 * device, and lies along one axis, whose size is that. */

/** 0.5 - 0.5 cos(2 pi i / (n-1)). */
TESS_API TESS_MUST_CHECK tess_status tess_window_hann(tess_array *out, int64_t n, const tess_window_opts *opts);

/** 0.54 - 0.46 cos(2 pi i / (n-1)). */
TESS_API TESS_MUST_CHECK tess_status tess_window_hamming(tess_array *out, int64_t n, const tess_window_opts *opts);

/** 0.42 - 0.5 cos(2 pi i / (n-1)) + 0.08 cos(4 pi i / (n-1)). */
TESS_API TESS_MUST_CHECK tess_status tess_window_blackman(tess_array *out, int64_t n, const tess_window_opts *opts);

/** 1 in the middle, and half a cosine at both ends, which together are `alpha` (0 to 1) of n - 1: 0 is a rectangle, 1
 *  the Hann window. */
TESS_API TESS_MUST_CHECK tess_status tess_window_tukey(tess_array *out, int64_t n, double alpha,
                                                       const tess_window_opts *opts);

/** exp(-(i-c)^2 / (2 sigma^2)), with sigma above 0 in samples. */
TESS_API TESS_MUST_CHECK tess_status tess_window_gaussian(tess_array *out, int64_t n, double sigma,
                                                          const tess_window_opts *opts);

/** I0(beta sqrt(1 - ((i-c)/c)^2)) / I0(beta), with the modified Bessel function I0 and beta from 0 to 700. */
TESS_API TESS_MUST_CHECK tess_status tess_window_kaiser(tess_array *out, int64_t n, double beta,
                                                        const tess_window_opts *opts);

/** sin(pi k (i-c)) / (pi (i-c)), and k at i = c, with k above 0: the low-pass filter that ends at k / 2 cycles per
 *  sample. */
TESS_API TESS_MUST_CHECK tess_status tess_window_sinc(tess_array *out, int64_t n, double k,
                                                      const tess_window_opts *opts);

/* One value, of those that the function without _at gives: at `index` of the window, or of its half. opts->dtype does
 * not count; with opts->normalize the whole window is computed for its sum. */
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

/* Each batch is a signal {b,1,1,w}, an image {b,1,h,w} or a volume {b,d,h,w} of real numbers, of any strides. A weight
 * of 0 to 1 fades it towards `value`, or towards its own mean: value + (x - value) weight. `out` may be exactly `in`,
 * or zeroed: then it is made with the dtype of `in`, bool and integers of up to 16 bits becoming f32, wider ones f64.
 * One that was made is f16, f32 or f64. f16 and f32 are computed in f32, f64 in f64, with the same bits on every
 * device. */

typedef struct tess_taper_opts {
    double   width_d, width_h, width_w; /* pixels of the soft edge along each axis [`fraction` of its size]; TESS_ZERO:
                                           none */
    double   fraction;    /* of the size of an axis that its edge takes, 0 to 0.5 [0.1]; TESS_ZERO: none */
    double   value;       /* what the edges fade to [0] */
    int32_t  mean;        /* 1: they fade to the mean of each batch, before the taper [0] */
    int      axes;        /* which axes have soft edges, of D, H and W [0: all three] */
    uint32_t reserved[6]; /* must be 0 */
} tess_taper_opts;

/** Soft edges: the product of a raised cosine along each axis. The weight of the first and of the last pixel is 0, and
 *  1 from `width` pixels inside on: 0.5 - 0.5 cos(pi e / width) of a pixel that is e pixels from the nearer end, the
 *  Tukey window. A width above (n-1)/2 counts as that: the Hann window. Axes of size 1 have none. */
TESS_API TESS_MUST_CHECK tess_status tess_taper(tess_array *out, const tess_array *in, const tess_taper_opts *opts);

typedef struct tess_taper_radial_opts {
    double   width;                     /* pixels of the soft edge, outside the radius [0: a hard edge] */
    double   shift_d, shift_h, shift_w; /* the centre is at n / 2 plus this, in pixels [0] */
    double   value;                     /* what is outside fades to [0] */
    int32_t  mean;                      /* 1: it fades to the mean of each batch, before the taper [0] */
    uint32_t reserved[7];               /* must be 0 */
} tess_taper_radial_opts;

/** A circle, or a sphere: weight 1 up to `radius` pixels (0 or more) from the centre, 0 from radius + width on, and
 *  0.5 + 0.5 cos(pi (r - radius) / width) between. The centre is at n / 2, rounded down, as that of a centred spectrum;
 *  axes of size 1 count 0. */
TESS_API TESS_MUST_CHECK tess_status tess_taper_radial(tess_array *out, const tess_array *in, double radius,
                                                       const tess_taper_radial_opts *opts);

TESS_END_C

#endif
