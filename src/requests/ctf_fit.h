/* Fit of the contrast transfer function to power spectra. */
#ifndef TESS_REQUESTS_CTF_FIT_H
#define TESS_REQUESTS_CTF_FIT_H

#include "formulas/ctf_fit.op.h"
#include "tessera/array.h"
#include "tessera/ctf.h"

enum { TESS__FIT_POLYNOMIALS = 5 /* of the radius, for backgrounds */ };

/* What is fitted: parameters of the phase, and the decay of the rings from r = 0 to the end of the range. */
enum { TESS__FIT_DEFOCUS, TESS__FIT_COSINE, TESS__FIT_SINE, TESS__FIT_SHIFT, TESS__FIT_DECAY, TESS__FIT_PARAMETERS };

/* Plain data. Arrays are f64, contiguous, on the host, of b batches, one or more. */
typedef struct tess__ctf_fit {
    const char     *name;
    tess_array      power;               /* {b,1,h,w/2+1}: half spectra, layout H */
    tess_array      fits;                /* {b,1,1,TESS_CTF_COLUMNS} */
    tess_array      scores, resolutions; /* {b,1,1,1} */
    tess_array      errors;              /* {b,1,1,4}: of defocus, astigmatism, angle, phase shift */
    tess_array      curves;              /* {b,1,3,min(h,w)/2+1} */
    tess_ctf        ctf;                 /* what is known, without a 0 for a default; what may be fitted is 0 */
    tess__fit_range range;
    double          pixel;           /* mean size, angstrom */
    double          defocus[2];      /* range, micrometre */
    double          max_astigmatism; /* 0: none is fitted */
    double          restraint;       /* 1 / tolerated^2, micrometre^-2; 0: none */
    double          shift[2];        /* range of the phase shift, radians; equal: it is not fitted */
} tess__ctf_fit;

#endif
