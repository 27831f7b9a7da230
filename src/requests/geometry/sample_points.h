/* Samples of images and volumes at given points. */
#ifndef TESS_REQUESTS_GEOMETRY_SAMPLE_POINTS_H
#define TESS_REQUESTS_GEOMETRY_SAMPLE_POINTS_H

#include "tessera/array.h"

/* Result (d, h, w) of a batch is the input at point d out.shape.h + h, w of the batch. Plain data. */
typedef struct tess__sample_points {
    const char *name;
    tess_array  out, in;        /* of one dtype, f32, f64, c32 or c64; disjoint, not empty; in.shape.b is 1 or out's */
    tess_array  points;         /* f32 or f64 {1 or b,out.shape.d out.shape.h,out.shape.w,dims} of y, x or z, y, x */
    int32_t     dims;           /* 2: images, in.shape.d is 1; 3: volumes */
    int32_t     interp, border; /* not DEFAULT */
    int32_t     cut;            /* 1: points below 0 or beyond the last element have the value outside */
    double      outside[2];     /* ZERO, VALUE, cut: real and imaginary part */
} tess__sample_points;

#endif
