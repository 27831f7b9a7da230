/* Radial power, the mean of |x|^2 in shells of frequencies, and whitening: division by its root. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "ops/signal/filter.h"
#include "ops/signal/shells/shells.h"

static const tess_arg_info power_args[] = {
    TESS__OUT("out", "mean of |x|^2 in each shell, {b,1,1,shells}; f64 if newly allocated", .axes = "B,1,1,shells"),
    TESS__IN("in", "a complex spectrum", .sample = TESS__HALF_SPECTRUM),
    TESS__NEED_SHAPE("shape", "logical shape: the shape of the real array or full spectrum"),
    TESS__OPT_CHOICE(tess_radial_power_opts, layout, TESS_FFT_H, tess__fft_layouts, "layout of the spectrum"),
    TESS__FLAG(tess_radial_power_opts, nearest, "assign each coefficient to the nearest shell instead of splitting it"),
};
TESS__CALL(radial_power, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_radial_power =
    TESS__OP_OPTS(TESS_CUT_BATCHES, radial_power, "fsc", "Radial power: mean power of a spectrum in each shell.",
                  power_args, tess_radial_power_opts, .work_bytes = 48);

static const tess_arg_info whiten_args[] = {
    TESS__OUT("out", "the whitened spectrum or its power; may be the input itself if the layouts agree"),
    TESS__IN("in", "a complex spectrum", .sample = TESS__HALF_SPECTRUM),
    TESS__FILTER_SHAPE,
    TESS__FILTER_ROWS(tess_whiten_opts),
};
static const tess_arg_info whiten_image_args[] = { TESS__OUT("out", "the whitened array; may be the input itself"),
                                                   TESS__IMAGE_IN, TESS__FILTER_ROWS(tess_whiten_opts) };
TESS__CALL(whiten, v[0].out, v[1].in, v[2].shape, opts)
TESS__CALL(whiten_image, v[0].out, v[1].in, opts)
const tess_function_info tess__info_whiten =
    TESS__OP_OPTS(TESS_CUT_BATCHES, whiten, "fsc", "Whiten a spectrum by the root of its radial power.", whiten_args,
                  tess_whiten_opts, .work_bytes = 48);
const tess_function_info tess__info_whiten_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, whiten_image, "fsc", "Whiten real arrays by the root of their radial power.",
                  whiten_image_args, tess_whiten_opts, .work_bytes = 48);

/* A new array of f64 with the means. */
static tess_status make_means(const char *fn, tess_array *means, const tess__shell_terms *terms)
{
    tess_array  sums = { .data = NULL }, power, count;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__shell_sums(fn, &sums, terms));
    TESS_GOTO(done, status, tess__shell_sum(&power, &sums, 0));
    TESS_GOTO(done, status, tess__shell_sum(&count, &sums, 1));
    TESS_GOTO(done, status, tess__shell_mean(means, &power, &count));
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
    tess__shell_terms terms = { .shape = shape, .layout = o->layout, .nearest = o->nearest != 0, .whole_last = true };
    tess_array        means = { .data = NULL }, held = { .data = NULL };
    tess_status       status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, "radial_power", &in));
    terms.lhs = in;
    TESS_GOTO(done, status, make_means("radial_power", &means, &terms));
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
    TESS__CALL_SCOPE();
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

/* The reciprocals of the steps of frequencies along the axes of a call, whose range then begins at 0: shells are
 * counted from its start. */
static void set_steps(double sizes[4], tess__filter_call *c)
{
    tess__filter_axis axis[4];
    tess__filter_axes(axis, c);
    for (int k = 1; k < 4; k++) sizes[k] = axis[k].count / axis[k].span;
    if (c->range.start == 0) return;
    c->range.start = 0;
    c->range.stop = axis[3].span;
}

/* A spectrum that was checked. Its power is known before `out` is written, which may be it. */
static tess_status run_whiten(const tess__filter_call *c)
{
    const int64_t         last = tess_fsc_shells(c->shape) - 1;
    double                sizes[4];
    tess__filter_call     inner = *c;
    tess__spectrum_filter work = { .spec = { .kind = TESS__FILTER_WHITEN } };
    tess__shell_terms     terms = { .shape = c->shape, .layout = c->range.from, .whole_last = true, .sizes = sizes };
    tess_array            means = { .data = NULL }, held = { .data = NULL };
    tess_status           status = TESS_OK;
    set_steps(sizes, &inner);
    work.spec.curve_stop = last > 0 ? (double)last / tess__shell_size(c->shape, sizes) : 1;
    TESS_GOTO(done, status, tess__hold(&held, c->fn, &inner.in));
    terms.lhs = inner.in;
    TESS_GOTO(done, status, make_means(c->fn, &means, &terms));
    inner.curve = &means;
    inner.columns = "radial power";
    TESS_GOTO(done, status, tess__filter_run(&work, &inner));
done:
    tess_release(&means);
    tess_release(&held);
    return status;
}

tess_status tess_whiten(tess_array *out, const tess_array *in, tess_shape shape, const tess_whiten_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_whiten_opts o;
    TESS_TRY(tess__resolve(&tess__info_whiten, opts, &o));
    tess__filter_call call = { .fn = "whiten", .out = out, .in = in, .shape = shape, .range = TESS__FILTER_RANGE(o) };
    TESS_TRY(tess__check_pointer("whiten", "out", out));
    TESS_TRY(check_in("whiten", in, (tess__fft_variant){ "shape", shape, "opts->from", o.from, .any_b = false }));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__filter_check(&call));
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, run_whiten(&call));
done:
    return tess__finish(tess__error_under(status, "whiten"), out, made);
}

static tess_status whiten_spectra(const void *context, tess_array *spectra, tess_shape shape, int64_t first)
{
    const tess__filter_range *range = context;
    const tess__filter_call   call = {
          .fn = "whiten_image", .out = spectra, .in = spectra, .shape = shape, .range = *range
    };
    (void)first;
    TESS_TRY(run_whiten(&call));
    return TESS_OK;
}

tess_status tess_whiten_image(tess_array *out, const tess_array *in, const tess_whiten_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_whiten_opts  o;
    tess__filter_call call = { .fn = "whiten_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_whiten_image, opts, &o));
    TESS_TRY(tess__image_check(call.fn, out, in));
    call.shape = in->shape;
    call.range = TESS__FILTER_RANGE(o);
    call.range.from = call.range.to = TESS_FFT_H;
    TESS_TRY(tess__filter_check_range(&call));
    const tess__image_call image = {
        .fn = call.fn, .out = out, .in = in, .filter = whiten_spectra, .context = &call.range
    };
    TESS_TRY(tess__image_run(&image));
    return TESS_OK;
}
