/* Binning: sums or means of blocks. */
#ifndef TESS_REQUESTS_BIN_H
#define TESS_REQUESTS_BIN_H

#include "tessera/array.h"

/* Sums or means of blocks; the last block along an axis may be incomplete. Plain data. */
typedef struct tess__bin {
    const char *name;
    tess_array  out, in; /* not empty */
    int64_t     factor[4];
    bool        mean;
} tess__bin;

#endif
