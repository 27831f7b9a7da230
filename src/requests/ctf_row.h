/* Rows of CTFs of a request. */
#ifndef TESS_REQUESTS_CTF_ROW_H
#define TESS_REQUESTS_CTF_ROW_H

#include "tessera/array.h"

/* The numbers of the CTF of (b, h): of f64 {1 or b,1,1 or h,TESS__CTF_COLUMNS}, contiguous along w. */
static inline const double *tess__ctf_numbers(const tess_array *ctfs, int64_t b, int64_t h)
{
    return (const double *)ctfs->data + (ctfs->shape.b == 1 ? 0 : b) * ctfs->strides.b +
           (ctfs->shape.h == 1 ? 0 : h) * ctfs->strides.h;
}

#endif
