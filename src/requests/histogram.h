/* Histograms over a set of axes. */
#ifndef TESS_REQUESTS_HISTOGRAM_H
#define TESS_REQUESTS_HISTOGRAM_H

#include "tessera/array.h"

/* A histogram. Plain data. */
typedef struct tess__histogram {
    const char *name;
    int32_t     axes; /* the set that is reduced, not 0 */
    int64_t     bins;
    double      low, high;
    bool        density;
    tess_array  out; /* the innermost of the reduced axes has the bins */
    tess_array  in;
    tess_array  weights; /* of the shape of in; data NULL: none */
    tess_array  edges;   /* data NULL: bins of equal widths from low to high */
} tess__histogram;

#endif
