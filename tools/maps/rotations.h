/* Rotations from the command line: angles about an axis, and Euler angles of a convention with a name. */
#ifndef TESSERA_MAPS_ROTATIONS_H
#define TESSERA_MAPS_ROTATIONS_H

#include "command/job.h"

#define CONVENTION_OPTION                                                                                              \
    VALUE(                                                                                                             \
        "convention", "C", OPTION_TEXT,                                                                                \
        "Euler angle convention: relion, xmipp, spider, cistem, eman2, dynamo, imod, or axes as zyz or zyx-extrinsic")

/* The rotation by an angle about the axis x, y or z, right-handed; matrices are of z, y, x. Multiples of 90 degrees
 * are exact. */
tess_status rotation_about(tess_mat33_f64 *turn, const char *what, const char *text, char axis);

/* The rotation of a map by three comma-separated angles under --convention, which must have been given. Angles of a
 * program give the view that its images have of the reference; those of axes rotate the map about them. `what` is the
 * option, for messages. */
tess_status rotation_of_euler(tess_mat33_f64 *turn, const job *job, const char *what, const char *text);

/* The same of three numbers in degrees. */
tess_status rotation_of_angles(tess_mat33_f64 *turn, const char *what, const double degrees[3], const char *convention);

#endif
