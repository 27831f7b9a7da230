/* Median, rank and quantile filters: checks and request. */
#include "tessera/rank_filter.h"

#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/signal/stencil.h"

#define ROWS TESS__OUT("out", "the filtered array; any strides"), TESS__IN("in", "real numbers; any strides")
#define WINDOW_ROW                                                                                                     \
    TESS__NEED_SIZES(1, "window", "odd sizes of the window along d, h and w; 1 along b", .sample = "1,1,3,3")
#define OPTS_ROWS TESS__BORDER_ROW(tess_rank_opts), TESS__UNUSED_ROW(tess_rank_opts), TESS__VALUE_ROW(tess_rank_opts)

static const tess_arg_info median_args[] = { ROWS, WINDOW_ROW, OPTS_ROWS };
TESS__CALL(median_filter, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_median_filter =
    TESS__OP_OPTS(TESS_CUT_BATCHES, median_filter, "rank_filter",
                  "Median filter: the median of a window around each element.", median_args, tess_rank_opts);

static const tess_arg_info rank_args[] = {
    ROWS, WINDOW_ROW, TESS__NEED(TESS_ARG_I64, "rank", "rank in the window: 0 is the minimum, -1 the maximum"),
    OPTS_ROWS
};
TESS__CALL(rank_filter, v[0].out, v[1].in, v[2].shape, v[3].i64, opts)
const tess_function_info tess__info_rank_filter =
    TESS__OP_OPTS(TESS_CUT_BATCHES, rank_filter, "rank_filter",
                  "Rank filter: one rank of a window around each element.", rank_args, tess_rank_opts);

static const tess_arg_info quantile_args[] = {
    ROWS, WINDOW_ROW, TESS__NEED(TESS_ARG_F64, "q", "quantile of the window: 0 is the minimum, 1 the maximum"),
    OPTS_ROWS
};
TESS__CALL(quantile_filter, v[0].out, v[1].in, v[2].shape, v[3].f64, opts)
const tess_function_info tess__info_quantile_filter =
    TESS__OP_OPTS(TESS_CUT_BATCHES, quantile_filter, "rank_filter",
                  "Quantile filter: a quantile of a window around each element.", quantile_args, tess_rank_opts);

static int64_t count(tess_shape window) { return window.d * window.h * window.w; }

static tess_status check(const char *fn, const tess_array *out, const tess_array *in, tess_shape window)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    TESS_TRY(tess__check_window(fn, "window", window));
    return TESS_OK;
}

static tess_status run(const char *fn, tess_array *out, const tess_array *in, tess_shape window, int64_t rank,
                       const tess_rank_opts *o)
{
    tess__stencil work = { .name = fn,
                           .kind = TESS__STENCIL_RANK,
                           .size = { window.d, window.h, window.w },
                           .rank = rank,
                           .computed = in->dtype };
    TESS_TRY(tess__stencil_border(&work, out, &(tess__outside){ o->border, o->value, 0 }));
    if (out->data) {
        TESS_CHECK(out->dtype == in->dtype, TESS_EDTYPE, "%s: `out` is %s; it must be %s, the dtype of in", fn,
                   tess_dtype_name(out->dtype), tess_dtype_name(in->dtype));
    }
    TESS_TRY(tess__stencil_finish(&work, out, in, in->dtype));
    return TESS_OK;
}

tess_status tess_median_filter(tess_array *out, const tess_array *in, tess_shape window, const tess_rank_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_rank_opts o;
    TESS_TRY(tess__resolve(&tess__info_median_filter, opts, &o));
    TESS_TRY(check("median_filter", out, in, window));
    TESS_TRY(run("median_filter", out, in, window, count(window) / 2, &o));
    return TESS_OK;
}

tess_status tess_rank_filter(tess_array *out, const tess_array *in, tess_shape window, int64_t rank,
                             const tess_rank_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_rank_opts o;
    TESS_TRY(tess__resolve(&tess__info_rank_filter, opts, &o));
    TESS_TRY(check("rank_filter", out, in, window));
    const int64_t n = count(window);
    TESS_CHECK(rank >= -n && rank < n, TESS_ERANGE,
               "rank_filter: `rank` is %" PRId64 "; a window of %" PRId64 " elements has ranks from %" PRId64
               " to %" PRId64,
               rank, n, -n, n - 1);
    TESS_TRY(run("rank_filter", out, in, window, rank < 0 ? rank + n : rank, &o));
    return TESS_OK;
}

tess_status tess_quantile_filter(tess_array *out, const tess_array *in, tess_shape window, double q,
                                 const tess_rank_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_rank_opts o;
    char           text[32];
    TESS_TRY(tess__resolve(&tess__info_quantile_filter, opts, &o));
    TESS_TRY(check("quantile_filter", out, in, window));
    TESS_CHECK(q >= 0 && q <= 1, TESS_ERANGE, "quantile_filter: `q` is %s; 0 to 1 is allowed",
               tess__number_text(text, q));
    const double rank = rint((double)(count(window) - 1) * q);
    TESS_TRY(run("quantile_filter", out, in, window, (int64_t)rank, &o));
    return TESS_OK;
}
