/* Correlation: scores, maps, their peaks, lists of peaks, template matching.
 *
 * The map of two images tells how well they match when the second is moved: map[s] is the sum of lhs[x + s] rhs[x]. Its
 * peak is at the shift that moves rhs onto lhs:
 *
 *      lhs               rhs               map, centred      + is lag 0, at index n/2; the peak @ is 2 rows below
 *      . . . . . .       . . . . . .       . . . . . .       and 2 columns right of it.
 *      . . . . . .       . # . . . .       . . . . . .
 *      . . . . . .       . . . . . .       . . . . . .       tess_correlate_peak gives the shift (2, 2) along h and
 *      . . . # . .       . . . . . .       . . . + . .       w: tess_fft_phase_shift by it moves rhs onto lhs.
 *      . . . . . .       . . . . . .       . . . . . .
 *      . . . . . .       . . . . . .       . . . . . @
 *
 * A map is periodic: pad images with zeros where shifts beyond an edge must not come in at the opposite one.
 */
#ifndef TESSERA_CORRELATE_H
#define TESSERA_CORRELATE_H

#include "tessera/array.h"

TESS_BEGIN_C

/* ---- Scores ---- */

typedef struct tess_correlate_score_opts {
    const tess_array *weights;   /* how much each element counts, real and not negative, broadcast to the arrays; a mask
                                   [NULL: all count 1] */
    int32_t           center;    /* 1: the mean of each array is subtracted [0] */
    int32_t           normalize; /* 1: the score is divided by the norms of both: -1 to 1 [0] */
    uint32_t          reserved[6]; /* must be 0 */
} tess_correlate_score_opts;

/**
 * The sum of w x conj(y) over each batch, {b,1,1,1}: with `center` of x and y less their means, which are weighted too;
 * with `normalize` over sqrt(sum of w |x|^2 times sum of w |y|^2), 0 where that is 0. lhs and rhs broadcast to each
 * other. `out` is f64 if it is made, or c64 where an array is complex. Sums are made in f64, in an order
 * that does not depend on strides, and means first, so that large means cost no digits.
 */
TESS_API TESS_MUST_CHECK tess_status tess_correlate_score(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                                          const tess_correlate_score_opts *opts);

/* ---- Maps ---- */

/** What becomes of the product P = L conj(R) of two spectra; 0 where P is 0.
 *
 *  A coefficient that is 0 but for the rounding of a transform has the phase of that rounding. So PHASE and MUTUAL are
 *  0 where the magnitude of a coefficient of L or R is below 8 eps sqrt(1 + log2 n) times the root mean square of the n
 *  coefficients of its half spectrum, batch by batch, with eps = 2^-52 of c64, else 2^-23. */
typedef enum tess_correlate_mode {
    TESS_CORRELATE_DEFAULT,      /* CONVENTIONAL */
    TESS_CORRELATE_CONVENTIONAL, /* P */
    TESS_CORRELATE_PHASE,        /* P / |P|: a sharp peak, whatever the images are of */
    TESS_CORRELATE_DOUBLE_PHASE, /* P^2 / |P|: lags are doubled */
    TESS_CORRELATE_MUTUAL        /* P / sqrt(|P|): between conventional and phase */
} tess_correlate_mode;

typedef struct tess_correlate_map_opts {
    int32_t  mode;        /* a tess_correlate_mode [CONVENTIONAL] */
    int32_t  centred;     /* 1: lag 0 is at n/2 along each axis [0: at 0, negative lags from the end] */
    int32_t  norm;        /* of the inverse transform, a tess_fft_norm [BACKWARD] */
    uint32_t reserved[5]; /* must be 0 */
} tess_correlate_map_opts;

/** The map of two half spectra (layout H) of logical `shape`, the b of either of which may be 1. With spectra of
 *  norm BACKWARD, or ORTHO in both directions, conventional maps have the sums above. The spectra do not change. `out`
 *  is real; if it is made, of their precision. Products and transforms of c16 are c32: the map alone is rounded to
 *  f16. */
TESS_API TESS_MUST_CHECK tess_status tess_correlate_map(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                                        tess_shape shape, const tess_correlate_map_opts *opts);

typedef struct tess_correlate_opts {
    int32_t  mode;        /* a tess_correlate_mode [CONVENTIONAL] */
    int32_t  centred;     /* 1: lag 0 is at n/2 along each axis [0: at 0, negative lags from the end] */
    int32_t  pad;         /* 1: zeros around the images, so that nothing wraps [0: they are periodic] */
    uint32_t reserved[5]; /* must be 0 */
} tess_correlate_opts;

/** The map of two real arrays of one shape, the b of either of which may be 1: transforms, product and inverse in one
 *  call. `out` has their shape, padded or not, and lags from -n/2 to (n-1)/2 along each axis. Computed in f64 where an
 *  array is f64 or an integer of more than 16 bits, else in f32. */
TESS_API TESS_MUST_CHECK tess_status tess_correlate(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                                    const tess_correlate_opts *opts);

/* ---- Peaks ---- */

/** How a peak is placed between samples, from the window of samples around the largest. */
typedef enum tess_correlate_fit {
    TESS_CORRELATE_FIT_DEFAULT,   /* PARABOLA */
    TESS_CORRELATE_FIT_PARABOLA,  /* along each axis the parabola of least squares through 2 radius + 1 samples */
    TESS_CORRELATE_FIT_QUADRATIC, /* one quadratic function of all axes, of least squares: peaks that are inclined */
    TESS_CORRELATE_FIT_MASS       /* centre of mass of the window, of values above 0, or above its least if that is
                                     negative */
} tess_correlate_fit;

typedef struct tess_correlate_peak_opts {
    const tess_array *maximum_lag; /* along each axis, pixels, real {1,1,1,rank} in host memory: the peak lies in an
                                      ellipse of these radii around lag 0; 0: at lag 0, negative: anywhere [NULL:
                                      anywhere] */
    const tess_array *radius;      /* of the window along each axis, 0 to 4, {1,1,1,rank} in host memory; 0: at a sample
                                      [NULL: 1] */
    int32_t           fit;         /* a tess_correlate_fit [PARABOLA] */
    int32_t           centred;     /* 1: lag 0 of the map is at n/2 along each axis [0: at 0] */
    uint32_t          reserved[6]; /* must be 0 */
} tess_correlate_peak_opts;

/**
 * The peak of each batch of a real map of rank 1, 2 or 3 (3 where d is above 1, else 2 where h is): its lags (w),
 * (h, w) or (d, h, w) as `shifts`, {b,1,1,rank}, and its height as `values`, {b,1,1,1}, which may be NULL; f64 if they
 * are made.
 *
 * The largest sample is found first, of equals the first in C order; samples outside the ellipse, and NaNs, are no
 * candidates. The window around it wraps at the edges. A curve that does not open downward leaves the peak at the
 * sample; a vertex is kept within radius - 0.5 of it, that of a quadratic function within the radius. The height is
 * that of the sample plus what each axis adds (of a quadratic function: its own; of a centre of mass: that of the
 * sample). Where all samples are NaN so are the results.
 */
TESS_API TESS_MUST_CHECK tess_status tess_correlate_peak(tess_array *shifts, tess_array *values, const tess_array *map,
                                                         const tess_correlate_peak_opts *opts);

/* ---- Lists of peaks ---- */

typedef struct tess_peaks_opts {
    double   distance;    /* pixels: of two peaks that are nearer to each other than this, the lower one is left out
                             [0: none is] */
    int64_t  edge;        /* this many samples at the ends of axes longer than 1 have no peaks [0] */
    int64_t  max;         /* maximum number of peaks per batch, the highest ones [all] */
    int32_t  at_samples;  /* 1: places and heights are those of samples [0: of parabolas through three samples] */
    uint32_t reserved[5]; /* must be 0 */
} tess_peaks_opts;

/**
 * Local maxima of each batch of a map that are not below a threshold, thinned out by greedy non-maximum suppression:
 * from the highest to the lowest, a peak is taken unless one that was taken before is nearer than `distance`.
 *
 * A sample is a local maximum if none of its neighbours, corners included, is higher, and none that is equal comes
 * before it in C order. NaNs are neither peaks nor neighbours. `positions` are (b, d, h, w), {n,1,1,4}: the number of
 * the batch, then pixels; `values` are heights, {n,1,1,1}, and may be NULL. Both are f64 and must be zeroed. Batches
 * come in their order, and peaks of a batch from the highest to the lowest; of equal ones, the first in C order. Along
 * each axis a parabola through the sample and its two neighbours moves a peak by half a pixel at most, and adds to its
 * height; not where a neighbour is missing or NaN. Distances and the order are those of samples. f16, f32 or f64; waits
 * for the map.
 */
TESS_API TESS_MUST_CHECK tess_status tess_peaks(tess_array *positions, tess_array *values, const tess_array *map,
                                                double threshold, const tess_peaks_opts *opts);

/* ---- Template matching ---- */

typedef struct tess_match_template_opts {
    int32_t  periodic;    /* 1: images go on with themselves beyond their edges [0: with their mean] */
    uint32_t reserved[7]; /* must be 0 */
} tess_match_template_opts;

/**
 * Locally normalised correlation of images with a template under a mask: at each pixel the correlation coefficient, -1
 * to 1, of the template and of the part of the image that it covers when its centre, index n/2, lies there.
 *
 * `mask` has the weights of the elements of the template, real and not negative, in its shape; NULL: all count. Where
 * the template reaches beyond the image, that is taken for its mean, or goes on periodically. 0 where image or template
 * have no variance under the mask. Real arrays; the b of image, template and mask is one number, or 1: what an image or
 * a mask needs is then computed once for all templates. The template is not larger than the image. Computed by Fourier
 * transforms in f64; `out` has the shape of the image and that b; it is f32 if it is made, or f64 where the image is.
 */
TESS_API TESS_MUST_CHECK tess_status tess_match_template(tess_array *out, const tess_array *image,
                                                         const tess_array *templ, const tess_array *mask,
                                                         const tess_match_template_opts *opts);

TESS_END_C

#endif
