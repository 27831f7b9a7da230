/* Restoration: noise is removed without blurring edges, and blur is undone.
 *
 * Bilateral filter, non-local means, anisotropic diffusion, Richardson-Lucy and Wiener deconvolution of signals, images
 * and volumes, depending on the shape; each batch is processed separately. All real dtypes: f16 is computed as f32, and
 * integers become floats as in tess_sqrt, which is also the dtype of the result. An allocated `out` may have any dtype
 * to which this converts and any strides. Values outside are given by the border (tessera/border.h), which may be any
 * other than NOTHING. Results are bit-identical for all strides and any number of threads; those of the first three
 * functions are bit-identical on every device.
 */
#ifndef TESSERA_RESTORATION_H
#define TESSERA_RESTORATION_H

#include "tessera/array.h"
#include "tessera/border.h"

TESS_BEGIN_C

/* ---- Noise ---- */

typedef struct tess_bilateral_opts {
    int32_t    border;                    /* a tess_border other than NOTHING [MIRROR] */
    int32_t    unused;                    /* must be 0 */
    double     value;                     /* border VALUE: value outside [0] */
    double     sigma_d, sigma_h, sigma_w; /* standard deviations along single axes, in elements [sigma_space] */
    tess_shape window;                    /* odd sizes of the window along d, h and w, 1 along b [2 ceil(3 sigma) + 1,
                                             and 1 where `in` has size 1] */
    uint32_t   reserved[4];               /* must be 0 */
} tess_bilateral_opts;

/** Applies the bilateral filter (Tomasi and Manduchi): each element becomes the mean of its window with the weights
 *
 *      exp(-(in[j] - in[i])^2 / (2 sigma_value^2)) exp(-(distance / sigma_space)^2 / 2)
 *
 *  so that elements beyond an edge much higher than `sigma_value` do not count. `sigma_value` is in units of the
 *  values: about twice the standard deviation of the noise is usual. `sigma_space` is in elements.
 *
 *  NaNs in a window do not count, nor do elements that are infinitely far from the centre; NaNs and infinities remain
 *  as they are. `out` must not overlap `in`. The time is proportional to the number of elements of the window. */
TESS_API TESS_MUST_CHECK tess_status tess_bilateral(tess_array *out, const tess_array *in, double sigma_value,
                                                    double sigma_space, const tess_bilateral_opts *opts);

typedef struct tess_nl_means_opts {
    int32_t  border;      /* a tess_border other than NOTHING [MIRROR] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside [0] */
    double   noise;       /* standard deviation of the noise, whose contribution is subtracted from differences [0] */
    int32_t  patch;       /* radius of the patches that are compared, in elements, 1 to 127 [2]; TESS_ZERO_INT: single
                             elements */
    int32_t  search;      /* radius of the window in which patches are searched, in elements, 1 to 100 [7] */
    uint32_t reserved[4]; /* must be 0 */
} tess_nl_means_opts;

/** Applies non-local means (Buades, Coll and Morel): each element becomes the mean of the elements of its search window
 *  with the weights
 *
 *      exp(-max(0, d^2 - 2 noise^2) / strength^2)
 *
 *  where d^2 is the mean of the squared differences of the patches around the two elements. `strength` is in units of
 *  the values: about 0.8 of the standard deviation of the noise if `noise` is given, otherwise 1.2 to 2 of it. Patches
 *  and search windows are boxes along d, h and w, without axes along which `in` has size 1.
 *
 *  Squares are summed along w, then h, then d, in the dtype of the computation, so that the time is proportional to the
 *  number of elements of the search window and hardly depends on the patch. A patch with a NaN or an infinity resembles
 *  no other: elements near such values do not change. `out` must not overlap `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_nl_means(tess_array *out, const tess_array *in, double strength,
                                                   const tess_nl_means_opts *opts);

/** Estimates the standard deviation of white noise in each batch, {b,1,1,1} of f64: the median of the magnitudes of the
 *  second differences along all axes longer than 2 (Immerkaer's filter), divided by what it is for noise of standard
 *  deviation 1. Edges and smooth variations hardly change it; fine texture and correlated noise do. NaNs are ignored.
 *  The result is NaN if no axis is longer than 2 or there are only NaNs. An allocated `out` may have any dtype to
 *  which f64 converts. */
TESS_API TESS_MUST_CHECK tess_status tess_estimate_noise(tess_array *out, const tess_array *in);

/** How conductance decreases with the difference g of two neighbours. */
typedef enum tess_conductance {
    TESS_CONDUCTANCE_DEFAULT,     /* EXPONENTIAL */
    TESS_CONDUCTANCE_EXPONENTIAL, /* exp(-(g / kappa)^2): favours high edges */
    TESS_CONDUCTANCE_RATIONAL     /* 1 / (1 + (g / kappa)^2): favours large regions */
} tess_conductance;

typedef struct tess_diffusion_opts {
    int32_t  conductance; /* a tess_conductance [EXPONENTIAL] */
    int32_t  unused;      /* must be 0 */
    double   step;        /* step of an iteration, above 0 and at most 1 / (2 n) [1 / (4 n)], n being the number of axes
                             among d, h and w along which `in` is longer than 1 */
    uint32_t reserved[4]; /* must be 0 */
} tess_diffusion_opts;

/** Applies anisotropic diffusion (Perona and Malik): each iteration adds `step` times the sum over neighbours of
 *  their differences g times the conductance of g, so that regions become smooth while edges higher than `kappa`
 *  remain. `kappa` is in units of the values and above 0. Nothing flows across the borders of the array.
 *
 *  No result is outside the range of an element and its neighbours before the iteration. Nothing flows from or to NaNs
 *  and infinities, which remain as they are. `out` may be `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_anisotropic_diffusion(tess_array *out, const tess_array *in, double kappa,
                                                                int64_t iterations, const tess_diffusion_opts *opts);

/* ---- Blur ----
 *
 * `psf` is the point spread function {1,d,h,w}, real, of any size, on the CPU or on the device of `in`. Its centre
 * is element n / 2 along each axis, and it is divided by its sum, which must be above 0. `in` is extended by the border
 * by at least the size of the point spread function on each side (not with PERIODIC) and transformed along the axes
 * where this is longer than 1; the results for the extension are dropped. A NaN or an infinity spreads over its whole
 * batch. Both functions need the memory of several extended arrays, `out` may be `in`,
 * and they synchronise with the device of `psf`. */

typedef struct tess_richardson_lucy_opts {
    int32_t  border;      /* a tess_border other than NOTHING [MIRROR] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside, at least 0 [0] */
    double   min_blurred; /* smallest blurred estimate that is divided by, as a fraction of the mean of the batch
                             [1e-6, of f64 1e-12] */
    uint32_t reserved[4]; /* must be 0 */
} tess_richardson_lucy_opts;

/** Deconvolves by the algorithm of Richardson and Lucy: from an even estimate, each iteration multiplies the estimate
 *  by the correlation of the point spread function with `in` divided by the blurred estimate. This approaches the most
 *  likely image if the noise is that of counts (Poisson); many iterations amplify noise. 10 to 50 are usual.
 *
 *  Elements below 0 count as 0, and no result is below 0. Where the blurred estimate is at most `min_blurred` times
 *  the mean of the batch, the ratio is taken as 0. With the border ZERO, nothing is outside the array, as in
 *  skimage.restoration.richardson_lucy. */
TESS_API TESS_MUST_CHECK tess_status tess_richardson_lucy(tess_array *out, const tess_array *in, const tess_array *psf,
                                                          int64_t iterations, const tess_richardson_lucy_opts *opts);

typedef struct tess_wiener_opts {
    int32_t  border;      /* a tess_border other than NOTHING [MIRROR] */
    int32_t  laplacian;   /* 1: `balance` is multiplied by |L|^2, L being the transfer function of the Laplacian, which
                             attenuates high frequencies more [0] */
    double   value;       /* border VALUE: value outside [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_wiener_opts;

/** Deconvolves by the Wiener filter conj(H) / (|H|^2 + balance), where H is the transfer function of the point spread
 *  function. `balance`, at least 0, is the ratio of the power of the noise to that of the signal, or, with
 *  `laplacian`, the strength of the regularisation as in skimage.restoration.wiener. Where the denominator is 0, the
 *  result is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_wiener_deconvolve(tess_array *out, const tess_array *in,
                                                            const tess_array *psf, double balance,
                                                            const tess_wiener_opts *opts);

TESS_END_C

#endif
