/* Two noisy images of the same blobs, the second one shifted: finds the shift, the correlation before and after, and
 * the frequency up to which the images agree. */
#include <stdio.h>

#include "tessera.h"

/* Blobs, shifted by some pixels, with independent noise. */
static tess_status make_image(tess_array *image, const tess_array *moved_by, uint64_t seed)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 128, 128);
    tess_array       spectrum = { 0 }, noise = { 0 };
    TESS_TRY(tess_zeros(image, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(image, 0, 1, 7, NULL)); /* the same in both */
    TESS_TRY(tess_fft_r2c(&spectrum, image, NULL));
    tess_array radius = { 0 }, falloff = { 0 };
    TESS_TRY(tess_fft_frequencies(&radius, shape, NULL));
    TESS_TRY(tess_square(&radius, &radius));
    TESS_TRY(tess_mul(&radius, &radius, &tess_f64(-200)));
    TESS_TRY(tess_exp(&falloff, &radius));
    TESS_TRY(tess_mul(&spectrum, &spectrum, &falloff));
    TESS_TRY(tess_fft_phase_shift(&spectrum, &spectrum, shape, moved_by, NULL));
    TESS_TRY(tess_fft_c2r(image, &spectrum, shape, NULL));
    TESS_TRY(tess_normalize(image, image, 0, NULL));
    TESS_TRY(tess_like(&noise, image));
    TESS_TRY(tess_random_normal(&noise, 0, 0.5, seed, NULL));
    TESS_TRY(tess_add(image, image, &noise));
    tess_release(&spectrum);
    tess_release(&noise);
    tess_release(&radius);
    tess_release(&falloff);
    return TESS_OK;
}

/* The correlation coefficient, and the frequency up to which rings correlate by 0.143 or more. */
static tess_status compare(const char *when, const tess_array *lhs, const tess_array *rhs)
{
    tess_array l = { 0 }, r = { 0 }, score = { 0 }, frc = { 0 }, limit = { 0 };
    double     coefficient, frequency;
    TESS_TRY(tess_correlate_score(&score, lhs, rhs, &(tess_correlate_score_opts){ .centre = 1, .normalize = 1 }));
    TESS_TRY(tess_fft_r2c(&l, lhs, NULL));
    TESS_TRY(tess_fft_r2c(&r, rhs, NULL));
    TESS_TRY(tess_fsc(&frc, &l, &r, lhs->shape, NULL));
    TESS_TRY(tess_fsc_resolution(&limit, &frc, lhs->shape, NULL));
    TESS_TRY(tess_get_f64(&coefficient, &score, 0, 0, 0, 0));
    TESS_TRY(tess_get_f64(&frequency, &limit, 0, 0, 0, 0));
    printf("%s: correlation %.2f, agree up to %.3f cycles per pixel\n", when, coefficient, frequency);
    tess_release(&l);
    tess_release(&r);
    tess_release(&score);
    tess_release(&frc);
    tess_release(&limit);
    return TESS_OK;
}

static tess_status run(void)
{
    tess_array shift = { 0 }, none = { 0 }, lhs = { 0 }, rhs = { 0 }, map = { 0 }, found = { 0 }, spectrum = { 0 };
    double     y, x;
    TESS_TRY(tess_zeros(&none, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu()));
    TESS_TRY(tess_zeros(&shift, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu()));
    TESS_TRY(tess_set_f64(&shift, 0, 0, 0, 0, -5.5));
    TESS_TRY(tess_set_f64(&shift, 0, 0, 0, 1, 12.25));
    TESS_TRY(make_image(&lhs, &none, 1));
    TESS_TRY(make_image(&rhs, &shift, 2));
    TESS_TRY(compare("before", &lhs, &rhs));

    TESS_TRY(tess_correlate(&map, &lhs, &rhs, &(tess_correlate_opts){ .centred = 1 }));
    TESS_TRY(tess_correlate_peak(&found, NULL, &map, &(tess_correlate_peak_opts){ .centred = 1 }));
    TESS_TRY(tess_get_f64(&y, &found, 0, 0, 0, 0));
    TESS_TRY(tess_get_f64(&x, &found, 0, 0, 0, 1));
    printf("the second must be moved by (%.1f, %.1f) pixels\n", y, x);

    TESS_TRY(tess_fft_r2c(&spectrum, &rhs, NULL));
    TESS_TRY(tess_fft_phase_shift(&spectrum, &spectrum, rhs.shape, &found, NULL));
    TESS_TRY(tess_fft_c2r(&rhs, &spectrum, rhs.shape, NULL));
    TESS_TRY(compare("after", &lhs, &rhs));
    tess_array *all[] = { &shift, &none, &lhs, &rhs, &map, &found, &spectrum };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
