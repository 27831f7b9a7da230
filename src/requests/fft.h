/* A Fourier, cosine or sine transform along a set of axes. */
#ifndef TESS_REQUESTS_FFT_H
#define TESS_REQUESTS_FFT_H

#include "tessera/fft.h"

/* A Fourier transform along a set of axes; r2c and c2r are along W last or first, where the complex array has w/2+1
 * elements of the real one's w. Real and complex dtypes go together, f32 with c32 or f64 with c64; of C2C the input may
 * be real. */
typedef struct tess__fft {
    const char *name;
    int32_t     kind;        /* a tess_fft_kind, or TESS__FFT_R2R */
    int32_t     r2r;         /* R2R: a tess_fft_r2r_kind, as it is computed: an inverse is another kind with a scale */
    int32_t     sign;        /* -1 or 1 */
    uint32_t    axes;        /* TESS_B to TESS_W or-ed together, those of size 1 among them or not */
    int32_t     overwrite;   /* c2r: the input may be destroyed */
    int32_t     ortho;       /* R2R: terms are scaled so that the transform is orthonormal, besides `scale` */
    double      scale;       /* of the result */
    const void *held;        /* by the backend's fft_prepare, for work like this; NULL: nothing is */
    tess_array  out, in;     /* disjoint, or in place: the same view, or r2c and c2r on rows that can hold both */
    tess_array  multipliers; /* c2r along D, H and W on a GPU, `overwrite`: real numbers of the precision of `in`,
                                contiguous {1,d,h,w/2+1}, that its coefficients are multiplied by; data NULL: none. (A
                                CPU is not given any: it filters spectra while they are in a cache.) */
} tess__fft;

enum { TESS__FFT_R2R = 16 };

#endif
