/* Unit cells: directions of axes, their reciprocals, and the metric of frequencies. */
#include "tessera/jobs/unit_cell.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "jobs/data/unit_cell.h"

/* 90 where nothing is known. */
static double angle_of(const tess_meta *meta, int i) { return meta->angles[i] > 0 ? (double)meta->angles[i] : 90; }

/* Angles of headers are exact to seven digits, and some were computed. */
static bool is_right(double degrees) { return fabs(degrees - 90) < 1e-3; }

static double cosine(double degrees) { return is_right(degrees) ? 0 : cos(degrees * (3.14159265358979323846 / 180)); }

bool tess_meta_is_skew(const tess_meta *meta, bool volume)
{
    for (int i = volume ? 0 : 2; i < 3; i++)
        if (!is_right(angle_of(meta, i))) return true;
    return false;
}

tess_status tess__need_right_angles(const char *fn, const tess_source *source, bool volume, const char *what)
{
    const tess_meta *meta = source->meta;
    if (!meta || !tess_meta_is_skew(meta, volume)) return TESS_OK;
    TESS_FAIL(TESS_EUNSUPPORTED,
              "%s: %s needs axes at right angles; the cell of %s has angles of %.7g, %.7g, %.7g degrees", fn, what,
              source->name, angle_of(meta, 0), angle_of(meta, 1), angle_of(meta, 2));
}

/* ---- Axes ---- */

void tess_meta_axes(double axes[3][3], const tess_meta *meta, bool volume)
{
    const double alpha = volume ? cosine(angle_of(meta, 0)) : 0;
    const double beta = volume ? cosine(angle_of(meta, 1)) : 0;
    const double gamma = cosine(angle_of(meta, 2)), height = sqrt(1 - gamma * gamma);
    const double y = (alpha - beta * gamma) / height;
    const double z = sqrt(fmax(1 - beta * beta - y * y, 1e-16)); /* an edge in the plane of the others is no cell's */
    const double all[3][3] = { { z, y, beta }, { 0, height, gamma }, { 0, 0, 1 } };
    memcpy(axes, all, sizeof all);
}

void tess_meta_reciprocal_axes(double axes[3][3], const tess_meta *meta, bool volume)
{
    double a[3][3]; /* x of h and x, y of d are all that is not on the diagonal */
    tess_meta_axes(a, meta, volume);
    const double h_to_d = -a[0][1] / (a[0][0] * a[1][1]), w_to_h = -a[1][2] / a[1][1];
    const double w_to_d = -(a[0][2] + a[0][1] * w_to_h) / a[0][0];
    const double all[3][3] = { { 1 / a[0][0], 0, 0 }, { h_to_d, 1 / a[1][1], 0 }, { w_to_d, w_to_h, 1 } };
    memcpy(axes, all, sizeof all);
}

/* ---- Frequencies ---- */

/* How much finer pixels along w are than those along another axis; sizes of headers are exact to seven digits. */
static double finer(const tess_meta *meta, int axis)
{
    const double scale = meta->pixel_size[2] / meta->pixel_size[axis];
    const bool   is_known = meta->pixel_size[2] > 0 && meta->pixel_size[axis] > 0;
    return is_known && fabs(scale - 1) > 1e-6 ? scale : 1;
}

tess_metric tess_meta_metric(const tess_meta *meta, bool volume)
{
    const double size[3] = { volume ? finer(meta, 0) : 1, finer(meta, 1), 1 };
    double       r[3][3], g[3][3] = { { 0 } };
    tess_meta_reciprocal_axes(r, meta, volume);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int x = 0; x < 3; x++) g[i][k] += size[i] * r[i][x] * size[k] * r[k][x];
    return (tess_metric){ g[0][0], g[1][1], g[2][2], g[0][1], g[0][2], g[1][2] };
}

double tess_meta_highest_frequency(const tess_meta *meta, bool volume)
{
    double r[3][3];
    tess_meta_reciprocal_axes(r, meta, volume);
    return 0.5 * fmax(1, fmax(volume ? finer(meta, 0) * r[0][0] : 1, finer(meta, 1) * r[1][1]));
}
