/* Filters of spectra: multiply coefficients by a function of their frequency.
 *
 * Frequencies are in cycles per pixel: k / n along an axis, 0 to 0.5. The length of the frequency vector reaches 0.71
 * in the corners of images and 0.87 in those of volumes. Spectra are those of signals, images or volumes, depending on
 * the logical `shape` (tessera/fft.h), in any number of batches; f16, f32, f64 and complex.
 *
 * The input has layout `from` and the output layout `to`, in all 16 combinations: changing the layout is part of the
 * filter and costs nothing. Multipliers are evaluated at the frequencies of the output layout. `in` may be NULL: then
 * `out`, which must be allocated, receives the filter itself. `out` may be exactly `in` if the layout does not change.
 * If `in` is complex, an allocated real `out` receives the power, |filtered|^2.
 *
 * Frequencies and filter functions are computed in f64 for all dtypes; products in f32 or, for f64 data, in f64.
 * Results on a GPU are bit-identical.
 */
#ifndef TESSERA_FILTER_H
#define TESSERA_FILTER_H

#include "tessera/fft.h"

TESS_BEGIN_C

/** Shapes of the soft edge outside the pass band. With d the distance from the band in cycles per pixel: */
typedef enum tess_filter_edge {
    TESS_FILTER_EDGE_DEFAULT, /* COSINE */
    TESS_FILTER_COSINE,       /* raised cosine, (1 + cos(pi d / width)) / 2 up to d = width, then 0 */
    TESS_FILTER_GAUSSIAN,     /* exp(-d^2 / (2 width^2)) */
    TESS_FILTER_BUTTERWORTH   /* 1 / sqrt(1 + (f / cutoff)^(2 order)), high-pass with (cutoff / f); ignores width */
} tess_filter_edge;

/** A metric of frequencies: the length of a frequency f = (d, h, w) is sqrt(f^T G f). It is needed for pixels of
 *  different sizes along the axes, or axes not at right angles. The elements of the matrix G are the products of the
 *  reciprocal axes, in units of 1 / pixel along w. For pixels of 2 x 3 x 1.5 angstrom along d, h and w, .dd = (1.5 /
 *  2)^2 and .hh = (1.5 / 3)^2, and lengths are those in 1 / angstrom times 1.5 angstrom. */
typedef struct tess_metric {
    double dd, hh, ww; /* squared length of the frequency 1 along each axis [1] */
    double dh, dw, hw; /* products of the reciprocal axes, 0 at right angles [0] */
} tess_metric;

typedef struct tess_lowpass_opts {
    double            width;       /* width of the soft edge, cycles per pixel; up to 1e-6: hard edge, and the cutoff
                                      passes [0] */
    double            start, stop; /* range of frequencies of the spectrum, see below [0, all] */
    const tess_array *parameters;  /* {b,1,1,m}, a row for each batch: cutoff and, for m = 2, width; replaces those
                                      above [NULL] */
    tess_metric       metric;      /* metric of frequencies [equal pixel sizes along all axes] */
    int32_t           edge;        /* a tess_filter_edge [COSINE] */
    int32_t           order;       /* order of BUTTERWORTH, 1 to 64 [4] */
    int32_t           from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t           no_endpoint; /* 1: the range ends before `stop` [0] */
    int32_t           centred;     /* 1: the edge, which must be a COSINE, is centred on the cutoff, where the filter is
                                      1/2 [0: it lies outside the pass band] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_lowpass_opts;

typedef tess_lowpass_opts tess_highpass_opts;

typedef struct tess_bandpass_opts {
    double            low_width, high_width; /* widths of the soft edges below `low` and above `high`, as in
                                                tess_lowpass_opts */
    double            start, stop;
    const tess_array *parameters; /* {b,1,1,m}: low, high and, for m = 4, low_width, high_width [NULL] */
    tess_metric       metric;
    int32_t           edge;
    int32_t           order;
    int32_t           from, to;
    int32_t           no_endpoint;
    int32_t           centred;     /* 1: the lower edge is centred on `low`, the upper one on `high` [0] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_bandpass_opts;

/** Applies a low-pass filter: keeps frequencies up to `cutoff`, which is 0 or more and may exceed 0.5. The soft edge
 *  lies outside the pass band: the filter is 1 at `cutoff` and 0 from cutoff + width on. With opts->centred the edge
 *  reaches from cutoff - width / 2, but not below frequency 0, to cutoff + width / 2, as in `tessera filter`: the
 *  filter is 1 below it and 0 above.
 *
 *  Ranges: a spectrum that was cropped, or computed only at some frequencies, has the frequencies start + k step. Here
 *  k are the integers of its layout along an axis of logical size n, and step is (stop - start) / (n/2), or (stop -
 *  start) / (n/2 + 1) without endpoint. A `stop` of 0 means (n/2) / n, so that without a range the frequencies are k /
 *  n. A nonzero `start` is only for signals in half layouts.
 *
 *  With a metric that is not diagonal, the frequencies n/2 and -n/2 of an even size, which share a coefficient, have
 *  different lengths. The coefficient is filtered by the frequency that the output layout has there. */
TESS_API TESS_MUST_CHECK tess_status tess_lowpass(tess_array *out, const tess_array *in, tess_shape shape,
                                                  double cutoff, const tess_lowpass_opts *opts);

/** Applies a high-pass filter: keeps frequencies from `cutoff` on. The soft edge lies below the cutoff: the filter is 1
 *  at `cutoff` and 0 up to cutoff - width. With opts->centred the edge reaches from cutoff - width / 2, but not below
 *  frequency 0, to cutoff + width / 2: the filter is 0 below it and 1 above. */
TESS_API TESS_MUST_CHECK tess_status tess_highpass(tess_array *out, const tess_array *in, tess_shape shape,
                                                   double cutoff, const tess_highpass_opts *opts);

/** Applies a band-pass filter: keeps frequencies from `low` to `high`. It is the product of a high-pass filter with the
 *  cutoff `low` and the width opts->low_width, and a low-pass filter with `high` and opts->high_width. */
TESS_API TESS_MUST_CHECK tess_status tess_bandpass(tess_array *out, const tess_array *in, tess_shape shape, double low,
                                                   double high, const tess_bandpass_opts *opts);

/* ---- Other filters ----------------------------------------------------------------------------------------------- */

typedef struct tess_bfactor_opts {
    double            start, stop; /* as in tess_lowpass_opts */
    const tess_array *parameters;  /* {b,1,1,m}: bfactor and, for m = 2, pixel_size of each batch [NULL] */
    tess_metric       metric;
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[5]; /* must be 0 */
} tess_bfactor_opts;

/** Multiplies spectra by exp(-bfactor r^2 / 4), with r = frequency / pixel_size in 1/angstrom and `bfactor` in square
 *  angstrom. A positive B-factor damps and a negative one sharpens, as in RELION and IMOD. The same sign convention
 *  holds everywhere in the library, the command and the Python module, including the envelope of a CTF (tessera/ctf.h)
 *  and the weights of tess_align_frames. tess_guinier_fit returns the B-factor that sharpens: negative for a map whose
 *  high frequencies have decayed. */
TESS_API TESS_MUST_CHECK tess_status tess_bfactor(tess_array *out, const tess_array *in, tess_shape shape,
                                                  double bfactor, double pixel_size, const tess_bfactor_opts *opts);

typedef struct tess_dose_weight_opts {
    double      start, stop;     /* as in tess_lowpass_opts */
    double      voltage;         /* kilovolt [300] */
    double      critical_factor; /* factor of the critical dose; required for voltages other than 300 and 200 [1 at 300
                                    kV, 0.8 at 200 kV] */
    tess_metric metric;
    int32_t     normalize; /* 1: divide by sqrt(sum over batches of factor^2), so that the sum of all batches keeps the
                              noise power [0] */
    int32_t     from, to;
    int32_t     no_endpoint;
    uint32_t    reserved[4]; /* must be 0 */
} tess_dose_weight_opts;

/** Applies the exposure filter of Grant & Grigorieff (2015): multiplies by exp(-dose / (2 N)), and by 1 at zero
 *  frequency. The critical dose is N = (0.245 k^-1.665 + 2.81) times a factor, in electrons per square angstrom, with k
 *  in 1/angstrom. `doses` are real numbers {b,1,1,1}, the accumulated dose of each frame, or {1,1,1,1}. */
TESS_API TESS_MUST_CHECK tess_status tess_dose_weight(tess_array *out, const tess_array *in, tess_shape shape,
                                                      const tess_array *doses, double pixel_size,
                                                      const tess_dose_weight_opts *opts);

/** Normalises a sum of dose-weighted spectra: divides it by the square root of the sum of the squared exposure filters
 *  of the `doses`, {n,1,1,1}, so that the noise of the result is as white as that of one frame. opts->normalize is
 *  ignored. For more than 2^20 elements of at most f32, divisors are interpolated linearly from a table, with the
 *  accuracy of f32; the same holds for the weights of tess_add_frames. */
TESS_API TESS_MUST_CHECK tess_status tess_dose_normalize(tess_array *out, const tess_array *in, tess_shape shape,
                                                         const tess_array *doses, double pixel_size,
                                                         const tess_dose_weight_opts *opts);

typedef struct tess_filter_curve_opts {
    double      start, stop; /* as in tess_lowpass_opts */
    double      last;        /* frequency of the last value of the curve, cycles per pixel [0.5] */
    tess_metric metric;
    int32_t     from, to;
    int32_t     no_endpoint;
    uint32_t    reserved[5]; /* must be 0 */
} tess_filter_curve_opts;

/** Multiplies by a radial curve: `curve`, real numbers {1,1,1,n} or {b,1,1,n}, has the multipliers at n evenly spaced
 *  frequencies from 0 to opts->last. It is interpolated linearly and has the last value beyond. */
TESS_API TESS_MUST_CHECK tess_status tess_filter_curve(tess_array *out, const tess_array *in, tess_shape shape,
                                                       const tess_array *curve, const tess_filter_curve_opts *opts);

struct tess_op;

typedef struct tess_filter_spectrum_opts {
    double            start, stop; /* as in tess_lowpass_opts */
    const tess_array *parameters;  /* parameter `p` of the operator, numbers of any dtype and shape [NULL: none] */
    int32_t           batched;     /* 1: evaluate it for each batch; `b` is the index of the batch [0: once for all
                                      batches] */
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[4]; /* must be 0 */
} tess_filter_spectrum_opts;

/** Multiplies by an operator of the frequency (tessera/op.h), with the signature
 *
 *      op name(in f64 z, in f64 y, in f64 x, out T m)                with z, y, x the frequencies of D, H and W
 *      op name(in f64 z, in f64 y, in f64 x, view U p, out T m)      with opts->parameters
 *
 *  where m is a float or complex multiplier. It is evaluated once, or for each batch (opts->batched). */
TESS_API TESS_MUST_CHECK tess_status tess_filter_spectrum(tess_array *out, const tess_array *in, tess_shape shape,
                                                          const struct tess_op            *op,
                                                          const tess_filter_spectrum_opts *opts);

typedef struct tess_phase_shift_opts {
    double   start, stop;  /* range as in tess_lowpass_opts, used only for `cutoff`: factors are those of k / n */
    double   cutoff;       /* coefficients of higher frequencies are not changed, cycles per pixel [1]; TESS_ZERO: only
                              frequency 0 is */
    int32_t  real_nyquist; /* 1: at the frequency n/2 of an even size, use the mean of the factors of both signs [0] */
    int32_t  from, to;
    int32_t  no_endpoint;
    uint32_t reserved[4]; /* must be 0 */
} tess_phase_shift_opts;

/** Shifts the transformed array, like tess_fft_phase_shift, with an optional change of layout: multiplies by exp(-2 pi
 *  i sum of shift k / n). `shifts` are in pixels towards higher indices, {1,1,1,m} or {b,1,1,m}: (w), (h, w) or (d, h,
 *  w). Complex arrays. The factors of the axes are multiplied in f64, then rounded. */
TESS_API TESS_MUST_CHECK tess_status tess_phase_shift(tess_array *out, const tess_array *in, tess_shape shape,
                                                      const tess_array *shifts, const tess_phase_shift_opts *opts);

/* ---- Real arrays ------------------------------------------------------------------------------------------------- */

/** Filter real arrays: transform, filter, transform back, a few batches at a time, so that workspace does not grow with
 *  their number. Input and output are f16, f32 or f64 (f16 is computed in f32); `out` may be `in`; `from` and `to` are
 *  ignored. Complex multipliers (phase_shift_image, beam tilt and trefoil) are applied to the half spectrum, whose
 *  inverse transform is real. */
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

/** Filters real arrays by an operator, like tess_filter_spectrum. With opts->batched, the multipliers of all batches
 *  are in memory at the same time. */
TESS_API TESS_MUST_CHECK tess_status tess_filter_image(tess_array *out, const tess_array *in, const struct tess_op *op,
                                                       const tess_filter_spectrum_opts *opts);

/** Shifts real arrays by `shifts` pixels towards higher indices; shifts may be fractional. */
TESS_API TESS_MUST_CHECK tess_status tess_phase_shift_image(tess_array *out, const tess_array *in,
                                                            const tess_array            *shifts,
                                                            const tess_phase_shift_opts *opts);

/* ---- Resolution -------------------------------------------------------------------------------------------------- */

/** Converts a resolution to a frequency in cycles per pixel: pixel_size / resolution, both in angstrom. A resolution of
 *  8 and a pixel size of 1.4 give 0.175. */
TESS_API double tess_resolution_to_frequency(double resolution, double pixel_size);

/** Converts a frequency in cycles per pixel to a resolution in angstrom: pixel_size / frequency. */
TESS_API double tess_frequency_to_resolution(double frequency, double pixel_size);

TESS_END_C

#endif
