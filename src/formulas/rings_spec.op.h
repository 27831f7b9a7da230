/* Description of sums into rings of frequencies: axes of the spectrum, rings and chunks. Plain data, which requests and
 * kernels share. */
#ifndef TESS_FORMULAS_RINGS_SPEC_OP_H
#define TESS_FORMULAS_RINGS_SPEC_OP_H

#include <stdint.h>

#include "formulas/metric.op.h"

/* Where a coefficient lies; macros, as the preprocessor of kernels compares them. */
#define TESS__RINGS_ISOTROPIC 0
#define TESS__RINGS_ASTIGMATIC 1
#define TESS__RINGS_FUSED 2 /* each row is a spectrum with a CTF of its own */

/* What is summed, beside its weight. */
#define TESS__RINGS_VALUE 0   /* real numbers */
#define TESS__RINGS_POWER 1   /* |z|^2 */
#define TESS__RINGS_COMPLEX 2 /* real and imaginary part */
#define TESS__RINGS_TERMS 3

/* Numbers of a ring: value, weight; or real part, imaginary part, weight, nothing. */
#define TESS__RINGS_SUMS(terms) ((terms) == TESS__RINGS_COMPLEX ? 4 : 2)

enum {
    TESS__RINGS_LANES = 4,
    TESS__RINGS_CHUNK = 4096, /* coefficients of a chunk, at least, and as many as its tables have numbers, */
    TESS__RINGS_CHUNKS = 1024 /* unless there would be more of them than this */
};

typedef struct tess__rings_axis {
    int64_t n;                  /* logical size */
    int64_t zero, below;        /* index k is frequency k - zero, less n from index `below` on */
    double  start, span, count; /* cycles per pixel: start + frequency span / count */
} tess__rings_axis;

typedef struct tess__rings_grid {
    tess__rings_axis axis[3]; /* D, H, W */
    tess__metric     metric;  /* ISOTROPIC */
    double           start, scale;
    int64_t          rings;
    int64_t          rows; /* of a chunk */
    int64_t          chunks;
    int32_t          kind, half; /* half: columns but 0 and n / 2 stand for two coefficients */
    int32_t          nearest;    /* a coefficient goes to one ring */
} tess__rings_grid;

#endif
