/* Radial power, the mean of |x|^2 in shells of frequencies, and whitening: division by its root. */
#include "core/check.h"
#include "core/error.h"
#include "core/float_env.h"
#include "core/output.h"
#include "core/registry.h"
#include "ops/fft/rows.h"
#include "ops/signal/shells.h"
#include "tessera/op.h"

static const tess_arg_info power_args[] = {
    TESS__OUT("out", "mean of |x|^2 in each shell, {b,1,1,shells}; f64 if it is made"),
    TESS__IN("in", "a complex spectrum"),
    TESS__NEED_SHAPE("shape", "logical shape: that of the real array, or of the full spectrum"),
    TESS__OPT_CHOICE(tess_radial_power_opts, layout, TESS_FFT_H, tess__fft_layouts, "of the spectrum"),
    TESS__FLAG(tess_radial_power_opts, nearest,
               "a coefficient goes to the nearest shell, and is not split between two"),
};
TESS__CALL(radial_power, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_radial_power =
    TESS__OP_OPTS(TESS_CUT_BATCHES, radial_power, "fsc", "Mean power of a spectrum in each shell of frequencies.",
                  power_args, tess_radial_power_opts);

static const tess_arg_info whiten_args[] = {
    TESS__OUT("out", "the whitened spectrum; may be exactly in"),
    TESS__IN("in", "a complex spectrum"),
    TESS__NEED_SHAPE("shape", "logical shape: that of the real array, or of the full spectrum"),
    TESS__OPT_CHOICE(tess_whiten_opts, layout, TESS_FFT_H, tess__fft_layouts, "of both"),
};
TESS__CALL(whiten, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_whiten =
    TESS__OP_OPTS(TESS_CUT_BATCHES, whiten, "fsc", "Divide a spectrum by the root of its radial power.", whiten_args,
                  tess_whiten_opts);

/* clang-format off */
TESS_EWISE(radial_mean, (in(f64,power), in(f64,count), out(f64,z)), z = count == 0.0 ? 0.0 : power / count; )

#define WHITEN(name, C, f)                                                                                             \
    TESS_IWISE(name, (in(C,x), in(f64,row), in(f64,column), view(f64,power,clamp), val(f64,m), out(C,z)),              \
        f64 shell = tessm_sqrt(row + column)*m;                                                                        \
        i64 s = (i64)shell;                                                                                            \
        f64 low = tess_at(power, b, 0, 0, s);                                                                          \
        f64 high = tess_at(power, b, 0, 0, s + 1);                                                                     \
        f64 mean = low + (shell - (f64)s)*(high - low);                                                                \
        f64 factor = mean > 0.0 ? 1.0 / tessm_sqrt(mean) : 0.0;                                                        \
        z = tessm_complex((f)((f64)tessm_real(x)*factor), (f)((f64)tessm_imag(x)*factor)); )
WHITEN(whiten_c16, c16, f32)
WHITEN(whiten_c32, c32, f32)
WHITEN(whiten_c64, c64, f64)
#undef WHITEN
/* clang-format on */

/* A new array of f64 with the means. */
static tess_status make_means(const char *fn, tess_array *means, const tess_array *in, tess_shape shape, int layout,
                              bool nearest)
{
    const tess__shell_terms terms = { .lhs = in, .shape = shape, .layout = layout, .nearest = nearest };
    tess_array              sums = { .data = NULL }, power, count;
    tess_status             status = TESS_OK;
    TESS_GOTO(done, status, tess__shell_sums(fn, &sums, &terms));
    TESS_GOTO(done, status, tess__shell_sum(&power, &sums, 0));
    TESS_GOTO(done, status, tess__shell_sum(&count, &sums, 1));
    TESS_GOTO(done, status, tess_call(&radial_mean, &power, &count, means));
done:
    tess_release(&sums);
    return status;
}

static tess_status check_in(const char *fn, const tess_array *in, tess__fft_variant form)
{
    TESS_TRY(tess__check_spectrum(fn, "in", in, form));
    TESS_TRY(tess__check_coefficients(fn, "in", in));
    return TESS_OK;
}

/* ---- Radial power ---- */

static tess_status write_power(tess_array *out, const tess_array *in, tess_shape shape, const tess_radial_power_opts *o)
{
    tess_array  means = { .data = NULL }, held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, "radial_power", &in));
    TESS_GOTO(done, status, make_means("radial_power", &means, in, shape, o->layout, o->nearest));
    TESS_GOTO(done, status, tess_cast(out, &means, out->dtype, NULL));
done:
    tess_release(&means);
    tess_release(&held);
    return status;
}

tess_status tess_radial_power(tess_array *out, const tess_array *in, tess_shape shape,
                              const tess_radial_power_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_radial_power_opts o;
    const char            *fn = "radial_power";
    TESS_TRY(tess__resolve(&tess__info_radial_power, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_in(fn, in, (tess__fft_variant){ "shape", shape, "opts->layout", o.layout, .any_b = false }));
    const bool made = tess__is_empty_out(out);
    if (!made) TESS_TRY(tess__check_curve_dtype(fn, "out", out->dtype));
    TESS_TRY(tess__output(fn, out, TESS_SHAPE(shape.b, 1, 1, tess_fsc_shells(shape)), made ? TESS_F64 : out->dtype,
                          in->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, write_power(out, in, shape, &o));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}

/* ---- Whitening ---- */

static tess_status run_whiten(tess_array *out, const tess_array *in, tess_shape shape, int layout)
{
    static tess_op_def *const ops[3] = { &whiten_c16, &whiten_c32, &whiten_c64 };
    tess_array                means = { .data = NULL }, squares[2] = { { .data = NULL }, { .data = NULL } };
    tess_array                held = { .data = NULL };
    tess_status               status = TESS_OK;
    const double              m = (double)tess__shell_grid_of(shape, layout).m;
    TESS_GOTO(done, status, tess__copy_in_place(&held, "whiten", out, &in));
    TESS_GOTO(done, status, make_means("whiten", &means, in, shape, layout, false));
    TESS_GOTO(done, status,
              tess__fft_squares(&squares[0], &squares[1], shape, layout, TESS_D | TESS_H | TESS_W, out->device));
    TESS_GOTO(done, status, tess_call(ops[out->dtype - TESS_C16], in, &squares[0], &squares[1], &means, m, out));
done:
    tess_release(&means);
    tess_release(&squares[0]);
    tess_release(&squares[1]);
    tess_release(&held);
    return status;
}

tess_status tess_whiten(tess_array *out, const tess_array *in, tess_shape shape, const tess_whiten_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_whiten_opts o;
    TESS_TRY(tess__resolve(&tess__info_whiten, opts, &o));
    TESS_TRY(tess__check_pointer("whiten", "out", out));
    const tess__fft_variant form = { "shape", shape, "opts->layout", o.layout, .any_b = false };
    TESS_TRY(check_in("whiten", in, form));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__spectrum_output("whiten", out, form, in->dtype, in->device));
    if (!made) TESS_TRY(tess__check_overlap("whiten", out, "in", in, true));
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, run_whiten(out, in, shape, o.layout));
done:
    return tess__finish(tess__error_under(status, "whiten"), out, made);
}
