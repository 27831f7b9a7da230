/* Motion of movie frames and tilt series: shifts by correlation, a model of local motion, and sums of aligned frames.
 *
 * The frames of a movie, {b,1,h,w}, are exposures of a drifting specimen. Shifts are pixels (h, w) towards higher
 * indices that move a frame onto the first one, as in tess_fft_phase_shift and in RELION:
 *
 *      tess_fft_r2c -> tess_fft_resize -> tess_align_frames      shifts of whole frames, on a smaller grid
 *                                      -> tess_add_frames        the sum of the frames, and the dose-weighted one
 *      patches of aligned frames -> tess_motion_fit              a polynomial of position and time
 *                                -> tess_motion_warp             frames resampled by it
 *
 * docs/motion.md describes the methods and their accuracy.
 */
#ifndef TESSERA_MOTION_H
#define TESSERA_MOTION_H

#include "tessera/array.h"

TESS_BEGIN_C

/* ---- Shifts of whole frames ---- */

typedef struct tess_align_frames_opts {
    double      bfactor;     /* B-factor of the cross-correlation: products of spectra are multiplied by exp(-bfactor
                                  k^2 / 4), square angstrom [150]; TESS_ZERO: 0 */
    double      tolerance;   /* pixels: iterations end when no shift changes by more than this [0.05] */
    double      max_shift;   /* pixels: maximum distance of a frame from the sum of the others in the first iterations
                                  [unlimited] */
    double      max_move;    /* pixels: maximum shift of a frame from its initial position in all iterations together
                                  [unlimited] */
    int32_t     iterations;  /* maximum number of iterations on each grid [10] */
    int32_t     group;       /* number of consecutive frames summed before the alignment; shifts between their middles
                                  are linear in time [1] */
    tess_array *changes;     /* receives the largest change of each iteration, {1,1,1,n}, pixels, f64 if newly
                                  allocated [none] */
    tess_array *scores;      /* receives the final correlation of each frame, or of its group, with the sum of the
                                  others, {b,1,1,1}, f64 if newly allocated, in standard deviations of that of spectra
                                  with the same amplitudes and random phases [none] */
    uint32_t    reserved[4]; /* must be 0 */
} tess_align_frames_opts;

/**
 * Aligns the frames of a movie: computes shifts {b,1,1,2} that move each frame onto the first, f64 if newly allocated.
 * `spectra` are half spectra (layout H) of frames {b,1,h,w} = `shape`, c32 or c64, cropped if the full resolution is
 * not needed.
 *
 * In each iteration every frame is correlated with the sum of all others and moved to the peak. The first iterations
 * search whole correlation maps, on a grid of a quarter of the size (half or full size if that has fewer than 64
 * pixels), until no shift changes by half a pixel. The following iterations, on this grid and then on finer ones, use a
 * parabola through the correlations at -1, 0 and 1 pixel along each axis. The mean of the frames is ignored.
 * Synchronises with the device.
 */
TESS_API TESS_MUST_CHECK tess_status tess_align_frames(tess_array *shifts, const tess_array *spectra, tess_shape shape,
                                                       double pixel_size, const tess_align_frames_opts *opts);

/* ---- Tilt series ---- */

typedef struct tess_align_tilts_opts {
    double   axis; /* direction of the tilt axis, radians from the h axis (y) towards lower w, counter-clockwise if y
                      points up, as in IMOD [0: along h] */
    double   low, high;   /* range of frequencies used, cycles per pixel, with soft edges [0.02, 0.25]; TESS_ZERO: 0 */
    double   max_shift;   /* maximum shift from one image to the next, pixels [unlimited] */
    uint32_t reserved[8]; /* must be 0 */
} tess_align_tilts_opts;

/**
 * Aligns the images of a tilt series, {b,1,h,w} of real numbers: computes shifts {b,1,1,2} that move each onto the one
 * with the smallest angle, f64 if newly allocated. `angles` are in radians, {b,1,1,1} on any device, from -1.5 to 1.5.
 *
 * From the smallest angle outwards, each image is correlated with the previous one. It is stretched perpendicular to
 * the axis by the ratio of the cosines, so that features in the plane of the specimen coincide, and its edges are
 * tapered. Shifts accumulate along the series. Synchronises with the device.
 */
TESS_API TESS_MUST_CHECK tess_status tess_align_tilts(tess_array *shifts, const tess_array *images,
                                                      const tess_array *angles, const tess_align_tilts_opts *opts);

/* ---- Sums ---- */

typedef struct tess_add_frames_opts {
    const tess_array *doses;           /* accumulated dose at the end of each frame, for `weighted`, electrons per
                                          square angstrom, real {b,1,1,1} [NULL: 0] */
    double            pixel_size;      /* pixel size for the exposure filter, angstrom [1] */
    double            voltage;         /* as in tess_dose_weight_opts, kilovolt [300] */
    double            critical_factor; /* as in tess_dose_weight_opts [by the voltage] */
    uint32_t          reserved[4];     /* must be 0 */
} tess_add_frames_opts;

/**
 * Adds spectra of frames, each moved by its shift, {b,1,1,2} or {1,1,1,2}, to `sum`, {1,1,h,w/2+1} of the same dtype.
 * Multiplied by the exposure filter of their dose (tess_dose_weight), they are also added to `weighted`, which may be
 * NULL. Both outputs may be zeroed: then they are allocated and start from 0. Frames are added one by one in order, so
 * a movie may be processed in several calls. If memory runs out, the sums contain the frames added before.
 * tess_dose_normalize whitens the noise of `weighted`. c32 or c64, layout H of logical `shape`; `shifts` and `doses`
 * are on the device of the spectra or in host memory.
 */
TESS_API TESS_MUST_CHECK tess_status tess_add_frames(tess_array *sum, tess_array *weighted, const tess_array *spectra,
                                                     tess_shape shape, const tess_array *shifts,
                                                     const tess_add_frames_opts *opts);

/* ---- Local motion ---- */

/** Number of coefficients of the model per axis: those of t, t^2, t^3, then of these times x, x^2, y, y^2 and xy. x and
 *  y are fractions of the width and height from the middle, -0.5 to 0.5; t is the time, 0 at the first frame. They are
 *  the coefficients of RELION's third-order polynomial, in the same order. */
enum { TESS_MOTION_COEFFICIENTS = 18 };

typedef struct tess_motion_fit_opts {
    const tess_array *times;       /* times of the frames, real {1,1,1,n} on any device [0, 1, 2, ...] */
    const tess_array *weights;     /* weight of each shift, 0 or more, real {p,1,n,1} on any device [1] */
    double            outliers;    /* distance in robust standard deviations beyond which shifts are ignored [4.685];
                                      TESS_ZERO: none is */
    int32_t           offsets;     /* 1: also fit a constant for each patch, which represents the error of its first
                                      frame [0] */
    int32_t           unused;      /* must be 0 */
    tess_array       *residual;    /* receives the root-mean-square residual along both axes, weighted by `kept`,
                                      {1,1,1,1}, pixels, f64 if newly allocated [none] */
    tess_array       *kept;        /* receives the final weight of each shift: its own weight times 0 to 1, {p,1,n,1},
                                      f64 if newly allocated [none] */
    uint32_t          reserved[6]; /* must be 0 */
} tess_motion_fit_opts;

/**
 * Fits the coefficients of the motion model, {2,1,1,18}: for shifts along h, then along w; f64 if newly allocated.
 * `shifts` are those of p patches in n frames, {p,1,n,2}; `positions` of the patches, {p,1,1,2}, are (y, x).
 *
 * A least-squares fit is followed by up to 35 iterations of weighted least squares: with Huber weights in the first
 * five, and then Tukey's biweight with `outliers` as its constant. Standard deviations are robust: the median distance
 * of shifts from the model, divided by that of a normal distribution. If there are too few patches for all
 * coefficients, those of minimum norm are found. Computed on the host; synchronises with the device.
 */
TESS_API TESS_MUST_CHECK tess_status tess_motion_fit(tess_array *coefficients, const tess_array *shifts,
                                                     const tess_array *positions, const tess_motion_fit_opts *opts);

/** Evaluates the motion model: shifts {p,1,n,2} at p positions {p,1,1,2} and n times {1,1,1,n}. Computed on the host;
 *  synchronises with the device. */
TESS_API TESS_MUST_CHECK tess_status tess_motion_shifts(tess_array *shifts, const tess_array *coefficients,
                                                        const tess_array *positions, const tess_array *times);

typedef struct tess_motion_warp_opts {
    int32_t  interp;      /* a tess_interp: LINEAR, CUBIC, LANCZOS4, LANCZOS6 or LANCZOS8 [LANCZOS6] */
    int32_t  unused;      /* must be 0 */
    uint32_t reserved[6]; /* must be 0 */
} tess_motion_warp_opts;

/** Resamples frames {b,1,h,w} by the model: pixel p of frame b takes the value at p minus the shift of p at the time
 *  times[b], {1,1,1,b}. Outside, the value of the nearest edge is used. f32 or f64; `out` must not overlap `in`.
 *  Coefficients and times may be on any device; synchronises with it. */
TESS_API TESS_MUST_CHECK tess_status tess_motion_warp(tess_array *out, const tess_array *in,
                                                      const tess_array *coefficients, const tess_array *times,
                                                      const tess_motion_warp_opts *opts);

/* ---- Bad pixels ---- */

/** Replaces pixels of images {b,1,h,w} where `mask`, {1,1,h,w} or {b,1,h,w}, is not 0 by the median of their valid
 *  neighbours. These are taken from the smallest square of up to 9 x 9 pixels that contains at least four; if the
 *  largest has fewer, those are used, and the result is 0 if it has none. The median of an even number is the mean of
 *  the two middle values. NaNs are not valid. f32 or f64; `out` may be exactly `in`. Synchronises with the device. */
TESS_API TESS_MUST_CHECK tess_status tess_repair_pixels(tess_array *out, const tess_array *in, const tess_array *mask);

TESS_END_C

#endif
