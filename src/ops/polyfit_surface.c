/* Least-squares polynomial surfaces of images: checks and request. */
#include <string.h>

#include "core/check.h"
#include "core/engine.h"
#include "core/output.h"
#include "core/promote.h"
#include "core/registry.h"
#include "core/table.h"
#include "core/text.h"
#include "tessera/linalg.h"

static const char fn[] = "polyfit_surface";

static const tess_arg_info args[] = {
    TESS__OUT_OPTIONAL("out", "the surface, or the images less it; may be exactly in, or NULL"),
    TESS__IN("in", "images {B,1,H,W}"),
    TESS__NEED(TESS_ARG_I32, "order", "of the polynomial: 1, 2 or 3"),
    TESS__FLAG(tess_polyfit_opts, subtract, "the result is the image less the surface"),
    TESS__OPT_I32(tess_polyfit_opts, unused, "", 0, 0, 0, "must be 0"),
    TESS__OPT_RESULT(tess_polyfit_opts, parameters, tess_array *,
                     "receives {B,1,1,3}, 6 or 10 (f64), of 1 x y xy x^2 y^2 x^2y xy^2 x^3 y^3"),
};
TESS__CALL(polyfit_surface, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_polyfit_surface =
    TESS__OP_OPTS(TESS_CUT_BATCHES, polyfit_surface, "linalg", "The polynomial surface that fits each image best.",
                  args, tess_polyfit_opts);

static tess_status check_input(const tess_array *in, int order)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_CHECK(tess_dtype_kind(in->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE, "%s: in is %s; a real type is needed", fn,
               tess_dtype_name(in->dtype));
    TESS_CHECK(in->shape.d == 1, TESS_ESHAPE, "%s: in has shape %s; images {B,1,H,W} are needed", fn,
               tess__shape_text(text, in->shape.dim));
    TESS_CHECK(order >= 1 && order <= 3, TESS_ERANGE, "%s: order is %d; 1, 2 or 3 is allowed", fn, order);
    return TESS_OK;
}

/* The output rule for the parameters, which overlap nothing. */
static tess_status prepare_parameters(tess_array *p, const tess_array *out, const tess_array *in, int order, bool *made)
{
    const tess_shape  shape = TESS_SHAPE(in->shape.b, 1, 1, (order + 1) * (order + 2) / 2);
    static const char name[] = "opts->parameters";
    char              have[TESS__SHAPE_TEXT], want[TESS__SHAPE_TEXT];
    if (tess__is_empty_out(p)) {
        TESS_TRY(tess__make(fn, p, shape, TESS_F64, in->device, false));
        *made = true;
        return TESS_OK;
    }
    TESS_TRY(tess__check_writable(fn, name, p));
    TESS_CHECK(memcmp(&p->shape, &shape, sizeof shape) == 0, TESS_ESHAPE, "%s: %s has shape %s; %s is needed", fn, name,
               tess__shape_text(have, p->shape.dim), tess__shape_text(want, shape.dim));
    TESS_CHECK(p->dtype == TESS_F64, TESS_EDTYPE, "%s: %s has dtype %s; f64 is needed", fn, name,
               tess_dtype_name(p->dtype));
    TESS_TRY(tess__check_device_of(fn, name, p, "in", in));
    TESS_CHECK(!tess_overlap(p, in), TESS_EALIAS, "%s: %s shares memory with in; use other memory", fn, name);
    TESS_CHECK(!out || !tess_overlap(p, out), TESS_EALIAS, "%s: %s shares memory with out; use other memory", fn, name);
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
    TESS_CHECK(out || o.parameters, TESS_EARG, "%s: out and opts->parameters are NULL: nothing is wanted", fn);
    const bool  made = out && tess__is_empty_out(out);
    bool        made_parameters = false;
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    if (out) TESS_TRY(tess__output_like(fn, out, in, tess__sum_of(tess__float_of(in->dtype))));
    if (o.parameters) TESS_GOTO(done, status, prepare_parameters(o.parameters, out, in, order, &made_parameters));
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    TESS_GOTO(done, status, run(out, in, order, &o));
done:
    tess_release(&held);
    if (o.parameters) (void)tess__finish(status, o.parameters, made_parameters);
    if (out) (void)tess__finish(status, out, made);
    return status;
}
