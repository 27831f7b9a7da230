/* Filters of spectra by an operator of the user's: it is evaluated to an array of multipliers. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "ops/signal/filter.h"
#include "tessera/ewise.h"
#include "tessera/filter.h"
#include "tessera/op.h"
#include "tessera/scalar.h"

#define OPERATOR                                                                                                       \
    TESS__NEED(TESS_ARG_OP, "op",                                                                                      \
               "operator of the frequencies: op name(in f64 z, in f64 y, in f64 x, out T m) { … }"),                   \
        TESS__OPT_ARRAY(tess_filter_spectrum_opts, parameters, const tess_array *, "values of the operator's view p"), \
        TESS__JOINING_FLAG(tess_filter_spectrum_opts, batched, "evaluate the operator for each batch"),                \
        TESS__FILTER_ROWS(tess_filter_spectrum_opts)
static const tess_arg_info args[] = { TESS__FILTER_OUT, TESS__FILTER_IN, TESS__FILTER_SHAPE, OPERATOR };
static const tess_arg_info image_args[] = { TESS__IMAGE_OUT, TESS__IMAGE_IN, OPERATOR };

TESS__CALL(filter_spectrum, v[0].out, v[1].in, v[2].shape, v[3].op, opts)
TESS__CALL(filter_image, v[0].out, v[1].in, v[2].op, opts)
const tess_function_info tess__info_filter_spectrum =
    TESS__OP_OPTS(TESS_CUT_BATCHES, filter_spectrum, "filter", "Multiply a spectrum by an operator of its frequencies.",
                  args, tess_filter_spectrum_opts);
const tess_function_info tess__info_filter_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, filter_image, "filter", "Filter real arrays by an operator of their frequencies.",
                  image_args, tess_filter_spectrum_opts);

static tess_status check_result(const char *fn, tess_dtype result, tess_dtype spectrum)
{
    const tess_kind kind = tess_dtype_kind(result);
    TESS_CHECK(kind == TESS_KIND_FLOAT || (kind == TESS_KIND_COMPLEX && tess_dtype_kind(spectrum) == TESS_KIND_COMPLEX),
               TESS_EDTYPE, "%s: the result of op is %s and the spectrum is %s; the result must be %s", fn,
               tess_dtype_name(result), tess_dtype_name(spectrum),
               tess_dtype_kind(spectrum) == TESS_KIND_COMPLEX ? "a float or complex type" : "f16, f32 or f64");
    return TESS_OK;
}

/* The operator's multipliers for a spectrum of this dtype, contiguous and of the precision that is computed in. */
static tess_status evaluate(tess_array *image, const tess_op *op, tess_dtype spectrum, const tess__filter_call *c,
                            const tess_filter_spectrum_opts *o)
{
    tess_array    axes[3] = { { .data = NULL } }, raw = { .data = NULL };
    tess_bind     binds[5] = { { .kind = TESS_BIND_ARRAY } };
    tess_run_opts run = { .domain = TESS_SHAPE(o->batched ? c->shape.b : 1, 1, 1, 1) };
    int           n = 0;
    tess_status   status = TESS_OK;
    TESS_GOTO(done, status, tess__filter_frequencies(axes, c, c->out->device));
    for (; n < 3; n++) {
        binds[n] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = &axes[n] };
        run.domain.dim[n + 1] = axes[n].shape.dim[n + 1];
    }
    if (o->parameters) binds[n++] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = o->parameters };
    binds[n++] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = &raw };
    TESS_GOTO(done, status, tess_run(op, binds, n, &run));
    const tess_kind  kind = tess_dtype_kind(raw.dtype);
    const tess_dtype real = tess_dtype_real(spectrum) == TESS_F64 ? TESS_F64 : TESS_F32;
    TESS_GOTO(done, status, check_result(c->fn, raw.dtype, spectrum));
    TESS_GOTO(done, status, tess_cast(image, &raw, kind == TESS_KIND_COMPLEX ? tess_dtype_complex(real) : real, NULL));
done:
    for (int k = 0; k < 3; k++) tess_release(&axes[k]);
    tess_release(&raw);
    return status;
}

tess_status tess_filter_spectrum(tess_array *out, const tess_array *in, tess_shape shape, const tess_op *op,
                                 const tess_filter_spectrum_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_filter_spectrum_opts o;
    TESS_TRY(tess__resolve(&tess__info_filter_spectrum, opts, &o));
    TESS_TRY(tess__check_pointer("filter_spectrum", "op", op));
    tess__spectrum_filter work = { .spec = { .kind = TESS__FILTER_IMAGE } };
    tess__filter_call     call = {
            .fn = "filter_spectrum", .out = out, .in = in, .shape = shape, .range = TESS__FILTER_RANGE(o)
    };
    tess_array  image = { .data = NULL };
    const bool  made = out && tess__is_empty_out(out);
    tess_status status = TESS_OK;
    TESS_TRY(tess__filter_check(&call));
    if (tess__has_elements(out)) {
        TESS_GOTO(done, status, evaluate(&image, op, in ? in->dtype : out->dtype, &call, &o));
        call.image = &image;
        TESS_GOTO(done, status, tess__filter_run(&work, &call));
    }
done:
    tess_release(&image);
    return tess__finish(tess__error_under(status, "filter_spectrum"), out, made);
}

/* The multipliers of all batches are evaluated before the first is filtered, since the operator may have `b`. */
tess_status tess_filter_image(tess_array *out, const tess_array *in, const tess_op *op,
                              const tess_filter_spectrum_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_filter_spectrum_opts o;
    TESS_TRY(tess__resolve(&tess__info_filter_image, opts, &o));
    TESS_TRY(tess__image_check("filter_image", out, in));
    TESS_TRY(tess__check_pointer("filter_image", "op", op));
    tess__spectrum_filter work = { .spec = { .kind = TESS__FILTER_IMAGE } };
    tess__filter_call     call = {
            .fn = "filter_image", .out = out, .in = in, .shape = in->shape, .range = TESS__FILTER_RANGE(o)
    };
    tess_array  image = { .data = NULL };
    const bool  made = tess__is_empty_out(out);
    tess_status status = TESS_OK;
    call.range.from = call.range.to = TESS_FFT_H;
    TESS_TRY(tess__filter_check_range(&call));
    TESS_TRY(tess__output("filter_image", out, in->shape, in->dtype, in->device));
    if (tess__has_elements(out)) {
        TESS_GOTO(done, status, evaluate(&image, op, tess_dtype_complex(in->dtype), &call, &o));
        call.image = &image;
    }
    TESS_GOTO(done, status, tess__filter_image(&work, &call));
done:
    tess_release(&image);
    return tess__finish(tess__error_under(status, "filter_image"), out, made);
}
