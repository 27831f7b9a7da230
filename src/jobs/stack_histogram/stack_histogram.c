/* Histogram of the values of images and volumes, counted part by part. */
#include "tessera/jobs/stack_histogram.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/each_image.h"
#include "jobs/data/pixels.h"
#include "jobs/run/table.h"
#include "tessera/ewise.h"
#include "tessera/jobs/stack_statistics.h"
#include "tessera/reduce.h"

static const char fn[] = "stack_histogram";

static const tess_choice columns[] = {
    { "from", TESS_BIN_FROM, "start of the bin" },
    { "to", TESS_BIN_TO, "end of the bin" },
    { "count", TESS_BIN_COUNT, "number of values in the bin" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_COLUMNS(tess_stack_histogram_result, histogram, columns, "bins"),
    TESS__SOURCE("images", "images or volumes"),
    TESS__NEED(TESS_ARG_I64, "bins", "number of bins"),
    TESS__JOINT_F64(tess_stack_histogram_opts, low, "", "the smallest value", -DBL_MAX, DBL_MAX,
                    "start of the first bin"),
    TESS__JOINT_F64(tess_stack_histogram_opts, high, "", "the largest value", -DBL_MAX, DBL_MAX, "end of the last bin"),
};

TESS__JOB_RUN(stack_histogram, v[0].source, v[1].i64)
const tess_job_info tess__job_stack_histogram = TESS__JOB(stack_histogram, "Compute a histogram of images or volumes",
                                                          args, tess_stack_histogram_opts, tess_stack_histogram_result);

typedef struct counter {
    tess_array counts; /* i64 {1,1,1,bins}, of all images so far; no data: none came */
    double     low, high;
    int64_t    bins;
} counter;

static tess_status count(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    (void)out, (void)slab;
    counter                  *c = user;
    const tess_histogram_opts opts = { .low = c->low, .high = c->high };
    if (!c->counts.data) return tess_histogram(&c->counts, in, c->bins, 0, &opts);
    tess_array  counts = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_histogram(&counts, in, c->bins, 0, &opts));
    TESS_GOTO(done, status, tess_add(&c->counts, &c->counts, &counts));
done:
    tess_release(&counts);
    return status;
}

/* What was not given is the smallest or the largest value. */
static tess_status measure_range(counter *c, const tess_source *source, const tess_context *context)
{
    tess_stack_statistics_result all = { 0 };
    TESS_TRY(tess_stack_statistics(&all, source, NULL, context));
    const double *row = all.statistics.data, min = row[TESS_STATISTICS_MIN], max = row[TESS_STATISTICS_MAX];
    tess_stack_statistics_result_release(&all);
    TESS_CHECK(isfinite(min) && isfinite(max), TESS_ERANGE,
               "%s: %s: the minimum or maximum is not finite; give `opts->low` and `opts->high`", fn, source->name);
    const double half = isnan(c->low) && isnan(c->high) && min == max ? 0.5 : 0;
    if (isnan(c->low)) c->low = min - half;
    if (isnan(c->high)) c->high = max + half;
    return TESS_OK;
}

static tess_status find_range(counter *c, const tess_source *source, const tess_context *context)
{
    if (isnan(c->low) || isnan(c->high)) TESS_TRY(measure_range(c, source, context));
    TESS_CHECK(c->low < c->high, TESS_ERANGE,
               "%s: `opts->low` is %g and `opts->high` is %g; the former must be below the latter", fn, c->low,
               c->high);
    return TESS_OK;
}

static tess_status fill_table(tess_array *table, const counter *c)
{
    const double width = (c->high - c->low) / (double)c->bins;
    TESS_TRY(tess_empty(table, TESS_SHAPE(1, 1, c->bins, TESS_BIN_COLUMNS), TESS_F64, tess_cpu()));
    double *row = table->data;
    for (int64_t i = 0; i < c->bins; i++, row += TESS_BIN_COLUMNS) {
        row[TESS_BIN_FROM] = c->low + (double)i * width;
        row[TESS_BIN_TO] = i + 1 == c->bins ? c->high : c->low + (double)(i + 1) * width;
        row[TESS_BIN_COUNT] = c->counts.data ? (double)((const int64_t *)c->counts.data)[i] : 0;
    }
    return TESS_OK;
}

static tess_status work(tess_stack_histogram_result *r, counter *c, const tess_source *source,
                        const tess_context *context)
{
    const tess__each_image_plan plan = { .fn = fn, .source = source, .step = count, .user = c };
    TESS_CHECK(c->bins >= 1 && c->bins <= 1 << 24, TESS_ERANGE, "%s: `bins` is %lld; 1 to 16777216 are allowed", fn,
               (long long)c->bins);
    TESS_TRY(tess__need_real(fn, source));
    TESS_TRY(find_range(c, source, context));
    TESS_TRY(tess__each_image_read(&plan, 0, context));
    return fill_table(&r->histogram, c);
}

tess_status tess_stack_histogram(tess_stack_histogram_result *result, const tess_source *images, int64_t bins,
                                 const tess_stack_histogram_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context              c;
    tess_stack_histogram_opts o;
    counter                   counts = { .bins = bins };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__resolve(&tess__job_stack_histogram.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    c.device = tess_cpu();
    counts.low = o.low, counts.high = o.high;
    const tess_status status = work(result, &counts, images, &c);
    tess_release(&counts.counts);
    if (status != TESS_OK) tess_stack_histogram_result_release(result);
    return status;
}

void tess_stack_histogram_result_release(tess_stack_histogram_result *result)
{
    if (!result) return;
    tess_release(&result->histogram);
    memset(result, 0, sizeof *result);
}
