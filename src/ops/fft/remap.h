/* Spectrum layout conversion, fused with an operator. */
#ifndef TESS_OPS_FFT_REMAP_H
#define TESS_OPS_FFT_REMAP_H

#include "tessera/fft.h"

/* From one layout to another of spectra of a logical shape. Coefficients are `direct` of those of the input or, where a
 * full spectrum is made of half of one, `mirrored` of those at the negative frequency; both as in tess__fft_move. */
typedef struct tess__fft_remapping {
    tess_shape shape;
    int        from, to;
    int        direct, mirrored;
} tess__fft_remapping;

/* Arrays have been checked and do not overlap. */
tess_status tess__fft_remap(const char *fn, const tess_array *out, const tess_array *in, tess__fft_remapping how);

#endif
