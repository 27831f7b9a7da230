/* Slices spread into a volume's spectrum: each coefficient is added to the eight around its frequency. */
#ifndef TESS_REQUESTS_GEOMETRY_SLICE_SPREAD_H
#define TESS_REQUESTS_GEOMETRY_SLICE_SPREAD_H

#include "tessera/array.h"

/* Plain data; formulas/geometry/slice_spread.op.h says what is added where, and in which order. */
typedef struct tess__slice_spread {
    const char *name;
    tess_array  volume, weights;       /* added to: c32 or c64, and real ones of its precision; data NULL: no weights */
    tess_array  slices, slice_weights; /* of the same dtypes; data NULL: weights are 1 */
    int64_t     volume_n[3], slice_n[3];         /* logical sizes, z, y, x */
    int32_t     volume_order[3], slice_order[3]; /* a TESS__ORDER_ of each axis */
    tess_array  rotations, inverses;             /* f64 {1 or n,1,3,3}, contiguous, on their device */
    tess_array  unscales, scales; /* f64 {1 or n,1,2,2}: from frequencies of a slice, and to them; data NULL: none */
    double      curve[2];         /* 1 / 2R */
    double      target[3];        /* samples of the volume to a cycle per pixel */
    double      cutoff;           /* cycles per pixel */
} tess__slice_spread;

#endif
