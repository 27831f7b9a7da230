/* Sine of an angle in half turns, without reduction: polynomials for |t| <= 1/2, so without a branch.
 *
 * cos(pi t) of t from 0 to 1/2 is tess__sin_pi(1/2 - t).
 */
#ifndef TESSERA_MATH_HALF_TURNS_OP_H
#define TESSERA_MATH_HALF_TURNS_OP_H

#include "tessera/constants.h"
#include "tessera/math/f64.op.h"

/* Polynomial for sin(pi t) / t: relative error 5.4e-9; rounded below 1 ulp. */
TESS__FAST_FN float tess__sin_pi_f32(float t)
{
    const float u = t * t;
    float       p = __builtin_fmaf(0x1.3daff6p-4f, u, -0x1.324ccap-1f);
    p = __builtin_fmaf(p, u, 0x1.4668bp1f);
    p = __builtin_fmaf(p, u, -0x1.4abbc2p2f);
    return __builtin_fmaf(t, 0x1.921fb6p1f, t * __builtin_fmaf(p, u, -0x1.777a5cp-24f));
}

TESS__FAST_FN double tess__sin_pi_f64(double t) { return tess__sin_wide_f64(TESS_PI * t, 0.0); }

#endif
