/* Fits of the CTF to simulated micrographs with noise: how near the truth they are, and that they depend on the
 * numbers alone.
 *
 * Micrographs of 1536 x 1536 pixels: white structure, seen through a CTF with a B-factor of 60 square angstrom,
 * plus white noise of the same variance as the structure (SNR 1 before the CTF). Patches of 512 x 512. Defocus must
 * be within 0.01 micrometre (100 angstrom), the angle within 2 degrees where the astigmatism is 0.04 micrometre or
 * more; below that its direction is worth less: within 4 degrees. */
#include <math.h>

#include "support/isas.h"
#include "support/layouts.h"
#include "support/sanitizers.h"
#include "tessera/random.h"
#include "tessera/signal.h"

enum { SIZE = 1536, PATCH = 512 };

static const double pi = 3.14159265358979323846;

/* ---- Accuracy ---- */

static tess_array micrograph(const tess_ctf *ctf, uint64_t seed)
{
    const tess_shape shape = TESS_SHAPE(1, 1, SIZE, SIZE);
    tess_array       image = { 0 }, noise = { 0 }, spectrum = { 0 };
    CHECK_OK(tess_empty(&image, shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&noise, shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&image, 0, 1, seed, NULL));
    CHECK_OK(tess_random_normal(&noise, 0, 1, seed + 1, NULL));
    CHECK_OK(tess_fft_r2c(&spectrum, &image, NULL));
    CHECK_OK(tess_ctf_apply(&spectrum, &spectrum, shape, ctf, NULL));
    CHECK_OK(tess_fft_c2r(&image, &spectrum, shape, NULL));
    CHECK_OK(tess_add(&image, &image, &noise));
    tess_release(&noise);
    tess_release(&spectrum);
    return image;
}

static void check_fit(tess_ctf truth, const tess_ctf_fit_opts *opts)
{
    tess_array image = micrograph(&truth, test_random()), fits = { 0 }, found = { 0 };
    tess_ctf   known = truth;
    known.defocus = known.astigmatism = known.angle = known.phase_shift = 0;
    if (CHECK_OK(tess_ctf_fit_image(&fits, NULL, &found, &image, TESS_SHAPE(1, 1, PATCH, PATCH), &known, opts))) {
        const tess_ctf *fit = fits.data;
        const double    defocus = fabs(fit->defocus - truth.defocus), resolution = *(double *)found.data;
        const double    angle = 180 / pi * fabs(remainder(fit->angle - truth.angle, pi));
        const double    shift = fabs(fit->phase_shift - truth.phase_shift);
        if (!(defocus < 0.01 && fabs(fit->astigmatism - truth.astigmatism) < 0.01 &&
              angle < (truth.astigmatism < 0.04 ? 4 : 2) && shift < 0.1 && resolution > 0.05))
            (void)test_failed(
                __FILE__, __LINE__,
                "%g kV, %g angstrom, defocus %g, %g, %g: off by %g micrometre, %g degrees, %g radians; up to %g",
                truth.voltage, truth.pixel_size[0], truth.defocus, truth.astigmatism, truth.angle, defocus, angle,
                shift, resolution);
    }
    tess_release(&image);
    tess_release(&fits);
    tess_release(&found);
}

static tess_ctf microscope(double voltage, double pixel, double defocus, double astigmatism, double angle)
{
    return (tess_ctf){ .pixel_size = { pixel, pixel },
                       .voltage = voltage,
                       .amplitude = 0.07,
                       .cs = 2.7,
                       .bfactor = 60,
                       .defocus = defocus,
                       .astigmatism = astigmatism,
                       .angle = angle };
}

TEST(fits_are_near_the_truth)
{
    check_fit(microscope(300, 1.3, 1.8, 0.2, -1.2), NULL);
    if (ADDRESS_SANITIZER || THREAD_SANITIZER) return; /* they take their time */
    check_fit(microscope(300, 1, 0.5, 0.05, 0.5), NULL);
    check_fit(microscope(200, 1.6, 2.6, 0.02, 0.1), NULL);
    check_fit(microscope(300, 2, 4, 0.1, 1.5), NULL);
}

TEST(fits_of_a_phase_plate_are_near_the_truth)
{
    tess_ctf truth = microscope(300, 1.2, 1.1, 0.08, 0.8);
    truth.phase_shift = 1.3;
    check_fit(truth, &(tess_ctf_fit_opts){ .max_phase_shift = pi });
}

TEST(fits_at_random_are_near_the_truth)
{
    for (int i = 0; i < test_fewer(16); i++) {
        const double pixel = 0.9 + 1.1 * test_random_unit(), most = pixel < 1.2 ? 2 : 4;
        check_fit(microscope(test_random() & 1 ? 200 : 300, pixel, 0.5 + (most - 0.5) * test_random_unit(),
                             0.04 + 0.16 * test_random_unit(), pi * (test_random_unit() - 0.5)),
                  NULL);
    }
}

/* ---- Numbers alone ---- */

/* Rings with noise, f32. */
static void fill_power(const tess_array *power, tess_shape shape)
{
    const tess_ctf      ctf = microscope(300, 1.4, 1.4, 0.1, 0.4);
    const tess_ctf_opts squared = { .squared = 1 };
    tess_array          rings = { 0 }, noise = { 0 }, to = *power;
    CHECK_OK(tess_empty(&rings, power->shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_like(&noise, &rings));
    CHECK_OK(tess_ctf_image(&rings, shape, &ctf, &squared));
    CHECK_OK(tess_random_uniform(&noise, 1, 2, 7, NULL));
    CHECK_OK(tess_add(&rings, &rings, &noise));
    CHECK_OK(tess_cast(&to, &rings, power->dtype, NULL));
    tess_release(&rings);
    tess_release(&noise);
}

typedef struct outputs {
    tess_array fits, scores, found, errors, curves;
} outputs;

static outputs fit_all(const tess_array *power, tess_shape shape, const tess_ctf *known, tess_ctf_fit_opts opts)
{
    outputs out = { { .data = NULL }, { .data = NULL }, { .data = NULL }, { .data = NULL }, { .data = NULL } };
    opts.errors = &out.errors;
    opts.curves = &out.curves;
    CHECK_OK(tess_ctf_fit(&out.fits, &out.scores, &out.found, power, shape, known, &opts));
    return out;
}

static void release_all(outputs *out)
{
    tess_release(&out->fits);
    tess_release(&out->scores);
    tess_release(&out->found);
    tess_release(&out->errors);
    tess_release(&out->curves);
}

static bool same_bits(const tess_array *a, const tess_array *b)
{
    return tess_n_bytes(a) == tess_n_bytes(b) && memcmp(a->data, b->data, (size_t)tess_n_bytes(a)) == 0;
}

/* Spectra that threads divide among themselves and those that they share have the same bits, of all results. */
TEST(threads_and_instruction_sets_do_not_matter)
{
    const tess_shape        shape = TESS_SHAPE(5, 1, 84, 91);
    const tess_ctf          known = microscope(300, 1.4, 0, 0, 0);
    const tess_ctf_fit_opts opts[2] = { { .max_astigmatism = 0.2 }, { .max_astigmatism = 0.1, .max_phase_shift = 2 } };
    tess_array              power = { 0 };
    CHECK_OK(tess_empty(&power, tess_rfft_shape(shape), TESS_F32, tess_cpu()));
    fill_power(&power, shape);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(tess_threads_set(1));
        outputs want = fit_all(&power, shape, &known, opts[k]);
        for (const tess__isa *isa = tess__isas; isa->name; isa++) {
            if (!isa_is_there(isa)) continue;
            CHECK_OK(tess_cpu_limit_set(isa->name));
            for (int threads = 1; threads <= 7; threads += 2) {
                CHECK_OK(tess_threads_set(threads));
                outputs got = fit_all(&power, shape, &known, opts[k]);
                CHECK(same_bits(&got.fits, &want.fits) && same_bits(&got.scores, &want.scores) &&
                      same_bits(&got.found, &want.found) && same_bits(&got.errors, &want.errors) &&
                      same_bits(&got.curves, &want.curves));
                release_all(&got);
            }
        }
        CHECK_OK(tess_cpu_limit_set(NULL));
        release_all(&want);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&power);
}

/* ---- Restraint ---- */

/* Near its maximum the correlation is a parabola, whose curvature follows from the error of the fit; that of the
 * restraint is known. The maximum of their difference is at the mean of both, weighted by the curvatures. */
TEST(restraints_draw_the_astigmatism_towards_0)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 256, 256);
    const tess_ctf   known = microscope(300, 1.4, 0, 0, 0);
    tess_array       power = { 0 };
    CHECK_OK(tess_empty(&power, tess_rfft_shape(shape), TESS_F64, tess_cpu()));
    fill_power(&power, shape);
    outputs        is_free = fit_all(&power, shape, &known, (tess_ctf_fit_opts){ .unrestrained = 1 });
    const tess_ctf ctf = *(tess_ctf *)is_free.fits.data;
    const double   score = *(double *)is_free.scores.data, error = ((double *)is_free.errors.data)[1];
    CHECK(fabs(ctf.astigmatism - 0.1) < 0.01);
    for (double times = 4; times < 1e4; times *= 2) {
        const double tolerated = times * error * sqrt(score / (1 - score * score));
        outputs      held = fit_all(&power, shape, &known, (tess_ctf_fit_opts){ .tolerated_astigmatism = tolerated });
        const double got = ((tess_ctf *)held.fits.data)->astigmatism;
        const double want = ctf.astigmatism / (1 + 1 / (times * times));
        if (!(fabs(got - want) < 0.1 * (ctf.astigmatism - want) + 1e-5))
            (void)test_failed(__FILE__, __LINE__, "tolerated %g: %g, not %g of %g", tolerated, got, want,
                              ctf.astigmatism);
        release_all(&held);
    }
    outputs least = fit_all(&power, shape, &known, (tess_ctf_fit_opts){ .tolerated_astigmatism = 1e-4 });
    CHECK(((tess_ctf *)least.fits.data)->astigmatism < 0.01);
    release_all(&least);
    release_all(&is_free);
    tess_release(&power);
}

/* One dtype has one result, whatever the strides and the threads. */
TEST(strides_and_threads_do_not_matter)
{
    static const tess_dtype dtypes[] = { TESS_F16, TESS_F32, TESS_F64 };
    const tess_shape        shape = TESS_SHAPE(2, 1, 90, 77), half = TESS_SHAPE(2, 1, 90, 39);
    const tess_ctf          known = microscope(300, 1.4, 0, 0, 0);
    for (int k = 0; k < 3; k++) {
        tess_array want = { 0 };
        for (int kind = 0; kind < n_output_layouts; kind++) {
            guarded    power, fits;
            tess_array scores = { 0 };
            guarded_make(&power, (layout)kind, half, dtypes[k]);
            fill_power(&power.view, shape);
            guarded_make(&fits, (layout)kind, TESS_SHAPE(2, 1, 1, 17), TESS_F64);
            CHECK_OK(tess_threads_set(1 + kind % 3));
            CHECK_OK(tess_ctf_fit(&fits.view, &scores, NULL, &power.view, shape, &known, NULL));
            if (!want.data) CHECK_OK(tess_copy(&want, &fits.view));
            for (int c = 0; c < 34; c++) {
                double got = 0, wanted = 1;
                CHECK_OK(tess_get_f64(&got, &fits.view, c / 17, 0, 0, c % 17));
                CHECK_OK(tess_get_f64(&wanted, &want, c / 17, 0, 0, c % 17));
                CHECK(got == wanted);
            }
            CHECK(fabs(((tess_ctf *)want.data)->defocus - 1.4) < 0.02);
            tess_release(&scores);
            guarded_free(&power);
            guarded_free(&fits);
        }
        tess_release(&want);
    }
    CHECK_OK(tess_threads_set(0));
}
