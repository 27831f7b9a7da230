/* Shift theorem with a change of layout: phase factors along each axis, multiplied into the coefficients. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/array/rank.h"
#include "core/table/registry.h"
#include "ops/fft/rows.h"
#include "ops/signal/filter.h"
#include "tessera/filter.h"

#define SHIFTS                                                                                                         \
    TESS__IN_ROWS("shifts", "shifts in pixels, {1,1,1,m} or {b,1,1,m}: (w), (h, w) or (d, h, w)", .sample = "b,1,1,2", \
                  .axes = "B,1,1,m")
#define OPTIONS                                                                                                        \
    TESS__OPT_F64(tess_phase_shift_opts, cutoff, "cycles per pixel", 1, 0, 1,                                          \
                  "highest frequency to shift; higher ones are unchanged"),                                            \
        TESS__FLAG(tess_phase_shift_opts, real_nyquist,                                                                \
                   "use the mean of both factors at n/2 of an even size, as for real arrays"),                         \
        TESS__FILTER_ROWS(tess_phase_shift_opts)
static const tess_arg_info args[] = {
    TESS__OUT("out", "the shifted spectrum; may be the input itself if the layouts agree"),
    TESS__IN("in", "a complex spectrum; NULL: write the factors to out, which must be allocated",
             .sample = TESS__HALF_SPECTRUM),
    TESS__FILTER_SHAPE,
    SHIFTS,
    OPTIONS,
};
static const tess_arg_info image_args[] = { TESS__OUT("out", "the shifted array; may be the input itself"),
                                            TESS__IMAGE_IN, SHIFTS, OPTIONS };
TESS__CALL(phase_shift, v[0].out, v[1].in, v[2].shape, v[3].in, opts)
TESS__CALL(phase_shift_image, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_phase_shift =
    TESS__OP_OPTS(TESS_CUT_BATCHES, phase_shift, "filter",
                  "Shift a signal, image or volume by its spectrum, in any layout.", args, tess_phase_shift_opts);
const tess_function_info tess__info_phase_shift_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, phase_shift_image, "filter",
                  "Shift real arrays in Fourier space by any number of pixels.", image_args, tess_phase_shift_opts);

/* Axes that have frequencies, counted from the width. */
/* A call that was checked. */
static tess_status run(const tess__filter_call *c, const tess_phase_shift_opts *o)
{
    tess__spectrum_filter work = { .spec = { .kind = TESS__FILTER_AXES, .is_odd = 1, .cutoff = o->cutoff } };
    tess__filter_call     inner = *c;
    tess_array            factors[4] = { { .data = NULL } }, shifts = { .data = NULL }, moved = { .data = NULL };
    tess_status           status = TESS_OK;
    TESS_GOTO(done, status, tess_to_device(&moved, c->parameters, c->out->device));
    TESS_GOTO(done, status, tess_cast(&shifts, &moved, TESS_F64, NULL));
    for (int k = 1; k < 4; k++)
        TESS_GOTO(done, status,
                  tess__fft_shift_factors(&factors[k], &shifts, tess__fft_axis_of(c->range.to, k, c->shape.dim[k]), k,
                                          o->real_nyquist, c->out->device));
    inner.parameters = NULL;
    inner.factors = factors;
    TESS_GOTO(done, status, tess__filter_run(&work, &inner));
done:
    for (int k = 1; k < 4; k++) tess_release(&factors[k]);
    tess_release(&shifts);
    tess_release(&moved);
    return status;
}

static tess_status check_complex(const char *arg, const tess_array *a)
{
    TESS_CHECK(!a || !a->data || tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "phase_shift: `%s` is %s; a complex type is needed", arg, tess_dtype_name(a->dtype));
    return TESS_OK;
}

static void describe(tess__filter_call *c, const tess_array *shifts, const tess_phase_shift_opts *o)
{
    c->range = TESS__FILTER_RANGE(*o);
    c->parameters = shifts;
    c->parameters_name = "shifts";
    c->columns = "(w), (h, w) or (d, h, w)";
    c->min_columns = tess__rank(c->shape);
    c->max_columns = 3;
}

tess_status tess_phase_shift(tess_array *out, const tess_array *in, tess_shape shape, const tess_array *shifts,
                             const tess_phase_shift_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_phase_shift_opts o;
    tess__filter_call     call = { .fn = "phase_shift", .out = out, .in = in, .shape = shape };
    const bool            made = out && tess__is_empty_out(out);
    tess_status           status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_phase_shift, opts, &o));
    TESS_TRY(tess__check_pointer("phase_shift", "shifts", shifts));
    describe(&call, shifts, &o);
    TESS_TRY(check_complex("in", in));
    TESS_TRY(check_complex("out", out));
    TESS_TRY(tess__filter_check(&call));
    if (tess__has_elements(out)) TESS_GOTO(done, status, run(&call, &o));
done:
    return tess__finish(tess__error_under(status, "phase_shift"), out, made);
}

/* ---- Real arrays ---- */

typedef struct image_shift {
    const tess__filter_call     *call;
    const tess_phase_shift_opts *o;
} image_shift;

static tess_status shift_spectra(const void *context, tess_array *spectra, tess_shape shape, int64_t first)
{
    const image_shift *s = context;
    tess__filter_call  c = *s->call;
    tess_array         shifts;
    c.out = spectra;
    c.in = spectra;
    c.shape = shape;
    c.parameters = tess__image_rows(&shifts, c.parameters, first, shape.b);
    TESS_TRY(run(&c, s->o));
    return TESS_OK;
}

tess_status tess_phase_shift_image(tess_array *out, const tess_array *in, const tess_array *shifts,
                                   const tess_phase_shift_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char            *fn = "phase_shift_image";
    tess_phase_shift_opts  o;
    tess__filter_call      call = { .fn = fn, .out = out, .in = in };
    const image_shift      s = { &call, &o };
    const tess__image_call image = { .fn = fn, .out = out, .in = in, .filter = shift_spectra, .context = &s };
    TESS_TRY(tess__resolve(&tess__info_phase_shift_image, opts, &o));
    TESS_TRY(tess__image_check(fn, out, in));
    TESS_TRY(tess__check_pointer(fn, "shifts", shifts));
    call.shape = in->shape;
    describe(&call, shifts, &o);
    call.range.from = call.range.to = TESS_FFT_H;
    TESS_TRY(tess__filter_check_range(&call));
    TESS_TRY(tess__filter_check_parameters(&call));
    TESS_TRY(tess__image_run(&image));
    return TESS_OK;
}
