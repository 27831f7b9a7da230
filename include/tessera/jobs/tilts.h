/* Geometry of tilt series, from their sidecar files. */
#ifndef TESSERA_JOBS_TILTS_H
#define TESSERA_JOBS_TILTS_H

#include "tessera/array.h"

TESS_BEGIN_C

/** Geometry of a tilt series, in the units used by jobs. */
typedef struct tess_tilt_series {
    tess_array angles; /* f64 {n,1,1,1} on the CPU: tilt of each image, degrees, as in the file */
    double     axis;   /* direction of the tilt axis, radians from y (h), counter-clockwise if y points up, as in IMOD;
                          NaN: not in the file */
} tess_tilt_series;

/**
 * Reads the geometry of a tilt series from a file, whose kind is determined by its extension.
 *
 * - x.mdoc: TiltAngle of the sections [ZValue = 0], [ZValue = 1] …; the axis of a title "Tilt axis angle = …".
 * - x.star: rlnTomoNominalStageTiltAngle of each row, and rlnTomoNominalTiltAxisAngle of the first; or minus
 *   rlnAngleTilt, about y, if rlnAngleRot and rlnAnglePsi are 0.
 * - All others (x.tlt, x.rawtlt): the first number of each line (tess_tilts_read).
 *
 * `series` must be zeroed; release it with tess_tilt_series_release.
 */
TESS_API TESS_MUST_CHECK tess_status tess_tilt_series_read(tess_tilt_series *series, const char *path);

/** Releases the contents of a series and zeroes it. A zeroed series is allowed. */
TESS_API void tess_tilt_series_release(tess_tilt_series *series);

TESS_END_C

#endif
