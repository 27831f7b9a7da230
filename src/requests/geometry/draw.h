/* Shapes drawn into arrays: how much of each element they cover, combined with an input. */
#ifndef TESS_REQUESTS_GEOMETRY_DRAW_H
#define TESS_REQUESTS_GEOMETRY_DRAW_H

#include "formulas/geometry/draw.op.h"
#include "tessera/array.h"

/* Plain data. `in` is real, or complex where `out` is; not empty. */
typedef struct tess__draw {
    const char     *name;
    tess_array      out, in;    /* in.data NULL: the shapes themselves; disjoint, or exactly the same */
    tess_array      shapes;     /* f64 {1 or b,n,1,16}, contiguous: n tess__draw_shape for each batch, or for all */
    int32_t         order[4];   /* of indices, a TESS__DRAW_IN_ORDER …; of axes 1 to 3 */
    int64_t         logical[4]; /* sizes that these count by */
    tess__draw_spec spec;
} tess__draw;

_Static_assert(sizeof(tess__draw_shape) == 16 * sizeof(double), "a row of `shapes` is a tess__draw_shape");

#endif
