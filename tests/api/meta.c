/* Metadata after a change of geometry: every pixel stays where it was in space; and unit cells, beside the angles that
 * they were made of. */
#include <math.h>
#include <string.h>

#include "support/test.h"

static const double degree = 3.14159265358979323846 / 180;

/* A map with pixels of 2, 3 and 1.5 Å along d, h and w. */
static tess_meta make_map(void) { return (tess_meta){ .pixel_size = { 2, 3, 1.5 } }; }

/* The place of a pixel with indices d, h, w as z, y, x in Å: by the origin, or where that is 0 by the start. */
static void find_place(double place[3], const tess_meta *m, const double index[3])
{
    double     axis[3][3];
    const bool by_origin = m->origin[0] != 0 || m->origin[1] != 0 || m->origin[2] != 0;
    tess_meta_axes(axis, m, true);
    for (int i = 0; i < 3; i++) {
        place[i] = m->origin[i];
        for (int k = 0; k < 3; k++)
            place[i] += (index[k] + (by_origin ? 0 : (double)m->start[k])) * m->pixel_size[k] * axis[k][i];
    }
}

static bool is_near(double a, double b) { return fabs(a - b) < 1e-6 * fmax(1, fabs(b)); }

/* Pixel p of the result is pixel factor * p + shift of the map. */
static void check_places(tess_meta m, const double factor[3], const double shift[3])
{
    const tess_meta old = m;
    if (!CHECK_OK(tess_meta_scale(&m, factor, shift))) return;
    for (int corner = 0; corner < 8; corner++) {
        double index[3], from[3], is[3], was[3];
        for (int k = 0; k < 3; k++) {
            index[k] = corner >> k & 1 ? 7 : 0;
            from[k] = factor[k] * index[k] + shift[k];
        }
        find_place(is, &m, index);
        find_place(was, &old, from);
        for (int k = 0; k < 3; k++) CHECK(is_near(is[k], was[k]));
    }
    for (int k = 0; k < 3; k++) CHECK(m.pixel_size[k] == old.pixel_size[k] * factor[k]);
}

TEST(pixels_stay_where_they_were_in_space)
{
    static const double  factors[][3] = { { 1, 1, 1 }, { 2, 2, 2 }, { 1, 3, 0.5 } };
    static const double  shifts[][3] = { { 0, 0, 0 }, { 4, -2, 6 }, { 0.5, 0.5, 0.5 } };
    static const double  origins[][3] = { { 0, 0, 0 }, { -20, 3.5, 0 } };
    static const int64_t starts[][3] = { { 0, 0, 0 }, { -8, 4, 6 } };
    for (int i = 0; i < 3 * 3 * 2 * 2 * 2; i++) {
        tess_meta m = make_map();
        memcpy(m.origin, origins[i / 9 % 2], sizeof m.origin);
        memcpy(m.start, starts[i / 18 % 2], sizeof m.start);
        if (i / 36) m.angles[0] = 80, m.angles[1] = 95, m.angles[2] = 120;
        check_places(m, factors[i % 3], shifts[i / 3 % 3]);
    }
}

TEST(a_start_that_stays_whole_remains_the_start)
{
    tess_meta m = make_map();
    m.start[2] = 6;
    CHECK_OK(tess_meta_scale(&m, (const double[3]){ 1, 1, 2 }, (const double[3]){ 0, 0, 2 }));
    CHECK(m.start[2] == 4 && m.origin[2] == 0);
    CHECK_OK(tess_meta_scale(&m, (const double[3]){ 1, 1, 2 }, (const double[3]){ 0, 0, 0.5 }));
    CHECK(m.start[2] == 0 && is_near(m.origin[2], 4.5 * 3));
    m = (tess_meta){ .start = { 0, 0, 5 } }; /* of pixels of unknown size: rounded */
    CHECK_OK(tess_meta_scale(&m, (const double[3]){ 1, 1, 2 }, (const double[3]){ 0, 0, 0 }));
    CHECK(m.start[2] == 2 && m.origin[2] == 0);
}

TEST(cells_are_divided_or_forgotten)
{
    tess_meta m = make_map();
    m.grid[0] = 12, m.grid[1] = 18, m.grid[2] = 24, m.space_group = 19;
    CHECK_OK(tess_meta_scale(&m, (const double[3]){ 2, 3, 4 }, (const double[3]){ 0, 0, 0 }));
    CHECK(m.grid[0] == 6 && m.grid[1] == 6 && m.grid[2] == 6 && m.space_group == 19);
    CHECK_OK(tess_meta_scale(&m, (const double[3]){ 4, 1, 1 }, (const double[3]){ 0, 0, 0 }));
    CHECK(m.grid[0] == 0 && m.grid[1] == 0 && m.grid[2] == 0 && m.space_group == 1);
}

TEST(extended_headers_of_sections_go_and_operators_stay)
{
    for (int operators = 0; operators < 2; operators++) {
        tess_meta m = make_map();
        (void)strcpy(m.extended_type, operators ? "CCP4" : "FEI1");
        m.extended_size = 80;
        if (operators) m.grid[0] = m.grid[1] = m.grid[2] = 8;
        CHECK(tess_meta_has_operators(&m) == operators);
        CHECK_OK(tess_meta_crop(&m, TESS_SHAPE(0, 1, 2, 3)));
        CHECK(m.extended_size == (operators ? 80 : 0) && (m.extended_type[0] != 0) == operators);
        CHECK(operators ? m.start[2] == 3 : is_near(m.origin[2], 4.5));
        tess_meta_forget_extended(&m);
        CHECK(m.extended_size == 0 && !m.extended_type[0]);
    }
}

/* Twice is nothing; once, angles and sizes are those of the other axis. */
TEST(axes_are_swapped_and_mirrored)
{
    for (int i = 0; i < 9; i++) {
        tess_meta m = make_map();
        m.grid[0] = 12, m.grid[1] = 10, m.grid[2] = 8, m.start[0] = 1, m.start[1] = 2, m.start[2] = 3;
        m.angles[0] = 80, m.angles[1] = 95, m.angles[2] = 120;
        if (i % 2) m.origin[2] = 7.5;
        const tess_meta old = m;
        const int32_t   a = i / 3, b = i % 3;
        CHECK_OK(tess_meta_swap_axes(&m, a, b));
        CHECK(m.pixel_size[a] == old.pixel_size[b] && m.grid[b] == old.grid[a]);
        CHECK(m.angles[2 - a] == old.angles[2 - b]);
        CHECK_OK(tess_meta_swap_axes(&m, a, b));
        for (int k = 0; k < 3; k++) CHECK(is_near(m.origin[k], old.origin[k]) && m.start[k] == old.start[k]);
        m = old;
        CHECK_OK(tess_meta_mirror(&m, a, 4));
        CHECK(m.start[a] == 4 - old.start[a]);
        for (int k = 0; k < 3; k++) CHECK(m.angles[k] == (k == 2 - a ? old.angles[k] : 180 - old.angles[k]));
    }
}

TEST(axes_have_the_angles_of_the_cell)
{
    tess_meta m = make_map();
    double    axis[3][3], dual[3][3];
    m.angles[0] = 80, m.angles[1] = 95, m.angles[2] = 120;
    tess_meta_axes(axis, &m, true);
    tess_meta_reciprocal_axes(dual, &m, true);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double product = 0, crossed = 0;
            for (int x = 0; x < 3; x++) product += axis[i][x] * axis[k][x], crossed += axis[i][x] * dual[k][x];
            CHECK(is_near(product, i == k ? 1
                                          : cos(degree * tess_meta_angle(&m, i + k == 1   ? 0
                                                                             : i + k == 2 ? 1
                                                                                          : 2))));
            CHECK(is_near(crossed, i == k));
        }
    CHECK(tess_meta_is_skew(&m, true) && tess_meta_is_skew(&m, false));
    m.angles[2] = 0;
    CHECK(tess_meta_is_skew(&m, true) && !tess_meta_is_skew(&m, false) && tess_meta_angle(&m, 2) == 90);
    CHECK(isnan(tess_meta_angle(&m, 3)) && isnan(tess_meta_angle(&m, -1)));
}

TEST(metrics_are_those_of_the_pixels)
{
    const tess_meta   m = make_map();
    const tess_metric g = tess_meta_metric(&m, true), flat = tess_meta_metric(&m, false);
    CHECK(is_near(g.dd, 0.5625) && is_near(g.hh, 0.25) && g.ww == 1 && g.dh == 0 && g.dw == 0 && g.hw == 0);
    CHECK(flat.dd == 1 && is_near(flat.hh, 0.25));
    CHECK(tess_meta_highest_frequency(&m, true) == 0.5);
    tess_meta coarse = m;
    coarse.pixel_size[2] = 6;
    CHECK(is_near(tess_meta_highest_frequency(&coarse, true), 1.5) &&
          is_near(tess_meta_highest_frequency(&coarse, false), 1));
    coarse.angles[2] = 120; /* a hexagonal cell: reciprocal axes are longer by 1 / sin(120 degrees) */
    coarse.pixel_size[1] = 6;
    const tess_metric hexagonal = tess_meta_metric(&coarse, false);
    CHECK(is_near(hexagonal.hh, 4.0 / 3) && is_near(hexagonal.ww, 4.0 / 3) && is_near(hexagonal.hw, 2.0 / 3));
}

TEST(what_is_forgotten)
{
    tess_meta m = { .min = 1, .max = 2, .mean = 1.5, .std = 0.1, .stats = 7, .space_group = 19, .grid = { 4, 4, 4 } };
    tess_meta_forget_stats(&m);
    CHECK(m.stats == 0 && m.max == 0 && m.std == 0);
    tess_meta_forget_symmetry(&m);
    CHECK(m.space_group == 1 && m.grid[0] == 4);
    m.space_group = 401; /* a stack of volumes is no crystal */
    tess_meta_forget_cell(&m);
    CHECK(m.space_group == 401 && m.grid[0] == 0 && m.grid[2] == 0);
}

TEST(bad_arguments)
{
    static const double one[3] = { 1, 1, 1 }, none[3] = { 1, 0, 1 }, far[3] = { 0, 0, INFINITY };
    tess_meta           m = make_map();
    CHECK_FAILS(tess_meta_scale(NULL, one, one), TESS_EARG, "meta_scale: ", "meta");
    CHECK_FAILS(tess_meta_scale(&m, NULL, one), TESS_EARG, "factor");
    CHECK_FAILS(tess_meta_scale(&m, one, NULL), TESS_EARG, "shift");
    CHECK_FAILS(tess_meta_scale(&m, none, one), TESS_ERANGE, "axis 1 is 0", "above 0");
    CHECK_FAILS(tess_meta_scale(&m, far, one), TESS_ERANGE, "axis 0 is 0");
    CHECK_FAILS(tess_meta_scale(&m, one, far), TESS_ERANGE, "axis 2 is inf");
    CHECK_FAILS(tess_meta_crop(NULL, TESS_SHAPE(0, 0, 0, 0)), TESS_EARG, "meta_crop: ");
    CHECK_FAILS(tess_meta_swap_axes(NULL, 0, 1), TESS_EARG, "meta_swap_axes: ");
    CHECK_FAILS(tess_meta_swap_axes(&m, 3, 1), TESS_ERANGE, "a is 3", "0 (d), 1 (h) or 2 (w)");
    CHECK_FAILS(tess_meta_swap_axes(&m, 0, -1), TESS_ERANGE, "b is -1");
    CHECK_FAILS(tess_meta_mirror(NULL, 0, 0), TESS_EARG, "meta_mirror: ");
    CHECK_FAILS(tess_meta_mirror(&m, 4, 0), TESS_ERANGE, "axis is 4");
    const tess_meta same = make_map();
    CHECK(memcmp(&m, &same, sizeof m) == 0);
}
