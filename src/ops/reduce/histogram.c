/* Histograms: how many elements lie in each bin. */
#include <inttypes.h>
#include <math.h>

#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/index/indices.h"
#include "ops/reduce/reduce.h"
#include "tessera/reduce.h"

static const tess_arg_info args[] = {
    TESS__OUT("out",
              "counts (i64), or sums of weights and densities (f64), with the bins along the innermost reduced axis"),
    TESS__IN("in", "real numbers"),
    TESS__NEED(TESS_ARG_I64, "bins", "number of bins"),
    TESS__NEED_REDUCED(TESS_ARG_SEVERAL, "axes to count over; 0 means all"),
    TESS__JOINT_F64(tess_histogram_opts, low, "", "the smallest element", -DBL_MAX, DBL_MAX, "start of the first bin"),
    TESS__JOINT_F64(tess_histogram_opts, high, "", "the largest element", -DBL_MAX, DBL_MAX,
                    "end of the last bin, which includes it"),
    TESS__OPT_ARRAY(tess_histogram_opts, edges, const tess_array *,
                    "edges of bins of any widths: f64 {1,1,1,bins+1} in ascending order; may be equal or infinite"),
    TESS__OPT_ARRAY(tess_histogram_opts, weights, const tess_array *, "weight of each element; broadcast to in"),
    TESS__FLAG(tess_histogram_opts, density, "divide by the sum of all bins and by the width of each"),
};
TESS__CALL(histogram, v[0].out, v[1].in, v[2].i64, v[3].i32, opts)
const tess_function_info tess__info_histogram = TESS__OP_OPTS(
    TESS_CUT_NONE, histogram, "reduce", "Histogram: count the elements in each bin.", args, tess_histogram_opts);

enum { MAX_BINS = INT32_MAX - 1 };

/* ---- Checks ---- */

static tess_status check_real(const char *arg, const tess_array *a)
{
    TESS_TRY(tess__check_numbers("histogram", arg, a));
    TESS_TRY(tess__check_ordered("histogram", arg, a->dtype));
    return TESS_OK;
}

static tess_status check_edges(const tess_array *edges, int64_t bins)
{
    char             text[2][TESS__SHAPE_TEXT];
    const tess_shape wanted = TESS_SHAPE(1, 1, 1, bins + 1);
    TESS_TRY(tess__check_array("histogram", "opts->edges", edges));
    TESS_CHECK(edges->dtype == TESS_F64, TESS_EDTYPE, "histogram: `opts->edges` is %s; f64 is needed",
               tess_dtype_name(edges->dtype));
    for (int d = 0; d < 4; d++)
        TESS_CHECK(edges->shape.dim[d] == wanted.dim[d], TESS_ESHAPE,
                   "histogram: `opts->edges` has shape %s; for %" PRId64 " bins %s is needed",
                   tess__shape_text(text[0], edges->shape.dim), bins, tess__shape_text(text[1], wanted.dim));
    return TESS_OK;
}

static tess_status check_inputs(const tess_array *in, int64_t bins, int axes, const tess_histogram_opts *o)
{
    TESS_TRY(check_real("in", in));
    TESS_CHECK(bins >= 1 && bins <= MAX_BINS, TESS_ERANGE, "histogram: `bins` is %" PRId64 "; 1 to %d is allowed", bins,
               MAX_BINS);
    TESS_TRY(tess__check_axis_set("histogram", axes));
    if (o->edges) {
        TESS_TRY(check_edges(o->edges, bins));
        TESS_TRY(tess__check_on("histogram", "in", in, "opts->edges", o->edges));
        TESS_CHECK(
            isnan(o->low) && isnan(o->high), TESS_EARG,
            "histogram: `opts->edges` is given, and `opts->low` or `opts->high` too; give either edges or a range");
    }
    if (!o->weights) return TESS_OK;
    TESS_TRY(check_real("opts->weights", o->weights));
    TESS_TRY(tess__check_broadcast("histogram", "opts->weights", o->weights, "in", &in->shape));
    TESS_TRY(tess__check_on("histogram", "in", in, "opts->weights", o->weights));
    return TESS_OK;
}

static tess_status check_output(tess_array *out, const tess_array *in, int64_t bins, int axes,
                                const tess_histogram_opts *o)
{
    const tess_dtype result = o->weights || o->density ? TESS_F64 : TESS_I64;
    const bool       made = tess__is_empty_out(out);
    tess_shape       shape = in->shape;
    int              innermost = 0;
    for (int d = 0; d < 4; d++) {
        if (!(axes & TESS_B << d)) continue;
        shape.dim[d] = 1;
        innermost = d;
    }
    shape.dim[innermost] = bins;
    TESS_TRY(tess__output("histogram", out, shape, made ? result : out->dtype, in->device));
    if (made) return TESS_OK;
    TESS_TRY(tess__check_converts("histogram", "out", out, result));
    TESS_TRY(tess__check_overlap("histogram", out, "in", in, false));
    if (o->weights) TESS_TRY(tess__check_overlap("histogram", out, "opts->weights", o->weights, false));
    if (o->edges) TESS_TRY(tess__check_overlap("histogram", out, "opts->edges", o->edges, false));
    return TESS_OK;
}

/* ---- The range ---- */

/* The minimum and maximum, waited for; of no numbers, 0 and 1. To leave out NaNs takes longer than to see that there
 * are none. */
static tess_status find_range(double range[2], const tess_array *in)
{
    range[0] = 0, range[1] = 1;
    if (!tess__has_elements(in)) return TESS_OK;
    double found[2] = { 0, 1 };
    TESS_TRY(tess__minmax_to_host("histogram", &found[0], &found[1], in, false));
    if (isnan(found[0])) TESS_TRY(tess__minmax_to_host("histogram", &found[0], &found[1], in, true));
    if (isnan(found[0])) return TESS_OK;
    char text[2][32];
    TESS_CHECK(
        isfinite(found[1] - found[0]), TESS_ERANGE,
        "histogram: the elements of in range from %s to %s; set `opts->low` and `opts->high` for bins of equal widths",
        tess__number_text(text[0], found[0]), tess__number_text(text[1], found[1]));
    range[0] = found[0], range[1] = found[1];
    return TESS_OK;
}

static tess_status check_range(const double range[2], const tess_histogram_opts *o)
{
    char text[3][32];
    TESS_CHECK(range[0] <= range[1] && isfinite(range[1] - range[0]), TESS_ERANGE,
               "histogram: `opts->low` is %s%s and `opts->high` is %s%s; high - low must be from 0 to %s",
               tess__number_text(text[0], range[0]), isnan(o->low) ? " (the smallest element)" : "",
               tess__number_text(text[1], range[1]), isnan(o->high) ? " (the largest element)" : "",
               tess__number_text(text[2], DBL_MAX));
    return TESS_OK;
}

static tess_status set_range(tess__histogram *work, const tess_histogram_opts *o)
{
    double range[2] = { o->low, o->high };
    if (o->edges) return TESS_OK;
    if (isnan(o->low) || isnan(o->high)) TESS_TRY(find_range(range, &work->in));
    if (!isnan(o->low)) range[0] = o->low;
    if (!isnan(o->high)) range[1] = o->high;
    TESS_TRY(check_range(range, o));
    work->low = range[0];
    work->high = range[1];
    if (range[0] != range[1]) return TESS_OK;
    const double half = fmax(0.5, fabs(range[0]) * DBL_EPSILON); /* of numbers above 2^52, 0.5 would be lost */
    work->low = fmax(range[0] - half, -DBL_MAX);
    work->high = fmin(range[1] + half, DBL_MAX);
    return TESS_OK;
}

/* ---- The call ---- */

static tess_status run(tess_array *out, const tess_array *in, int64_t bins, int axes, const tess_histogram_opts *o)
{
    tess_array        held[3] = { { .data = NULL }, { .data = NULL }, { .data = NULL } };
    const tess_array *inputs[3] = { in, o->weights, o->edges };
    const char *const names[3] = { "in", "opts->weights", "opts->edges" };
    tess__histogram   work = { .name = "histogram", .axes = axes, .bins = bins, .density = o->density, .out = *out };
    tess_status       status = TESS_OK;
    for (int k = 0; k < 3; k++) {
        TESS_GOTO(done, status, tess__hold(&held[k], "histogram", &inputs[k]));
        TESS_GOTO(done, status, tess__bring(&held[k], out->device));
        if (inputs[k]) TESS_GOTO(done, status, tess__check_device_of("histogram", names[k], inputs[k], "in", in));
    }
    work.in = *inputs[0];
    if (inputs[1]) work.weights = *inputs[1];
    if (inputs[2]) work.edges = *inputs[2];
    TESS_GOTO(done, status, set_range(&work, o));
    TESS_GOTO(done, status, tess__histogram_run(&work));
done:
    for (int k = 0; k < 3; k++) tess_release(&held[k]);
    return status;
}

tess_status tess_histogram(tess_array *out, const tess_array *in, int64_t bins, int axes,
                           const tess_histogram_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_histogram_opts o;
    TESS_TRY(tess__resolve(&tess__info_histogram, opts, &o));
    TESS_TRY(tess__check_pointer("histogram", "out", out));
    TESS_TRY(check_inputs(in, bins, axes, &o));
    if (axes == 0) axes = TESS_ALL_AXES;
    const bool made = tess__is_empty_out(out);
    TESS_TRY(check_output(out, in, bins, axes, &o));
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_TRY(tess__finish(run(out, in, bins, axes, &o), out, made));
    return TESS_OK;
}
