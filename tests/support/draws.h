/* Shapes at random: parameters of a call of tess_draw_*, and the call. */
#ifndef TESS_TEST_DRAWS_H
#define TESS_TEST_DRAWS_H

#include "support/layouts.h"

enum { DRAW_KINDS = 6, DRAW_MOST = 64 };

typedef struct draw_case {
    int            kind;    /* as in formulas/geometry/draw.op.h */
    tess_shape     logical; /* of the array */
    tess_shape     shape;
    tess_dtype     dtype;
    bool           has_in;
    tess_draw_opts opts;
    tess_array     sizes, centres, inverse, from, to; /* data NULL: none */
    double         numbers[5][DRAW_MOST];
    char           text[160];
} draw_case;

/* Arrays of the case point into it: it must stay where it is. */
void draw_make(draw_case *c, int kind, tess_dtype dtype);

/* The call, with parameters where they are, or, `there`, copies of them on a device. */
tess_status draw_call(tess_array *out, const tess_array *in, const draw_case *c, const tess_device *there);

#endif
