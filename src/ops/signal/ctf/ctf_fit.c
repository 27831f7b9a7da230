/* Fit of the contrast transfer function to power spectra: description, checks, defaults, and the request. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "formulas/ctf.op.h"
#include "ops/arrays/deliver.h"
#include "ops/fft/layout.h"
#include "ops/signal/ctf/ctf.h"
#include "ops/signal/shells/shells.h"
#include "tessera/statistics.h"

#define FITS                                                                                                           \
    TESS__OUT("fits", "the fitted CTFs, {b,1,1,17}, columns in the order of tess_ctf; f64 if newly allocated",         \
              .axes = "B,1,1,17")
#define SCORES                                                                                                         \
    TESS__OUT_OPTIONAL("scores", "correlation of spectrum and CTF^2, {b,1,1,1}; may be NULL", .axes = "B,1,1,1")
#define RESOLUTIONS                                                                                                    \
    TESS__OUT_OPTIONAL(                                                                                                \
        "resolutions",                                                                                                 \
        "highest frequency at which the Thon rings follow the fit, {b,1,1,1}, cycles per pixel; may be NULL",          \
        .axes = "B,1,1,1")
#define OPTIONS                                                                                                        \
    TESS__OPT_F64(tess_ctf_fit_opts, min_defocus, "micrometre", 0.3, -1000, 1000, "minimum mean defocus"),             \
        TESS__OPT_F64(tess_ctf_fit_opts, max_defocus, "micrometre", 5, -1000, 1000, "maximum mean defocus"),           \
        TESS__OPT_F64(tess_ctf_fit_opts, max_astigmatism, "micrometre", 0.3, 0, 100,                                   \
                      "maximum astigmatism: half the difference of defocus between both directions"),                  \
        TESS__OPT_F64(tess_ctf_fit_opts, tolerated_astigmatism, "micrometre", 0.01, 1e-6, 100,                         \
                      "scale of the soft restraint on astigmatism"),                                                   \
        TESS__JOINT_F64(tess_ctf_fit_opts, min_phase_shift, "radians",                                                 \
                        "phase_shift of ctf; 0 if max_phase_shift is given", -1000, 1000, "minimum phase shift"),      \
        TESS__JOINT_F64(tess_ctf_fit_opts, max_phase_shift, "radians",                                                 \
                        "phase_shift of ctf; 0 if min_phase_shift is given", -1000, 1000, "maximum phase shift"),      \
        TESS__AUTO_F64(tess_ctf_fit_opts, low, "cycles per pixel", "30 angstrom", 0, 1,                                \
                       "lowest frequency of the fit"),                                                                 \
        TESS__AUTO_F64(tess_ctf_fit_opts, high, "cycles per pixel", "5 angstrom, at most 0.5", TESS__POSITIVE, 1,      \
                       "highest frequency of the fit"),                                                                \
        TESS__OPT_RESULT(tess_ctf_fit_opts, errors, tess_array *,                                                      \
                         "receives the standard deviations of defocus, astigmatism, angle and phase shift, {b,1,1,4}", \
                         .axes = "B,1,1,4"),                                                                           \
        TESS__OPT_RESULT(tess_ctf_fit_opts, curves, tess_array *,                                                      \
                         "receives the radial curves, {b,1,3,n}: measured, CTF^2, agreement", .axes = "B,1,3,n"),      \
        TESS__FLAG(tess_ctf_fit_opts, isotropic, "do not fit astigmatism"),                                            \
        TESS__FLAG(tess_ctf_fit_opts, unrestrained, "do not restrain the astigmatism"),                                \
        TESS__OPT_CHOICE(tess_ctf_fit_opts, layout, TESS_FFT_H, tess__fft_layouts, "layout of the spectra")

static const tess_arg_info args[] = {
    FITS,
    SCORES,
    RESOLUTIONS,
    TESS__IN("power", "averaged power spectra of images, f16, f32 or f64", .sample = "b,1,20,11", .axes = "B,1,h,w"),
    TESS__NEED_SHAPE("shape", "logical shape: the shape of the real images or full spectra", .sample = "b,1,20,20"),
    TESS__CTF_ROW(0, "known parameters; defocus, astigmatism and angle are ignored"),
    OPTIONS,
};
static const tess_arg_info image_args[] = {
    FITS,
    SCORES,
    RESOLUTIONS,
    TESS__IN("images", "images of real numbers", .sample = "b,1,24,24", .axes = "B,1,h,w"),
    TESS__NEED(TESS_ARG_SHAPE, "patch", "shape of a patch, with b = 1", .sample = "1,1,20,20"),
    TESS__CTF_ROW(0, "known parameters; defocus, astigmatism and angle are ignored"),
    OPTIONS,
};
TESS__CALL(ctf_fit, v[0].out, v[1].out, v[2].out, v[3].in, v[4].shape, v[5].structure, opts)
TESS__CALL(ctf_fit_image, v[0].out, v[1].out, v[2].out, v[3].in, v[4].shape, v[5].structure, opts)
const tess_function_info tess__info_ctf_fit =
    TESS__OP_OPTS(TESS_CUT_BATCHES, ctf_fit, "ctf", "Fit defocus and astigmatism to averaged power spectra.", args,
                  tess_ctf_fit_opts);
const tess_function_info tess__info_ctf_fit_image = TESS__OP_OPTS(
    TESS_CUT_BATCHES, ctf_fit_image, "ctf", "Fit defocus and astigmatism to images.", image_args, tess_ctf_fit_opts);

/* ---- The request ---- */

/* The range of frequencies, and how wide shells are. */
static tess_status set_range(tess__ctf_fit *t, tess_shape shape, const tess_ctf_fit_opts *o)
{
    char             text[2][32];
    const double     low = !isnan(o->low) ? o->low : t->pixel / 30;
    const double     high = o->high != 0 ? o->high : t->pixel / 5 < 0.5 ? t->pixel / 5 : 0.5;
    tess__fit_range *r = &t->range;
    TESS_CHECK(low < high, TESS_ERANGE,
               "%s: `opts->low` to `opts->high` is %s to %s cycles per pixel; low must be below high", t->name,
               tess__number_text(text[0], low), tess__number_text(text[1], high));
    *r = (tess__fit_range){ .h = shape.h, .w = shape.w };
    r->pixel_h = t->ctf.pixel_size[0];
    r->pixel_w = t->ctf.pixel_size[1];
    r->low = low / t->pixel;
    r->high = high / t->pixel;
    r->step = fmin(1 / ((double)shape.h * r->pixel_h), 1 / ((double)shape.w * r->pixel_w));
    r->rate = 1e4 * tess__ctf_wavelength(t->ctf.voltage);
    return TESS_OK;
}

/* What is known, with the numbers that a 0 stands for; what is fitted is 0. */
static tess_ctf known_of(const tess_ctf *ctf)
{
    tess_ctf known = *ctf;
    if (known.pixel_size[1] == 0) known.pixel_size[1] = known.pixel_size[0];
    if (known.voltage == 0) known.voltage = 300;
    known.scale = tess__ctf_scale(known.scale);
    known.defocus = known.astigmatism = known.angle = known.phase_shift = 0;
    return known;
}

static tess_status set_parameters(tess__ctf_fit *t, const tess_ctf *ctf, const tess_ctf_fit_opts *o)
{
    char text[2][32];
    TESS_CHECK(o->min_defocus < o->max_defocus, TESS_ERANGE,
               "%s: `opts->max_defocus` (%s) must exceed `opts->min_defocus` (%s)", t->name,
               tess__number_text(text[0], o->max_defocus), tess__number_text(text[1], o->min_defocus));
    const bool   has_min = !isnan(o->min_phase_shift), has_max = !isnan(o->max_phase_shift);
    const double other = has_min || has_max ? 0 : ctf->phase_shift;
    t->shift[0] = has_min ? o->min_phase_shift : other;
    t->shift[1] = has_max ? o->max_phase_shift : other;
    TESS_CHECK(t->shift[0] <= t->shift[1], TESS_ERANGE,
               "%s: `opts->max_phase_shift` (%s) must not be below `opts->min_phase_shift` (%s)", t->name,
               tess__number_text(text[0], t->shift[1]), tess__number_text(text[1], t->shift[0]));
    t->ctf = known_of(ctf);
    t->pixel = 0.5 * (t->ctf.pixel_size[0] + t->ctf.pixel_size[1]);
    t->defocus[0] = o->min_defocus;
    t->defocus[1] = o->max_defocus;
    t->max_astigmatism = o->isotropic ? 0 : o->max_astigmatism;
    t->restraint = o->unrestrained ? 0 : 1 / (o->tolerated_astigmatism * o->tolerated_astigmatism);
    return TESS_OK;
}

/* Coefficients in the range, as far as `enough`. */
static int64_t count_coefficients(const tess__fit_range *r, int64_t enough)
{
    int64_t n = 0;
    for (int64_t h = 0; h < r->h && n <= enough; h++)
        for (int64_t w = 0; w <= r->w / 2 && n <= enough; w++) n += tess__fit_sample_at(r, h, w).shell >= 0;
    return n;
}

/* As many coefficients as the fit has unknowns are too few; a grid that would not end is a mistake in a unit. */
static tess_status check_size(const tess__ctf_fit *t, tess_shape shape, const char *arg)
{
    char          text[TESS__SHAPE_TEXT], number[32];
    const int     enough = 2 * (TESS__FIT_POLYNOMIALS + 1 + TESS__FIT_PARAMETERS);
    const int64_t count = count_coefficients(&t->range, enough), shells = tess__fit_shells(&t->range);
    (void)tess__shape_text(text, shape.dim);
    TESS_CHECK(count > enough, TESS_ERANGE,
               "%s: `%s` is %s, with %" PRId64 " coefficients in the range of frequencies; more than %d are needed",
               t->name, arg, text, count, enough);
    TESS_CHECK(shells >= TESS__FIT_POLYNOMIALS, TESS_ERANGE,
               "%s: `%s` is %s, with %" PRId64 " rings in the range of frequencies; %d are needed for the background",
               t->name, arg, text, shells, TESS__FIT_POLYNOMIALS);
    const double limit = tess__fit_search_limit(&t->range), steps = 8 * t->range.rate * limit * limit;
    const double points =
        steps * (t->defocus[1] - t->defocus[0]) * (1 + steps * steps * t->max_astigmatism * t->max_astigmatism);
    TESS_CHECK(points < 1e8, TESS_ERANGE,
               "%s: the ranges of defocus and `opts->max_astigmatism` need a search grid of %s points; at most 1e8 are "
               "allowed",
               t->name, tess__number_text(number, points));
    return TESS_OK;
}

/* All of it but the arrays. */
static tess_status describe(tess__ctf_fit *t, const char *fn, tess_shape shape, const tess_ctf *ctf,
                            const tess_ctf_fit_opts *o)
{
    TESS_TRY(tess__check_pointer(fn, "ctf", ctf));
    TESS_TRY(tess__check_ctf(fn, "ctf->", ctf));
    *t = (tess__ctf_fit){ .name = fn };
    TESS_TRY(set_parameters(t, ctf, o));
    TESS_TRY(set_range(t, shape, o));
    TESS_TRY(check_size(t, shape, strcmp(fn, "ctf_fit") == 0 ? "shape" : "patch"));
    return TESS_OK;
}

/* ---- Outputs ---- */

enum { FIT, SCORE, RESOLUTION, ERRORS, CURVES, OUTPUTS };

typedef struct output {
    const char *name;
    tess_array *array; /* NULL: not wanted */
    tess_shape  shape;
    tess_array  here; /* f64, of the host */
} output;

#define OUTPUTS_OF(fits, scores, resolutions, o)                                                                       \
    {                                                                                                                  \
        { .name = "fits", .array = (fits) }, { .name = "scores", .array = (scores) },                                  \
            { .name = "resolutions", .array = (resolutions) }, { .name = "opts->errors", .array = (o).errors },        \
            { .name = "opts->curves", .array = (o).curves },                                                           \
    }

static tess_status prepare(tess__outputs *all, output out[OUTPUTS], const tess_array *in, const char *name)
{
    for (int k = 0; k < OUTPUTS; k++)
        TESS_TRY(tess__wants_numbers(all, out[k].name, out[k].array, out[k].shape, in->device));
    tess__reads(all, name, in);
    TESS_TRY(tess__outputs_take(all));
    for (int k = 0; k < OUTPUTS; k++)
        TESS_TRY(tess__make(all->fn, &out[k].here, out[k].shape, TESS_F64, tess_cpu(), true));
    return TESS_OK;
}

/* From the host to where they are wanted. */
static tess_status deliver(const tess__outputs *all, const output out[OUTPUTS])
{
    const tess_array *results[TESS__MAX_OUTPUTS];
    int               n = 0;
    for (int k = 0; k < OUTPUTS; k++)
        if (out[k].array) results[n++] = &out[k].here;
    TESS_TRY(tess__deliver(all, results));
    return TESS_OK;
}

/* ---- The call ---- */

/* Half spectra of f64 on the host: those of a GPU are waited for. */
static tess_status fetch(tess_array *here, const char *fn, const tess_array *power, tess_shape shape, int layout)
{
    tess_array  half = { .data = NULL }, wide = { .data = NULL };
    tess_status status = TESS_OK;
    const bool  is_there = power->device.kind != TESS_CPU;
    if (is_there) TESS_TRY(tess__check_waits(fn, power->device));
    TESS_GOTO(done, status, tess_cast(&wide, power, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_fft_remap(&half, &wide, shape, (tess_fft_layout)layout, TESS_FFT_H));
    if (is_there) {
        TESS_GOTO(done, status, tess_to_device(here, &half, tess_cpu()));
        TESS_GOTO(done, status, tess__sync(fn, power->device));
    } else {
        *here = half;
        half = (tess_array){ .data = NULL };
    }
done:
    tess_release(&half);
    tess_release(&wide);
    return status;
}

static tess_status run(const output out[OUTPUTS], tess__ctf_fit *work, const tess_array *power, tess_shape shape,
                       int layout)
{
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, fetch(&work->power, work->name, power, shape, layout));
    work->fits = out[FIT].here;
    work->scores = out[SCORE].here;
    work->resolutions = out[RESOLUTION].here;
    work->errors = out[ERRORS].here;
    work->curves = out[CURVES].here;
    TESS_GOTO(done, status, tess__ctf_fit_run(work));
done:
    tess_release(&work->power);
    return status;
}

static tess_status check_power(const char *fn, const tess_array *power, tess_shape shape, int layout)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(
        tess__check_spectrum(fn, "power", power, (tess__fft_variant){ "shape", shape, "opts->layout", layout, false }));
    TESS_TRY(tess__check_curve_dtype(fn, "power", power->dtype));
    TESS_CHECK(shape.d == 1, TESS_ESHAPE, "%s: `shape` is %s; the shape of images, {b,1,h,w}, is needed", fn,
               tess__shape_text(text, shape.dim));
    return TESS_OK;
}

/* Power spectra of `in`, which they may be themselves. */
static tess_status fit(output out[OUTPUTS], const tess_array *in, const tess_array *power, tess_shape shape,
                       const tess_ctf *ctf, const tess_ctf_fit_opts *o)
{
    const char   *fn = in == power ? "ctf_fit" : "ctf_fit_image";
    const int64_t shells = tess__min(shape.h, shape.w) / 2 + 1;
    tess__ctf_fit work;
    tess__outputs all = { .fn = fn };
    tess_status   status = TESS_OK;
    TESS_TRY(check_power(fn, power, shape, o->layout));
    TESS_TRY(describe(&work, fn, TESS_SHAPE(1, 1, shape.h, shape.w), ctf, o));
    out[FIT].shape = TESS_SHAPE(shape.b, 1, 1, TESS_CTF_COLUMNS);
    out[SCORE].shape = out[RESOLUTION].shape = TESS_SHAPE(shape.b, 1, 1, 1);
    out[ERRORS].shape = TESS_SHAPE(shape.b, 1, 1, 4);
    out[CURVES].shape = TESS_SHAPE(shape.b, 1, 3, shells);
    TESS_GOTO(done, status, prepare(&all, out, in, in == power ? "power" : "images"));
    if (shape.b) {
        TESS_GOTO(done, status, run(out, &work, power, shape, o->layout));
        TESS_GOTO(done, status, deliver(&all, out));
    }
done:
    for (int k = 0; k < OUTPUTS; k++) tess_release(&out[k].here);
    return tess__outputs_end(&all, tess__error_under(status, fn));
}

tess_status tess_ctf_fit(tess_array *fits, tess_array *scores, tess_array *resolutions, const tess_array *power,
                         tess_shape shape, const tess_ctf *ctf, const tess_ctf_fit_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_ctf_fit_opts o;
    TESS_TRY(tess__resolve(&tess__info_ctf_fit, opts, &o));
    TESS_TRY(tess__check_pointer("ctf_fit", "fits", fits));
    output out[OUTPUTS] = OUTPUTS_OF(fits, scores, resolutions, o);
    TESS_TRY(fit(out, power, power, shape, ctf, &o));
    return TESS_OK;
}

tess_status tess_ctf_fit_image(tess_array *fits, tess_array *scores, tess_array *resolutions, const tess_array *images,
                               tess_shape patch, const tess_ctf *ctf, const tess_ctf_fit_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const tess_average_power_opts averaged = { .window = TESS_POWER_WINDOW_HANN };
    const char                   *fn = "ctf_fit_image";
    char                          text[TESS__SHAPE_TEXT];
    tess_ctf_fit_opts             o;
    tess_array                    power = { .data = NULL };
    TESS_TRY(tess__resolve(&tess__info_ctf_fit_image, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "fits", fits));
    TESS_TRY(tess__check_numbers(fn, "images", images));
    TESS_TRY(tess__check_ordered(fn, "images", images->dtype));
    TESS_CHECK(images->shape.d == 1, TESS_ESHAPE, "%s: `images` has shape %s; {b,1,h,w} is needed", fn,
               tess__shape_text(text, images->shape.dim));
    TESS_TRY(tess__error_under(tess_average_power(&power, images, patch, &averaged), fn));
    o.layout = TESS_FFT_H;
    patch.b = images->shape.b;
    output            out[OUTPUTS] = OUTPUTS_OF(fits, scores, resolutions, o);
    const tess_status status = fit(out, images, &power, patch, ctf, &o);
    tess_release(&power);
    TESS_TRY(status);
    return TESS_OK;
}
