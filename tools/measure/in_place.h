/* Transforms in place: half spectra and real images on the same storage. */
#ifndef TESSERA_MEASURE_IN_PLACE_H
#define TESSERA_MEASURE_IN_PLACE_H

#include "tessera.h"

/* The half spectrum on the storage of real images whose rows are 2 (w/2+1) elements apart. */
static inline tess_array half_spectrum_of(const tess_array *real)
{
    tess_array spectrum = *real;
    spectrum.dtype = tess_dtype_complex(real->dtype);
    spectrum.shape = tess_rfft_shape(real->shape);
    for (int k = 0; k < 3; k++) spectrum.strides.dim[k] = real->strides.dim[k] / 2;
    return spectrum;
}

/* The real images, w wide, on the storage of a half spectrum. */
static inline tess_array real_images_of(const tess_array *spectrum, int64_t w)
{
    tess_array real = *spectrum;
    real.dtype = tess_dtype_real(spectrum->dtype);
    real.shape.w = w;
    for (int k = 0; k < 3; k++) real.strides.dim[k] = 2 * spectrum->strides.dim[k];
    return real;
}

#endif
