/* Rotations from the command line: angles about an axis, and Euler angles of a convention with a name. */
#ifndef TESSERA_MAPS_ROTATIONS_H
#define TESSERA_MAPS_ROTATIONS_H

#include "command/job.h"

#define CONVENTION_OPTION                                                                                              \
    VALUE("convention", "C", OPTION_TEXT,                                                                              \
          "of Euler angles: relion, xmipp, spider, cistem, eman2, dynamo, imod, or axes as zyz or zyx-extrinsic")

/* The rotation by an angle about the axis x, y or z, right-handed; matrices are of z, y, x. Quarter turns are exact. */
tess_status rotation_about(tess_mat33_f64 *turn, const char *what, const char *text, char axis);

/* How a map is turned by three angles with commas between them, under --convention, which must have been given. By the
 * angles of a program the map is seen as its images see the reference; others turn it about their axes. `what` is the
 * option, for messages. */
tess_status rotation_of_euler(tess_mat33_f64 *turn, const job *job, const char *what, const char *text);

/* The same of three numbers in degrees. */
tess_status rotation_of_angles(tess_mat33_f64 *turn, const char *what, const double degrees[3], const char *convention);

#endif
