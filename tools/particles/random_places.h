/* Random places in an image that keep a distance from each other. */
#ifndef TESSERA_PARTICLES_RANDOM_PLACES_H
#define TESSERA_PARTICLES_RANDOM_PLACES_H

#include "tessera.h"

/* n places y, x, {n,1,1,2} of f64 on the host, rounded to a thousandth of a pixel, in an image {1,1,h,w}: `margin` from
 * its edges, and `distance` from each other. Fails if so many are not found. To be released. */
tess_status random_places(tess_array *places, int64_t n, tess_shape image, int64_t margin, double distance,
                          uint64_t seed, uint32_t stream);

#endif
