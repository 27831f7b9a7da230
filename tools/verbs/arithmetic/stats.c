/* tessera stats: minimum, maximum, mean, standard deviation and their positions, of files or of each image. */
#include "files/input.h"
#include "command/context.h"
#include "command/row.h"

/* x,y,section, or NaNs */
static void row_position(row *r, const char *name, const double at[3])
{
    char text[64] = "unknown";
    if (at[0] >= 0) (void)snprintf(text, sizeof text, "%.0f,%.0f,%.0f", at[0], at[1], at[2]);
    row_list(r, name, text, false);
}

/* `dtype` is that of the file, whose digits minimum and maximum have; `image` is -1 in the row of a file. */
static void fill_row(row *r, const char *name, int64_t image, const double *s, tess_dtype dtype)
{
    row_start(r);
    row_text(r, "file", name);
    if (image >= 0) row_integer(r, "image", image);
    row_number(r, "min", s[TESS_STATISTICS_MIN], dtype);
    row_number(r, "max", s[TESS_STATISTICS_MAX], dtype);
    row_number(r, "mean", s[TESS_STATISTICS_MEAN], TESS_F64);
    row_number(r, "sd", s[TESS_STATISTICS_SD], TESS_F64);
    row_position(r, "argmin", s + TESS_STATISTICS_MIN_X);
    row_position(r, "argmax", s + TESS_STATISTICS_MAX_X);
    row_integer(r, "n", (int64_t)s[TESS_STATISTICS_N]);
    row_integer(r, "nan", (int64_t)s[TESS_STATISTICS_N_NAN]);
    row_integer(r, "inf", (int64_t)s[TESS_STATISTICS_N_INF]);
}

/* Into the table, or the values that --field asks for. */
static tess_status print_rows(const job *j, const input *in, const tess_array *statistics, table *t)
{
    const char      *fields = job_text(j, "field", NULL);
    const tess_dtype dtype = tess_dtype_real(in->info.dtype);
    tess_status      status = TESS_OK;
    row              r;
    for (int64_t i = 0; i < statistics->shape.h && status == TESS_OK; i++) {
        const double *s = (const double *)statistics->data + i * TESS_STATISTICS_COLUMNS;
        fill_row(&r, in->name, job_has(j, "each") ? i : -1, s, dtype);
        if (fields) status = row_check_fields(&r, fields);
        if (status == TESS_OK && fields) row_print_fields(&r, fields, stdout);
        if (!fields) row_to_table(&r, t);
    }
    return status;
}

static tess_status rows_of_file(job *j, input *in, table *t)
{
    const tess_context context = job_context(j);
    const int32_t      each = input_along_b(in) ? TESS_STATISTICS_OF_EACH_VOLUME : TESS_STATISTICS_OF_EACH_IMAGE;
    tess_stack_statistics_opts   opts = { .of = job_has(j, "each") ? each : TESS_STATISTICS_OF_ALL };
    tess_stack_statistics_result r = { 0 };
    if (tess_dtype_kind(in->info.dtype) == TESS_KIND_COMPLEX)
        job_note(j, "%s: complex values; statistics are those of their magnitudes", in->name);
    TESS_TRY(job_context_end(j, tess_stack_statistics(&r, input_source(in), &opts, &context)));
    const tess_status status = print_rows(j, in, &r.statistics, t);
    tess_stack_statistics_result_release(&r);
    return status;
}

static tess_status find_range(const job *j, tess_stack_histogram_opts *opts)
{
    double xyz[3] = { 0 };
    int    n = 0;
    TESS_TRY(job_xyz(j, "range", xyz, &n));
    TESS_CHECK(n == 0 || (n == 2 && xyz[0] < xyz[1]), TESS_EARG,
               "--range is '%s'; expected two numbers, the smaller first", job_text(j, "range", ""));
    opts->low = xyz[0], opts->high = xyz[1]; /* both are 0: by the values */
    return TESS_OK;
}

static void print_histogram(table *t, const tess_array *histogram, const char *name)
{
    const double *bin = histogram->data;
    for (int64_t i = 0; i < histogram->shape.h; i++, bin += TESS_BIN_COLUMNS) {
        if (name) table_text(t, "file", name);
        table_number(t, "from", bin[TESS_BIN_FROM]);
        table_number(t, "to", bin[TESS_BIN_TO]);
        table_integer(t, "count", (int64_t)bin[TESS_BIN_COUNT]);
        table_row(t);
    }
}

static tess_status histogram_of_file(job *j, input *in, table *t)
{
    const tess_context          context = job_context(j);
    tess_stack_histogram_opts   opts = { 0 };
    tess_stack_histogram_result r = { 0 };
    const int64_t               n = job_integer(j, "hist", 0);
    TESS_CHECK(n > 0 && n <= 1 << 24, TESS_ERANGE, "--hist: %lld bins; 1 to 16777216 are allowed", (long long)n);
    TESS_TRY(find_range(j, &opts));
    const tess_status status = job_context_end(j, tess_stack_histogram(&r, input_source(in), n, &opts, &context));
    TESS_CHECK(status != TESS_ERANGE || job_has(j, "range"), TESS_ERANGE,
               "%s: its values have no finite range; give one with --range", in->name);
    TESS_TRY(status);
    print_histogram(t, &r.histogram, j->n_arguments > 1 ? in->name : NULL);
    tess_stack_histogram_result_release(&r);
    return TESS_OK;
}

static tess_status run(job *j)
{
    table *t = job_has(j, "field") ? NULL : table_new(j, stdout);
    TESS_CHECK(!job_has(j, "field") || !job_has(j, "hist"), TESS_EARG, "stats: --field and --hist cannot be combined");
    for (int i = 0; i < j->n_arguments; i++) {
        input       in;
        tess_status status = input_open(&in, j, j->arguments[i], NEED_ANY);
        if (status == TESS_OK) {
            status = job_has(j, "hist") ? histogram_of_file(j, &in, t) : rows_of_file(j, &in, t);
            input_close(&in);
        }
        if (status != TESS_OK) job_failed(j, status, j->arguments[i]);
    }
    table_end(t);
    return TESS_OK;
}

static const option options[] = {
    FLAG("each", "print a row per image, volume or section [per file]"),
    VALUE("field", "NAMES", OPTION_TEXT, "print only these fields: min,max,mean,sd,nan ..."),
    VALUE("hist", "N", OPTION_INTEGER, "print a histogram of N bins instead"),
    VALUE("range", "LOW,HIGH", OPTION_XYZ, "range of the histogram [minimum to maximum]"),
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
    .summary = "print minimum, maximum, mean and standard deviation",
    .arguments = "INPUT...",
    .text =
        "Reads the data part by part; statistics in the header are ignored. NaNs are counted and left out. Positions "
        "of the minimum and maximum are x,y,section, from 0; of equal values the first counts. The standard deviation "
        "divides by the number of values.\n\nFor complex data, statistics are those of the magnitudes.",
    .globals = GLOBAL_READ | GLOBAL_SLICES | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, -1),
};
