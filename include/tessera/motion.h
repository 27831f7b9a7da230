/* Motion of frames and tilts: shifts by correlation, a model of local motion, frames that are moved, and their sums.
 *
 * The frames of a movie, {b,1,h,w}, are exposures of one specimen that drifts. Shifts are pixels (h, w) towards higher
 * indices that move a frame onto the first one, as tess_fft_phase_shift takes them, and as RELION writes them:
 *
 *      tess_fft_r2c -> tess_fft_resize -> tess_align_frames      shifts of whole frames, on a smaller grid
 *                                      -> tess_add_frames        the sum of the frames, and the dose-weighted one
 *      patches of aligned frames -> tess_motion_fit              a polynomial of position and time
 *                                -> tess_motion_warp             frames resampled by it
 *
 * docs/motion.md has the methods and how near they come.
 */
#ifndef TESSERA_MOTION_H
#define TESSERA_MOTION_H

#include "tessera/array.h"

TESS_BEGIN_C

/* ---- Shifts of whole frames ---- */

typedef struct tess_align_frames_opts {
    double      bfactor;       /* products of spectra are multiplied by exp(-bfactor k^2 / 4), square angstrom [150];
                                  TESS_ZERO: by 1 */
    double      tolerance;     /* pixels: iterations end when no shift changes by more than this [0.05] */
    double      maximum_shift; /* pixels: maximum distance of a frame from the sum of the others in the first iterations
                                  [unlimited] */
    double      maximum_move;  /* pixels: maximum shift of a frame from its initial position in all iterations together
                                  [unlimited] */
    int32_t     rounds;        /* maximum number of iterations on each grid [10] */
    int32_t     group;         /* number of consecutive frames summed before the alignment; shifts between their middles
                                  are linear in time [1] */
    tess_array *changes;       /* receives the largest change of each iteration, {1,1,1,n}, pixels, f64 if it is made
                                  [none] */
    tess_array *scores;        /* receives the correlation of each frame, or of its group, with the sum of the others in
                                  the end, {b,1,1,1}, f64 if it is made: in standard deviations of what spectra of the
                                  same amplitudes with random phases have [none] */
    uint32_t    reserved[4];   /* must be 0 */
} tess_align_frames_opts;

/**
 * Shifts {b,1,1,2} that move each frame onto the first, f64 if they are made. `spectra` are half spectra (layout H) of
 * frames {b,1,h,w} = `shape`, c32 or c64: of cropped ones where the detail of full ones is not needed.
 *
 * In each iteration every frame is correlated with the sum of all others, and moved to the peak. The first iterations
 * look for it in whole maps, on a grid of a quarter of the size (half, or all of it, where that had less than 64
 * pixels), until no shift changes by half a pixel. Those that follow, on this grid, then on finer ones, take the
 * parabola through the correlations at -1, 0 and 1 pixel along each axis. The mean of frames does not count. The
 * results come to the host: it waits.
 */
TESS_API TESS_MUST_CHECK tess_status tess_align_frames(tess_array *shifts, const tess_array *spectra, tess_shape shape,
                                                       double pixel_size, const tess_align_frames_opts *opts);

/* ---- Tilt series ---- */

typedef struct tess_align_tilts_opts {
    double axis; /* of the tilts: radians from the h axis (y) towards lower w, counter-clockwise where y goes
                               up, as IMOD counts [0: along h] */
    double low,
        high; /* frequencies that count, cycles per pixel, with soft edges [0.02, 0.25]; 0 is written TESS_ZERO */
    double   maximum_shift; /* pixels, from an image to the next [unlimited] */
    uint32_t reserved[8];   /* must be 0 */
} tess_align_tilts_opts;

/**
 * Shifts {b,1,1,2} that move the images of a tilt series, {b,1,h,w} of real numbers, onto that of the smallest angle;
 * f64 if they are made. `angles` are radians, {b,1,1,1} on any device, from -1.5 to 1.5.
 *
 * From the smallest angle outward, each image is correlated with the one before: it is stretched across the axis by the
 * ratio of both cosines, so that what lies in the plane of the specimen fits, and its edges are tapered. Shifts add up
 * on the way. The results come to the host: it waits.
 */
TESS_API TESS_MUST_CHECK tess_status tess_align_tilts(tess_array *shifts, const tess_array *images,
                                                      const tess_array *angles, const tess_align_tilts_opts *opts);

/* ---- Sums ---- */

typedef struct tess_add_frames_opts {
    const tess_array *doses;           /* of `weighted`: electrons per square angstrom that each frame has received at
                                          its end, real {b,1,1,1} [NULL: 0] */
    double            pixel_size;      /* of the doses' filter, angstrom [1] */
    double            voltage;         /* as tess_dose_weight_opts has it [300] */
    double            critical_factor; /* as there [by the voltage] */
    uint32_t          reserved[4];     /* must be 0 */
} tess_add_frames_opts;

/**
 * Add spectra of frames, each moved by its shift, {b,1,1,2} or {1,1,1,2}, to `sum`, {1,1,h,w/2+1} of the same dtype;
 * and, times the exposure filter of its dose (tess_dose_weight), to `weighted`, which may be NULL. Both may be zeroed:
 * then they are made, and begin at 0. Frames are added one by one in their order: parts of a movie may come in several
 * calls. If memory runs out, the sums hold the frames that were added before. tess_dose_normalize makes the noise of
 * `weighted` white. c32 or c64, layout H of logical `shape`; `shifts` and `doses` are on the device of the spectra or
 * in host memory.
 */
TESS_API TESS_MUST_CHECK tess_status tess_add_frames(tess_array *sum, tess_array *weighted, const tess_array *spectra,
                                                     tess_shape shape, const tess_array *shifts,
                                                     const tess_add_frames_opts *opts);

/* ---- Local motion ---- */

/** Coefficients of the model, an axis: those of t, t^2, t^3; then of the same times x, x^2, y, y^2 and xy. x and y are
 *  fractions of the width and height from the middle, -0.5 to 0.5; t is the time, 0 at the first frame. These are those
 *  of RELION's third-order polynomial, in its order. */
enum { TESS_MOTION_COEFFICIENTS = 18 };

typedef struct tess_motion_fit_opts {
    const tess_array *times;       /* of the frames, real {1,1,1,n} on any device [0, 1, 2, ...] */
    const tess_array *weights;     /* how much each shift counts, 0 or more, real {p,1,n,1} on any device [1] */
    double            outliers;    /* robust standard deviations beyond which shifts have no weight [4.685]; TESS_ZERO:
                                      all count by their weights */
    int32_t           offsets;     /* shifts of each patch have an unknown constant on top of the model, which is
                                      fitted with it: that of the error of the first frame [0: they have none] */
    int32_t           unused;      /* must be 0 */
    tess_array       *residual;    /* receives the root mean square of what is left over along both axes, weighted as
                                      in `kept`, {1,1,1,1}, pixels, f64 if it is made [none] */
    tess_array       *kept;        /* receives how much each shift counted in the end: its weight times 0 to 1,
                                      {p,1,n,1}, f64 if it is made [none] */
    uint32_t          reserved[6]; /* must be 0 */
} tess_motion_fit_opts;

/**
 * Fits the coefficients, {2,1,1,18}: of shifts along h, then along w; f64 if they are made. `shifts` are those of p
 * patches in n frames, {p,1,n,2}; `positions` of the patches, {p,1,1,2}, are (y, x).
 *
 * Least squares come first, then up to 35 iterations of weighted ones: Huber's weights in the first five, Tukey's
 * biweight with `outliers` as its constant in the others. Standard deviations are robust ones: the median distance of
 * shifts from the model over that of a normal distribution. Where patches are too few for all coefficients, those of
 * the least norm are found. All is computed on the host: it waits.
 */
TESS_API TESS_MUST_CHECK tess_status tess_motion_fit(tess_array *coefficients, const tess_array *shifts,
                                                     const tess_array *positions, const tess_motion_fit_opts *opts);

/** The shifts {p,1,n,2} of the model at p positions {p,1,1,2}, at n times {1,1,1,n}, computed on the host: it waits. */
TESS_API TESS_MUST_CHECK tess_status tess_motion_shifts(tess_array *shifts, const tess_array *coefficients,
                                                        const tess_array *positions, const tess_array *times);

typedef struct tess_motion_warp_opts {
    int32_t  interp;      /* a tess_interp: LINEAR, CUBIC, LANCZOS4, LANCZOS6 or LANCZOS8 [LANCZOS6] */
    int32_t  unused;      /* must be 0 */
    uint32_t reserved[6]; /* must be 0 */
} tess_motion_warp_opts;

/** Frames {b,1,h,w} resampled by the model: pixel p of frame b is what was at p less the shift of p at time times[b],
 *  {1,1,1,b}. What lies outside is that of the nearest edge. f32 or f64; `out` does not overlap `in`. Coefficients and
 *  times are on any device: it waits for them. */
TESS_API TESS_MUST_CHECK tess_status tess_motion_warp(tess_array *out, const tess_array *in,
                                                      const tess_array *coefficients, const tess_array *times,
                                                      const tess_motion_warp_opts *opts);

/* ---- Bad pixels ---- */

/** Pixels of images {b,1,h,w} where `mask`, {1,1,h,w} or {b,1,h,w}, is not 0 become the median of the good ones around
 *  them: those of the smallest square of up to 9 x 9 pixels that has four or more; of fewer where there are no more in
 *  the largest, and 0 where there is none. The mean of both middle ones is the median of an even number. NaNs are not
 *  good. f32 or f64; `out` may be exactly `in`. It waits, since it counts them. */
TESS_API TESS_MUST_CHECK tess_status tess_repair_pixels(tess_array *out, const tess_array *in, const tess_array *mask);

TESS_END_C

#endif
