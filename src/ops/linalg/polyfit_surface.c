/* Least-squares polynomial surfaces of images: checks and request. */
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "tessera/linalg.h"

static const char fn[] = "polyfit_surface";

static const tess_arg_info args[] = {
    TESS__OUT_OPTIONAL("out", "the surface, or the images less it; may be the input (in place) or NULL",
                       .axes = "B,1,h,w"),
    TESS__IN("in", "images {B,1,H,W}", .axes = "B,1,h,w"),
    TESS__NEED(TESS_ARG_I32, "order", "order of the polynomial: 1, 2 or 3"),
    TESS__FLAG(tess_polyfit_opts, subtract, "subtract the surface from the image"),
    TESS__OPT_I32(tess_polyfit_opts, unused, "", 0, 0, 0, "must be 0"),
    TESS__OPT_RESULT(tess_polyfit_opts, parameters, tess_array *,
                     "receives the coefficients {B,1,1,3}, 6 or 10 (f64), of 1 x y xy x^2 y^2 x^2y xy^2 x^3 y^3",
                     .axes = "B,1,1,n"),
};
TESS__CALL(polyfit_surface, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_polyfit_surface = TESS__OP_OPTS(
    TESS_CUT_BATCHES, polyfit_surface, "linalg", "Fit a polynomial surface to each image.", args, tess_polyfit_opts);

static tess_status check_input(const tess_array *in, int order)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_CHECK(tess_dtype_kind(in->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE, "%s: `in` is %s; a real type is needed",
               fn, tess_dtype_name(in->dtype));
    TESS_CHECK(in->shape.d == 1, TESS_ESHAPE, "%s: `in` has shape %s; images {B,1,H,W} are needed", fn,
               tess__shape_text(text, in->shape.dim));
    TESS_CHECK(order >= 1 && order <= 3, TESS_ERANGE, "%s: `order` is %d; 1, 2 or 3 is allowed", fn, order);
    return TESS_OK;
}

/* Of images without a pixel the surface is empty and its parameters are 0. */
static tess_status run(tess_array *out, const tess_array *in, int order, const tess_polyfit_opts *o)
{
    tess__polyfit work = { .name = fn, .order = order, .subtract = o->subtract, .in = *in };
    if (!tess__has_elements(in)) {
        if (o->parameters) TESS_TRY(tess_fill(o->parameters, 0));
        return TESS_OK;
    }
    if (out) work.out = *out;
    if (o->parameters) work.parameters = *o->parameters;
    TESS_TRY(tess__polyfit_run(&work));
    return TESS_OK;
}

tess_status tess_polyfit_surface(tess_array *out, const tess_array *in, int order, const tess_polyfit_opts *opts)
{
    tess_polyfit_opts o;
    TESS_TRY(tess__resolve(&tess__info_polyfit_surface, opts, &o));
    TESS_TRY(check_input(in, order));
    TESS_CHECK(out || o.parameters, TESS_EARG, "%s: `out` and `opts->parameters` are `NULL`; at least one is needed",
               fn);
    const tess_shape wanted = TESS_SHAPE(in->shape.b, 1, 1, (order + 1) * (order + 2) / 2);
    tess__outputs    parameters = { .fn = fn };
    tess_array       held = { .data = NULL };
    tess_status      status = TESS_OK;
    tess__wants(&parameters, "opts->parameters", o.parameters, wanted, TESS_F64, in->device);
    tess__reads(&parameters, "in", in);
    tess__reads(&parameters, "out", out);
    TESS_TRY(tess__outputs_check(&parameters));
    const bool made = out && tess__is_empty_out(out);
    if (out) TESS_TRY(tess__output_like(fn, out, in, tess__sum_of(tess__float_of(in->dtype))));
    TESS_GOTO(done, status, tess__outputs_take(&parameters));
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    TESS_GOTO(done, status, run(out, in, order, &o));
done:
    tess_release(&held);
    (void)tess__outputs_end(&parameters, status);
    return out ? tess__finish(status, out, made) : status;
}
