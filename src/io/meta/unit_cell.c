/* Unit cells of crystals: angles, axes, reciprocal axes, the metric of frequencies, symmetry. */
#include "tessera/constants.h"
#include "tessera/meta.h"

#include <math.h>
#include <string.h>

double tess_meta_angle(const tess_meta *meta, int32_t i)
{
    return i < 0 || i > 2 ? (double)NAN : meta->angles[i] > 0 ? (double)meta->angles[i] : 90;
}

/* Angles of headers are exact to seven digits, and some were computed. */
static bool is_right(double degrees) { return fabs(degrees - 90) < 1e-3; }

bool tess_meta_is_skew(const tess_meta *meta, bool volume)
{
    for (int i = volume ? 0 : 2; i < 3; ++i)
        if (!is_right(tess_meta_angle(meta, i))) return true;
    return false;
}

static double cosine(double degrees) { return is_right(degrees) ? 0 : cos(degrees * (TESS_PI / 180)); }

void tess_meta_axes(double direction[3][3], const tess_meta *meta, bool volume)
{
    const double alpha = volume ? cosine(tess_meta_angle(meta, 0)) : 0;
    const double beta = volume ? cosine(tess_meta_angle(meta, 1)) : 0;
    const double gamma = cosine(tess_meta_angle(meta, 2)), height = sqrt(1 - gamma * gamma);
    const double y = (alpha - beta * gamma) / height;
    const double z = sqrt(fmax(1 - beta * beta - y * y, 1e-16)); /* an edge in the plane of the others is no cell's */
    const double all[3][3] = { { z, y, beta }, { 0, height, gamma }, { 0, 0, 1 } };
    memcpy(direction, all, sizeof all);
}

void tess_meta_reciprocal_axes(double reciprocal[3][3], const tess_meta *meta, bool volume)
{
    double a[3][3]; /* x of h and x, y of d are all that is not on the diagonal */
    tess_meta_axes(a, meta, volume);
    const double h_to_d = -a[0][1] / (a[0][0] * a[1][1]), w_to_h = -a[1][2] / a[1][1];
    const double w_to_d = -(a[0][2] + a[0][1] * w_to_h) / a[0][0];
    const double all[3][3] = { { 1 / a[0][0], 0, 0 }, { h_to_d, 1 / a[1][1], 0 }, { w_to_d, w_to_h, 1 } };
    memcpy(reciprocal, all, sizeof all);
}

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
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            for (int x = 0; x < 3; ++x) g[i][k] += size[i] * r[i][x] * size[k] * r[k][x];
    return (tess_metric){ g[0][0], g[1][1], g[2][2], g[0][1], g[0][2], g[1][2] };
}

double tess_meta_highest_frequency(const tess_meta *meta, bool volume)
{
    double r[3][3];
    tess_meta_reciprocal_axes(r, meta, volume);
    return 0.5 * fmax(1, fmax(volume ? finer(meta, 0) * r[0][0] : 1, finer(meta, 1) * r[1][1]));
}

bool tess_meta_has_operators(const tess_meta *meta)
{
    return meta->grid[2] > 0 && strcmp(meta->extended_type, "CCP4") == 0;
}

void tess_meta_forget_symmetry(tess_meta *meta)
{
    if (meta->space_group <= 1 || meta->space_group > 230) return;
    meta->space_group = 1;
    tess_meta_forget_extended(meta);
}

void tess_meta_forget_cell(tess_meta *meta)
{
    if (tess_meta_has_operators(meta)) tess_meta_forget_extended(meta);
    if (meta->space_group > 1 && meta->space_group <= 230) meta->space_group = 1;
    for (int i = 0; i < 3; ++i) meta->grid[i] = 0;
}
