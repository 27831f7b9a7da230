/* Rotations from the command line. */
#include "maps/rotations.h"

#include <string.h>

#include "command/units.h"

static const char names[] =
    "relion, xmipp, spider, cistem, eman2, dynamo, imod, or three axes as zyz, zyx-intrinsic or "
    "xyz-extrinsic";

static double to_degrees(quantity q) { return q.unit == UNIT_RADIAN ? q.value * (180 / TESS_PI) : q.value; }

/* Conventions of axes begin with three of their letters. */
static bool is_of_axes(const char *convention) { return strspn(convention, "xyzXYZ") >= 3; }

static tess_status make(tess_mat33_f64 *turn, const char *what, const double angles[3], const char *convention)
{
    const tess_vec3_f64   three = { { angles[0], angles[1], angles[2] } };
    const tess_euler_opts opts = { .convention = convention, .unit = TESS_ANGLE_DEGREES };
    TESS_CHECK(tess_mat33_from_euler(turn, &three, &opts) == TESS_OK, TESS_EARG,
               "%s: --convention is \"%.40s\"; expected %s", what, convention, names);
    return TESS_OK;
}

tess_status rotation_about(tess_mat33_f64 *turn, const char *what, const char *text, char axis)
{
    quantity q;
    TESS_TRY(parse_quantity(what, OPTION_ANGLE, text, &q));
    const double angles[3] = { to_degrees(q), 0, 0 };
    return make(turn, what, angles, axis == 'x' ? "xyz" : axis == 'y' ? "yzx" : "zxy");
}

tess_status rotation_of_angles(tess_mat33_f64 *turn, const char *what, const double degrees[3], const char *convention)
{
    TESS_TRY(make(turn, what, degrees, convention));
    if (!is_of_axes(convention)) *turn = tess_mat33_transpose_f64(*turn);
    return TESS_OK;
}

static tess_status three_angles(double degrees[3], const char *what, const char *text)
{
    const char *at = text;
    for (int i = 0; i < 3; ++i) {
        char         part[48];
        quantity     q;
        const size_t size = strcspn(at, ",");
        TESS_CHECK(size > 0 && size < sizeof part && (i < 2) == (at[size] == ','), TESS_EARG,
                   "%s is \"%s\"; expected three comma-separated angles", what, text);
        (void)snprintf(part, sizeof part, "%.*s", (int)size, at);
        TESS_TRY(parse_quantity(what, OPTION_ANGLE, part, &q));
        degrees[i] = to_degrees(q);
        at += size + 1;
    }
    return TESS_OK;
}

tess_status rotation_of_euler(tess_mat33_f64 *turn, const job *j, const char *what, const char *text)
{
    double degrees[3];
    TESS_CHECK(job_has(j, "convention"), TESS_EARG,
               "%s: %s requires --convention, since the same angles are different rotations in each program: %s",
               j->verb->name, what, names);
    TESS_TRY(three_angles(degrees, what, text));
    return rotation_of_angles(turn, what, degrees, job_text(j, "convention", ""));
}
