/* Contrast transfer function: single values, inverses, special cases, and every bad argument with its message. */
#include "tessera/ctf.h"

#include <math.h>

#include "support/arrays.h"
#include "tessera/random.h"

static const double   pi = 3.14159265358979323846;
static const tess_ctf usual = {
    .pixel_size = { 1.4, 1.4 }, .defocus = 1.5, .voltage = 300, .amplitude = 0.1, .cs = 2.7
};

/* hc / sqrt(E (2 m c^2 + E)), of CODATA's constants, in long double. */
TEST(wavelengths)
{
    CHECK(fabs(tess_ctf_wavelength(100) - 0.0370143661) < 1e-10);
    CHECK(fabs(tess_ctf_wavelength(200) - 0.0250793405) < 1e-10);
    CHECK(fabs(tess_ctf_wavelength(300) - 0.0196874890) < 1e-10);
    for (double kv = 20; kv < 1000; kv += 7) {
        const long double e = 1000.0L * 1.602176634e-19L * (long double)kv, c = 299792458.0L;
        const long double want = 1e10L * 6.62607015e-34L * c / sqrtl(e * (2 * 9.1093837015e-31L * c * c + e));
        CHECK(fabsl((long double)tess_ctf_wavelength(kv) / want - 1) < 1e-14L);
    }
}

TEST(values_at_zero_frequency)
{
    CHECK(fabs(tess_ctf_value_at(&usual, 0, 0) - 0.1) < 1e-15);
    CHECK(fabs(tess_ctf_phase_at(&usual, 0, 0) + asin(0.1)) < 1e-15);
    CHECK(tess_ctf_envelope_at(&usual, 0.3, 0.2) == 1);
    tess_ctf shifted = usual;
    shifted.phase_shift = pi / 2;
    CHECK(fabs(tess_ctf_value_at(&shifted, 0, 0) - cos(asin(0.1))) < 1e-15);
}

/* The frequency of each zero, and of any phase, there and back. */
TEST(frequencies_of_phases)
{
    for (int voltage = 100; voltage <= 300; voltage += 100)
        for (int n = 1; n < 40; n++) {
            tess_ctf ctf = usual;
            double   f;
            ctf.voltage = voltage;
            ctf.defocus = n % 2 ? 1.5 : -1.5;
            const double phase = ctf.defocus > 0 ? -n * pi : n * pi;
            if (tess_ctf_frequency_at(&f, &ctf, phase) != TESS_OK) continue;
            CHECK(fabs(tess_ctf_phase_at(&ctf, 0, f) - phase) < 1e-12 * n * 10);
            CHECK(fabs(tess_ctf_value_at(&ctf, f, 0)) < 1e-11);
        }
}

/* noa has no case for Cs = 0. */
TEST(noa_frequency_of_a_phase_without_cs)
{
    tess_ctf ctf = usual;
    double   f;
    ctf.cs = 0;
    CHECK_OK(tess_ctf_frequency_at(&f, &ctf, -3 * pi));
    CHECK(fabs(tess_ctf_phase_at(&ctf, 0, f) + 3 * pi) < 1e-12);
    CHECK_FAILS(tess_ctf_frequency_at(&f, &ctf, 3 * pi), TESS_ERANGE, "ctf_frequency_at: phase is 9.42",
                "no frequency");
    ctf.cs = 1e-9; /* hardly another CTF */
    double again;
    CHECK_OK(tess_ctf_frequency_at(&again, &ctf, -3 * pi));
    CHECK(fabs(f - again) < 1e-9);
}

/* Where under-focus and Cs turn the phase round, lower phases are never reached. */
TEST(phases_that_are_not_reached)
{
    tess_ctf ctf = usual;
    double   f;
    ctf.defocus = 0.1;
    CHECK_FAILS(tess_ctf_frequency_at(&f, &ctf, -100 * pi), TESS_ERANGE, "no frequency");
    CHECK_FAILS(tess_ctf_frequency_at(NULL, &ctf, 1), TESS_EARG, "frequency is NULL");
    CHECK_FAILS(tess_ctf_frequency_at(&f, NULL, 1), TESS_EARG, "ctf is NULL");
}

TEST(defocus_of_angles)
{
    tess_ctf ctf = usual;
    ctf.astigmatism = 0.2;
    ctf.angle = 0.3;
    CHECK(fabs(tess_ctf_defocus_at(&ctf, 0.3) - 1.7) < 1e-15);
    CHECK(fabs(tess_ctf_defocus_at(&ctf, 0.3 + pi / 2) - 1.3) < 1e-15);
}

/* The isotropic CTF has the same phase at the equivalent frequency. */
static void check_isotropic(tess_ctf ctf)
{
    const tess_ctf iso = tess_ctf_isotropic(&ctf);
    for (int i = 0; i < 200; i++) {
        const double fh = test_random_unit() * 0.35, fw = test_random_unit() * 0.35;
        const double f = tess_ctf_isotropic_frequency(&ctf, fh, fw);
        const double got = tess_ctf_phase_at(&iso, 0, f), want = tess_ctf_phase_at(&ctf, fh, fw);
        CHECK(fabs(got - want) < 1e-9 * (1 + fabs(want)));
        CHECK(fabs(f - hypot(fh, fw)) < 0.2 * hypot(fh, fw));
    }
}

TEST(isotropic_frequency_of_nothing)
{
    tess_ctf ctf = { .pixel_size = { 1.4 }, .astigmatism = 0.1, .cs = 2.7 };
    CHECK(tess_ctf_isotropic_frequency(&ctf, 0, 0) == 0);
}

/* noa divides by 0 for Cs = 0 and is valid for under-focus alone. */
TEST(noa_isotropic_frequency_divides_by_cs)
{
    tess_ctf ctf = usual;
    ctf.astigmatism = 0.1;
    ctf.angle = 0.4;
    check_isotropic(ctf);
    ctf.cs = 0;
    check_isotropic(ctf);
    ctf.defocus = -1.5;
    check_isotropic(ctf);
    ctf.cs = 2.7;
    check_isotropic(ctf);
    ctf.tetrafoil = 0.3;
    ctf.tetrafoil_angle = 0.2;
    check_isotropic(ctf);
    CHECK(fabs(tess_ctf_isotropic_frequency(&usual, 0.3, 0.4) - 0.5) < 1e-14);
    ctf = usual; /* beyond the extremum of the phase */
    ctf.defocus = 0.1;
    CHECK(fabs(tess_ctf_isotropic_frequency(&ctf, 0.3, 0.3) - hypot(0.3, 0.3)) < 1e-13);
}

/* Where the isotropic CTF never has the phase there is no frequency: in a direction of the other sign of defocus, and
 * beyond the turning point of the phase. */
TEST(isotropic_frequencies_that_do_not_exist)
{
    tess_ctf ctf = usual;
    ctf.defocus = 0.1, ctf.astigmatism = 0.3, ctf.cs = 0;
    CHECK(isnan(tess_ctf_isotropic_frequency(&ctf, 0.2, 0))); /* a defocus of -0.2, so phases above 0 */
    CHECK(fabs(tess_ctf_isotropic_frequency(&ctf, 0, 0.2) - 0.4) < 1e-14);
    ctf.defocus = 0.1, ctf.astigmatism = 0.05, ctf.cs = 2.7;
    const double   quartic = 0.5e7 * 2.7 * pow(tess_ctf_wavelength(300), 2); /* of r^4, where r^2 has -1e4 defocus */
    const double   turning = sqrt(1e4 * 0.15 / (2 * quartic)) * 1.4;         /* where the phase is least along w */
    const tess_ctf isotropic = tess_ctf_isotropic(&ctf);
    CHECK(turning < 0.7 && isnan(tess_ctf_isotropic_frequency(&ctf, 0, turning)));
    const double f = tess_ctf_isotropic_frequency(&ctf, 0, 0.3 * turning);
    CHECK(fabs(tess_ctf_phase_at(&isotropic, 0, f) - tess_ctf_phase_at(&ctf, 0, 0.3 * turning)) < 1e-10);
    for (int i = 1; i < 400; i++) { /* without astigmatism each frequency is its own, at the turning point too */
        const double at = (double)i / 400;
        CHECK(fabs(tess_ctf_isotropic_frequency(&isotropic, 0, at) - at) < 1e-6);
    }
}

/* noa keeps the constant of an older Cs. */
TEST(noa_changed_cs_is_not_taken)
{
    tess_ctf     ctf = usual;
    const double before = tess_ctf_phase_at(&ctf, 0, 0.4);
    ctf.cs = 0;
    const double l = tess_ctf_wavelength(300), r = 0.4 / 1.4;
    CHECK(fabs(before - tess_ctf_phase_at(&ctf, 0, 0.4) - pi / 2 * 2.7e7 * l * l * l * r * r * r * r) < 1e-10);
}

/* Where half a spectrum cannot tell -n/2 from n/2, values are those of the layout asked for, not of a remap. */
TEST(nyquist_of_the_layout_asked_for)
{
    tess_array out = { .data = NULL };
    tess_ctf   ctf = usual;
    ctf.astigmatism = 0.3;
    ctf.angle = 0.5;
    const tess_shape shape = TESS_SHAPE(1, 1, 6, 8);
    CHECK_OK(tess_empty(&out, shape, TESS_F64, tess_cpu()));
    CHECK_OK(tess_ctf_image(&out, shape, &ctf, &(tess_ctf_opts){ .to = TESS_FFT_F }));
    CHECK(fabs(((double *)out.data)[8 + 4] - tess_ctf_value_at(&ctf, 1 / 6.0, -0.5)) < 1e-12);
    tess_release(&out);
    CHECK_OK(tess_empty(&out, TESS_SHAPE(1, 1, 6, 5), TESS_F64, tess_cpu()));
    CHECK_OK(tess_ctf_image(&out, shape, &ctf, NULL));
    CHECK(fabs(((double *)out.data)[5 + 4] - tess_ctf_value_at(&ctf, 1 / 6.0, 0.5)) < 1e-12);
    tess_release(&out);
}

TEST(an_image_is_made_in_its_layout)
{
    tess_array       out = { .data = NULL };
    tess_ctf         ctf = usual;
    const tess_shape shape = TESS_SHAPE(2, 1, 6, 8);
    CHECK_OK(tess_ctf_image(&out, shape, &ctf, NULL));
    CHECK(out.dtype == TESS_F32 && out.shape.b == 2 && out.shape.h == 6 && out.shape.w == 5);
    CHECK(fabs((double)((float *)out.data)[2] - tess_ctf_value_at(&ctf, 0, 0.25)) < 1e-6);
    tess_release(&out);
    ctf.tilt[0] = 1;
    CHECK_OK(tess_ctf_image(&out, shape, &ctf, &(tess_ctf_opts){ .to = TESS_FFT_FC }));
    CHECK(out.dtype == TESS_C32 && out.shape.w == 8);
    tess_release(&out);
    ctf.voltage = -1;
    CHECK_FAILS(tess_ctf_image(&out, shape, &ctf, NULL), TESS_ERANGE, "ctf_image: ctf->voltage is -1");
    CHECK(out.data == NULL);
}

/* Beam tilt and trefoil turn, and flipping turns back. */
TEST(flipping_undoes_odd_phases)
{
    tess_array in = { .data = NULL }, seen = { .data = NULL }, back = { .data = NULL };
    tess_ctf   ctf = usual;
    ctf.tilt[0] = 0.4;
    ctf.trefoil = 0.2;
    const tess_shape shape = TESS_SHAPE(1, 1, 16, 16);
    CHECK_OK(tess_ones(&in, TESS_SHAPE(1, 1, 16, 9), TESS_C64, tess_cpu()));
    CHECK_OK(tess_ctf_apply(&seen, &in, shape, &ctf, NULL));
    CHECK_OK(tess_ctf_flip(&back, &seen, shape, &ctf, NULL));
    const double *z = back.data, *s = seen.data;
    double        turned = 0;
    for (int64_t i = 0; i < 16 * 9; i++) {
        CHECK(fabs(z[2 * i + 1]) < 1e-12 && z[2 * i] >= 0);
        turned = fmax(turned, fabs(s[2 * i + 1]));
    }
    CHECK(turned > 0.1);
    tess_release(&in);
    tess_release(&seen);
    tess_release(&back);
}

TEST(bad_arguments)
{
    tess_array       in = { .data = NULL }, out = { .data = NULL }, real = { .data = NULL };
    const tess_shape shape = TESS_SHAPE(1, 1, 8, 8);
    tess_ctf         ctf = usual;
    CHECK_OK(tess_ones(&in, TESS_SHAPE(1, 1, 8, 5), TESS_C32, tess_cpu()));
    CHECK_OK(tess_ones(&real, TESS_SHAPE(1, 1, 8, 5), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_ctf_apply(&out, &in, shape, NULL, NULL), TESS_EARG, "ctf_apply: ctf is NULL");
    ctf.pixel_size[0] = 0;
    CHECK_FAILS(tess_ctf_apply(&out, &in, shape, &ctf, NULL), TESS_ERANGE, "ctf_apply: ctf->pixel_size[0] is 0");
    ctf = usual, ctf.pixel_size[1] = -1;
    CHECK_FAILS(tess_ctf_apply(&out, &in, shape, &ctf, NULL), TESS_ERANGE, "ctf_apply: ctf->pixel_size[1] is -1");
    ctf = usual, ctf.amplitude = 1;
    CHECK_FAILS(tess_ctf_flip(&out, &in, shape, &ctf, NULL), TESS_ERANGE, "ctf_flip: ctf->amplitude is 1");
    ctf = usual, ctf.voltage = -1;
    CHECK_FAILS(tess_ctf_flip(&out, &in, shape, &ctf, NULL), TESS_ERANGE, "ctf_flip: ctf->voltage is -1");
    ctf = usual, ctf.defocus = NAN;
    CHECK_FAILS(tess_ctf_apply(&out, &in, shape, &ctf, NULL), TESS_ERANGE, "ctf_apply: ctf->defocus is nan", "finite");
    CHECK_FAILS(tess_ctf_wiener(&out, &in, shape, &usual, 0, NULL), TESS_ERANGE, "ctf_wiener: snr is 0");
    CHECK_FAILS(tess_ctf_apply(&out, &in, shape, &usual, &(tess_ctf_opts){ .abs = 1, .squared = 1 }), TESS_EARG,
                "ctf_apply: opts->abs and opts->squared are both 1");
    CHECK_FAILS(tess_ctf_flip(&out, &in, shape, &usual, &(tess_ctf_opts){ .abs = 1 }), TESS_EARG,
                "ctf_flip: opts->abs is 1; it must be 0");
    ctf = usual, ctf.tilt[1] = 1;
    CHECK_FAILS(tess_ctf_apply(&out, &real, shape, &ctf, NULL), TESS_EDTYPE, "ctf_apply: in is f32", "complex type");
    CHECK_OK(tess_ctf_apply(&out, &real, shape, &ctf, &(tess_ctf_opts){ .squared = 1 }));
    tess_release(&out);
    ctf = usual, ctf.astigmatism = 0.1;
    CHECK_FAILS(tess_ctf_image(&real, TESS_SHAPE(1, 8, 8, 8), &ctf, NULL), TESS_ESHAPE, "are for images, with d = 1");
    CHECK_FAILS(tess_ctf_apply(&out, &in, shape, NULL, &(tess_ctf_opts){ .parameters = &real }), TESS_ESHAPE,
                "ctf_apply: opts->parameters has shape {1,1,8,5}", "m from 8 to 17");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&real);
}

/* ---- A CTF for each batch ---- */

/* Rows are checked as a single CTF is, and the message says which it was. */
TEST(bad_rows)
{
    static const struct {
        int         column;
        double      value;
        const char *message;
    } bad[] = {
        { 0, 0, "ctf_apply: row 1 of opts->parameters: pixel_size[0] is 0 angstrom; it must be above 0" },
        { 1, -1, "row 1 of opts->parameters: pixel_size[1] is -1" },
        { 2, (double)NAN, "row 1 of opts->parameters: defocus is nan; a finite number" },
        { 5, -300, "row 1 of opts->parameters: voltage is -300 kilovolt; it must be above 0" },
        { 6, 1, "row 1 of opts->parameters: amplitude is 1; it must be at least 0 and below 1" },
    };
    tess_array       in = { .data = NULL }, out = { .data = NULL }, rows = { .data = NULL };
    const tess_shape shape = TESS_SHAPE(2, 1, 8, 8);
    CHECK_OK(tess_ones(&in, TESS_SHAPE(2, 1, 8, 5), TESS_C32, tess_cpu()));
    CHECK_OK(tess_empty(&rows, TESS_SHAPE(2, 1, 1, 17), TESS_F64, tess_cpu()));
    for (int k = 0; k < 5; k++) {
        for (int b = 0; b < 2; b++) memcpy((tess_ctf *)rows.data + b, &usual, sizeof usual);
        ((double *)rows.data)[17 + bad[k].column] = bad[k].value;
        CHECK_FAILS(tess_ctf_apply(&out, &in, shape, NULL, &(tess_ctf_opts){ .parameters = &rows }), TESS_ERANGE,
                    bad[k].message);
        CHECK(out.data == NULL);
    }
    tess_release(&in);
    tess_release(&rows);
}

TEST(rows_with_astigmatism_are_for_images)
{
    tess_array       out = { .data = NULL }, rows = { .data = NULL };
    const tess_shape shape = TESS_SHAPE(1, 4, 4, 4);
    CHECK_OK(tess_empty(&out, TESS_SHAPE(1, 4, 4, 3), TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&rows, TESS_SHAPE(1, 1, 1, 17), TESS_F64, tess_cpu()));
    memcpy(rows.data, &usual, sizeof usual);
    const tess_ctf_opts opts = { .parameters = &rows };
    CHECK_OK(tess_ctf_image(&out, shape, NULL, &opts)); /* 17 columns, but nothing that makes values complex */
    ((tess_ctf *)rows.data)->astigmatism = 0.1;
    CHECK_FAILS(tess_ctf_image(&out, shape, NULL, &opts), TESS_ESHAPE,
                "ctf_image: row 0 of opts->parameters is for {1,4,4,4}; astigmatism");
    ((tess_ctf *)rows.data)->astigmatism = 0;
    ((tess_ctf *)rows.data)->trefoil = 0.1;
    CHECK_FAILS(tess_ctf_image(&out, TESS_SHAPE(1, 1, 16, 4), NULL, &opts), TESS_EDTYPE, "ctf_image: out is f32",
                "complex");
    tess_release(&out);
    tess_release(&rows);
}

/* 1 / snr is 0 in f32 from 1e45 on: at a zero of the CTF that was 0 / 0. */
TEST(wiener_of_a_huge_snr)
{
    for (int wide = 0; wide < 2; wide++) {
        tess_array in = { .data = NULL }, out = { .data = NULL };
        tess_ctf   ctf = { .pixel_size = { 1 }, .voltage = 300 }; /* 0 at all frequencies */
        CHECK_OK(tess_ones(&in, TESS_SHAPE(1, 1, 8, 5), wide ? TESS_F64 : TESS_F32, tess_cpu()));
        CHECK_OK(tess_ctf_wiener(&out, &in, TESS_SHAPE(1, 1, 8, 8), &ctf, 1e300, NULL));
        for (int i = 0; i < 8; i++) CHECK(value_at(&out, 0, 0, i, i % 5) == 0);
        ctf.amplitude = 0.5;
        CHECK_OK(tess_ctf_wiener(&out, &in, TESS_SHAPE(1, 1, 8, 8), &ctf, 1e300, NULL));
        CHECK(fabs(value_at(&out, 0, 0, 3, 3) - 2) < 1e-6);
        tess_release(&in);
        tess_release(&out);
    }
}

/* ---- Forms ---- */

TEST(forms_of_the_parameters)
{
    tess_ctf ctf = usual;
    ctf.pixel_size[1] = 1.8;
    ctf.tilt[1] = 1;
    tess_ctf_set_defoci(&ctf, 1.7, 1.3, 0.3);
    CHECK(fabs(ctf.defocus - 1.5) < 1e-15 && fabs(ctf.astigmatism - 0.2) < 1e-15 && ctf.angle == 0.3);
    tess_ctf_set_defoci(&ctf, 1.3, 1.7, 0.3);
    CHECK(fabs(ctf.astigmatism - 0.2) < 1e-15);
    CHECK(fabs(tess_ctf_defocus_at(&ctf, 0.3) - 1.3) < 1e-15);
    const tess_ctf isotropic = tess_ctf_isotropic(&ctf);
    CHECK(fabs(isotropic.pixel_size[0] - 1.6) < 1e-15 && isotropic.pixel_size[1] == isotropic.pixel_size[0]);
    CHECK(isotropic.astigmatism == 0 && isotropic.tilt[1] == 0 && isotropic.cs == 2.7);
    CHECK(fabs(tess_ctf_phase_at(&isotropic, 0, tess_ctf_isotropic_frequency(&ctf, 0.1, 0.2)) -
               tess_ctf_phase_at(&ctf, 0.1, 0.2)) < 1e-9);
    CHECK(tess_ctf_isotropic(&usual).pixel_size[0] == 1.4);
}

TEST(constants_give_the_wavelength)
{
    const double energy = 3e5 * TESS_ELEMENTARY_CHARGE, c = TESS_SPEED_OF_LIGHT;
    const double wavelength = 1e10 * TESS_PLANCK * c / sqrt(energy * (2 * TESS_ELECTRON_MASS * c * c + energy));
    CHECK(fabs(wavelength / tess_ctf_wavelength(300) - 1) < 1e-14);
}

/* Single values by their descriptions: as the functions, but for checks. */
TEST(described_values)
{
    double           numbers[17], got = 0;
    tess_ctf         ctf = usual;
    const tess_value angle = { .f64 = 0.3 }, phase = { .f64 = -pi }, fh = { .f64 = 0.1 }, fw = { .f64 = 0.2 };
    ctf.astigmatism = 0.2;
    ctf.bfactor = -10;
    ctf.tilt[0] = 1;
    memcpy(numbers, &ctf, sizeof numbers);
    const tess_value of_ctf = { .structure = numbers }, result = { .result = &got };
    const tess_value at[] = { result, of_ctf, fh, fw };
    CHECK_OK(tess_function_call(tess_function_find("ctf_phase_at"), at, NULL));
    CHECK(got == tess_ctf_phase_at(&ctf, 0.1, 0.2));
    CHECK_OK(tess_function_call(tess_function_find("ctf_value_at"), at, NULL));
    CHECK(got == tess_ctf_value_at(&ctf, 0.1, 0.2));
    CHECK_OK(tess_function_call(tess_function_find("ctf_envelope_at"), at, NULL));
    CHECK(got == tess_ctf_envelope_at(&ctf, 0.1, 0.2));
    CHECK_OK(tess_function_call(tess_function_find("ctf_odd_phase_at"), at, NULL));
    CHECK(got == tess_ctf_odd_phase_at(&ctf, 0.1, 0.2));
    CHECK_OK(tess_function_call(tess_function_find("ctf_isotropic_frequency"), at, NULL));
    CHECK(got == tess_ctf_isotropic_frequency(&ctf, 0.1, 0.2));
    CHECK_OK(tess_function_call(tess_function_find("ctf_defocus_at"), (tess_value[]){ result, of_ctf, angle }, NULL));
    CHECK(got == tess_ctf_defocus_at(&ctf, 0.3));
    CHECK_OK(tess_function_call(tess_function_find("ctf_frequency_at"), (tess_value[]){ result, of_ctf, phase }, NULL));
    CHECK(fabs(tess_ctf_phase_at(&usual, 0, got) + pi) < 1e-9);
    numbers[5] = -1;
    CHECK_FAILS(tess_function_call(tess_function_find("ctf_value_at"), at, NULL), TESS_ERANGE,
                "ctf_value_at: ctf->voltage is -1");
    CHECK_FAILS(
        tess_function_call(tess_function_find("ctf_frequency_at"), (tess_value[]){ result, of_ctf, phase }, NULL),
        TESS_ERANGE, "ctf_frequency_at: ctf->voltage is -1");
}
