/* Sizes, positions and boxes by options. */
#include "files/box.h"

#include <math.h>

#include "command/units.h"

/* The n numbers of an option, checked, as sizes or positions along the axes of a shape. */
static tess_status take_whole(const job *j, const char *name, const double xyz[3], int n, tess_shape shape, int64_t min,
                              tess_shape *values)
{
    for (int i = 0; i < n; ++i) {
        TESS_CHECK(xyz[i] == floor(xyz[i]) && fabs(xyz[i]) < 1e15 && xyz[i] >= (double)min, TESS_EARG,
                   "%s: --%s has %c %g; integers of %lld or more are allowed", j->verb->name, name, "xyz"[i], xyz[i],
                   (long long)min);
    }
    for (int i = 0; i < 3; ++i) {
        const int axis = 3 - i;
        if (i < n) values->dim[axis] = (int64_t)xyz[i];
        else if (n == 1 && (i < 2 || shape.d > 1)) values->dim[axis] = (int64_t)xyz[0];
    }
    return TESS_OK;
}

tess_status option_whole_xyz(const job *j, const char *name, tess_shape shape, int64_t min, tess_shape *values)
{
    if (!job_has(j, name)) return TESS_OK;
    double xyz[3];
    int    n = 0;
    TESS_TRY(job_xyz(j, name, xyz, &n));
    return take_whole(j, name, xyz, n, shape, min, values);
}

tess_status option_pixels_xyz(const job *j, const char *name, const input *in, int64_t min, tess_shape *values)
{
    if (!job_has(j, name)) return TESS_OK;
    double xyz[3];
    int    n = 0;
    TESS_TRY(job_lengths(j, name, in->info.meta.pixel_size, in->info.shape.d > 1 ? 3 : 2, xyz, &n));
    return take_whole(j, name, xyz, n, in->info.shape, min, values);
}

tess_status option_point_xyz(const job *j, const char *name, const input *in, double zyx[3])
{
    char     what[48];
    quantity q[3];
    int      n;
    if (!job_has(j, name)) return TESS_OK;
    (void)snprintf(what, sizeof what, "--%s", name);
    TESS_TRY(parse_lengths(what, job_text(j, name, ""), q, &n));
    const int axes = in->info.shape.d > 1 ? 3 : 2;
    TESS_CHECK(n == axes, TESS_EARG, "%s: --%s is \"%s\"; %s, and %d numbers %s are needed", j->verb->name, name,
               job_text(j, name, ""), axes == 3 ? "the input has volumes" : "the input has images", axes,
               axes == 3 ? "x,y,z" : "x,y");
    for (int i = 0; i < n; ++i) TESS_TRY(to_pixels(what, q[i], in->info.meta.pixel_size[2 - i], &zyx[2 - i]));
    return TESS_OK;
}

tess_status box_of_options(const job *j, const input *in, tess_shape *box, tess_shape *at)
{
    const tess_shape shape = in->info.shape;
    *box = shape;
    TESS_TRY(option_pixels_xyz(j, "box", in, 1, box));
    TESS_CHECK(!job_has(j, "center") || !job_has(j, "at"), TESS_EARG,
               "%s: --center and --at both place the box; give only one of them", j->verb->name);
    tess_shape middle = TESS_SHAPE(0, shape.d / 2, shape.h / 2, shape.w / 2);
    TESS_TRY(option_pixels_xyz(j, "center", in, INT32_MIN, &middle));
    for (int i = 1; i < 4; ++i) at->dim[i] = middle.dim[i] - box->dim[i] / 2;
    at->b = 0;
    return option_pixels_xyz(j, "at", in, INT32_MIN, at);
}
