/* Trilinear spreading of slices into the spectrum of a volume, of which every coefficient has its conjugate mate.
 *
 * A slice is read at frequencies x >= 0 along its width. Each coefficient is added at its place c in the volume (side
 * 1) and its conjugate at -c (side -1), to the eight frequencies around, times products of 1 - t and t. Columns x = 0
 * and, of an even width, x = w/2, hold mates already: there both count half. Frequencies -n/2 and n/2 of an even size
 * are one coefficient; those that a volume does not have, or does not store, are left out. So the planes x = 0 and n/2
 * of half a volume receive what makes them Hermitian.
 *
 * The sum of a coefficient of the volume is made in the order of slices, of sides, of y, of x, each from low to high.
 */
#ifndef TESS_FORMULAS_GEOMETRY_SLICE_SPREAD_OP_H
#define TESS_FORMULAS_GEOMETRY_SLICE_SPREAD_OP_H

#include "formulas/geometry/fourier_slices.op.h"

/* The lower corner of the cell of c, on a side, and the place in it. */
typedef struct tess__spread_cell {
    int64_t first[3];
    double  t[3];
} tess__spread_cell;

TESS__FAST_FN tess__spread_cell tess__spread_cell_of(const double c[3], int side)
{
    tess__spread_cell cell;
    for (int k = 0; k < 3; k++) cell.first[k] = tess__coordinate_f64(side < 0 ? -c[k] : c[k], &cell.t[k]);
    return cell;
}

/* Weights of the lower and the upper tap along an axis. */
TESS__FAST_FN void tess__spread_weights_f32(float w[2], double t)
{
    w[1] = (float)t;
    w[0] = 1.0f - w[1];
}

TESS__FAST_FN void tess__spread_weights_f64(double w[2], double t)
{
    w[1] = t;
    w[0] = 1.0 - t;
}

/* Does an axis of the volume store frequency k? Half an axis stores -n/2 of an even n, as n/2. */
TESS__FAST_FN int tess__spread_stores(const tess__spectrum_grid *g, int axis, int64_t k)
{
    const int64_t n = g->n[axis], most = n / 2;
    if (g->order[axis] == TESS__ORDER_HALF && k < 0) return 2 * k == -n;
    return k >= -most && k <= most;
}

/* What column x of a slice counts. */
TESS__FAST_FN double tess__spread_share(int64_t x, int64_t width) { return x == 0 || 2 * x == width ? 0.5 : 1.0; }

#endif
