/* Contrast transfer function: single values, images of it, and spectra multiplied by it. */
#include "tessera/ctf.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/check.h"
#include "core/float_env.h"
#include "core/registry.h"
#include "core/text.h"
#include "ops/ctf.op.h"
#include "ops/signal/filter.h"

_Static_assert(sizeof(tess_ctf) == TESS__CTF_COLUMNS * sizeof(double), "a tess_ctf is a row of parameters");
_Static_assert((int)TESS_CTF_COLUMNS == (int)TESS__CTF_COLUMNS, "columns of a tess_ctf");
_Static_assert((int)TESS_CTF_EVEN_COLUMNS == (int)TESS__CTF_TILT_H, "columns before those of odd phases");

/* ---- Descriptions ---- */

#define OUT TESS__OUT("out", "the spectrum times the filter, or its power; may be exactly in if the layout stays")
#define IN TESS__IN("in", "a spectrum; NULL: out, which was made, receives the filter")
#define SHAPE TESS__NEED_SHAPE("shape", "logical shape: that of the real array, or of the full spectrum")
#define CTF                                                                                                            \
    TESS__NEED(TESS_ARG_NUMBERS, "ctf",                                                                                \
               "pixel size h, w, defocus, astigmatism, angle, voltage, amplitude, Cs … as tess_ctf has them")
#define OPTIONS                                                                                                        \
    TESS__OPT_ARRAY(tess_ctf_opts, parameters, const tess_array *, "{b,1,1,m}: a CTF for each batch"),                 \
        TESS__FLAG(tess_ctf_opts, abs, "the magnitude of the CTF"),                                                    \
        TESS__FLAG(tess_ctf_opts, squared, "the square of the CTF"), TESS__FILTER_ROWS(tess_ctf_opts)

/* The numbers of a description as a struct; NULL if there are none. */
static tess_status ctf_of(tess_ctf *ctf, const char *fn, const tess_value *v)
{
    const int64_t n = v->list.n;
    TESS_CHECK(n >= TESS_CTF_MIN_COLUMNS && n <= TESS_CTF_COLUMNS, TESS_EARG,
               "%s: ctf has %" PRId64 " numbers; %d to %d are needed", fn, n, TESS_CTF_MIN_COLUMNS, TESS_CTF_COLUMNS);
    memset(ctf, 0, sizeof *ctf);
    memcpy(ctf, v->list.of.numbers, (size_t)n * sizeof(double));
    return TESS_OK;
}

#define CALL(name, at, ...)                                                                                            \
    static tess_status call_##name(const tess_value *v, const void *opts)                                              \
    {                                                                                                                  \
        tess_ctf ctf;                                                                                                  \
        TESS_TRY(ctf_of(&ctf, #name, &v[at]));                                                                         \
        return tess_##name(__VA_ARGS__);                                                                               \
    }
CALL(ctf_image, 2, v[0].out, v[1].shape, &ctf, opts)
CALL(ctf_apply, 3, v[0].out, v[1].in, v[2].shape, &ctf, opts)
CALL(ctf_flip, 3, v[0].out, v[1].in, v[2].shape, &ctf, opts)
CALL(ctf_wiener, 3, v[0].out, v[1].in, v[2].shape, &ctf, v[4].f64, opts)
#undef CALL

static const tess_arg_info image_args[] = {
    TESS__OUT_ALLOCATED("out", "floats or complex numbers, in the shape of the layout asked for"), SHAPE, CTF, OPTIONS
};
static const tess_arg_info apply_args[] = { OUT, IN, SHAPE, CTF, OPTIONS };
static const tess_arg_info wiener_args[] = {
    OUT, IN, SHAPE, CTF, TESS__NEED(TESS_ARG_F64, "snr", "signal to noise ratio, above 0"), OPTIONS
};
const tess_function_info tess__info_ctf_image =
    TESS__OP_OPTS(TESS_CUT_NONE, ctf_image, "ctf", "The contrast transfer function.", image_args, tess_ctf_opts);
const tess_function_info tess__info_ctf_apply = TESS__OP_OPTS(
    TESS_CUT_BATCHES, ctf_apply, "ctf", "A spectrum times the contrast transfer function.", apply_args, tess_ctf_opts);
const tess_function_info tess__info_ctf_flip =
    TESS__OP_OPTS(TESS_CUT_BATCHES, ctf_flip, "ctf", "A spectrum times the sign of the contrast transfer function.",
                  apply_args, tess_ctf_opts);
const tess_function_info tess__info_ctf_wiener =
    TESS__OP_OPTS(TESS_CUT_BATCHES, ctf_wiener, "ctf",
                  "A spectrum times the Wiener filter of the contrast transfer function.", wiener_args, tess_ctf_opts);

static const tess_arg_info wavelength_args[] = {
    TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, "wavelength", "angstrom"),
    TESS__NEED(TESS_ARG_F64, "voltage", "kilovolt"),
};
static tess_status call_ctf_wavelength(const tess_value *v, const void *opts)
{
    (void)opts;
    *(double *)v[0].result = tess_ctf_wavelength(v[1].f64);
    return TESS_OK;
}
const tess_function_info tess__info_ctf_wavelength =
    TESS__OP(TESS_CUT_NONE, ctf_wavelength, "ctf", "The wavelength of electrons.", wavelength_args);

/* ---- Single values ---- */

/* Numbers that are passed by value are kept in memory, where the floating-point environment holds the arithmetic. */
double tess_ctf_wavelength(double voltage)
{
    TESS__FLOAT_SCOPE();
    const volatile double given = voltage;
    const volatile double wavelength = tess__ctf_wavelength(given);
    return wavelength;
}

static tess__ctf_row row_at(const tess_ctf *ctf, double fh)
{
    double columns[TESS__CTF_COLUMNS];
    memcpy(columns, ctf, sizeof columns);
    const tess__ctf_values values = tess__ctf_values_of(columns);
    return tess__ctf_row_of(&values, 0, fh);
}

double tess_ctf_phase_at(const tess_ctf *ctf, double fh, double fw)
{
    TESS__FLOAT_SCOPE();
    const tess__ctf_row row = row_at(ctf, fh);
    return TESS__PI * tess__ctf_even(&row, fw);
}

double tess_ctf_value_at(const tess_ctf *ctf, double fh, double fw)
{
    TESS__FLOAT_SCOPE();
    const tess__ctf_row row = row_at(ctf, fh);
    return tess__ctf_value_f64(&row, fw, 1);
}

double tess_ctf_envelope_at(const tess_ctf *ctf, double fh, double fw)
{
    TESS__FLOAT_SCOPE();
    const tess__ctf_row row = row_at(ctf, fh);
    return tess__ctf_envelope_f64(&row, fw);
}

double tess_ctf_odd_phase_at(const tess_ctf *ctf, double fh, double fw)
{
    TESS__FLOAT_SCOPE();
    const tess__ctf_row row = row_at(ctf, fh);
    return TESS__PI * tess__ctf_odd(&row, fw);
}

double tess_ctf_defocus_at(const tess_ctf *ctf, double angle)
{
    TESS__FLOAT_SCOPE();
    return ctf->defocus + ctf->astigmatism * tess__cos_f64(2 * (angle - ctf->angle));
}

static double voltage_of(const tess_ctf *ctf) { return ctf->voltage == 0 ? 300 : ctf->voltage; }

/* The smallest x = r^2, 0 or more, with quartic x^2 + defocus x = phase, all in half turns; NaN if there is none.
 * Written without cancellation, so that a small Cs is not a special case but for 0. */
static double solve_square(double quartic, double defocus, double phase)
{
    if (phase == 0) return 0;
    if (quartic == 0) return phase / defocus;
    const double root = sqrt(fma(defocus, defocus, 4 * quartic * phase));
    const double sum = -0.5 * (defocus + copysign(root, defocus));
    const double one = sum / quartic, two = -phase / sum;
    if (one >= 0 && two >= 0) return fmin(one, two);
    return one >= 0 ? one : two;
}

tess_status tess_ctf_frequency_at(double *frequency, const tess_ctf *ctf, double phase)
{
    TESS__FLOAT_SCOPE();
    char text[32];
    TESS_TRY(tess__check_pointer("ctf_frequency_at", "frequency", frequency));
    TESS_TRY(tess__check_pointer("ctf_frequency_at", "ctf", ctf));
    const double wavelength = tess__ctf_wavelength(voltage_of(ctf));
    const double quartic = 0.5e7 * ctf->cs * wavelength * wavelength * wavelength;
    const double offset = ctf->phase_shift + tess__ctf_amplitude_phase(ctf->amplitude);
    const double x = solve_square(quartic, -1e4 * wavelength * ctf->defocus, (phase + offset) / TESS__PI);
    TESS_CHECK(x >= 0 && x <= DBL_MAX, TESS_ERANGE, "ctf_frequency_at: phase is %s; no frequency of this CTF has it",
               tess__number_text(text, phase));
    *frequency = sqrt(x) * ctf->pixel_size[0];
    return TESS_OK;
}

/* With c = Cs L^2, m the mean defocus and d that of the direction, s = r^2 of the isotropic CTF solves
 *
 *     c/2 s^2 + m s = c/2 r^4 + d r^2
 *
 * on the branch on which the phase of the isotropic CTF grows or falls as that of the other does. */
double tess_ctf_isotropic_frequency(const tess_ctf *ctf, double fh, double fw)
{
    TESS__FLOAT_SCOPE();
    const double pixel_h = ctf->pixel_size[0], pixel_w = ctf->pixel_size[1] == 0 ? pixel_h : ctf->pixel_size[1];
    const double y = fh / pixel_h, x = fw / pixel_w, r2 = fma(y, y, x * x);
    if (r2 == 0) return 0;
    const double wavelength = tess__ctf_wavelength(voltage_of(ctf)), c = 1e7 * ctf->cs * wavelength * wavelength;
    const double m = -1e4 * ctf->defocus, d = -1e4 * tess_ctf_defocus_at(ctf, tess__atan2_f64(y, x));
    const double phase = fma(0.5 * c, r2, d) * r2;
    const double root = copysign(sqrt(fabs(fma(m, m, 2 * c * phase))), fma(c, r2, d));
    const bool   same_sign = (root < 0) == (m < 0); /* then nothing cancels */
    const double s = c == 0 ? phase / m : same_sign ? 2 * phase / (m + root) : (root - m) / c;
    return sqrt(fabs(s)) * 0.5 * (pixel_h + pixel_w);
}

/* ---- Checks ---- */

static tess_status check_finite(const char *fn, const tess_ctf *ctf)
{
    char          text[32];
    const double *columns = ctf->pixel_size;
    for (int k = 0; k < TESS__CTF_COLUMNS; k++)
        TESS_CHECK(isfinite(columns[k]), TESS_ERANGE, "%s: number %d of ctf is %s; finite numbers are needed", fn, k,
                   tess__number_text(text, columns[k]));
    TESS_CHECK(ctf->pixel_size[0] > 0 && ctf->pixel_size[1] >= 0, TESS_ERANGE,
               "%s: ctf->pixel_size[%d] is %s; angstrom above 0 are needed", fn, ctf->pixel_size[0] > 0,
               tess__number_text(text, ctf->pixel_size[ctf->pixel_size[0] > 0]));
    TESS_CHECK(ctf->voltage >= 0, TESS_ERANGE, "%s: ctf->voltage is %s; kilovolt above 0 are needed", fn,
               tess__number_text(text, ctf->voltage));
    TESS_CHECK(ctf->amplitude >= 0 && ctf->amplitude < 1, TESS_ERANGE,
               "%s: ctf->amplitude is %s; 0 to below 1 is needed", fn, tess__number_text(text, ctf->amplitude));
    return TESS_OK;
}

/* What has a direction is for images. */
static tess_status check_rank(const char *fn, const tess_ctf *ctf, tess_shape shape)
{
    char       text[TESS__SHAPE_TEXT];
    const bool directed =
        ctf->astigmatism != 0 || ctf->tetrafoil != 0 || ctf->tilt[0] != 0 || ctf->tilt[1] != 0 || ctf->trefoil != 0;
    TESS_CHECK(!directed || shape.d <= 1, TESS_ESHAPE,
               "%s: shape is %s; astigmatism, tetrafoil, beam tilt and trefoil are for images, with d = 1", fn,
               tess__shape_text(text, shape.dim));
    return TESS_OK;
}

/* ---- Filters ---- */

static bool is_odd(const tess_ctf *ctf, const tess_array *parameters)
{
    if (parameters) return parameters->shape.w > TESS_CTF_EVEN_COLUMNS;
    return ctf->tilt[0] != 0 || ctf->tilt[1] != 0 || ctf->trefoil != 0;
}

static tess_status check_mode(const char *fn, const tess_ctf_opts *o, int mode)
{
    TESS_CHECK(!o->abs || !o->squared, TESS_EARG, "%s: opts->abs and opts->squared are both 1; one at most is allowed",
               fn);
    TESS_CHECK(mode < TESS__CTF_FLIP || (!o->abs && !o->squared), TESS_EARG, "%s: opts->%s is 1; it must be 0", fn,
               o->abs ? "abs" : "squared");
    return TESS_OK;
}

static tess_status describe(tess__spectrum_filter *work, tess__filter_call *c, const tess_ctf *ctf,
                            const tess_ctf_opts *o, int mode)
{
    TESS_TRY(check_mode(c->fn, o, mode));
    if (!o->parameters) {
        TESS_TRY(tess__check_pointer(c->fn, "ctf", ctf));
        TESS_TRY(check_finite(c->fn, ctf));
        TESS_TRY(check_rank(c->fn, ctf, c->shape));
        memcpy(work->columns, ctf, sizeof *ctf);
    }
    for (int k = 0; k < TESS__CTF_COLUMNS; k++) work->column_of[k] = k;
    work->spec.kind = TESS__FILTER_CTF;
    work->spec.mode = o->abs ? TESS__CTF_ABS : o->squared ? TESS__CTF_SQUARED : mode;
    work->spec.enveloped = work->spec.mode != TESS__CTF_FLIP && (o->parameters || ctf->bfactor != 0);
    if (o->parameters && o->parameters->shape.w <= TESS__CTF_BFACTOR) work->spec.enveloped = 0;
    work->spec.is_odd = is_odd(ctf, o->parameters) && !o->abs && !o->squared;
    c->range = TESS__FILTER_RANGE(*o);
    c->parameters = o->parameters;
    c->columns = "pixel_size h, w, defocus, astigmatism, angle, voltage, amplitude, cs …";
    c->min_columns = TESS_CTF_MIN_COLUMNS;
    c->max_columns = TESS_CTF_COLUMNS;
    return TESS_OK;
}

/* Complex values need a complex array. */
static tess_status run(tess__spectrum_filter *work, tess__filter_call *c)
{
    const tess_array *a = c->in ? c->in : c->out;
    TESS_CHECK(!work->spec.is_odd || !a || !a->data || tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: %s is %s; beam tilt and trefoil make the CTF complex: a complex type is needed", c->fn,
               c->in ? "in" : "out", tess_dtype_name(a->dtype));
    TESS_TRY(tess__filter_run(work, c));
    return TESS_OK;
}

tess_status tess_ctf_image(tess_array *out, tess_shape shape, const tess_ctf *ctf, const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_image" };
    tess__filter_call     call = { .fn = "ctf_image", .out = out, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_ctf_image, opts, &o));
    if (o.to == 0) o.to = TESS_FFT_H;
    o.from = o.to;
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_VALUE));
    TESS_TRY(run(&work, &call));
    return TESS_OK;
}

tess_status tess_ctf_apply(tess_array *out, const tess_array *in, tess_shape shape, const tess_ctf *ctf,
                           const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_apply" };
    tess__filter_call     call = { .fn = "ctf_apply", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_ctf_apply, opts, &o));
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_VALUE));
    TESS_TRY(run(&work, &call));
    return TESS_OK;
}

tess_status tess_ctf_flip(tess_array *out, const tess_array *in, tess_shape shape, const tess_ctf *ctf,
                          const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_flip" };
    tess__filter_call     call = { .fn = "ctf_flip", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_ctf_flip, opts, &o));
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_FLIP));
    TESS_TRY(run(&work, &call));
    return TESS_OK;
}

tess_status tess_ctf_wiener(tess_array *out, const tess_array *in, tess_shape shape, const tess_ctf *ctf, double snr,
                            const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    char                  text[32];
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_wiener" };
    tess__filter_call     call = { .fn = "ctf_wiener", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_ctf_wiener, opts, &o));
    TESS_CHECK(snr > 0 && snr <= DBL_MAX, TESS_ERANGE, "ctf_wiener: snr is %s; a finite number above 0 is needed",
               tess__number_text(text, snr));
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_WIENER));
    work.spec.noise = 1 / snr;
    TESS_TRY(run(&work, &call));
    return TESS_OK;
}
