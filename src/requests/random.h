/* Random numbers of a counter-based generator. */
#ifndef TESS_REQUESTS_RANDOM_H
#define TESS_REQUESTS_RANDOM_H

#include "tessera/array.h"

/* Random numbers. Those of the first group are floats. */
enum {
    TESS__RANDOM_UNIFORM,     /* of spec.low, range and max */
    TESS__RANDOM_NORMAL,      /* of spec.mean and std */
    TESS__RANDOM_LOGNORMAL,   /* likewise */
    TESS__RANDOM_EXPONENTIAL, /* of spec.mean */
    TESS__RANDOM_FLOATS,
    TESS__RANDOM_INTEGERS = TESS__RANDOM_FLOATS, /* from spec.first to that plus spec.span */
    TESS__RANDOM_POISSON,                        /* of `in`, broadcast to out */
    TESS__RANDOM_PERMUTATION                     /* of as many numbers as out has elements */
};

/* A sequence and a distribution; floats are as the dtype of the numbers holds them. */
typedef struct tess__random_spec {
    uint64_t seed;
    uint32_t stream;
    double   low, range, max, mean, std;
    int64_t  first;
    uint64_t span;
} tess__random_spec;

/* Plain data. */
typedef struct tess__random {
    const char       *name;
    int32_t           kind;   /* a TESS__RANDOM_ */
    uint64_t          offset; /* index in the sequence: of the first element, or of the first key of a permutation */
    tess__random_spec spec;
    tess_array        out; /* not empty */
    tess_array        in;
    tess_array        workspace; /* permutations: 4 n integers of 64 bits for n numbers */
} tess__random;

#endif
