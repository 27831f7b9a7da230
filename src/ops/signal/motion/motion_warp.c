/* Frames resampled by a model of local motion: each pixel is read where the model says that it was. */
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/geometry/sampling/polar.h"
#include "ops/signal/motion/motion.h"
#include "tessera/interp.h"
#include "tessera/motion.h"

static const char fn[] = "motion_warp";

static const tess_choice interps[] = {
    { "linear", TESS_INTERP_LINEAR, "2 pixels along each axis" },
    { "cubic", TESS_INTERP_CUBIC, "4 pixels, Catmull-Rom" },
    { "lanczos4", TESS_INTERP_LANCZOS4, "4 pixels, windowed sinc" },
    { "lanczos6", TESS_INTERP_LANCZOS6, "6 pixels" },
    { "lanczos8", TESS_INTERP_LANCZOS8, "8 pixels" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("out", "the resampled frames", .axes = "B,1,h,w"),
    TESS__IN("in", "frames {b,1,h,w}, f32 or f64", .axes = "B,1,h,w"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "coefficients", "coefficients of the model, {2,1,1,18}",
                  .sample = "2,1,1,18", .axes = "2,1,1,18"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "times", "times of the frames, {1,1,1,b}",
                  .sample = "1,1,1,b", .axes = "1,1,1,n"),
    TESS__OPT_CHOICE(tess_motion_warp_opts, interp, TESS_INTERP_LANCZOS6, interps, "interpolation between pixels"),
    TESS__FIELD(tess_motion_warp_opts, unused, int32_t, TESS_ARG_I32, 0, 0, 0, NULL, "", "must be 0"),
};
TESS__CALL(motion_warp, v[0].out, v[1].in, v[2].in, v[3].in, opts)
const tess_function_info tess__info_motion_warp = TESS__OP_OPTS(
    TESS_CUT_NONE, motion_warp, "motion", "Resample frames by a local motion model.", args, tess_motion_warp_opts);

static tess__resample_axis axis_of(int64_t n)
{
    return (tess__resample_axis){ .n = n, .high = n, .border = TESS_BORDER_CLAMP };
}

static tess_status run(tess_array *out, const tess_array *in, const double *coefficients, const double *times,
                       int interp)
{
    const tess_shape s = in->shape;
    for (int64_t b = 0; b < s.b; b++) {
        const tess_array  from = tess__frame_of(in, b), to = tess__frame_of(out, b);
        tess__resample_2d work = { .name = fn,
                                   .grid = { .kind = TESS__RESAMPLE_WARP, .size = { (double)s.h, (double)s.w } },
                                   .source = { .axis = { axis_of(s.h), axis_of(s.w) } },
                                   .interp = interp };
        double            at[12];
        tess__motion_at_time(at, coefficients, times[b]);
        memcpy(work.grid.shift, at, sizeof at);
        TESS_TRY(tess__resample_submit(&work, &to, &from));
    }
    return TESS_OK;
}

static tess_status check(const tess_array *out, const tess_array *in, const tess_array *coefficients,
                         const tess_array *times)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_CHECK(in->dtype == TESS_F32 || in->dtype == TESS_F64, TESS_EDTYPE, "%s: `in` is %s; f32 or f64 is needed", fn,
               tess_dtype_name(in->dtype));
    TESS_CHECK(in->shape.d == 1, TESS_ESHAPE, "%s: `in` has shape %s; frames {b,1,h,w} are needed", fn,
               tess__shape_text(text, in->shape.dim));
    TESS_TRY(tess__check_numbers(fn, "coefficients", coefficients));
    TESS_TRY(tess__check_numbers(fn, "times", times));
    return TESS_OK;
}

tess_status tess_motion_warp(tess_array *out, const tess_array *in, const tess_array *coefficients,
                             const tess_array *times, const tess_motion_warp_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_motion_warp_opts o;
    tess_array            model = { .data = NULL }, when = { .data = NULL };
    tess_status           status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_motion_warp, opts, &o));
    TESS_TRY(check(out, in, coefficients, times));
    tess__outputs all = { .fn = fn };
    tess__wants(&all, "out", out, in->shape, in->dtype, in->device);
    tess__reads(&all, "in", in);
    tess__reads(&all, "coefficients", coefficients);
    tess__reads(&all, "times", times);
    TESS_GOTO(
        done, status,
        tess__motion_numbers(fn, "coefficients", &model, coefficients, TESS_SHAPE(2, 1, 1, TESS_MOTION_COEFFICIENTS)));
    TESS_GOTO(done, status, tess__motion_numbers(fn, "times", &when, times, TESS_SHAPE(1, 1, 1, in->shape.b)));
    TESS_GOTO(done, status, tess__outputs_take(&all));
    if (tess__has_elements(out)) TESS_GOTO(done, status, run(out, in, model.data, when.data, o.interp));
done:
    tess_release(&model);
    tess_release(&when);
    return tess__outputs_end(&all, tess__error_under(status, fn));
}
