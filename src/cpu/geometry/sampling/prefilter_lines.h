/* Vectors along an axis that a kernel filters together. */
#ifndef TESS_CPU_GEOMETRY_SAMPLING_PREFILTER_LINES_H
#define TESS_CPU_GEOMETRY_SAMPLING_PREFILTER_LINES_H

#include <stdint.h>

enum {
    TESS__PREFILTER_LANES = 64, /* vectors of a call at most, of which the same elements are contiguous, */
    TESS__PREFILTER_PACK = 16   /* or so many, which are packed so */
};

typedef struct tess__prefilter_lines {
    void       *out;
    const void *in;
    int64_t     n, lanes;         /* elements of a vector, and vectors */
    int64_t     step[2], lane[2]; /* from an element to the next, and from a vector to the next, of out and in: reals */
    int32_t     border;           /* of tess__prefilter */
    double      value;
    void       *workspace; /* n TESS__PREFILTER_PACK reals, if vectors are not contiguous */
} tess__prefilter_lines;

#endif
