/* Arrays at given points: samples by interpolation, and their adjoint, which adds to elements by the same weights.
 *
 * A sample is that of formulas/geometry/transform.op.h, so a CPU and a GPU give the same bits. In the adjoint each
 * element of a window gets wz wy wx value, multiplied from the left; taps outside that have no element are left out.
 */
#ifndef TESS_FORMULAS_GEOMETRY_POINTS_OP_H
#define TESS_FORMULAS_GEOMETRY_POINTS_OP_H

#include "formulas/geometry/transform.op.h"

/* Whether a point is below 0 or beyond the last element along an axis. A NaN is not. */
TESS_FN int tess__point_is_beyond(const int64_t *shape, int dims, const double *c)
{
    int beyond = 0;
    for (int k = 3 - dims; k < 3; k++) beyond |= (c[k] < 0) | (c[k] > (double)(shape[k] - 1));
    return beyond;
}

/* Whether the window of a point is outside as a whole, by any method. False if a coordinate is a NaN. */
TESS_FN int tess__point_is_far(const int64_t *shape, int dims, const double *c)
{
    int far = 0, known = 1;
    for (int k = 3 - dims; k < 3; k++) {
        far |= (c[k] < -TESS__TRANSFORM_TAPS) | (c[k] > (double)(shape[k] + TESS__TRANSFORM_TAPS));
        known &= c[k] == c[k];
    }
    return far & known;
}

#define TESS__POINT float
#define TESS__POINT_NAME f32
#include "formulas/geometry/points_any.op.h"

#define TESS__POINT double
#define TESS__POINT_NAME f64
#include "formulas/geometry/points_any.op.h"

#endif
