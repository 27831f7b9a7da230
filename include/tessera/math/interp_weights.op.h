/* Interpolation weights as inline functions, for kernels, your own loops and the GPU.
 *
 *     float     w[8], t;
 *     const int method = TESS_INTERP_LANCZOS6;
 *     int64_t   i = tess__coordinate_f32(c, &t);                     floor(c), and t = c - i  (interp.op.h)
 *     i = tess__interp_base_f32(method, i, t) + tess__interp_first(method);
 *     tess__interp_weights_f32(method, t, w);
 *     for (int k = 0; k < tess__interp_taps(method); k++) sum += w[k] * v[i + k];
 *
 * tess__interp_slopes_f32 returns the derivatives of the weights with respect to c; with them the sum is the derivative
 * along the axis. f32 and f64 refer to the type of the weights. A NaN t gives NaNs. A t of 1, which rounding can
 * produce, counts as the next element. If `method` is a constant, the code of the other methods is eliminated.
 */
#ifndef TESSERA_MATH_INTERP_WEIGHTS_OP_H
#define TESSERA_MATH_INTERP_WEIGHTS_OP_H

#include "tessera/interp.h"
#include "tessera/math/fn.h"
#include "tessera/math/half_turns.op.h"

enum { TESS__INTERP_TAPS = 8 }; /* the most along an axis */

/* Elements that a method reads along an axis. */
TESS__FAST_FN int tess__interp_taps(int32_t method)
{
    switch (method) {
#define TESS__INTERP(name, NAME, short_name, taps, cost, help)                                                         \
    case TESS_INTERP_##NAME: return taps;
#include "tessera/math/interps.def"
    default: return 0;
    }
}

/* Index of the first element, relative to the one below the coordinate; for nearest, relative to tess__interp_base. */
TESS__FAST_FN int tess__interp_first(int32_t method) { return -((tess__interp_taps(method) - 1) / 2); }

#define TESS__WEIGHT float
#define TESS__WEIGHT_NAME f32
#define TESS__WEIGHT_FMA __builtin_fmaf
#define TESS__WEIGHT_TINY 0x1p-50f
#include "tessera/math/interp_weights_any.op.h"

#define TESS__WEIGHT double
#define TESS__WEIGHT_NAME f64
#define TESS__WEIGHT_FMA __builtin_fma
#define TESS__WEIGHT_TINY 0x1p-400
#include "tessera/math/interp_weights_any.op.h"

#endif
