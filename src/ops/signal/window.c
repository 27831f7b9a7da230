/* Window functions: Hann, Hamming, Blackman, Tukey, Gaussian, Kaiser and sinc, as arrays and at one index. */
#include "tessera/window.h"

#include <inttypes.h>
#include <math.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "tessera/constants.h"
#include "tessera/math.h"

/* ---- Descriptions ---- */

static const tess_choice dtypes[] = {
    { "f32", TESS_F32, "single precision" },
    { "f64", TESS_F64, "double precision" },
    { NULL, 0, NULL },
};

#define OUT_ROW TESS__OUT("out", "the window, a vector of f16, f32 or f64", .axes = "1,1,1,n")
#define VALUE_ROW TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, "value", "value of the window at index")
#define INDEX_ROW TESS__NEED(TESS_ARG_I64, "index", "index from 0 in the window, or in its half")
#define N_ROW TESS__NEED(TESS_ARG_I64, "n", "number of values of the whole window", .sample = "6")
#define OPTION_ROWS                                                                                                    \
    TESS__FLAG(tess_window_opts, periodic, "periodic window: n + 1 values without the last"),                          \
        TESS__FLAG(tess_window_opts, half, "only indices n / 2 to n - 1"),                                             \
        TESS__FLAG(tess_window_opts, normalize, "divide by the sum of the whole window"),                              \
        TESS__OPT_CHOICE(tess_window_opts, dtype, TESS_F64, dtypes, "dtype of a newly allocated output")

static const tess_arg_info args[] = { OUT_ROW, N_ROW, OPTION_ROWS };
static const tess_arg_info at_args[] = { VALUE_ROW, INDEX_ROW, N_ROW, OPTION_ROWS };

/* Windows without and with a number of their own. */
#define DESCRIBE(name_, help_)                                                                                         \
    TESS__CALL(window_##name_, v[0].out, v[1].i64, opts)                                                               \
    const tess_function_info tess__info_window_##name_ =                                                               \
        TESS__OP_OPTS(TESS_CUT_NONE, window_##name_, "window", help_ ".", args, tess_window_opts);                     \
    TESS__CALL(window_##name_##_at, v[0].result, v[1].i64, v[2].i64, opts)                                             \
    const tess_function_info tess__info_window_##name_##_at = TESS__OP_OPTS(                                           \
        TESS_CUT_NONE, window_##name_##_at, "window", help_ ", at an index.", at_args, tess_window_opts);
#define DESCRIBE_WITH(name_, number_, about_, help_)                                                                   \
    static const tess_arg_info name_##_args[] = { OUT_ROW, N_ROW, TESS__NEED(TESS_ARG_F64, number_, about_),           \
                                                  OPTION_ROWS };                                                       \
    static const tess_arg_info name_##_at_args[] = { VALUE_ROW, INDEX_ROW, N_ROW,                                      \
                                                     TESS__NEED(TESS_ARG_F64, number_, about_), OPTION_ROWS };         \
    TESS__CALL(window_##name_, v[0].out, v[1].i64, v[2].f64, opts)                                                     \
    const tess_function_info tess__info_window_##name_ =                                                               \
        TESS__OP_OPTS(TESS_CUT_NONE, window_##name_, "window", help_ ".", name_##_args, tess_window_opts);             \
    TESS__CALL(window_##name_##_at, v[0].result, v[1].i64, v[2].i64, v[3].f64, opts)                                   \
    const tess_function_info tess__info_window_##name_##_at = TESS__OP_OPTS(                                           \
        TESS_CUT_NONE, window_##name_##_at, "window", help_ ", at an index.", name_##_at_args, tess_window_opts);

DESCRIBE(hann, "The Hann window: a raised cosine")
DESCRIBE(hamming, "The Hamming window: a raised cosine on a pedestal")
DESCRIBE(blackman, "The Blackman window: two cosines")
DESCRIBE_WITH(tukey, "alpha", "fraction of the window taken by both soft ends together, 0 to 1",
              "The Tukey window: flat, with ends of a raised cosine")
DESCRIBE_WITH(gaussian, "sigma", "standard deviation in samples, above 0", "The Gaussian window")
DESCRIBE_WITH(kaiser, "beta", "shape parameter, 0 (a rectangle) to 700", "The Kaiser window")
DESCRIBE_WITH(sinc, "k", "twice the cutoff frequency, in cycles per sample, above 0",
              "The sinc window: the impulse response of an ideal low-pass filter")

/* ---- Formulas ---- */

/* A window of `n` values, the first of a symmetric one of `whole`; `number` is alpha, sigma, beta or k. */
typedef struct window {
    double (*at)(const struct window *w, int64_t i);
    int64_t n, whole;
    double  number;
    double  divisor; /* of a normalised window its sum, else 1 */
} window;

/* cos(2 pi i / (whole - 1)), computed on the same side of the centre for both halves: so windows are symmetric. */
static double cosine(const window *w, int64_t i)
{
    const int64_t last = w->whole - 1, near = 2 * i < last ? i : last - i;
    return tessm_cos(2 * TESS_PI * (double)near / (double)last);
}

static double distance(const window *w, int64_t i) { return (double)i - (double)(w->whole - 1) / 2; }

static double hann_at(const window *w, int64_t i) { return 0.5 - 0.5 * cosine(w, i); }

static double hamming_at(const window *w, int64_t i) { return 0.54 - 0.46 * cosine(w, i); }

/* cos 2a = 2 cos^2 a - 1. What rounding leaves below 0 at the ends is 0. */
static double blackman_at(const window *w, int64_t i)
{
    const double c = cosine(w, i), value = 0.34 - 0.5 * c + 0.16 * c * c;
    return value > 0x1p-52 ? value : 0;
}

static double tukey_at(const window *w, int64_t i)
{
    const int64_t last = w->whole - 1, near = 2 * i < last ? i : last - i;
    const double  edge = w->number * (double)last / 2;
    return (double)near >= edge ? 1 : 0.5 - 0.5 * tessm_cos(TESS_PI * (double)near / edge);
}

static double gaussian_at(const window *w, int64_t i)
{
    const double x = distance(w, i) / w->number;
    return tessm_exp(-0.5 * x * x);
}

/* The power series of I0: all terms are positive, so that nothing cancels. */
static double bessel_i0(double x)
{
    const double quarter = x * x / 4;
    double       sum = 1, term = 1;
    for (double k = 1; term > sum * 0x1p-54; k++) {
        term *= quarter / (k * k);
        sum += term;
    }
    return sum;
}

static double kaiser_at(const window *w, int64_t i)
{
    const double c = (double)(w->whole - 1) / 2, x = distance(w, i) / c;
    return bessel_i0(w->number * tessm_sqrt(1 - x * x)) / bessel_i0(w->number);
}

/* The argument in half turns is reduced to one turn first: so the sine of many is as good as that of few. */
static double sinc_at(const window *w, int64_t i)
{
    const double x = distance(w, i), turns = w->number * x / 2;
    if (x == 0) return w->number;
    return tessm_sin(2 * TESS_PI * (turns - tessm_rint(turns))) / (TESS_PI * x);
}

static double value_at(const window *w, int64_t i)
{
    if (w->n == 1) return w->at == sinc_at ? w->number / w->divisor : 1 / w->divisor;
    return w->at(w, i) / w->divisor;
}

/* ---- Checks ---- */

static tess_status check_number(const char *fn, const window *w)
{
    const double x = w->number, infinite = (double)INFINITY;
    if (w->at == tukey_at) TESS_CHECK(x >= 0 && x <= 1, TESS_ERANGE, "%s: `alpha` is %g; 0 to 1 is allowed", fn, x);
    else if (w->at == gaussian_at)
        TESS_CHECK(x > 0 && x < infinite, TESS_ERANGE, "%s: `sigma` is %g samples; it must be finite and above 0", fn,
                   x);
    else if (w->at == kaiser_at)
        TESS_CHECK(x >= 0 && x <= 700, TESS_ERANGE, "%s: `beta` is %g; 0 to 700 is allowed", fn, x);
    else if (w->at == sinc_at)
        TESS_CHECK(x > 0 && x < infinite, TESS_ERANGE,
                   "%s: `k` is %g, twice the cutoff frequency; it must be finite and above 0", fn, x);
    return TESS_OK;
}

static tess_status resolve(window *w, tess_window_opts *o, const char *fn, const tess_function_info *info,
                           const tess_window_opts *opts)
{
    TESS_TRY(tess__resolve(info, opts, o));
    TESS_CHECK(w->n >= 0, TESS_ERANGE, "%s: `n` is %" PRId64 "; 0 or more is needed", fn, w->n);
    TESS_TRY(tess__check_shape(fn, "n", TESS_SHAPE(1, 1, 1, w->n), TESS_F64));
    TESS_TRY(check_number(fn, w));
    w->whole = w->n + (o->periodic != 0);
    w->divisor = 1;
    return TESS_OK;
}

/* The divisor of a window whose sum is 1: all of its values are computed for it. */
static tess_status normalize(window *w, const tess_window_opts *o, const char *fn)
{
    double sum = 0;
    if (!o->normalize || w->n == 0) return TESS_OK;
    for (int64_t i = 0; i < w->n; i++) sum += value_at(w, i);
    TESS_CHECK(sum != 0, TESS_ERANGE,
               "%s: `opts->normalize` is 1, but the sum of the window of n = %" PRId64
               " values is 0; it cannot be normalised",
               fn, w->n);
    w->divisor = sum;
    return TESS_OK;
}

/* ---- Arrays ---- */

/* A view of an `out` that lies along any one axis as a row. */
static tess_status row_of(tess_array *row, const char *fn, const tess_array *out, int64_t length)
{
    char text[TESS__SHAPE_TEXT];
    int  axis = 3, others = 0;
    for (int d = 0; d < 4; d++)
        if (out->shape.dim[d] != 1) axis = d, others++;
    TESS_CHECK(others <= 1 && out->shape.dim[axis] == length, TESS_ESHAPE,
               "%s: `out` has shape %s; {1,1,1,%" PRId64 "} is needed, or the same size along another axis", fn,
               tess__shape_text(text, out->shape.dim), length);
    *row = *out;
    row->shape = TESS_SHAPE(1, 1, 1, length);
    row->strides.w = out->strides.dim[axis];
    return TESS_OK;
}

static tess_status prepare(tess_array *row, const char *fn, tess_array *out, int64_t length, int32_t dtype)
{
    if (tess__is_empty_out(out)) {
        TESS_TRY(tess__make(fn, out, TESS_SHAPE(1, 1, 1, length), (tess_dtype)dtype, tess_cpu(), false));
        *row = *out;
        return TESS_OK;
    }
    TESS_TRY(tess__check_writable(fn, "out", out));
    TESS_CHECK(tess_dtype_kind(out->dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               "%s: `out` is %s; f16, f32 or f64 is needed", fn, tess_dtype_name(out->dtype));
    TESS_TRY(row_of(row, fn, out, length));
    return TESS_OK;
}

/* The values are few, and made on the host; then they are converted and moved to where `out` is. */
static tess_status fill(tess_array *row, const char *fn, window *w, const tess_window_opts *o)
{
    const int64_t length = row->shape.w, first = w->n - length;
    tess_array    values = { .data = NULL }, there = { .data = NULL };
    tess_status   status = TESS_OK;
    TESS_TRY(tess__make(fn, &values, TESS_SHAPE(1, 1, 1, length), TESS_F64, tess_cpu(), false));
    TESS_GOTO(done, status, normalize(w, o, fn));
    double *to = values.data;
    for (int64_t i = 0; i < length; i++) to[i] = value_at(w, first + i);
    TESS_GOTO(done, status, tess_to_device(&there, &values, row->device));
    TESS_GOTO(done, status, tess_cast(row, &there, row->dtype, NULL));
done:
    tess_release(&values);
    tess_release(&there);
    return status;
}

static tess_status make_window(tess_array *out, window w, const tess_function_info *info, const tess_window_opts *opts)
{
    TESS__FLOAT_SCOPE();
    const char      *fn = info->name;
    tess_window_opts o;
    tess_array       row;
    TESS_TRY(resolve(&w, &o, fn, info, opts));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    const bool    made = tess__is_empty_out(out);
    const int64_t first = o.half ? w.n / 2 : 0;
    TESS_TRY(prepare(&row, fn, out, w.n - first, o.dtype));
    if (w.n == 0) return TESS_OK;
    const tess_status status = fill(&row, fn, &w, &o);
    return tess__finish(tess__error_under(status, fn), out, made);
}

static tess_status value_of(double *value, int64_t index, window w, const tess_function_info *info,
                            const tess_window_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_window_opts o;
    TESS_TRY(tess__check_pointer(info->name, "value", value));
    TESS_TRY(resolve(&w, &o, info->name, info, opts));
    const int64_t first = o.half ? w.n / 2 : 0;
    TESS_CHECK(index >= 0 && index < w.n - first, TESS_ERANGE,
               "%s: `index` is %" PRId64 "; 0 to %" PRId64 " is allowed", info->name, index, w.n - first - 1);
    TESS_TRY(normalize(&w, &o, info->name));
    *value = value_at(&w, first + index);
    return TESS_OK;
}

/* ---- The public functions ---- */

#define WINDOW(name)                                                                                                   \
    tess_status tess_window_##name(tess_array *out, int64_t n, const tess_window_opts *opts)                           \
    {                                                                                                                  \
        TESS_TRY(make_window(out, (window){ .at = name##_at, .n = n }, &tess__info_window_##name, opts));              \
        return TESS_OK;                                                                                                \
    }                                                                                                                  \
    tess_status tess_window_##name##_at(double *value, int64_t index, int64_t n, const tess_window_opts *opts)         \
    {                                                                                                                  \
        TESS_TRY(value_of(value, index, (window){ .at = name##_at, .n = n }, &tess__info_window_##name##_at, opts));   \
        return TESS_OK;                                                                                                \
    }
#define WINDOW_WITH(name, x)                                                                                           \
    tess_status tess_window_##name(tess_array *out, int64_t n, double x, const tess_window_opts *opts)                 \
    {                                                                                                                  \
        TESS_TRY(make_window(out, (window){ .at = name##_at, .n = n, .number = x }, &tess__info_window_##name, opts)); \
        return TESS_OK;                                                                                                \
    }                                                                                                                  \
    tess_status tess_window_##name##_at(double *value, int64_t index, int64_t n, double x,                             \
                                        const tess_window_opts *opts)                                                  \
    {                                                                                                                  \
        const window w = { .at = name##_at, .n = n, .number = x };                                                     \
        TESS_TRY(value_of(value, index, w, &tess__info_window_##name##_at, opts));                                     \
        return TESS_OK;                                                                                                \
    }
WINDOW(hann)
WINDOW(hamming)
WINDOW(blackman)
WINDOW_WITH(tukey, alpha)
WINDOW_WITH(gaussian, sigma)
WINDOW_WITH(kaiser, beta)
WINDOW_WITH(sinc, k)
