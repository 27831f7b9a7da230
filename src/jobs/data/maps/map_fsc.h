/* Fourier shell correlation of two maps of the same size, on the CPU. */
#ifndef TESS_JOBS_DATA_MAPS_MAP_FSC_H
#define TESS_JOBS_DATA_MAPS_MAP_FSC_H

#include "tessera/array.h"

/* Its curve, f64 {1,1,1,shells}, which is made: each coefficient counts in the nearest shell. */
tess_status tess__map_fsc(tess_array *curve, const tess_array *one, const tess_array *other);

/* Where the curve of maps of this shape falls below a threshold, in cycles per pixel. */
tess_status tess__fsc_frequency(double *frequency, const tess_array *curve, tess_shape shape, double threshold);

#endif
