/* Values at given points, added to the elements of images and volumes by the weights of interpolation. */
#ifndef TESS_REQUESTS_GEOMETRY_SPREAD_POINTS_H
#define TESS_REQUESTS_GEOMETRY_SPREAD_POINTS_H

#include "tessera/array.h"

/* `out` is added to. Value (d, h, w) of a batch belongs to point d in.shape.h + h, w of the batch; if `out` has one
 * batch, all are added to it. Plain data. */
typedef struct tess__spread_points {
    const char *name;
    tess_array  out, in;        /* of one dtype, f32, f64, c32 or c64; disjoint, not empty; out.shape.b is 1 or in's */
    tess_array  points;         /* f32 or f64 {1 or b,in.shape.d in.shape.h,in.shape.w,dims} of y, x or z, y, x */
    int32_t     dims;           /* 2: images, out.shape.d is 1; 3: volumes */
    int32_t     interp, border; /* not DEFAULT */
    int32_t     cut;            /* 1: points below 0 or beyond the last element are left out */
} tess__spread_points;

#endif
