/* Shift theorem with a change of layout: phase factors along each axis, multiplied into the coefficients. */
#include "core/check.h"
#include "core/error.h"
#include "core/float_env.h"
#include "core/output.h"
#include "core/registry.h"
#include "ops/fft/rows.h"
#include "ops/signal/filter.h"
#include "tessera/filter.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the shifted spectrum; may be exactly in if the layout stays"),
    TESS__IN("in", "a complex spectrum; NULL: out, which was made, receives the factors"),
    TESS__NEED_SHAPE("shape", "logical shape: that of the real array, or of the full spectrum"),
    TESS__IN("shifts", "pixels, {1,1,1,m} or {b,1,1,m}: (w), (h, w) or (d, h, w)"),
    TESS__OPT_F64(tess_phase_shift_opts, cutoff, "cycles per pixel", 1, 0, 1,
                  "coefficients of frequencies above it stay as they are"),
    TESS__FLAG(tess_phase_shift_opts, real_nyquist,
               "at the frequency n/2 of an even size, the mean of the factors of both signs"),
    TESS__FILTER_ROWS(tess_phase_shift_opts),
};
TESS__CALL(phase_shift, v[0].out, v[1].in, v[2].shape, v[3].in, opts)
const tess_function_info tess__info_phase_shift = TESS__OP_OPTS(
    TESS_CUT_NONE, phase_shift, "filter",
    "Move what a spectrum is of by a number of pixels, on the way to another layout.", args, tess_phase_shift_opts);

/* Axes that have frequencies, counted from the width. */
static int rank_of(tess_shape shape) { return shape.d > 1 ? 3 : shape.h > 1 ? 2 : 1; }

static tess_status run(tess__spectrum_filter *work, const tess__filter_call *c, bool real_nyquist)
{
    tess__filter_call inner = *c;
    tess_array        factors[4] = { { .data = NULL } }, shifts = { .data = NULL }, moved = { .data = NULL };
    tess_status       status = TESS_OK;
    TESS_GOTO(done, status, tess_to_device(&moved, c->parameters, c->out->device));
    TESS_GOTO(done, status, tess_cast(&shifts, &moved, TESS_F64, NULL));
    for (int k = 1; k < 4; k++)
        TESS_GOTO(done, status,
                  tess__fft_shift_factors(&factors[k], &shifts, tess__fft_axis_of(c->range.to, k, c->shape.dim[k]), k,
                                          real_nyquist, c->out->device));
    inner.parameters = NULL;
    inner.factors = factors;
    TESS_GOTO(done, status, tess__filter_run(work, &inner));
done:
    for (int k = 1; k < 4; k++) tess_release(&factors[k]);
    tess_release(&shifts);
    tess_release(&moved);
    return status;
}

static tess_status check_complex(const char *arg, const tess_array *a)
{
    TESS_CHECK(!a || !a->data || tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "phase_shift: %s is %s; a complex type is needed", arg, tess_dtype_name(a->dtype));
    return TESS_OK;
}

tess_status tess_phase_shift(tess_array *out, const tess_array *in, tess_shape shape, const tess_array *shifts,
                             const tess_phase_shift_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_phase_shift_opts o;
    TESS_TRY(tess__resolve(&tess__info_phase_shift, opts, &o));
    TESS_TRY(tess__check_pointer("phase_shift", "shifts", shifts));
    tess__spectrum_filter work = { .spec = { .kind = TESS__FILTER_AXES, .is_odd = 1, .cutoff = o.cutoff } };
    tess__filter_call     call = { .fn = "phase_shift",
                                   .out = out,
                                   .in = in,
                                   .shape = shape,
                                   .range = TESS__FILTER_RANGE(o),
                                   .parameters = shifts,
                                   .parameters_name = "shifts",
                                   .columns = "(w), (h, w) or (d, h, w)",
                                   .min_columns = rank_of(shape),
                                   .max_columns = 3 };
    const bool            made = out && tess__is_empty_out(out);
    tess_status           status = TESS_OK;
    TESS_TRY(check_complex("in", in));
    TESS_TRY(check_complex("out", out));
    TESS_TRY(tess__filter_check(&call));
    if (tess__has_elements(out)) TESS_GOTO(done, status, run(&work, &call, o.real_nyquist));
done:
    return tess__finish(tess__error_under(status, "phase_shift"), out, made);
}
