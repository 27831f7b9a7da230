/* tessera stats: minimum, maximum, mean, standard deviation and their positions, of files or of each image. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/one_input.h"
#include "measure/row.h"
#include "measure/statistics.h"

/* What is gathered while the images of one file go by. */
typedef struct gatherer {
    job        *job;
    const char *name;
    tess_dtype  dtype; /* whose digits minimum and maximum have */
    table      *table; /* NULL: with --field */
    const char *fields;
    int64_t     depth; /* images that make one row; 0: all of them do */
    int64_t     in_row, rows;
    statistics  sum;
} gatherer;

static void position_text(char text[64], const statistics *t, const int64_t at[3])
{
    if (t->n == 0) (void)snprintf(text, 64, "unknown");
    else (void)snprintf(text, 64, "%lld,%lld,%lld", (long long)at[0], (long long)at[1], (long long)at[2]);
}

static void fill_row(row *r, const gatherer *g)
{
    const statistics *t = &g->sum;
    char              position[64];
    bool              none = t->n == 0;
    row_start(r);
    row_text(r, "file", g->name);
    if (g->depth > 0) row_integer(r, "image", g->rows);
    row_number(r, "min", none ? (double)NAN : t->min, g->dtype);
    row_number(r, "max", none ? (double)NAN : t->max, g->dtype);
    row_number(r, "mean", none ? (double)NAN : t->mean, TESS_F64);
    row_number(r, "sd", statistics_sd(t), TESS_F64);
    position_text(position, t, t->argmin);
    row_list(r, "argmin", position, false);
    position_text(position, t, t->argmax);
    row_list(r, "argmax", position, false);
    row_integer(r, "n", t->n);
    row_integer(r, "nan", t->n_nan);
    row_integer(r, "inf", t->n_inf);
}

static tess_status end_row(gatherer *g)
{
    row *r = malloc(sizeof *r);
    TESS_CHECK(r, TESS_ENOMEM, "stats: no memory for a row");
    fill_row(r, g);
    tess_status status = g->fields ? row_check_fields(r, g->fields) : TESS_OK;
    if (status == TESS_OK && g->fields) row_print_fields(r, g->fields, stdout);
    else if (status == TESS_OK) row_to_table(r, g->table);
    free(r);
    g->rows++;
    g->in_row = 0;
    memset(&g->sum, 0, sizeof g->sum);
    return status;
}

static tess_status gather(void *context, tess_array *out, const tess_array *in, const slab *part)
{
    (void)out;
    gatherer   *g = context;
    tess_array  real = *in, made = { 0 };
    tess_status status = TESS_OK;
    statistics *each = malloc(sizeof *each * (size_t)in->shape.b);
    TESS_CHECK(each, TESS_ENOMEM, "stats: no memory for %lld images", (long long)in->shape.b);
    if (tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX) {
        TESS_GOTO(done, status, tess_abs(&made, in));
        real = made;
    }
    TESS_GOTO(done, status, statistics_images(each, &real, part->b));
    for (int64_t i = 0; i < in->shape.b; i++) {
        statistics_add(&g->sum, &each[i]);
        if (++g->in_row == g->depth) TESS_GOTO(done, status, end_row(g));
    }
done:
    free(each);
    tess_release(&made);
    return status;
}

static tess_status rows_of_file(job *j, input *in, table *t)
{
    tess_shape shape = in->info.shape;
    bool       complex = tess_dtype_kind(in->info.dtype) == TESS_KIND_COMPLEX;
    gatherer   g = { .job = j, .name = in->name, .table = t, .fields = job_text(j, "field", NULL) };
    g.dtype = complex ? tess_dtype_real(in->info.dtype) : in->info.dtype;
    if (job_has(j, "each")) g.depth = input_along_b(in) ? shape.d : 1;
    if (complex) job_note(j, "%s: complex numbers; these are the statistics of their magnitudes", in->name);
    slab_plan plan = plan_of_sections(&in, shape);
    plan.images = true;
    if (complex) plan.extra = shape.h * shape.w * 8;
    TESS_TRY(stream_slabs(j, &plan, NULL, gather, &g));
    return g.depth > 0 ? TESS_OK : end_row(&g);
}

/* ---- Histograms ---- */

typedef struct counter {
    tess_array counts; /* i64, of all images so far */
    double     low, high;
    int64_t    bins;
} counter;

static tess_status count_bins(void *context, tess_array *out, const tess_array *in, const slab *part)
{
    (void)out, (void)part;
    counter    *c = context;
    tess_array  counts = { 0 };
    tess_status status;
    TESS_GOTO(done, status,
              tess_histogram(&counts, in, c->bins, 0, &(tess_histogram_opts){ .low = c->low, .high = c->high }));
    if (!c->counts.data) {
        c->counts = counts;
        return TESS_OK;
    }
    TESS_GOTO(done, status, tess_add(&c->counts, &c->counts, &counts));
done:
    tess_release(&counts);
    return status;
}

static tess_status find_range(job *j, input *in, counter *c)
{
    double xyz[3];
    int    n = 0;
    TESS_TRY(job_xyz(j, "range", xyz, &n));
    if (n > 0) {
        TESS_CHECK(n == 2 && xyz[0] < xyz[1], TESS_EARG, "--range: '%s' is not two numbers, the smaller first",
                   job_text(j, "range", ""));
        c->low = xyz[0], c->high = xyz[1];
        return TESS_OK;
    }
    statistics all;
    TESS_TRY(statistics_input(&all, j, in));
    TESS_CHECK(all.n > 0 && isfinite(all.min) && isfinite(all.max), TESS_ERANGE,
               "%s: there is no range from a smallest to a largest number; give one with --range", in->name);
    c->low = all.min, c->high = all.max;
    if (c->low == c->high) c->low -= 0.5, c->high += 0.5;
    return TESS_OK;
}

static tess_status histogram_of_file(job *j, input *in, table *t, bool with_name)
{
    counter c = { .bins = job_integer(j, "hist", 0) };
    TESS_CHECK(c.bins > 0 && c.bins <= 1 << 24, TESS_ERANGE, "--hist: %lld bins; 1 to 16777216 are allowed",
               (long long)c.bins);
    TESS_CHECK(tess_dtype_kind(in->info.dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: a histogram of complex numbers is not defined", in->name);
    TESS_TRY(find_range(j, in, &c));
    slab_plan plan = plan_of_sections(&in, in->info.shape);
    plan.images = true;
    tess_status status = stream_slabs(j, &plan, NULL, count_bins, &c);
    for (int64_t i = 0; i < c.bins && status == TESS_OK; i++) {
        double width = (c.high - c.low) / (double)c.bins;
        if (with_name) table_text(t, "file", in->name);
        table_number(t, "from", c.low + (double)i * width);
        table_number(t, "to", i + 1 == c.bins ? c.high : c.low + (double)(i + 1) * width);
        table_integer(t, "count", c.counts.data ? TESS_AT(int64_t, c.counts, 0, 0, 0, i) : 0);
        table_row(t);
    }
    tess_release(&c.counts);
    return status;
}

static tess_status run(job *j)
{
    table *t = job_has(j, "field") ? NULL : table_new(j, stdout);
    TESS_CHECK(!job_has(j, "field") || !job_has(j, "hist"), TESS_EARG, "stats: --field and --hist do not go together");
    for (int i = 0; i < j->n_arguments; i++) {
        input       in;
        tess_status status = input_open(&in, j, j->arguments[i], NEED_ANY);
        if (status == TESS_OK) {
            if (job_has(j, "hist")) status = histogram_of_file(j, &in, t, j->n_arguments > 1);
            else status = rows_of_file(j, &in, t);
            input_close(&in);
        }
        if (status != TESS_OK) job_failed(j, status, j->arguments[i]);
    }
    table_end(t);
    return TESS_OK;
}

static const option options[] = {
    { .name = "each", .help = "a row for each image, volume, or section of a volume [one for the file]" },
    { .name = "field", .value = "NAMES", .type = OPTION_TEXT, .help = "only these, bare: min,max,mean,sd,nan ..." },
    { .name = "hist", .value = "N", .type = OPTION_INTEGER, .help = "a histogram of N bins instead" },
    { .name = "range", .value = "LOW,HIGH", .type = OPTION_XYZ, .help = "of the histogram [smallest to largest]" },
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera stats x.mrc",
    "tessera stats --each stack.mrcs",
    "tessera stats --field mean,sd x.mrc volume.mrc",
    "tessera stats --hist 64 x.mrc --tsv",
    NULL,
};

const verb verb_stats = {
    .name = "stats",
    .subject = "files",
    .summary = "minimum, maximum, mean and standard deviation",
    .arguments = "INPUT...",
    .text = "Reads the data part by part; headers are not believed. NaNs are counted and left out. Positions of "
            "the smallest and the largest value are x,y,section, from 0; the first of equals. The standard deviation "
            "divides by the number of values.\n\nOf complex numbers, these are the statistics of the magnitudes.",
    .globals = GLOBAL_READ | GLOBAL_SLICES | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, -1),
};
