/* Correlation: examples, special shapes, outputs, faults of others, what is rejected. */
#include <math.h>

#include "support/rows.h"
#include "tessera/random.h"
#include "tessera/signal.h"

static tess_array noise(tess_shape shape, tess_dtype dtype, uint64_t seed)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, shape, dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, seed, NULL));
    return a;
}

static bool near(double got, double want, double bound) { return fabs(got - want) <= bound; }

/* ---- Scores ---- */

TEST(scores)
{
    tess_array x = ROW(TESS_F32, 1, 2, 3), y = ROW(TESS_F32, 2, 4, 7), w = ROW(TESS_F64, 1, 0, 1), out = { 0 };
    CHECK_OK(tess_correlate_score(&out, &x, &y, NULL));
    CHECK(IS(&out, 31));
    CHECK(out.dtype == TESS_F64);
    CHECK_OK(tess_correlate_score(&out, &x, &y, &(tess_correlate_score_opts){ .centre = 1 }));
    CHECK(near(value_at(&out, 0, 0, 0, 0), 5, 1e-14));
    CHECK_OK(tess_correlate_score(&out, &x, &y, &(tess_correlate_score_opts){ .normalize = 1 }));
    CHECK(near(value_at(&out, 0, 0, 0, 0), 31 / sqrt(14.0 * 69), 1e-15));
    CHECK_OK(
        tess_correlate_score(&out, &x, &y, &(tess_correlate_score_opts){ .weights = &w, .centre = 1, .normalize = 1 }));
    CHECK(near(value_at(&out, 0, 0, 0, 0), 1, 1e-15));
    CHECK_OK(tess_correlate_score(&out, &x, &tess_f32(4), &(tess_correlate_score_opts){ .centre = 1, .normalize = 1 }));
    CHECK(IS(&out, 0)); /* without variance */
    tess_release(&x);
    tess_release(&y);
    tess_release(&w);
    tess_release(&out);
}

/* The same numbers in another layout: w outermost, h and b backwards, with gaps. */
static tess_array laid_out_otherwise(const tess_array *a, tess_array *storage)
{
    const tess_shape s = a->shape;
    tess_array       turned, part, view;
    CHECK_OK(tess_zeros(storage, TESS_SHAPE(s.w, s.d, s.b, s.h + 3), a->dtype, tess_cpu()));
    CHECK_OK(tess_permute(&turned, storage, 2, 1, 3, 0));
    CHECK_OK(tess_slice(&part, &turned, 2, 1, 1 + s.h, 1));
    CHECK_OK(tess_reverse(&view, &part, TESS_B | TESS_H));
    CHECK_OK(tess_copy(&view, a));
    return view;
}

TEST(scores_do_not_depend_on_strides)
{
    static const tess_dtype         dtypes[] = { TESS_F32, TESS_F64, TESS_C32 };
    const tess_correlate_score_opts o = { .centre = 1, .normalize = 1 };
    for (int k = 0; k < 3; k++) {
        tess_array x = noise(TESS_SHAPE(3, 2, 29, 37), dtypes[k], 1), y = noise(TESS_SHAPE(3, 1, 1, 37), dtypes[k], 2);
        tess_array u = { 0 }, v = { 0 }, whole = { 0 }, want = { 0 }, got = { 0 }, broadcast;
        CHECK_OK(tess_broadcast(&broadcast, &y, x.shape));
        CHECK_OK(tess_copy(&whole, &broadcast));
        CHECK_OK(tess_correlate_score(&want, &x, &whole, &o));
        const tess_array other = laid_out_otherwise(&x, &u), rows = laid_out_otherwise(&y, &v);
        CHECK_OK(tess_correlate_score(&got, &other, &rows, &o));
        CHECK(memcmp(got.data, want.data, (size_t)tess_n_bytes(&want)) == 0);
        CHECK_OK(tess_correlate_score(&got, &x, &y, &o));
        CHECK(memcmp(got.data, want.data, (size_t)tess_n_bytes(&want)) == 0);
        tess_array *all[] = { &x, &y, &u, &v, &whole, &want, &got };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    }
}

TEST(scores_of_complex_numbers)
{
    tess_array x = noise(TESS_SHAPE(2, 1, 3, 4), TESS_C32, 1), out = { 0 };
    tess_c64   z = { 0, 0 };
    CHECK_OK(tess_correlate_score(&out, &x, &x, &(tess_correlate_score_opts){ .normalize = 1 }));
    CHECK(out.dtype == TESS_C64);
    CHECK_OK(tess_get_c64(&z, &out, 1, 0, 0, 0));
    CHECK(near(z.re, 1, 1e-14) && near(z.im, 0, 1e-14));
    tess_release(&x);
    tess_release(&out);
}

/* noa divides by the number of elements of all batches. */
TEST(noa_score_of_batches_is_centred_by_the_elements_of_one)
{
    tess_array x = noise(TESS_SHAPE(3, 1, 4, 5), TESS_F64, 1), y = noise(TESS_SHAPE(3, 1, 4, 5), TESS_F64, 2);
    tess_array all = { 0 }, one = { 0 }, l, r;
    CHECK_OK(tess_correlate_score(&all, &x, &y, &(tess_correlate_score_opts){ .centre = 1 }));
    for (int64_t b = 0; b < 3; b++) {
        CHECK_OK(tess_index(&l, &x, 0, b));
        CHECK_OK(tess_index(&r, &y, 0, b));
        CHECK_OK(tess_correlate_score(&one, &l, &r, &(tess_correlate_score_opts){ .centre = 1 }));
        CHECK(near(value_at(&all, b, 0, 0, 0), value_at(&one, 0, 0, 0, 0), 1e-13));
    }
    tess_release(&x);
    tess_release(&y);
    tess_release(&all);
    tess_release(&one);
}

/* ---- Maps ---- */

/* noa overwrites the second spectrum. */
TEST(noa_map_overwrites_rhs)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 6, 8);
    tess_array       l = noise(tess_rfft_shape(shape), TESS_C32, 1), r = noise(tess_rfft_shape(shape), TESS_C32, 2);
    tess_array       before = { 0 }, out = { 0 };
    CHECK_OK(tess_copy(&before, &r));
    CHECK_OK(tess_correlate_map(&out, &l, &r, shape, &(tess_correlate_map_opts){ .mode = TESS_CORRELATE_MUTUAL }));
    CHECK(memcmp(before.data, r.data, (size_t)tess_n_bytes(&r)) == 0);
    tess_release(&l);
    tess_release(&r);
    tess_release(&before);
    tess_release(&out);
}

/* noa adds 1e-13 to |P|, which is nothing beside some spectra and all beside others. */
TEST(noa_map_guard_is_not_relative)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 1, 16);
    tess_array       x = { 0 }, l = { 0 }, map = { 0 };
    CHECK_OK(tess_zeros(&x, shape, TESS_F64, tess_cpu()));
    CHECK_OK(tess_set_f64(&x, 0, 0, 0, 3, 1e-30));
    CHECK_OK(tess_fft_r2c(&l, &x, NULL));
    CHECK_OK(tess_correlate_map(&map, &l, &l, shape, &(tess_correlate_map_opts){ .mode = TESS_CORRELATE_PHASE }));
    CHECK(near(value_at(&map, 0, 0, 0, 0), 1, 1e-14));
    CHECK_OK(tess_fill(&l, 0));
    CHECK_OK(tess_correlate_map(&map, &l, &l, shape, &(tess_correlate_map_opts){ .mode = TESS_CORRELATE_PHASE }));
    CHECK(all_are(&map, 0));
    tess_release(&x);
    tess_release(&l);
    tess_release(&map);
}

/* |P| of 1e-310, whose reciprocal is infinite. */
TEST(noa_map_guard_is_all_of_subnormal_products)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 1, 16);
    tess_array       l = { 0 }, map = { 0 };
    CHECK_OK(tess_full(&l, tess_rfft_shape(shape), TESS_C64, tess_cpu(), 1e-155));
    CHECK_OK(tess_correlate_map(&map, &l, &l, shape, &(tess_correlate_map_opts){ .mode = TESS_CORRELATE_PHASE }));
    CHECK(near(value_at(&map, 0, 0, 0, 0), 1, 1e-12) && near(value_at(&map, 0, 0, 0, 5), 0, 1e-12));
    CHECK_OK(
        tess_correlate_map(&map, &l, &l, shape, &(tess_correlate_map_opts){ .mode = TESS_CORRELATE_DOUBLE_PHASE }));
    CHECK(value_at(&map, 0, 0, 0, 0) < 1e-309);
    tess_release(&l);
    tess_release(&map);
}

/* A wave of one frequency: all other coefficients are rounding, whose phases would be noise as high as the peak. */
TEST(phases_of_roundings_do_not_count)
{
    const double     turn = 2 * 3.14159265358979323846;
    const tess_shape shape = TESS_SHAPE(1, 1, 30, 42);
    tess_array       x = { 0 }, map = { 0 };
    CHECK_OK(tess_zeros(&x, shape, TESS_F32, tess_cpu()));
    for (int64_t h = 0; h < 30; h++)
        for (int64_t w = 0; w < 42; w++)
            CHECK_OK(tess_set_f64(&x, 0, 0, h, w, cos(turn * (3 * (double)h / 30 + 5 * (double)w / 42))));
    for (int mode = TESS_CORRELATE_PHASE; mode <= TESS_CORRELATE_MUTUAL; mode++) {
        const double height = mode == TESS_CORRELATE_PHASE ? 2.0 / 1260 : mode == TESS_CORRELATE_MUTUAL ? 1 : 630;
        CHECK_OK(tess_correlate(&map, &x, &x, &(tess_correlate_opts){ .mode = mode }));
        for (int64_t w = 0; w < 42; w++)
            CHECK(near(value_at(&map, 0, 0, 0, w), height * cos(turn * 5 * (double)w / 42), 1e-4 * height));
    }
    tess_release(&x);
    tess_release(&map);
}

/* Spectra that are infinite have no map of zeros. */
TEST(phase_maps_of_infinite_spectra_are_nan)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 1, 16);
    tess_array       l = { 0 }, map = { 0 };
    CHECK_OK(tess_full(&l, tess_rfft_shape(shape), TESS_C32, tess_cpu(), 1));
    ((float *)l.data)[4] = INFINITY;
    CHECK_OK(tess_correlate_map(&map, &l, &l, shape, &(tess_correlate_map_opts){ .mode = TESS_CORRELATE_PHASE }));
    CHECK(isnan(value_at(&map, 0, 0, 0, 3)));
    tess_release(&l);
    tess_release(&map);
}

/* Products of 300 by 300, and of 1e-4 by 1e-4, are beyond f16; the sums are not. */
TEST(products_of_c16_are_wider_than_c16)
{
    const tess_shape              one = TESS_SHAPE(1, 1, 1, 16), many = TESS_SHAPE(1, 1, 1, 1024);
    const tess_correlate_map_opts sums = { .norm = TESS_FFT_NORM_FORWARD }, centred = { .centred = 1 };
    tess_array                    l = { 0 }, map = { 0 };
    CHECK_OK(tess_zeros(&l, tess_rfft_shape(one), TESS_C16, tess_cpu()));
    *(tess_f16 *)l.data = tess_f32_to_f16(300);
    CHECK_OK(tess_correlate_map(&map, &l, &l, one, NULL));
    CHECK(map.dtype == TESS_F16 && near(value_at(&map, 0, 0, 0, 7), 5625, 4));
    CHECK_OK(tess_correlate_map(&map, &l, &l, one, &centred));
    CHECK(near(value_at(&map, 0, 0, 0, 7), 5625, 4));
    tess_release(&l);
    tess_release(&map);
    CHECK_OK(tess_full(&l, tess_rfft_shape(many), TESS_C16, tess_cpu(), 1e-4));
    CHECK_OK(tess_correlate_map(&map, &l, &l, many, &sums));
    CHECK(near(value_at(&map, 0, 0, 0, 0), 1.024e-5, 1e-7));
    tess_release(&l);
    tess_release(&map);
}

/* The picture in the header. */
TEST(the_shift_moves_the_second_onto_the_first)
{
    tess_array lhs = constant(TESS_F32, 1, 1, 6, 6, 0), rhs = constant(TESS_F32, 1, 1, 6, 6, 0), map = { 0 };
    tess_array shifts = { 0 }, values = { 0 };
    CHECK_OK(tess_set_f64(&lhs, 0, 0, 3, 3, 1));
    CHECK_OK(tess_set_f64(&rhs, 0, 0, 1, 1, 1));
    for (int centred = 0; centred < 2; centred++) {
        CHECK_OK(tess_correlate(&map, &lhs, &rhs, &(tess_correlate_opts){ .centred = centred }));
        CHECK(near(value_at(&map, 0, 0, centred ? 5 : 2, centred ? 5 : 2), 1, 1e-6));
        CHECK_OK(tess_correlate_peak(&shifts, &values, &map, &(tess_correlate_peak_opts){ .centred = centred }));
        CHECK_DIMS(shifts.shape, 1, 1, 1, 2);
        CHECK(near(value_at(&shifts, 0, 0, 0, 0), 2, 1e-6) && near(value_at(&shifts, 0, 0, 0, 1), 2, 1e-6));
        CHECK(near(value_at(&values, 0, 0, 0, 0), 1, 1e-6));
    }
    tess_release(&lhs);
    tess_release(&rhs);
    tess_release(&map);
    tess_release(&shifts);
    tess_release(&values);
}

/* ---- Peaks ---- */

static void check_peak(const tess_array *map, const tess_correlate_peak_opts *o, double lag, double height)
{
    tess_array shifts = { 0 }, values = { 0 };
    CHECK_OK(tess_correlate_peak(&shifts, &values, map, o));
    const double got = value_at(&shifts, 0, 0, 0, 0), value = value_at(&values, 0, 0, 0, 0);
    if (!near(got, lag, 1e-12) || !near(value, height, 1e-12))
        (void)test_failed(__FILE__, __LINE__, "%.17g at %.17g, not %.17g at %.17g", value, got, height, lag);
    tess_release(&shifts);
    tess_release(&values);
}

/* Heights of 9 - 2 (x - 4.25)^2, whose vertex any radius finds. noa never applies one above 1. */
TEST(noa_peak_radius_above_one_is_not_applied)
{
    tess_array map = constant(TESS_F64, 1, 1, 1, 11, 0);
    for (int64_t i = 0; i < 11; i++)
        CHECK_OK(tess_set_f64(&map, 0, 0, 0, i, 9 - 2 * ((double)i - 4.25) * ((double)i - 4.25)));
    for (int r = 1; r <= 4; r++) {
        tess_array radius = ROW(TESS_I32, r);
        check_peak(&map, &(tess_correlate_peak_opts){ .radius = &radius, .centred = 1 }, 4.25 - 5, 9);
        check_peak(&map,
                   &(tess_correlate_peak_opts){ .radius = &radius, .centred = 1, .fit = TESS_CORRELATE_FIT_QUADRATIC },
                   4.25 - 5, 9);
        tess_release(&radius);
    }
    tess_release(&map);
}

TEST(quadratic_peak_beside_nan_is_the_sample)
{
    tess_array map = ROW(TESS_F64, 0, 1, 5, (double)NAN, 0, 0), lag = ROW(TESS_F64, 1);
    check_peak(&map, &(tess_correlate_peak_opts){ .fit = TESS_CORRELATE_FIT_QUADRATIC }, 2, 5);
    check_peak(&map, &(tess_correlate_peak_opts){ .max_lag = &lag }, 1, 1); /* 5 lies outside; 1 has a NaN near */
    tess_release(&map);
    tess_release(&lag);
}

/* noa reads beyond the map. */
TEST(noa_peak_window_wraps)
{
    tess_array map = ROW(TESS_F64, 5, 3, 0, 0, 0, 4), plain = ROW(TESS_F64, 5, 3, 0, 0, 0, 3);
    check_peak(&map, NULL, -1.0 / 6, 5 + 1.0 / 24);
    check_peak(&plain, NULL, 0, 5);
    tess_release(&map);
    tess_release(&plain);
}

/* noa takes what is outside the ellipse for 0, which is more than negative samples. */
TEST(noa_peak_outside_the_ellipse_is_no_candidate)
{
    tess_array map = ROW(TESS_F32, -5, -4, 9, 9, 9, 9, 9, -6), lag = ROW(TESS_F32, 1), none = ROW(TESS_I32, 0);
    check_peak(&map, &(tess_correlate_peak_opts){ .max_lag = &lag, .radius = &none }, 1, -4);
    CHECK_OK(tess_set_f64(&lag, 0, 0, 0, 0, 0));
    check_peak(&map, &(tess_correlate_peak_opts){ .max_lag = &lag, .radius = &none }, 0, -5);
    CHECK_OK(tess_set_f64(&lag, 0, 0, 0, 0, -1));
    check_peak(&map, &(tess_correlate_peak_opts){ .max_lag = &lag, .radius = &none }, 2, 9);
    tess_release(&map);
    tess_release(&lag);
    tess_release(&none);
}

/* noa's depend on threads. */
TEST(noa_peak_of_equals_is_the_first)
{
    tess_array map = ROW(TESS_F32, 0, 1, 7, 1, 0, 7, 0), same = constant(TESS_F64, 1, 1, 1, 9, 3);
    check_peak(&map, NULL, 2, 7);
    check_peak(&same, &(tess_correlate_peak_opts){ .centred = 1 }, -4, 3);
    tess_release(&map);
    tess_release(&same);
}

/* noa gives the mean of the heights of the axes. */
TEST(noa_peak_height_adds_what_each_axis_gives)
{
    tess_array map = constant(TESS_F64, 1, 1, 5, 5, 0), shifts = { 0 }, values = { 0 };
    for (int64_t h = 0; h < 5; h++)
        for (int64_t w = 0; w < 5; w++) {
            const double y = (double)h - 2.25, x = (double)w - 1.75;
            CHECK_OK(tess_set_f64(&map, 0, 0, h, w, 8 - y * y - 3 * x * x));
        }
    CHECK_OK(tess_correlate_peak(&shifts, &values, &map, &(tess_correlate_peak_opts){ .centred = 1 }));
    CHECK(near(value_at(&shifts, 0, 0, 0, 0), 0.25, 1e-13) && near(value_at(&shifts, 0, 0, 0, 1), -0.25, 1e-13));
    CHECK(near(value_at(&values, 0, 0, 0, 0), 8, 1e-13));
    tess_release(&map);
    tess_release(&shifts);
    tess_release(&values);
}

TEST(peaks_of_nan)
{
    tess_array map = ROW(TESS_F32, NAN, 1, 3, 1, NAN), none = constant(TESS_F32, 2, 1, 1, 5, NAN), shifts = { 0 };
    check_peak(&map, NULL, 2, 3);
    CHECK_OK(tess_correlate_peak(&shifts, NULL, &none, NULL));
    CHECK(isnan(value_at(&shifts, 1, 0, 0, 0)));
    tess_release(&map);
    tess_release(&none);
    tess_release(&shifts);
}

/* ---- Templates ---- */

TEST(a_template_is_found)
{
    tess_array image = noise(TESS_SHAPE(1, 1, 20, 21), TESS_F32, 3), part, out = { 0 }, at = { 0 }, scaled = { 0 };
    CHECK_OK(tess_subregion(&part, &image, (tess_region){ .h = tess_from_to(4, 10), .w = tess_from_to(7, 12) }));
    CHECK_OK(tess_mul(&scaled, &part, &tess_f32(-3)));
    CHECK_OK(tess_match_template(&out, &image, &part, NULL, NULL));
    CHECK(near(value_at(&out, 0, 0, 4 + 3, 7 + 2), 1, 1e-6));
    CHECK_OK(tess_argmax(&at, &out, 0, NULL));
    CHECK(value_at(&at, 0, 0, 0, 0) == 7 * 21 + 9);
    CHECK_OK(tess_match_template(&out, &image, &scaled, NULL, NULL));
    CHECK(near(value_at(&out, 0, 0, 4 + 3, 7 + 2), -1, 1e-6));
    CHECK_OK(tess_fill(&image, 2)); /* no variance anywhere */
    CHECK_OK(tess_match_template(&out, &image, &scaled, NULL, NULL));
    CHECK(all_are(&out, 0));
    tess_release(&image);
    tess_release(&out);
    tess_release(&at);
    tess_release(&scaled);
}

TEST(a_template_far_from_0_is_found)
{
    tess_array image = noise(TESS_SHAPE(1, 1, 20, 21), TESS_F64, 3), part, out = { 0 }, far = { 0 };
    CHECK_OK(tess_subregion(&part, &image, (tess_region){ .h = tess_from_to(4, 10), .w = tess_from_to(7, 12) }));
    CHECK_OK(tess_add(&far, &part, &tess_f64(1e8)));
    CHECK_OK(tess_match_template(&out, &image, &far, NULL, NULL));
    CHECK(near(value_at(&out, 0, 0, 4 + 3, 7 + 2), 1, 1e-6));
    CHECK_OK(tess_fill(&far, 0.1)); /* no variance but that of rounding */
    CHECK_OK(tess_match_template(&out, &image, &far, NULL, NULL));
    CHECK(all_are(&out, 0));
    tess_release(&image);
    tess_release(&out);
    tess_release(&far);
}

/* ---- What is rejected ---- */

TEST(bad_scores)
{
    tess_array x = constant(TESS_F32, 1, 1, 2, 3, 1), y = constant(TESS_F32, 1, 1, 2, 4, 1), out = { 0 };
    tess_array z = constant(TESS_C32, 1, 1, 2, 3, 1), byte = constant(TESS_F32, 2, 1, 1, 1, 1);
    CHECK_FAILS(tess_correlate_score(NULL, &x, &x, NULL), TESS_EARG, "correlate_score: out is NULL");
    CHECK_FAILS(tess_correlate_score(&out, NULL, &x, NULL), TESS_EARG, "lhs is NULL");
    CHECK_FAILS(tess_correlate_score(&out, &x, &y, NULL), TESS_ESHAPE, "rhs has shape {1,1,2,4}");
    CHECK_FAILS(tess_correlate_score(&out, &x, &x, &(tess_correlate_score_opts){ .weights = &y }), TESS_ESHAPE,
                "opts->weights has shape {1,1,2,4}");
    CHECK_FAILS(tess_correlate_score(&out, &x, &x, &(tess_correlate_score_opts){ .weights = &z }), TESS_EDTYPE,
                "opts->weights is c32; a real type is needed");
    CHECK_FAILS(tess_correlate_score(&out, &x, &x, &(tess_correlate_score_opts){ .centre = 3 }), TESS_ERANGE,
                "centre is 3");
    CHECK_FAILS(tess_correlate_score(&byte, &x, &x, NULL), TESS_ESHAPE, "out has shape {2,1,1,1}");
    CHECK(out.data == NULL);
    tess_release(&x);
    tess_release(&y);
    tess_release(&z);
    tess_release(&byte);
}

TEST(bad_maps)
{
    const tess_shape shape = TESS_SHAPE(2, 1, 4, 6);
    tess_array       a = noise(TESS_SHAPE(2, 1, 4, 4), TESS_C32, 1), b = noise(TESS_SHAPE(2, 1, 4, 4), TESS_C64, 1);
    tess_array       three = noise(TESS_SHAPE(3, 1, 4, 4), TESS_C32, 1), real = noise(shape, TESS_F32, 1), out = { 0 };
    tess_array       wider = noise(TESS_SHAPE(2, 1, 4, 7), TESS_F32, 1);
    CHECK_FAILS(tess_correlate_map(&out, &a, &b, shape, NULL), TESS_EDTYPE, "rhs is c64 and lhs is c32; equal dtypes");
    CHECK_FAILS(tess_correlate_map(&out, &a, &three, shape, NULL), TESS_ESHAPE, "rhs has shape {3,1,4,4}");
    CHECK_FAILS(tess_correlate_map(&out, &a, &a, TESS_SHAPE(1, 1, 4, 6), NULL), TESS_ESHAPE, "shape has b = 1",
                "must be that of the spectra, 2");
    CHECK_FAILS(tess_correlate_map(&out, &real, &real, shape, NULL), TESS_ESHAPE, "lhs has shape {2,1,4,6}");
    CHECK_FAILS(tess_correlate_map(&out, &a, &a, shape, &(tess_correlate_map_opts){ .mode = 7 }), TESS_EARG,
                "mode is 7", "4 (mutual)");
    CHECK_FAILS(tess_correlate_map(&a, &three, &three, TESS_SHAPE(3, 1, 4, 6), NULL), TESS_ESHAPE, "out has shape");
    CHECK_FAILS(tess_correlate(&out, &a, &a, NULL), TESS_EDTYPE, "correlate: lhs is c32; a real type is needed");
    CHECK_FAILS(tess_correlate(&out, &real, &wider, NULL), TESS_ESHAPE, "rhs has shape {2,1,4,7}; equal d, h and w");
    CHECK_FAILS(tess_correlate(&real, &real, &real, NULL), TESS_EALIAS, "out", "lhs");
    CHECK(out.data == NULL);
    tess_release(&a);
    tess_release(&b);
    tess_release(&three);
    tess_release(&real);
    tess_release(&wider);
}

TEST(bad_peaks)
{
    tess_array map = noise(TESS_SHAPE(2, 1, 4, 6), TESS_F32, 1), z = noise(TESS_SHAPE(2, 1, 4, 6), TESS_C32, 1);
    tess_array shifts = { 0 }, three = ROW(TESS_F64, 1, 2, 3), large = ROW(TESS_F64, 1, 5),
               half = ROW(TESS_F64, 1, 0.5);
    tess_array none = { 0 };
    CHECK_FAILS(tess_correlate_peak(NULL, NULL, &map, NULL), TESS_EARG, "shifts is NULL");
    CHECK_FAILS(tess_correlate_peak(&shifts, NULL, NULL, NULL), TESS_EARG, "map is NULL");
    CHECK_FAILS(tess_correlate_peak(&shifts, NULL, &z, NULL), TESS_EDTYPE, "map is c32; f16, f32 or f64 is needed");
    CHECK_FAILS(tess_correlate_peak(&shifts, NULL, &map, &(tess_correlate_peak_opts){ .radius = &three }), TESS_ESHAPE,
                "opts->radius has shape {1,1,1,3}; the map has rank 2, so {1,1,1,2} is needed");
    CHECK_FAILS(tess_correlate_peak(&shifts, NULL, &map, &(tess_correlate_peak_opts){ .radius = &large }), TESS_ERANGE,
                "opts->radius has 5; the integers 0 to 4 are allowed");
    CHECK_FAILS(tess_correlate_peak(&shifts, NULL, &map, &(tess_correlate_peak_opts){ .radius = &half }), TESS_ERANGE,
                "opts->radius has 0.5");
    CHECK_FAILS(tess_correlate_peak(&shifts, NULL, &map, &(tess_correlate_peak_opts){ .max_lag = &three }),
                TESS_ESHAPE, "opts->max_lag has shape {1,1,1,3}");
    CHECK_FAILS(tess_correlate_peak(&shifts, NULL, &map, &(tess_correlate_peak_opts){ .fit = 4 }), TESS_EARG,
                "fit is 4");
    CHECK_FAILS(tess_correlate_peak(&three, NULL, &map, NULL), TESS_ESHAPE, "shifts has shape {1,1,1,3}");
    CHECK_OK(tess_empty(&none, TESS_SHAPE(2, 1, 0, 6), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_correlate_peak(&shifts, NULL, &none, NULL), TESS_ESHAPE, "map has shape {2,1,0,6}",
                "must not be empty");
    CHECK(shifts.data == NULL);
    tess_release(&map);
    tess_release(&z);
    tess_release(&three);
    tess_release(&large);
    tess_release(&half);
    tess_release(&none);
}

TEST(bad_templates)
{
    tess_array image = noise(TESS_SHAPE(2, 1, 8, 8), TESS_F32, 1), t = noise(TESS_SHAPE(1, 1, 3, 3), TESS_F32, 1);
    tess_array large = noise(TESS_SHAPE(1, 1, 9, 3), TESS_F32, 1), z = noise(TESS_SHAPE(1, 1, 3, 3), TESS_C32, 1);
    tess_array three = noise(TESS_SHAPE(3, 1, 3, 3), TESS_F32, 1), out = { 0 };
    CHECK_FAILS(tess_match_template(&out, &image, &large, NULL, NULL), TESS_ESHAPE, "templ has shape {1,1,9,3}",
                "at most as many as the image has");
    CHECK_FAILS(tess_match_template(&out, &image, &three, NULL, NULL), TESS_ESHAPE, "b must be equal, or 1");
    CHECK_FAILS(tess_match_template(&out, &image, &z, NULL, NULL), TESS_EDTYPE, "templ is c32; a real type is needed");
    CHECK_FAILS(tess_match_template(&out, &z, &t, NULL, NULL), TESS_EDTYPE, "image is c32; a real type is needed");
    CHECK_FAILS(tess_match_template(&out, &image, &t, &image, NULL), TESS_ESHAPE, "mask has shape {2,1,8,8} and templ");
    CHECK_FAILS(tess_match_template(&out, &image, &t, NULL, &(tess_match_template_opts){ .periodic = 2 }), TESS_ERANGE,
                "periodic is 2");
    CHECK(out.data == NULL);
    tess_release(&image);
    tess_release(&t);
    tess_release(&large);
    tess_release(&z);
    tess_release(&three);
}
