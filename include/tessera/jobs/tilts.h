/* Geometry of tilt series, of the files that go with them. */
#ifndef TESSERA_JOBS_TILTS_H
#define TESSERA_JOBS_TILTS_H

#include "tessera/array.h"

TESS_BEGIN_C

/** What jobs on tilt series take, in their units. */
typedef struct tess_tilt_series {
    tess_array angles; /* f64 {n,1,1,1} on the CPU: tilt of each image, degrees, as in the file */
    double     axis;   /* direction of the tilt axis, radians from y (h), counter-clockwise where y goes up, as IMOD
                          counts; NaN: the file does not say */
} tess_tilt_series;

/**
 * Reads the geometry of a tilt series from a file of the kind that the end of its name says.
 *
 * - x.mdoc: TiltAngle of the sections [ZValue = 0], [ZValue = 1] …; the axis of a title "Tilt axis angle = …".
 * - x.star: rlnTomoNominalStageTiltAngle of each row, and rlnTomoNominalTiltAxisAngle of the first; or minus
 *   rlnAngleTilt, about y, where rlnAngleRot and rlnAnglePsi are 0.
 * - All others (x.tlt, x.rawtlt): the first number of each line (tess_tilts_read).
 *
 * `series` must be zeroed; release it by tess_tilt_series_release.
 */
TESS_API TESS_MUST_CHECK tess_status tess_tilt_series_read(tess_tilt_series *series, const char *path);

/** Releases what a series holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_tilt_series_release(tess_tilt_series *series);

TESS_END_C

#endif
