/* tessera plot: curves from tables, histograms and radial means of files, as a picture or in the terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/plot_out.h"
#include "measure/columns.h"
#include "maps/profiles.h"
#include "measure/star_columns.h"
#include "tessera/cryosparc.h"

enum { MAX_CURVES = 200, MAX_LINES = 50 };

typedef enum source { FROM_TABLE, FROM_HISTOGRAM, FROM_RADIAL, FROM_SPECTRUM } source;

/* A plot, and what it points to. */
typedef struct plotter {
    job        *job;
    picture_out out;
    source      from;
    plot        plot;
    plot_curve  curves[MAX_CURVES];
    plot_line   lines[MAX_LINES];
    char        names[MAX_CURVES][100];
    char        x_title[100];
    double     *owned[MAX_CURVES * 2]; /* numbers to free */
    int         n_owned;
    columns    *tables; /* of each argument */
} plotter;

/* ---- Options ---- */

static tess_status read_two(const job *j, const char *name, bool rising, double two[2])
{
    double xyz[3];
    int    n = 0;
    TESS_TRY(job_xyz(j, name, xyz, &n));
    TESS_CHECK(n == 2 && (!rising || xyz[0] < xyz[1]), TESS_EARG, "plot: --%s is \"%s\"; two numbers%s are needed",
               name, job_text(j, name, ""), rising ? ", the smaller first," : "");
    two[0] = xyz[0];
    two[1] = xyz[1];
    return TESS_OK;
}

static tess_status read_axis(plotter *p, plot_axis *axis, const char *title, const char *limits, const char *is_log)
{
    double two[2];
    axis->title = job_text(p->job, title, NULL);
    axis->log = job_has(p->job, is_log);
    if (!job_has(p->job, limits)) return TESS_OK;
    TESS_TRY(read_two(p->job, limits, true, two));
    axis->low = two[0];
    axis->high = two[1];
    return TESS_OK;
}

/* --line 0.143 and --vline 3=label, as often as they were given. */
static tess_status read_lines(plotter *p)
{
    const char *name, *value;
    for (int i = 0; job_option(p->job, i, &name, &value); i++) {
        const bool upright = strcmp(name, "vline") == 0;
        if (!upright && strcmp(name, "line") != 0) continue;
        TESS_CHECK(p->plot.n_lines < MAX_LINES, TESS_ERANGE, "plot: more than %d lines are given", MAX_LINES);
        char        *end;
        const double at = strtod(value, &end);
        TESS_CHECK(end != value && (*end == 0 || *end == '='), TESS_EARG,
                   "plot: --%s is \"%s\"; a number, or a number and a label as 0.143=resolution, is needed", name,
                   value);
        p->lines[p->plot.n_lines++] = (plot_line){ at, upright, *end == '=' ? end + 1 : value };
    }
    p->plot.lines = p->lines;
    return TESS_OK;
}

static tess_status read_size(plotter *p)
{
    const char *text = job_text(p->job, "size", "800x500");
    char       *end;
    p->plot.width = strtod(text, &end);
    bool good = end != text && *end == 'x';
    if (good) {
        const char *second = end + 1;
        p->plot.height = strtod(second, &end);
        good = end != second && *end == 0;
    }
    TESS_CHECK(
        good && p->plot.width >= 100 && p->plot.height >= 80 && p->plot.width <= 10000 && p->plot.height <= 10000,
        TESS_EARG, "plot: --size is \"%s\"; width x height of 100x80 to 10000x10000 are needed, as 800x500", text);
    return TESS_OK;
}

static tess_status read_options(plotter *p)
{
    const job *j = p->job;
    const int  kinds = job_has(j, "histogram") + job_has(j, "radial") + job_has(j, "spectrum");
    TESS_CHECK(kinds <= 1, TESS_EARG, "plot: one of --histogram, --radial and --spectrum is allowed, not %d", kinds);
    p->from = job_has(j, "histogram")  ? FROM_HISTOGRAM
              : job_has(j, "radial")   ? FROM_RADIAL
              : job_has(j, "spectrum") ? FROM_SPECTRUM
                                       : FROM_TABLE;
    TESS_CHECK(p->from == FROM_TABLE ||
                   !(job_has(j, "x") || job_has(j, "y") || job_has(j, "points") || job_has(j, "table")),
               TESS_EARG, "plot: --x, --y, --table and --points are for tables");
    p->plot.title = job_text(j, "title", NULL);
    p->plot.angstrom = job_has(j, "angstrom");
    TESS_TRY(read_axis(p, &p->plot.x, "xlabel", "xrange", "logx"));
    TESS_TRY(read_axis(p, &p->plot.y, "ylabel", "yrange", "logy"));
    TESS_CHECK(!p->plot.angstrom || !p->plot.x.log, TESS_EARG, "plot: --angstrom and --logx do not go together");
    TESS_TRY(read_lines(p));
    TESS_TRY(read_size(p));
    return TESS_OK;
}

/* ---- Curves ---- */

static tess_status add_curve(plotter *p, const char *name, const double *x, const double *y, int64_t n, plot_kind kind)
{
    const int i = p->plot.n_curves;
    TESS_CHECK(i < MAX_CURVES, TESS_ERANGE, "plot: more than %d curves", MAX_CURVES);
    (void)snprintf(p->names[i], sizeof p->names[i], "%s", name);
    p->curves[i] = (plot_curve){ .name = p->names[i], .x = x, .y = y, .n = n, .kind = kind };
    p->plot.n_curves++;
    p->plot.curves = p->curves;
    return TESS_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
}

/* 0, 1, 2 … where a table has no column for x. */
static tess_status count_rows(plotter *p, int64_t n, double **x)
{
    *x = malloc(sizeof(double) * (size_t)n);
    TESS_CHECK(*x, TESS_ENOMEM, "plot: no memory for %lld numbers", (long long)n);
    for (int64_t i = 0; i < n; i++) (*x)[i] = (double)i;
    p->owned[p->n_owned++] = *x;
    return TESS_OK;
}

static bool has_numbers(const columns *c, int k)
{
    for (int64_t i = 0; i < c->n_rows; i++) {
        if (isfinite(c->values[k][i])) return true;
    }
    return false;
}

static tess_status find_column(const columns *c, const char *path, const char *which, const char *name, int *k)
{
    *k = columns_find(c, name);
    TESS_CHECK(*k >= 0, TESS_EARG, "plot: --%s is \"%s\"; %s has columns 1 to %d%s%s%s", which, name, path, c->n,
               c->names[0][0] != 0 ? ", the first is named \"" : "", c->names[0], c->names[0][0] != 0 ? "\"" : "");
    return TESS_OK;
}

static tess_status add_column(plotter *p, const columns *c, const char *path, const double *x, int k)
{
    char       name[100];
    const bool several = p->job->n_arguments > 1;
    if (c->names[k][0] == 0) (void)snprintf(name, sizeof name, "column %d", k + 1);
    else (void)snprintf(name, sizeof name, "%s", c->names[k]);
    if (several) {
        char both[100];
        (void)snprintf(both, sizeof both, "%.48s: %.48s", base_name(path), name);
        (void)snprintf(name, sizeof name, "%s", both);
    }
    if (!p->plot.y.title && !several && p->plot.n_curves == 0 && c->n <= 2) p->plot.y.title = c->names[k];
    TESS_TRY(add_curve(p, name, x, c->values[k], c->n_rows, job_has(p->job, "points") ? PLOT_POINTS : PLOT_LINE));
    return TESS_OK;
}

/* The columns that --y names, or all with numbers but that of x. */
static tess_status add_columns(plotter *p, const columns *c, const char *path, const double *x, int x_column)
{
    const char *list = job_text(p->job, "y", NULL);
    for (int k = 0; !list && k < c->n; k++) {
        if (k != x_column && has_numbers(c, k)) TESS_TRY(add_column(p, c, path, x, k));
    }
    while (list && *list != 0) {
        char         name[100];
        const size_t n = strcspn(list, ",");
        int          k;
        (void)snprintf(name, sizeof name, "%.*s", n < 99 ? (int)n : 99, list);
        TESS_TRY(find_column(c, path, "y", name, &k));
        TESS_CHECK(has_numbers(c, k), TESS_EARG, "plot: --y is \"%s\"; that column of %s has no numbers", name, path);
        TESS_TRY(add_column(p, c, path, x, k));
        list += n + (list[n] == ',');
    }
    return TESS_OK;
}

static tess_status read_table(plotter *p, columns *c, const char *path)
{
    job              *j = p->job;
    const star_wanted wanted = { job_text(j, "table", NULL), job_text(j, "x", NULL), job_text(j, "y", NULL) };
    if (tess_star_is_named(path)) return columns_read_star(c, j, path, &wanted);
    TESS_CHECK(!wanted.table, TESS_EARG, "plot: --table is for STAR files, and %s is none", path);
    return columns_read(c, path);
}

static tess_status add_table(plotter *p, int argument)
{
    const char *path = p->job->arguments[argument], *x_name = job_text(p->job, "x", NULL);
    columns    *c = &p->tables[argument];
    TESS_TRY(read_table(p, c, path));
    if (c->n_words > 0) {
        job_note(p->job, "%s: %lld fields are not numbers, and are left out", path, (long long)c->n_words);
    }
    int x_column = c->n > 1 ? 0 : -1;
    if (x_name) TESS_TRY(find_column(c, path, "x", x_name, &x_column));
    TESS_CHECK(!x_name || has_numbers(c, x_column), TESS_EARG, "plot: --x is \"%s\"; that column of %s has no numbers",
               x_name, path);
    double *x = x_column >= 0 ? c->values[x_column] : NULL;
    if (!x) TESS_TRY(count_rows(p, c->n_rows, &x));
    if (!p->plot.x.title) p->plot.x.title = x_column >= 0 ? c->names[x_column] : "Row";
    TESS_TRY(add_columns(p, c, path, x, x_column));
    return TESS_OK;
}

/* ---- Of files of images ---- */

static tess_status add_profile(plotter *p, const char *path, profile *made, plot_kind kind)
{
    TESS_CHECK(p->n_owned + 2 <= MAX_CURVES * 2, TESS_ERANGE, "plot: more than %d curves", MAX_CURVES);
    p->owned[p->n_owned++] = made->x;
    p->owned[p->n_owned++] = made->y;
    TESS_TRY(add_curve(p, base_name(path), made->x, made->y, made->n, kind));
    return TESS_OK;
}

/* One range for all files, so that their bars are alike. */
static tess_status histogram_range(plotter *p, double two[2])
{
    if (job_has(p->job, "range")) return read_two(p->job, "range", true, two);
    two[0] = INFINITY;
    two[1] = -INFINITY;
    for (int i = 0; i < p->job->n_arguments; i++) {
        input in;
        TESS_TRY(input_open(&in, p->job, p->job->arguments[i], NEED_ANY));
        const tess_status status = profile_range(&in, &two[0], &two[1]);
        input_close(&in);
        if (status != TESS_OK) TESS_TRY(status);
    }
    TESS_CHECK(two[0] <= two[1], TESS_ERANGE, "plot: there is no finite number in %s", p->job->arguments[0]);
    if (two[0] == two[1]) {
        const double around = fmax(fabs(two[0]) * 1e-3, 0.5);
        two[0] -= around;
        two[1] += around;
    }
    return TESS_OK;
}

static tess_status name_x(plotter *p, const input *in, const profile *made)
{
    const bool spectrum = p->from == FROM_SPECTRUM;
    TESS_CHECK(made->angstrom || !p->plot.angstrom, TESS_EARG,
               "plot: --angstrom needs the pixel size of %s, which is not known; give it with --apix", in->name);
    if (made->angstrom)
        (void)snprintf(p->x_title, sizeof p->x_title, "%s",
                       spectrum ? "Spatial frequency (1/\xc3\x85)" : "Radius (\xc3\x85)");
    else
        (void)snprintf(p->x_title, sizeof p->x_title, "%s",
                       spectrum ? "Spatial frequency (1/pixel)" : "Radius (pixels)");
    if (!p->plot.x.title) p->plot.x.title = p->x_title;
    return TESS_OK;
}

static tess_status add_file(plotter *p, input *in, const double range[2])
{
    profile made = { .n = 0 };
    if (p->from == FROM_HISTOGRAM) {
        const int64_t bins = job_integer(p->job, "bins", 100);
        TESS_CHECK(bins >= 1 && bins <= 100000, TESS_ERANGE, "plot: --bins is %lld; 1 to 100000 is allowed",
                   (long long)bins);
        TESS_TRY(profile_histogram(&made, in, range[0], range[1], bins));
        return add_profile(p, in->name, &made, PLOT_BARS);
    }
    if (p->from == FROM_RADIAL) TESS_TRY(profile_radial(&made, in, p->job));
    else TESS_TRY(profile_spectrum(&made, in, p->job));
    const tess_status status = name_x(p, in, &made);
    TESS_TRY(add_profile(p, in->name, &made, PLOT_LINE));
    return status;
}

static tess_status add_files(plotter *p)
{
    double range[2] = { 0, 0 };
    if (p->from == FROM_HISTOGRAM) TESS_TRY(histogram_range(p, range));
    for (int i = 0; i < p->job->n_arguments; i++) {
        input in;
        TESS_TRY(input_open(&in, p->job, p->job->arguments[i], NEED_ANY));
        const tess_status status = add_file(p, &in, range);
        if (status == TESS_OK && p->job->n_arguments == 1 && !p->plot.title) p->plot.title = p->names[0];
        input_close(&in);
        if (status != TESS_OK) TESS_TRY(status);
    }
    if (p->from == FROM_HISTOGRAM && !p->plot.x.title) p->plot.x.title = "Value";
    if (!p->plot.y.title) {
        p->plot.y.title = p->from == FROM_HISTOGRAM ? "Count" : p->from == FROM_RADIAL ? "Mean" : "Power";
    }
    /* Zero frequency, the square of the mean, would hide the rest. */
    if (p->from == FROM_SPECTRUM && !job_has(p->job, "logy")) p->plot.y.log = true;
    for (int i = 0; p->from == FROM_SPECTRUM && i < p->plot.n_curves; i++) {
        p->curves[i].x++;
        p->curves[i].y++;
        p->curves[i].n--;
    }
    return TESS_OK;
}

/* ---- Drawing ---- */

static tess_status draw(const plotter *p)
{
    const double scale = job_number(p->job, "scale", 2);
    plot_facts   info = { 0 };
    TESS_CHECK(scale >= 0.25 && scale <= 16, TESS_ERANGE, "plot: --scale is %g; 0.25 to 16 is allowed", scale);
    TESS_TRY(plot_out(&p->plot, &p->out, scale, &info));
    if (info.left_out > 0 && p->from != FROM_HISTOGRAM) {
        job_note(p->job, "%lld points are not drawn: no numbers, infinite%s", (long long)info.left_out,
                 p->plot.x.log || p->plot.y.log ? ", or 0 and less on a logarithmic axis" : "");
    }
    return TESS_OK;
}

static tess_status make(plotter *p)
{
    TESS_TRY(read_options(p));
    if (p->from != FROM_TABLE) TESS_TRY(add_files(p));
    for (int i = 0; p->from == FROM_TABLE && i < p->job->n_arguments; i++) TESS_TRY(add_table(p, i));
    TESS_CHECK(p->plot.n_curves > 0, TESS_EARG, "plot: %s has no second column with numbers", p->job->arguments[0]);
    if (!p->out.skip) TESS_TRY(draw(p));
    return TESS_OK;
}

static tess_status run(job *j)
{
    plotter *p = calloc(1, sizeof *p);
    TESS_CHECK(p, TESS_ENOMEM, "plot: no memory");
    p->job = j;
    p->tables = calloc((size_t)j->n_arguments, sizeof *p->tables);
    tess_status status = p->tables ? picture_out_find(&p->out, j) : TESS_OK;
    const bool  enough = p->tables != NULL;
    if (enough && status == TESS_OK) status = make(p);
    for (int i = 0; i < p->n_owned; i++) free(p->owned[i]);
    for (int i = 0; enough && i < j->n_arguments; i++) columns_free(&p->tables[i]);
    free(p->tables);
    free(p);
    TESS_CHECK(enough, TESS_ENOMEM, "plot: no memory for %d tables", j->n_arguments);
    if (status != TESS_OK) TESS_TRY(status);
    return TESS_OK;
}

static const option options[] = {
    VALUE("x", "COL", OPTION_TEXT, "column of x, by name or number from 1 [1]"),
    VALUE("y", "COLS", OPTION_TEXT, "columns of y: 2,3 or names [all others]"),
    VALUE("table", "NAME", OPTION_TEXT, "of a STAR file, as fsc [the one with --x, --y]"),
    FLAG("points", "points instead of lines"),
    FLAG("histogram", "the histogram of the values of files"),
    VALUE("bins", "N", OPTION_INTEGER, "its bars [100]"),
    VALUE("range", "LOW,HIGH", OPTION_XYZ, "its range [least to largest]"),
    FLAG("radial", "the mean at each distance from the centre of files"),
    FLAG("spectrum", "the mean power at each spatial frequency"),
    VALUE("title", "TEXT", OPTION_TEXT, "title of the plot"),
    VALUE("xlabel", "TEXT", OPTION_TEXT, "title of the x axis [name of the column]"),
    VALUE("ylabel", "TEXT", OPTION_TEXT, "title of the y axis"),
    VALUE("xrange", "LOW,HIGH", OPTION_XYZ, "ends of the x axis [those of the data]"),
    VALUE("yrange", "LOW,HIGH", OPTION_XYZ, "ends of the y axis"),
    FLAG("logx", "logarithmic x axis"),
    FLAG("logy", "logarithmic y axis [for --spectrum]"),
    FLAG("angstrom", "x is in 1/\xc3\x85: show resolutions in \xc3\x85 along the top"),
    VALUE("line", "Y", OPTION_TEXT, "reference line at Y, or Y=LABEL", .many = true),
    VALUE("vline", "X", OPTION_TEXT, "upright reference line at X", .many = true),
    VALUE("size", "WxH", OPTION_TEXT, "size of the picture [800x500]"),
    VALUE("scale", "N", OPTION_NUMBER, "pixels of a PNG for each of that size [2]"),
    TERMINAL_OPTION,
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera stats --each stack.mrcs --tsv > stats.tsv",
    "tessera plot stats.tsv --x image --y mean,sd -o stats.svg",
    "tessera plot --histogram x.mrc --logy -o histogram.png",
    "tessera plot --spectrum x.mrc --angstrom --vline 0.1 -o spectrum.svg",
    "tessera plot --radial volume.mrc --terminal ascii",
    NULL,
};

const verb verb_plot = {
    .name = "plot",
    .subject = "pictures",
    .summary = "curves from tables; histograms and radial means of files",
    .arguments = "INPUT... [-o OUT]",
    .text =
        "Tables have numbers in columns, with tabs, commas or spaces between them, and may have a line of names; - is "
        "standard input. Each column becomes a curve. Of a STAR file, columns are named by their labels, with or "
        "without the underscore: plot postprocess.star --x rlnResolution --y rlnFourierShellCorrelationCorrected; "
        "where that does not tell one table, --table does, and what tables and columns there are is told. What is no "
        "number, and on a logarithmic axis what is 0 or less, is left out.\n\nThe colours can be told apart by people "
        "who are colour-blind. Without -o the plot is drawn in the terminal.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT,
    VERB_OF_FILE(1, -1),
};
