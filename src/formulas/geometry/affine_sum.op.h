/* Sums of samples at positions of affine maps: coordinates along a row, and an array between its elements.
 *
 * Axes are z, y, x. Coordinates are f64: along a row of the output fma(w, step, start), which rises or falls with w. A
 * sample is a sum of weights times elements, along x, then y, then z, fused and in the order of elements, in the type
 * of the elements; samples are added up in f64. A CPU and a GPU give the same bits.
 */
#ifndef TESS_FORMULAS_GEOMETRY_AFFINE_SUM_OP_H
#define TESS_FORMULAS_GEOMETRY_AFFINE_SUM_OP_H

#include "tessera/border.h"
#include "tessera/math/interp.op.h"

enum { TESS__SUM_TAPS = 8, TESS__SUM_MAP = 15 }; /* the most along an axis; numbers of a map */

/* Coordinates of a row of the output: start + w step. */
typedef struct tess__sum_row {
    double start[3], step[3];
} tess__sum_row;

/* What is read. */
typedef struct tess__sum_source {
    const void *data;
    int64_t     stride[3], shape[3]; /* strides in elements */
    int32_t     dims, border;
    double      outside[2];
} tess__sum_source;

TESS_FN tess__sum_row tess__sum_row_of(const double *map, double k, double d, double h)
{
    tess__sum_row row;
    for (int axis = 0; axis < 3; axis++) {
        const double *m = map + 5 * axis;
        row.start[axis] = __builtin_fma(h, m[3], __builtin_fma(d, m[2], __builtin_fma(k, m[1], m[0])));
        row.step[axis] = m[4];
    }
    return row;
}

/* A row through one more map, for which its z, y and x are d, h and w. */
TESS_FN tess__sum_row tess__sum_row_through(const double *map, const tess__sum_row *ray)
{
    tess__sum_row row;
    for (int axis = 0; axis < 3; axis++) {
        const double *m = map + 5 * axis;
        const double  z = __builtin_fma(ray->start[0], m[2], m[0]);
        row.start[axis] = __builtin_fma(ray->start[2], m[4], __builtin_fma(ray->start[1], m[3], z));
        row.step[axis] = __builtin_fma(ray->step[2], m[4], __builtin_fma(ray->step[1], m[3], ray->step[0] * m[2]));
    }
    return row;
}

TESS__FAST_FN double tess__sum_coordinate(const tess__sum_row *row, int axis, double w)
{
    return __builtin_fma(w, row->step[axis], row->start[axis]);
}

/* The method for a row: where all coordinates are integers, elements are taken as they are, whatever their neighbours
 * are; but for the B-spline, which does not go through its coefficients. */
TESS_FN int32_t tess__sum_method(const tess__sum_row *row, int dims, int32_t method)
{
    int whole = method != TESS_INTERP_CUBIC_BSPLINE;
    for (int k = 3 - dims; k < 3; k++)
        whole &= (__builtin_floor(row->start[k]) == row->start[k]) & (__builtin_floor(row->step[k]) == row->step[k]) &
                 (__builtin_fabs(row->start[k]) < 0x1p52) & (__builtin_fabs(row->step[k]) < 0x1p20);
    return whole ? (int32_t)TESS_INTERP_NEAREST : method;
}

/* The first element of the window at a coordinate, and its fraction. */
TESS__FAST_FN int64_t tess__sum_window(int32_t method, double c, double *t)
{
    const int64_t i = tess__coordinate_f64(c, t);
    return tess__interp_base_f64(method, i, *t) + tess__interp_first(method);
}

/* How much of a point counts that is between the elements of a volume and its outside: all of it from the first element
 * to the last along each axis, and falling to nothing one element beyond. */
TESS__FAST_FN double tess__sum_inside(double z, double y, double x, const double *volume)
{
    const double c[3] = { z, y, x };
    double       weight = 1;
    for (int k = 0; k < 3; k++) {
        const double below = c[k] + 1, above = volume[k] - c[k], least = below < above ? below : above;
        weight *= least > 1 ? 1 : least > 0 ? least : 0;
    }
    return weight;
}

#define TESS__SAMPLE float
#define TESS__SAMPLE_NAME f32
#define TESS__SAMPLE_FMA __builtin_fmaf
#include "formulas/geometry/affine_sum_any.op.h"

#define TESS__SAMPLE double
#define TESS__SAMPLE_NAME f64
#define TESS__SAMPLE_FMA __builtin_fma
#include "formulas/geometry/affine_sum_any.op.h"

#endif
