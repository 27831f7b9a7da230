/* Sums into rings of frequencies of spectra. */
#ifndef TESS_REQUESTS_RINGS_H
#define TESS_REQUESTS_RINGS_H

#include "formulas/rings_spec.op.h"
#include "tessera/array.h"

/* For each batch and ring the sums of what the coefficients have, and of their weights. Plain data. */
typedef struct tess__rings {
    const char      *name;
    tess_array       out;    /* f64, contiguous: {b,1,rings,TESS__RINGS_SUMS(terms)} */
    tess_array       in;     /* numbers, not empty */
    tess_array       ctfs;   /* f64 {1 or b,1,1 or h,TESS__CTF_COLUMNS}, contiguous along w, for kinds that have them */
    tess_array       target; /* FUSED: the same of h = 1 */
    tess__rings_grid grid;
    int32_t          terms; /* a TESS__RINGS_ of what is summed; all but VALUE of complex numbers */
} tess__rings;

#endif
