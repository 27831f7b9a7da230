/* A map on another grid: other pixel size and box, with the same middle. */
#ifndef TESS_JOBS_DATA_MAPS_MAP_GRID_H
#define TESS_JOBS_DATA_MAPS_MAP_GRID_H

#include "tessera/array.h"

/* Makes of a volume one of `side`^3 voxels that are `scale` times as large (2: half as many), by cropping or padding
 * its Fourier transform, then the box. The middle, n/2, stays in the middle. The box is padded first, so that the
 * scale is met to 0.02 %. */
tess_status tess__map_to_grid(tess_array *map, double scale, int64_t side);

#endif
