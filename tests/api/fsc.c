/* Shell correlation and what comes of it: examples, special shapes, outputs, faults of others, what is rejected. */
#include <math.h>

#include "support/arrays.h"
#include "tessera/random.h"
#include "tessera/signal.h"

static tess_array noise(tess_shape shape, tess_dtype dtype, uint64_t seed)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, shape, dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, seed, NULL));
    return a;
}

static double at(const tess_array *a, int64_t b, int64_t h, int64_t w)
{
    double x = NAN;
    CHECK_OK(tess_get_f64(&x, a, b, 0, h, w));
    return x;
}

static bool near(double got, double want, double bound) { return fabs(got - want) <= bound; }

TEST(shells_of_shapes)
{
    CHECK_I64(tess_fsc_shells(TESS_SHAPE(1, 64, 64, 64)), 33);
    CHECK_I64(tess_fsc_shells(TESS_SHAPE(5, 1, 64, 63)), 32);
    CHECK_I64(tess_fsc_shells(TESS_SHAPE(1, 1, 1, 7)), 4);
    CHECK_I64(tess_fsc_shells(TESS_SHAPE(1, 1, 1, 1)), 1);
    CHECK_I64(tess_fsc_shells(TESS_SHAPE(1, 1, 0, 4)), 0);
}

/* ---- Faults of others ---- */

/* noa does not zero its accumulators: the second call gives what the first one did. */
TEST(noa_fsc_accumulators_are_not_zeroed)
{
    const tess_shape shape = TESS_SHAPE(1, 8, 8, 8);
    tess_array       a = noise(tess_rfft_shape(shape), TESS_C32, 1), b = noise(tess_rfft_shape(shape), TESS_C32, 2);
    tess_array       first = { 0 }, second = { 0 };
    CHECK_OK(tess_fsc(&first, &a, &b, shape, NULL));
    CHECK_OK(tess_full(&second, first.shape, TESS_F64, tess_cpu(), 7));
    CHECK_OK(tess_fsc(&second, &a, &b, shape, NULL));
    CHECK(memcmp(first.data, second.data, (size_t)tess_n_elements(&first) * 8) == 0);
    tess_release(&a);
    tess_release(&b);
    tess_release(&first);
    tess_release(&second);
}

/* noa counts shells of the half spectrum's width. */
TEST(noa_fsc_shells_of_the_half_shape)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 12, 12);
    tess_array       a = noise(tess_rfft_shape(shape), TESS_C64, 1), out = { 0 };
    CHECK_OK(tess_fsc(&out, &a, &a, shape, NULL));
    CHECK_DIMS(out.shape, 1, 1, 1, 7);
    tess_release(&a);
    tess_release(&out);
}

/* noa takes what is outside a cone, and normalises indices: a coefficient on the axis of a cone is in it alone, also in
 * a volume that is not a cube. */
TEST(noa_fsc_cone_test_is_inverted_and_of_indices)
{
    const tess_shape shape = TESS_SHAPE(1, 8, 16, 24);
    tess_array       a = { 0 }, axes = { 0 }, out = { 0 };
    CHECK_OK(tess_zeros(&a, tess_rfft_shape(shape), TESS_C32, tess_cpu()));
    CHECK_OK(tess_set_c64(&a, 0, 2, 4, 0, (tess_c64){ 1, 0 })); /* (2/8, 4/16, 0): 45 degrees between z and y */
    CHECK_OK(tess_zeros(&axes, TESS_SHAPE(1, 1, 3, 3), TESS_F32, tess_cpu()));
    CHECK_OK(tess_set_f64(&axes, 0, 0, 0, 0, 2));
    CHECK_OK(tess_set_f64(&axes, 0, 0, 0, 1, 2));
    CHECK_OK(tess_set_f64(&axes, 0, 0, 1, 2, 1));
    CHECK_OK(tess_set_f64(&axes, 0, 0, 2, 0, -1));
    CHECK_OK(tess_set_f64(&axes, 0, 0, 2, 1, -1));
    CHECK_OK(tess_fsc(&out, &a, &a, shape, &(tess_fsc_opts){ .directions = &axes, .aperture = 0.05 }));
    CHECK_DIMS(out.shape, 1, 1, 3, 5);
    CHECK(near(at(&out, 0, 0, 3), 1, 1e-15) && at(&out, 0, 1, 3) == 0 && near(at(&out, 0, 2, 3), 1, 1e-15));
    tess_release(&a);
    tess_release(&axes);
    tess_release(&out);
}

/* A cone of pi / 2 has all directions, the plane across its axis too, whatever the axis; one of 0 its axis. */
TEST(the_widest_and_the_thinnest_cone)
{
    const tess_shape shape = TESS_SHAPE(1, 8, 8, 8);
    const double     axes[3][3] = { { 1, 0, 0 }, { 0, 1, 1 }, { 1, 2, -3 } };
    tess_array       a = noise(tess_rfft_shape(shape), TESS_C64, 3), directions, all = { 0 }, one = { 0 }, out = { 0 };
    CHECK_OK(tess_wrap(&directions, (void *)(uintptr_t)axes, TESS_SHAPE(1, 1, 3, 3), TESS_F64, NULL));
    CHECK_OK(tess_fsc(&out, &a, &a, shape, &(tess_fsc_opts){ .counts = &all }));
    tess_release(&out);
    tess_fsc_opts o = { .directions = &directions, .counts = &one, .aperture = 0.5 * acos(-1.0) };
    CHECK_OK(tess_fsc(&out, &a, &a, shape, &o));
    for (int64_t cone = 0; cone < 3; cone++)
        for (int64_t k = 0; k < 5; k++) CHECK(near(at(&one, 0, cone, k), at(&all, 0, 0, k), 1e-12));
    o.aperture = 1e-9;
    CHECK_OK(tess_fsc(&out, &a, &a, shape, &o));
    for (int64_t k = 1; k < 5; k++) CHECK(near(at(&one, 0, 0, k), k == 4 ? 1 : 2, 1e-12)); /* +-k along z */
    tess_array *given[] = { &a, &all, &one, &out };
    for (size_t i = 0; i < 4; i++) tess_release(given[i]);
}

/* Coefficients of odd sizes between the last shell and 0.5 are the last shell's, wholly; those above 0.5 are nobody's. */
TEST(the_last_shell_of_correlations)
{
    for (int64_t n = 7; n <= 8; n++)
        for (int nearest = 0; nearest < 2; nearest++) {
            const tess_shape shape = TESS_SHAPE(1, 1, n, n);
            tess_array       a = noise(tess_rfft_shape(shape), TESS_C64, 3), counts = { 0 }, out = { 0 };
            double           want = 0;
            for (int64_t y = -((n - 1) / 2); y <= n / 2; y++)
                for (int64_t x = -((n - 1) / 2); x <= n / 2; x++) {
                    const double r = hypot((double)y, (double)x), last = (double)(n / 2);
                    const double inside = nearest ? r >= last - 0.5 : r > last ? 1 : r > last - 1 ? r - (last - 1) : 0;
                    if (r <= 0.5 * (double)n) want += inside;
                }
            CHECK_OK(tess_fsc(&out, &a, &a, shape, &(tess_fsc_opts){ .counts = &counts, .nearest = nearest }));
            CHECK(near(at(&counts, 0, 0, n / 2), want, 1e-12));
            tess_array *given[] = { &a, &counts, &out };
            for (size_t i = 0; i < 3; i++) tess_release(given[i]);
        }
}

/* Radial power is the rotational average of the power, to the last shell. */
TEST(radial_power_is_the_rotational_average)
{
    const tess_shape shapes[] = { TESS_SHAPE(2, 9, 9, 9), TESS_SHAPE(1, 8, 8, 8), TESS_SHAPE(3, 1, 15, 15),
                                  TESS_SHAPE(1, 1, 12, 20) };
    for (int i = 0; i < 4; i++)
        for (int nearest = 0; nearest < 2; nearest++) {
            const int64_t shells = tess_fsc_shells(shapes[i]), m = shapes[i].h;
            tess_array    a = noise(tess_rfft_shape(shapes[i]), TESS_C64, 3), power = { 0 }, average = { 0 };
            CHECK_OK(tess_radial_power(&power, &a, shapes[i], &(tess_radial_power_opts){ .nearest = nearest }));
            const tess_rotational_average_opts o = {
                .shells = shells, .out_stop = (double)(shells - 1) / (double)m, .power = 1, .nearest = nearest
            };
            CHECK_OK(tess_rotational_average(&average, &a, shapes[i], &o));
            for (int64_t b = 0; b < shapes[i].b; b++)
                for (int64_t k = 0; k < shells; k++) CHECK(near(at(&power, b, 0, k), at(&average, b, 0, k), 1e-6));
            tess_array *given[] = { &a, &power, &average };
            for (size_t k = 0; k < 3; k++) tess_release(given[k]);
        }
}

/* noa counts each stored coefficient once; those of interior columns stand for two. */
TEST(noa_fsc_counts_interior_columns_once)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 1, 8);
    tess_array       l = { 0 }, r = { 0 }, out = { 0 }, counts = { 0 };
    CHECK_OK(tess_ones(&l, tess_rfft_shape(shape), TESS_C64, tess_cpu()));
    CHECK_OK(tess_ones(&r, tess_rfft_shape(shape), TESS_C64, tess_cpu()));
    CHECK_OK(tess_fsc(&out, &l, &r, shape, &(tess_fsc_opts){ .counts = &counts }));
    for (int64_t k = 0; k < 5; k++) CHECK(at(&counts, 0, 0, k) == (k == 0 || k == 4 ? 1 : 2));
    tess_release(&l);
    tess_release(&r);
    tess_release(&out);
    tess_release(&counts);
}

/* noa divides by max(1e-6, .): small amplitudes correlate as large ones do. */
TEST(noa_fsc_of_small_amplitudes)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 16, 16);
    tess_array       a = noise(tess_rfft_shape(shape), TESS_C64, 5), small = { 0 }, out = { 0 };
    CHECK_OK(tess_mul(&small, &a, &tess_f64(1e-140)));
    CHECK_OK(tess_fsc(&out, &small, &small, shape, NULL));
    for (int64_t k = 0; k < 9; k++) CHECK(near(at(&out, 0, 0, k), 1, 1e-14));
    CHECK_OK(tess_fill(&small, 0));
    CHECK_OK(tess_fsc(&out, &small, &a, shape, NULL));
    CHECK(all_are(&out, 0));
    tess_release(&a);
    tess_release(&small);
    tess_release(&out);
}

/* ---- Use ---- */

/* What lies beyond 0.5 cycles per pixel counts nowhere, also where it is NaN. */
TEST(corners_do_not_count)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 8, 8);
    tess_array       a = noise(tess_rfft_shape(shape), TESS_C32, 1), out = { 0 };
    CHECK_OK(tess_set_c64(&a, 0, 0, 3, 4, (tess_c64){ NAN, 0 }));
    CHECK_OK(tess_fsc(&out, &a, &a, shape, NULL));
    for (int64_t k = 0; k < 5; k++) CHECK(near(at(&out, 0, 0, k), 1, 1e-14));
    tess_release(&a);
    tess_release(&out);
}

TEST(empty_and_single)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(0, 1, 8, 5), TESS_C32, tess_cpu()));
    CHECK_OK(tess_fsc(&out, &a, &a, TESS_SHAPE(0, 1, 8, 8), NULL));
    CHECK_DIMS(out.shape, 0, 1, 1, 5);
    tess_release(&a);
    tess_release(&out);
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 1, 0, 5), TESS_C32, tess_cpu()));
    CHECK_OK(tess_radial_power(&out, &a, TESS_SHAPE(2, 1, 0, 8), NULL));
    CHECK_DIMS(out.shape, 2, 1, 1, 0);
    tess_release(&a);
    tess_release(&out);
    a = constant(TESS_C32, 1, 1, 1, 1, 3);
    CHECK_OK(tess_radial_power(&out, &a, TESS_SHAPE(1, 1, 1, 1), NULL));
    CHECK(all_are(&out, 9));
    tess_release(&out);
    CHECK_OK(tess_whiten(&out, &a, TESS_SHAPE(1, 1, 1, 1), NULL));
    tess_c64 z = { 0, 0 };
    CHECK_OK(tess_get_c64(&z, &out, 0, 0, 0, 0));
    CHECK(z.re == 1 && z.im == 0);
    tess_release(&a);
    tess_release(&out);
}

/* Counts are those of the shape, also where there is nothing to compare. */
TEST(counts_without_batches)
{
    const tess_shape shape = TESS_SHAPE(0, 1, 9, 8);
    tess_array a = { 0 }, b = noise(TESS_SHAPE(1, 1, 9, 5), TESS_C32, 1), out = { 0 }, counts = { 0 }, want = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(0, 1, 9, 5), TESS_C64, tess_cpu()));
    CHECK_OK(tess_fsc(&out, &a, &b, shape, &(tess_fsc_opts){ .counts = &counts }));
    CHECK_DIMS(out.shape, 0, 1, 1, 5);
    tess_release(&out);
    CHECK_OK(tess_fsc(&out, &b, &b, TESS_SHAPE(1, 1, 9, 8), &(tess_fsc_opts){ .counts = &want }));
    CHECK(memcmp(counts.data, want.data, 5 * sizeof(double)) == 0 && at(&counts, 0, 0, 0) > 1);
    tess_release(&a);
    tess_release(&b);
    tess_release(&out);
    tess_release(&counts);
    tess_release(&want);
}

/* More cones than have tables at a time: each has the bits that it has alone. */
TEST(many_cones)
{
    enum { CONES = 700, SHELLS = 13 };
    const tess_shape shape = TESS_SHAPE(2, 1, 24, 25);
    tess_array       a = noise(tess_rfft_shape(shape), TESS_C32, 1), b = noise(tess_rfft_shape(shape), TESS_C32, 2);
    tess_array       axes = noise(TESS_SHAPE(1, 1, CONES, 3), TESS_F64, 3), one, all = { 0 }, alone = { 0 };
    CHECK_OK(tess_fsc(&all, &a, &b, shape, &(tess_fsc_opts){ .directions = &axes }));
    CHECK_DIMS(all.shape, 2, 1, CONES, SHELLS);
    for (int64_t cone = 0; cone < CONES; cone += 233) {
        CHECK_OK(tess_slice(&one, &axes, 2, cone, cone + 1, 1));
        CHECK_OK(tess_fsc(&alone, &a, &b, shape, &(tess_fsc_opts){ .directions = &one }));
        for (int64_t k = 0; k < SHELLS; k++) CHECK(at(&all, 1, cone, k) == at(&alone, 1, 0, k));
    }
    tess_release(&a);
    tess_release(&b);
    tess_release(&axes);
    tess_release(&all);
    tess_release(&alone);
}

TEST(resolutions)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 16, 16);
    tess_array       curve = { 0 }, out = { 0 };
    CHECK_OK(tess_linspace(&curve, TESS_SHAPE(1, 1, 1, 9), TESS_F64, tess_cpu(), 1, 0, NULL)); /* 1 - k / 8 */
    CHECK_OK(tess_fsc_resolution(&out, &curve, shape, &(tess_fsc_resolution_opts){ .threshold = 0.5 }));
    CHECK_DIMS(out.shape, 1, 1, 1, 1);
    CHECK(near(at(&out, 0, 0, 0), 0.25, 1e-15)); /* shell 4 of 16 pixels */
    CHECK_OK(
        tess_fsc_resolution(&out, &curve, shape, &(tess_fsc_resolution_opts){ .threshold = 0.5, .pixel_size = 1.4 }));
    CHECK(near(at(&out, 0, 0, 0), 5.6, 1e-14));
    CHECK_OK(tess_fsc_resolution(&out, &curve, shape, NULL));
    CHECK(near(at(&out, 0, 0, 0), (1 - 0.143) / 2, 1e-15));
    CHECK_OK(tess_fsc_resolution(&out, &curve, shape, &(tess_fsc_resolution_opts){ .no_interpolate = 1 }));
    CHECK(at(&out, 0, 0, 0) == 6.0 / 16); /* 0.25 at shell 6, 0.125 at shell 7 */
    CHECK_OK(tess_fill(&curve, 1));       /* never below: the last shell */
    CHECK_OK(tess_fsc_resolution(&out, &curve, shape, NULL));
    CHECK(at(&out, 0, 0, 0) == 0.5);
    CHECK_OK(tess_set_f64(&curve, 0, 0, 0, 0, -1)); /* maps without a mean: shell 0 is rounding errors */
    CHECK_OK(tess_fsc_resolution(&out, &curve, shape, NULL));
    CHECK(at(&out, 0, 0, 0) == 0.5);
    CHECK_OK(tess_fill(&curve, 0)); /* below from the first on */
    CHECK_OK(tess_fsc_resolution(&out, &curve, shape, &(tess_fsc_resolution_opts){ .pixel_size = 1 }));
    CHECK(isinf(at(&out, 0, 0, 0)));
    tess_release(&curve);
    tess_release(&out);
}

TEST(corrected_in_place)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 16, 16);
    tess_array       masked = constant(TESS_F64, 1, 1, 1, 9, 0.6), random = constant(TESS_F64, 1, 1, 1, 9, 0.2);
    CHECK_OK(tess_set_f64(&random, 0, 0, 0, 8, 1));
    CHECK_OK(tess_fsc_corrected(&masked, &masked, &random, shape, 0.25, NULL));
    for (int64_t k = 0; k < 9; k++) CHECK(near(at(&masked, 0, 0, k), k <= 6 ? 0.6 : k == 8 ? 0 : 0.5, 1e-15));
    tess_release(&masked);
    tess_release(&random);
}

TEST(weights_of_half_maps)
{
    double     values[] = { 1, 0.5, 0.143, 0, -0.2 };
    tess_array fsc = { 0 }, out = { 0 }, single = { 0 };
    CHECK_OK(tess_wrap(&fsc, values, TESS_SHAPE(1, 1, 1, 5), TESS_F64, NULL));
    CHECK_OK(tess_fsc_weight(&out, &fsc));
    for (int64_t k = 0; k < 5; k++) {
        const double want = values[k] > 0 ? sqrt(2 * values[k] / (1 + values[k])) : 0;
        CHECK(near(at(&out, 0, 0, k), want, 1e-15));
    }
    CHECK_OK(tess_cast(&single, &fsc, TESS_F32, NULL));
    CHECK_OK(tess_fsc_weight(&single, &single));
    for (int64_t k = 0; k < 5; k++) CHECK(near(at(&single, 0, 0, k), at(&out, 0, 0, k), 1e-6));
    CHECK_FAILS(tess_fsc_weight(NULL, &fsc), TESS_EARG, "fsc_weight: out is NULL");
    CHECK_FAILS(tess_fsc_weight(&out, NULL), TESS_EARG, "fsc is NULL");
    tess_array integers = constant(TESS_I32, 1, 1, 1, 5, 1);
    CHECK_FAILS(tess_fsc_weight(&out, &integers), TESS_EDTYPE, "fsc is i32; f16, f32 or f64");
    tess_release(&integers);
    tess_release(&fsc);
    tess_release(&out);
    tess_release(&single);
}

/* Beside the FSC of parts that were cut out, multiplied and transformed by themselves; one position lies half outside. */
static void check_local(tess_dtype dtype, int nearest)
{
    const tess_shape shape = TESS_SHAPE(1, 14, 12, 16), size = TESS_SHAPE(1, 6, 5, 8);
    const int64_t    where[][3] = { { 0, 0, 0 }, { 4, 3, 7 }, { -3, 9, 12 } };
    tess_array       l = noise(shape, TESS_F64, 1), r = noise(shape, TESS_F64, 2), window = noise(size, TESS_F32, 3);
    tess_array       out = { 0 }, origins = { 0 }, typed[2] = { { .data = NULL }, { .data = NULL } };
    CHECK_OK(tess_add(&r, &r, &l));
    CHECK_OK(tess_empty(&origins, TESS_SHAPE(3, 1, 1, 3), TESS_I64, tess_cpu()));
    memcpy(origins.data, where, sizeof where);
    CHECK_OK(tess_cast(&typed[0], &l, dtype, NULL));
    CHECK_OK(tess_cast(&typed[1], &r, dtype, NULL));
    CHECK_OK(
        tess_fsc_local(&out, &typed[0], &typed[1], &window, &origins, &(tess_fsc_local_opts){ .nearest = nearest }));
    CHECK_DIMS(out.shape, 3, 1, 1, 3);
    for (int64_t i = 0; i < 3; i++) {
        tess_array part[2] = { { .data = NULL }, { .data = NULL } },
                   spectrum[2] = { { .data = NULL }, { .data = NULL } }, one = { 0 };
        for (int m = 0; m < 2; m++) {
            CHECK_OK(tess_zeros(&part[m], size, TESS_F64, tess_cpu()));
            for (int64_t k = 0; k < 6 * 5 * 8; k++) {
                const int64_t d = k / 40, h = k / 8 % 5, w = k % 8;
                const int64_t z = d + where[i][0], y = h + where[i][1], x = w + where[i][2];
                double        value = 0, weight;
                if (z >= 0 && z < 14 && y >= 0 && y < 12 && x >= 0 && x < 16)
                    CHECK_OK(tess_get_f64(&value, &typed[m], 0, z, y, x));
                CHECK_OK(tess_get_f64(&weight, &window, 0, d, h, w));
                CHECK_OK(tess_set_f64(&part[m], 0, d, h, w, value * weight));
            }
            CHECK_OK(tess_fft_r2c(&spectrum[m], &part[m], NULL));
        }
        CHECK_OK(tess_fsc(&one, &spectrum[0], &spectrum[1], size, &(tess_fsc_opts){ .nearest = nearest }));
        for (int64_t s = 0; s < 3; s++)
            CHECK(near(at(&out, i, 0, s), at(&one, 0, 0, s), dtype == TESS_F64 ? 1e-12 : 2e-5));
        for (int m = 0; m < 2; m++) tess_release(&part[m]), tess_release(&spectrum[m]);
        tess_release(&one);
    }
    tess_array *all[] = { &l, &r, &window, &out, &origins, &typed[0], &typed[1] };
    for (int k = 0; k < 7; k++) tess_release(all[k]);
}

TEST(local_fsc_is_that_of_windows)
{
    check_local(TESS_F64, 0);
    check_local(TESS_F32, 1);
    check_local(TESS_F16, 0);
}

/* More positions than one chunk has, each of its own batch; and none at all. */
TEST(local_fsc_of_many_positions)
{
    enum { N = 300 };
    const tess_shape shape = TESS_SHAPE(N, 1, 70, 70);
    tess_array       l = noise(shape, TESS_F32, 1), r = noise(shape, TESS_F32, 2), window = { 0 }, origins = { 0 };
    tess_array       out = { 0 }, one = { 0 }, first[3], none = { 0 }, empty = { 0 };
    CHECK_OK(tess_full(&window, TESS_SHAPE(1, 1, 64, 64), TESS_F32, tess_cpu(), 1));
    CHECK_OK(tess_full(&origins, TESS_SHAPE(N, 1, 1, 2), TESS_I32, tess_cpu(), 3));
    CHECK_OK(tess_fsc_local(&out, &l, &r, &window, &origins, NULL));
    for (int64_t i = 0; i < N; i += 123) {
        CHECK_OK(tess_index(&first[0], &l, 0, i));
        CHECK_OK(tess_index(&first[1], &r, 0, i));
        CHECK_OK(tess_index(&first[2], &origins, 0, i));
        CHECK_OK(tess_fsc_local(&one, &first[0], &first[1], &window, &first[2], NULL));
        for (int64_t s = 0; s < 33; s++) CHECK(at(&one, 0, 0, s) == at(&out, i, 0, s));
    }
    CHECK_OK(tess_zeros(&none, TESS_SHAPE(0, 1, 1, 4), TESS_I64, tess_cpu()));
    CHECK_OK(tess_fsc_local(&empty, &l, &r, &window, &none, NULL));
    CHECK_DIMS(empty.shape, 0, 1, 1, 33);
    tess_array *all[] = { &l, &r, &window, &origins, &out, &one, &none, &empty };
    for (int k = 0; k < 8; k++) tess_release(all[k]);
}

TEST(bad_local_fsc)
{
    tess_array l = noise(TESS_SHAPE(1, 1, 8, 8), TESS_F32, 1), other = noise(TESS_SHAPE(1, 1, 8, 9), TESS_F32, 1);
    tess_array window = noise(TESS_SHAPE(1, 1, 4, 4), TESS_F32, 1), origins = constant(TESS_I64, 2, 1, 1, 2, 0);
    tess_array two = noise(TESS_SHAPE(2, 1, 4, 4), TESS_F32, 1), spectrum = noise(TESS_SHAPE(1, 1, 8, 8), TESS_C32, 1);
    tess_array out = { 0 };
    CHECK_FAILS(tess_fsc_local(NULL, &l, &l, &window, &origins, NULL), TESS_EARG, "fsc_local: out is NULL");
    CHECK_FAILS(tess_fsc_local(&out, NULL, &l, &window, &origins, NULL), TESS_EARG, "lhs is NULL");
    CHECK_FAILS(tess_fsc_local(&out, &l, &other, &window, &origins, NULL), TESS_ESHAPE,
                "lhs has shape {1,1,8,8} and rhs {1,1,8,9}; equal shapes are needed");
    CHECK_FAILS(tess_fsc_local(&out, &l, &spectrum, &window, &origins, NULL), TESS_EDTYPE,
                "rhs is c32; a real type is needed");
    CHECK_FAILS(tess_fsc_local(&out, &l, &l, &two, &origins, NULL), TESS_ESHAPE, "window has shape {2,1,4,4}");
    CHECK_FAILS(tess_fsc_local(&out, &l, &l, &window, &window, NULL), TESS_EDTYPE, "origins is f32");
    CHECK_FAILS(tess_fsc_local(&two, &l, &l, &window, &origins, NULL), TESS_ESHAPE, "out has shape {2,1,4,4}");
    CHECK_FAILS(tess_fsc_local(&out, &l, &l, &window, &origins, &(tess_fsc_local_opts){ .nearest = 3 }), TESS_ERANGE,
                "nearest is 3");
    CHECK(out.data == NULL);
    tess_array *all[] = { &l, &other, &window, &origins, &two, &spectrum };
    for (int k = 0; k < 6; k++) tess_release(all[k]);
}

/* ln(amplitude) = 3 - 20 f^2 is a B-factor of -80. */
TEST(guinier_fits)
{
    tess_array a = { 0 }, out = { 0 }, half = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(2, 1, 1, 33), TESS_F64, tess_cpu()));
    for (int64_t b = 0; b < 2; b++)
        for (int64_t k = 0; k < 33; k++) {
            const double f = (double)k * 0.01, bump = b == 1 && k < 10 ? 1 : 0;
            CHECK_OK(tess_set_f64(&a, b, 0, 0, k, exp(3 - 20 * f * f + bump)));
        }
    CHECK_OK(tess_guinier_fit(&out, &a, 0.01, NULL));
    CHECK_DIMS(out.shape, 2, 1, 1, 3);
    CHECK(near(at(&out, 0, 0, 0), -80, 1e-9) && near(at(&out, 0, 0, 1), 3, 1e-11) &&
          near(at(&out, 0, 0, 2), -1, 1e-11));
    CHECK(!near(at(&out, 1, 0, 0), -80, 1));
    CHECK_OK(tess_guinier_fit(&out, &a, 0.01, &(tess_guinier_fit_opts){ .low = 0.1, .high = 0.3 }));
    CHECK(near(at(&out, 1, 0, 0), -80, 1e-9) && near(at(&out, 1, 0, 1), 3, 1e-11));
    CHECK_OK(tess_set_f64(&a, 0, 0, 0, 20, 0)); /* has no logarithm */
    CHECK_OK(tess_guinier_fit(&out, &a, 0.01, NULL));
    CHECK(near(at(&out, 0, 0, 0), -80, 1e-9));
    CHECK_OK(tess_guinier_fit(&out, &a, 0.01, &(tess_guinier_fit_opts){ .low = 0.155, .high = 0.165 }));
    CHECK(isnan(at(&out, 0, 0, 0))); /* one point */
    CHECK_OK(tess_empty(&half, TESS_SHAPE(2, 1, 1, 3), TESS_F32, tess_cpu()));
    CHECK_OK(tess_guinier_fit(&half, &a, 0.01, NULL));
    CHECK(near(at(&half, 0, 0, 0), -80, 1e-4));
    CHECK_FAILS(tess_guinier_fit(NULL, &a, 0.01, NULL), TESS_EARG, "guinier_fit: out is NULL");
    CHECK_FAILS(tess_guinier_fit(&out, &a, 0, NULL), TESS_ERANGE, "step is 0; a number above 0 is needed");
    CHECK_FAILS(tess_guinier_fit(&out, &a, NAN, NULL), TESS_ERANGE, "step is nan");
    CHECK_FAILS(tess_guinier_fit(&out, &a, 0.01, &(tess_guinier_fit_opts){ .low = 0.3, .high = 0.1 }), TESS_ERANGE,
                "opts->high is 0.1; it must exceed opts->low, 0.3");
    CHECK_FAILS(tess_guinier_fit(&out, &a, 0.01, &(tess_guinier_fit_opts){ .low = -1 }), TESS_ERANGE, "low is -1");
    CHECK_FAILS(tess_guinier_fit(&a, &a, 0.01, NULL), TESS_ESHAPE, "out has shape {2,1,1,33}");
    tess_release(&a);
    tess_release(&out);
    tess_release(&half);
}

/* ---- What is rejected ---- */

TEST(bad_fsc)
{
    const tess_shape shape = TESS_SHAPE(2, 1, 8, 8);
    tess_array       a = noise(TESS_SHAPE(2, 1, 8, 5), TESS_C32, 1), three = noise(TESS_SHAPE(3, 1, 8, 5), TESS_C32, 1);
    tess_array       real = noise(TESS_SHAPE(2, 1, 8, 5), TESS_F32, 1), out = { 0 }, axes = { 0 }, none = { 0 };
    CHECK_FAILS(tess_fsc(NULL, &a, &a, shape, NULL), TESS_EARG, "fsc: out is NULL");
    CHECK_FAILS(tess_fsc(&out, NULL, &a, shape, NULL), TESS_EARG, "lhs is NULL");
    CHECK_FAILS(tess_fsc(&out, &a, &none, shape, NULL), TESS_EARG, "rhs");
    CHECK_FAILS(tess_fsc(&out, &real, &a, shape, NULL), TESS_EDTYPE, "lhs is f32; a complex type is needed");
    CHECK_FAILS(tess_fsc(&out, &a, &real, shape, NULL), TESS_EDTYPE, "rhs is f32; a complex type is needed");
    CHECK_FAILS(tess_fsc(&out, &a, &a, TESS_SHAPE(2, 1, 8, 10), NULL), TESS_ESHAPE, "lhs has shape {2,1,8,5}",
                "whose half spectrum");
    CHECK_FAILS(tess_fsc(&out, &real, &a, TESS_SHAPE(1, 1, 8, 5), NULL), TESS_ESHAPE, "lhs has shape {2,1,8,5}",
                "this is a real array: fft_r2c makes its spectrum");
    CHECK_FAILS(tess_fsc(&out, &a, &three, shape, NULL), TESS_ESHAPE,
                "lhs has shape {2,1,8,5}, rhs has shape {3,1,8,5}", "or 1 for one spectrum");
    CHECK_FAILS(tess_fsc(&out, &a, &a, TESS_SHAPE(1, 1, 8, 8), NULL), TESS_ESHAPE, "shape is {1,1,8,8}");
    CHECK_FAILS(tess_fsc(&out, &a, &a, shape, &(tess_fsc_opts){ .layout = 9 }), TESS_EARG, "layout is 9");
    CHECK_FAILS(tess_fsc(&out, &a, &a, shape, &(tess_fsc_opts){ .aperture = 2 }), TESS_ERANGE, "aperture is 2");
    CHECK_FAILS(tess_fsc(&out, &a, &a, shape, &(tess_fsc_opts){ .nearest = 2 }), TESS_ERANGE, "nearest is 2");
    CHECK_FAILS(tess_fsc(&out, &a, &a, shape, &(tess_fsc_opts){ .reserved = { 1 } }), TESS_EARG, "reserved");
    axes = noise(TESS_SHAPE(1, 1, 3, 2), TESS_F32, 1);
    CHECK_FAILS(tess_fsc(&out, &a, &a, shape, &(tess_fsc_opts){ .directions = &axes }), TESS_ESHAPE,
                "opts->directions has shape {1,1,3,2}; {1,1,n,3}");
    CHECK_FAILS(tess_fsc(&out, &a, &a, shape, &(tess_fsc_opts){ .directions = &a }), TESS_EDTYPE,
                "opts->directions is c32; a real type is needed");
    CHECK_FAILS(tess_fsc(&axes, &a, &a, shape, NULL), TESS_ESHAPE, "out has shape {1,1,3,2}");
    CHECK_FAILS(tess_fsc(&a, &three, &three, TESS_SHAPE(3, 1, 8, 8), NULL), TESS_EDTYPE, "out is c32; f16, f32 or f64");
    CHECK_FAILS(tess_fsc(&out, &a, &a, shape, &(tess_fsc_opts){ .counts = &axes }), TESS_ESHAPE,
                "opts->counts has shape {1,1,3,2}");
    CHECK(out.data == NULL);
    tess_release(&a);
    tess_release(&three);
    tess_release(&real);
    tess_release(&axes);
}

TEST(bad_curves)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 8, 8);
    tess_array       curve = constant(TESS_F64, 1, 1, 1, 5, 1), two = constant(TESS_F64, 1, 1, 2, 5, 1), out = { 0 };
    tess_array       integers = constant(TESS_I32, 1, 1, 1, 5, 1), wrong = constant(TESS_F64, 1, 1, 1, 6, 1);
    CHECK_FAILS(tess_fsc_resolution(NULL, &curve, shape, NULL), TESS_EARG, "out is NULL");
    CHECK_FAILS(tess_fsc_resolution(&out, &wrong, shape, NULL), TESS_ESHAPE, "fsc has shape {1,1,1,6}",
                "{1,1,cones,5} is needed");
    CHECK_FAILS(tess_fsc_resolution(&out, &integers, shape, NULL), TESS_EDTYPE, "fsc is i32; f16, f32 or f64");
    CHECK_FAILS(tess_fsc_resolution(&out, &curve, shape, &(tess_fsc_resolution_opts){ .threshold = 3 }), TESS_ERANGE,
                "threshold is 3");
    CHECK_FAILS(tess_fsc_resolution(&out, &curve, shape, &(tess_fsc_resolution_opts){ .counts = &two }), TESS_ESHAPE,
                "opts->counts has shape {1,1,2,5} and fsc has shape {1,1,1,5}; the numbers of cones must be equal");
    CHECK_FAILS(tess_fsc_corrected(&out, &curve, &two, shape, 0.2, NULL), TESS_ESHAPE,
                "randomized has shape {1,1,2,5}");
    CHECK_FAILS(tess_fsc_corrected(&out, &curve, &curve, shape, -0.2, NULL), TESS_ERANGE, "frequency is -0.2; 0 to 1");
    CHECK_FAILS(tess_fsc_corrected(&out, &curve, &curve, shape, 0.2, &(tess_fsc_corrected_opts){ .margin = -2 }),
                TESS_ERANGE, "margin is -2");
    CHECK(out.data == NULL);
    tess_release(&curve);
    tess_release(&two);
    tess_release(&integers);
    tess_release(&wrong);
}

TEST(bad_spectra)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 8, 8);
    tess_array       a = noise(TESS_SHAPE(1, 1, 8, 5), TESS_C32, 1), real = noise(TESS_SHAPE(1, 1, 8, 5), TESS_F32, 1);
    tess_array       out = { 0 }, other = noise(TESS_SHAPE(1, 1, 8, 5), TESS_C64, 1);
    CHECK_FAILS(tess_phase_randomize(&out, &real, shape, 0.1, 1, NULL), TESS_EDTYPE, "in is f32; a complex type");
    CHECK_FAILS(tess_phase_randomize(&out, &a, shape, NAN, 1, NULL), TESS_ERANGE, "frequency is nan");
    CHECK_FAILS(tess_phase_randomize(&out, &a, shape, 0.1, 1, &(tess_phase_randomize_opts){ .from = TESS_FFT_F }),
                TESS_ESHAPE, "in has shape {1,1,8,5}", "full spectrum");
    CHECK_FAILS(tess_phase_randomize(&other, &a, shape, 0.1, 1, NULL), TESS_EDTYPE, "out has dtype c64");
    CHECK_FAILS(tess_radial_power(&out, &real, shape, NULL), TESS_EDTYPE, "in is f32; a complex type");
    CHECK_FAILS(tess_radial_power(&other, &a, shape, NULL), TESS_EDTYPE, "out is c64; f16, f32 or f64");
    CHECK_FAILS(tess_whiten(&out, &real, shape, NULL), TESS_EDTYPE, "whiten: in is f32; a complex type");
    CHECK_FAILS(tess_whiten(&other, &a, shape, NULL), TESS_EDTYPE, "whiten: out has dtype c64");
    CHECK_FAILS(tess_whiten(&out, &a, shape, &(tess_whiten_opts){ .start = 0.1 }), TESS_EARG,
                "whiten: opts->start is 0.1, shape is {1,1,8,8}", "only for signals in half layouts");
    CHECK_FAILS(tess_whiten(&out, &a, shape, &(tess_whiten_opts){ .stop = -0.1 }), TESS_ERANGE,
                "whiten: opts->stop is -0.1");
    CHECK_FAILS(tess_whiten_image(&out, &real, &(tess_whiten_opts){ .start = 0.1 }), TESS_EARG,
                "whiten_image: opts->start is 0.1, shape is {1,1,8,5}");
    CHECK(out.data == NULL);
    tess_release(&a);
    tess_release(&real);
    tess_release(&other);
}
