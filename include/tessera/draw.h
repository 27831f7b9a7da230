/* Shapes drawn into images and volumes: spheres, ellipsoids, cuboids, cylinders, tori and lines, as masks or combined
 * with an array.
 *
 * The coordinate of a pixel is its index. The coverage of a pixel by a shape is 1 if its centre is inside. Outside,
 * with d the distance from the surface in pixels, it is
 *
 *     (1 + cos(pi d / width)) / 2   for 0 < d < width, and 0 from there on,
 *
 * so that the edge is added to the shape. Of several shapes the maximum coverage is used; `inverted` uses 1 minus it.
 * With the resulting coverage c, `out` receives value c if `in` is NULL, and op(in, value c) otherwise. Integers and
 * bool are rounded. Where a mask is 0, the product is 0, also for NaNs and infinities.
 *
 * Arrays {b,1,h,w} are images and have plane shapes; others are volumes. Draw a circle with tess_draw_sphere, and a
 * rectangle with tess_draw_cuboid.
 *
 * Parameters are real numbers of any dtype and strides, with a row {b,n,1,k} for each of n shapes in each of b batches;
 * either may be 1: one shape for all batches, one matrix for all shapes. Vectors z, y, x (images: y, x) may also be
 * elements vec3 or vec2, in arrays {b,n,1,1}. Parameters may be on any device; they are read during the call, which
 * synchronises with the device. For a single number use tess_num(x).
 *
 * Everything is computed in f64 and rounded once, bit-identical for any strides, threads and device.
 */
#ifndef TESSERA_DRAW_H
#define TESSERA_DRAW_H

#include "tessera/fft.h"

TESS_BEGIN_C

/** How a shape and an array are combined; m is the value times the coverage c. */
typedef enum tess_draw_op {
    TESS_DRAW_OP_DEFAULT, /* MULTIPLY */
    TESS_DRAW_MULTIPLY,   /* in m */
    TESS_DRAW_ADD,        /* in + m */
    TESS_DRAW_MIN,        /* the smaller of in and m; real numbers */
    TESS_DRAW_MAX,        /* the larger */
    TESS_DRAW_REPLACE     /* in (1 - c) + value c */
} tess_draw_op;

typedef struct tess_draw_opts {
    tess_shape        shape;    /* logical shape, that of the real array; required for spectra, and for a zeroed `out`
                                   without `in` [0: that of in, or of out] */
    const tess_array *centres;  /* {b,n,1,3}, for images {b,n,1,2} [NULL: n / 2 along each axis, rounded down] */
    const tess_array *inverse;  /* inverse transforms, from pixels to the untransformed shape: N x N or a quaternion
                                   {b,n,1,4} about the centre of each shape, N x (N+1) or (N+1) x (N+1) on coordinates
                                   [NULL: none] */
    double            width;    /* width of the soft edge, pixels [0: hard] */
    double            value;    /* value inside the shape [1]; TESS_ZERO: 0 */
    int32_t           op;       /* a tess_draw_op [MULTIPLY] */
    int32_t           inverted; /* 1: use the outside of the shapes [0] */
    int32_t           layout;   /* a tess_fft_layout of spectra: shapes are positioned by the centred index, where n / 2
                                   is frequency 0; half layouts have the first n / 2 + 1 columns of F [0: not a
                                   spectrum] */
    uint32_t          reserved[5]; /* must be 0 */
} tess_draw_opts;

/** Draws circles or spheres with these radii, {b,n,1,1}. A radius of 0 is one pixel.
 *
 *  `in` is NULL, or numbers with the shape of `out`; if it has one batch, `out` has as many batches as the parameters.
 *  A zeroed `out` gets the dtype of `in`, or f32; a complex `in` needs a complex `out`. `out` may be exactly `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_sphere(tess_array *out, const tess_array *in, const tess_array *radii,
                                                      const tess_draw_opts *opts);

/** Draws ellipsoids with semiaxes z, y, x, {b,n,1,3}, or ellipses with y, x, {b,n,1,2}; at least 1e-6. The width of the
 *  edge is measured along rays from the centre, so the edge is thinner where they meet the surface obliquely. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_ellipsoid(tess_array *out, const tess_array *in,
                                                         const tess_array *semiaxes, const tess_draw_opts *opts);

/** Draws cuboids, or rectangles, that extend by `halves` from their centre along z, y, x, {b,n,1,3} or {b,n,1,2}. The
 *  coverage is the product over the axes. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_cuboid(tess_array *out, const tess_array *in, const tess_array *halves,
                                                      const tess_draw_opts *opts);

/** Draws cylinders along z: rows {b,n,1,2} are the radius and the half length. The coverage is the product of both. An
 *  image is the plane through the centre, a circle. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_cylinder(tess_array *out, const tess_array *in, const tess_array *sizes,
                                                        const tess_draw_opts *opts);

/** Draws tori around z: rows {b,n,1,2} are the radius from the centre to the middle of the tube, and the radius of the
 *  tube. An image is the plane through the centre, an annulus. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_torus(tess_array *out, const tess_array *in, const tess_array *sizes,
                                                     const tess_draw_opts *opts);

/** Draws straight lines with round ends between points, z, y, x or y, x: everything within `radii`, {b,n,1,1}, of the
 *  line; NULL is 0.5 pixels. Their centres are their midpoints, so opts->centres must be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_line(tess_array *out, const tess_array *in, const tess_array *from,
                                                    const tess_array *to, const tess_array *radii,
                                                    const tess_draw_opts *opts);

TESS_END_C

#endif
