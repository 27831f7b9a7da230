/* Plots of the columns of a table. */
#include "draw/table_plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/plot_out.h"
#include "tables/table_steps.h"

enum { MAX_CURVES = 16 };

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

tess_status table_histogram(job *j, const picture_out *out, const tess_star_table *t)
{
    const char   *label = job_text(j, "histogram", "");
    const int64_t bins = job_integer(j, "bins", 50);
    tess_array    values = { 0 };
    TESS_CHECK(bins >= 1 && bins <= 100000, TESS_ERANGE, "star: --bins is %lld; 1 to 100000 is allowed",
               (long long)bins);
    TESS_CHECK(tess_star_rows(t) > 0, TESS_ERANGE, "star: --histogram: the table has no rows");
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

tess_status table_scatter(job *j, const picture_out *out, const tess_star_table *t)
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
