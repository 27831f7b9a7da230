/* B-spline prefilter along all axes: checks and requests. */
#include "ops/geometry/sampling/prefilter.h"

#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/geometry/sampling/transform.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the coefficients; may be the input itself"),
    TESS__IN("in", "signals, images or volumes"),
    TESS__OPT_CHOICE(tess_prefilter_opts, border, TESS_BORDER_ZERO, tess__borders,
                     "border with which the coefficients will be sampled"),
    TESS__OPT_I32(tess_prefilter_opts, unused, "", 0, 0, 0, "must be 0"),
    TESS__OUTSIDE_VALUE_ROWS(tess_prefilter_opts),
};
TESS__CALL(bspline_prefilter, v[0].out, v[1].in, opts)
const tess_function_info tess__info_bspline_prefilter =
    TESS__OP_OPTS(TESS_CUT_BATCHES, bspline_prefilter, "transform",
                  "Compute cubic B-spline coefficients for interpolation.", args, tess_prefilter_opts);

tess_status tess__prefilter_axes(const tess__prefilter *like, const tess_array *out, const tess_array *in, int dims)
{
    tess__prefilter work = *like;
    bool            done = false;
    work.out = *out;
    work.in = *in;
    if (work.border == TESS_BORDER_CLAMP || work.border == TESS_BORDER_NOTHING) work.border = TESS_BORDER_MIRROR;
    for (int axis = 3; axis > 0; axis--) {
        if (in->shape.dim[axis] == 1 && axis < 4 - dims) continue;
        work.axis = axis;
        TESS_TRY(tess__prefilter_run(&work));
        work.in = *out;
        done = true;
    }
    if (!done && out->data != in->data) {
        tess_array to = *out;
        TESS_TRY(tess_copy(&to, in));
    }
    return TESS_OK;
}

tess_status tess__check_prefilter(const char *fn, bool prefilter, int32_t interp)
{
    TESS_CHECK(!prefilter || interp == TESS_INTERP_CUBIC_BSPLINE, TESS_EARG,
               "%s: `opts->prefilter` is 1; `opts->interp` must be \"cubic_bspline\", not \"%s\"", fn,
               tess__choice_name(tess__interps, interp));
    return TESS_OK;
}

tess_status tess__prefilter_input(tess_array *converted, const tess__prefilter *like, const tess_array **in,
                                  tess_dtype dtype, bool prefilter, int dims)
{
    const tess_array *from = *in;
    if (from->dtype != dtype) {
        TESS_TRY(tess_cast(converted, from, dtype, NULL));
        from = converted;
    } else if (prefilter) {
        TESS_TRY(tess__make(like->name, converted, from->shape, dtype, from->device, false));
    }
    if (prefilter) TESS_TRY(tess__prefilter_axes(like, converted, from, dims));
    if (converted->data) *in = converted;
    return TESS_OK;
}

static tess_status check_value(const tess_prefilter_opts *o, const tess_array *in)
{
    char text[32];
    TESS_TRY(tess__check_border("bspline_prefilter", in, o->border, o->value, o->value_imag));
    TESS_CHECK(o->value_imag == 0 || tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "bspline_prefilter: `opts->value_imag` is %s, but in is %s; complex elements are needed",
               tess__number_text(text, o->value_imag), tess_dtype_name(in->dtype));
    return TESS_OK;
}

static tess_status run(const tess_array *out, const tess_array *in, const tess_prefilter_opts *o)
{
    const tess__prefilter work = { .name = "bspline_prefilter",
                                   .border = o->border,
                                   .value = { o->value, o->value_imag } };
    tess_array            converted = { .data = NULL }, held = { .data = NULL };
    tess_status           status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, "bspline_prefilter", &in));
    if (in->dtype != out->dtype) {
        TESS_GOTO(done, status, tess_cast(&converted, in, out->dtype, NULL));
        in = &converted;
    }
    TESS_GOTO(done, status, tess__prefilter_axes(&work, out, in, 0));
done:
    tess_release(&converted);
    tess_release(&held);
    return status;
}

tess_status tess_bspline_prefilter(tess_array *out, const tess_array *in, const tess_prefilter_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    static const char   fn[] = "bspline_prefilter";
    tess_prefilter_opts o;
    TESS_TRY(tess__resolve(&tess__info_bspline_prefilter, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(check_value(&o, in));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, in->shape, tess__transform_dtype(in->dtype), in->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "in", in, true));
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_TRY(tess__finish(run(out, in, &o), out, made));
    return TESS_OK;
}
