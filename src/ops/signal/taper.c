/* Tapers: raised-cosine edges along the axes, and circles or spheres with a soft edge, as weights that are broadcast to
 * the batches and applied in one pass. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/fft/rows.h"
#include "ops/op/library.h"
#include "ops/arrays/centre.h"
#include "tessera/ewise.h"
#include "tessera/op.h"
#include "tessera/reduce.h"
#include "tessera/scalar.h"
#include "tessera/window.h"

enum { AXES = TESS_D | TESS_H | TESS_W };

static const tess_arg_info args[] = {
    TESS__OUT("out", "the array with soft edges; may be the input itself"),
    TESS__IN("in", "signals, images or volumes of real numbers"),
    TESS__AUTO_F64(tess_taper_opts, width_d, "pixels", "fraction times the size", 0, DBL_MAX,
                   "width of the soft edge along d"),
    TESS__AUTO_F64(tess_taper_opts, width_h, "pixels", "fraction times the size", 0, DBL_MAX,
                   "width of the soft edge along h"),
    TESS__AUTO_F64(tess_taper_opts, width_w, "pixels", "fraction times the size", 0, DBL_MAX,
                   "width of the soft edge along w"),
    TESS__OPT_F64(tess_taper_opts, fraction, "", 0.1, 0, 0.5, "width of the soft edge as a fraction of the axis"),
    TESS__OPT_F64(tess_taper_opts, value, "", 0, -DBL_MAX, DBL_MAX, "value to which the edges fade"),
    TESS__FLAG(tess_taper_opts, mean, "fade to the mean of each batch instead"),
    TESS__FIELD(tess_taper_opts, axes, int32_t, TESS_ARG_AXIS_SET, INT32_MIN, INT32_MAX, AXES, NULL, "",
                "axes with soft edges, among D, H and W"),
};
TESS__CALL(taper, v[0].out, v[1].in, opts)
const tess_function_info tess__info_taper =
    TESS__OP_OPTS(TESS_CUT_BATCHES, taper, "window", "Taper the edges: fade to a value or the mean at the borders.",
                  args, tess_taper_opts);

static const tess_arg_info radial_args[] = {
    TESS__OUT("out", "the masked array; may be the input itself"),
    TESS__IN("in", "signals, images or volumes of real numbers"),
    TESS__NEED(TESS_ARG_F64, "radius", "radius of the part that is kept, in pixels"),
    TESS__OPT_F64(tess_taper_radial_opts, width, "pixels", 0, 0, DBL_MAX, "width of the soft edge, outside the radius"),
    TESS__OPT_F64(tess_taper_radial_opts, shift_d, "pixels", 0, -DBL_MAX, DBL_MAX,
                  "shift of the centre from n / 2, along d"),
    TESS__OPT_F64(tess_taper_radial_opts, shift_h, "pixels", 0, -DBL_MAX, DBL_MAX,
                  "shift of the centre from n / 2, along h"),
    TESS__OPT_F64(tess_taper_radial_opts, shift_w, "pixels", 0, -DBL_MAX, DBL_MAX,
                  "shift of the centre from n / 2, along w"),
    TESS__OPT_F64(tess_taper_radial_opts, value, "", 0, -DBL_MAX, DBL_MAX, "value to which the outside fades"),
    TESS__FLAG(tess_taper_radial_opts, mean, "fade to the mean of each batch instead"),
};
TESS__CALL(taper_radial, v[0].out, v[1].in, v[2].f64, opts)
const tess_function_info tess__info_taper_radial = TESS__OP_OPTS(
    TESS_CUT_BATCHES, taper_radial, "window", "Keep a circle or sphere and fade to a value or the mean outside.",
    radial_args, tess_taper_radial_opts);

#include "ops/signal/taper.def"

/* ---- What both have in common ---- */

/* Weights are the product of two arrays that broadcast to the batches. */
typedef struct weights {
    tess_array u, v, base; /* in the dtype that is computed in */
    tess_array wide[4];    /* what they are made of, in f64 */
} weights;

static void release(weights *t)
{
    tess_release(&t->u);
    tess_release(&t->v);
    tess_release(&t->base);
    for (int k = 0; k < 4; k++) tess_release(&t->wide[k]);
}

static tess_status check_arrays(const char *fn, tess_array *out, const tess_array *in)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    TESS_TRY(tess__output_like(fn, out, in, tess__float_of(in->dtype)));
    TESS_CHECK(tess_dtype_kind(out->dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               "%s: `out` is %s; f16, f32 or f64 is needed", fn, tess_dtype_name(out->dtype));
    return TESS_OK;
}

static tess_status make_base(weights *t, const tess_array *in, bool mean, double value, tess_dtype dtype)
{
    if (!mean) {
        TESS_TRY(tess_full(&t->base, TESS_SHAPE(1, 1, 1, 1), dtype, in->device, value));
        return TESS_OK;
    }
    TESS_TRY(tess__make("taper", &t->base, TESS_SHAPE(in->shape.b, 1, 1, 1), dtype, in->device, false));
    TESS_TRY(tess_mean(&t->base, in, AXES, NULL));
    return TESS_OK;
}

/* An input of another dtype becomes the output, which is then faded in place. */
static tess_status fade(tess_array *out, const tess_array *in, const weights *t)
{
    tess_op_def *const op = out->dtype == TESS_F16 ? &taper_f16 : out->dtype == TESS_F32 ? &taper_f32 : &taper_f64;
    if (in->dtype != out->dtype) {
        TESS_TRY(tess_cast(out, in, out->dtype, NULL));
        in = out;
    }
    TESS_TRY(tess_call(op, in, &t->u, &t->v, &t->base, out));
    return TESS_OK;
}

static tess_dtype computed_in(const tess_array *out) { return out->dtype == TESS_F64 ? TESS_F64 : TESS_F32; }

/* ---- Edges ---- */

static tess_status make_edge(tess_array *row, int64_t n, int axis, double width, tess_device device)
{
    const double most = (double)(n - 1) / 2;
    TESS_TRY(tess__make("taper", row, TESS_SHAPE(1, 1, 1, n), TESS_F64, device, false));
    if (n == 1 || width == 0) TESS_TRY(tess_fill(row, 1));
    else TESS_TRY(tess_call(&taper_edge, n, width < most ? width : most, row));
    tess__fft_to_axis(row, axis);
    return TESS_OK;
}

static tess_status make_edges(weights *t, tess_shape shape, const tess_taper_opts *o, tess_dtype dtype,
                              tess_device device)
{
    const double given[3] = { o->width_d, o->width_h, o->width_w };
    for (int k = 0; k < 3; k++) {
        const int64_t n = shape.dim[1 + k];
        const double  width = !isnan(given[k]) ? given[k] : o->fraction * (double)n;
        TESS_TRY(make_edge(&t->wide[k], n, 1 + k, o->axes & TESS_D << k ? width : 0, device));
    }
    TESS_TRY(tess_mul(&t->wide[3], &t->wide[0], &t->wide[1]));
    TESS_TRY(tess_cast(&t->u, &t->wide[3], dtype, NULL));
    TESS_TRY(tess_cast(&t->v, &t->wide[2], dtype, NULL));
    return TESS_OK;
}

static tess_status run_edges(tess_array *out, const tess_array *in, const tess_taper_opts *o)
{
    const tess_dtype dtype = computed_in(out);
    weights          t = { .u = { .data = NULL } };
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, make_edges(&t, in->shape, o, dtype, in->device));
    TESS_GOTO(done, status, make_base(&t, in, o->mean, o->value, dtype));
    TESS_GOTO(done, status, fade(out, in, &t));
done:
    release(&t);
    return status;
}

tess_status tess_taper(tess_array *out, const tess_array *in, const tess_taper_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_taper_opts o;
    const char     *fn = "taper";
    TESS_TRY(tess__resolve(&tess__info_taper, opts, &o));
    TESS_CHECK((o.axes & ~AXES) == 0, TESS_ERANGE,
               "%s: `opts->axes` is 0x%x; a set of TESS_D, TESS_H and TESS_W, or 0 for all three, is needed (not the "
               "number of an axis)",
               fn, (unsigned)o.axes);
    const bool  made = out && tess__is_empty_out(out);
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, check_arrays(fn, out, in));
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    if (tess__has_elements(out)) status = run_edges(out, in, &o);
done:
    tess_release(&held);
    return out ? tess__finish(tess__error_under(status, fn), out, made) : status;
}

/* ---- Circles and spheres ---- */

static tess_status run_radial(tess_array *out, const tess_array *in, double radius, const tess_taper_radial_opts *o)
{
    const tess_dtype dtype = computed_in(out);
    const double     cd = tess__centre(in->shape.d, o->shift_d), ch = tess__centre(in->shape.h, o->shift_h);
    const double     cw = tess__centre(in->shape.w, o->shift_w);
    const tess_shape image = TESS_SHAPE(1, in->shape.d, in->shape.h, in->shape.w);
    weights          t = { .u = { .data = NULL } };
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess__make("taper_radial", &t.wide[0], image, TESS_F64, in->device, false));
    TESS_GOTO(done, status, tess_call(&taper_disc, cd, ch, cw, radius, o->width, &t.wide[0]));
    TESS_GOTO(done, status, tess_cast(&t.u, &t.wide[0], dtype, NULL));
    TESS_GOTO(done, status, tess_full(&t.v, TESS_SHAPE(1, 1, 1, 1), dtype, in->device, 1));
    TESS_GOTO(done, status, make_base(&t, in, o->mean, o->value, dtype));
    TESS_GOTO(done, status, fade(out, in, &t));
done:
    release(&t);
    return status;
}

tess_status tess_taper_radial(tess_array *out, const tess_array *in, double radius, const tess_taper_radial_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_taper_radial_opts o;
    const char            *fn = "taper_radial";
    TESS_TRY(tess__resolve(&tess__info_taper_radial, opts, &o));
    TESS_CHECK(radius >= 0 && radius < (double)INFINITY, TESS_ERANGE,
               "%s: `radius` is %g; it must be finite and not negative", fn, radius);
    const bool  made = out && tess__is_empty_out(out);
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, check_arrays(fn, out, in));
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    if (tess__has_elements(out)) status = run_radial(out, in, radius, &o);
done:
    tess_release(&held);
    return out ? tess__finish(tess__error_under(status, fn), out, made) : status;
}
