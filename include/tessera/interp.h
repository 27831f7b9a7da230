/* Interpolation methods, the same for all functions that sample arrays at arbitrary positions.
 *
 * For a coordinate c, with i = floor(c) and t = c - i, the value is a weighted sum of the elements around i, along x,
 * then y, then z:
 *
 *     nearest         1 element    i where t < 1/2, else i + 1: halves go up
 *     linear          2            1 - t, t
 *     cosine          2            linear in (1 - cos pi t) / 2: smooth at the elements
 *     cubic           4            Keys' spline of a = -1/2, that of Catmull and Rom
 *     cubic_bspline   4            the cubic B-spline: smoothest; needs coefficients, see tess_bspline_prefilter
 *     lanczos4        4            sinc x sinc x/a, of a = 2, divided by the sum of weights
 *     lanczos6        6            the same of a = 3
 *     lanczos8        8            the same of a = 4
 *
 * All except cubic_bspline give the element itself where t = 0. tessera/math/interp_weights.op.h has the weights.
 */
#ifndef TESSERA_INTERP_H
#define TESSERA_INTERP_H

typedef enum tess_interp {
    TESS_INTERP_DEFAULT, /* LINEAR */
    TESS_INTERP_NEAREST,
    TESS_INTERP_LINEAR,
    TESS_INTERP_COSINE,
    TESS_INTERP_CUBIC,
    TESS_INTERP_CUBIC_BSPLINE,
    TESS_INTERP_LANCZOS4,
    TESS_INTERP_LANCZOS6,
    TESS_INTERP_LANCZOS8
} tess_interp;

#endif
