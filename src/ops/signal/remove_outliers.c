/* Removal of hot and dead pixels: elements far from the median of their neighbours become that median. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/signal/stencil.h"
#include "tessera/ewise.h"
#include "tessera/rank_filter.h"
#include "tessera/reduce.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the cleaned array; may be the input itself"),
    TESS__IN("in", "real numbers; any strides"),
    TESS__NEED(TESS_ARG_F64, "threshold",
               "deviation from the median of the window above which elements are replaced, in standard deviations"),
    TESS__OPT_CHOICE(tess_outliers_opts, border, TESS_BORDER_MIRROR, tess__borders,
                     "extension of the array beyond its edges"),
    TESS__UNUSED_ROW(tess_outliers_opts),
    TESS__VALUE_ROW(tess_outliers_opts),
    TESS__AUTO_SHAPE(tess_outliers_opts, window, "3 where in is longer than 1",
                     "odd sizes of the window along d, h and w"),
    TESS__OPT_RESULT(tess_outliers_opts, count, tess_array *, "receives the number of elements replaced in each batch",
                     .axes = "B,1,1,1"),
};
TESS__CALL(remove_outliers, v[0].out, v[1].in, v[2].f64, opts)
const tess_function_info tess__info_remove_outliers =
    TESS__OP_OPTS(TESS_CUT_BATCHES, remove_outliers, "rank_filter", "Replace hot and dead pixels by medians.", args,
                  tess_outliers_opts);

/* What a call holds until it has handed its work on. */
typedef struct arrays {
    tess_array median, distance, limit, far;
} arrays;

/* Which elements are to be replaced, as bools, in a->far; and by what, in a->median. */
static tess_status find(arrays *a, const tess_array *in, double threshold, const tess_outliers_opts *o)
{
    const tess_rank_opts border = { .border = o->border, .value = o->value };
    const tess_dtype     dtype = tess__half_to_single(tess__float_of(in->dtype));
    const int            axes = TESS_D | TESS_H | TESS_W;
    TESS_TRY(tess_median_filter(&a->median, in, o->window, &border));
    TESS_TRY(tess_cast(&a->distance, &a->median, dtype, NULL));
    TESS_TRY(tess_sub(&a->distance, in, &a->distance));
    TESS_TRY(tess__make("remove_outliers", &a->limit, TESS_SHAPE(in->shape.b, 1, 1, 1), TESS_F64, in->device, false));
    TESS_TRY(tess_std(&a->limit, &a->distance, axes, NULL));
    TESS_TRY(tess_mul(&a->limit, &a->limit, &tess_f64(threshold)));
    TESS_TRY(tess_abs(&a->distance, &a->distance));
    TESS_TRY(tess_greater(&a->far, &a->distance, &a->limit));
    if (o->count) TESS_TRY(tess_count_nonzero(o->count, &a->far, axes));
    return TESS_OK;
}

static tess_status check(const tess_array *out, const tess_array *in, double threshold, tess_outliers_opts *o)
{
    char text[32];
    TESS_TRY(tess__check_pointer("remove_outliers", "out", out));
    TESS_TRY(tess__check_numbers("remove_outliers", "in", in));
    TESS_TRY(tess__check_ordered("remove_outliers", "in", in->dtype));
    TESS_CHECK(threshold > 0, TESS_ERANGE, "remove_outliers: `threshold` is %s; a number above 0 is needed",
               tess__number_text(text, threshold));
    TESS_CHECK(o->border != TESS_BORDER_NOTHING, TESS_EARG,
               "remove_outliers: `opts->border` is \"nothing\"; any other border is allowed");
    for (int k = 0; k < 4; k++)
        if (o->window.dim[k] == 0) o->window.dim[k] = k == 0 || (k < 3 && in->shape.dim[k] == 1) ? 1 : 3;
    TESS_TRY(tess__check_window("remove_outliers", "opts->window", o->window));
    return TESS_OK;
}

/* The number of replaced elements of each batch: integers, or what they convert to. */
static tess_status check_count(tess__outputs *all, tess_array *count, const tess_array *out, const tess_array *in)
{
    if (!count) return TESS_OK;
    const bool made = tess__is_empty_out(count);
    if (!made) TESS_TRY(tess__check_array(all->fn, "opts->count", count));
    if (!made) TESS_TRY(tess__check_converts(all->fn, "opts->count", count, TESS_I64));
    tess__wants(all, "opts->count", count, TESS_SHAPE(in->shape.b, 1, 1, 1), made ? TESS_I64 : count->dtype,
                in->device);
    tess__reads(all, "out", out);
    tess__reads(all, "in", in);
    TESS_TRY(tess__outputs_check(all));
    return TESS_OK;
}

/* There are none. */
static tess_status count_nothing(arrays *a, const tess_array *in, tess_array *count)
{
    if (!count) return TESS_OK;
    TESS_TRY(tess__make("remove_outliers", &a->far, in->shape, TESS_BOOL, in->device, false));
    TESS_TRY(tess_count_nonzero(count, &a->far, TESS_D | TESS_H | TESS_W));
    return TESS_OK;
}

tess_status tess_remove_outliers(tess_array *out, const tess_array *in, double threshold,
                                 const tess_outliers_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_outliers_opts o;
    arrays             a = { .median = { .data = NULL } };
    tess_status        status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_remove_outliers, opts, &o));
    TESS_TRY(check(out, in, threshold, &o));
    tess__outputs all = { .fn = "remove_outliers" };
    TESS_TRY(check_count(&all, o.count, out, in));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output_like("remove_outliers", out, in, in->dtype));
    TESS_GOTO(done, status, tess__outputs_take(&all));
    if (tess_is_empty(in)) {
        status = count_nothing(&a, in, o.count);
        goto done;
    }
    TESS_GOTO(done, status, find(&a, in, threshold, &o));
    TESS_GOTO(done, status, tess_where(out, &a.far, &a.median, in));
done:
    tess_release(&a.median);
    tess_release(&a.distance);
    tess_release(&a.limit);
    tess_release(&a.far);
    (void)tess__outputs_end(&all, status);
    return tess__finish(tess__error_under(status, "remove_outliers"), out, made);
}
