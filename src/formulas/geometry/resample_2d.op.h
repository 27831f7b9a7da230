/* Polar coordinates and warps: where the samples of a transform lie, and an array at such a position.
 *
 * Angles run along the height, from +x to +y, radii along the width. Coordinates are f64. A window of elements around a
 * position is summed along x, then y, fused and in the order of the elements: a CPU and a GPU give the same bits. A
 * window that reaches outside is met tap by tap, and taps of weight 0 are not read there.
 */
#ifndef TESS_FORMULAS_GEOMETRY_RESAMPLE_2D_OP_H
#define TESS_FORMULAS_GEOMETRY_RESAMPLE_2D_OP_H

#include "formulas/ctf_phase.op.h"
#include "formulas/geometry/resample_2d_spec.op.h"
#include "tessera/border.h"
#include "tessera/constants.h"
#include "tessera/math/interp.op.h"

enum { TESS__RESAMPLE_TAPS = 8 }; /* the most along an axis */

/* ---- Positions ---- */

/* Radius k; `log` is that of the grid, and a constant where there are many. */
TESS_FN double tess__resample_radius(const tess__resample_grid *g, int log, double k)
{
    if (log) return g->rho_start + tess__expm1_f64(k * g->rho_step);
    return __builtin_fma(k, g->rho_step, g->rho_start);
}

/* The direction of a row of angles, in elements for a radius of 1. */
TESS_FN void tess__resample_direction(const tess__resample_grid *g, double h, double *y, double *x)
{
    const double phi = __builtin_fma(h, g->phi_step, g->phi_start);
    *y = tess__sin_f64(phi) * g->scale[0];
    *x = tess__cos_f64(phi) * g->scale[1];
}

/* The row of angles and the column of radii of a pixel. Of angles that differ by whole turns that counts which is
 * nearest to the middle of the range. */
TESS_FN void tess__resample_of_pixel(const tess__resample_grid *g, int log, double h, double w, double *row,
                                     double *column)
{
    const double y = h - g->centre[0], x = w - g->centre[1], turn = (2 * TESS_PI);
    const double rho = __builtin_sqrt(__builtin_fma(y, y, x * x)) - g->rho_start, phi = tess__atan2_f64(y, x);
    const double shifted = (g->phi_middle - phi) / turn + 0x1.8p52, turns = shifted - 0x1.8p52;
    const double lowest = -1.0 + 0x1p-53; /* the logarithm of what is less is none */
    *row = (__builtin_fma(turns, turn, phi) - g->phi_start) / g->phi_step;
    *column = (log ? tess__log1p_f64(rho > lowest ? rho : lowest) : rho) / g->rho_step;
}

/* Where the input has the phase of column w of the output; outside, where there is none. */
TESS_FN double tess__resample_of_phase(const tess__resample_grid *g, const tess__ctf_line *in,
                                       const tess__ctf_line *out, double w)
{
    const double f = tess__ctf_same_phase(out, in, __builtin_fma(w, g->rho_step, g->rho_start));
    return f == f ? (f - g->in_start) / g->in_step : -0x1p50;
}

/* A shift at (y, x), pixels. */
TESS__FAST_FN double tess__resample_shift(const double a[6], double y, double x)
{
    const double along_x = __builtin_fma(x, __builtin_fma(x, a[2], a[1]), a[0]);
    return __builtin_fma(y, __builtin_fma(y, a[4], __builtin_fma(x, a[5], a[3])), along_x);
}

/* Where pixel (h, w) is read from. */
TESS__FAST_FN void tess__resample_of_warp(const tess__resample_grid *g, double h, double w, double *y, double *x)
{
    const double v = h / g->size[0] - 0.5, u = w / g->size[1] - 0.5;
    *y = h - tess__resample_shift(g->shift[0], v, u);
    *x = w - tess__resample_shift(g->shift[1], v, u);
}

/* ---- Windows ---- */

/* The first element of the window at a coordinate, and its fraction. Without branches, so that loops become vectors. */
TESS__FAST_FN int64_t tess__resample_window(int32_t method, double c, double *t)
{
    const double  far = 0x1p50, limited = c >= -far ? (c <= far ? c : far) : -far;
    const double  below = __builtin_floor(limited), fraction = limited - below;
    const int64_t i =
        (int64_t)(tess__bits_of_f64(below + 0x1.8p52) - (uint64_t)0x4338000000000000); /* `below`, an integer */
    *t = c != c ? c : fraction;
    return tess__interp_base_f64(method, i, fraction) + tess__interp_first(method);
}

/* Are all taps of a window elements that follow each other? */
TESS__FAST_FN int tess__resample_is_inside(const tess__resample_axis *a, int64_t first, int taps)
{
    return (first >= a->low) & (first + taps <= a->high) & ((a->wrap == 0) | (first >= 0) | (first + taps <= 0));
}

TESS__FAST_FN int64_t tess__resample_index(const tess__resample_axis *a, int64_t k)
{
    return a->zero + k + (k < 0 ? a->wrap : 0);
}

/* The index of a frequency from -n/2 to n/2 on an axis that has all of them: of an even n both ends are one. */
TESS_FN int64_t tess__resample_frequency_index(const tess__resample_axis *a, int64_t k)
{
    return tess__resample_index(a, k < a->high ? k : k - a->n);
}

/* The indices of tap (y, x): 0 if it has none, -1 if it is the conjugate of that element, else 1. */
TESS_FN int tess__resample_tap(const tess__resample_source *s, int64_t y, int64_t x, int64_t index[2])
{
    const tess__resample_axis *a = s->axis;
    if (!s->spectrum) {
        const int32_t by = a[0].border == TESS_BORDER_NOTHING ? TESS_BORDER_CLAMP : a[0].border;
        const int32_t bx = a[1].border == TESS_BORDER_NOTHING ? TESS_BORDER_CLAMP : a[1].border;
        index[0] = tess_border_index((tess_border)by, y, a[0].n);
        index[1] = tess_border_index((tess_border)bx, x, a[1].n);
        return index[0] >= 0 && index[1] >= 0;
    }
    const int mirrored = s->half && x < 0;
    if (2 * y > a[0].n || -2 * y > a[0].n || 2 * x > a[1].n || -2 * x > a[1].n) return 0;
    index[0] = tess__resample_frequency_index(&a[0], mirrored ? -y : y);
    index[1] = mirrored ? -x : tess__resample_frequency_index(&a[1], x);
    return mirrored ? -1 : 1;
}

/* With the border nothing: is the position more than half an element beyond the last one? */
TESS_FN int tess__resample_is_beyond(const tess__resample_source *s, double y, double x)
{
    const tess__resample_axis *a = s->axis;
    return (a[0].border == TESS_BORDER_NOTHING && (y < -0.5 || y > (double)a[0].n - 0.5)) ||
           (a[1].border == TESS_BORDER_NOTHING && (x < -0.5 || x > (double)a[1].n - 0.5));
}

#define TESS__SAMPLE float
#define TESS__SAMPLE_NAME f32
#define TESS__SAMPLE_FMA __builtin_fmaf
#include "formulas/geometry/resample_2d_any.op.h"

#define TESS__SAMPLE double
#define TESS__SAMPLE_NAME f64
#define TESS__SAMPLE_FMA __builtin_fma
#include "formulas/geometry/resample_2d_any.op.h"

#endif
