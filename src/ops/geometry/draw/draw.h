/* Shapes: what a drawing function was given, and its shapes as rows for the kernels. */
#ifndef TESS_OPS_GEOMETRY_DRAW_DRAW_H
#define TESS_OPS_GEOMETRY_DRAW_DRAW_H

#include "formulas/geometry/draw.op.h"
#include "tessera/draw.h"

/* Parameters of shapes, by the place in the call. */
enum {
    TESS__DRAW_SIZES,
    TESS__DRAW_CENTRES,
    TESS__DRAW_INVERSE,
    TESS__DRAW_FROM,
    TESS__DRAW_TO,
    TESS__DRAW_PARAMETERS
};

typedef struct tess__draw_parameter {
    const char       *arg;
    const tess_array *array; /* NULL: none */
} tess__draw_parameter;

typedef struct tess__draw_parameters {
    const char          *fn;
    int                  kind;    /* a TESS__DRAW_SPHERE … */
    tess_shape           logical; /* of the array */
    tess__draw_parameter of[TESS__DRAW_PARAMETERS];
} tess__draw_parameters;

/* All shapes, in the host's memory: f64 {b,n,1,16}, rows of which are tess__draw_shape. `*out` is zeroed. */
tess_status tess__draw_shapes(tess_array *out, const tess__draw_parameters *p);

#endif
