/* Standardised spectra, backgrounds, averaged power, covariances: values, special cases, every bad argument with its
 * message. Random ones are compared with NumPy in tests/oracle/signal_statistics.py. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "support/rows.h"

/* ---- Standardised spectra ---- */

/* Mean 0 and deviation 1 of the inverse, in each layout and with each norm, for even and odd widths. */
static void check_standardized(tess_shape shape, int layout, int norm)
{
    const tess_fft_opts         opts = { .norm = norm };
    const tess_standardize_opts how = { .from = layout, .norm = norm };
    tess_array                  x = { 0 }, half = { 0 }, moved = { 0 }, back = { 0 }, mean = { 0 }, std = { 0 };
    CHECK_OK(tess_empty(&x, shape, TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&x, 1000, 7, 5, 0));
    CHECK_OK(tess_fft_r2c(&half, &x, &opts));
    CHECK_OK(tess_fft_remap(&moved, &half, shape, TESS_FFT_H, (tess_fft_layout)layout));
    CHECK_OK(tess_standardize(&moved, &moved, shape, &how));
    CHECK_OK(tess_fft_remap(&half, &moved, shape, (tess_fft_layout)layout, TESS_FFT_H));
    CHECK_OK(tess_fft_c2r(&back, &half, shape, &opts));
    if (norm == TESS_FFT_NORM_NONE) CHECK_OK(tess_div(&back, &back, &tess_num((double)(shape.d * shape.h * shape.w))));
    CHECK_OK(tess_mean_std(&mean, &std, &back, TESS_D | TESS_H | TESS_W, NULL));
    for (int64_t b = 0; b < shape.b; b++) {
        CHECK(fabs(value_at(&mean, b, 0, 0, 0)) < 1e-12);
        CHECK(fabs(value_at(&std, b, 0, 0, 0) - 1) < 1e-12);
    }
    tess_array *const all[] = { &x, &half, &moved, &back, &mean, &std };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
}

TEST(inverses_of_standardised_spectra_have_mean_0_and_deviation_1)
{
    for (int layout = TESS_FFT_H; layout <= TESS_FFT_FC; layout++)
        for (int norm = TESS_FFT_NORM_BACKWARD; norm <= TESS_FFT_NORM_NONE; norm++) {
            check_standardized(TESS_SHAPE(2, 1, 1, 8), layout, norm);
            check_standardized(TESS_SHAPE(2, 1, 6, 7), layout, norm);
            check_standardized(TESS_SHAPE(1, 3, 4, 2), layout, norm);
            check_standardized(TESS_SHAPE(1, 4, 5, 1), layout, norm);
        }
}

TEST(a_spectrum_of_a_constant_becomes_zeros)
{
    tess_array a = constant(TESS_C32, 2, 1, 4, 3, 0);
    CHECK_OK(tess_set_c64(&a, 1, 0, 0, 0, (tess_c64){ .re = 5 }));
    CHECK_OK(tess_standardize(&a, &a, TESS_SHAPE(2, 1, 4, 5), NULL));
    for (int64_t b = 0; b < 2; b++)
        for (int64_t y = 0; y < 4; y++)
            for (int64_t x = 0; x < 3; x++) {
                tess_c64 z;
                CHECK_OK(tess_get_c64(&z, &a, b, 0, y, x));
                CHECK(z.re == 0 && z.im == 0);
            }
    tess_release(&a);
}

/* ---- Backgrounds ---- */

TEST(the_background_has_mean_0_and_deviation_1)
{
    tess_array a = constant(TESS_U8, 2, 1, 9, 9, 3), out = { 0 };
    CHECK_OK(tess_set_f64(&a, 0, 0, 4, 4, 255)); /* the particle */
    for (int64_t b = 0; b < 2; b++)
        for (int64_t x = 0; x < 9; x++) CHECK_OK(tess_set_f64(&a, b, 0, 0, x, x % 2 ? 2 : 4)); /* noise above it */
    CHECK_OK(tess_normalize_background(&out, &a, 4.1, NULL));
    CHECK(out.dtype == TESS_F32);
    double sum = 0, squares = 0, n = 0;
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 9; x++) {
            if ((x - 4) * (x - 4) + (y - 4) * (y - 4) <= 4.1 * 4.1) continue;
            const double value = value_at(&out, 0, 0, y, x);
            sum += value, squares += value * value, n++;
        }
    CHECK(fabs(sum) < 1e-4 && fabs(squares / n - 1) < 1e-5);
    CHECK(value_at(&out, 0, 0, 4, 4) > 100);
    tess_release(&out);
    tess_release(&a);
}

/* Noise on a ramp with a disc on it: a ramp that is added before makes no difference, and dust becomes the mean. */
TEST(ramps_and_dust_of_backgrounds)
{
    static const tess_shape shapes[] = { { { 3, 1, 20, 23 } }, { { 2, 7, 9, 8 } }, { { 2, 1, 1, 31 } } };
    for (int k = 0; k < 3; k++) {
        const tess_normalize_background_opts o = { .ramp = 1, .shift_w = 0.5 };
        tess_array                           a = { 0 }, tilted = { 0 }, plain = { 0 }, out = { 0 };
        CHECK_OK(tess_empty(&a, shapes[k], TESS_F64, tess_cpu()));
        CHECK_OK(tess_random_normal(&a, 3, 2, 5, NULL));
        CHECK_OK(tess_copy(&tilted, &a));
        const tess_shape s = shapes[k];
        for (int64_t i = 0; i < s.b * s.d * s.h * s.w; i++)
            ((double *)tilted.data)[i] +=
                0.7 * (double)(i % s.w) - 0.3 * (double)(i / s.w % s.h) + 0.9 * (double)(i / (s.w * s.h) % s.d);
        CHECK_OK(tess_normalize_background(&plain, &a, 3, &o));
        CHECK_OK(tess_normalize_background(&out, &tilted, 3, &o));
        for (int64_t i = 0; i < s.b * s.d * s.h * s.w; i++)
            CHECK(fabs(((double *)out.data)[i] - ((double *)plain.data)[i]) < 1e-10);
        tess_release(&a);
        tess_release(&tilted);
        tess_release(&plain);
        tess_release(&out);
    }
    tess_array row = ROW(TESS_F32, 0, 2, 0, 2, 0, 2, 0, 2, 0, 100), out = { 0 };
    CHECK_OK(tess_normalize_background(&out, &row, 0.5, &(tess_normalize_background_opts){ .white_dust = 2 }));
    CHECK(fabs(value_at(&out, 0, 0, 0, 9) - 2.7351355) < 1e-6); /* that of the old mean, 106 / 9 */
    CHECK_OK(tess_normalize_background(&row, &row, 0.5, &(tess_normalize_background_opts){ .black_dust = 2 }));
    CHECK(value_at(&row, 0, 0, 0, 9) > 2.7); /* nothing is below */
    tess_release(&row);
    tess_release(&out);
}

TEST(an_even_background_gives_zeros)
{
    tess_array a = constant(TESS_F32, 1, 1, 6, 6, 3), out = { 0 };
    CHECK_OK(tess_normalize_background(&out, &a, 2, NULL));
    CHECK(all_are(&out, 0));
    CHECK_OK(tess_set_f64(&a, 0, 0, 0, 0, (double)NAN)); /* outside does not count where the inside does */
    CHECK_OK(tess_normalize_background(&out, &a, 2, &(tess_normalize_background_opts){ .inside = 1 }));
    CHECK(value_at(&out, 0, 0, 3, 3) == 0);
    tess_release(&out);
    tess_release(&a);
}

/* ---- Power ---- */

/* White noise has the power n sigma^2 at every frequency, with and without a window. */
TEST(white_noise_keeps_its_power)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 1, 256, 256), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 3, 2, 9, 0));
    for (int window = TESS_POWER_WINDOW_NONE; window <= TESS_POWER_WINDOW_BLACKMAN; window++) {
        const tess_average_power_opts opts = { .window = window, .together = 1 };
        double                        mean;
        tess_array                    inner;
        CHECK_OK(tess_average_power(&out, &a, TESS_SHAPE(1, 1, 16, 16), &opts));
        CHECK_DIMS(out.shape, 1, 1, 16, 9);
        CHECK_OK(tess_slice(&inner, &out, 3, 3, 8, 1));
        CHECK_OK(tess_host_mean(&mean, &inner));
        CHECK(fabs(mean / (256 * 4) - 1) < 0.03);
        tess_release(&out);
    }
    tess_release(&a);
}

TEST(a_wave_is_where_its_frequency_is)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, 64), TESS_F64, tess_cpu()));
    for (int i = 0; i < 64; i++) CHECK_OK(tess_set_f64(&a, 0, 0, 0, i, 5 + cos(2 * acos(-1) * 0.25 * i)));
    CHECK_OK(tess_average_power(&out, &a, TESS_SHAPE(1, 1, 1, 16), NULL));
    for (int k = 0; k < 9; k++) CHECK(fabs(value_at(&out, 0, 0, 0, k) - (k == 4 ? 64 : 0)) < 1e-9);
    tess_release(&out);
    CHECK_OK(tess_average_power(&out, &a, TESS_SHAPE(1, 1, 1, 16), &(tess_average_power_opts){ .keep_mean = 1 }));
    CHECK(fabs(value_at(&out, 0, 0, 0, 0) - 80 * 80) < 1e-9);
    tess_release(&out);
    tess_release(&a);
}

/* ---- Covariances ---- */

TEST(covariances)
{
    tess_array a = numbers(TESS_F64, 2, 1, 1, 3), out = { 0 }, mean = { 0 }, norm = { 0 };
    CHECK_OK(tess_set_f64(&a, 1, 0, 0, 2, -5)); /* 0 1 2 and 3 4 -5 */
    CHECK_OK(tess_covariance(&out, &a, NULL));
    CHECK_DIMS(out.shape, 1, 1, 2, 2);
    CHECK(fabs(value_at(&out, 0, 0, 0, 0) - 2.0 / 3) < 1e-15 && fabs(value_at(&out, 0, 0, 0, 1) + 8.0 / 3) < 1e-15);
    tess_release(&out);
    CHECK_OK(tess_covariance(&out, &a, &(tess_covariance_opts){ .elements = 1, .ddof = 1 }));
    CHECK_DIMS(out.shape, 1, 1, 3, 3);
    CHECK(fabs(value_at(&out, 0, 0, 0, 2) + 10.5) < 1e-14);
    CHECK_OK(tess_mean_l2_norm(&mean, &norm, &a, TESS_W));
    CHECK(value_at(&mean, 0, 0, 0, 0) == 1 && fabs(value_at(&norm, 0, 0, 0, 0) - sqrt(2)) < 1e-15);
    tess_release(&out);
    tess_release(&mean);
    tess_release(&norm);
    tess_release(&a);
}

/* noa's one-pass formula cancels: sqrt(sum of x^2 - (sum of x)^2 / n). */
TEST(noa_norm_about_a_large_mean_cancels)
{
    tess_array a = numbers(TESS_F64, 1, 1, 1, 3), mean = { 0 }, norm = { 0 };
    CHECK_OK(tess_add(&a, &a, &tess_num(1e9)));
    CHECK_OK(tess_mean_l2_norm(&mean, &norm, &a, 0));
    CHECK(value_at(&mean, 0, 0, 0, 0) == 1e9 + 1 && fabs(value_at(&norm, 0, 0, 0, 0) - sqrt(2)) < 1e-15);
    tess_release(&mean);
    tess_release(&norm);
    tess_release(&a);
}

/* ---- Nothing to do, and what is wrong ---- */

TEST(empty_arrays)
{
    tess_array none = constant(TESS_F32, 0, 1, 4, 6, 0), spectra = constant(TESS_C32, 0, 1, 4, 4, 0), out = { 0 };
    CHECK_OK(tess_standardize(&out, &spectra, TESS_SHAPE(0, 1, 4, 6), NULL));
    tess_release(&out);
    CHECK_OK(tess_normalize_background(&out, &none, 100, NULL));
    CHECK_DIMS(out.shape, 0, 1, 4, 6);
    tess_release(&out);
    CHECK_OK(tess_average_power(&out, &none, TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK_DIMS(out.shape, 0, 1, 2, 2);
    tess_release(&out);
    CHECK_OK(tess_covariance(&out, &none, NULL));
    CHECK_DIMS(out.shape, 1, 1, 0, 0);
    tess_release(&out);
    tess_release(&none);
    tess_release(&spectra);
}

TEST(bad_spectra)
{
    tess_array       a = constant(TESS_F32, 1, 1, 4, 6, 1), z = constant(TESS_C32, 1, 1, 4, 4, 1), out = { 0 };
    const tess_shape shape = TESS_SHAPE(1, 1, 4, 6);
    CHECK_FAILS(tess_standardize(NULL, &z, shape, NULL), TESS_EARG, "standardize", "out is NULL");
    CHECK_FAILS(tess_standardize(&out, NULL, shape, NULL), TESS_EARG, "standardize", "in is NULL");
    CHECK_FAILS(tess_standardize(&out, &a, shape, &(tess_standardize_opts){ .from = TESS_FFT_F }), TESS_EDTYPE,
                "standardize", "in is f32; a complex type is needed");
    CHECK_FAILS(tess_standardize(&out, &z, TESS_SHAPE(1, 1, 4, 9), NULL), TESS_ESHAPE, "standardize", "{1,1,4,4}",
                "{1,1,4,5}");
    CHECK_FAILS(tess_standardize(&a, &z, shape, NULL), TESS_ESHAPE, "standardize", "out");
    CHECK_FAILS(tess_standardize(&out, &z, shape, &(tess_standardize_opts){ .norm = 9 }), TESS_EARG, "standardize",
                "norm is 9");
    CHECK_FAILS(tess_standardize(&out, &z, shape, &(tess_standardize_opts){ .reserved = { 1 } }), TESS_EARG,
                "standardize", "reserved");
    CHECK(out.data == NULL);
    tess_release(&a);
    tess_release(&z);
}

TEST(one_pixel_more_than_ddof_is_enough)
{
    tess_array a = numbers(TESS_F64, 1, 1, 4, 6), out = { 0 };
    CHECK_OK(tess_normalize_background(&out, &a, 1, &(tess_normalize_background_opts){ .inside = 1, .ddof = 4 }));
    CHECK(fabs(value_at(&out, 0, 0, 2, 4) - 1 / sqrt(74)) < 1e-15); /* deviations -6, -1, 0, 1, 6; the divisor is 1 */
    tess_release(&a);
    tess_release(&out);
}

TEST(bad_images)
{
    tess_array a = constant(TESS_F32, 1, 1, 4, 6, 1), z = constant(TESS_C32, 1, 1, 4, 6, 1), out = { 0 };
    tess_array whole = constant(TESS_I32, 1, 1, 2, 2, 1), norm = constant(TESS_I32, 1, 1, 1, 1, 0);
    CHECK_FAILS(tess_normalize_background(&out, &a, 10, NULL), TESS_ERANGE, "normalize_background", "radius is 10",
                "{1,1,4,6}", "a smaller radius");
    CHECK_FAILS(tess_normalize_background(&out, &a, 1, &(tess_normalize_background_opts){ .white_dust = -1 }),
                TESS_ERANGE, "white_dust is -1");
    CHECK_FAILS(tess_normalize_background(&out, &a, 1, &(tess_normalize_background_opts){ .black_dust = -2 }),
                TESS_ERANGE, "black_dust is -2");
    CHECK_FAILS(tess_normalize_background(&out, &a, 1, &(tess_normalize_background_opts){ .ramp = 2 }), TESS_ERANGE,
                "ramp is 2");
    CHECK_FAILS(tess_normalize_background(&out, &a, -1, NULL), TESS_ERANGE, "normalize_background", "radius is -1");
    CHECK_FAILS(
        tess_normalize_background(&out, &a, 0.25, &(tess_normalize_background_opts){ .inside = 1, .shift_w = 0.5 }),
        TESS_ERANGE, "normalize_background", "radius is 0.25", "a larger radius");
    CHECK_FAILS(tess_normalize_background(&out, &a, 1, &(tess_normalize_background_opts){ .inside = 1, .ddof = 5 }),
                TESS_ERANGE, "normalize_background", "opts->ddof is 5", "5 pixels are inside the radius of 1");
    CHECK_FAILS(tess_normalize_background(&out, &a, 1, &(tess_normalize_background_opts){ .ddof = 20 }), TESS_ERANGE,
                "normalize_background", "opts->ddof is 20", "19 pixels are outside");
    CHECK_FAILS(tess_normalize_background(&out, &z, 1, NULL), TESS_EDTYPE, "normalize_background", "in is c32");
    CHECK_FAILS(tess_normalize_background(&out, NULL, 1, NULL), TESS_EARG, "normalize_background", "in is NULL");
    CHECK_FAILS(tess_average_power(&out, &a, TESS_SHAPE(1, 1, 5, 2), NULL), TESS_ESHAPE, "average_power", "{1,1,5,2}",
                "{1,1,4,6}");
    CHECK_FAILS(tess_average_power(&out, &a, TESS_SHAPE(2, 1, 2, 2), NULL), TESS_ESHAPE, "average_power", "{2,1,2,2}");
    CHECK_FAILS(tess_average_power(&out, &z, TESS_SHAPE(1, 1, 2, 2), NULL), TESS_EDTYPE, "average_power", "in is c32");
    CHECK_FAILS(tess_average_power(&whole, &a, TESS_SHAPE(1, 1, 2, 2), NULL), TESS_EDTYPE, "average_power",
                "out is i32; f32 or f64 is needed");
    CHECK_FAILS(tess_average_power(&out, &a, TESS_SHAPE(1, 1, 2, 2), &(tess_average_power_opts){ .step_h = -1 }),
                TESS_ERANGE, "average_power", "step_h");
    CHECK_FAILS(tess_covariance(&out, &a, &(tess_covariance_opts){ .elements = 1, .ddof = 1 }), TESS_ERANGE,
                "covariance", "opts->ddof is 1", "1 observations");
    CHECK_FAILS(tess_covariance(&whole, &a, NULL), TESS_ESHAPE, "covariance", "out has shape {1,1,2,2}; {1,1,1,1}");
    CHECK_FAILS(tess_covariance(NULL, &a, NULL), TESS_EARG, "covariance", "out is NULL");
    CHECK_FAILS(tess_mean_l2_norm(NULL, &norm, &a, 0), TESS_EARG, "mean_l2_norm", "mean is NULL");
    CHECK_FAILS(tess_mean_l2_norm(&out, NULL, &a, 0), TESS_EARG, "mean_l2_norm", "norm is NULL");
    CHECK_FAILS(tess_mean_l2_norm(&out, &norm, &a, 0), TESS_EDTYPE, "mean_l2_norm", "norm is i32; f16, f32 or f64");
    CHECK(out.data == NULL);
    tess_release(&a);
    tess_release(&z);
    tess_release(&whole);
    tess_release(&norm);
}

/* ---- No memory ---- */

static hooks h;

static tess_status call(int which, tess_array *out, const tess_array *in)
{
    tess_array  spectrum = *in, other = { 0 };
    tess_status status;
    switch (which) {
    case 0:
        spectrum.dtype = TESS_C32; /* the same bytes as half as many complex numbers */
        spectrum.shape.w /= 2;
        spectrum.strides = tess_strides_contiguous(spectrum.shape, 'C');
        return tess_standardize(out, &spectrum, TESS_SHAPE(2, 1, 30, 38), NULL);
    case 1: return tess_normalize_background(out, in, 9, NULL);
    case 2:
        return tess_average_power(out, in, TESS_SHAPE(1, 1, 16, 16),
                                  &(tess_average_power_opts){ .window = TESS_POWER_WINDOW_HANN });
    case 3: return tess_covariance(out, in, NULL);
    default:
        status = tess_mean_l2_norm(&other, out, in, TESS_H);
        tess_release(&other);
        return status;
    }
}

/* Every allocation fails in turn: a clear status, no leak, and the output as it was. */
TEST(allocations_that_fail)
{
    tess_array in = numbers(TESS_F32, 2, 1, 30, 40), out = { 0 };
    for (int which = 0; which < 5; which++) {
        CHECK_OK(call(which, &out, &in)); /* operators and plans are made at the first call, and kept */
        tess_release(&out);
        hooks_on(&h);
        for (int k = 1, fired = 1; fired && k < 200; k++) {
            atomic_store(&h.calls, 0);
            atomic_store(&h.fired, 0);
            atomic_store(&h.fail_at, k);
            const tess_status status = call(which, &out, &in);
            atomic_store(&h.fail_at, 0);
            fired = atomic_load(&h.fired) > 0;
            if (!fired) CHECK_OK(status);
            else CHECK_FAILS(status, TESS_ENOMEM, "memory");
            CHECK(out.data == NULL || !fired);
            tess_release(&out);
            CHECK_I64(atomic_load(&h.live), 0);
        }
        hooks_off();
    }
    tess_release(&in);
}
