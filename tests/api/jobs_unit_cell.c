/* Unit cells: axes, reciprocal axes and metrics against their definitions. */
#include <math.h>

#include "support/arrays.h"

static const tess_meta skew = { .pixel_size = { 2, 3, 1.5 }, .angles = { 80, 95, 101 } };
static const double    degree = 3.14159265358979323846 / 180;

static double product(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

TEST(axes_have_the_angles_of_the_cell)
{
    double a[3][3], r[3][3];
    tess_meta_axes(a, &skew, true);
    tess_meta_reciprocal_axes(r, &skew, true);
    for (int i = 0; i < 3; i++) {
        CHECK(fabs(product(a[i], a[i]) - 1) < 1e-12);
        for (int k = 0; k < 3; k++) CHECK(fabs(product(a[i], r[k]) - (i == k)) < 1e-12);
    }
    CHECK(fabs(product(a[0], a[1]) - cos(80 * degree)) < 1e-12); /* alpha, z to y */
    CHECK(fabs(product(a[0], a[2]) - cos(95 * degree)) < 1e-12);
    CHECK(fabs(product(a[1], a[2]) - cos(101 * degree)) < 1e-12);
    tess_meta_axes(a, &skew, false);
    CHECK(product(a[0], a[1]) == 0 && product(a[0], a[2]) == 0); /* of images gamma alone */
    CHECK(fabs(product(a[1], a[2]) - cos(101 * degree)) < 1e-12);
}

/* The length of a frequency is that of the sum of reciprocal axes over pixel sizes, times the size along w. */
TEST(metrics_measure_frequencies_in_angstrom)
{
    const double      f[3] = { 0.1, -0.2, 0.3 };
    const tess_metric g = tess_meta_metric(&skew, true);
    double            r[3][3], sum[3] = { 0 };
    tess_meta_reciprocal_axes(r, &skew, true);
    for (int i = 0; i < 3; i++)
        for (int x = 0; x < 3; x++) sum[x] += f[i] * r[i][x] / skew.pixel_size[i] * skew.pixel_size[2];
    const double squares = f[0] * f[0] * g.dd + f[1] * f[1] * g.hh + f[2] * f[2] * g.ww;
    const double mixed = f[0] * f[1] * g.dh + f[0] * f[2] * g.dw + f[1] * f[2] * g.hw;
    CHECK(fabs(squares + 2 * mixed - product(sum, sum)) < 1e-12);
}

TEST(cells_that_say_nothing_are_cubic)
{
    const tess_meta   unknown = { .pixel_size = { 0 } }, uneven = { .pixel_size = { 2, 1, 4 } };
    const tess_metric g = tess_meta_metric(&unknown, true);
    CHECK(g.dd == 1 && g.hh == 1 && g.ww == 1 && g.dh == 0 && g.dw == 0 && g.hw == 0);
    CHECK(tess_meta_highest_frequency(&unknown, true) == 0.5);
    CHECK(tess_meta_highest_frequency(&uneven, true) == 2 && tess_meta_highest_frequency(&uneven, false) == 2);
    const tess_meta deep = { .pixel_size = { 1, 4, 4 } };
    CHECK(tess_meta_highest_frequency(&deep, true) == 2 && tess_meta_highest_frequency(&deep, false) == 0.5);
    CHECK(!tess_meta_is_skew(&unknown, true) && tess_meta_is_skew(&skew, true) && tess_meta_is_skew(&skew, false));
    const tess_meta only_beta = { .angles = { 90, 95, 90 } };
    CHECK(tess_meta_is_skew(&only_beta, true) && !tess_meta_is_skew(&only_beta, false));
}
