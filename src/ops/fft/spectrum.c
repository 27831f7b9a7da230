/* Power, amplitude and phase spectra. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "ops/fft/moves.h"
#include "ops/fft/remap.h"
#include "tessera/ewise.h"

static const tess_choice kinds[] = {
    { "power", TESS_FFT_SPECTRUM_POWER, "|x|^2" },
    { "amplitude", TESS_FFT_SPECTRUM_AMPLITUDE, "|x|" },
    { "phase", TESS_FFT_SPECTRUM_PHASE, "the angle in radians, -pi to pi" },
    { "log", TESS_FFT_SPECTRUM_LOG, "log(1 + |x|)" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("out", "real numbers, in the shape of the chosen layout"),
    TESS__IN("in", "a complex spectrum", .sample = TESS__HALF_SPECTRUM),
    TESS__NEED_SHAPE("shape", "logical shape: the shape of the real array or full spectrum"),
    TESS__OPT_CHOICE(tess_fft_spectrum_opts, kind, TESS_FFT_SPECTRUM_POWER, kinds, "quantity to compute"),
    TESS__OPT_CHOICE(tess_fft_spectrum_opts, from, TESS_FFT_H, tess__fft_layouts, "layout of the input"),
    TESS__OPT_CHOICE(tess_fft_spectrum_opts, to, TESS_FFT_FC, tess__fft_layouts, "layout of the result"),
};
TESS__CALL(fft_spectrum, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_fft_spectrum = TESS__OP_OPTS(
    TESS_CUT_BATCHES, fft_spectrum, "fft", "Power, amplitude or phase of a spectrum.", args, tess_fft_spectrum_opts);

/* The value of each coefficient, at its index. */
static tess_status compute(tess_array *out, const tess_array *in, int kind)
{
    TESS_TRY(kind == TESS_FFT_SPECTRUM_PHASE ? tess_arg(out, in) : tess_abs(out, in));
    if (kind == TESS_FFT_SPECTRUM_LOG) TESS_TRY(tess_log1p(out, out));
    return TESS_OK;
}

/* They are costly, so they are computed before half a spectrum becomes a full one, and after the columns that a
 * half spectrum does not have are gone. */
static tess_status through_workspace(tess_array *out, const tess_array *in, tess_shape shape,
                                     const tess_fft_spectrum_opts *o)
{
    const int   mirrored = o->kind == TESS_FFT_SPECTRUM_PHASE ? TESS__OP_neg : TESS__FFT_COPY;
    int         from = o->from;
    tess_array  workspace = { .data = NULL }, source = *in;
    tess_status status = TESS_OK;
    if (from == TESS_FFT_F && tess__fft_is_half(o->to)) {
        from = TESS_FFT_H;
        source.shape = tess_rfft_shape(shape);
    }
    const tess_dtype dtype = in->dtype == TESS_C16 ? TESS_F32 : tess_dtype_real(in->dtype);
    TESS_GOTO(done, status, tess__make("fft_spectrum", &workspace, source.shape, dtype, in->device, false));
    TESS_GOTO(done, status, compute(&workspace, &source, o->kind));
    TESS_GOTO(done, status,
              tess__fft_remap("fft_spectrum", out, &workspace,
                              (tess__fft_remapping){ shape, from, o->to, TESS__FFT_COPY, mirrored }));
done:
    tess_release(&workspace);
    return status;
}

static tess_status run(tess_array *out, const tess_array *in, tess_shape shape, const tess_fft_spectrum_opts *o)
{
    if (o->kind == TESS_FFT_SPECTRUM_POWER)
        TESS_TRY(tess__fft_remap("fft_spectrum", out, in,
                                 (tess__fft_remapping){ shape, o->from, o->to, TESS__OP_abs2, TESS__OP_abs2 }));
    else if (o->from == o->to && out->dtype != TESS_F16 && o->kind != TESS_FFT_SPECTRUM_LOG)
        TESS_TRY(compute(out, in, o->kind)); /* which writes once */
    else TESS_TRY(through_workspace(out, in, shape, o));
    return TESS_OK;
}

tess_status tess_fft_spectrum(tess_array *out, const tess_array *in, tess_shape shape,
                              const tess_fft_spectrum_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fft_spectrum_opts o;
    const char            *fn = "fft_spectrum";
    TESS_TRY(tess__resolve(&tess__info_fft_spectrum, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    const tess__fft_variant given = { "shape", shape, "opts->from", o.from, .any_b = false };
    const tess__fft_variant wanted = { "shape", shape, "opts->to", o.to, .any_b = false };
    TESS_TRY(tess__check_spectrum(fn, "in", in, given));
    TESS_CHECK(tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE, "%s: `in` is %s; a complex type is needed",
               fn, tess_dtype_name(in->dtype));
    const bool made = tess__is_empty_out(out);
    if (!made) TESS_TRY(tess__check_numbers(fn, "out", out));
    TESS_CHECK(made || tess_dtype_kind(out->dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               "%s: `out` is %s; f16, f32 or f64 is needed", fn, tess_dtype_name(out->dtype));
    TESS_TRY(tess__spectrum_output(fn, out, wanted, made ? tess_dtype_real(in->dtype) : out->dtype, in->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    TESS_GOTO(done, status, run(out, in, shape, &o));
done:
    tess_release(&held);
    return tess__finish(tess__error_under(status, fn), out, made);
}
