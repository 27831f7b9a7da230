/* Rotations of the views of a tilt series. */
#include "movies/tilt_rotations.h"

#include "tessera/jobs/tilts.h"

tess_status tilt_rotations_of_file(tess_array *rotations, const char *path)
{
    tess_tilt_series tilts = { 0 };
    tess_array       angles = { 0 }, column;
    tess_status      status;
    TESS_GOTO(done, status, tess_tilt_series_read(&tilts, path));
    TESS_GOTO(done, status, tess_zeros(&angles, TESS_SHAPE(tilts.angles.shape.b, 1, 1, 3), TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, tess_index(&column, &angles, 3, 1));
    TESS_GOTO(done, status, tess_neg(&column, &tilts.angles));
    TESS_GOTO(done, status, tess_euler_to_quat(rotations, &angles, &(tess_euler_opts){ .convention = "relion" }));
done:
    tess_tilt_series_release(&tilts);
    tess_release(&angles);
    return status;
}
