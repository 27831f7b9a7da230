/* A synthetic structure: pseudo-atoms at random places in a compact body without symmetry, and the map of it. */
#ifndef TESSERA_PARTICLES_PSEUDO_ATOMS_H
#define TESSERA_PARTICLES_PSEUDO_ATOMS_H

#include "tessera.h"

/* n atoms about the origin, {n,1,1,3} of f64, z, y, x, none farther from it than the radius; their mean is 0. No two
 * are very near each other. The same for every machine. To be released. */
tess_status pseudo_atoms(tess_array *atoms, int64_t n, double radius, uint64_t seed);

/* Sections z to z + d of the map of Gaussian atoms of height 1, into `out`, {1,d,h,w} of f32, which was made on any
 * device. Atoms are places in pixels of the map. */
tess_status gaussian_atoms(tess_array *out, const tess_array *atoms, double sigma, int64_t z);

#endif
