/* Shapes drawn into images and volumes: spheres, ellipsoids, cuboids, cylinders, tori and lines, as masks or combined
 * with an array.
 *
 * A pixel's coordinate is its index. What a shape covers of a pixel is 1 where its centre lies inside, and with d the
 * distance from the surface in pixels
 *
 *     (1 + cos(pi d / width)) / 2   for 0 < d < width, and 0 from there on
 *
 * outside: the edge is added to the shape. Of several shapes the largest coverage counts; `inverted` takes 1 minus it.
 * With c what counts and `value` a number, `out` receives value c where `in` is NULL, and op(in, value c) else.
 * Integers and truth values are rounded. Where a mask is 0 the product is 0, of NaN and infinities too.
 *
 * Arrays {b,1,h,w} are images and have shapes in the plane; others are volumes. A circle is a tess_draw_sphere, a
 * rectangle a tess_draw_cuboid.
 *
 * Parameters are real numbers of any dtype and strides, with a row {b,n,1,k} for each of n shapes of each of b batches;
 * either may be 1: one shape for all batches, one matrix for all shapes. Vectors z, y, x (images: y, x) may also be
 * elements vec3 or vec2, in arrays {b,n,1,1}. They may lie on any device; they are read before the call returns, which
 * waits for what computes them. A single number is tess_num(x).
 *
 * All is computed in f64 and rounded once: the same bits for any strides, threads and device.
 */
#ifndef TESSERA_DRAW_H
#define TESSERA_DRAW_H

#include "tessera/fft.h"

TESS_BEGIN_C

/** How a shape and an array are combined; m is value times what is covered, c. */
typedef enum tess_draw_op {
    TESS_DRAW_OP_DEFAULT, /* MULTIPLY */
    TESS_DRAW_MULTIPLY,   /* in m */
    TESS_DRAW_ADD,        /* in + m */
    TESS_DRAW_MIN,        /* the smaller of in and m; real numbers */
    TESS_DRAW_MAX,        /* the larger */
    TESS_DRAW_REPLACE     /* in (1 - c) + value c */
} tess_draw_op;

typedef struct tess_draw_opts {
    tess_shape        shape;    /* logical, of the real array; spectra need it, and a zeroed out without in
                                   [0: that of in, or of out] */
    const tess_array *centres;  /* {b,n,1,3}, of images {b,n,1,2} [NULL: n / 2 along each axis, rounded down] */
    const tess_array *inverse;  /* from where a pixel is to where it is in the shape that was not turned: N x N or a
                                   quaternion {b,n,1,4} about the centre of each shape, N x (N+1) or (N+1) x (N+1) on
                                   coordinates [NULL: shapes stay] */
    double            width;    /* of the edge, pixels [0: hard] */
    double            value;    /* [1]; TESS_ZERO: 0 */
    int32_t           op;       /* a tess_draw_op [MULTIPLY] */
    int32_t           inverted; /* 1: what is outside counts [0] */
    int32_t           layout;   /* a tess_fft_layout: shapes are placed by the centred index, where n / 2 is frequency
                                   0; half layouts have the first n / 2 + 1 columns of F [0: no spectrum] */
    uint32_t          reserved[5]; /* must be 0 */
} tess_draw_opts;

/** Circles or spheres of a radius, {b,n,1,1}. A radius of 0 is one pixel.
 *
 *  `in` is NULL, or numbers in the shape of `out`; with one batch, `out` has as many as the parameters. A zeroed `out`
 *  gets the dtype of `in`, or f32; a complex `in` needs a complex `out`. `out` may be exactly `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_sphere(tess_array *out, const tess_array *in, const tess_array *radii,
                                                      const tess_draw_opts *opts);

/** Ellipsoids of semiaxes z, y, x, {b,n,1,3}; ellipses of y, x, {b,n,1,2}; at least 1e-6. The edge has its width along
 *  rays from the centre: it is thinner where these meet the surface at an angle. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_ellipsoid(tess_array *out, const tess_array *in,
                                                         const tess_array *semiaxes, const tess_draw_opts *opts);

/** Cuboids, or rectangles, that reach `halves` from their centre along z, y, x, {b,n,1,3} or {b,n,1,2}. What is covered
 *  is the product over the axes. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_cuboid(tess_array *out, const tess_array *in, const tess_array *halves,
                                                      const tess_draw_opts *opts);

/** Cylinders along z: rows {b,n,1,2} are the radius, and how far they reach from their centre. What is covered is the
 *  product of both. An image is the plane through the centre: a circle. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_cylinder(tess_array *out, const tess_array *in, const tess_array *sizes,
                                                        const tess_draw_opts *opts);

/** Rings around z: rows {b,n,1,2} are the radius from the centre to the middle of the tube, and the tube's. An image is
 *  the plane through the centre: an annulus. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_torus(tess_array *out, const tess_array *in, const tess_array *sizes,
                                                     const tess_draw_opts *opts);

/** Straight lines with round ends, from points to points, z, y, x or y, x: all that lies within `radii`, {b,n,1,1}, of
 *  them; NULL is 0.5 pixels. Their centres are their middles: opts->centres must be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_draw_line(tess_array *out, const tess_array *in, const tess_array *from,
                                                    const tess_array *to, const tess_array *radii,
                                                    const tess_draw_opts *opts);

TESS_END_C

#endif
