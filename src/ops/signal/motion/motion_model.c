/* The polynomial model of local motion: its shifts at positions and times.
 *
 * A shift is the sum over j = 1, 2, 3 and six terms g(x, y) = 1, x, x^2, y, y^2, xy of a coefficient times t^j g. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/arrays/deliver.h"
#include "ops/op/library.h"
#include "ops/signal/motion/motion.h"
#include "tessera/device.h"
#include "tessera/motion.h"

static const tess_arg_info shifts_args[] = {
    TESS__OUT("shifts", "shifts (h, w) in pixels, {p,1,n,2}; f64 if newly allocated", .axes = "p,1,n,2"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "coefficients", "coefficients of the model, {2,1,1,18}",
                  .sample = "2,1,1,18", .axes = "2,1,1,18"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "positions",
                  "positions (y, x), {p,1,1,2}, as fractions of the size from the middle", .sample = "2,1,1,2",
                  .axes = "p,1,1,2"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "times", "times, {1,1,1,n}, 0 at the first frame",
                  .sample = "1,1,1,2", .axes = "1,1,1,n"),
};
TESS__CALL(motion_shifts, v[0].out, v[1].in, v[2].in, v[3].in)
const tess_function_info tess__info_motion_shifts = TESS__OP(
    TESS_CUT_NONE, motion_shifts, "motion", "Evaluate a local motion model at positions and times.", shifts_args);

enum { COLUMNS = TESS_MOTION_COEFFICIENTS };

#include "ops/signal/motion/motion_model.def"

static tess_status run_shifts(const tess__outputs *out, const tess_array *coefficients, const tess_array *positions,
                              const tess_array *times)
{
    const int64_t     patches = positions->shape.b, n = times->shape.w;
    tess_array        all = { .data = NULL };
    const tess_array *results[TESS__MAX_OUTPUTS] = { &all };
    tess_status       status = TESS_OK;
    TESS_TRY(tess__make("motion_shifts", &all, TESS_SHAPE(patches, 1, n, 2), TESS_F64, tess_cpu(), false));
    if (tess__has_elements(&all))
        TESS_GOTO(done, status, tess_call(&motion_shift, coefficients, positions, times, &all));
    TESS_GOTO(done, status, tess__deliver(out, results));
done:
    tess_release(&all);
    return status;
}

tess_status tess_motion_shifts(tess_array *shifts, const tess_array *coefficients, const tess_array *positions,
                               const tess_array *times)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char             *fn = "motion_shifts";
    const char *const       names[3] = { "coefficients", "positions", "times" };
    const tess_array *const given[3] = { coefficients, positions, times };
    tess_array              numbers[3] = { { .data = NULL } };
    tess_status             status = TESS_OK;
    TESS_TRY(tess__check_pointer(fn, "shifts", shifts));
    for (int k = 0; k < 3; k++) TESS_TRY(tess__check_numbers(fn, names[k], given[k]));
    const int64_t    patches = positions->shape.b, n = times->shape.w;
    const tess_shape wanted[3] = { TESS_SHAPE(2, 1, 1, COLUMNS), TESS_SHAPE(patches, 1, 1, 2), TESS_SHAPE(1, 1, 1, n) };
    tess__outputs    out = { .fn = fn };
    TESS_TRY(tess__wants_numbers(&out, "shifts", shifts, TESS_SHAPE(patches, 1, n, 2), coefficients->device));
    for (int k = 0; k < 3; k++) tess__reads(&out, names[k], given[k]);
    for (int k = 0; k < 3; k++)
        TESS_GOTO(done, status, tess__motion_numbers(fn, names[k], &numbers[k], given[k], wanted[k]));
    TESS_GOTO(done, status, tess__outputs_take(&out));
    TESS_GOTO(done, status, run_shifts(&out, &numbers[0], &numbers[1], &numbers[2]));
done:
    for (int k = 0; k < 3; k++) tess_release(&numbers[k]);
    return tess__outputs_end(&out, tess__error_under(status, fn));
}
