/* A synthetic structure: pseudo-atoms at random positions in a compact body without symmetry, and its map. */
#ifndef TESS_JOBS_SIMULATE_PSEUDO_ATOMS_H
#define TESS_JOBS_SIMULATE_PSEUDO_ATOMS_H

#include "tessera/array.h"

/* n atoms about the origin, {n,1,1,3} of f64, z, y, x; the farthest one lies at the radius, and their mean is 0. No two
 * are very near each other. The same for every machine. To be released. */
tess_status tess__pseudo_atoms(tess_array *atoms, int64_t n, double radius, uint64_t seed);

/* Sections z to z + d of the map of Gaussian atoms of height 1, into `out`, {1,d,h,w} of f32, which was made on any
 * device. Atoms are positions in pixels of the map. */
tess_status tess__gaussian_atoms(tess_array *out, const tess_array *atoms, double sigma, int64_t z);

#endif
