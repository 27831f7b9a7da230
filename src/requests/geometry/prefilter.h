/* B-spline prefilter: the coefficients of the cubic spline through the elements, along one axis. */
#ifndef TESS_REQUESTS_GEOMETRY_PREFILTER_H
#define TESS_REQUESTS_GEOMETRY_PREFILTER_H

#include "tessera/array.h"

/* Every vector along `axis` becomes its coefficients. Plain data. */
typedef struct tess__prefilter {
    const char *name;
    tess_array  out, in;  /* of one shape and dtype, f32, f64, c32 or c64; exactly the same or disjoint, not empty */
    int32_t     axis;     /* 1, 2 or 3: d, h, w */
    int32_t     border;   /* ZERO, VALUE, PERIODIC, MIRROR or REFLECT */
    double      value[2]; /* VALUE: the coefficients outside, real and imaginary part */
} tess__prefilter;

#endif
