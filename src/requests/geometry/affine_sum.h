/* Sums of images or volumes at positions that affine maps give: projections along rays, backprojections, symmetry. */
#ifndef TESS_REQUESTS_GEOMETRY_AFFINE_SUM_H
#define TESS_REQUESTS_GEOMETRY_AFFINE_SUM_H

#include "tessera/array.h"

/* For each element (b, d, h, w) of the output, the sum over samples k and then terms i of `in` at the position that map
 * i gives for k, d, h, w. A map has 3 rows, of z, y and x, of 5 numbers: the position at 0, and how it changes with k,
 * d, h and w. Plain data. */
typedef struct tess__affine_sum {
    const char *name;
    tess_array  out, in; /* of one dtype, f32, f64, c32 or c64; disjoint, not empty */
    tess_array  maps;    /* f64 {1 or out.shape.b,terms,3,5}, contiguous, on their device */
    tess_array  rays;    /* zeroed, or f64 {out.shape.b,1,3,5}: positions in a volume between, whose z, y and x are the
                          * d, h and w of the maps, and which weigh terms by tess__sum_inside */
    double      volume[3];      /* with rays: sizes of that volume */
    int64_t     first, count;   /* samples k */
    int32_t     dims;           /* 2: of images, the row of z is not read; 3: of volumes */
    int32_t     interp, border; /* not DEFAULT; no NOTHING */
    bool        of_terms;       /* batch i of `in` is that of term i; else that of the output, or the only one */
    bool        add;            /* to what `out` holds */
    double      divisor;        /* of sums */
    double      outside[2];     /* ZERO, VALUE: real and imaginary part */
} tess__affine_sum;

#endif
