/* Spectra sampled at turned frequencies: transforms of spectra, slices of volumes, and means over the elements of a
 * group. */
#ifndef TESS_REQUESTS_GEOMETRY_SPECTRUM_SAMPLE_H
#define TESS_REQUESTS_GEOMETRY_SPECTRUM_SAMPLE_H

#include "tessera/array.h"

enum { TESS__SLICE_WINDOW = 64 };

/* Each coefficient of `out`, of frequency q, is `in` at the frequency that the frame of its batch gives
 * (formulas/geometry/fourier_slices.op.h), 0 beyond the cutoff. Of several rotations for a batch it is the sum, in f64
 * and in their order, divided by `divisor`. Plain data. */
typedef struct tess__spectrum_sample {
    const char *name;
    tess_array  out, in;  /* of one dtype: f32, f64, c32 or c64; disjoint, not empty; in.shape.b is 1 or out's */
    int64_t     out_n[3]; /* logical sizes, z, y, x */
    int64_t     in_n[3];
    int32_t     out_order[3]; /* a TESS__ORDER_ of each axis */
    int32_t     in_order[3];
    tess_array  rotations; /* f64 {1 or b,terms,3,3}, contiguous, on their device */
    double      divisor;   /* of sums; of one term it is not read */
    tess_array  scales;    /* f64 {1 or b,1,2,2}: from frequencies of out; data NULL: none */
    tess_array  shifts;    /* f64 {1 or b,1,1,3}: out is times exp(-2 pi i shift q); data NULL: none */
    double      curve[2];  /* 1 / 2R */
    double      target[3]; /* samples of `in` to a cycle per pixel */
    double      cutoff;    /* cycles per pixel */
    int32_t     dims;      /* 2: no z; 3 */
    int32_t     interp;    /* not DEFAULT */
    int32_t     window;    /* samples along z on each side that are added; 0: none */
    double      weights[TESS__SLICE_WINDOW]; /* of those 0 .. window away */
} tess__spectrum_sample;

#endif
