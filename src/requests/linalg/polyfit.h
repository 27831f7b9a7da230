/* Polynomial fit: surfaces fitted to images by least squares. */
#ifndef TESS_REQUESTS_LINALG_POLYFIT_H
#define TESS_REQUESTS_LINALG_POLYFIT_H

#include "tessera/array.h"

/* Polynomials fitted to images. Plain data. */
typedef struct tess__polyfit {
    const char *name;
    int32_t     order;
    bool        subtract;
    tess_array  in;              /* not empty */
    tess_array  out, parameters; /* data NULL: not wanted */
} tess__polyfit;

#endif
