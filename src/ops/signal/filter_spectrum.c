/* Filters of spectra by an operator of the user's: it is evaluated to an array of multipliers. */
#include "core/check.h"
#include "core/error.h"
#include "core/float_env.h"
#include "core/output.h"
#include "core/registry.h"
#include "ops/signal/filter.h"
#include "tessera/ewise.h"
#include "tessera/filter.h"
#include "tessera/op.h"
#include "tessera/scalar.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the filtered spectrum, or its power; may be exactly in if the layout stays"),
    TESS__IN("in", "a spectrum; NULL: out, which was made, receives the filter"),
    TESS__NEED_SHAPE("shape", "logical shape: that of the real array, or of the full spectrum"),
    TESS__NEED(TESS_ARG_TEXT, "op", "op name(in f64 z, in f64 y, in f64 x, out T m) { … }, of frequencies"),
    TESS__OPT_ARRAY(tess_filter_spectrum_opts, parameters, const tess_array *, "the operator's view p"),
    TESS__FLAG(tess_filter_spectrum_opts, batched, "it is evaluated for each batch"),
    TESS__FILTER_ROWS(tess_filter_spectrum_opts),
};
static tess_status call_filter_spectrum(const tess_value *v, const void *opts)
{
    tess_op    *op = NULL;
    tess_status status = TESS_OK;
    TESS_TRY(tess__check_pointer("filter_spectrum", "op", v[3].text));
    TESS_TRY(tess_op_text(&op, v[3].text));
    status = tess_filter_spectrum(v[0].out, v[1].in, v[2].shape, op, opts);
    tess_op_release(op);
    TESS_TRY(status);
    return TESS_OK;
}
const tess_function_info tess__info_filter_spectrum =
    TESS__OP_OPTS(TESS_CUT_NONE, filter_spectrum, "filter", "A spectrum times an operator of its frequencies.", args,
                  tess_filter_spectrum_opts);

/* Frequencies along an axis, of its size: f64. */
static tess_status make_axis(tess_array *row, const tess__filter_call *c, const tess__filter_axis *a, int axis,
                             tess_device device)
{
    const tess_fft_frequencies_opts o = { .layout = c->range.to, .axes = TESS_B << axis };
    tess_shape                      shape = TESS_SHAPE(1, 1, 1, 1), indices;
    shape.dim[axis] = c->shape.dim[axis];
    indices = axis == 3 && tess__fft_is_half(c->range.to) ? tess_rfft_shape(shape) : shape;
    TESS_TRY(tess__make(c->fn, row, indices, TESS_F64, device, false));
    TESS_TRY(tess_fft_frequencies(row, shape, &o));
    if (a->start == 0 && a->span == 1 && (double)a->count == (double)a->n) return TESS_OK;
    TESS_TRY(tess_mul(row, row, &tess_f64((double)a->n * a->span / a->count)));
    TESS_TRY(tess_add(row, row, &tess_f64(a->start)));
    return TESS_OK;
}

static tess_status check_result(tess_dtype result, tess_dtype spectrum)
{
    const tess_kind kind = tess_dtype_kind(result);
    TESS_CHECK(kind == TESS_KIND_FLOAT || (kind == TESS_KIND_COMPLEX && tess_dtype_kind(spectrum) == TESS_KIND_COMPLEX),
               TESS_EDTYPE, "filter_spectrum: the result of op is %s and the spectrum %s; %s is needed",
               tess_dtype_name(result), tess_dtype_name(spectrum),
               tess_dtype_kind(spectrum) == TESS_KIND_COMPLEX ? "a float or complex type" : "f16, f32 or f64");
    return TESS_OK;
}

/* The operator's multipliers, contiguous and of the precision that is computed in. */
static tess_status evaluate(tess_array *image, const tess_op *op, tess_array axes[3], const tess__filter_call *c,
                            const tess_filter_spectrum_opts *o)
{
    const tess_array   *a = c->in ? c->in : c->out;
    tess_array          raw = { .data = NULL };
    tess_bind           binds[5] = { { .kind = TESS_BIND_ARRAY } };
    const tess_run_opts run = { .domain = TESS_SHAPE(o->batched ? c->shape.b : 1, axes[0].shape.d, axes[1].shape.h,
                                                     axes[2].shape.w) };
    int                 n = 0;
    tess_status         status = TESS_OK;
    for (; n < 3; n++) binds[n] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = &axes[n] };
    if (o->parameters) binds[n++] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = o->parameters };
    binds[n++] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = &raw };
    TESS_GOTO(done, status, tess_run(op, binds, n, &run));
    const tess_kind  kind = tess_dtype_kind(raw.dtype);
    const tess_dtype real = tess__filter_precision(a);
    TESS_GOTO(done, status, check_result(raw.dtype, a->dtype));
    TESS_GOTO(done, status, tess_cast(image, &raw, kind == TESS_KIND_COMPLEX ? tess_dtype_complex(real) : real, NULL));
done:
    tess_release(&raw);
    return status;
}

static tess_status run_all(tess__filter_call *c, const tess_op *op, const tess_filter_spectrum_opts *o)
{
    tess__spectrum_filter work = { .spec = { .kind = TESS__FILTER_IMAGE } };
    tess__filter_axis     axis[4];
    tess_array            axes[3] = { { .data = NULL } }, image = { .data = NULL };
    const tess_device     device = c->out->device;
    tess_status           status = TESS_OK;
    tess__filter_axes(axis, c);
    for (int k = 0; k < 3; k++) TESS_GOTO(done, status, make_axis(&axes[k], c, &axis[k + 1], k + 1, device));
    TESS_GOTO(done, status, evaluate(&image, op, axes, c, o));
    c->image = &image;
    TESS_GOTO(done, status, tess__filter_run(&work, c));
done:
    for (int k = 0; k < 3; k++) tess_release(&axes[k]);
    tess_release(&image);
    return status;
}

tess_status tess_filter_spectrum(tess_array *out, const tess_array *in, tess_shape shape, const tess_op *op,
                                 const tess_filter_spectrum_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_filter_spectrum_opts o;
    TESS_TRY(tess__resolve(&tess__info_filter_spectrum, opts, &o));
    TESS_TRY(tess__check_pointer("filter_spectrum", "op", op));
    tess__filter_call call = {
        .fn = "filter_spectrum", .out = out, .in = in, .shape = shape, .range = TESS__FILTER_RANGE(o)
    };
    const bool  made = out && tess__is_empty_out(out);
    tess_status status = TESS_OK;
    TESS_TRY(tess__filter_check(&call));
    if (tess__has_elements(out)) TESS_GOTO(done, status, run_all(&call, op, &o));
done:
    return tess__finish(tess__error_under(status, "filter_spectrum"), out, made);
}
