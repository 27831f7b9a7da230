/* Spectrum layout conversion, fused with an operator. */
#ifndef TESS_OPS_FFT_REMAP_H
#define TESS_OPS_FFT_REMAP_H

#include "tessera/fft.h"

/* `out` = direct of the coefficients of `in`, or, where a full spectrum is made of half of one, mirrored of those at
 * the negative frequency; both as in tess__fft_move. Arrays have been checked and do not overlap. */
tess_status tess__fft_remap(const char *fn, const tess_array *out, const tess_array *in, tess_shape shape, int from,
                            int to, int direct, int mirrored);

#endif
