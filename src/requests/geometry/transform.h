/* Affine transforms of images and volumes: each result is the input at the position that a matrix gives. */
#ifndef TESS_REQUESTS_GEOMETRY_TRANSFORM_H
#define TESS_REQUESTS_GEOMETRY_TRANSFORM_H

#include "tessera/array.h"

/* One result for each position p of the output: the input at A (p - from) + t + to. Plain data. */
typedef struct tess__transform {
    const char *name;
    tess_array  out, in;        /* of one dtype, f32, f64, c32 or c64; disjoint, not empty; in.shape.b is 1 or out's */
    tess_array  matrices;       /* [A | t]: f64 {1 or b,1,dims,dims + 1}, contiguous, on their device */
    int32_t     dims;           /* 2: images, d is 1; 3: volumes */
    int32_t     interp, border; /* not DEFAULT */
    double      from[3], to[3]; /* z, y, x */
    double      outside[2];     /* ZERO, VALUE: real and imaginary part */
} tess__transform;

#endif
