/* Guinier plots: ln(amplitude) against 1/d^2, the straight line through it, and its picture. */
#include "maps/guinier.h"

#include <math.h>
#include <stdlib.h>

#include "picture/plot.h"

tess_status guinier_fit(guinier *g, const char *fn)
{
    const tess_guinier_fit_opts opts = { .low = 1 / g->from, .high = 1 / g->to };
    tess_array                  rows, found;
    double                     *copy = malloc((size_t)g->n * sizeof *copy), fit[3] = { NAN, NAN, NAN };
    tess_status                 status;
    TESS_CHECK(copy, TESS_ENOMEM, "%s: out of memory", fn);
    for (int64_t i = 0; i < g->n; ++i) copy[i] = g->amplitude[i];
    TESS_GOTO(done, status, tess_wrap(&rows, copy, TESS_SHAPE(1, 1, 1, g->n), TESS_F64, NULL));
    TESS_GOTO(done, status, tess_wrap(&found, fit, TESS_SHAPE(1, 1, 1, 3), TESS_F64, NULL));
    TESS_GOTO(done, status, tess_guinier_fit(&found, &rows, g->step, &opts));
done:
    free(copy);
    TESS_TRY(status);
    TESS_CHECK(
        isfinite(fit[0]), TESS_ERANGE,
        "%s: no line can be fitted from %.4g to %.4g A, where fewer than two shells have an amplitude; choose another "
        "range with --fit-from and --fit-to",
        fn, g->from, g->to);
    g->bfactor = fit[0];
    g->intercept = fit[1];
    g->correlation = fit[2];
    return TESS_OK;
}

/* x, then ln of both curves; NaN, which is left out, where there is no logarithm. */
static void fill(const guinier *g, double *x)
{
    double *y = x + g->n, *sharp = y + g->n;
    for (int64_t i = 0; i < g->n; ++i) {
        const double f = (double)i * g->step;
        x[i] = f * f;
        y[i] = i > 0 && g->amplitude[i] > 0 ? log(g->amplitude[i]) : (double)NAN;
        if (g->sharpened) sharp[i] = i > 0 && g->sharpened[i] > 0 ? log(g->sharpened[i]) : (double)NAN;
    }
}

tess_status guinier_plot(const guinier *g, const char *path, bool overwrite)
{
    const double last = (double)(g->n - 1) * g->step;
    const double ends[2] = { 1 / (g->from * g->from), fmin(1 / (g->to * g->to), last * last) };
    const double line[2] = { g->intercept + g->bfactor / 4 * ends[0], g->intercept + g->bfactor / 4 * ends[1] };
    double      *x = malloc(3 * (size_t)g->n * sizeof *x);
    char         name[64];
    TESS_CHECK(x, TESS_ENOMEM, VERB ": out of memory");
    fill(g, x);
    (void)snprintf(name, sizeof name, "B = %.1f \xc3\x85\xc2\xb2", g->bfactor);
    const plot_curve curves[] = {
        { .name = "amplitude", .x = x, .y = x + g->n, .n = g->n, .kind = PLOT_LINE_POINTS },
        { .name = name, .x = ends, .y = line, .n = 2 },
        { .name = "sharpened", .x = x, .y = x + 2 * g->n, .n = g->n },
    };
    const plot        p = { .x.title = "1/d\xc2\xb2 (1/\xc3\x85\xc2\xb2)",
                            .y.title = "ln(amplitude)",
                            .curves = curves,
                            .n_curves = g->sharpened ? 3 : 2 };
    const tess_status status = plot_write(&p, path, 2, overwrite, NULL);
    free(x);
    return status;
}
