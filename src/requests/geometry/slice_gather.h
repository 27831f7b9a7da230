/* Slices gathered: each coefficient of a volume, or of other slices, is a sum over all slices that pass near it. */
#ifndef TESS_REQUESTS_GEOMETRY_SLICE_GATHER_H
#define TESS_REQUESTS_GEOMETRY_SLICE_GATHER_H

#include "tessera/array.h"

/* To each coefficient up to the cutoff is added the sum over slices of W(z) times the slice where it is nearest, z
 * away, with W the windowed sinc of formulas/geometry/fourier_slices.op.h, and 0 from z = window on. In the order of
 * slices. Plain data. */
typedef struct tess__slice_gather {
    const char *name;
    tess_array  out, out_weights;             /* c32 or c64, and real ones of its precision; data NULL: no weights */
    tess_array  slices, slice_weights;        /* of the same dtypes; data NULL: weights are 1 */
    int64_t     out_n[3], slice_n[3];         /* logical sizes, z, y, x */
    int32_t     out_order[3], slice_order[3]; /* a TESS__ORDER_ of each axis */
    double      out_size[3];                  /* samples of out to a cycle per pixel */
    tess_array  out_rotations,
        out_unscales;                  /* f64 {1 or b,1,3,3} and {1 or b,1,2,2}: where out lies; data NULL: as it is */
    tess_array inverses, scales;       /* the same of slices: from the volume */
    double     out_curve[2], curve[2]; /* 1 / 2R */
    double     cutoff, sinc, window;   /* cycles per pixel */
    int32_t    interp;                 /* not DEFAULT */
    int32_t    divide;                 /* 1: out is divided by the larger of 1 and the size of its weight */
} tess__slice_gather;

#endif
