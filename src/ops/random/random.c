/* Random numbers: uniform, normal and other floats, integers, Poisson; checks and request. */
#include "tessera/random.h"

#include <inttypes.h>
#include <math.h>

#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/random/random.h"
#include "tessera/math/random.op.h"

/* Rows of a generator, with the options that it alone has; `sample_` is that of out. */
#define NUMBERS(name, sample_, ...)                                                                                    \
    static const tess_arg_info name##_args[] = {                                                                       \
        TESS__OUT_ALLOCATED("out", "allocated array, filled with the numbers", .sample = (sample_)),                   \
        __VA_ARGS__,                                                                                                   \
        TESS__RANDOM_ARGS,                                                                                             \
    }
NUMBERS(uniform, NULL, TESS__NEED(TESS_ARG_F64, "low", "minimum, included"),
        TESS__NEED(TESS_ARG_F64, "high", "maximum, excluded unless it equals `low`", .sample = "2"));
NUMBERS(normal, NULL, TESS__NEED(TESS_ARG_F64, "mean", "mean of the numbers"),
        TESS__NEED(TESS_ARG_F64, "std", "standard deviation of the numbers"));
NUMBERS(lognormal, NULL, TESS__NEED(TESS_ARG_F64, "mean", "mean of the logarithms"),
        TESS__NEED(TESS_ARG_F64, "std", "standard deviation of the logarithms"));
NUMBERS(exponential, NULL, TESS__NEED(TESS_ARG_F64, "scale", "mean of the numbers"));
NUMBERS(poisson, NULL,
        TESS__IN("means", "mean of each number, or of both its parts, from 0 to 2^53; broadcast to out"));
NUMBERS(integers, "integer", TESS__NEED(TESS_ARG_I64, "low", "minimum, included"),
        TESS__NEED(TESS_ARG_I64, "high", "maximum, included", .sample = "5"));
#undef NUMBERS

TESS__RANDOM_INFO(uniform, "Uniform random numbers from low to high.", v[0].out, v[1].f64, v[2].f64, v[3].u64, opts);
TESS__RANDOM_INFO(normal, "Normally distributed random numbers.", v[0].out, v[1].f64, v[2].f64, v[3].u64, opts);
TESS__RANDOM_INFO(lognormal, "Log-normally distributed random numbers.", v[0].out, v[1].f64, v[2].f64, v[3].u64, opts);
TESS__RANDOM_INFO(exponential, "Exponentially distributed random numbers.", v[0].out, v[1].f64, v[2].u64, opts);
TESS__RANDOM_INFO(poisson, "Poisson-distributed random numbers with given means.", v[0].out, v[1].in, v[2].u64, opts);
TESS__RANDOM_INFO(integers, "Uniform random integers from low to high.", v[0].out, v[1].i64, v[2].i64, v[3].u64, opts);

/* ---- Dtypes and parameters ---- */

static tess_status check_floats(const char *fn, const tess_array *out)
{
    const tess_kind kind = tess_dtype_kind(out->dtype);
    TESS_CHECK(kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `out` is %s; a float or complex type is needed", fn, tess_dtype_name(out->dtype));
    return TESS_OK;
}

/* The largest number of a float. */
static double largest(tess_dtype real)
{
    return real == TESS_F16 ? 65504 : real == TESS_F32 ? 0x1.fffffep127 : DBL_MAX;
}

static tess_status check_number(const char *fn, const char *arg, double value, double min, tess_dtype dtype)
{
    const tess_dtype real = tess_dtype_real(dtype);
    char             text[3][32];
    TESS_CHECK(value >= min && value <= largest(real), TESS_ERANGE, "%s: `%s` is %s; %s to %s is allowed for %s", fn,
               arg, tess__number_text(text[0], value), tess__number_text(text[1], min),
               tess__number_text(text[2], largest(real)), tess_dtype_name(dtype));
    return TESS_OK;
}

/* The number that a float holds for x, and the next below one of its numbers. */
static tess_status rounded(double *y, double x, tess_dtype real)
{
    unsigned char bytes[8];
    TESS_TRY(tess__convert(bytes, real, &x, TESS_F64));
    TESS_TRY(tess__convert(y, TESS_F64, bytes, real));
    return TESS_OK;
}

static double next_below(double x, tess_dtype real)
{
    if (real == TESS_F64) return nextafter(x, -(double)INFINITY);
    if (real == TESS_F32) return (double)nextafterf((float)x, -INFINITY);
    int          exponent;
    const bool   power = frexp(x, &exponent) == 0.5; /* below a power of 2 numbers lie closer */
    const double unit = ldexp(1, exponent - 11 - power);
    return x - (x == 0 || unit < 0x1p-24 ? 0x1p-24 : unit);
}

/* ---- Calls ---- */

tess_status tess__random_begin(tess__random *work, const tess_function_info *info, int kind, tess_array *out,
                               uint64_t seed, const tess_random_opts *opts)
{
    tess_random_opts o;
    TESS_TRY(tess__resolve(info, opts, &o));
    TESS_TRY(tess__check_writable(info->name, "out", out));
    *work = (tess__random){
        .name = info->name, .kind = kind, .offset = o.offset, .spec = { .seed = seed, .stream = o.stream }, .out = *out
    };
    return TESS_OK;
}

static tess_status finish(const tess__random *work)
{
    if (!tess__has_elements(&work->out)) return TESS_OK;
    TESS_TRY(tess__random_run(work));
    return TESS_OK;
}

tess_status tess_random_uniform(tess_array *out, double low, double high, uint64_t seed, const tess_random_opts *opts)
{
    TESS__FLOAT_SCOPE();
    const char  *fn = "random_uniform";
    tess__random work;
    TESS_TRY(tess__random_begin(&work, &tess__info_random_uniform, TESS__RANDOM_UNIFORM, out, seed, opts));
    TESS_TRY(check_floats(fn, out));
    const tess_dtype real = tess_dtype_real(out->dtype);
    TESS_TRY(check_number(fn, "low", low, -largest(real), out->dtype));
    TESS_TRY(check_number(fn, "high", high, low, out->dtype));
    TESS_TRY(rounded(&low, low, real));
    TESS_TRY(rounded(&high, high, real));
    TESS_TRY(check_number(fn, "high - low", high - low, 0, out->dtype));
    tess__random_spec *spec = &work.spec;
    spec->low = low;
    TESS_TRY(rounded(&spec->range, high - low, real));
    spec->max = high > low ? next_below(high, real) : low;
    TESS_TRY(finish(&work));
    return TESS_OK;
}

static tess_status normal(const tess_function_info *info, int kind, tess_array *out, double mean, double std,
                          uint64_t seed, const tess_random_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess__random work;
    TESS_TRY(tess__random_begin(&work, info, kind, out, seed, opts));
    TESS_TRY(check_floats(info->name, out));
    TESS_TRY(check_number(info->name, "mean", mean, -largest(tess_dtype_real(out->dtype)), out->dtype));
    TESS_TRY(check_number(info->name, "std", std, 0, out->dtype));
    work.spec.mean = mean;
    work.spec.std = std;
    TESS_TRY(finish(&work));
    return TESS_OK;
}

tess_status tess_random_normal(tess_array *out, double mean, double std, uint64_t seed, const tess_random_opts *opts)
{
    TESS_TRY(normal(&tess__info_random_normal, TESS__RANDOM_NORMAL, out, mean, std, seed, opts));
    return TESS_OK;
}

tess_status tess_random_lognormal(tess_array *out, double mean, double std, uint64_t seed, const tess_random_opts *opts)
{
    TESS_TRY(normal(&tess__info_random_lognormal, TESS__RANDOM_LOGNORMAL, out, mean, std, seed, opts));
    return TESS_OK;
}

tess_status tess_random_exponential(tess_array *out, double scale, uint64_t seed, const tess_random_opts *opts)
{
    TESS__FLOAT_SCOPE();
    const char  *fn = "random_exponential";
    tess__random work;
    TESS_TRY(tess__random_begin(&work, &tess__info_random_exponential, TESS__RANDOM_EXPONENTIAL, out, seed, opts));
    TESS_TRY(check_floats(fn, out));
    TESS_TRY(check_number(fn, "scale", scale, 0, out->dtype));
    work.spec.mean = scale;
    TESS_TRY(finish(&work));
    return TESS_OK;
}

/* ---- Integers ---- */

/* The range in which a real dtype holds every integer; u64 ends where int64_t does. */
static void whole_range(tess_dtype dtype, int64_t *min, int64_t *max)
{
    const int bits = 8 * (int)tess_dtype_size(dtype);
    switch (tess_dtype_kind(dtype)) {
    case TESS_KIND_BOOL: *min = 0, *max = 1; return;
    case TESS_KIND_INT: *min = INT64_MIN >> (64 - bits), *max = INT64_MAX >> (64 - bits); return;
    case TESS_KIND_UINT: *min = 0, *max = bits == 64 ? INT64_MAX : (INT64_C(1) << bits) - 1; return;
    default: *max = INT64_C(1) << (bits == 16 ? 11 : bits == 32 ? 24 : 53), *min = -*max; return;
    }
}

static tess_status check_whole(const char *fn, const char *arg, int64_t value, int64_t min, tess_dtype dtype)
{
    int64_t low, max;
    whole_range(dtype, &low, &max);
    if (min > low) low = min;
    TESS_CHECK(value >= low && value <= max, TESS_ERANGE,
               "%s: `%s` is %" PRId64 "; %" PRId64 " to %" PRId64 " is allowed for %s", fn, arg, value, low, max,
               tess_dtype_name(dtype));
    return TESS_OK;
}

tess_status tess_random_integers(tess_array *out, int64_t low, int64_t high, uint64_t seed,
                                 const tess_random_opts *opts)
{
    const char  *fn = "random_integers";
    tess__random work;
    TESS_TRY(tess__random_begin(&work, &tess__info_random_integers, TESS__RANDOM_INTEGERS, out, seed, opts));
    TESS_TRY(tess__check_numbers(fn, "out", out));
    TESS_CHECK(tess_dtype_kind(out->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE, "%s: `out` is %s; a real type is needed",
               fn, tess_dtype_name(out->dtype));
    TESS_TRY(check_whole(fn, "low", low, INT64_MIN, out->dtype));
    TESS_TRY(check_whole(fn, "high", high, low, out->dtype));
    work.spec.first = low;
    work.spec.span = (uint64_t)high - (uint64_t)low;
    TESS_TRY(finish(&work));
    return TESS_OK;
}

/* ---- Poisson ---- */

/* A scalar mean is checked in the call, an array when it is read. */
static tess_status check_means(const char *fn, const tess_array *out, const tess_array *means)
{
    TESS_TRY(tess__check_numbers(fn, "means", means));
    TESS_CHECK(tess_dtype_kind(means->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `means` is %s; a real type is needed", fn, tess_dtype_name(means->dtype));
    TESS_TRY(tess__check_broadcast(fn, "means", means, "out", &out->shape));
    if (!(means->flags & TESS_SCALAR)) {
        TESS_TRY(tess__check_same_device(fn, out, "means", means));
        TESS_TRY(tess__check_overlap(fn, out, "means", means, true));
        return TESS_OK;
    }
    double mean;
    char   text[32];
    TESS_TRY(tess__convert(&mean, TESS_F64, means->data, means->dtype));
    TESS_CHECK(mean >= 0 && mean <= 0x1p53, TESS_ERANGE, "%s: `means` is %s; 0 to 2^53 is allowed", fn,
               tess__number_text(text, mean));
    return TESS_OK;
}

tess_status tess_random_poisson(tess_array *out, const tess_array *means, uint64_t seed, const tess_random_opts *opts)
{
    const char  *fn = "random_poisson";
    tess__random work;
    TESS_TRY(tess__random_begin(&work, &tess__info_random_poisson, TESS__RANDOM_POISSON, out, seed, opts));
    const tess_kind kind = tess_dtype_kind(out->dtype);
    TESS_CHECK(kind == TESS_KIND_INT || kind == TESS_KIND_UINT || kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX,
               TESS_EDTYPE, "%s: `out` is %s; an integer, float or complex type is needed", fn,
               tess_dtype_name(out->dtype));
    TESS_TRY(check_means(fn, out, means));
    if (!tess__has_elements(out)) return TESS_OK;
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, fn, &means));
    work.in = *means;
    TESS_GOTO(done, status, finish(&work));
done:
    tess_release(&held);
    return status;
}

/* ---- Words ---- */

void tess_random_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    const tess__block x = { counter[0], counter[1], counter[2], counter[3] };
    const tess__block y = tess__philox(x, key[0], key[1]);
    out[0] = y.a, out[1] = y.b, out[2] = y.c, out[3] = y.d;
}
