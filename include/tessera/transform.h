/* Affine transforms: rotate, shift, scale and shear images and volumes, by matrices or by parameters; sample them at
 * given coordinates.
 *
 *     tess_array rotated = { 0 };
 *     TESS_TRY(tess_rotate_image(&rotated, &image, 0.5, NULL));                            about the centre, linear
 *     TESS_TRY(tess_transform_3d(&aligned, &volumes, &matrices,
 *                                &(tess_transform_opts){ .interp = TESS_INTERP_CUBIC, .centred = 1 }));
 *     TESS_TRY(tess_zoom(&larger, &image, 1, 2, 2, NULL));                                 twice as large, linear
 *     TESS_TRY(tess_map_coordinates(&values, &image, &points, NULL));                      at points y, x
 *
 * The coordinate of an element is its index; axes are z, y, x, and matrices act on column vectors of these. The result
 * at p is the input at M p, so M is the *inverse* of the movement of the image: an M that adds 3 to x moves the image
 * by -3 along x. With `forward`, M is the movement itself and is inverted first. See docs/transforms.md.
 *
 * Elements are f32, f64, c32 or c64; f16, integers and bool give f32 (f64 for 32 and 64 bits), c16 gives c32. `out` has
 * that dtype, any shape and strides, and must not overlap an input. Coordinates are always computed in f64. Sums are
 * fused and run along x, y, z in the order of elements, so results are bit-identical for all strides, threads,
 * instruction sets and devices. A row with integer coordinates is copied by all methods except cubic_bspline, whatever
 * its neighbours are. A NaN coordinate gives NaN.
 *
 * Where an interpolation window extends outside, each element there follows the border (tessera/border.h). If it is
 * completely outside, the borders ZERO and VALUE give exactly 0 or the value. With the border NOTHING, results are not
 * written at NaN coordinates or at positions whose nearest index (halves rounded up) is outside the input; `out` must
 * be allocated, and windows that extend over the edge use CLAMP.
 */
#ifndef TESSERA_TRANSFORM_H
#define TESSERA_TRANSFORM_H

#include "tessera/array.h"
#include "tessera/border.h"
#include "tessera/interp.h"

TESS_BEGIN_C

typedef struct tess_transform_opts {
    int32_t    interp;                       /* a tess_interp [LINEAR] */
    int32_t    border;                       /* a tess_border [ZERO] */
    int32_t    forward;                      /* 1: matrices take the input to the output [0] */
    int32_t    centred;                      /* 1: matrices act about n / 2, rounded down, of input and output [0] */
    int32_t    prefilter;                    /* 1: compute the cubic_bspline coefficients of `in` first, in a copy
                                                [0] */
    int32_t    unused;                       /* must be 0 */
    double     value;                        /* border VALUE: value outside [0] */
    double     value_imag;                   /* imaginary part of that value, if elements are complex [0] */
    double     centre_d, centre_h, centre_w; /* centre of the transform, in input and output; not with centred [0] */
    double     shift_d, shift_h, shift_w;    /* shift applied last, in pixels [0] */
    tess_shape shape;                        /* shape of a zeroed `out`; a 0 along an axis means that of `in` [0] */
    uint32_t   reserved[4];                  /* must be 0 */
} tess_transform_opts;

/** Transforms images {n,1,h,w} by matrices of y, x: numbers {n,1,2,3}, {n,1,3,3}, of which the last row is not read,
 *  or, for linear maps, {n,1,2,2}; or mat23, mat33, mat22 {n,1,1,1}. There is one matrix for all, or one for each batch
 *  of `out`, and one image for all, or one for each. Matrices are on the CPU or on the device of `in`. With `forward`
 *  the call synchronises with the device, and a singular matrix is an error (TESS_ERANGE). */
TESS_API TESS_MUST_CHECK tess_status tess_transform_2d(tess_array *out, const tess_array *in,
                                                       const tess_array *matrices, const tess_transform_opts *opts);

/** Transforms volumes {n,d,h,w} by matrices of z, y, x: {n,1,3,4}, {n,1,4,4} or {n,1,3,3}; or mat34, mat44, mat33. */
TESS_API TESS_MUST_CHECK tess_status tess_transform_3d(tess_array *out, const tess_array *in,
                                                       const tess_array *matrices, const tess_transform_opts *opts);

/* ---- By name ---- */

typedef struct tess_resample_opts {
    int32_t  interp;      /* a tess_interp [LINEAR] */
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  prefilter;   /* 1: compute the cubic_bspline coefficients of `in` first, in a copy [0] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside [0] */
    double   value_imag;  /* imaginary part of that value, if elements are complex [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_resample_opts;

/** Rotates images about their centre, h/2, w/2 rounded down, by an angle in radians; positive angles rotate from +x to
 *  +y. An allocated `out` may have another shape; the centre of the image is placed at its centre. Multiples of pi/2,
 *  to the precision of f64, only move elements, without arithmetic. */
TESS_API TESS_MUST_CHECK tess_status tess_rotate_image(tess_array *out, const tess_array *in, double angle,
                                                       const tess_resample_opts *opts);

/** Shifts images or volumes by these distances along d, h and w, in pixels; d is 0 for images. Integer shifts are
 *  exact. */
TESS_API TESS_MUST_CHECK tess_status tess_shift_image(tess_array *out, const tess_array *in, double shift_d,
                                                      double shift_h, double shift_w, const tess_resample_opts *opts);

/** Resamples images or volumes with pixels of size `pixel` to the pixel size `new_pixel`, about the centre: n pixels
 *  become n pixel / new_pixel, rounded and at least one, or the size of an allocated `out`. There is no filtering:
 *  before enlarging pixels much, blur or remove high frequencies (tess_gaussian_filter, tess_lowpass,
 *  tess_fft_resize). */
TESS_API TESS_MUST_CHECK tess_status tess_rescale(tess_array *out, const tess_array *in, double pixel, double new_pixel,
                                                  const tess_resample_opts *opts);

typedef struct tess_zoom_opts {
    int32_t  interp;      /* a tess_interp [LINEAR] */
    int32_t  border;      /* a tess_border [REFLECT] */
    int32_t  prefilter;   /* 1: compute the cubic_bspline coefficients of `in` first, in a copy [0] */
    int32_t  pixel_grid;  /* 1: align the outer edges of the first and last pixels, not their centres [0] */
    int32_t  antialias;   /* 1: blur with a Gaussian first, along axes that shrink [0] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside [0] */
    double   value_imag;  /* imaginary part of that value, if elements are complex [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_zoom_opts;

/** Resizes images or volumes by factors along d, h and w, by interpolation: n elements become n factor, rounded (halves
 *  to even) and at least one. factor_d is 1 for images. The first and the last elements of `in` and `out` coincide, as
 *  in scipy.ndimage.zoom (one element lies at the first); with `pixel_grid` element i lies at (i + 1/2) n / m - 1/2,
 *  where n elements become m, as with grid_mode there. With `antialias`, the Gaussian has a standard deviation of
 *  (n / m - 1) / 2 elements of `in`, that of skimage.transform.rescale. To keep all frequencies up to a cutoff exactly,
 *  use tess_fft_resize. */
TESS_API TESS_MUST_CHECK tess_status tess_zoom(tess_array *out, const tess_array *in, double factor_d, double factor_h,
                                               double factor_w, const tess_zoom_opts *opts);

/* ---- At given coordinates ---- */

typedef struct tess_coordinates_opts {
    int32_t  interp;      /* a tess_interp [LINEAR] */
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  prefilter;   /* 1: compute the cubic_bspline coefficients of `in` first, in a copy [0] */
    int32_t  cut;         /* 1: points below 0 or above n - 1 along an axis have the value outside, whatever the border;
                             for splines with the border REFLECT this is mode "constant" of SciPy [0] */
    double   value;       /* border VALUE or `cut`: value outside [0] */
    double   value_imag;  /* imaginary part of that value, if elements are complex [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_coordinates_opts;

/** Samples images or volumes at given points: out[b,0,i,j] is `in` of batch b at coordinates[b,i,j]. These are real
 *  numbers, y, x {b,n,m,2} for images or z, y, x {b,n,m,3} for images and volumes, on the CPU or on the device of `in`;
 *  in f32 and f64 they are read as they are, others are converted to f64. The result is {b,1,n,m}; an allocated `out`
 *  may be {b,d,h,m} with d h = n, for points that form a volume. Points may also be vec2 or vec3 {b,d,h,w}, which give
 *  {b,d,h,w}. There is one image for all batches of points or one for each, and vice versa.
 *
 *  Weights, borders and dtypes are those of transforms (above): at the coordinates of a transform the results have the
 *  same bits, except that integer coordinates are not treated separately. */
TESS_API TESS_MUST_CHECK tess_status tess_map_coordinates(tess_array *out, const tess_array *in,
                                                          const tess_array            *coordinates,
                                                          const tess_coordinates_opts *opts);

/** Adds values at given points to images or volumes {b,d,h,w} of zeros: each value is distributed to the elements
 *  around its point by the weights with which tess_map_coordinates samples there, so that this is its adjoint, in the
 *  linear part: `value` has no effect. `in` has the shape of the result of tess_map_coordinates, `shape` is that of its
 *  input. With shape.b = 1 the values of all batches are added to one image. Values at NaN coordinates are ignored.
 *
 *  Elements get their values in the order of the points, in the precision of `out`. On the CPU the bits are the same
 *  for any number of threads, instruction set and strides; on a GPU the additions are atomic and their order varies, so
 *  the last bits of sums can differ from run to run. */
TESS_API TESS_MUST_CHECK tess_status tess_map_coordinates_adjoint(tess_array *out, const tess_array *in,
                                                                  const tess_array *coordinates, tess_shape shape,
                                                                  const tess_coordinates_opts *opts);

/* ---- Coefficients of B-splines ---- */

typedef struct tess_prefilter_opts {
    int32_t  border;      /* a tess_border: border with which the spline will be sampled [ZERO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside [0] */
    double   value_imag;  /* imaginary part of that value, if elements are complex [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_prefilter_opts;

/** Computes the coefficients of the cubic B-spline through the elements, along those of the axes d, h and w that are
 *  longer than 1. Sampling them with TESS_INTERP_CUBIC_BSPLINE and the same border interpolates the elements.
 *
 *  Along each axis this is a recursive filter with exact initial values for every border and length: MIRROR, REFLECT
 *  and PERIODIC continue the signal accordingly; ZERO and VALUE have 0 or the value as coefficients outside; CLAMP and
 *  NOTHING are treated as MIRROR. An axis of one element is not filtered, although transforms sample across it: with
 *  the borders ZERO and VALUE, use the option `prefilter` of the transform, which filters it too. `out` may be exactly
 *  `in`; dtypes are as above. Results are bit-identical for all strides, threads, instruction sets and devices. Axes
 *  are filtered one after the other: if memory runs out in between, an allocated `out` is filtered along the first ones
 *  only. */
TESS_API TESS_MUST_CHECK tess_status tess_bspline_prefilter(tess_array *out, const tess_array *in,
                                                            const tess_prefilter_opts *opts);

TESS_END_C

#endif
