/* Quantiles over a set of axes. */
#ifndef TESS_REQUESTS_QUANTILE_H
#define TESS_REQUESTS_QUANTILE_H

#include "tessera/array.h"

/* Quantiles over a set of axes. Plain data. */
typedef struct tess__quantile {
    const char *name;
    int32_t     axes;     /* the set that is reduced, not 0 */
    int32_t     method;   /* a tess_quantile_method; 0 is the median */
    bool        skip_nan; /* leave NaNs out */
    tess_array  in;
    tess_array  q;   /* {1,1,1,n} f64, contiguous */
    tess_array  out; /* the innermost reduced axis has n elements, the others 1 */
} tess__quantile;

#endif
