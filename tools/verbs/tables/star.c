/* tessera star: tables of STAR, TSV and CSV files, filtered, joined, sorted, computed, drawn and converted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "files/file_name.h"
#include "files/plot_out.h"
#include "files/star_file.h"
#include "tables/table_steps.h"

enum { MAX_CURVES = 16 };

static const option options[] = {
    VALUE("table", "NAME", OPTION_TEXT, "table to work on [the first loop but optics]"),
    FLAG("list", "what tables and columns there are, with their first values"),
    VALUE("where", "EXPR", OPTION_TEXT, "only rows where this is true", .many = true),
    VALUE("set", "NAME=EXPR", OPTION_TEXT, "compute a column", .many = true),
    VALUE("join", "FILE", OPTION_FILE, "add the columns of another file", .many = true),
    VALUE("by", "COL", OPTION_TEXT, "column that tells which rows belong together"),
    VALUE("sort", "COLS", OPTION_TEXT, "sort by these; COL:down is falling", .many = true),
    VALUE("rows", "LIST", OPTION_SLICES, "only these rows, from 0: 0-9,12,20-"),
    VALUE("columns", "COLS", OPTION_TEXT, "only these, in this order", .many = true),
    VALUE("drop", "COLS", OPTION_TEXT, "without these columns", .many = true),
    VALUE("rename", "OLD=NEW", OPTION_TEXT, "another name for a column", .many = true),
    VALUE("split", "COL", OPTION_TEXT, "a file for each value of a column"),
    VALUE("histogram", "COL", OPTION_TEXT, "draw how often values are"),
    VALUE("bins", "N", OPTION_INTEGER, "bars of the histogram [50]"),
    VALUE("x", "COL", OPTION_TEXT, "draw points over this column [the row]"),
    VALUE("y", "COLS", OPTION_TEXT, "draw these columns"),
    TERMINAL_OPTION,
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera star particles.star --where 'rlnDefocusU > 15002 && rlnDefocusU < 15007' -o chosen.star",
    "tessera star particles.star --join micrographs.star --by rlnMicrographName -o joined.star",
    "tessera star particles.star --set 'rlnDefocusU=rlnDefocusU + 100' --sort rlnDefocusU:down -o shifted.star",
    "tessera star particles.star --split rlnMicrographName -o 'of_{value}.star'",
    "tessera star particles.star -o particles.cs",
    "tessera star particles.star --histogram rlnDefocusU --bins 4 -o defocus.svg",
    NULL,
};

/* ---- What there is ---- */

static void list_table(table *t, const tess_star_table *rows)
{
    for (int64_t k = 0; k < tess_star_columns(rows); k++) {
        const char *first = tess_star_value(rows, 0, k);
        table_text(t, "table", tess_star_name(rows));
        table_integer(t, "rows", tess_star_rows(rows));
        table_text(t, "column", tess_star_label(rows, k) + 1);
        table_text(t, "first", first ? first : "");
        table_row(t);
    }
}

static tess_status list_all(job *j, const tess_star *star)
{
    table *t = table_new(j, stdout);
    TESS_CHECK(t, TESS_ENOMEM, "star: no memory for a table");
    for (int64_t i = 0; i < tess_star_count(star); i++) list_table(t, tess_star_at(star, i));
    table_end(t);
    return TESS_OK;
}

/* ---- Files ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcasecmp(text + n - m, end) == 0;
}

/* The form of a file by its name; 0: STAR. */
static int form_of(const char *path)
{
    if (ends_with(path, ".json")) return TESS_STAR_JSON;
    if (ends_with(path, ".csv")) return TESS_STAR_CSV;
    return ends_with(path, ".tsv") || ends_with(path, ".txt") ? TESS_STAR_TSV : 0;
}

static tess_status write_document(const job *j, const char *path, const tess_star *star, const tess_star_table *rows)
{
    const int32_t overwrite = job_has(j, "force");
    const int     form = form_of(path);
    if (form) return tess_star_write_table(path, rows, &(tess_star_table_opts){ .overwrite = overwrite, .form = form });
    return star_file_write(path, star, j);
}

static tess_status print_rows(const job *j, const tess_star_table *rows)
{
    const int form = job_has(j, "json") ? TESS_STAR_JSON : job_has(j, "tsv") ? TESS_STAR_TSV : TESS_STAR_ALIGNED;
    return tess_star_write_table("-", rows, &(tess_star_table_opts){ .form = form });
}

/* ---- A file for each value ---- */

/* {value} of a pattern, or before its ending _ and the value, whose slashes and blanks become underscores. */
static tess_status name_of_part(char name[4096], const char *pattern, const char *value)
{
    char  safe[400];
    char *at = strstr(pattern, "{value}");
    (void)snprintf(safe, sizeof safe, "%s", value[0] ? value : "empty");
    for (char *c = safe; *c; c++)
        if (*c == '/' || (unsigned char)*c <= ' ') *c = '_';
    const size_t before = at ? (size_t)(at - pattern) : name_end(pattern);
    const char  *behind = at ? at + 7 : pattern + before;
    const int    n = snprintf(name, 4096, "%.*s%s%s%s", (int)before, pattern, at ? "" : "_", safe, behind);
    TESS_CHECK(n > 0 && n < 4096, TESS_EARG, "-o: the names would be too long");
    return TESS_OK;
}

/* All tables of a document, one of them with n rows alone. */
static tess_status write_part(const job *j, const char *path, const tess_star *star, const tess_star_table *rows,
                              const int64_t *chosen, int64_t n)
{
    tess_star       *part = NULL;
    tess_star_table *copy = NULL, *copied_rows = NULL;
    tess_status      status = TESS_OK;
    TESS_TRY(tess_star_new(&part));
    for (int64_t i = 0; i < tess_star_count(star) && status == TESS_OK; i++) {
        const tess_star_table *t = tess_star_at(star, i);
        status = tess_star_copy(&copy, part, t, t == rows ? chosen : NULL, n);
        if (t == rows) copied_rows = copy;
    }
    if (status == TESS_OK) status = write_document(j, path, part, copied_rows);
    tess_star_free(part);
    return status;
}

/* From row `first` of the sorted order, rows with the same value. */
static int64_t count_alike(const tess_star_table *t, int64_t column, const int64_t *order, int64_t first)
{
    const int64_t rows = tess_star_rows(t);
    int64_t       n = 1;
    while (first + n < rows &&
           strcmp(tess_star_value(t, order[first], column), tess_star_value(t, order[first + n], column)) == 0)
        n++;
    return n;
}

typedef struct keyed {
    const char *text;
    int64_t     row;
} keyed;

static int by_text_and_row(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    const int    order = strcmp(x->text, y->text);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Before anything is written: may each of the files be, and is none of them that of two values? `names` has a text for
 * each value, to be freed. */
static tess_status check_parts(job *j, const tess_star_table *t, int64_t column, const int64_t *order, keyed *names,
                               int64_t *n_names)
{
    char name[4096];
    for (int64_t first = 0, n; first < tess_star_rows(t); first += n) {
        n = count_alike(t, column, order, first);
        TESS_TRY(name_of_part(name, job_text(j, "output", ""), tess_star_value(t, order[first], column)));
        TESS_TRY(output_check_name(j, "-o", name));
        if (job_has(j, "dry-run")) (void)printf("would write %s (%lld rows)\n", name, (long long)n);
        char *copy = strdup(name);
        TESS_CHECK(copy, TESS_ENOMEM, "star: no memory for the names of files");
        names[(*n_names)++] = (keyed){ copy, first };
    }
    qsort(names, (size_t)*n_names, sizeof *names, by_text_and_row);
    for (int64_t i = 1; i < *n_names; i++)
        TESS_CHECK(strcmp(names[i - 1].text, names[i].text) != 0, TESS_EARG,
                   "star: two values of --split have one file, %s", names[i].text);
    return TESS_OK;
}

static tess_status write_parts(const job *j, const tess_star *star, const tess_star_table *t, int64_t column,
                               const int64_t *order)
{
    char name[4096];
    for (int64_t first = 0, n; first < tess_star_rows(t); first += n) {
        n = count_alike(t, column, order, first);
        TESS_TRY(name_of_part(name, job_text(j, "output", ""), tess_star_value(t, order[first], column)));
        TESS_TRY(write_part(j, name, star, t, order + first, n));
    }
    return TESS_OK;
}

static tess_status split(job *j, const tess_star *star, const tess_star_table *t)
{
    const char   *label = job_text(j, "split", "");
    const int64_t column = tess_star_column(t, label), n = tess_star_rows(t);
    TESS_CHECK(column >= 0, TESS_EFORMAT, "star: --split is %s; table %s has no such column", label, tess_star_name(t));
    TESS_CHECK(job_has(j, "output"), TESS_EARG, "star: --split needs -o, as 'part_{value}.star'");
    TESS_CHECK(!tess_star_is_pairs(t), TESS_EARG, "star: --split needs a loop, and %s holds pairs", tess_star_name(t));
    keyed      *keys = malloc((size_t)(n + 1) * sizeof *keys);
    int64_t    *order = malloc((size_t)(n + 1) * sizeof *order);
    tess_status status = TESS_OK;
    if (keys && order) {
        for (int64_t r = 0; r < n; r++) keys[r] = (keyed){ tess_star_value(t, r, column), r };
        qsort(keys, (size_t)n, sizeof *keys, by_text_and_row);
        for (int64_t r = 0; r < n; r++) order[r] = keys[r].row;
        int64_t n_names = 0;
        status = check_parts(j, t, column, order, keys, &n_names);
        for (int64_t i = 0; i < n_names; i++) free((void *)(uintptr_t)keys[i].text);
        if (status == TESS_OK && !job_has(j, "dry-run")) status = write_parts(j, star, t, column, order);
    }
    const bool enough = keys && order;
    free(keys);
    free(order);
    TESS_CHECK(enough, TESS_ENOMEM, "star: no memory for %lld rows", (long long)n);
    return status;
}

/* ---- Plots ---- */

static bool is_drawn(const job *j) { return job_has(j, "histogram") || job_has(j, "y"); }

static tess_status show(job *j, const picture_out *out, plot *p)
{
    plot_facts info = { 0 };
    TESS_TRY(plot_out(p, out, 2, &info));
    if (info.left_out > 0) job_note(j, "%lld points are not drawn: NaN or infinite", (long long)info.left_out);
    return TESS_OK;
}

/* How many values are in each of `bins` equal parts of their range. */
static tess_status count_bins(double *x, double *y, int64_t bins, const tess_array *values, const char *label)
{
    double     low = 0, high = 0;
    tess_array counts = { 0 };
    int64_t    count;
    TESS_TRY(tess_host_nanmin(&low, values));
    TESS_TRY(tess_host_nanmax(&high, values));
    TESS_CHECK(isfinite(low) && isfinite(high), TESS_ERANGE, "star: --histogram is %s; its range is %g to %g", label,
               low, high);
    if (low == high) low -= 0.5, high += 0.5;
    TESS_TRY(tess_histogram(&counts, values, bins, TESS_ALL_AXES, &(tess_histogram_opts){ .low = low, .high = high }));
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < bins && status == TESS_OK; i++) {
        status = tess_get_i64(&count, &counts, 0, 0, 0, i);
        x[i] = low + (high - low) * (double)i / (double)bins;
        y[i] = (double)count;
    }
    x[bins] = high;
    tess_release(&counts);
    return status;
}

static tess_status draw_histogram(job *j, const picture_out *out, const tess_star_table *t)
{
    const char   *label = job_text(j, "histogram", "");
    const int64_t bins = job_integer(j, "bins", 50);
    tess_array    values = { 0 };
    TESS_CHECK(bins >= 1 && bins <= 100000, TESS_ERANGE, "star: --bins is %lld; 1 to 100000 is allowed",
               (long long)bins);
    TESS_CHECK(tess_star_rows(t) > 0, TESS_ERANGE, "star: --histogram: there are no rows");
    TESS_TRY(tess_star_numbers(&values, t, label));
    double     *x = malloc(sizeof(double) * 2 * (size_t)(bins + 1)), *y = x ? x + bins + 1 : NULL;
    tess_status status = x ? count_bins(x, y, bins, &values, label) : TESS_OK;
    plot_curve  bars = { .x = x, .y = y, .n = bins, .kind = PLOT_BARS };
    plot        p = { .x.title = label, .y.title = "Rows", .curves = &bars, .n_curves = 1 };
    if (x && status == TESS_OK) status = show(j, out, &p);
    const bool enough = x != NULL;
    free(x);
    tess_release(&values);
    TESS_CHECK(enough, TESS_ENOMEM, "star: no memory for %lld bars", (long long)bins);
    return status;
}

/* The columns of --y over that of --x, or over the rows. */
typedef struct scatter {
    tess_array x, y[MAX_CURVES];
    char       names[MAX_CURVES][100];
    plot_curve curves[MAX_CURVES];
    int        n;
} scatter;

static tess_status read_scatter(scatter *s, const job *j, const tess_star_table *t)
{
    const char   *x = job_text(j, "x", NULL), *list = job_text(j, "y", "");
    const int64_t n = tess_star_rows(t);
    char          name[100];
    if (x) TESS_TRY(tess_star_numbers(&s->x, t, x));
    else TESS_TRY(tess_arange(&s->x, TESS_SHAPE(n, 1, 1, 1), TESS_F64, tess_cpu(), 0, 1));
    while (next_name(&list, name)) {
        TESS_CHECK(s->n < MAX_CURVES, TESS_EARG, "star: --y names more than %d columns", MAX_CURVES);
        TESS_TRY(tess_star_numbers(&s->y[s->n], t, name));
        (void)strcpy(s->names[s->n], name);
        s->curves[s->n] =
            (plot_curve){ .name = s->names[s->n], .x = s->x.data, .y = s->y[s->n].data, .n = n, .kind = PLOT_POINTS };
        s->n++;
    }
    return TESS_OK;
}

static tess_status draw_points(job *j, const picture_out *out, const tess_star_table *t)
{
    scatter *s = calloc(1, sizeof *s);
    TESS_CHECK(s, TESS_ENOMEM, "star: no memory for a plot");
    tess_status status = read_scatter(s, j, t);
    plot        p = { .x.title = job_text(j, "x", "Row"),
                      .y.title = s->n == 1 ? s->names[0] : NULL,
                      .curves = s->curves,
                      .n_curves = s->n };
    if (status == TESS_OK) status = show(j, out, &p);
    for (int i = 0; i < MAX_CURVES; i++) tess_release(&s->y[i]);
    tess_release(&s->x);
    free(s);
    return status;
}

/* ---- The whole ---- */

static tess_status check_options(job *j)
{
    const char *out = job_text(j, "output", "");
    TESS_CHECK(job_has(j, "join") || !job_has(j, "by"), TESS_EARG, "star: --by is for --join");
    TESS_CHECK(job_has(j, "y") || !job_has(j, "x"), TESS_EARG, "star: --x needs --y");
    TESS_CHECK(job_has(j, "histogram") || !job_has(j, "bins"), TESS_EARG, "star: --bins is for --histogram");
    TESS_CHECK(job_has(j, "histogram") + job_has(j, "y") + job_has(j, "split") + job_has(j, "list") <= 1, TESS_EARG,
               "star: one of --list, --split, --histogram and --y is allowed");
    TESS_CHECK(!job_has(j, "output") || !(job_has(j, "json") || job_has(j, "tsv") || job_has(j, "list")), TESS_EARG,
               "star: --json, --tsv and --list are for results that are printed, without -o; the name of -o tells the "
               "form: .star, .tsv, .csv, .json");
    TESS_CHECK(
        is_drawn(j) || !out[0] || form_of(out) || ends_with(out, ".star") || is_cs_name(out) || strcmp(out, "-") == 0,
        TESS_EARG,
        "star: -o is \"%s\"; a name that ends with .star, .cs, .tsv, .csv or .json is needed, or, with --histogram or "
        "--y, .png or .svg",
        out);
    return TESS_OK;
}

static tess_status finish(job *j, const tess_star *star, const tess_star_table *t, const picture_out *out)
{
    if (job_has(j, "list")) return list_all(j, star);
    if (job_has(j, "split")) return split(j, star, t);
    if (out->skip) return TESS_OK;
    if (job_has(j, "histogram")) return draw_histogram(j, out, t);
    if (job_has(j, "y")) return draw_points(j, out, t);
    if (!job_has(j, "output")) return print_rows(j, t);
    return write_document(j, job_text(j, "output", ""), star, t);
}

/* All inputs as one document. */
static tess_status read_inputs(const job *j, tess_star **star)
{
    TESS_TRY(table_read(star, j, j->arguments[0]));
    for (int i = 1; i < j->n_arguments; i++) {
        tess_star *more = NULL;
        TESS_TRY(table_read(&more, j, j->arguments[i]));
        const tess_status status = tess_star_merge(*star, more);
        tess_star_free(more);
        if (status != TESS_OK) return status;
    }
    return TESS_OK;
}

/* The expression, and a caret under what is wrong in it. */
static void show_fault(const table_steps *s)
{
    const int length = (int)strcspn(s->expression, "\n");
    if (s->wrong.at > length) return;
    (void)fprintf(stderr, "    %.*s\n    %*s^", length, s->expression, s->wrong.at, "");
    for (int i = 1; i < s->wrong.length; i++) (void)fputc('~', stderr);
    (void)fputc('\n', stderr);
}

static tess_status run(job *j)
{
    tess_star  *star = NULL;
    picture_out out = { .skip = false };
    table_steps s = { .job = j };
    tess_status status;
    TESS_TRY(check_options(j));
    if (is_drawn(j)) TESS_TRY(picture_out_find(&out, j));
    else if (job_has(j, "output") && !job_has(j, "split")) TESS_TRY(output_check(j, &out.skip));
    TESS_GOTO(done, status, read_inputs(j, &star));
    s.is_cryosparc = tess_star_is_cryosparc(star);
    TESS_GOTO(done, status, table_find(&s.table, j, star, j->arguments[0]));
    TESS_GOTO(done, status, table_steps_run(&s));
    TESS_GOTO(done, status, finish(j, star, s.table, &out));
done:
    tess_star_free(star);
    if (status == TESS_EPARSE) {
        job_failed(j, status, NULL);
        show_fault(&s);
        status = TESS_OK;
    }
    return status;
}

const verb verb_star = {
    .name = "star",
    .subject = "tables",
    .summary = "tables of STAR, cryoSPARC, TSV and CSV files: filter, join, sort, compute, plot, convert",
    .arguments = "INPUT... [-o OUT]",
    .text = "Steps are done in the order of the command line: --where, --set, --join, --sort, --rows, --columns, "
            "--drop and --rename. The result is printed, or written to -o as its name says: .star with all other "
            "tables of the input, optics among them, and its comments; .tsv, .csv or .json the one table. Values that "
            "are not touched keep their text.\n\n"
            "A .cs file of cryoSPARC is a table with the names of its fields; one of several values, as a pose, is the "
            "columns NAME_0, NAME_1 and so on. Written as .star it gets RELION's labels, an optics table, Euler angles "
            "and origins in A; a STAR file written as .cs gets cryoSPARC's fields. What has no partner is kept. In "
            "expressions, names of fields keep their slash: 'ctf/df1_A > 15000'. Every verb that takes particles of a "
            "STAR file takes a .cs file, too.\n\n"
            "Expressions are those of the operator language, as in calc, with the names of columns: + - * / %, "
            "comparisons, && || !, ?:, and functions such as sqrt, abs, clamp. Numbers are f64; row is the number of a "
            "row from 0. mean, sum, min, max, std, var, norm and median of one argument are taken over all rows. A "
            "column is compared with a text by == and !=, where * stands for any letters and ? for one: "
            "'rlnMicrographName == \"a*.mrc\"'. --set 'NAME=\"TEXT\"' sets a text.\n\n"
            "Rows of several inputs become one table; optics groups that differ get new numbers. --join adds the "
            "columns that are not there; rows without a partner are dropped, with a note. --split names files by "
            "{value} in -o, or puts the value before the ending. --by is one for all --join.\n\n"
            "Tables are held in memory whole, whatever --mem says: their text, and 8 bytes for each value, twice while "
            "rows are chosen, sorted or joined.",
    .mark = "{value}",
    .globals = GLOBAL_OUT | GLOBAL_TABLE | GLOBAL_DEVICE,
    VERB_OF_FILE(1, -1),
};
