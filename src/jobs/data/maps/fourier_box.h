/* Images and volumes with another number of pixels for the same area, by cropping or padding Fourier transforms. */
#ifndef TESS_JOBS_DATA_MAPS_FOURIER_BOX_H
#define TESS_JOBS_DATA_MAPS_FOURIER_BOX_H

#include "tessera/array.h"

/* Real images or volumes as `out`, of the shape `to` (the b of which does not count), by cropping or padding their
 * transforms: nothing is lost below the new Nyquist frequency, and the mean is kept. */
tess_status tess__fourier_box(tess_array *out, const tess_array *in, tess_shape to);

#endif
