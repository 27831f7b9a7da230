/* Quantiles and medians over a set of axes: checks and request. */
#include <inttypes.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "tessera/device.h"
#include "tessera/reduce.h"

/* ---- Descriptions ---- */

static const tess_choice methods[] = {
    { "linear", TESS_QUANTILE_LINEAR, "interpolated between both neighbours" },
    { "lower", TESS_QUANTILE_LOWER, "the lower neighbour" },
    { "higher", TESS_QUANTILE_HIGHER, "the higher neighbour" },
    { "nearest", TESS_QUANTILE_NEAREST, "the nearer neighbour; halfway, the one of even index" },
    { "midpoint", TESS_QUANTILE_MIDPOINT, "mean of both neighbours" },
    { "inverted_cdf", TESS_QUANTILE_INVERTED_CDF, "Hyndman and Fan 1: the first not below the quantile" },
    { "averaged_inverted_cdf", TESS_QUANTILE_AVERAGED_INVERTED_CDF, "Hyndman and Fan 2: as 1, with means at steps" },
    { "closest_observation", TESS_QUANTILE_CLOSEST_OBSERVATION, "Hyndman and Fan 3: the nearest, even ranks at ties" },
    { "interpolated_inverted_cdf", TESS_QUANTILE_INTERPOLATED_INVERTED_CDF, "Hyndman and Fan 4: linear between steps" },
    { "hazen", TESS_QUANTILE_HAZEN, "Hyndman and Fan 5: linear between the middles of steps" },
    { "weibull", TESS_QUANTILE_WEIBULL, "Hyndman and Fan 6: index (n+1)q" },
    { "median_unbiased", TESS_QUANTILE_MEDIAN_UNBIASED, "Hyndman and Fan 8: for any distribution" },
    { "normal_unbiased", TESS_QUANTILE_NORMAL_UNBIASED, "Hyndman and Fan 9: for normal distributions" },
    { NULL, 0, NULL },
};

#define IN_ROW TESS__IN("in", "real numbers; any strides")
#define AXES_ROW TESS__NEED_REDUCED(0, "axes to reduce; 0 means all")
#define SKIP_ROW(opts) TESS__FLAG(opts, skip_nan, "ignore NaNs")
#define METHOD_ROW                                                                                                     \
    TESS__OPT_CHOICE(tess_quantile_opts, method, TESS_QUANTILE_LINEAR, methods,                                        \
                     "rule for quantiles between two elements")

static const tess_arg_info median_args[] = { TESS__OUT("out", "the medians, with size 1 in the reduced axes"), IN_ROW,
                                             AXES_ROW, SKIP_ROW(tess_median_opts) };
TESS__CALL(median, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_median =
    TESS__OP_OPTS(TESS_CUT_BATCHES, median, "reduce", "Median over a set of axes.", median_args, tess_median_opts);

static const tess_arg_info quantile_args[] = { TESS__OUT("out", "the quantiles, with size 1 in the reduced axes"),
                                               IN_ROW,
                                               TESS__NEED(TESS_ARG_F64, "q", "quantile, 0 to 1"),
                                               AXES_ROW,
                                               METHOD_ROW,
                                               SKIP_ROW(tess_quantile_opts) };
TESS__CALL(quantile, v[0].out, v[1].in, v[2].f64, v[3].i32, opts)
const tess_function_info tess__info_quantile = TESS__OP_OPTS(
    TESS_CUT_BATCHES, quantile, "reduce", "Quantile over a set of axes.", quantile_args, tess_quantile_opts);

static const tess_arg_info quantiles_args[] = { TESS__OUT("out", "the quantiles, n along the innermost reduced axis"),
                                                IN_ROW,
                                                TESS__NEED(TESS_ARG_NUMBERS, "q", "quantiles, each 0 to 1"),
                                                TESS__NEED_REDUCED(TESS_ARG_SEVERAL, "axes to reduce; 0 means all"),
                                                METHOD_ROW,
                                                SKIP_ROW(tess_quantile_opts) };
TESS__CALL(quantiles, v[0].out, v[1].in, v[2].list.of.numbers, v[2].list.n, v[3].i32, opts)
const tess_function_info tess__info_quantiles = TESS__OP_OPTS(
    TESS_CUT_BATCHES, quantiles, "reduce", "Several quantiles over a set of axes.", quantiles_args, tess_quantile_opts);

/* ---- Checks ---- */

/* The resolved arguments. */
typedef struct request {
    const char   *fn;
    const double *q;
    int64_t       n;
    int           axes, method;
    bool          skip_nan;
} request;

static tess_status check_quantiles(const request *r)
{
    char text[32];
    for (int64_t i = 0; i < r->n; i++) {
        if (r->q[i] >= 0 && r->q[i] <= 1) continue;
        if (strcmp(r->fn, "quantiles") != 0)
            TESS_FAIL(TESS_ERANGE, "%s: `q` is %s; 0 to 1 is allowed", r->fn, tess__number_text(text, r->q[i]));
        TESS_FAIL(TESS_ERANGE, "%s: `q`[%" PRId64 "] is %s; 0 to 1 is allowed", r->fn, i,
                  tess__number_text(text, r->q[i]));
    }
    return TESS_OK;
}

/* The shape of the results; `*axes` is never 0 afterwards. */
static tess_status check_input(request *r, tess_shape *shape, const tess_array *in)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(r->fn, "in", in));
    TESS_TRY(tess__check_ordered(r->fn, "in", in->dtype));
    TESS_TRY(tess__check_axis_set(r->fn, r->axes));
    TESS_TRY(check_quantiles(r));
    if (r->axes == 0) r->axes = TESS_ALL_AXES;
    *shape = in->shape;
    bool nothing = false;
    int  innermost = 0;
    for (int d = 0; d < 4; d++) {
        if (!(r->axes & TESS_B << d)) continue;
        nothing |= in->shape.dim[d] == 0;
        shape->dim[d] = 1;
        innermost = d;
    }
    nothing = nothing && shape->b && shape->d && shape->h && shape->w;
    TESS_CHECK(!nothing, TESS_ESHAPE, "%s: `in` has shape %s with no elements; this result needs at least one", r->fn,
               tess__shape_text(text, in->shape.dim));
    shape->dim[innermost] = r->n;
    return TESS_OK;
}

static tess_dtype result_dtype(tess_dtype in)
{
    const tess_dtype sum = tess__sum_of(in);
    return sum == TESS_I64 || sum == TESS_U64 ? TESS_F64 : sum;
}

static tess_status take_output(const request *r, tess_array *out, tess_shape shape, const tess_array *in)
{
    const tess_dtype dtype = result_dtype(in->dtype);
    char             have[TESS__SHAPE_TEXT], want[TESS__SHAPE_TEXT];
    if (tess__is_empty_out(out)) {
        TESS_TRY(tess__make(r->fn, out, shape, dtype, in->device, false));
        return TESS_OK;
    }
    TESS_TRY(tess__check_writable(r->fn, "out", out));
    TESS_CHECK(memcmp(&out->shape, &shape, sizeof shape) == 0, TESS_ESHAPE, "%s: `out` has shape %s; %s is needed",
               r->fn, tess__shape_text(have, out->shape.dim), tess__shape_text(want, shape.dim));
    TESS_TRY(tess__check_converts(r->fn, "out", out, dtype));
    TESS_TRY(tess__check_same_device(r->fn, out, "in", in));
    TESS_TRY(tess__check_overlap(r->fn, out, "in", in, false));
    return TESS_OK;
}

/* ---- The call ---- */

/* The numbers q are kept in an array of their own, since the work may run later. */
static tess_status run(const request *r, const tess_array *out, const tess_array *in)
{
    tess_array  held = { .data = NULL }, q = { .data = NULL };
    tess_status status = TESS_OK;
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, r->fn, &in));
    TESS_GOTO(done, status, tess__make(r->fn, &q, TESS_SHAPE(1, 1, 1, r->n), TESS_F64, tess_cpu(), false));
    memcpy(q.data, r->q, (size_t)r->n * sizeof *r->q);
    const tess__quantile work = {
        .name = r->fn, .axes = r->axes, .method = r->method, .skip_nan = r->skip_nan, .in = *in, .q = q, .out = *out
    };
    TESS_GOTO(done, status, tess__quantile_run(&work));
done:
    tess_release(&held);
    tess_release(&q);
    return status;
}

static tess_status reduce(request *r, tess_array *out, const tess_array *in)
{
    tess_shape shape;
    TESS_TRY(tess__check_pointer(r->fn, "out", out));
    TESS_TRY(check_input(r, &shape, in));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(take_output(r, out, shape, in));
    TESS_TRY(tess__finish(run(r, out, in), out, made));
    return TESS_OK;
}

static const double half = 0.5;

tess_status tess_median(tess_array *out, const tess_array *in, int axes, const tess_median_opts *opts)
{
    tess_median_opts o;
    TESS_TRY(tess__resolve(&tess__info_median, opts, &o));
    request r = { .fn = "median", .q = &half, .n = 1, .axes = axes, .skip_nan = o.skip_nan };
    TESS_TRY(reduce(&r, out, in));
    return TESS_OK;
}

tess_status tess_quantile(tess_array *out, const tess_array *in, double q, int axes, const tess_quantile_opts *opts)
{
    tess_quantile_opts o;
    TESS_TRY(tess__resolve(&tess__info_quantile, opts, &o));
    request r = { .fn = "quantile", .q = &q, .n = 1, .axes = axes, .method = o.method, .skip_nan = o.skip_nan };
    TESS_TRY(reduce(&r, out, in));
    return TESS_OK;
}

tess_status tess_quantiles(tess_array *out, const tess_array *in, const double *q, int64_t n, int axes,
                           const tess_quantile_opts *opts)
{
    tess_quantile_opts o;
    TESS_TRY(tess__resolve(&tess__info_quantiles, opts, &o));
    TESS_CHECK(n >= 0 && n <= INT64_C(1) << 32, TESS_ERANGE,
               "quantiles: `n` is %" PRId64 "; 0 to 2^32 numbers in q are allowed", n);
    if (n > 0) TESS_TRY(tess__check_pointer("quantiles", "q", q));
    request r = { .fn = "quantiles", .q = q, .n = n, .axes = axes, .method = o.method, .skip_nan = o.skip_nan };
    TESS_TRY(reduce(&r, out, in));
    return TESS_OK;
}

/* ---- To the host ---- */

/* Of an array of the host's own, straight to the caller's number. */
static tess_status run_to(const request *r, double *out, const tess_array *in)
{
    tess_array       there = { .data = NULL }, here = { .data = NULL };
    tess_status      status = TESS_OK;
    const tess_array number = { .shape = { { 1, 1, 1, 1 } }, .data = out, .dtype = TESS_F64, .device = in->device };
    if (in->device.kind == TESS_CPU) return run(r, &number, in);
    TESS_GOTO(done, status, tess__make(r->fn, &there, number.shape, TESS_F64, in->device, false));
    TESS_GOTO(done, status, run(r, &there, in));
    TESS_GOTO(done, status, tess_to_device(&here, &there, tess_cpu()));
    TESS_GOTO(done, status, tess__sync(r->fn, in->device));
    memcpy(out, here.data, sizeof *out);
done:
    tess_release(&there);
    tess_release(&here);
    return status;
}

static tess_status reduce_to(request *r, double *out, const tess_array *in)
{
    tess_shape shape;
    TESS_TRY(tess__check_pointer(r->fn, "out", out));
    TESS_TRY(check_input(r, &shape, in));
    TESS_TRY(tess__check_waits(r->fn, in->device));
    TESS_TRY(run_to(r, out, in));
    TESS_TRY(tess__sync(r->fn, in->device));
    return TESS_OK;
}

tess_status tess_host_median(double *out, const tess_array *in)
{
    request r = { .fn = "host_median", .q = &half, .n = 1 };
    TESS_TRY(reduce_to(&r, out, in));
    return TESS_OK;
}

tess_status tess_host_quantile(double *out, const tess_array *in, double q, const tess_quantile_opts *opts)
{
    tess_quantile_opts o;
    tess_function_info info = tess__info_quantile;
    info.name = "host_quantile";
    TESS_TRY(tess__resolve(&info, opts, &o));
    request r = { .fn = info.name, .q = &q, .n = 1, .method = o.method, .skip_nan = o.skip_nan };
    TESS_TRY(reduce_to(&r, out, in));
    return TESS_OK;
}
