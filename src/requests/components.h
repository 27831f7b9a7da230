/* Connected components. */
#ifndef TESS_REQUESTS_COMPONENTS_H
#define TESS_REQUESTS_COMPONENTS_H

#include "tessera/array.h"

/* Plain data; not empty. */
typedef struct tess__components {
    const char *name;
    tess_array  out;  /* i64, contiguous: of each element the first of its component, as its number in its batch; -1: it
                         is in none */
    tess_array  in;   /* bool, of its shape */
    bool        full; /* neighbours across edges and corners are connected too */
} tess__components;

#endif
