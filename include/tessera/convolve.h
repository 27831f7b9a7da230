/* Convolution, along all axes together or one after the other: blurring, derivatives, means, arbitrary filters.
 *
 * Every batch is convolved with the same filter. With r = (n - 1) / 2 of each odd size n of the filter,
 *
 *     out[i] = sum over k of filter[k] in[i + r - k]
 *
 * along w, h and d; `correlate` uses in[i - r + k] instead, without reversing the filter. Values outside are given by
 * the border (tessera/border.h). With TESS_BORDER_NOTHING, results whose window is not completely inside are not
 * written, and `out` must be allocated.
 *
 * Sums are computed in the common dtype of `in` and the filter (tess_dtype_promote), with f16 as f32 and integers
 * converted as in tess_sqrt, and the result has the common dtype. An allocated `out` may have any dtype to which this
 * converts and any strides, and must not overlap `in`. Sums are chains of fused multiply-adds over d, h, w of the
 * window in this order, by tess_convolve from its first element on, so results are bit-identical for all strides,
 * threads, instruction sets and devices.
 */
#ifndef TESSERA_CONVOLVE_H
#define TESSERA_CONVOLVE_H

#include "tessera/array.h"
#include "tessera/border.h"

TESS_BEGIN_C

/** How a convolution is computed. */
typedef enum tess_convolve_method {
    TESS_CONVOLVE_DEFAULT, /* AUTO */
    TESS_CONVOLVE_AUTO,    /* Fourier transforms for large filters, where they are faster; otherwise sums */
    TESS_CONVOLVE_DIRECT,  /* sums */
    TESS_CONVOLVE_FFT      /* Fourier transforms */
} tess_convolve_method;

typedef struct tess_convolve_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  correlate;   /* 1: correlate, without reversing the filter [0] */
    int32_t  method;      /* a tess_convolve_method [AUTO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside [0] */
    double   value_imag;  /* imaginary part of that value, if sums are complex [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_convolve_opts;

/** Convolves with a filter {1,d,h,w} of odd sizes, real or complex, of at most the rank of `in`: a volume is filtered
 *  along one to three axes, an image along one or two. The filter is on the CPU or on the device of `in`.
 *
 *  With Fourier transforms, the error is within 1e-6 (f64: 1e-15) times log2 of the number of elements, times the sum
 *  of |filter|, times the maximum of |in|; infinities and NaNs then spread over their whole batch. Borders are padded,
 *  so this method needs the memory of several arrays like `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_convolve(tess_array *out, const tess_array *in, const tess_array *filter,
                                                   const tess_convolve_opts *opts);

typedef struct tess_separable_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  correlate;   /* 1: correlate, without reversing the filters [0] */
    double   value;       /* border VALUE: value outside, for each axis separately [0] */
    double   value_imag;  /* imaginary part of that value, if sums are complex [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_separable_opts;

/** Convolves along w, then h, then d, each with a vector {1,1,1,n} of odd n. An axis whose vector is NULL is skipped;
 *  at least one vector is needed. Between axes, sums are not rounded to the dtype of the result. With every border
 *  except VALUE, this equals the convolution with the product of the vectors; with VALUE, the value outside applies to
 *  each axis. */
TESS_API TESS_MUST_CHECK tess_status tess_convolve_separable(tess_array *out, const tess_array *in,
                                                             const tess_array *filter_d, const tess_array *filter_h,
                                                             const tess_array          *filter_w,
                                                             const tess_separable_opts *opts);

/* ---- Filters by name ---- */

typedef struct tess_gaussian_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside, for each axis separately [0] */
    double   truncate;    /* half width of the filter in standard deviations, rounded to elements [4]; TESS_ZERO: no
                             filter along any axis */
    uint32_t reserved[4]; /* must be 0 */
} tess_gaussian_opts;

/** Blurs with a Gaussian of these standard deviations, in elements; 0 skips an axis, and not all may be 0. The sampled
 *  weights add up to 1. */
TESS_API TESS_MUST_CHECK tess_status tess_gaussian_filter(tess_array *out, const tess_array *in, double sigma_d,
                                                          double sigma_h, double sigma_w,
                                                          const tess_gaussian_opts *opts);

typedef struct tess_laplacian_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_laplacian_opts;

/** Computes the Laplacian: the sum of in[i - 1] - 2 in[i] + in[i + 1] over a set of axes, TESS_D, TESS_H and TESS_W; 0
 *  means those along which `in` is longer than 1. It is a convolution, so infinities give NaNs also where the weight is
 *  0. */
TESS_API TESS_MUST_CHECK tess_status tess_laplacian(tess_array *out, const tess_array *in, int axes,
                                                    const tess_laplacian_opts *opts);

/** Method of estimating a derivative. */
typedef enum tess_derivative_kind {
    TESS_DERIVATIVE_DEFAULT, /* CENTRAL */
    TESS_DERIVATIVE_CENTRAL, /* (in[i + 1] - in[i - 1]) / 2 */
    TESS_DERIVATIVE_SOBEL    /* in[i + 1] - in[i - 1], smoothed by 1 2 1 along the other axes of d, h, w longer than
                                1 */
} tess_derivative_kind;

typedef struct tess_derivative_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  kind;        /* a tess_derivative_kind [CENTRAL] */
    double   value;       /* border VALUE: value outside, for each axis separately [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_derivative_opts;

/** Computes the derivative along an axis: d, h or w. */
TESS_API TESS_MUST_CHECK tess_status tess_derivative(tess_array *out, const tess_array *in, int axis,
                                                     const tess_derivative_opts *opts);

typedef struct tess_sobel_opts {
    int32_t  border;      /* a tess_border other than NOTHING [ZERO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside, for each axis separately [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_sobel_opts;

/** Applies the Sobel filter along a set of axes, TESS_D, TESS_H and TESS_W; 0 means those along which `in` is longer
 *  than 1. For one axis this is the derivative of kind SOBEL, and for several, of a real array, the square root of the
 *  sum of their squares. */
TESS_API TESS_MUST_CHECK tess_status tess_sobel(tess_array *out, const tess_array *in, int axes,
                                                const tess_sobel_opts *opts);

/* ---- Means of a box ---- */

typedef struct tess_uniform_opts {
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_uniform_opts;

/** Computes the mean of a box around each element; `window` has its odd sizes along d, h and w, and 1 along b.
 *
 *  Sums are made in f64 (complex: c64) along w, then h, then d, in an order that depends on indices alone, and divided
 *  by the number of elements. No element outside the box takes part, so that infinities and NaNs do not spread beyond
 *  it. The time hardly depends on the size of the box. Results have the dtype of tess_sqrt. */
TESS_API TESS_MUST_CHECK tess_status tess_uniform_filter(tess_array *out, const tess_array *in, tess_shape window,
                                                         const tess_uniform_opts *opts);

TESS_END_C

#endif
