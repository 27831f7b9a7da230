/* Correlation: scores, maps, peaks, template matching.
 *
 * The correlation map of two images measures their similarity as a function of the shift of the second: map[s] is the
 * sum of lhs[x + s] rhs[x]. Its peak is at the shift that moves rhs onto lhs:
 *
 *      lhs               rhs               map, centred      + is lag 0, at index n/2; the peak @ is 2 rows below
 *      . . . . . .       . . . . . .       . . . . . .       and 2 columns right of it.
 *      . . . . . .       . # . . . .       . . . . . .
 *      . . . . . .       . . . . . .       . . . . . .       tess_correlate_peak gives the shift (2, 2) along h and
 *      . . . # . .       . . . . . .       . . . + . .       w: tess_fft_phase_shift by it moves rhs onto lhs.
 *      . . . . . .       . . . . . .       . . . . . .
 *      . . . . . .       . . . . . .       . . . . . @
 *
 * A map is periodic: pad images with zeros if content shifted over an edge must not reappear at the opposite one.
 */
#ifndef TESSERA_CORRELATE_H
#define TESSERA_CORRELATE_H

#include "tessera/array.h"

TESS_BEGIN_C

/* ---- Scores ---- */

typedef struct tess_correlate_score_opts {
    const tess_array *weights;     /* weights of the elements, such as a mask; real and not negative, broadcast to the
                                      arrays [NULL: all 1] */
    int32_t           centre;      /* 1: subtract the mean of each array [0] */
    int32_t           normalize;   /* 1: divide the score by the norms of both, which gives -1 to 1 [0] */
    uint32_t          reserved[6]; /* must be 0 */
} tess_correlate_score_opts;

/**
 * Computes the correlation of each batch, the sum of w x conj(y): {b,1,1,1}. With `centre`, the weighted means of x and
 * y are subtracted first. With `normalize`, it is divided by sqrt(sum of w |x|^2 times sum of w |y|^2), and 0 where
 * that is 0. lhs and rhs broadcast to each other. A newly allocated `out` is f64, or c64 if an array is complex. Sums
 * are in f64, in an order that does not depend on strides; means are subtracted before summation, so that large means
 * do not reduce accuracy.
 */
TESS_API TESS_MUST_CHECK tess_status tess_correlate_score(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                                          const tess_correlate_score_opts *opts);

/* ---- Maps ---- */

/** How the product P = L conj(R) of two spectra is normalised; the result is 0 where P is 0.
 *
 *  A coefficient that is 0 except for rounding errors has a random phase. So PHASE and MUTUAL are 0 where the magnitude
 *  of a coefficient of L or R is below 8 eps sqrt(1 + log2 n) times the root mean square of the n coefficients of its
 *  half spectrum, for each batch, with eps = 2^-52 for c64, otherwise 2^-23. */
typedef enum tess_correlate_mode {
    TESS_CORRELATE_DEFAULT,      /* CONVENTIONAL */
    TESS_CORRELATE_CONVENTIONAL, /* P */
    TESS_CORRELATE_PHASE,        /* P / |P|: a sharp peak for any images */
    TESS_CORRELATE_DOUBLE_PHASE, /* P^2 / |P|: lags are doubled */
    TESS_CORRELATE_MUTUAL        /* P / sqrt(|P|): between conventional and phase */
} tess_correlate_mode;

typedef struct tess_correlate_map_opts {
    int32_t  mode;        /* a tess_correlate_mode [CONVENTIONAL] */
    int32_t  centred;     /* 1: lag 0 is at n/2 along each axis [0: at 0, negative lags from the end] */
    int32_t  norm;        /* normalisation of the inverse transform, a tess_fft_norm [BACKWARD] */
    uint32_t reserved[5]; /* must be 0 */
} tess_correlate_map_opts;

/** Computes the correlation map of two half spectra (layout H) of logical `shape`; the b of either may be 1. With
 *  spectra of norm BACKWARD, or ORTHO in both directions, conventional maps contain the sums above. The spectra are not
 *  changed. `out` is real, and has their precision if newly allocated. Products and transforms of c16 are in c32; only
 *  the map is rounded to f16. */
TESS_API TESS_MUST_CHECK tess_status tess_correlate_map(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                                        tess_shape shape, const tess_correlate_map_opts *opts);

typedef struct tess_correlate_opts {
    int32_t  mode;        /* a tess_correlate_mode [CONVENTIONAL] */
    int32_t  centred;     /* 1: lag 0 is at n/2 along each axis [0: at 0, negative lags from the end] */
    int32_t  pad;         /* 1: pad the images with zeros, so that nothing wraps [0: periodic] */
    uint32_t reserved[5]; /* must be 0 */
} tess_correlate_opts;

/** Computes the correlation map of two real arrays of equal shape, of which either b may be 1: transforms, product and
 *  inverse in one call. `out` has their shape, padded or not, and lags from -n/2 to (n-1)/2 along each axis. Computed
 *  in f64 if an array is f64 or an integer of more than 16 bits, otherwise in f32. */
TESS_API TESS_MUST_CHECK tess_status tess_correlate(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                                    const tess_correlate_opts *opts);

/* ---- Peaks ---- */

/** How the position of a peak between samples is estimated, from a window around the largest sample. */
typedef enum tess_correlate_fit {
    TESS_CORRELATE_FIT_DEFAULT,   /* PARABOLA */
    TESS_CORRELATE_FIT_PARABOLA,  /* along each axis a least-squares parabola through 2 radius + 1 samples */
    TESS_CORRELATE_FIT_QUADRATIC, /* a least-squares quadratic function of all axes, for inclined peaks */
    TESS_CORRELATE_FIT_MASS       /* centre of mass of the window, of values above 0, or above its minimum if that is
                                     negative */
} tess_correlate_fit;

typedef struct tess_correlate_peak_opts {
    const tess_array *max_lag;     /* radii of an ellipse around lag 0 that contains the peak, pixels along each axis,
                                      real {1,1,1,rank} in host memory; 0: only lag 0, negative: unlimited [NULL:
                                      unlimited] */
    const tess_array *radius;      /* radius of the window along each axis, 0 to 4, {1,1,1,rank} in host memory; 0:
                                      position of the sample [NULL: 1] */
    int32_t           fit;         /* a tess_correlate_fit [PARABOLA] */
    int32_t           centred;     /* 1: lag 0 of the map is at n/2 along each axis [0: at 0] */
    uint32_t          reserved[6]; /* must be 0 */
} tess_correlate_peak_opts;

/**
 * Finds the peak of each batch of a real map of rank 1, 2 or 3 (3 if d exceeds 1, otherwise 2 if h does). `shifts`,
 * {b,1,1,rank}, receives its lags (w), (h, w) or (d, h, w), and `values`, {b,1,1,1}, which may be NULL, its height.
 * Both are f64 if newly allocated.
 *
 * First the largest sample is found, of equal ones the first in C order; samples outside the ellipse and NaNs are
 * excluded. The window around it wraps at the edges. If the fitted curve has no maximum, the peak stays at the sample.
 * The vertex is kept within radius - 0.5 of the sample, that of a quadratic function within the radius. The height is
 * that of the sample plus the contribution of each axis; for a quadratic function it is that of the function, and for a
 * centre of mass that of the sample. If all samples are NaN, so are the results.
 */
TESS_API TESS_MUST_CHECK tess_status tess_correlate_peak(tess_array *shifts, tess_array *values, const tess_array *map,
                                                         const tess_correlate_peak_opts *opts);

/* ---- Lists of peaks ---- */

typedef struct tess_peaks_opts {
    double   distance;    /* minimum distance between peaks, pixels; of two closer peaks the lower one is omitted [0:
                             none is] */
    int64_t  edge;        /* width of the margin without peaks at both ends of axes longer than 1, samples [0] */
    int64_t  max;         /* maximum number of peaks per batch, keeping the highest [all] */
    int32_t  at_samples;  /* 1: return positions and heights of samples [0: of parabolas through three samples] */
    uint32_t reserved[5]; /* must be 0 */
} tess_peaks_opts;

/**
 * Finds local maxima at or above a threshold in each batch of a map, with greedy non-maximum suppression: from the
 * highest to the lowest, a peak is taken unless one taken before is closer than `distance`.
 *
 * A sample is a local maximum if none of its neighbours, including diagonal ones, is higher, and no equal one precedes
 * it in C order. NaNs are neither peaks nor neighbours. `positions`, {n,1,1,4}, receives (b, d, h, w): the index of the
 * batch, then pixels; `values`, {n,1,1,1}, receives heights and may be NULL. Both are f64 and must be zeroed. Peaks are
 * ordered by batch, then from the highest to the lowest, equal ones in C order. Along each axis a parabola through the
 * sample and its two neighbours moves the peak by at most half a pixel and increases its height, unless a neighbour is
 * missing or NaN. Distances and order are those of the samples. f16, f32 or f64. Synchronises with the device.
 */
TESS_API TESS_MUST_CHECK tess_status tess_peaks(tess_array *positions, tess_array *values, const tess_array *map,
                                                double threshold, const tess_peaks_opts *opts);

/* ---- Template matching ---- */

typedef struct tess_match_template_opts {
    int32_t  periodic;    /* 1: images are periodic [0: they continue with their mean beyond the edges] */
    uint32_t reserved[7]; /* must be 0 */
} tess_match_template_opts;

/**
 * Computes the locally normalised correlation of images with a template under a mask: at each pixel, the correlation
 * coefficient, -1 to 1, of the template and the part of the image that it covers with its centre, index n/2, at that
 * pixel.
 *
 * `mask` has the shape of the template and contains the weights of its elements, real and not negative; NULL: all 1.
 * Where the template extends beyond the image, the image continues with its mean, or periodically. The result is 0
 * where image or template has no variance under the mask. Arrays are real. Image, template and mask have the same b, or
 * 1; work on a single image or mask is done only once for all templates. The template must not be larger than the
 * image. Computed by Fourier transforms in f64. `out` has the shape of the image and the common b; a newly allocated
 * one is f32, or f64 if the image is.
 */
TESS_API TESS_MUST_CHECK tess_status tess_match_template(tess_array *out, const tess_array *image,
                                                         const tess_array *templ, const tess_array *mask,
                                                         const tess_match_template_opts *opts);

TESS_END_C

#endif
