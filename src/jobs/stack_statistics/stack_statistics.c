/* Minimum, maximum, mean and standard deviation of images and volumes, in one pass. */
#include "tessera/jobs/stack_statistics.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/device/memory.h"
#include "jobs/data/each_image.h"
#include "jobs/data/particles/table_rows.h"
#include "jobs/run/table.h"
#include "jobs/stack_statistics/image_statistics.h"
#include "tessera/ewise.h"

static const char fn[] = "stack_statistics";

static const tess_choice columns[] = {
    { "min", TESS_STATISTICS_MIN, "minimum" },
    { "max", TESS_STATISTICS_MAX, "maximum" },
    { "mean", TESS_STATISTICS_MEAN, "mean" },
    { "sd", TESS_STATISTICS_SD, "standard deviation: the root of the mean squared distance from the mean" },
    { "min_x", TESS_STATISTICS_MIN_X, "position of the first minimum along w, pixels" },
    { "min_y", TESS_STATISTICS_MIN_Y, "its position along h, pixels" },
    { "min_image", TESS_STATISTICS_MIN_IMAGE, "its image or section index, from 0" },
    { "max_x", TESS_STATISTICS_MAX_X, "position of the first maximum along w, pixels" },
    { "max_y", TESS_STATISTICS_MAX_Y, "its position along h, pixels" },
    { "max_image", TESS_STATISTICS_MAX_IMAGE, "its image or section index, from 0" },
    { "n", TESS_STATISTICS_N, "number of values that are not NaN" },
    { "n_nan", TESS_STATISTICS_N_NAN, "number of NaNs, which all other statistics ignore" },
    { "n_inf", TESS_STATISTICS_N_INF, "number of infinite values" },
    { .name = NULL },
};

static const tess_choice parts[] = {
    { "all", TESS_STATISTICS_OF_ALL, "all values together" },
    { "image", TESS_STATISTICS_OF_EACH_IMAGE, "each image, or section of volumes" },
    { "volume", TESS_STATISTICS_OF_EACH_VOLUME, "each volume" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_COLUMNS(tess_stack_statistics_result, statistics, columns, "statistics, one row per part"),
    TESS__SOURCE("images", "images or volumes; complex numbers are measured by their magnitude"),
    TESS__OPT_CHOICE(tess_stack_statistics_opts, of, TESS_STATISTICS_OF_ALL, parts,
                     "part described by each row: everything, an image or a volume"),
};

TESS__JOB_RUN(stack_statistics, v[0].source)
const tess_job_info tess__job_stack_statistics =
    TESS__JOB(stack_statistics, "Compute minimum, maximum, mean and standard deviation of images or volumes", args,
              tess_stack_statistics_opts, tess_stack_statistics_result);

typedef struct gatherer {
    int64_t                depth; /* images that make one row; 0: all of them do */
    int64_t                in_row;
    tess__image_statistics sum;
    tess__table_rows       rows;
} gatherer;

static tess_status end_row(gatherer *g)
{
    const tess__image_statistics *t = &g->sum;
    double                        row[TESS_STATISTICS_COLUMNS];
    const bool                    is_empty = t->n == 0;
    row[TESS_STATISTICS_MIN] = t->min;
    row[TESS_STATISTICS_MAX] = t->max;
    row[TESS_STATISTICS_MEAN] = t->mean;
    row[TESS_STATISTICS_SD] = tess__image_statistics_sd(t);
    for (int k = 0; k < 3; k++) {
        row[TESS_STATISTICS_MIN_X + k] = (double)t->argmin[k];
        row[TESS_STATISTICS_MAX_X + k] = (double)t->argmax[k];
    }
    for (int k = 0; k < TESS_STATISTICS_N && is_empty; k++) row[k] = (double)NAN;
    row[TESS_STATISTICS_N] = (double)t->n;
    row[TESS_STATISTICS_N_NAN] = (double)t->n_nan;
    row[TESS_STATISTICS_N_INF] = (double)t->n_inf;
    g->in_row = 0;
    memset(&g->sum, 0, sizeof g->sum);
    return tess__table_rows_add(&g->rows, fn, row);
}

static tess_status add_images(gatherer *g, const tess_array *images, int64_t first)
{
    const int64_t           n = images->shape.b;
    tess__image_statistics *each = tess__alloc(sizeof *each * (size_t)n);
    TESS_CHECK(each, TESS_ENOMEM, "%s: out of memory for %lld images", fn, (long long)n);
    tess_status status = tess__image_statistics_of(each, images, first);
    for (int64_t i = 0; i < n && status == TESS_OK; i++) {
        tess__image_statistics_add(&g->sum, &each[i]);
        if (++g->in_row == g->depth) status = end_row(g);
    }
    tess__free(each);
    return status;
}

static tess_status gather(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    (void)out;
    tess_array magnitudes = { 0 };
    if (tess_dtype_kind(in->dtype) != TESS_KIND_COMPLEX) return add_images(user, in, slab->b);
    TESS_TRY(tess_abs(&magnitudes, in));
    const tess_status status = add_images(user, &magnitudes, slab->b);
    tess_release(&magnitudes);
    return status;
}

static tess_status work(tess_stack_statistics_result *r, gatherer *g, const tess_source *source, int32_t of,
                        const tess_context *context)
{
    const tess_shape            s = source->shape;
    const bool                  is_complex = tess_dtype_kind(source->dtype) == TESS_KIND_COMPLEX;
    const tess__each_image_plan plan = {
        .fn = fn, .source = source, .extra = is_complex ? 8 * s.h * s.w : 0, .step = gather, .user = g
    };
    g->depth = of == TESS_STATISTICS_OF_EACH_IMAGE ? 1 : of == TESS_STATISTICS_OF_EACH_VOLUME ? s.d : 0;
    TESS_TRY(tess__each_image_read(&plan, 0, context));
    if (g->depth == 0) TESS_TRY(end_row(g));
    return tess__table_rows_array(&r->statistics, &g->rows);
}

tess_status tess_stack_statistics(tess_stack_statistics_result *result, const tess_source *images,
                                  const tess_stack_statistics_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context               c;
    tess_stack_statistics_opts o;
    gatherer                   g = { .rows = { .width = TESS_STATISTICS_COLUMNS } };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__resolve(&tess__job_stack_statistics.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    c.device = tess_cpu();
    const tess_status status = work(result, &g, images, o.of, &c);
    tess__table_rows_free(&g.rows);
    if (status != TESS_OK) tess_stack_statistics_result_release(result);
    return status;
}

void tess_stack_statistics_result_release(tess_stack_statistics_result *result)
{
    if (!result) return;
    tess_release(&result->statistics);
    memset(result, 0, sizeof *result);
}
