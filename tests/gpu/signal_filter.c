/* Filters of spectra on a GPU beside the CPU: the same bits, in every layout. */
#include <math.h>

#include "support/filters.h"
#include "support/gpu.h"
#include "tessera/random.h"

static layout any_layout(void) { return (layout)test_random_in(0, n_output_layouts - 1); }

static void check_case(const filter_case *c, tess_device device)
{
    guarded    in, own, out;
    tess_array gpu_in = { .data = NULL }, gpu_own = { .data = NULL }, gpu_out = { .data = NULL };
    const bool has_in = c->in_dtype != TESS_DTYPE_NONE, has_own = c->columns > 0;
    const bool of_host = test_random_in(0, 1) == 1 && c->function != FILTER_SHIFT; /* rows */
    guarded_make(&out, any_layout(), filter_shape(c, c->to), c->out_dtype);
    CHECK_OK(tess_fill(&out.view, 0));
    (void)test_mirror(&gpu_out, &out.view, device);
    if (has_own) {
        filter_parameters(&own, c);
        (void)test_mirror(&gpu_own, &own.view, device);
    }
    if (has_in) {
        guarded_make(&in, any_layout(), filter_shape(c, c->from), c->in_dtype);
        CHECK_OK(tess_random_normal(&in.view, 0, 1, test_random(), NULL));
        (void)test_mirror(&gpu_in, &in.view, device);
    }
    CHECK_OK(filter_call(c, &out.view, has_in ? &in.view : NULL, has_own ? &own.view : NULL));
    CHECK_OK(filter_call(c, &gpu_out, has_in ? &gpu_in : NULL, has_own ? of_host ? &own.view : &gpu_own : NULL));
    if (!test_same_bits(&gpu_out, &out.view)) (void)test_failed(__FILE__, __LINE__, "%s", c->text);
    tess_release(&gpu_in);
    tess_release(&gpu_own);
    tess_release(&gpu_out);
    if (has_in) guarded_free(&in);
    if (has_own) guarded_free(&own);
    guarded_free(&out);
}

static void check_function(filter_function function, int n)
{
    tess_device device;
    filter_case c;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 400 : test_fewer(n)); i++) {
        filter_choose(&c, function);
        check_case(&c, device);
    }
}

TEST(lowpass_has_the_bits_of_the_cpu) { check_function(FILTER_LOWPASS, 25); }
TEST(highpass_has_the_bits_of_the_cpu) { check_function(FILTER_HIGHPASS, 25); }
TEST(bandpass_has_the_bits_of_the_cpu) { check_function(FILTER_BANDPASS, 25); }
TEST(bfactor_has_the_bits_of_the_cpu) { check_function(FILTER_BFACTOR, 25); }
TEST(dose_weight_has_the_bits_of_the_cpu) { check_function(FILTER_DOSE, 25); }
TEST(filter_curve_has_the_bits_of_the_cpu) { check_function(FILTER_CURVE, 25); }
TEST(phase_shift_has_the_bits_of_the_cpu) { check_function(FILTER_SHIFT, 25); }
TEST(fourier_wedge_has_the_bits_of_the_cpu) { check_function(FILTER_WEDGE, 3); }
TEST(fourier_cone_has_the_bits_of_the_cpu) { check_function(FILTER_CONE, 3); }
TEST(fourier_ellipsoid_has_the_bits_of_the_cpu) { check_function(FILTER_ELLIPSOID, 3); }
TEST(fourier_cross_has_the_bits_of_the_cpu) { check_function(FILTER_CROSS, 3); }
TEST(ctf_apply_has_the_bits_of_the_cpu) { check_function(FILTER_CTF, 25); }
TEST(ctf_flip_has_the_bits_of_the_cpu) { check_function(FILTER_FLIP, 25); }
TEST(ctf_wiener_has_the_bits_of_the_cpu) { check_function(FILTER_WIENER, 25); }

/* The norms of all frames are a table, which a first call makes. */
TEST(images_are_near_those_of_the_cpu)
{
    tess_device device;
    guarded     in, doses;
    tess_array  gpu_in = { .data = NULL }, gpu_doses = { .data = NULL };
    if (!test_gpu(&device)) return;
    guarded_make(&in, any_layout(), TESS_SHAPE(3, 1, 12, 15), TESS_F64);
    guarded_make(&doses, any_layout(), TESS_SHAPE(3, 1, 1, 1), TESS_F64);
    CHECK_OK(tess_random_normal(&in.view, 0, 1, 5, NULL));
    CHECK_OK(tess_random_uniform(&doses.view, 1, 40, 6, NULL));
    (void)test_mirror(&gpu_in, &in.view, device);
    (void)test_mirror(&gpu_doses, &doses.view, device);
    for (int normalize = 0; normalize < 2; normalize++) {
        const tess_dose_weight_opts o = { .normalize = normalize };
        tess_array                  out = { .data = NULL }, gpu_out = { .data = NULL }, back = { .data = NULL };
        CHECK_OK(tess_dose_weight_image(&out, &in.view, &doses.view, 1.5, &o));
        CHECK_OK(tess_dose_weight_image(&gpu_out, &gpu_in, &gpu_doses, 1.5, &o));
        CHECK_OK(tess_to_device(&back, &gpu_out, tess_cpu()));
        const double *x = out.data, *y = back.data;
        for (int64_t i = 0; i < tess_n_elements(&out); i++) CHECK(fabs(x[i] - y[i]) < 1e-13);
        tess_release(&out);
        tess_release(&gpu_out);
        tess_release(&back);
    }
    tess_release(&gpu_in);
    tess_release(&gpu_doses);
    guarded_free(&in);
    guarded_free(&doses);
}

/* Rows of a GPU are looked at, too. */
TEST(bad_rows_of_a_gpu)
{
    tess_device device;
    tess_array  in = { .data = NULL }, out = { .data = NULL }, rows = { .data = NULL };
    tess_ctf    ctf = { .pixel_size = { 1.4 }, .defocus = 1, .amplitude = 2 };
    if (!test_gpu(&device)) return;
    const tess_array here = {
        .shape = TESS_SHAPE(1, 1, 1, 17), .strides = TESS_STRIDES(17, 17, 17, 1), .data = &ctf, .dtype = TESS_F64
    };
    CHECK_OK(tess_ones(&in, TESS_SHAPE(2, 1, 8, 5), TESS_C32, device));
    CHECK_OK(tess_to_device(&rows, &here, device));
    const tess_ctf_opts opts = { .parameters = &rows };
    CHECK_FAILS(tess_ctf_apply(&out, &in, TESS_SHAPE(2, 1, 8, 8), NULL, &opts), TESS_ERANGE,
                "ctf_apply: row 0 of opts->parameters: amplitude is 2");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&rows);
}

/* Spectra of a GPU are fitted by the host: the same bits, on the GPU again. */
TEST(ctf_fit_has_the_bits_of_the_cpu)
{
    const tess_shape shape = TESS_SHAPE(2, 1, 60, 64);
    const tess_ctf   known = { .pixel_size = { 1.4 }, .amplitude = 0.1, .cs = 2.7 };
    guarded          power;
    tess_device      device;
    tess_array       gpu_power = { .data = NULL }, want = { .data = NULL }, fits = { .data = NULL };
    tess_array       scores = { .data = NULL }, gpu_scores = { .data = NULL };
    if (!test_gpu(&device)) return;
    guarded_make(&power, any_layout(), TESS_SHAPE(2, 1, 60, 33), TESS_F32);
    CHECK_OK(tess_random_uniform(&power.view, 1, 2, test_random(), NULL));
    (void)test_mirror(&gpu_power, &power.view, device);
    CHECK_OK(tess_ctf_fit(&want, &scores, NULL, &power.view, shape, &known, NULL));
    CHECK_OK(tess_ctf_fit(&fits, &gpu_scores, NULL, &gpu_power, shape, &known, NULL));
    CHECK(fits.device.kind == device.kind);
    CHECK(test_same_bits(&fits, &want) && test_same_bits(&gpu_scores, &scores));
    tess_release(&gpu_power);
    tess_release(&want);
    tess_release(&fits);
    tess_release(&scores);
    tess_release(&gpu_scores);
    guarded_free(&power);
}

/* White noise that a CTF has filtered has one best fit, which roundings of the power hardly move. */
TEST(ctf_fit_image_of_rings_is_near_that_of_the_cpu)
{
    const tess_ctf   ctf = { .pixel_size = { 1.4 }, .defocus = 1.2, .amplitude = 0.1, .cs = 2.7 };
    const tess_shape patch = TESS_SHAPE(1, 1, 64, 64);
    tess_device      device;
    tess_array       image = { .data = NULL }, there = { .data = NULL }, back = { .data = NULL };
    tess_array fits[2] = { { .data = NULL }, { .data = NULL } }, scores[2] = { { .data = NULL }, { .data = NULL } };
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_empty(&image, TESS_SHAPE(1, 1, 192, 192), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&image, 0, 1, test_random(), NULL));
    CHECK_OK(tess_ctf_apply_image(&image, &image, &ctf, NULL));
    (void)test_mirror(&there, &image, device);
    CHECK_OK(tess_ctf_fit_image(&fits[0], &scores[0], NULL, &image, patch, &ctf, NULL));
    CHECK_OK(tess_ctf_fit_image(&fits[1], &scores[1], NULL, &there, patch, &ctf, NULL));
    CHECK_OK(tess_to_device(&back, &fits[1], tess_cpu()));
    const double want = ((double *)fits[0].data)[2], got = ((double *)back.data)[2];
    CHECK(fabs(want - ctf.defocus) < 0.1); /* the fit is that of the rings */
    if (!(fabs(got - want) < 1e-3)) (void)test_failed(__FILE__, __LINE__, "defocus %.6f, not %.6f", got, want);
    CHECK_OK(tess_to_device(&back, &scores[1], tess_cpu()));
    CHECK(fabs(((double *)back.data)[0] - ((double *)scores[0].data)[0]) < 1e-3);
    tess_array *all[] = { &image, &there, &back, &fits[0], &fits[1], &scores[0], &scores[1] };
    for (int i = 0; i < 7; i++) tess_release(all[i]);
}

/* Large enough for the inverse transform to multiply in its own pass, and small enough for a pass before it. */
TEST(the_inverse_transform_filters)
{
    const tess_shape shapes[] = { { { 2, 1, 512, 515 } }, { { 2, 1, 12, 15 } }, { { 1, 16, 9, 8192 } } };
    tess_device      device;
    if (!test_gpu(&device)) return;
    for (int k = 0; k < (test_large() ? 3 : 2); k++) {
        tess_array in = { .data = NULL }, gpu_in = { .data = NULL }, out = { .data = NULL }, gpu_out = { .data = NULL };
        tess_array back = { .data = NULL };
        CHECK_OK(tess_empty(&in, shapes[k], TESS_F32, tess_cpu()));
        CHECK_OK(tess_random_normal(&in, 0, 1, 5, NULL));
        CHECK_OK(tess_to_device(&gpu_in, &in, device));
        CHECK_OK(tess_bandpass_image(&out, &in, 0.05, 0.3, &(tess_bandpass_opts){ .high_width = 0.1 }));
        CHECK_OK(tess_bandpass_image(&gpu_out, &gpu_in, 0.05, 0.3, &(tess_bandpass_opts){ .high_width = 0.1 }));
        CHECK_OK(tess_to_device(&back, &gpu_out, tess_cpu()));
        const float *x = out.data, *y = back.data;
        int64_t      wrong = 0;
        for (int64_t i = 0; i < tess_n_elements(&out); i++) wrong += !(fabsf(x[i] - y[i]) < 1e-5f);
        CHECK_I64(wrong, 0);
        tess_release(&in);
        tess_release(&gpu_in);
        tess_release(&out);
        tess_release(&gpu_out);
        tess_release(&back);
    }
}
