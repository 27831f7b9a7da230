/* Interpolation of a spectrum between its coefficients: each tap is looked up by its frequency, in any layout.
 *
 * Coordinates are frequencies in samples, centred: 0 is zero frequency, n/2 Nyquist. Along each axis frequencies from
 * -n/2 to n/2 exist; of an even n the two are one coefficient, as a DFT has it. A tap that is not among them is 0. Half
 * way between two, the nearest is the one farther from 0: opposite coordinates have opposite taps, and what is made of
 * the spectrum of a real array stays one.
 * Where the layout has half of the width, a tap below 0 along it is the conjugate of that of the negative frequency:
 * each tap by itself, so that nothing depends on which side of 0 a coordinate is.
 */
#ifndef TESS_FORMULAS_GEOMETRY_SPECTRUM_TAPS_OP_H
#define TESS_FORMULAS_GEOMETRY_SPECTRUM_TAPS_OP_H

#include "formulas/filter_spec.op.h"
#include "tessera/math/interp.op.h"

/* Where coefficients lie: z, y, x. */
typedef struct tess__spectrum_grid {
    int64_t n[3];      /* logical sizes */
    int64_t stride[3]; /* in elements */
    int32_t order[3];  /* a TESS__ORDER_ */
} tess__spectrum_grid;

enum { TESS__SPECTRUM_TAPS = 8 };

TESS__FAST_FN int tess__spectrum_has(const tess__spectrum_grid *g, int axis, int64_t first, int64_t last)
{
    return tess__frequency_exists(g->n[axis], first) & tess__frequency_exists(g->n[axis], last);
}

/* The offset of frequency k along an axis, in elements. */
TESS__FAST_FN int64_t tess__spectrum_offset(const tess__spectrum_grid *g, int axis, int64_t k)
{
    return tess__frequency_index(g->order[axis], g->n[axis], k) * g->stride[axis];
}

/* Of windows from `first` on that exist wholly: 1 if all of it is stored, -1 if all of it is that of negative
 * frequencies; else 0. */
TESS__FAST_FN int tess__spectrum_side(const tess__spectrum_grid *g, const int64_t first[3], int dims, int taps)
{
    for (int k = 3 - dims; k < 3; k++)
        if (!tess__spectrum_has(g, k, first[k], first[k] + taps - 1)) return 0;
    if (g->order[2] != TESS__ORDER_HALF || first[2] >= 0) return 1;
    return first[2] + taps - 1 < 0 ? -1 : 0;
}

#define TESS__TAPS_REAL float
#define TESS__TAPS_NAME f32
#define TESS__TAPS_FMA __builtin_fmaf
#include "formulas/geometry/spectrum_taps_any.op.h"

#define TESS__TAPS_REAL double
#define TESS__TAPS_NAME f64
#define TESS__TAPS_FMA __builtin_fma
#include "formulas/geometry/spectrum_taps_any.op.h"

#endif
