/* Curves from the columns of a table. */
#include "draw/plotter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/star_columns.h"
#include "tessera/cryosparc.h"

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
        (void)snprintf(both, sizeof both, "%.48s: %.48s", name_without_folder(path), name);
        (void)snprintf(name, sizeof name, "%s", both);
    }
    if (!p->plot.y.title && !several && p->plot.n_curves == 0 && c->n <= 2) p->plot.y.title = c->names[k];
    TESS_TRY(
        plotter_add_curve(p, name, x, c->values[k], c->n_rows, job_has(p->job, "points") ? PLOT_POINTS : PLOT_LINE));
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
    TESS_CHECK(!wanted.table, TESS_EARG, "plot: --table requires a STAR file, and %s is not one", path);
    return columns_read(c, path);
}

tess_status plotter_add_table(plotter *p, int argument)
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
