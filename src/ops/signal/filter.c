/* Filters of spectra: what all of them check, and how they become a request. */
#include "ops/signal/filter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "tessera/ewise.h"
#include "tessera/filter.h"
#include "tessera/scalar.h"

/* ---- Resolution ---- */

static const tess_arg_info to_frequency_args[] = {
    TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, "frequency", "frequency in cycles per pixel"),
    TESS__NEED(TESS_ARG_F64, "resolution", "resolution in angstrom"),
    TESS__NEED(TESS_ARG_F64, "pixel_size", "pixel size in angstrom"),
};
static tess_status call_resolution_to_frequency(const tess_value *v, const void *opts)
{
    (void)opts;
    *(double *)v[0].result = tess_resolution_to_frequency(v[1].f64, v[2].f64);
    return TESS_OK;
}
const tess_function_info tess__info_resolution_to_frequency = TESS__OP(
    TESS_CUT_NONE, resolution_to_frequency, "filter", "Convert a resolution to a frequency.", to_frequency_args);

static const tess_arg_info to_resolution_args[] = {
    TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, "resolution", "resolution in angstrom"),
    TESS__NEED(TESS_ARG_F64, "frequency", "frequency in cycles per pixel"),
    TESS__NEED(TESS_ARG_F64, "pixel_size", "pixel size in angstrom"),
};
static tess_status call_frequency_to_resolution(const tess_value *v, const void *opts)
{
    (void)opts;
    *(double *)v[0].result = tess_frequency_to_resolution(v[1].f64, v[2].f64);
    return TESS_OK;
}
const tess_function_info tess__info_frequency_to_resolution = TESS__OP(
    TESS_CUT_NONE, frequency_to_resolution, "filter", "Convert a frequency to a resolution.", to_resolution_args);

/* Numbers that are passed by value are kept in memory, where the floating-point environment holds the arithmetic. */
static double quotient(double x, double y)
{
    TESS__FLOAT_SCOPE();
    const volatile double over = x, under = y;
    const volatile double result = over / under;
    return result;
}

double tess_resolution_to_frequency(double resolution, double pixel_size) { return quotient(pixel_size, resolution); }

double tess_frequency_to_resolution(double frequency, double pixel_size) { return quotient(pixel_size, frequency); }

/* ---- Checks ---- */

tess_status tess__check_frequency(const char *fn, const char *arg, double value)
{
    char text[32];
    TESS_CHECK(value >= 0 && value <= DBL_MAX, TESS_ERANGE,
               "%s: `%s` is %s; a finite number of cycles per pixel, 0 or more, is needed", fn, arg,
               tess__number_text(text, value));
    return TESS_OK;
}

tess_status tess__check_positive(const char *fn, const char *arg, double value)
{
    char text[32];
    TESS_CHECK(value > 0 && value <= DBL_MAX, TESS_ERANGE, "%s: `%s` is %s; a finite number above 0 is needed", fn, arg,
               tess__number_text(text, value));
    return TESS_OK;
}

static tess_status check_dtype(const char *fn, const char *arg, const tess_array *a)
{
    const tess_kind kind = tess_dtype_kind(a->dtype);
    TESS_CHECK(kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `%s` is %s; f16, f32, f64 or a complex type is needed", fn, arg, tess_dtype_name(a->dtype));
    return TESS_OK;
}

tess_status tess__filter_check_range(const tess__filter_call *c)
{
    char       text[2][32], shape[TESS__SHAPE_TEXT];
    const bool one_dimension = c->shape.d <= 1 && c->shape.h <= 1;
    TESS_CHECK(c->range.start == 0 ||
                   (one_dimension && tess__fft_is_half(c->range.from) && tess__fft_is_half(c->range.to)),
               TESS_EARG,
               "%s: `opts->start` is %s, shape is %s and the layouts are %s and %s; a start other than 0 is allowed "
               "only for signals in half layouts",
               c->fn, tess__number_text(text[0], c->range.start), tess__shape_text(shape, c->shape.dim),
               tess__fft_layouts[c->range.from - 1].name, tess__fft_layouts[c->range.to - 1].name);
    TESS_CHECK(c->range.stop == 0 || c->range.stop > c->range.start, TESS_ERANGE,
               "%s: `opts->stop` (%s) must exceed `opts->start` (%s)", c->fn, tess__number_text(text[0], c->range.stop),
               tess__number_text(text[1], c->range.start));
    const double highest = c->shape.w > 1 ? (double)(c->shape.w / 2) / (double)c->shape.w : 0.5;
    TESS_CHECK(c->range.start == 0 || c->range.stop != 0 || c->range.start < highest, TESS_ERANGE,
               "%s: `opts->start` is %s; it must be below `opts->stop`, by default %s, the highest frequency of shape",
               c->fn, tess__number_text(text[0], c->range.start), tess__number_text(text[1], highest));
    return TESS_OK;
}

static int64_t batches_of(const tess__filter_call *c) { return c->batches ? c->batches : c->shape.b; }

/* Rows of numbers, one for all batches or one for each: in host memory, or where the spectra are. */
static tess_status check_rows(const tess__filter_call *c, const char *arg, const tess_array *p, int64_t min,
                              int64_t max)
{
    char              text[2][TESS__SHAPE_TEXT], limits[64];
    const tess_array *a = c->in ? c->in : c->out;
    const int64_t     b = batches_of(c);
    TESS_TRY(tess__check_numbers(c->fn, arg, p));
    TESS_CHECK(p->dtype < TESS_C16, TESS_EDTYPE, "%s: `%s` is %s; a real type is needed", c->fn, arg,
               tess_dtype_name(p->dtype));
    const tess_shape *n = &p->shape;
    if (max < INT64_MAX) (void)snprintf(limits, sizeof limits, "from %" PRId64 " to %" PRId64, min, max);
    else (void)snprintf(limits, sizeof limits, "%" PRId64 " or more", min);
    TESS_CHECK((n->b == 1 || n->b == b) && n->d == 1 && n->h == 1 && n->w >= min && n->w <= max, TESS_ESHAPE,
               "%s: `%s` has shape %s and `shape` is %s; {1,1,1,m} or {%" PRId64 ",1,1,m} with m %s (%s) is needed",
               c->fn, arg, tess__shape_text(text[0], n->dim), tess__shape_text(text[1], c->shape.dim), b, limits,
               c->columns);
    if (p->flags & TESS_SCALAR) return TESS_OK;
    if (p->device.kind != TESS_CPU) TESS_TRY(tess__check_device_of(c->fn, arg, p, c->in ? "in" : "out", a));
    if (c->out->data) TESS_TRY(tess__check_overlap(c->fn, c->out, arg, p, false));
    return TESS_OK;
}

tess_status tess__filter_check_parameters(const tess__filter_call *c)
{
    const char *arg = c->parameters_name ? c->parameters_name : "opts->parameters";
    if (c->parameters) TESS_TRY(check_rows(c, arg, c->parameters, c->min_columns, c->max_columns));
    if (c->curve) TESS_TRY(check_rows(c, "curve", c->curve, 1, INT64_MAX));
    return TESS_OK;
}

tess_status tess__filter_read_rows(tess_array *rows, const tess__filter_call *c)
{
    tess_array  wide = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__check_pointer(c->fn, "out", c->out));
    if (c->in) TESS_TRY(tess__check_numbers(c->fn, "in", c->in));
    TESS_TRY(tess__filter_check_parameters(c));
    TESS_TRY(tess__check_waits(c->fn, c->parameters->device));
    TESS_GOTO(done, status, tess_cast(&wide, c->parameters, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(rows, &wide, tess_cpu()));
    TESS_GOTO(done, status, tess__sync(c->fn, c->parameters->device));
done:
    tess_release(&wide);
    return tess__error_under(status, c->fn);
}

/* The numbers of a row, {1,1,1,n}. */
static tess_status check_row(const tess__filter_call *c, int64_t index, const double *row, int64_t n)
{
    const char *of = c->parameters_name ? c->parameters_name : "opts->parameters";
    for (int64_t k = 0; k < n; k++) {
        char arg[96];
        (void)snprintf(arg, sizeof arg, "row %" PRId64 " of %s: %s", index, of, c->checks[k].name);
        TESS_TRY(c->checks[k].check(c->fn, arg, row[k]));
    }
    return TESS_OK;
}

tess_status tess__filter_check_rows(const tess__filter_call *c)
{
    tess_array  rows = { .data = NULL };
    tess_status status = TESS_OK;
    double      value;
    if (!c->parameters || !c->checks) return TESS_OK;
    if (c->parameters->flags & TESS_SCALAR) {
        TESS_TRY(tess__convert(&value, TESS_F64, c->parameters->data, c->parameters->dtype));
        return check_row(c, 0, &value, 1);
    }
    TESS_TRY(tess__filter_read_rows(&rows, c));
    for (int64_t b = 0; b < rows.shape.b; b++)
        TESS_GOTO(done, status, check_row(c, b, (const double *)rows.data + b * rows.shape.w, rows.shape.w));
done:
    tess_release(&rows);
    return status;
}

/* An input, and the output it goes to. */
tess_status tess__filter_check(tess__filter_call *c)
{
    if (c->range.to == 0) c->range.to = c->range.from;
    const tess__fft_variant given = { "shape", c->shape, "opts->from", c->range.from, .any_b = false };
    const tess__fft_variant wanted = { "shape", c->shape, "opts->to", c->range.to, .any_b = false };
    TESS_TRY(tess__check_pointer(c->fn, "out", c->out));
    const bool made = tess__is_empty_out(c->out);
    TESS_CHECK(c->in || !made, TESS_EARG,
               "%s: `in` is `NULL` and `out` is zeroed; one of them must be an allocated array", c->fn);
    if (c->in) {
        TESS_TRY(tess__check_spectrum(c->fn, "in", c->in, given));
        TESS_TRY(check_dtype(c->fn, "in", c->in));
    }
    if (!made) {
        TESS_TRY(tess__check_numbers(c->fn, "out", c->out));
        TESS_TRY(check_dtype(c->fn, "out", c->out));
    }
    const tess_array *a = c->in ? c->in : c->out;
    const bool        power = !made && c->out->dtype != a->dtype && c->out->dtype == tess_dtype_real(a->dtype);
    TESS_TRY(tess__filter_check_range(c));
    TESS_TRY(tess__filter_check_parameters(c));
    TESS_TRY(tess__filter_check_rows(c));
    TESS_TRY(tess__spectrum_output(c->fn, c->out, wanted, power ? c->out->dtype : a->dtype, a->device));
    if (c->in && !made)
        TESS_TRY(tess__check_overlap(c->fn, c->out, "in", c->in, c->range.from == c->range.to && !power));
    return TESS_OK;
}

/* ---- The request ---- */

void tess__filter_axes(tess__filter_axis axis[4], const tess__filter_call *c)
{
    for (int k = 1; k < 4; k++) {
        const int64_t      n = c->shape.dim[k];
        tess__filter_axis *a = &axis[k];
        *a = (tess__filter_axis){ .n = n, .span = 1, .count = (double)n };
        a->out = tess__fft_axis_of(c->range.to, k, n).order;
        a->in = tess__fft_axis_of(c->range.from, k, n).order;
        if (n <= 1 || (c->range.start == 0 && c->range.stop == 0 && !c->range.no_endpoint)) continue;
        a->start = k == 3 ? c->range.start : 0;
        a->span = (c->range.stop == 0 ? (double)(n / 2) / (double)n : c->range.stop) - a->start;
        a->count = (double)(n / 2 + c->range.no_endpoint);
    }
}

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

tess_status tess__filter_frequencies(tess_array axes[3], const tess__filter_call *c, tess_device device)
{
    tess__filter_axis axis[4];
    tess__filter_axes(axis, c);
    for (int k = 0; k < 3; k++) TESS_TRY(make_axis(&axes[k], c, &axis[k + 1], k + 1, device));
    return TESS_OK;
}

/* Rows as f64 on the device of the filter. */
static tess_status take_rows(tess_array *held, const tess_array *rows, tess_device device)
{
    tess_array  copy = { .data = NULL };
    tess_status status = TESS_OK;
    if (rows->device.kind != device.kind || (rows->flags & TESS_SCALAR)) {
        TESS_GOTO(done, status, tess_to_device(&copy, rows, device));
        rows = &copy;
    }
    TESS_GOTO(done, status, tess_cast(held, rows, TESS_F64, NULL));
done:
    tess_release(&copy);
    return status;
}

/* Parameters; those of a scalar of the caller's by value. */
static tess_status take_parameters(tess__spectrum_filter *work, tess_array *held, const tess__filter_call *c)
{
    if (!c->parameters) return TESS_OK;
    if (c->parameters->flags & TESS_SCALAR) {
        double value;
        TESS_TRY(tess__convert(&value, TESS_F64, c->parameters->data, c->parameters->dtype));
        work->columns[work->column_of[0]] = value;
        return TESS_OK;
    }
    TESS_TRY(take_rows(held, c->parameters, c->out->device));
    work->parameters = *held;
    return TESS_OK;
}

/* A curve, or multipliers or norms as they are. */
static tess_status take_table(tess__spectrum_filter *work, tess_array *held, const tess__filter_call *c)
{
    if (c->image) work->table = *c->image;
    if (c->norms) work->table = *c->norms;
    if (!c->curve) return TESS_OK;
    TESS_TRY(take_rows(held, c->curve, c->out->device));
    work->table = *held;
    work->spec.curve_n = held->shape.w;
    return TESS_OK;
}

static tess_status submit(tess__spectrum_filter *work, const tess__filter_call *c)
{
    const tess_array *in = c->in;
    tess_array        held = { .data = NULL }, parameters = { .data = NULL }, table = { .data = NULL };
    tess_status       status = TESS_OK;
    if (in) TESS_GOTO(done, status, tess__hold(&held, c->fn, &in));
    TESS_GOTO(done, status, take_parameters(work, &parameters, c));
    TESS_GOTO(done, status, take_table(work, &table, c));
    for (int k = 1; k < 4; k++)
        if (c->factors) work->factors[k] = c->factors[k];
    work->name = c->fn;
    if (work->spec.metric.ww == 0) work->spec.metric = (tess__metric){ .dd = 1, .hh = 1, .ww = 1 };
    work->batches = batches_of(c);
    work->out = *c->out;
    if (in) work->in = *in;
    tess__filter_axes(work->axis, c);
    TESS_GOTO(done, status, tess__spectrum_filter_run(work));
done:
    tess_release(&held);
    tess_release(&parameters);
    tess_release(&table);
    return status;
}

tess_status tess__filter_run(tess__spectrum_filter *work, const tess__filter_call *call)
{
    tess__filter_call c = *call;
    const bool        made = c.out && tess__is_empty_out(c.out);
    tess_status       status = TESS_OK;
    TESS_TRY(tess__filter_check(&c));
    if (tess__has_elements(c.out)) TESS_GOTO(done, status, submit(work, &c));
done:
    return tess__finish(tess__error_under(status, c.fn), c.out, made);
}
