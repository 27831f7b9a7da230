/* tessera radial: rotational averages of images and volumes, or of their power. */
#include <math.h>
#include <stdlib.h>

#include "maps/guinier.h"
#include "maps/rotational_average.h"
#include "picture/plot.h"

static const option options[] = {
    FLAG("power", "average |F|^2 over shells of frequency"),
    FLAG("guinier", "Guinier plot: ln of mean |F| and a fit of the B-factor"),
    VALUE("fit-from", "RES", OPTION_NUMBER, "coarse end of the fit in \xc3\x85 [10]"),
    VALUE("fit-to", "RES", OPTION_NUMBER, "fine end of the fit in \xc3\x85 [Nyquist]"),
    FLAG("each", "print a curve per image, not their mean"),
    VALUE("plot", "OUT", OPTION_FILE, "also plot to x.svg or x.png; power on a log scale", .writes = true),
    FLAG("force", "overwrite existing files", .letter = 'f'),
    { 0 },
};
static const char *const examples[] = {
    "tessera radial x.mrc",
    "tessera radial --power --tsv stack.mrcs",
    "tessera radial --power --plot power.svg volume.mrc",
    "tessera radial --guinier --plot guinier.svg volume.mrc",
    "tessera radial --power --tsv x.mrc y.mrc",
    NULL,
};

typedef struct radial {
    shells  shells;
    bool    each;
    double *curves; /* --plot: those that are printed, one after the other */
    int64_t n_drawn;
    table  *table;
} radial;

static tess_status draw(const radial *r, const char *path, bool overwrite)
{
    plot_curve *curves = calloc((size_t)r->n_drawn, sizeof *curves);
    double     *x = calloc((size_t)r->shells.n, sizeof *x);
    const bool  known = r->shells.angstrom;
    tess_status status = TESS_OK;
    for (int64_t i = 0; x && i < r->shells.n; ++i) x[i] = shells_radius(&r->shells, i);
    for (int64_t k = 0; curves && k < r->n_drawn; ++k) {
        curves[k] = (plot_curve){ .x = x, .y = r->curves + k * r->shells.n, .n = r->shells.n };
    }
    const plot p = { .x.title = r->shells.power
                                    ? (known ? "Spatial frequency (1/\xc3\x85)" : "Spatial frequency (1/pixel)")
                                    : (known ? "Radius (\xc3\x85)" : "Radius (pixels)"),
                     .y.title = r->shells.power ? "Power" : "Mean",
                     .y.log = r->shells.power,
                     .angstrom = r->shells.power && known,
                     .curves = curves,
                     .n_curves = (int)r->n_drawn };
    if (curves && x) status = plot_write(&p, path, 2, overwrite, NULL);
    const bool failed = !curves || !x;
    free(curves);
    free(x);
    TESS_CHECK(!failed, TESS_ENOMEM, "radial: out of memory");
    return status;
}

static tess_status keep_curve(radial *r, const double *values)
{
    const size_t n = (size_t)r->shells.n;
    double      *more = realloc(r->curves, ((size_t)r->n_drawn + 1) * n * sizeof(double));
    TESS_CHECK(more, TESS_ENOMEM, "radial: out of memory");
    r->curves = more;
    for (size_t i = 0; i < n; ++i) more[(size_t)r->n_drawn * n + i] = values[i];
    ++r->n_drawn;
    return TESS_OK;
}

static tess_status print_curve(radial *r, const double *values, int64_t image)
{
    for (int64_t i = 0; i < r->shells.n; ++i) {
        if (r->each) table_integer(r->table, "image", image);
        table_integer(r->table, "shell", i);
        const double radius = shells_radius(&r->shells, i);
        if (r->shells.power && r->shells.angstrom) {
            table_number(r->table, "1/A", radius);
            table_number(r->table, "A", i > 0 ? 1 / radius : INFINITY);
        } else if (r->shells.power) table_number(r->table, "1/px", radius);
        else if (r->shells.angstrom) table_number(r->table, "A", radius);
        table_number(r->table, "value", values[i]);
        table_row(r->table);
    }
    return keep_curve(r, values);
}

static tess_status print_each(void *context, const double *means, int64_t image)
{
    return print_curve(context, means, image);
}

/* ---- Guinier plots ---- */

static void print_guinier(radial *r, const guinier *g)
{
    for (int64_t i = 0; i < g->n; ++i) {
        const double f = (double)i * g->step;
        table_integer(r->table, "shell", i);
        table_number(r->table, "1/A", f);
        table_number(r->table, "A", i > 0 ? 1 / f : INFINITY);
        table_number(r->table, "1/A^2", f * f);
        table_number(r->table, "ln(amplitude)", log(g->amplitude[i]));
        table_number(r->table, "line", g->intercept + g->bfactor / 4 * f * f);
        table_row(r->table);
    }
}

static tess_status measure_guinier(job *j, input *in, radial *r)
{
    double pixel_size;
    TESS_CHECK(!job_has(j, "each") && !job_has(j, "power"), TESS_EARG,
               "radial: --guinier uses the mean amplitude of all images; it cannot be combined with --each or --power");
    TESS_TRY(input_pixel_size(in, &pixel_size));
    r->shells = (shells){ .power = true, .amplitude = true };
    TESS_TRY(shells_of_input(&r->shells, j, in));
    guinier g = { .n = r->shells.n,
                  .step = 1 / r->shells.length,
                  .amplitude = r->shells.mean,
                  .from = job_number(j, "fit-from", 10),
                  .to = job_number(j, "fit-to", r->shells.length / (double)(r->shells.n - 1)) };
    TESS_CHECK(g.from > g.to && g.to > 0, TESS_ERANGE,
               "radial: the fit goes from %.4g to %.4g A; --fit-to must be finer than --fit-from, and above 0", g.from,
               g.to);
    TESS_TRY(guinier_fit(&g, "radial"));
    r->table = table_new(j, stdout);
    print_guinier(r, &g);
    table_end(r->table);
    job_note(j, "B = %.2f A^2, fitted from %.2f to %.2f A (correlation %.3f)", g.bfactor, g.from, g.to, g.correlation);
    return job_has(j, "plot") ? guinier_plot(&g, job_text(j, "plot", ""), job_has(j, "force")) : TESS_OK;
}

static tess_status measure(job *j, input *in, radial *r)
{
    if (job_has(j, "guinier")) return measure_guinier(j, in, r);
    TESS_CHECK(!job_has(j, "fit-from") && !job_has(j, "fit-to"), TESS_EARG,
               "radial: --fit-from and --fit-to require --guinier");
    r->each = job_has(j, "each");
    r->shells = (shells){ .power = job_has(j, "power"), .each = r->each ? print_each : NULL, .context = r };
    r->table = table_new(j, stdout);
    tess_status status = shells_of_input(&r->shells, j, in);
    if (status == TESS_OK && !r->each) status = print_curve(r, r->shells.mean, 0);
    if (status == TESS_OK) table_end(r->table);
    else table_free(r->table);
    TESS_TRY(status);
    return job_has(j, "plot") ? draw(r, job_text(j, "plot", ""), job_has(j, "force")) : TESS_OK;
}

static tess_status run(job *j)
{
    input  in = { 0 };
    radial r = { 0 };
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_ANY));
    const tess_status status = measure(j, &in, &r);
    shells_free(&r.shells);
    free(r.curves);
    input_close(&in);
    return status;
}

const verb verb_radial = {
    .name = "radial",
    .subject = "Fourier",
    .summary = "compute rotational averages of images, volumes or their power",
    .arguments = "INPUT...",
    .text = "Prints a row per shell: the mean of pixels at that distance from the middle n/2, rounded, up to the end "
            "of the shortest side. Each axis has its own pixel size, and cells their angles; shells are as thick as "
            "the smallest pixel size. With --power, prints shells of frequency up to Nyquist: shell, 1/A, A, value; "
            "power is |F|^2 divided by the number of pixels. For a stack, curves are averaged. For several files, one "
            "table with their names is printed.\n\nWith --guinier, prints the Guinier plot: shell, 1/A, A, 1/A^2, ln "
            "of the mean amplitude, and the straight line fitted to it from --fit-from to --fit-to. 4 times its slope "
            "is the B-factor, which is printed to standard error; `tessera sharpen --bfactor` removes it.",
    .globals = GLOBAL_INPUT | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_TABLE),
};
