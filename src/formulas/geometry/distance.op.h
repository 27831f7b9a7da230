/* Squared distances of the distance transform: a parabola over the index of a line. */
#ifndef TESS_FORMULAS_GEOMETRY_DISTANCE_OP_H
#define TESS_FORMULAS_GEOMETRY_DISTANCE_OP_H

#include <stdint.h>

#include "tessera/math/f64.op.h"

/* The square of a distance that is `f` at k elements from here, whose distance is the root of `step2`. */
TESS_FN double tess__distance_from(double f, double step2, int64_t k)
{
    const double far = (double)k;
    return f + step2 * (far * far);
}

#endif
