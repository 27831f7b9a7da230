/* Filters of spectra: coefficients times a function of their frequency.
 *
 * Frequencies are in cycles per pixel: k / n along an axis, 0 to 0.5, and the length of the vector of them, which
 * reaches 0.71 in the corners of images and 0.87 in those of volumes. Signals, images and volumes, as the logical
 * `shape` says (tessera/fft.h); any number of batches; f16, f32, f64 and complex.
 *
 * The input has layout `from` and the output layout `to`, all 16 pairs: the change of layout is part of the filter and
 * costs nothing. Multipliers are those of the frequency that the output's layout has at an index. `in` may be NULL:
 * then `out`, which must be allocated, receives the filter itself. `out` may be exactly `in` if the layout stays. A
 * real `out` that is allocated, of a complex `in`, receives the power, |filtered|^2.
 *
 * Coordinates and functions of them are computed in f64 for all dtypes; products in f32 or, of f64 data, in f64. The
 * results of a GPU have the same bits.
 */
#ifndef TESSERA_FILTER_H
#define TESSERA_FILTER_H

#include "tessera/fft.h"

TESS_BEGIN_C

/** How a filter goes from 1 to 0, outside its pass band. With d the distance from the band in cycles per pixel: */
typedef enum tess_filter_edge {
    TESS_FILTER_EDGE_DEFAULT, /* COSINE */
    TESS_FILTER_COSINE,       /* raised cosine, (1 + cos(pi d / width)) / 2, and 0 from d = width on */
    TESS_FILTER_GAUSSIAN,     /* exp(-d^2 / (2 width^2)) */
    TESS_FILTER_BUTTERWORTH   /* 1 / sqrt(1 + (f / cutoff)^(2 order)), high-pass (cutoff / f); width does not count */
} tess_filter_edge;

/** The matrix G of a metric: the length of a frequency f = (d, h, w) is sqrt(f^T G f). For pixels that are not as large
 *  along all axes, or axes that are not at right angles: the elements of G are the products of the reciprocal axes, in
 *  units of 1 / pixel of w. With pixels of 2 x 3 x 1.5 angstrom along d, h and w, .dd = (1.5 / 2)^2 and
 *  .hh = (1.5 / 3)^2, and lengths are those in 1 / angstrom times 1.5 angstrom. */
typedef struct tess_metric {
    double dd, hh, ww; /* squared lengths of frequencies of 1 along each axis [1] */
    double dh, dw, hw; /* products of two of them, 0 at right angles [0] */
} tess_metric;

typedef struct tess_lowpass_opts {
    double            width;       /* of the edge, cycles per pixel; up to 1e-6: hard, and the cutoff passes [0] */
    double            start, stop; /* the spectrum covers this range of frequencies, see below [0, all of it] */
    const tess_array *parameters;  /* {b,1,1,m}, a row for each batch: cutoff and, m = 2, width; in place of those above
                                      [NULL] */
    tess_metric       metric;      /* lengths of frequencies [pixels alike along all axes] */
    int32_t           edge;        /* a tess_filter_edge [COSINE] */
    int32_t           order;       /* of BUTTERWORTH, 1 to 64 [4] */
    int32_t           from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t           no_endpoint; /* 1: the range ends before `stop` [0] */
    uint32_t          reserved[5]; /* must be 0 */
} tess_lowpass_opts;

typedef tess_lowpass_opts tess_highpass_opts;

typedef struct tess_bandpass_opts {
    double            low_width, high_width; /* as tess_lowpass_opts has them */
    double            start, stop;
    const tess_array *parameters; /* {b,1,1,m}: low, high and, m = 4, low_width, high_width [NULL] */
    tess_metric       metric;
    int32_t           edge;
    int32_t           order;
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[5]; /* must be 0 */
} tess_bandpass_opts;

/** Keep frequencies up to `cutoff`; 0 or more, and above 0.5 too. The soft edge lies outside the pass band: at `cutoff`
 *  the filter is 1, at cutoff + width it is 0.
 *
 *  Ranges: a spectrum that was cropped, or computed at some frequencies alone, has frequencies start + k step, where k
 *  are the integers that its layout has along an axis of logical size n, step is (stop - start) / (n/2), or
 *  (stop - start) / (n/2 + 1) without endpoint, and `stop` 0 stands for (n/2) / n. Without a range that is k / n. A
 *  `start` other than 0 is for signals in half layouts.
 *
 *  A metric that is not diagonal has two lengths at the frequencies n/2 and -n/2 of an even size, which are one
 *  coefficient: it has that of the frequency which the output's layout has there. */
TESS_API TESS_MUST_CHECK tess_status tess_lowpass(tess_array *out, const tess_array *in, tess_shape shape,
                                                  double cutoff, const tess_lowpass_opts *opts);

/** Keep frequencies from `cutoff` on: at `cutoff` the filter is 1, at cutoff - width it is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_highpass(tess_array *out, const tess_array *in, tess_shape shape,
                                                   double cutoff, const tess_highpass_opts *opts);

/** Keep frequencies from `low` to `high`: the product of both filters. */
TESS_API TESS_MUST_CHECK tess_status tess_bandpass(tess_array *out, const tess_array *in, tess_shape shape, double low,
                                                   double high, const tess_bandpass_opts *opts);

/* ---- Other filters ----------------------------------------------------------------------------------------------- */

typedef struct tess_bfactor_opts {
    double            start, stop; /* as tess_lowpass_opts has them */
    const tess_array *parameters;  /* {b,1,1,m}: bfactor and, m = 2, pixel_size of each batch [NULL] */
    tess_metric       metric;
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[5]; /* must be 0 */
} tess_bfactor_opts;

/** Multiplies spectra by exp(-bfactor r^2 / 4), with r = frequency / pixel_size in 1/angstrom and `bfactor` in square
 *  angstrom. A positive B-factor damps and a negative one sharpens, as in RELION and IMOD, and so it is wherever the
 *  library, the command and the Python module take one: the envelope of a CTF (tessera/ctf.h) and the weight of
 *  tess_align_frames too. tess_guinier_fit returns the B-factor that sharpens: a map that has faded has a negative
 *  one. */
TESS_API TESS_MUST_CHECK tess_status tess_bfactor(tess_array *out, const tess_array *in, tess_shape shape,
                                                  double bfactor, double pixel_size, const tess_bfactor_opts *opts);

typedef struct tess_dose_weight_opts {
    double      start, stop;     /* as tess_lowpass_opts has them */
    double      voltage;         /* kilovolt [300] */
    double      critical_factor; /* of the critical dose; other voltages than 300 and 200 need it [1 at 300 kV, 0.8 at
                                    200 kV] */
    tess_metric metric;
    int32_t     normalize; /* 1: divided by sqrt(sum over batches of factor^2), so that the sum of all batches keeps the
                              power of noise [0] */
    int32_t     from, to;
    int32_t     no_endpoint;
    uint32_t    reserved[4]; /* must be 0 */
} tess_dose_weight_opts;

/** The exposure filter of Grant & Grigorieff (2015): times exp(-dose / (2 N)), 1 at zero frequency, with the critical
 *  dose N = (0.245 k^-1.665 + 2.81) times a factor, in electrons per square angstrom, k in 1/angstrom. `doses` are real
 *  numbers {b,1,1,1}, what each frame has received, or {1,1,1,1}. */
TESS_API TESS_MUST_CHECK tess_status tess_dose_weight(tess_array *out, const tess_array *in, tess_shape shape,
                                                      const tess_array *doses, double pixel_size,
                                                      const tess_dose_weight_opts *opts);

/** A sum of spectra that were each times the exposure filter of its dose, {n,1,1,1}, divided by the square root of the
 *  sum of the squares of these filters: the noise of the result is as white as that of one frame. opts->normalize does
 *  not count. Of more than 2^20 elements and f32 or less, divisors are linear between those of a table, as close as f32
 *  is; so are the weights of tess_add_frames. */
TESS_API TESS_MUST_CHECK tess_status tess_dose_normalize(tess_array *out, const tess_array *in, tess_shape shape,
                                                         const tess_array *doses, double pixel_size,
                                                         const tess_dose_weight_opts *opts);

typedef struct tess_filter_curve_opts {
    double      start, stop; /* as tess_lowpass_opts has them */
    double      last;        /* frequency of the last value of the curve, cycles per pixel [0.5] */
    tess_metric metric;
    int32_t     from, to;
    int32_t     no_endpoint;
    uint32_t    reserved[5]; /* must be 0 */
} tess_filter_curve_opts;

/** Times a radial curve: `curve`, real numbers {1,1,1,n} or {b,1,1,n}, has the multipliers at n frequencies from 0 to
 *  opts->last, evenly spaced. Linear between them, the last value beyond. */
TESS_API TESS_MUST_CHECK tess_status tess_filter_curve(tess_array *out, const tess_array *in, tess_shape shape,
                                                       const tess_array *curve, const tess_filter_curve_opts *opts);

struct tess_op;

typedef struct tess_filter_spectrum_opts {
    double            start, stop; /* as tess_lowpass_opts has them */
    const tess_array *parameters;  /* the operator's `p`, any numbers of any shape [NULL: it has none] */
    int32_t           batched;     /* 1: it is evaluated for each batch, of which `b` is the index [0: once for all] */
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[4]; /* must be 0 */
} tess_filter_spectrum_opts;

/** Times an operator of the frequency (tessera/op.h), which is
 *
 *      op name(in f64 z, in f64 y, in f64 x, out T m)                with z, y, x the frequencies of D, H and W
 *      op name(in f64 z, in f64 y, in f64 x, view U p, out T m)      with opts->parameters
 *
 *  and m a float or complex multiplier. It is evaluated for one batch, or for each (opts->batched). */
TESS_API TESS_MUST_CHECK tess_status tess_filter_spectrum(tess_array *out, const tess_array *in, tess_shape shape,
                                                          const struct tess_op            *op,
                                                          const tess_filter_spectrum_opts *opts);

typedef struct tess_phase_shift_opts {
    double   start, stop;  /* as tess_lowpass_opts has them; for `cutoff` alone, factors are those of k / n */
    double   cutoff;       /* coefficients of higher frequencies stay as they are, cycles per pixel [1]; TESS_ZERO:
                              all but frequency 0 do */
    int32_t  real_nyquist; /* 1: at the frequency n/2 of an even size, the mean of the factors of both signs [0] */
    int32_t  from, to;
    int32_t  no_endpoint;
    uint32_t reserved[4]; /* must be 0 */
} tess_phase_shift_opts;

/** tess_fft_phase_shift on the way to another layout: times exp(-2 pi i sum of shift k / n). `shifts` are pixels
 *  towards higher indices, {1,1,1,m} or {b,1,1,m}: (w), (h, w) or (d, h, w). Complex arrays. The factors of the axes
 *  are multiplied in f64, then rounded. */
TESS_API TESS_MUST_CHECK tess_status tess_phase_shift(tess_array *out, const tess_array *in, tess_shape shape,
                                                      const tess_array *shifts, const tess_phase_shift_opts *opts);

/* ---- Real arrays ------------------------------------------------------------------------------------------------- */

/** The same for the real array that a spectrum is of: transform, filter in place, transform back, for some batches at a
 *  time, so that workspace does not grow with their number. Both ends are f16, f32 or f64 (f16 is computed in f32);
 *  `out` may be `in`; `from` and `to` do not count. Multipliers that are complex, of phase_shift_image and of beam tilt
 *  and trefoil, are those of half the spectrum, of which the inverse transform takes a real array. */
TESS_API TESS_MUST_CHECK tess_status tess_lowpass_image(tess_array *out, const tess_array *in, double cutoff,
                                                        const tess_lowpass_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_highpass_image(tess_array *out, const tess_array *in, double cutoff,
                                                         const tess_highpass_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_bandpass_image(tess_array *out, const tess_array *in, double low, double high,
                                                         const tess_bandpass_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_bfactor_image(tess_array *out, const tess_array *in, double bfactor,
                                                        double pixel_size, const tess_bfactor_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_dose_weight_image(tess_array *out, const tess_array *in,
                                                            const tess_array *doses, double pixel_size,
                                                            const tess_dose_weight_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_filter_curve_image(tess_array *out, const tess_array *in,
                                                             const tess_array             *curve,
                                                             const tess_filter_curve_opts *opts);

/** tess_filter_spectrum of real arrays. With opts->batched the multipliers of all batches are in memory at once. */
TESS_API TESS_MUST_CHECK tess_status tess_filter_image(tess_array *out, const tess_array *in, const struct tess_op *op,
                                                       const tess_filter_spectrum_opts *opts);

/** Move real arrays by `shifts` pixels towards higher indices, which need not be whole ones. */
TESS_API TESS_MUST_CHECK tess_status tess_phase_shift_image(tess_array *out, const tess_array *in,
                                                            const tess_array            *shifts,
                                                            const tess_phase_shift_opts *opts);

/* ---- Resolution -------------------------------------------------------------------------------------------------- */

/** Cycles per pixel of a resolution, both in angstrom: pixel_size / resolution. 1.4 and 8 give 0.175. */
TESS_API double tess_resolution_to_frequency(double resolution, double pixel_size);

/** And back: pixel_size / frequency. */
TESS_API double tess_frequency_to_resolution(double frequency, double pixel_size);

TESS_END_C

#endif
