/* Frames resampled by a model of local motion: each pixel is read where the model says that it was. */
#include "core/check.h"
#include "core/error.h"
#include "core/float_env.h"
#include "core/output.h"
#include "core/registry.h"
#include "core/table.h"
#include "core/text.h"
#include "ops/op/library.h"
#include "ops/signal/motion/motion.h"
#include "tessera/interp.h"
#include "tessera/motion.h"

static const char fn[] = "motion_warp";

static const tess_choice interps[] = {
    { "linear", TESS_INTERP_LINEAR, "2 pixels along each axis" },
    { "cubic", TESS_INTERP_CUBIC, "4 pixels, Catmull and Rom's" },
    { "lanczos4", TESS_INTERP_LANCZOS4, "4 pixels, windowed sinc" },
    { "lanczos6", TESS_INTERP_LANCZOS6, "6 pixels" },
    { "lanczos8", TESS_INTERP_LANCZOS8, "8 pixels" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("out", "the resampled frames"),
    TESS__IN("in", "frames {b,1,h,w}, f32 or f64"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "coefficients", "of the model, {2,1,1,18}"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "times", "of the frames, {1,1,1,b}"),
    TESS__OPT_CHOICE(tess_motion_warp_opts, interp, TESS_INTERP_LANCZOS6, interps, "between pixels"),
    TESS__FIELD(tess_motion_warp_opts, unused, int32_t, TESS_ARG_I32, 0, 0, 0, NULL, "", "must be 0"),
};
TESS__CALL(motion_warp, v[0].out, v[1].in, v[2].in, v[3].in, opts)
const tess_function_info tess__info_motion_warp = TESS__OP_OPTS(
    TESS_CUT_NONE, motion_warp, "motion", "Frames resampled by a model of local motion.", args, tess_motion_warp_opts);

#include "ops/signal/motion_warp.def"

static tess_op_def *op_of(int interp, bool is_double)
{
    switch (interp) {
    case TESS_INTERP_LINEAR: return is_double ? &motion_warp_linear_f64 : &motion_warp_linear_f32;
    case TESS_INTERP_CUBIC: return is_double ? &motion_warp_cubic_f64 : &motion_warp_cubic_f32;
    case TESS_INTERP_LANCZOS4: return is_double ? &motion_warp_lanczos4_f64 : &motion_warp_lanczos4_f32;
    case TESS_INTERP_LANCZOS8: return is_double ? &motion_warp_lanczos8_f64 : &motion_warp_lanczos8_f32;
    default: return is_double ? &motion_warp_lanczos6_f64 : &motion_warp_lanczos6_f32;
    }
}

static tess_status run(tess_array *out, const tess_array *in, const double *coefficients, const double *times,
                       int interp)
{
    tess_op_def *const op = op_of(interp, in->dtype == TESS_F64);
    const double       n_h = (double)in->shape.h, n_w = (double)in->shape.w;
    for (int64_t b = 0; b < in->shape.b; b++) {
        const tess_array from = tess__frame_of(in, b);
        tess_array       to = tess__frame_of(out, b);
        double           at[12];
        tess__motion_at_time(at, coefficients, times[b]);
        TESS_TRY(tess_call(op, &from, at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8], at[9], at[10],
                           at[11], n_h, n_w, &to));
    }
    return TESS_OK;
}

static tess_status check(const tess_array *out, const tess_array *in, const tess_array *coefficients,
                         const tess_array *times)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_CHECK(in->dtype == TESS_F32 || in->dtype == TESS_F64, TESS_EDTYPE, "%s: in is %s; f32 or f64 is needed", fn,
               tess_dtype_name(in->dtype));
    TESS_CHECK(in->shape.d == 1, TESS_ESHAPE, "%s: in has shape %s; frames {b,1,h,w} are needed", fn,
               tess__shape_text(text, in->shape.dim));
    TESS_TRY(tess__check_numbers(fn, "coefficients", coefficients));
    TESS_TRY(tess__check_numbers(fn, "times", times));
    return TESS_OK;
}

tess_status tess_motion_warp(tess_array *out, const tess_array *in, const tess_array *coefficients,
                             const tess_array *times, const tess_motion_warp_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_motion_warp_opts o;
    tess_array            model = { .data = NULL }, when = { .data = NULL };
    tess_status           status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_motion_warp, opts, &o));
    TESS_TRY(check(out, in, coefficients, times));
    const bool made = tess__is_empty_out(out);
    TESS_GOTO(
        done, status,
        tess__motion_numbers(fn, "coefficients", &model, coefficients, TESS_SHAPE(2, 1, 1, TESS_MOTION_COEFFICIENTS)));
    TESS_GOTO(done, status, tess__motion_numbers(fn, "times", &when, times, TESS_SHAPE(1, 1, 1, in->shape.b)));
    TESS_GOTO(done, status, tess__output(fn, out, in->shape, in->dtype, in->device));
    if (!made) TESS_GOTO(done, status, tess__check_overlap(fn, out, "in", in, false));
    if (tess__has_elements(out)) TESS_GOTO(done, status, run(out, in, model.data, when.data, o.interp));
done:
    tess_release(&model);
    tess_release(&when);
    return tess__finish(tess__error_under(status, fn), out, made);
}
