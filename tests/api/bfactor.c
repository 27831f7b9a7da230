/* B-factors: everything that takes one has the same sign, exp(-B r^2 / 4), so that positive ones damp. */
#include <math.h>

#include "support/arrays.h"
#include "tessera/random.h"
#include "tessera/signal.h"

static const double values[] = { 80, -25 }, apix = 1.5;

static double expected(double bfactor, double f) { return exp(-bfactor * (f / apix) * (f / apix) / 4); }

/* The filter itself, by its argument and by rows of parameters. */
TEST(filters_of_spectra)
{
    const tess_shape signals = TESS_SHAPE(2, 1, 1, 12);
    tess_array       out = constant(TESS_F64, 2, 1, 1, 7, 0), rows = constant(TESS_F64, 2, 1, 1, 1, values[1]);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(tess_bfactor(&out, NULL, signals, values[i], apix, NULL));
        for (int64_t k = 0; k < 7; k++)
            CHECK(fabs(value_at(&out, 1, 0, 0, k) - expected(values[i], (double)k / 12)) < 1e-14);
    }
    ((double *)rows.data)[0] = values[0];
    CHECK_OK(tess_bfactor(&out, NULL, signals, 0, apix, &(tess_bfactor_opts){ .parameters = &rows }));
    for (int64_t b = 0; b < 2; b++)
        for (int64_t k = 0; k < 7; k++)
            CHECK(fabs(value_at(&out, b, 0, 0, k) - expected(values[b], (double)k / 12)) < 1e-14);
    tess_release(&out);
    tess_release(&rows);
}

/* A wave of 3 cycles in 12 pixels is multiplied by the value at 0.25 cycles per pixel. */
TEST(filters_of_images)
{
    static const double wave[] = { 1, 0, -1, 0 };
    tess_array          image = constant(TESS_F64, 1, 1, 1, 12, 0), out = { 0 };
    for (int64_t i = 0; i < 12; i++) ((double *)image.data)[i] = wave[i % 4];
    for (int i = 0; i < 2; i++) {
        CHECK_OK(tess_bfactor_image(&out, &image, values[i], apix, NULL));
        for (int64_t k = 0; k < 12; k++)
            CHECK(fabs(value_at(&out, 0, 0, 0, k) - wave[k % 4] * expected(values[i], 0.25)) < 1e-14);
    }
    tess_release(&image);
    tess_release(&out);
}

static double real_at(const tess_array *a, int64_t w)
{
    tess_c64 z = { NAN, NAN };
    CHECK_OK(tess_get_c64(&z, a, 0, 0, 0, w));
    return z.re;
}

/* The envelope of a CTF: single values, and spectra that are multiplied by it. */
TEST(envelopes_of_ctfs)
{
    const tess_ctf plain = { .pixel_size = { apix, apix }, .defocus = 1, .amplitude = 0.1, .cs = 2.7 };
    tess_array     one = constant(TESS_C64, 1, 1, 12, 7, 1), out[2] = { { .data = NULL }, { .data = NULL } };
    CHECK_OK(tess_ctf_apply(&out[0], &one, TESS_SHAPE(1, 1, 12, 12), &plain, NULL));
    for (int i = 0; i < 2; i++) {
        tess_ctf ctf = plain;
        ctf.bfactor = values[i];
        const double want = expected(values[i], 0.25);
        CHECK(fabs(tess_ctf_envelope_at(&ctf, 0, 0.25) - want) < 1e-14);
        CHECK(fabs(tess_ctf_value_at(&ctf, 0.25, 0) - tess_ctf_value_at(&plain, 0.25, 0) * want) < 1e-14);
        CHECK_OK(tess_ctf_apply(&out[1], &one, TESS_SHAPE(1, 1, 12, 12), &ctf, NULL));
        CHECK(fabs(real_at(&out[1], 3) - real_at(&out[0], 3) * want) < 1e-12);
    }
    tess_release(&one);
    tess_release(&out[0]);
    tess_release(&out[1]);
}

/* What the fit returns sharpens: a map that has faded comes back. */
TEST(guinier_fits_sharpen)
{
    enum { N = 64 };
    tess_array image = constant(TESS_F64, 1, 1, 1, N, 0), out = { 0 }, amplitudes = { 0 }, fit = { 0 };
    ((double *)image.data)[0] = 1;
    CHECK_OK(tess_bfactor_image(&out, &image, 40, apix, NULL));
    CHECK_OK(tess_fft_r2c(&amplitudes, &out, NULL));
    tess_array sizes = { 0 };
    CHECK_OK(tess_cast(&sizes, &amplitudes, TESS_F64, &(tess_cast_opts){ .part = TESS_PART_ABS }));
    CHECK_OK(tess_guinier_fit(&fit, &sizes, 1 / (N * apix), NULL));
    CHECK(fabs(value_at(&fit, 0, 0, 0, 0) + 40) < 1e-9);
    CHECK_OK(tess_bfactor_image(&out, &out, value_at(&fit, 0, 0, 0, 0), apix, NULL));
    for (int64_t i = 0; i < N; i++) CHECK(fabs(value_at(&out, 0, 0, 0, i) - (i == 0)) < 1e-9);
    tess_array *all[] = { &image, &out, &amplitudes, &fit, &sizes };
    for (size_t i = 0; i < 5; i++) tess_release(all[i]);
}

/* Low frequencies of a pair of frames move by 2 pixels and high ones, which are stronger, by -3: what a B-factor damps
 * does not decide. */
TEST(weights_of_alignments)
{
    enum { N = 64 };
    const tess_shape shape = TESS_SHAPE(2, 1, N, N);
    static double    moves[2][4] = { { 0, 0, 2, 2 }, { 0, 0, -3, -3 } };
    tess_array image = { 0 }, all, frames[2] = { { .data = NULL }, { .data = NULL } }, spectra = { 0 }, shifts = { 0 };
    CHECK_OK(tess_empty(&image, TESS_SHAPE(1, 1, N, N), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&image, 0, 1, 7, NULL));
    CHECK_OK(tess_broadcast(&all, &image, shape));
    for (int k = 0; k < 2; k++) {
        tess_array by;
        CHECK_OK(tess_wrap(&by, moves[k], TESS_SHAPE(2, 1, 1, 2), TESS_F64, NULL));
        CHECK_OK(tess_phase_shift_image(&frames[k], &all, &by, NULL));
    }
    CHECK_OK(tess_lowpass_image(&frames[0], &frames[0], 0.1, NULL));
    CHECK_OK(tess_highpass_image(&frames[1], &frames[1], 0.11, NULL));
    CHECK_OK(tess_add(&frames[0], &frames[0], &frames[1]));
    CHECK_OK(tess_fft_r2c(&spectra, &frames[0], NULL));
    const double bfactors[] = { 2000, TESS_ZERO }, want[] = { -2, 3 };
    for (int i = 0; i < 2; i++) {
        CHECK_OK(tess_align_frames(&shifts, &spectra, shape, 1, &(tess_align_frames_opts){ .bfactor = bfactors[i] }));
        const double moved = value_at(&shifts, 1, 0, 0, 0) - value_at(&shifts, 0, 0, 0, 0);
        CHECK(fabs(moved - want[i]) < 0.5);
    }
    tess_array *given[] = { &image, &frames[0], &frames[1], &spectra, &shifts };
    for (size_t i = 0; i < 5; i++) tess_release(given[i]);
}
