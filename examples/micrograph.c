/* Prepares a micrograph for a CTF fit, and a particle cut out of it: soft edges, an averaged power spectrum, a
 * background of mean 0 and standard deviation 1, a standardised spectrum. */
#include <stdio.h>

#include "tessera.h"

enum { SIZE = 512, PATCH = 128, BOX = 64 };

/* Noise that lies around a wave of 0.125 cycles per pixel, as a ring of the CTF would. */
static tess_status make_micrograph(tess_array *image)
{
    tess_op   *wave = NULL;
    tess_array noise = { 0 };
    TESS_TRY(tess_empty(&noise, TESS_SHAPE(1, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&noise, 100, 2, 1, NULL));
    TESS_TRY(tess_op_text(&wave, "op wave(in f32 x, out f32 z) { z = x + (f32)cos(2*pi*0.125*w); }"));
    TESS_TRY(tess_call(wave, &noise, image));
    tess_op_release(wave);
    tess_release(&noise);
    return TESS_OK;
}

/* The frequency of most power, of the mean of |FFT|^2 over 49 patches that overlap by half. */
static tess_status find_ring(double *frequency, const tess_array *image)
{
    const tess_average_power_opts opts = { .window = TESS_POWER_WINDOW_HANN };
    tess_array                    power = { 0 };
    int64_t                       at[4];
    TESS_TRY(tess_average_power(&power, image, TESS_SHAPE(1, 1, PATCH, PATCH), &opts));
    TESS_TRY(tess_host_argmax(at, NULL, &power));
    TESS_TRY(tess_fft_frequency(frequency, TESS_FFT_H, 3, PATCH, at[3]));
    tess_release(&power);
    return TESS_OK;
}

/* Mean and deviation of a box whose background, outside a circle, was brought to 0 and 1; and of its standardised
 * spectrum, transformed back. */
static tess_status scale_particle(double numbers[4], const tess_array *image)
{
    tess_array box = { 0 }, corner, spectrum = { 0 }, back = { 0 };
    TESS_TRY(tess_subregion_text(&corner, image, "..., 100:164, 200:264"));
    TESS_TRY(tess_normalize_background(&box, &corner, BOX / 2 - 4, NULL));
    TESS_TRY(tess_host_mean_std(&numbers[0], &numbers[1], &box, NULL));
    TESS_TRY(tess_taper_radial(&box, &box, BOX / 2 - 8, &(tess_taper_radial_opts){ .width = 6 }));
    TESS_TRY(tess_fft_r2c(&spectrum, &box, NULL));
    TESS_TRY(tess_standardize(&spectrum, &spectrum, box.shape, NULL));
    TESS_TRY(tess_fft_c2r(&back, &spectrum, box.shape, NULL));
    TESS_TRY(tess_host_mean_std(&numbers[2], &numbers[3], &back, NULL));
    tess_release(&box);
    tess_release(&spectrum);
    tess_release(&back);
    return TESS_OK;
}

static tess_status run(bool *good)
{
    tess_array image = { 0 }, soft = { 0 };
    double     ring, corner, numbers[4];
    TESS_TRY(make_micrograph(&image));
    TESS_TRY(find_ring(&ring, &image));
    TESS_TRY(tess_taper(&soft, &image, &(tess_taper_opts){ .width_h = 32, .width_w = 32, .mean = 1 }));
    TESS_TRY(tess_get_f64(&corner, &soft, 0, 0, 0, 0));
    TESS_TRY(scale_particle(numbers, &image));
    const bool scaled = numbers[2] < 1e-6 && numbers[2] > -1e-6 && numbers[3] < 1 + 1e-6 && numbers[3] > 1 - 1e-6;
    printf("most power at %.3f cycles per pixel\n", ring);
    printf("the corner has faded to the mean: %.1f\n", corner);
    printf("deviation of the box, whose background has 1: %.1f\n", numbers[1]);
    printf("standardised, mean 0 and deviation 1: %s\n", scaled ? "yes" : "no");
    *good = scaled && ring == 0.125 && corner > 99.9 && corner < 100.1 && numbers[1] > 0.8 && numbers[1] < 1.2;
    tess_release(&image);
    tess_release(&soft);
    return TESS_OK;
}

int main(void)
{
    bool good = false;
    if (run(&good) != TESS_OK) fputs(tess_error_trace(), stderr);
    return !good;
}
