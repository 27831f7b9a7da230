/* Point groups as quaternions, for operations under a symmetry. */
#ifndef TESS_OPS_GEOMETRY_SYMMETRY_SYMMETRY_H
#define TESS_OPS_GEOMETRY_SYMMETRY_SYMMETRY_H

#include "tessera/array.h"

/* The rotations of a group of this name, or of the user's matrices, as {n,1,1,4} of f64 on a device, the identity
 * first: it is exchanged with matrix 0, and *exchanged, which may be NULL, is where it was. Both NULL: the identity
 * alone; both given is an error. */
tess_status tess__symmetry_quats(tess_array *out, int64_t *exchanged, const char *fn, const char *name,
                                 const tess_array *matrices, tess_device device);

/* A text that names a group, in the argument `arg`. */
tess_status tess__check_group(const char *fn, const char *arg, const char *name);

#endif
