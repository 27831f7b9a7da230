/* Binary search in sorted rows. */
#ifndef TESS_REQUESTS_SEARCH_H
#define TESS_REQUESTS_SEARCH_H

#include "tessera/array.h"

/* Search of values in sorted rows. Plain data. */
typedef struct tess__search {
    const char *name;
    int32_t     dtype; /* that both are compared in, and of `sorted` */
    bool        right;
    tess_array  out, values; /* of one shape */
    tess_array  sorted;      /* rows are contiguous; broadcast to the shape of values but for their length */
} tess__search;

#endif
