/* Convolution, along all axes together or along one after the other: blurring, derivatives, any weights.
 *
 * Every batch is convolved alike. With r = (n - 1) / 2 of each odd size n of the filter,
 *
 *     out[i] = sum over k of filter[k] in[i + r - k]
 *
 * along w, h and d; `correlate` takes in[i - r + k] instead, that is, the filter as it is drawn. What lies outside is
 * the border's (tessera/border.h); with TESS_BORDER_NOTHING, results whose window is not inside are not written, and
 * `out` must have been made. Sums are computed in the dtype in which `in` and the filter meet (tess_dtype_promote), f16
 * as f32, integers as tess_sqrt takes them, and the result is of the dtype in which they meet; an `out` that was made
 * may be of any that this converts to, has any strides, and does not overlap `in`. Sums are chains of fused
 * multiplications and additions over d, h, w of the window in this order, by tess_convolve from its first element on:
 * the same bits for all strides, threads, instruction sets and devices.
 */
#ifndef TESSERA_CONVOLVE_H
#define TESSERA_CONVOLVE_H

#include "tessera/array.h"
#include "tessera/border.h"

TESS_BEGIN_C

/** How a convolution is computed. */
typedef enum tess_convolve_method {
    TESS_CONVOLVE_DEFAULT, /* AUTO */
    TESS_CONVOLVE_AUTO,    /* by Fourier transforms where the filter is so large that this is faster */
    TESS_CONVOLVE_DIRECT,  /* by sums */
    TESS_CONVOLVE_FFT      /* by Fourier transforms */
} tess_convolve_method;

typedef struct tess_convolve_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  correlate;   /* 1: the filter is not reversed [0] */
    int32_t  method;      /* a tess_convolve_method [AUTO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: what is outside [0] */
    double   value_imag;  /* the same: its imaginary part, if sums are complex [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_convolve_opts;

/** Convolve with a filter {1,d,h,w} of odd sizes, real or complex, which has no axis longer than 1 before the first
 *  such axis of `in`: a volume is filtered by one to three axes, an image by one or two. The filter lies on the CPU or
 *  where `in` is. By Fourier transforms, a result is within 1e-6 (f64: 1e-15) times log2 of its number of elements
 *  times the sum of |filter| times the maximum of |in| of the exact one; infinities and NaNs then spread over their
 *  whole batch. Borders are padded for it, so it takes the memory of several arrays like `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_convolve(tess_array *out, const tess_array *in, const tess_array *filter,
                                                   const tess_convolve_opts *opts);

typedef struct tess_separable_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  correlate;   /* 1: the filters are not reversed [0] */
    double   value;       /* border VALUE: what is outside, for each axis anew [0] */
    double   value_imag;  /* the same: its imaginary part, if sums are complex [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_separable_opts;

/** Convolve along w, then h, then d, each with a vector {1,1,1,n} of odd n, or not, where that is NULL; one at least is
 *  needed. The sums of an axis are not rounded to the dtype of the result before the next. With every border but VALUE
 *  that is the convolution with the product of the vectors; with VALUE, each axis has the value outside. */
TESS_API TESS_MUST_CHECK tess_status tess_convolve_separable(tess_array *out, const tess_array *in,
                                                             const tess_array *filter_d, const tess_array *filter_h,
                                                             const tess_array          *filter_w,
                                                             const tess_separable_opts *opts);

/* ---- Filters by name ---- */

typedef struct tess_gaussian_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: what is outside, for each axis anew [0] */
    double   truncate;    /* standard deviations on each side that the filter covers, rounded to elements [4];
                             TESS_ZERO: no filter along any axis */
    uint32_t reserved[4]; /* must be 0 */
} tess_gaussian_opts;

/** Blur by a Gaussian of these standard deviations, in elements; 0 leaves an axis as it is, and not all are 0. Its
 *  weights, at the elements, add up to 1. */
TESS_API TESS_MUST_CHECK tess_status tess_gaussian_filter(tess_array *out, const tess_array *in, double sigma_d,
                                                          double sigma_h, double sigma_w,
                                                          const tess_gaussian_opts *opts);

typedef struct tess_laplacian_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: what is outside [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_laplacian_opts;

/** The sum of in[i - 1] - 2 in[i] + in[i + 1] along each of a set of axes, TESS_D, TESS_H and TESS_W; 0 means those of
 *  them along which `in` is longer than 1. It is a convolution, so infinities make NaNs where the weight is 0, too. */
TESS_API TESS_MUST_CHECK tess_status tess_laplacian(tess_array *out, const tess_array *in, int axes,
                                                    const tess_laplacian_opts *opts);

/** How a derivative is estimated. */
typedef enum tess_derivative_kind {
    TESS_DERIVATIVE_DEFAULT, /* CENTRAL */
    TESS_DERIVATIVE_CENTRAL, /* (in[i + 1] - in[i - 1]) / 2 */
    TESS_DERIVATIVE_SOBEL    /* in[i + 1] - in[i - 1], and 1 2 1 along the other axes among d, h, w longer than 1 */
} tess_derivative_kind;

typedef struct tess_derivative_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  kind;        /* a tess_derivative_kind [CENTRAL] */
    double   value;       /* border VALUE: what is outside, for each axis anew [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_derivative_opts;

/** The derivative along an axis: d, h or w. */
TESS_API TESS_MUST_CHECK tess_status tess_derivative(tess_array *out, const tess_array *in, int axis,
                                                     const tess_derivative_opts *opts);

TESS_END_C

#endif
