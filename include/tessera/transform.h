/* Affine transforms: rotate, shift, scale and shear images and volumes, by matrices or by name.
 *
 *     tess_array rotated = { 0 };
 *     TESS_TRY(tess_rotate_image(&rotated, &image, 0.5, NULL));                            about the centre, linear
 *     TESS_TRY(tess_transform_3d(&aligned, &volumes, &matrices,
 *                                &(tess_transform_opts){ .interp = TESS_INTERP_CUBIC, .centred = 1 }));
 *
 * The coordinate of an element is its index; axes are z, y, x, and matrices act on columns of these. The result at p is
 * the input at M p, so M is the *inverse* of what the picture does: an M that adds 3 to x moves the picture by -3 along
 * x. With `forward` M is what the picture does, and is inverted first. See docs/transforms.md.
 *
 * Elements are f32, f64, c32 or c64; of f16, integers and bool results are f32 (f64 of 32 and 64 bits), of c16 c32.
 * `out` is of that dtype, of any shape and strides, and overlaps nothing. Coordinates are computed in f64 for all. Sums
 * are fused and go along x, y, z in the order of elements: the same bits for all strides, threads, instruction sets and
 * devices. A row whose coordinates are integers is copied, by all methods but cubic_bspline, whatever its neighbours
 * are. A coordinate that is not a number gives NaN.
 *
 * A window that reaches outside takes the border (tessera/border.h) there, tap by tap. Where it is outside as a whole,
 * the borders zero and value give 0 or the value exactly. With the border nothing, results at positions to which no
 * element is the nearest, halves being nearer to what is above them, are not written, nor those of coordinates that are
 * not numbers; `out` must have been made, and windows that reach over the edge go by clamp.
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
    int32_t    centred;                      /* 1: they act about n / 2, rounded down, of input and output [0] */
    int32_t    prefilter;                    /* 1: cubic_bspline takes the coefficients of `in`, from a copy [0] */
    int32_t    unused;                       /* must be 0 */
    double     value;                        /* border VALUE: what is outside [0] */
    double     value_imag;                   /* the same: its imaginary part, if elements are complex [0] */
    double     centre_d, centre_h, centre_w; /* the point that they act about, in input and output [0] */
    double     shift_d, shift_h, shift_w;    /* the picture is moved by this after all else, in pixels [0] */
    tess_shape shape;                        /* of `out`, if it is zeroed; 0 along an axis is that of `in` [0] */
    uint32_t   reserved[4];                  /* must be 0 */
} tess_transform_opts;

/** Images {n,1,h,w} through matrices of y, x: numbers {n,1,2,3}, {n,1,3,3}, of which the last row is not read, or, of
 *  linear maps, {n,1,2,2}; or mat23, mat33, mat22 {n,1,1,1}. There is one matrix, or one for each batch of `out`, and
 *  one image, or one for each. Matrices lie on the CPU or where `in` is. With `forward`, the call waits for them, and
 *  one that has no inverse is an error (TESS_ERANGE). */
TESS_API TESS_MUST_CHECK tess_status tess_transform_2d(tess_array *out, const tess_array *in,
                                                       const tess_array *matrices, const tess_transform_opts *opts);

/** Volumes {n,d,h,w} through matrices of z, y, x: {n,1,3,4}, {n,1,4,4} or {n,1,3,3}; or mat34, mat44, mat33. */
TESS_API TESS_MUST_CHECK tess_status tess_transform_3d(tess_array *out, const tess_array *in,
                                                       const tess_array *matrices, const tess_transform_opts *opts);

/* ---- By name ---- */

typedef struct tess_resample_opts {
    int32_t  interp;      /* a tess_interp [LINEAR] */
    int32_t  border;      /* a tess_border [ZERO] */
    int32_t  prefilter;   /* 1: cubic_bspline takes the coefficients of `in`, from a copy [0] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: what is outside [0] */
    double   value_imag;  /* the same: its imaginary part, if elements are complex [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_resample_opts;

/** Rotate images about their centre, h/2, w/2 rounded down, by an angle in radians that takes +x to +y. An `out` that
 *  was made may be of another shape; its centre is that of the picture. Multiples of pi/2, as nearly as f64 has them,
 *  move elements without arithmetic. */
TESS_API TESS_MUST_CHECK tess_status tess_rotate_image(tess_array *out, const tess_array *in, double angle,
                                                       const tess_resample_opts *opts);

/** Shifts images or volumes by numbers of pixels along d, h and w; d is 0 for images. Integers are exact. */
TESS_API TESS_MUST_CHECK tess_status tess_shift_image(tess_array *out, const tess_array *in, double shift_d,
                                                      double shift_h, double shift_w, const tess_resample_opts *opts);

/** Sample images or volumes of pixels of size `pixel` at a new size of pixels, about the centre: n pixels become
 *  n pixel / new_pixel, rounded, and at least one, or as many as an `out` that was made has. Nothing is filtered: blur
 *  or crop frequencies (tess_gaussian_filter, tess_lowpass, tess_fft_resize) before making pixels much larger. */
TESS_API TESS_MUST_CHECK tess_status tess_rescale(tess_array *out, const tess_array *in, double pixel, double new_pixel,
                                                  const tess_resample_opts *opts);

/* ---- Coefficients of B-splines ---- */

typedef struct tess_prefilter_opts {
    int32_t  border;      /* a tess_border: with which the spline will be sampled [ZERO] */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: what is outside [0] */
    double   value_imag;  /* the same: its imaginary part, if elements are complex [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_prefilter_opts;

/** The coefficients of the cubic B-spline that goes through the elements, along those of the axes d, h and w that are
 *  longer than 1; sampling them by TESS_INTERP_CUBIC_BSPLINE, with the same border, interpolates. Along each axis it is
 *  a recursive filter, whose beginning is exact for every border and length: mirror, reflect and periodic continue the
 *  signal so; zero and value have 0 or the value as coefficients outside; clamp and nothing are as mirror. An axis
 *  of one element stays as it is, although transforms sample across it: with the borders zero and value, `prefilter` of
 *  the transform, which filters it too, is needed there. `out` may be exactly `in`; dtypes are as above. The same bits
 *  for all strides, threads, instruction sets and devices. Axes are filtered one after the other: if memory runs out
 *  between two of them, an `out` that was allocated before the call is filtered along the first ones. */
TESS_API TESS_MUST_CHECK tess_status tess_bspline_prefilter(tess_array *out, const tess_array *in,
                                                            const tess_prefilter_opts *opts);

TESS_END_C

#endif
