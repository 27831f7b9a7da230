/* Rotations of the views of a tilt series. */
#ifndef TESSERA_MOVIES_TILT_ROTATIONS_H
#define TESSERA_MOVIES_TILT_ROTATIONS_H

#include "tessera.h"

/* Quaternions {n,1,1,4} from the image to the map, of the tilts about y in a file: of a tilt t, a point (x, z) is seen
 * at x cos t + z sin t. */
tess_status tilt_rotations_of_file(tess_array *rotations, const char *path);

#endif
