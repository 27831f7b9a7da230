/* A quasi-uniform grid of rotations: directions of view on a Fibonacci spiral, each with rotations in the plane. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/geometry/symmetry/symmetry.h"
#include "tessera/constants.h"
#include "tessera/device.h"
#include "tessera/rotation.h"

#define FN "quat_grid"

static const tess_arg_info args[] = {
    TESS__OUT("out", "quaternions {n,1,1,4} of f64", .axes = "n,1,1,4"),
    { .name = "step",
      .help = "approximate angle between neighbouring rotations",
      .unit = "radians",
      .min = 0.001,
      .max = TESS_PI,
      .role = TESS_ROLE_REQUIRED,
      .type = TESS_ARG_F64 },
    TESS__OPT_TEXT(tess_quat_grid_opts, sym, "symmetry of the reference: c4, d2, t, o, i1, i2 [c1]"),
    TESS__FLAG(tess_quat_grid_opts, views, "viewing directions only, without in-plane rotations"),
    TESS__OPT_I32(tess_quat_grid_opts, unused, "", 0, 0, 0, "must be 0"),
};
TESS__CALL(quat_grid, v[0].out, v[1].f64, opts)
const tess_function_info tess__info_quat_grid = TESS__OP_OPTS(
    TESS_CUT_NONE, quat_grid, "rotation", "Evenly spaced rotations, about a step apart.", args, tess_quat_grid_opts);

typedef struct grid {
    int64_t       views, turns; /* on the whole sphere; in the plane */
    tess_array    mates;        /* quaternions of the group */
    tess_vec4_f64 turn;         /* in the plane */
} grid;

/* Direction i of n, z, y, x. */
static tess_vec3_f64 view_of(int64_t i, int64_t n)
{
    const double z = 1 - (2 * (double)i + 1) / (double)n, r = sqrt(fmax(0, 1 - z * z));
    const double golden = TESS_PI * (3 - sqrt(5.0)), angle = golden * (double)i;
    return (tess_vec3_f64){ { z, r * sin(angle), r * cos(angle) } };
}

/* Of all directions that a group makes equal, the one that is nearest to a direction on none of its axes. */
static bool is_in_unit(const grid *g, tess_vec3_f64 view)
{
    const tess_vec3_f64  pole = tess_vec3_normalize_f64((tess_vec3_f64){ { 0.8, 0.21, 0.37 } });
    const tess_vec4_f64 *mates = g->mates.data;
    const double         own = tess_vec3_dot_f64(view, pole);
    for (int64_t k = 1; k < g->mates.shape.b; k++)
        if (tess_vec3_dot_f64(tess_quat_rotate_f64(mates[k], view), pole) > own + 1e-12) return false;
    return true;
}

/* The rotation that takes z to the direction: psi = 0. */
static tess_vec4_f64 rotation_to(tess_vec3_f64 view)
{
    const tess_vec3_f64 z = { { 1, 0, 0 } }, y = { { 0, 1, 0 } };
    const double        rot = atan2(view.at[1], view.at[2]), tilt = acos(fmax(-1, fmin(1, view.at[0])));
    return tess_quat_mul_f64(tess_quat_from_axis_angle_f64(z, rot), tess_quat_from_axis_angle_f64(y, tilt));
}

/* All rotations, or with NULL only their number. */
static int64_t make_rotations(const grid *g, tess_vec4_f64 *out)
{
    const tess_vec3_f64 z = { { 1, 0, 0 } };
    int64_t             n = 0;
    for (int64_t i = 0; i < g->views; i++) {
        const tess_vec3_f64 view = view_of(i, g->views);
        if (!is_in_unit(g, view)) continue;
        const tess_vec4_f64 to = rotation_to(view);
        for (int64_t k = 0; out && k < g->turns; k++) {
            const double  psi = 2 * TESS_PI * (double)k / (double)g->turns;
            tess_vec4_f64 q = tess_quat_mul_f64(to, tess_quat_from_axis_angle_f64(z, psi));
            if (q.at[3] < 0) q = tess_vec4_scale_f64(q, -1);
            out[n + k] = q;
        }
        n += g->turns;
    }
    return n;
}

static tess_status run(tess_array *out, const grid *g)
{
    const int64_t n = make_rotations(g, NULL);
    tess_array    host = { .data = NULL };
    tess_status   status = TESS_OK;
    TESS_TRY(
        tess__output(FN, out, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess__is_empty_out(out) ? tess_cpu() : out->device));
    TESS_GOTO(done, status, tess__make(FN, &host, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu(), false));
    make_rotations(g, host.data);
    TESS_GOTO(done, status, tess_to_device(out, &host, out->device));
done:
    tess_release(&host);
    return status;
}

tess_status tess_quat_grid(tess_array *out, double step, const tess_quat_grid_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_quat_grid_opts o;
    grid                g = { .turns = 1 };
    char                text[32];
    TESS_TRY(tess__resolve(&tess__info_quat_grid, opts, &o));
    TESS_TRY(tess__check_pointer(FN, "out", out));
    TESS_CHECK(step >= 0.001 && step <= TESS_PI, TESS_ERANGE, "%s: `step` is %s; 0.001 to pi radians is allowed", FN,
               tess__number_text(text, step));
    TESS_TRY(tess__check_waits(FN, tess_cpu()));
    TESS_TRY(tess__symmetry_quats(&g.mates, NULL, FN, o.sym, NULL, tess_cpu()));
    g.views = (int64_t)ceil(4 * TESS_PI / (step * step));
    if (!o.views) g.turns = (int64_t)ceil(2 * TESS_PI / step - 1e-9);
    const bool  made = tess__is_empty_out(out);
    tess_status status = tess__sync(FN, tess_cpu()); /* rotations of the group are read here */
    if (status == TESS_OK) status = run(out, &g);
    tess_release(&g.mates);
    return tess__finish(tess__error_under(status, FN), out, made);
}
