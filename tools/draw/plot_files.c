/* Curves from files of images: histograms, radial means, power spectra. */
#include "draw/plotter.h"

#include <math.h>
#include <stdio.h>

#include "draw/profiles.h"

static tess_status add_profile(plotter *p, const char *path, profile *made, plot_kind kind)
{
    TESS_CHECK(p->n_owned + 2 <= MAX_CURVES * 2, TESS_ERANGE, "plot: more than %d curves", MAX_CURVES);
    p->owned[p->n_owned++] = made->x;
    p->owned[p->n_owned++] = made->y;
    TESS_TRY(plotter_add_curve(p, name_without_folder(path), made->x, made->y, made->n, kind));
    return TESS_OK;
}

/* One range for all files, so that their bars are alike. */
static tess_status histogram_range(plotter *p, double two[2])
{
    if (job_has(p->job, "range")) return job_range(p->job, "range", two);
    two[0] = INFINITY;
    two[1] = -INFINITY;
    for (int i = 0; i < p->job->n_arguments; i++) {
        input in;
        TESS_TRY(input_open(&in, p->job, p->job->arguments[i], NEED_ANY));
        const tess_status status = profile_range(&in, &two[0], &two[1]);
        input_close(&in);
        if (status != TESS_OK) TESS_TRY(status);
    }
    TESS_CHECK(two[0] <= two[1], TESS_ERANGE, "plot: no finite values in %s", p->job->arguments[0]);
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

tess_status plotter_add_files(plotter *p)
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
