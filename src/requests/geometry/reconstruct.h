/* Morphological reconstruction of a mask from a marker. */
#ifndef TESS_REQUESTS_GEOMETRY_RECONSTRUCT_H
#define TESS_REQUESTS_GEOMETRY_RECONSTRUCT_H

#include "tessera/array.h"

/* Plain data. Arrays are on the host, of one shape and dtype, real numbers, not empty; `out` is disjoint from the
 * others or exactly `marker`. */
typedef struct tess__reconstruct {
    const char *name;
    tess_array  out, marker, mask;
    bool        by_erosion;
    bool        full; /* neighbours across edges and corners too */
} tess__reconstruct;

#endif
