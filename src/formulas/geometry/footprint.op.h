/* Voxel-driven projection: one pixel as the sum of the voxels whose footprint, the window of interpolation around the
 * point that they fall on, covers it.
 *
 * Voxels are found plane by plane across the axis that is nearest to the direction of view: in each plane those whose
 * points lie in a square around the pixel fill a parallelogram. Bounds of its rows are rounded outwards, and weights
 * decide: they are those of interpolating the image at the same points, so that this is the transpose of
 * backprojection. Sums are in f64 and go along that axis and then the others, in the order of z, y, x: a CPU and a GPU
 * give the same bits.
 */
#ifndef TESS_FORMULAS_GEOMETRY_FOOTPRINT_OP_H
#define TESS_FORMULAS_GEOMETRY_FOOTPRINT_OP_H

#include "formulas/geometry/affine_sum.op.h"

/* How voxels fall on an image: a[0] and a[1] say how y and x change with the axes. */
typedef struct tess__footprint_view {
    const double *map;
    double        a[2][3], at[2];     /* at: of voxel 0, 0, 0 */
    double        inverse[2][2];      /* of the columns of a for the axes `row` and `column` */
    int32_t       plane, row, column; /* axes: across planes, and within them */
    int32_t       method;
} tess__footprint_view;

/* From 0 to n - 1, the integers between two numbers and one more on each side. */
TESS_FN void tess__footprint_bounds(int64_t *first, int64_t *last, double low, double high, int64_t n)
{
    const double below = __builtin_floor(low), above = __builtin_ceil(high);
    *first = below > 0 ? (below < (double)n ? (int64_t)below : n) : 0;
    *last = above < (double)(n - 1) ? (above >= 0 ? (int64_t)above : -1) : n - 1;
}

/* Whether the axes of view are those of a map of full rank; the direction of view is the vector product of its rows. */
TESS_FN int tess__footprint_view_of(tess__footprint_view *v, const double *map, int32_t method)
{
    double direction[3];
    v->map = map;
    v->method = method;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) v->a[i][k] = map[5 * (i + 1) + 2 + k];
        v->at[i] = map[5 * (i + 1)];
    }
    for (int k = 0; k < 3; k++) {
        const int    l = (k + 1) % 3, m = (k + 2) % 3;
        const double other = v->a[0][m] * v->a[1][l];
        direction[k] = __builtin_fma(v->a[0][l], v->a[1][m], -other);
    }
    v->plane = 0;
    for (int k = 1; k < 3; k++)
        if (__builtin_fabs(direction[k]) > __builtin_fabs(direction[v->plane])) v->plane = k;
    v->row = v->plane == 0 ? 1 : 0;
    v->column = v->plane == 2 ? 1 : 2;
    const double other = v->a[0][v->column] * v->a[1][v->row];
    const double determinant = __builtin_fma(v->a[0][v->row], v->a[1][v->column], -other);
    v->inverse[0][0] = v->a[1][v->column] / determinant;
    v->inverse[0][1] = -v->a[0][v->column] / determinant;
    v->inverse[1][0] = -v->a[1][v->row] / determinant;
    v->inverse[1][1] = v->a[0][v->row] / determinant;
    return determinant != 0;
}

/* How far the points of voxels may be from the middle of n pixels of which they cover one: a little more than they may
 * be, for bounds that rounding does not spoil. */
TESS_FN double tess__footprint_reach(int32_t method, int64_t n)
{
    return __builtin_fma(0.5, (double)(tess__interp_taps(method) + n - 1), 0x1p-10);
}

/* Rows of a plane in which there are voxels whose points are within reach[0] along y and reach[1] along x of a point of
 * the image. `left` receives what is left of its coordinates when those of the plane are taken off. */
TESS_FN void tess__footprint_rows(int64_t *rows, double *left, const tess__footprint_view *v, const double *point,
                                  const double *reach, int64_t plane, int64_t n)
{
    for (int i = 0; i < 2; i++) left[i] = __builtin_fma(-v->a[i][v->plane], (double)plane, point[i] - v->at[i]);
    const double other = v->inverse[0][1] * left[1], middle = __builtin_fma(v->inverse[0][0], left[0], other);
    const double width = __builtin_fabs(v->inverse[0][1]) * reach[1];
    const double half = __builtin_fma(__builtin_fabs(v->inverse[0][0]), reach[0], width);
    tess__footprint_bounds(&rows[0], &rows[1], middle - half, middle + half, n);
}

/* Columns of one of these rows. */
TESS_FN void tess__footprint_columns(int64_t *columns, const tess__footprint_view *v, const double *left,
                                     const double *reach, int64_t row, int64_t n)
{
    double low = 0, high = (double)(n - 1);
    for (int i = 0; i < 2; i++) {
        const double a = v->a[i][v->column], rest = __builtin_fma(-v->a[i][v->row], (double)row, left[i]);
        if (!(__builtin_fabs(a) > 1e-9)) continue;
        const double ends[2] = { (rest - reach[i]) / a, (rest + reach[i]) / a };
        const double from = ends[0] < ends[1] ? ends[0] : ends[1], to = ends[0] < ends[1] ? ends[1] : ends[0];
        low = from > low ? from : low;
        high = to < high ? to : high;
    }
    tess__footprint_bounds(&columns[0], &columns[1], low, high, n);
}

#define TESS__SAMPLE float
#define TESS__SAMPLE_NAME f32
#include "formulas/geometry/footprint_any.op.h"

#define TESS__SAMPLE double
#define TESS__SAMPLE_NAME f64
#include "formulas/geometry/footprint_any.op.h"

#endif
