/* Euclidean distance transform, and dilation and erosion by a ball through it. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/array/layout.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/geometry/distance/truth.h"
#include "tessera/distance.h"
#include "tessera/ewise.h"
#include "tessera/scalar.h"

static const tess_arg_info transform_args[] = {
    TESS__OUT("out", "distances"),
    TESS__IN("in", "a mask: elements equal to 0 are outside, all others inside"),
    TESS__OPT_F64(tess_distance_transform_opts, step_d, "", 1, 1e-100, 1e100, "distance between neighbours along d"),
    TESS__OPT_F64(tess_distance_transform_opts, step_h, "", 1, 1e-100, 1e100, "distance between neighbours along h"),
    TESS__OPT_F64(tess_distance_transform_opts, step_w, "", 1, 1e-100, 1e100, "distance between neighbours along w"),
    TESS__FLAG(tess_distance_transform_opts, outside, "measure from elements equal to 0 to the nearest other element"),
    TESS__FLAG(tess_distance_transform_opts, squared, "write squared distances"),
};
TESS__CALL(distance_transform, v[0].out, v[1].in, opts)
const tess_function_info tess__info_distance_transform = TESS__OP_OPTS(
    TESS_CUT_BATCHES, distance_transform, "distance", "Euclidean distance to the nearest element equal to 0.",
    transform_args, tess_distance_transform_opts);

#define MASKS(help) TESS__OUT("out", help), TESS__IN("in", "a mask: elements equal to 0 are outside, all others inside")
static const tess_arg_info dilate_args[] = { MASKS("the dilated mask; may be the input itself"),
                                             TESS__NEED(TESS_ARG_F64, "radius",
                                                        "distance by which the mask grows, in pixels") };
static const tess_arg_info erode_args[] = { MASKS("the eroded mask; may be the input itself"),
                                            TESS__NEED(TESS_ARG_F64, "radius",
                                                       "distance by which the mask shrinks, in pixels") };
TESS__CALL(dilate, v[0].out, v[1].in, v[2].f64)
TESS__CALL(erode, v[0].out, v[1].in, v[2].f64)
const tess_function_info tess__info_dilate =
    TESS__OP(TESS_CUT_BATCHES, dilate, "distance", "Dilate a mask by a radius.", dilate_args);
const tess_function_info tess__info_erode =
    TESS__OP(TESS_CUT_BATCHES, erode, "distance", "Erode a mask by a radius.", erode_args);

/* ---- Truth values ---- */

tess_status tess__truth_output(const char *fn, tess_array *out, const tess_array *in, tess_dtype result)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    TESS_TRY(tess__output_like(fn, out, in, result));
    TESS_TRY(tess__check_ordered(fn, "out", out->dtype));
    return TESS_OK;
}

tess_status tess__truth_of(const tess_array **truth, tess_array *held, const tess_array *in)
{
    *truth = in;
    if (in->dtype == TESS_BOOL) return TESS_OK;
    TESS_TRY(tess_not_equal(held, in, &tess_num(0)));
    *truth = held;
    return TESS_OK;
}

/* ---- Distances ---- */

static tess_status run_transform(const char *fn, const tess_array *out, const tess_array *truth,
                                 const tess_distance_transform_opts *o)
{
    const double    steps[4] = { 0, o->step_d, o->step_h, o->step_w };
    tess__distances work = { .name = fn, .out = *out, .in = *truth, .target = o->outside, .squared = o->squared };
    for (int k = 1; k < 4; k++) work.step2[k] = steps[k] * steps[k];
    if (tess__has_elements(out)) TESS_TRY(tess__distances_run(&work));
    return TESS_OK;
}

tess_status tess__distance_squares(tess_array *out, const char *fn, const tess_array *truth, bool outside)
{
    const tess_distance_transform_opts o = { .step_d = 1, .step_h = 1, .step_w = 1, .outside = outside, .squared = 1 };
    TESS_TRY(run_transform(fn, out, truth, &o));
    return TESS_OK;
}

static tess_status transform(const char *fn, tess_array *out, const tess_array *in,
                             const tess_distance_transform_opts *o)
{
    tess_array        held = { .data = NULL };
    const tess_array *truth;
    tess_status       status = TESS_OK;
    TESS_TRY(tess__truth_output(fn, out, in, TESS_F32));
    TESS_CHECK(out->dtype == TESS_F32 || out->dtype == TESS_F64, TESS_EDTYPE, "%s: `out` is %s; f32 or f64 is needed",
               fn, tess_dtype_name(out->dtype));
    TESS_GOTO(done, status, tess__truth_of(&truth, &held, in));
    TESS_GOTO(done, status, run_transform(fn, out, truth, o));
done:
    tess_release(&held);
    return status;
}

tess_status tess_distance_transform(tess_array *out, const tess_array *in, const tess_distance_transform_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char                  *fn = "distance_transform";
    tess_distance_transform_opts o;
    const bool                   made = out && tess__is_empty_out(out);
    tess_array                   number = { .data = NULL };
    tess_status                  status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_distance_transform, opts, &o));
    TESS_GOTO(done, status, tess__hold(&number, fn, &in));
    TESS_GOTO(done, status, transform(fn, out, in, &o));
done:
    tess_release(&number);
    return made ? tess__finish(tess__error_under(status, fn), out, true) : tess__error_under(status, fn);
}

/* ---- Dilation and erosion ---- */

static tess_status compare(tess_array *out, const char *fn, const tess_array *truth, double radius, bool dilates)
{
    const double square = radius * radius;
    tess_array   squares = { .data = NULL };
    tess_status  status = TESS_OK;
    TESS_TRY(tess__make(fn, &squares, truth->shape, tess__distance_dtype(radius), truth->device, false));
    TESS_GOTO(done, status, tess__distance_squares(&squares, fn, truth, dilates));
    if (dilates) TESS_GOTO(done, status, tess_less_equal(out, &squares, &tess_f64(square)));
    else TESS_GOTO(done, status, tess_greater(out, &squares, &tess_f64(square)));
done:
    tess_release(&squares);
    return status;
}

static tess_status run_radius(const char *fn, tess_array *out, const tess_array *in, double radius, bool dilates)
{
    tess_array        held = { .data = NULL }, number = { .data = NULL };
    const tess_array *truth;
    tess_status       status = TESS_OK;
    const bool        made = out && tess__is_empty_out(out);
    TESS_CHECK(radius >= 0 && radius < (double)INFINITY, TESS_ERANGE,
               "%s: `radius` is %g; it must be finite and not negative", fn, radius);
    TESS_GOTO(done, status, tess__hold(&number, fn, &in));
    TESS_GOTO(done, status, tess__truth_output(fn, out, in, TESS_BOOL));
    TESS_GOTO(done, status, tess__truth_of(&truth, &held, in));
    TESS_GOTO(done, status, compare(out, fn, truth, radius, dilates));
done:
    tess_release(&held);
    tess_release(&number);
    return made ? tess__finish(tess__error_under(status, fn), out, true) : tess__error_under(status, fn);
}

tess_status tess_dilate(tess_array *out, const tess_array *in, double radius)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    return run_radius("dilate", out, in, radius, true);
}

tess_status tess_erode(tess_array *out, const tess_array *in, double radius)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    return run_radius("erode", out, in, radius, false);
}
