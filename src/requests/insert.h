/* Insertion: sub-regions written into an array, or added to it. */
#ifndef TESS_REQUESTS_INSERT_H
#define TESS_REQUESTS_INSERT_H

#include "requests/ewise.h"
#include "tessera/array.h"

/* Sub-regions written into an array, or added to it, one after the other. Plain data; arrays whose data is NULL are
 * absent. */
typedef struct tess__insert {
    const char *name;
    tess_array  out, in, origins;
    tess_array  weights;     /* with the shape of `in` */
    tess_array  weight_sums; /* with the shape of `out` */
    bool        add;
    tess__apply sum;         /* out = in + out, or fma(in, weights, out), of real parts */
    tess__apply weights_sum; /* weight_sums = weights + weight_sums */
} tess__insert;

#endif
