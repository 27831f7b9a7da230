/* Sums over shells of frequencies of spectra. */
#ifndef TESS_REQUESTS_RADIAL_BINS_H
#define TESS_REQUESTS_RADIAL_BINS_H

#include "formulas/radial_bins_spec.op.h"
#include "tessera/array.h"

/* For each batch, cone and shell the sums of what the coefficients have, and of their counts or weights. Coefficients
 * that stand for two count twice. Plain data. */
typedef struct tess__radial_bins {
    const char       *name;
    tess_array        out;      /* f64, contiguous: {b, cones, shells, TESS__RADIAL_SUMS(terms)} */
    tess_array        lhs, rhs; /* spectra of one shape, not empty; rhs.data NULL but for PAIR */
    tess_array        axes;     /* MIRRORED: f64, contiguous: unit vectors (z, y, x), {1,1,cones,3}; data NULL: none */
    tess_array        ctfs;     /* ASTIGMATIC, FUSED: f64 {1 or b,1,1 or h,TESS__CTF_COLUMNS}, contiguous along w */
    tess_array        target;   /* FUSED: the same of h = 1 */
    tess__radial_grid grid;
    double            cosine; /* of the angle between an axis and the surface of its cone */
    int32_t           terms;  /* a TESS__RADIAL_ of what is summed; all but VALUE of complex numbers */
} tess__radial_bins;

#endif
