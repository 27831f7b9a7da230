/* Connected components. */
#ifndef TESS_REQUESTS_GEOMETRY_COMPONENTS_H
#define TESS_REQUESTS_GEOMETRY_COMPONENTS_H

#include "tessera/array.h"

/* Plain data; not empty. */
typedef struct tess__components {
    const char *name;
    tess_array  out;    /* i32 or i64: of each element the number of its component, from 1; 0: it is in none */
    tess_array  counts; /* i64 {b,1,1,1}, contiguous: how many each batch has; data NULL: not wanted */
    tess_array  in;     /* bool, of the output's shape */
    bool        full;   /* neighbours across edges and corners are connected too */
} tess__components;

#endif
