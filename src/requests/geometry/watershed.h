/* Watershed of an image from markers. */
#ifndef TESS_REQUESTS_GEOMETRY_WATERSHED_H
#define TESS_REQUESTS_GEOMETRY_WATERSHED_H

#include "tessera/array.h"

/* Plain data. Arrays are on the host, of one shape, not empty; `out` is disjoint from the others or exactly
 * `markers`. */
typedef struct tess__watershed {
    const char *name;
    tess_array  out;     /* integers */
    tess_array  image;   /* real numbers */
    tess_array  markers; /* integers or bool; data NULL: the regional minima */
    tess_array  mask;    /* bool; data NULL: all elements */
    bool        full;    /* neighbours across edges and corners too */
    bool        line;    /* keep lines of 0 between labels */
} tess__watershed;

#endif
