/* Linear least squares. */
#ifndef TESS_REQUESTS_LINALG_LSTSQ_H
#define TESS_REQUESTS_LINALG_LSTSQ_H

#include "tessera/array.h"

/* Least squares. Plain data. */
typedef struct tess__lstsq {
    const char *name;
    int32_t     kernel; /* computed in: f64 or c64 */
    double      cond;
    int64_t     m, n, k;
    tess_shape  batches;      /* {B,D,1,1}, not empty */
    tess_array  x, a, b;      /* B and D of a and b may be 1 */
    tess_array  values, rank; /* data NULL: not wanted */
} tess__lstsq;

#endif
