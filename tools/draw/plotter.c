/* The options of a plot, and its curves. */
#include "draw/plotter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tess_status read_axis(plotter *p, plot_axis *axis, const char *title, const char *limits, const char *is_log)
{
    double two[2];
    axis->title = job_text(p->job, title, NULL);
    axis->log = job_has(p->job, is_log);
    if (!job_has(p->job, limits)) return TESS_OK;
    TESS_TRY(job_range(p->job, limits, two));
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

tess_status plotter_read_options(plotter *p)
{
    const job *j = p->job;
    const int  kinds = job_has(j, "histogram") + job_has(j, "radial") + job_has(j, "spectrum");
    TESS_CHECK(kinds <= 1, TESS_EARG, "plot: only one of --histogram, --radial and --spectrum is allowed, not %d",
               kinds);
    p->from = job_has(j, "histogram")  ? FROM_HISTOGRAM
              : job_has(j, "radial")   ? FROM_RADIAL
              : job_has(j, "spectrum") ? FROM_SPECTRUM
                                       : FROM_TABLE;
    TESS_CHECK(p->from == FROM_TABLE ||
                   !(job_has(j, "x") || job_has(j, "y") || job_has(j, "points") || job_has(j, "table")),
               TESS_EARG, "plot: --x, --y, --table and --points apply only to tables");
    p->plot.title = job_text(j, "title", NULL);
    p->plot.angstrom = job_has(j, "angstrom");
    TESS_TRY(read_axis(p, &p->plot.x, "xlabel", "xrange", "logx"));
    TESS_TRY(read_axis(p, &p->plot.y, "ylabel", "yrange", "logy"));
    TESS_CHECK(!p->plot.angstrom || !p->plot.x.log, TESS_EARG, "plot: --angstrom and --logx cannot be combined");
    TESS_TRY(read_lines(p));
    TESS_TRY(read_size(p));
    return TESS_OK;
}

tess_status plotter_add_curve(plotter *p, const char *name, const double *x, const double *y, int64_t n, plot_kind kind)
{
    const int i = p->plot.n_curves;
    TESS_CHECK(i < MAX_CURVES, TESS_ERANGE, "plot: more than %d curves", MAX_CURVES);
    (void)snprintf(p->names[i], sizeof p->names[i], "%s", name);
    p->curves[i] = (plot_curve){ .name = p->names[i], .x = x, .y = y, .n = n, .kind = kind };
    p->plot.n_curves++;
    p->plot.curves = p->curves;
    return TESS_OK;
}

const char *name_without_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
}
