/* Rotations of the views of a tilt series. */
#include "movies/tilt_rotations.h"

#include "movies/tilts.h"

tess_status tilt_rotations_of_file(tess_array *rotations, const char *path)
{
    tess_array  tilts = { 0 }, angles = { 0 }, column;
    tess_status status;
    TESS_GOTO(done, status, tilts_of_file(&tilts, path));
    TESS_GOTO(done, status, tess_zeros(&angles, TESS_SHAPE(tilts.shape.b, 1, 1, 3), TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, tess_index(&column, &angles, 3, 1));
    TESS_GOTO(done, status, tess_neg(&column, &tilts));
    TESS_GOTO(done, status, tess_euler_to_quat(rotations, &angles, &(tess_euler_opts){ .convention = "relion" }));
done:
    tess_release(&tilts);
    tess_release(&angles);
    return status;
}
