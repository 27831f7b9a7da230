/* Fit of the CTF: spectra without noise, layouts, special cases, and every bad argument with its message. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "tessera/signal.h"

static const double   pi = 3.14159265358979323846;
static const tess_ctf known = { .pixel_size = { 1.4, 1.4 }, .voltage = 300, .amplitude = 0.1, .cs = 2.7 };

/* CTF^2 over a background that falls: {b,1,n,m} in a layout. */
static tess_array spectra(const tess_ctf *ctfs, int64_t b, int64_t n, int64_t m, int32_t layout)
{
    const tess_shape    shape = TESS_SHAPE(b, 1, n, m);
    const bool          half = layout == TESS_FFT_H || layout == TESS_FFT_HC;
    const tess_ctf_opts opts = { .squared = 1, .to = layout };
    tess_array          power = { 0 }, fall = { 0 }, part;
    CHECK_OK(tess_empty(&power, half ? tess_rfft_shape(shape) : shape, TESS_F64, tess_cpu()));
    for (int64_t k = 0; k < b; k++) {
        CHECK_OK(tess_slice(&part, &power, 0, k, k + 1, 1));
        CHECK_OK(tess_ctf_image(&part, TESS_SHAPE(1, 1, n, m), &ctfs[k], &opts));
    }
    CHECK_OK(tess_like(&fall, &power));
    CHECK_OK(tess_add(&power, &power, &tess_f64(1)));
    CHECK_OK(
        tess_lowpass(&fall, NULL, shape, 0.01,
                     &(tess_lowpass_opts){ .width = 0.3, .edge = TESS_FILTER_GAUSSIAN, .to = layout, .from = layout }));
    CHECK_OK(tess_mul(&power, &power, &fall));
    tess_release(&fall);
    return power;
}

static double turned(double angle) { return fabs(remainder(angle, pi)); }

/* Near the truth: defocus and astigmatism in micrometre, angle in radians. */
static void check_near(const tess_ctf *fit, const tess_ctf *truth, double defocus, double angle)
{
    if (!(fabs(fit->defocus - truth->defocus) < defocus && fabs(fit->astigmatism - truth->astigmatism) < defocus &&
          turned(fit->angle - truth->angle) < angle))
        (void)test_failed(__FILE__, __LINE__, "defocus %g, astigmatism %g, angle %g; the truth is %g, %g, %g",
                          fit->defocus, fit->astigmatism, fit->angle, truth->defocus, truth->astigmatism, truth->angle);
}

TEST(spectra_without_noise)
{
    tess_ctf truth[4] = { known, known, known, known };
    tess_ctf_set_defoci(&truth[0], 0.85, 0.75, 0.4);
    tess_ctf_set_defoci(&truth[1], 2.2, 1.8, -1.1);
    tess_ctf_set_defoci(&truth[2], 1.5, 1.46, 1.5);
    tess_ctf_set_defoci(&truth[3], 3.1, 2.9, 0);
    tess_array power = spectra(truth, 4, 256, 256, TESS_FFT_H), fits = { 0 }, scores = { 0 }, found = { 0 },
               curves = { 0 };
    CHECK_OK(tess_ctf_fit(&fits, &scores, &found, &power, TESS_SHAPE(4, 1, 256, 256), &known,
                          &(tess_ctf_fit_opts){ .curves = &curves }));
    CHECK_DIMS(fits.shape, 4, 1, 1, TESS_CTF_COLUMNS);
    CHECK_DIMS(scores.shape, 4, 1, 1, 1);
    CHECK_DIMS(curves.shape, 4, 1, 3, 129);
    for (int b = 0; b < 4; b++) {
        const tess_ctf *fit = (tess_ctf *)fits.data + b;
        check_near(fit, &truth[b], 0.002, 0.02);
        CHECK(fit->pixel_size[0] == 1.4 && fit->voltage == 300 && fit->cs == 2.7 && fit->amplitude == 0.1);
        CHECK(value_at(&scores, b, 0, 0, 0) > 0.98);
        CHECK(value_at(&found, b, 0, 0, 0) > 0.19);
        CHECK(value_at(&curves, b, 0, 2, 50) > 0.9);
    }
    tess_release(&power);
    tess_release(&fits);
    tess_release(&scores);
    tess_release(&found);
    tess_release(&curves);
}

/* Images of other shapes, and pixels that are not square, in each layout. */
TEST(layouts_and_shapes)
{
    static const int32_t layouts[] = { TESS_FFT_H, TESS_FFT_HC, TESS_FFT_F, TESS_FFT_FC };
    tess_ctf             truth = known, uneven = known;
    double               first = 0;
    uneven.pixel_size[0] = truth.pixel_size[0] = 1.2;
    tess_ctf_set_defoci(&truth, 1.6, 1.4, 0.7);
    for (int k = 0; k < 4; k++) {
        tess_array power = spectra(&truth, 1, 203, 160, layouts[k]), fits = { 0 };
        CHECK_OK(tess_ctf_fit(&fits, NULL, NULL, &power, TESS_SHAPE(1, 1, 203, 160), &uneven,
                              &(tess_ctf_fit_opts){ .layout = layouts[k] }));
        check_near(fits.data, &truth, 0.003, 0.02);
        if (k == 0) first = ((tess_ctf *)fits.data)->defocus;
        if (k == 1) CHECK(((tess_ctf *)fits.data)->defocus == first);
        tess_release(&power);
        tess_release(&fits);
    }
}

TEST(phase_shifts_and_over_focus)
{
    tess_ctf truth[2] = { known, known };
    truth[0].defocus = 1.2, truth[0].phase_shift = 1.1;
    truth[1].defocus = -1.3;
    tess_array              power = spectra(truth, 2, 200, 200, TESS_FFT_H), fits = { 0 }, one;
    const tess_ctf_fit_opts shifted = { .max_phase_shift = pi, .isotropic = 1 };
    const tess_ctf_fit_opts over = { .min_defocus = -3, .max_defocus = -0.5, .isotropic = 1 };
    CHECK_OK(tess_slice(&one, &power, 0, 0, 1, 1));
    CHECK_OK(tess_ctf_fit(&fits, NULL, NULL, &one, TESS_SHAPE(1, 1, 200, 200), &known, &shifted));
    check_near(fits.data, &truth[0], 0.003, 2);
    CHECK(fabs(((tess_ctf *)fits.data)->phase_shift - 1.1) < 0.03);
    CHECK(((tess_ctf *)fits.data)->astigmatism == 0);
    CHECK_OK(tess_slice(&one, &power, 0, 1, 2, 1));
    CHECK_OK(tess_ctf_fit(&fits, NULL, NULL, &one, TESS_SHAPE(1, 1, 200, 200), &known, &over));
    check_near(fits.data, &truth[1], 0.003, 2);
    tess_ctf plate = known;
    plate.phase_shift = 1.1; /* known, and not fitted */
    CHECK_OK(tess_slice(&one, &power, 0, 0, 1, 1));
    CHECK_OK(tess_ctf_fit(&fits, NULL, NULL, &one, TESS_SHAPE(1, 1, 200, 200), &plate, NULL));
    CHECK(fabs(((tess_ctf *)fits.data)->defocus - 1.2) < 0.002 && ((tess_ctf *)fits.data)->phase_shift == 1.1);
    const tess_ctf_fit_opts fixed = { .min_phase_shift = 1.1, .max_phase_shift = 1.1 };
    CHECK_OK(tess_ctf_fit(&fits, NULL, NULL, &one, TESS_SHAPE(1, 1, 200, 200), &known, &fixed));
    CHECK(fabs(((tess_ctf *)fits.data)->defocus - 1.2) < 0.002 && ((tess_ctf *)fits.data)->phase_shift == 1.1);
    tess_release(&power);
    tess_release(&fits);
}

/* A defocus that is almost known: the grid of astigmatisms must not become as fine as its range. */
TEST(narrow_ranges_of_defocus)
{
    tess_ctf truth = known;
    tess_ctf_set_defoci(&truth, 1.25, 1.15, 0.4);
    tess_array power = spectra(&truth, 1, 128, 128, TESS_FFT_H), fits = { 0 };
    for (double half = 1e-2; half > 1e-13; half *= 1e-5) {
        const tess_ctf_fit_opts opts = { .min_defocus = 1.2 - half, .max_defocus = 1.2 + half };
        CHECK_OK(tess_ctf_fit(&fits, NULL, NULL, &power, TESS_SHAPE(1, 1, 128, 128), &known, &opts));
        check_near(fits.data, &truth, 0.002, 0.02);
    }
    tess_release(&power);
    tess_release(&fits);
}

/* What a 0 stands for is in the fit. */
TEST(defaults_are_filled_in)
{
    tess_ctf truth = known, few = { .pixel_size = { 1.4 }, .amplitude = 0.1, .cs = 2.7 };
    tess_ctf_set_defoci(&truth, 1.3, 1.2, 0.4);
    tess_array power = spectra(&truth, 1, 128, 128, TESS_FFT_H), fits = { 0 };
    CHECK_OK(tess_ctf_fit(&fits, NULL, NULL, &power, TESS_SHAPE(1, 1, 128, 128), &few, NULL));
    const tess_ctf *fit = fits.data;
    CHECK(fit->pixel_size[0] == 1.4 && fit->pixel_size[1] == 1.4 && fit->voltage == 300 && fit->scale == 1);
    CHECK(fit->bfactor == 0 && fit->cs == 2.7);
    tess_release(&power);
    tess_release(&fits);
}

/* What is fitted is a row of parameters. */
TEST(fits_are_parameters)
{
    tess_ctf truth[2] = { known, known };
    tess_ctf_set_defoci(&truth[0], 1.3, 1.2, 0.4);
    tess_ctf_set_defoci(&truth[1], 2.3, 2.2, 0.4);
    tess_array power = spectra(truth, 2, 128, 128, TESS_FFT_H), fits = { 0 }, image = { 0 };
    CHECK_OK(tess_ctf_fit(&fits, NULL, NULL, &power, TESS_SHAPE(2, 1, 128, 128), &known, NULL));
    CHECK_OK(tess_like(&image, &power));
    CHECK_OK(tess_ctf_image(&image, TESS_SHAPE(2, 1, 128, 128), NULL, &(tess_ctf_opts){ .parameters = &fits }));
    CHECK(fabs(value_at(&image, 1, 0, 20, 20) - tess_ctf_value_at(&truth[1], 20 / 128.0, 20 / 128.0)) < 0.1);
    tess_release(&power);
    tess_release(&fits);
    tess_release(&image);
}

/* Nothing to see: NaN, a score of 0, and an error where such a row is used. */
TEST(spectra_that_have_no_rings)
{
    tess_array power = { 0 }, fits = { 0 }, scores = { 0 }, found = { 0 }, errors = { 0 };
    CHECK_OK(tess_zeros(&power, TESS_SHAPE(4, 1, 64, 33), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < 64 * 33; i++) {
        ((float *)power.data)[64 * 33 + i] = 1;
        ((float *)power.data)[2 * 64 * 33 + i] = (float)(i % 7);
        ((float *)power.data)[3 * 64 * 33 + i] = (float)(i % 7);
    }
    ((float *)power.data)[2 * 64 * 33 + 5 * 33 + 5] = NAN;
    ((float *)power.data)[3 * 64 * 33 + 5 * 33 + 5] = -1;
    const tess_ctf_fit_opts opts = { .errors = &errors };
    CHECK_OK(tess_ctf_fit(&fits, &scores, &found, &power, TESS_SHAPE(4, 1, 64, 64), &known, &opts));
    for (int b = 0; b < 4; b++) {
        CHECK(isnan(((tess_ctf *)fits.data)[b].defocus) && ((tess_ctf *)fits.data)[b].cs == 2.7);
        CHECK(isnan(((tess_ctf *)fits.data)[b].angle) && isnan(value_at(&errors, b, 0, 0, 0)));
        CHECK(value_at(&scores, b, 0, 0, 0) == 0 && value_at(&found, b, 0, 0, 0) == 0);
    }
    CHECK_FAILS(tess_ctf_apply(&power, &power, TESS_SHAPE(4, 1, 64, 64), NULL, &(tess_ctf_opts){ .parameters = &fits }),
                TESS_ERANGE, "row 0 of opts->parameters: defocus is nan");
    tess_release(&power);
    tess_release(&fits);
    tess_release(&scores);
    tess_release(&found);
    tess_release(&errors);
}

TEST(no_spectra)
{
    tess_array power = { 0 }, fits = { 0 }, scores = { 0 };
    CHECK_OK(tess_empty(&power, TESS_SHAPE(0, 1, 64, 33), TESS_F32, tess_cpu()));
    CHECK_OK(tess_ctf_fit(&fits, &scores, NULL, &power, TESS_SHAPE(0, 1, 64, 64), &known, NULL));
    CHECK_DIMS(fits.shape, 0, 1, 1, 17);
    CHECK_DIMS(scores.shape, 0, 1, 1, 1);
    tess_release(&power);
    tess_release(&fits);
    tess_release(&scores);
}

/* Outputs of the caller's, of other dtypes and strides. */
TEST(outputs_that_were_made)
{
    tess_ctf truth = known;
    truth.defocus = 1.5;
    tess_array power = spectra(&truth, 1, 96, 96, TESS_FFT_H), wide = { 0 }, fits, scores = { 0 }, want = { 0 };
    CHECK_OK(tess_zeros(&wide, TESS_SHAPE(1, 1, 1, 34), TESS_F32, tess_cpu()));
    CHECK_OK(tess_slice(&fits, &wide, 3, 0, 34, 2));
    CHECK_OK(tess_ctf_fit(&want, NULL, NULL, &power, TESS_SHAPE(1, 1, 96, 96), &known, NULL));
    CHECK_OK(tess_ctf_fit(&fits, &scores, NULL, &power, TESS_SHAPE(1, 1, 96, 96), &known, NULL));
    for (int k = 0; k < 17; k++) CHECK(value_at(&fits, 0, 0, 0, k) == (double)(float)value_at(&want, 0, 0, 0, k));
    CHECK(((float *)wide.data)[1] == 0);
    CHECK_FAILS(tess_ctf_fit(&fits, &fits, NULL, &power, TESS_SHAPE(1, 1, 96, 96), &known, NULL), TESS_ESHAPE,
                "ctf_fit: scores has shape {1,1,1,17}");
    CHECK_FAILS(tess_ctf_fit(&power, NULL, NULL, &power, TESS_SHAPE(1, 1, 96, 96), &known, NULL), TESS_ESHAPE,
                "ctf_fit: fits has shape {1,1,96,49}");
    tess_release(&power);
    tess_release(&wide);
    tess_release(&scores);
    tess_release(&want);
}

TEST(bad_arguments)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 64, 64);
    tess_array       power = { 0 }, fits = { 0 }, volume = { 0 }, complex = { 0 };
    tess_ctf         ctf = known;
    CHECK_OK(tess_ones(&power, TESS_SHAPE(1, 1, 64, 33), TESS_F32, tess_cpu()));
    CHECK_OK(tess_ones(&volume, TESS_SHAPE(1, 4, 64, 33), TESS_F32, tess_cpu()));
    CHECK_OK(tess_ones(&complex, TESS_SHAPE(1, 1, 64, 33), TESS_C32, tess_cpu()));
#define FIT(...) tess_ctf_fit(&fits, NULL, NULL, &power, shape, &known, &(tess_ctf_fit_opts){ __VA_ARGS__ })
    CHECK_FAILS(tess_ctf_fit(NULL, NULL, NULL, &power, shape, &known, NULL), TESS_EARG, "ctf_fit: fits is NULL");
    CHECK_FAILS(tess_ctf_fit(&fits, NULL, NULL, NULL, shape, &known, NULL), TESS_EARG, "ctf_fit: power is NULL");
    CHECK_FAILS(tess_ctf_fit(&fits, NULL, NULL, &power, shape, NULL, NULL), TESS_EARG, "ctf_fit: ctf is NULL");
    CHECK_FAILS(tess_ctf_fit(&fits, NULL, NULL, &complex, shape, &known, NULL), TESS_EDTYPE, "ctf_fit: power is c32");
    CHECK_FAILS(tess_ctf_fit(&fits, NULL, NULL, &power, TESS_SHAPE(1, 1, 64, 60), &known, NULL), TESS_ESHAPE,
                "ctf_fit: power has shape {1,1,64,33}");
    CHECK_FAILS(tess_ctf_fit(&fits, NULL, NULL, &volume, TESS_SHAPE(1, 4, 64, 64), &known, NULL), TESS_ESHAPE,
                "ctf_fit: shape is {1,4,64,64}; the shape of images");
    CHECK_FAILS(FIT(.min_defocus = 2, .max_defocus = 1), TESS_ERANGE,
                "opts->max_defocus (1) must exceed opts->min_defocus (2)");
    CHECK_FAILS(FIT(.min_defocus = 6), TESS_ERANGE, "opts->max_defocus (5) must exceed opts->min_defocus (6)");
    CHECK_FAILS(FIT(.min_phase_shift = 1), TESS_ERANGE,
                "opts->max_phase_shift (0) must not be below opts->min_phase_shift (1)");
    CHECK_FAILS(FIT(.low = 0.3, .high = 0.2), TESS_ERANGE, "opts->low to opts->high is 0.3 to 0.2 cycles per pixel");
    CHECK_FAILS(FIT(.low = -1), TESS_ERANGE, "ctf_fit: opts->low is -1");
    CHECK_FAILS(FIT(.low = 0.2, .high = 0.201), TESS_ERANGE,
                "ctf_fit: shape is {1,1,64,64}, with 4 coefficients in the range", "more than 22 are needed");
    CHECK_FAILS(FIT(.low = 0.2, .high = 0.212), TESS_ERANGE, "with 1 rings in the range", "5 are needed");
    CHECK_FAILS(FIT(.max_defocus = 900, .max_astigmatism = 90), TESS_ERANGE, "need a search grid of");
    CHECK_FAILS(FIT(.tolerated_astigmatism = -0.1), TESS_ERANGE, "ctf_fit: opts->tolerated_astigmatism is -0.1");
    CHECK_FAILS(FIT(.unrestrained = 2), TESS_ERANGE, "ctf_fit: opts->unrestrained is 2");
    CHECK_FAILS(FIT(.layout = 9), TESS_EARG, "opts->layout");
    ctf.pixel_size[0] = 0;
    CHECK_FAILS(tess_ctf_fit(&fits, NULL, NULL, &power, shape, &ctf, NULL), TESS_ERANGE,
                "ctf_fit: ctf->pixel_size[0] is 0");
    ctf = known, ctf.pixel_size[0] = ctf.pixel_size[1] = 20;
    CHECK_FAILS(tess_ctf_fit(&fits, NULL, NULL, &power, shape, &ctf, NULL), TESS_ERANGE, "is 0.6", "to 0.5", "low must be below high");
    ctf = known, ctf.cs = INFINITY;
    CHECK_FAILS(tess_ctf_fit(&fits, NULL, NULL, &power, shape, &ctf, NULL), TESS_ERANGE, "ctf_fit: ctf->cs is inf");
    CHECK_FAILS(tess_ctf_fit_image(&fits, NULL, NULL, &volume, TESS_SHAPE(1, 1, 32, 32), &known, NULL), TESS_ESHAPE,
                "ctf_fit_image: images has shape {1,4,64,33}");
    CHECK_FAILS(tess_ctf_fit_image(&fits, NULL, NULL, &power, TESS_SHAPE(1, 1, 99, 32), &known, NULL), TESS_ESHAPE,
                "ctf_fit_image: patch is {1,1,99,32}");
    CHECK_FAILS(tess_ctf_fit_image(&fits, NULL, NULL, &power, TESS_SHAPE(1, 1, 12, 12), &known, NULL), TESS_ERANGE,
                "ctf_fit_image: patch is {1,1,12,12}, with");
    CHECK(fits.data == NULL);
    tess_release(&power);
    tess_release(&volume);
    tess_release(&complex);
}

/* The fit of what is still being computed. */
TEST(fits_wait_for_their_stream)
{
    tess_ctf truth = known;
    truth.defocus = 1.5;
    tess_stream *stream = NULL;
    tess_array   power = spectra(&truth, 1, 96, 96, TESS_FFT_H), later = { 0 }, want = { 0 }, fits = { 0 };
    CHECK_OK(tess_ctf_fit(&want, NULL, NULL, &power, TESS_SHAPE(1, 1, 96, 96), &known, NULL));
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_zeros(&later, power.shape, TESS_F64, tess_cpu()));
    for (int i = 0; i < 50; i++) CHECK_OK(tess_sin(&later, &later));
    CHECK_OK(tess_copy(&later, &power));
    CHECK_OK(tess_ctf_fit(&fits, NULL, NULL, &later, TESS_SHAPE(1, 1, 96, 96), &known, NULL));
    CHECK_OK(tess_ctf_apply(&later, &later, TESS_SHAPE(1, 1, 96, 96), NULL, &(tess_ctf_opts){ .parameters = &fits }));
    CHECK_OK(tess_stream_sync(stream));
    CHECK(memcmp(fits.data, want.data, sizeof(tess_ctf)) == 0);
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    tess_release(&power);
    tess_release(&later);
    tess_release(&want);
    tess_release(&fits);
}

/* ---- Memory ---- */

static hooks h;

static tess_status fit_some(void)
{
    static float data[40 * 21];
    tess_array   power = { 0 }, fits = { 0 }, scores = { 0 }, errors = { 0 };
    tess_status  status = TESS_OK;
    for (int i = 0; i < 40 * 21; i++) data[i] = 2 + sinf((float)(i % 21));
    TESS_GOTO(done, status,
              tess_wrap(&power, data, TESS_SHAPE(1, 1, 40, 21), TESS_F32, &(tess_wrap_opts){ .length = 40 * 21 }));
    TESS_GOTO(done, status,
              tess_ctf_fit(&fits, &scores, NULL, &power, TESS_SHAPE(1, 1, 40, 40), &known,
                           &(tess_ctf_fit_opts){ .errors = &errors, .isotropic = 1 }));
done:
    if (status != TESS_OK) CHECK(!fits.data && !scores.data && !errors.data);
    tess_release(&power);
    tess_release(&fits);
    tess_release(&scores);
    tess_release(&errors);
    return status;
}

TEST(fits_survive_failing_allocations) { hooks_each_fails(&h, fit_some, 12); }
