/* Index fill: an affine function of the index of each element. */
#ifndef TESS_REQUESTS_FILL_INDEX_H
#define TESS_REQUESTS_FILL_INDEX_H

#include "tessera/array.h"

/* Values computed from the index of an element in b, d, h, w order. Plain data. */
typedef struct tess__fill_index {
    const char *name;
    tess_array  out;                 /* not empty */
    int64_t     n;                   /* elements of out */
    double      start, step, scale;  /* out = scale * (start + index * step) */
    int64_t     int_start, int_step; /* the same in integers, used if `integral` */
    double      last;                /* the last element itself, if `ends` */
    bool        integral, ends;
    bool        floors; /* round down before the conversion */
} tess__fill_index;

#endif
