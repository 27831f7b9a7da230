/* Lengths of frequencies by a metric: sqrt(f^T G f), from the Cholesky factor of G. */
#ifndef TESS_FORMULAS_METRIC_OP_H
#define TESS_FORMULAS_METRIC_OP_H

#include "tessera/math/fn.h"

/* The factor: the squared length of (fd, fh, fw) is
 * (wd fd + wh fh + ww fw)^2 + (hd fd + hh fh)^2 + (dd fd)^2. Of pixels that are alike, dd = hh = ww = 1. */
typedef struct tess__metric {
    double dd, hd, hh, wd, wh, ww;
} tess__metric;

/* Squared lengths along a row of frequencies fw: (scale fw + shift)^2 + plane. */
typedef struct tess__metric_row {
    double plane, scale, shift;
} tess__metric_row;

/* Of pixels that are alike exactly fd^2 + fh^2, 1 and 0. */
TESS_FN tess__metric_row tess__metric_row_of(const tess__metric *m, double fd, double fh)
{
    tess__metric_row row;
    const double     z = m->dd * fd, y = __builtin_fma(m->hd, fd, m->hh * fh);
    row.plane = __builtin_fma(z, z, y * y);
    row.scale = m->ww;
    row.shift = __builtin_fma(m->wd, fd, m->wh * fh);
    return row;
}

/* How far the frequency lies from the lowest of the row. */
TESS_FN double tess__metric_along(const tess__metric_row *row, double fw)
{
    return __builtin_fma(row->scale, fw, row->shift);
}

TESS_FN double tess__metric_square(const tess__metric_row *row, double fw)
{
    const double x = tess__metric_along(row, fw);
    return __builtin_fma(x, x, row->plane);
}

#endif
