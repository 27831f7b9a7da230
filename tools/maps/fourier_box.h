/* Fourier cropping and padding of images and volumes. */
#ifndef TESSERA_MAPS_FOURIER_BOX_H
#define TESSERA_MAPS_FOURIER_BOX_H

#include "tessera.h"

/* Real images or volumes as `out`, of the shape `to` (the b of which does not count), by cropping or padding their
 * transforms: nothing is lost below the new Nyquist frequency, and the mean is kept. */
tess_status fourier_box(tess_array *out, const tess_array *in, tess_shape to);

#endif
