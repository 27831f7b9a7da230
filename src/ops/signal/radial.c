/* Radial filters of spectra: B-factors, exposure (dose) filters, and curves of the user's. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/signal/filter.h"
#include "tessera/filter.h"

/* ---- Descriptions ---- */

#define SPECTRUM TESS__FILTER_OUT, TESS__FILTER_IN, TESS__FILTER_SHAPE
#define IMAGE TESS__IMAGE_OUT, TESS__IMAGE_IN
#define BFACTOR                                                                                                        \
    TESS__NEED(TESS_ARG_F64, "bfactor", "B-factor in square angstrom; positive damps, negative sharpens"),             \
        TESS__NEED(TESS_ARG_F64, "pixel_size", "pixel size in angstrom"),                                              \
        TESS__OPT_ROWS(tess_bfactor_opts, parameters, "{b,1,1,m}: bfactor and pixel size of each batch",               \
                       .sample = "b,1,1,2", .axes = "B,1,1,m"),                                                        \
        TESS__FILTER_ROWS(tess_bfactor_opts), TESS__METRIC_ROWS(tess_bfactor_opts)
#define DOSE                                                                                                           \
    TESS__IN_ROWS("doses", "accumulated dose, electrons per square angstrom, {b,1,1,1} or {1,1,1,1}",                  \
                  .sample = "b,1,1,1", .axes = "B,1,1,1"),                                                             \
        DOSE_OPTIONS
#define DOSE_OPTIONS                                                                                                   \
    TESS__NEED(TESS_ARG_F64, "pixel_size", "pixel size in angstrom"),                                                  \
        TESS__OPT_F64(tess_dose_weight_opts, voltage, "kilovolt", 300, 1, 1e5, "acceleration voltage"),                \
        TESS__AUTO_F64(tess_dose_weight_opts, critical_factor, "", "1 at 300 kV, 0.8 at 200 kV", TESS__POSITIVE, 1e6,  \
                       "factor applied to the critical dose"),                                                         \
        TESS__JOINING_FLAG(tess_dose_weight_opts, normalize,                                                           \
                           "scale so that the sum of all batches keeps the noise power"),                              \
        TESS__FILTER_ROWS(tess_dose_weight_opts), TESS__METRIC_ROWS(tess_dose_weight_opts)
#define CURVE                                                                                                          \
    TESS__IN_ROWS("curve", "multipliers at frequencies from 0 to last, {1,1,1,n} or {b,1,1,n}", .sample = "b,1,1,1",   \
                  .axes = "B,1,1,n"),                                                                                  \
        TESS__OPT_F64(tess_filter_curve_opts, last, "cycles per pixel", 0.5, 1e-6, 1e6,                                \
                      "frequency of the last value of curve"),                                                         \
        TESS__FILTER_ROWS(tess_filter_curve_opts), TESS__METRIC_ROWS(tess_filter_curve_opts)

static const tess_arg_info bfactor_args[] = { SPECTRUM, BFACTOR };
static const tess_arg_info bfactor_image_args[] = { IMAGE, BFACTOR };
static const tess_arg_info dose_args[] = { SPECTRUM, DOSE };
static const tess_arg_info dose_normalize_args[] = {
    SPECTRUM,
    TESS__IN("doses", "accumulated dose of each summed frame, electrons per square angstrom, {n,1,1,1}",
             .sample = "b,1,1,1", .axes = "n,1,1,1"),
    DOSE_OPTIONS,
};
static const tess_arg_info dose_image_args[] = { IMAGE, DOSE };
static const tess_arg_info curve_args[] = { SPECTRUM, CURVE };
static const tess_arg_info curve_image_args[] = { IMAGE, CURVE };

TESS__CALL(bfactor, v[0].out, v[1].in, v[2].shape, v[3].f64, v[4].f64, opts)
TESS__CALL(bfactor_image, v[0].out, v[1].in, v[2].f64, v[3].f64, opts)
TESS__CALL(dose_weight, v[0].out, v[1].in, v[2].shape, v[3].in, v[4].f64, opts)
TESS__CALL(dose_normalize, v[0].out, v[1].in, v[2].shape, v[3].in, v[4].f64, opts)
TESS__CALL(dose_weight_image, v[0].out, v[1].in, v[2].in, v[3].f64, opts)
TESS__CALL(filter_curve, v[0].out, v[1].in, v[2].shape, v[3].in, opts)
TESS__CALL(filter_curve_image, v[0].out, v[1].in, v[2].in, opts)

const tess_function_info tess__info_bfactor = TESS__OP_OPTS(
    TESS_CUT_BATCHES, bfactor, "filter", "Apply a B-factor to a spectrum.", bfactor_args, tess_bfactor_opts);
const tess_function_info tess__info_bfactor_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, bfactor_image, "filter", "Blur or sharpen real arrays by a B-factor.",
                  bfactor_image_args, tess_bfactor_opts);
const tess_function_info tess__info_dose_weight =
    TESS__OP_OPTS(TESS_CUT_BATCHES, dose_weight, "filter", "Dose-weight spectra (Grant & Grigorieff exposure filter).",
                  dose_args, tess_dose_weight_opts);
const tess_function_info tess__info_dose_normalize =
    TESS__OP_OPTS(TESS_CUT_NONE, dose_normalize, "filter", "Make the noise of summed dose-weighted spectra white.",
                  dose_normalize_args, tess_dose_weight_opts);
const tess_function_info tess__info_dose_weight_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, dose_weight_image, "filter",
                  "Dose-weight frames (Grant & Grigorieff exposure filter).", dose_image_args, tess_dose_weight_opts);
const tess_function_info tess__info_filter_curve =
    TESS__OP_OPTS(TESS_CUT_BATCHES, filter_curve, "filter", "Multiply a spectrum by a radial curve.", curve_args,
                  tess_filter_curve_opts);
const tess_function_info tess__info_filter_curve_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, filter_curve_image, "filter", "Filter real arrays by a radial curve.",
                  curve_image_args, tess_filter_curve_opts);

/* ---- B-factors ---- */

static tess_status check_finite(const char *fn, const char *arg, double value)
{
    char text[32];
    TESS_CHECK(isfinite(value), TESS_ERANGE, "%s: `%s` is %s; a finite number is needed", fn, arg,
               tess__number_text(text, value));
    return TESS_OK;
}

static const tess__filter_column bfactor_columns[] = { { "bfactor", check_finite },
                                                       { "pixel_size", tess__check_positive } };

static tess_status describe_bfactor(tess__spectrum_filter *work, tess__filter_call *c, double bfactor,
                                    double pixel_size, const tess_bfactor_opts *o)
{
    TESS_TRY(check_finite(c->fn, "bfactor", bfactor));
    TESS_TRY(tess__check_positive(c->fn, "pixel_size", pixel_size));
    TESS_TRY(tess__metric_of(&work->spec.metric, c->fn, &o->metric));
    work->spec.kind = TESS__FILTER_BFACTOR;
    work->columns[TESS__BFACTOR_B] = bfactor;
    work->columns[TESS__BFACTOR_PIXEL] = pixel_size;
    work->column_of[0] = TESS__BFACTOR_B;
    work->column_of[1] = TESS__BFACTOR_PIXEL;
    c->range = TESS__FILTER_RANGE(*o);
    c->parameters = o->parameters;
    c->columns = "bfactor, pixel_size";
    c->min_columns = 1;
    c->max_columns = 2;
    c->checks = bfactor_columns;
    return TESS_OK;
}

tess_status tess_bfactor(tess_array *out, const tess_array *in, tess_shape shape, double bfactor, double pixel_size,
                         const tess_bfactor_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_bfactor_opts     o;
    tess__spectrum_filter work = { .name = "bfactor" };
    tess__filter_call     call = { .fn = "bfactor", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_bfactor, opts, &o));
    TESS_TRY(describe_bfactor(&work, &call, bfactor, pixel_size, &o));
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

tess_status tess_bfactor_image(tess_array *out, const tess_array *in, double bfactor, double pixel_size,
                               const tess_bfactor_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_bfactor_opts     o;
    tess__spectrum_filter work = { .name = "bfactor_image" };
    tess__filter_call     call = { .fn = "bfactor_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_bfactor_image, opts, &o));
    TESS_TRY(describe_bfactor(&work, &call, bfactor, pixel_size, &o));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}

/* ---- Exposure ---- */

/* The factor of the critical dose, by voltage. */
static tess_status find_factor(double *factor, const char *fn, const tess_dose_weight_opts *o)
{
    char text[32];
    *factor = o->critical_factor != 0 ? o->critical_factor : o->voltage == 200 ? 0.8 : 1;
    TESS_CHECK(o->critical_factor != 0 || o->voltage == 300 || o->voltage == 200, TESS_ERANGE,
               "%s: `opts->voltage` is %s; voltages other than 300 and 200 need `opts->critical_factor`", fn,
               tess__number_text(text, o->voltage));
    return TESS_OK;
}

static tess_status check_dose(const char *fn, const char *arg, double value)
{
    char text[32];
    TESS_CHECK(value >= 0 && value <= DBL_MAX, TESS_ERANGE,
               "%s: `%s` is %s; a finite number of electrons per square angstrom, 0 or more, is needed", fn, arg,
               tess__number_text(text, value));
    return TESS_OK;
}

static const tess__filter_column dose_columns[] = { { "the dose", check_dose } };

static tess_status describe_doses(tess__spectrum_filter *work, tess__filter_call *c, const tess_array *doses,
                                  double pixel_size, const tess_dose_weight_opts *o)
{
    double factor;
    TESS_TRY(tess__check_pointer(c->fn, "doses", doses));
    TESS_TRY(tess__check_positive(c->fn, "pixel_size", pixel_size));
    TESS_TRY(find_factor(&factor, c->fn, o));
    TESS_TRY(tess__metric_of(&work->spec.metric, c->fn, &o->metric));
    work->spec.kind = TESS__FILTER_DOSE;
    work->spec.normalize = o->normalize ? TESS__DOSE_NORMALIZE : TESS__DOSE_PLAIN;
    work->columns[TESS__DOSE_PIXEL] = pixel_size;
    work->columns[TESS__DOSE_FACTOR] = factor;
    work->column_of[0] = TESS__DOSE_DOSE;
    c->range = TESS__FILTER_RANGE(*o);
    c->parameters = doses;
    c->parameters_name = "doses";
    c->columns = "the dose";
    c->min_columns = c->max_columns = 1;
    c->checks = dose_columns;
    return TESS_OK;
}

tess_status tess_dose_weight(tess_array *out, const tess_array *in, tess_shape shape, const tess_array *doses,
                             double pixel_size, const tess_dose_weight_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_dose_weight_opts o;
    tess__spectrum_filter work = { .name = "dose_weight" };
    tess__filter_call     call = { .fn = "dose_weight", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_dose_weight, opts, &o));
    TESS_TRY(describe_doses(&work, &call, doses, pixel_size, &o));
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

/* The norms of a spectrum, if they come of a table: its numbers are f32, and its frequencies those of its shape. */
static bool norms_by_table(const tess_array *in, tess_shape shape, const tess_dose_weight_opts *o)
{
    const tess_metric *m = &o->metric;
    const bool plain = o->start == 0 && o->stop == 0 && !o->no_endpoint && m->dd == 1 && m->hh == 1 && m->ww == 1 &&
                       m->dh == 0 && m->dw == 0 && m->hw == 0;
    return in && plain && tess__filter_precision(in) == TESS_F32 && tess__radial_by_table(shape);
}

static tess_status normalize_by_table(tess__filter_call *c, const tess_array *doses, double pixel_size,
                                      const tess_dose_weight_opts *o)
{
    tess__spectrum_filter       work = { .name = c->fn };
    const tess_dose_weight_opts of_table = { .stop = TESS__RADIAL_LAST,
                                             .voltage = o->voltage,
                                             .critical_factor = o->critical_factor };
    tess_array                  table = { .data = NULL };
    tess_status                 status = TESS_OK;
    TESS_TRY(tess__make(c->fn, &table, tess_rfft_shape(tess__radial_table()), TESS_F64, c->in->device, false));
    TESS_GOTO(done, status, tess_dose_normalize(&table, NULL, tess__radial_table(), doses, pixel_size, &of_table));
    work.spec.kind = TESS__FILTER_CURVE;
    work.spec.curve_stop = TESS__RADIAL_LAST;
    c->curve = &table;
    c->range = TESS__FILTER_RANGE(*o);
    TESS_GOTO(done, status, tess__filter_run(&work, c));
done:
    tess_release(&table);
    return status;
}

tess_status tess_dose_normalize(tess_array *out, const tess_array *in, tess_shape shape, const tess_array *doses,
                                double pixel_size, const tess_dose_weight_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_dose_weight_opts o;
    tess__spectrum_filter work = { .name = "dose_normalize" };
    tess__filter_call     call = { .fn = "dose_normalize", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_dose_normalize, opts, &o));
    if (norms_by_table(in, shape, &o)) return normalize_by_table(&call, doses, pixel_size, &o);
    TESS_TRY(describe_doses(&work, &call, doses, pixel_size, &o));
    TESS_TRY(tess__check_array("dose_normalize", "doses", doses));
    work.spec.normalize = TESS__DOSE_NORMS;
    call.batches = doses->shape.b;
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

/* What all frames are divided by, of the doses of all: once, since frames are filtered a few at a time. */
static tess_status make_norms(tess_array *norms, const tess__spectrum_filter *work, const tess__filter_call *c)
{
    tess__spectrum_filter inner = *work;
    tess__filter_call     call = *c;
    TESS_TRY(tess__image_check(c->fn, c->out, c->in));
    call.shape = c->in->shape;
    call.batches = call.shape.b;
    TESS_TRY(tess__filter_check_parameters(&call));
    call.shape.b = tess__has_elements(c->in) ? 1 : 0;
    TESS_TRY(tess__make(c->fn, norms, tess_rfft_shape(call.shape), TESS_F64, c->in->device, false));
    inner.spec.normalize = TESS__DOSE_NORMS;
    call.out = norms;
    call.in = NULL;
    call.range.from = call.range.to = TESS_FFT_H;
    TESS_TRY(tess__filter_run(&inner, &call));
    return TESS_OK;
}

tess_status tess_dose_weight_image(tess_array *out, const tess_array *in, const tess_array *doses, double pixel_size,
                                   const tess_dose_weight_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_dose_weight_opts o;
    tess__spectrum_filter work = { .name = "dose_weight_image" };
    tess__filter_call     call = { .fn = "dose_weight_image", .out = out, .in = in };
    tess_array            norms = { .data = NULL };
    tess_status           status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_dose_weight_image, opts, &o));
    TESS_TRY(describe_doses(&work, &call, doses, pixel_size, &o));
    if (o.normalize) {
        TESS_GOTO(done, status, make_norms(&norms, &work, &call));
        work.spec.normalize = TESS__DOSE_NORM_TABLE;
        call.checks = NULL; /* they have been made for the norms */
        call.norms = &norms;
    }
    TESS_GOTO(done, status, tess__filter_image(&work, &call));
done:
    tess_release(&norms);
    return status;
}

/* ---- Curves ---- */

static tess_status describe_curve(tess__spectrum_filter *work, tess__filter_call *c, const tess_array *curve,
                                  const tess_filter_curve_opts *o)
{
    TESS_TRY(tess__check_pointer(c->fn, "curve", curve));
    TESS_TRY(tess__metric_of(&work->spec.metric, c->fn, &o->metric));
    work->spec.kind = TESS__FILTER_CURVE;
    work->spec.curve_stop = o->last;
    c->range = TESS__FILTER_RANGE(*o);
    c->curve = curve;
    c->columns = "its values";
    return TESS_OK;
}

tess_status tess_filter_curve(tess_array *out, const tess_array *in, tess_shape shape, const tess_array *curve,
                              const tess_filter_curve_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_filter_curve_opts o;
    tess__spectrum_filter  work = { .name = "filter_curve" };
    tess__filter_call      call = { .fn = "filter_curve", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_filter_curve, opts, &o));
    TESS_TRY(describe_curve(&work, &call, curve, &o));
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

tess_status tess_filter_curve_image(tess_array *out, const tess_array *in, const tess_array *curve,
                                    const tess_filter_curve_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_filter_curve_opts o;
    tess__spectrum_filter  work = { .name = "filter_curve_image" };
    tess__filter_call      call = { .fn = "filter_curve_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_filter_curve_image, opts, &o));
    TESS_TRY(describe_curve(&work, &call, curve, &o));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}
