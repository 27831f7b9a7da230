/* Affine transforms by gathering: coordinates along a row, and an array at one position between its elements.
 *
 * Axes are z, y, x. Coordinates are f64. Along a row they are fma(w, step, start), which rises or falls with w, rounded
 * as it is. Sums go along x, then y, then z, each fused and in the order of the elements, as in
 * tessera/math/interp.op.h: a CPU and a GPU give the same bits.
 *
 * A window that reaches outside is met tap by tap. A tap outside that has no weight counts as 0, so that a border of
 * NaN does not reach elements that a transform only moves.
 */
#ifndef TESS_FORMULAS_GEOMETRY_TRANSFORM_OP_H
#define TESS_FORMULAS_GEOMETRY_TRANSFORM_OP_H

#include "tessera/math/interp.op.h"

enum { TESS__TRANSFORM_TAPS = 8 }; /* the most along an axis */

/* Coordinates of a row of the output: start + w step. Those of z are not used with images. */
typedef struct tess__transform_row {
    double start[3], step[3];
} tess__transform_row;

/* What is read. */
typedef struct tess__transform_source {
    const void *data;
    int64_t     stride[3], shape[3]; /* strides in elements */
    int32_t     border;              /* a tess_border, not DEFAULT */
    double      outside[2];
} tess__transform_source;

/* Row (d, h): point p is at A (p - from) + t + to, of the matrix [A | t] of dims rows at `m`. */
TESS_FN tess__transform_row tess__transform_row_of(const double *m, int dims, const double *from, const double *to,
                                                   double d, double h)
{
    tess__transform_row row;
    row.start[0] = row.step[0] = 0.0;
    for (int k = 0; k < dims; k++) {
        const double *a = m + k * (dims + 1);
        const int     axis = 3 - dims + k;
        const double  moved = a[dims] + to[axis];
        const double  w = __builtin_fma(a[dims - 1], -from[2], moved);
        const double  deep = dims == 3 ? __builtin_fma(a[0], d - from[0], w) : w;
        row.start[axis] = __builtin_fma(a[dims - 2], h - from[1], deep);
        row.step[axis] = a[dims - 1];
    }
    return row;
}

TESS_FN double tess__transform_coordinate(const tess__transform_row *row, int axis, double w)
{
    return __builtin_fma(w, row->step[axis], row->start[axis]);
}

/* Whether all coordinates of a row are integers, at which all methods but the B-spline give an element. */
TESS_FN int tess__transform_is_whole(const tess__transform_row *row, int dims)
{
    int whole = 1;
    for (int k = 3 - dims; k < 3; k++)
        whole &= (__builtin_floor(row->start[k]) == row->start[k]) & (__builtin_floor(row->step[k]) == row->step[k]) &
                 (__builtin_fabs(row->start[k]) < 0x1p52) & (__builtin_fabs(row->step[k]) < 0x1p20);
    return whole;
}

/* The first element of the window at a coordinate, and its fraction. */
TESS__FAST_FN int64_t tess__transform_window(int method, double c, double *t)
{
    const int64_t i = tess__coordinate_f64(c, t);
    return tess__interp_base_f64(method, i, *t) + tess__interp_first(method);
}

/* Loops whose indices must be constants, so that what they index stays in registers. */
#if defined(__CUDACC__) && !defined(TESS_SIMULATED)
#define TESS__UNROLL_ALL _Pragma("unroll")
#else
#define TESS__UNROLL_ALL
#endif
#ifndef TESS__UNROLL_Z /* of volumes, along z: a kernel with many taps has it otherwise */
#define TESS__UNROLL_Z TESS__UNROLL_ALL
#endif

#define TESS__SAMPLE float
#define TESS__SAMPLE_NAME f32
#define TESS__SAMPLE_FMA __builtin_fmaf
#include "formulas/geometry/transform_any.op.h"

#define TESS__SAMPLE double
#define TESS__SAMPLE_NAME f64
#define TESS__SAMPLE_FMA __builtin_fma
#include "formulas/geometry/transform_any.op.h"

#endif
