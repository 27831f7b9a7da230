/* Spectra: finds the strongest frequency of an image, halves its size, and shifts it by a fraction of a pixel. */
#include <stdio.h>

#include "tessera.h"

enum { HEIGHT = 96, WIDTH = 128 };

/* Two waves, of 6 and 20 periods along the height, 10 and 30 along the width. */
static tess_status make_image(tess_array *image)
{
    tess_op *waves = NULL;
    TESS_TRY(tess_empty(image, TESS_SHAPE(1, 1, HEIGHT, WIDTH), TESS_F32, tess_cpu()));
    TESS_TRY(tess_op_text(&waves, "op waves(out f32 z) {"
                                  "  f64 y = (f64)h / size(2); f64 x = (f64)w / size(3);"
                                  "  z = (f32)(cos(2*pi*(6*y + 10*x)) + 0.25*cos(2*pi*(20*y - 30*x))); }"));
    TESS_TRY(tess_call(waves, image));
    tess_op_release(waves);
    return TESS_OK;
}

/* The position of the largest power, as frequencies: zero frequency is in the middle. */
static tess_status find_peak(const tess_array *spectrum, tess_shape shape, double *fy, double *fx)
{
    tess_array power = { 0 };
    int64_t    at[4];
    TESS_TRY(tess_fft_spectrum(&power, spectrum, shape, NULL)); /* |x|^2, half to full, centred */
    TESS_TRY(tess_host_argmax(at, NULL, &power));
    TESS_TRY(tess_fft_frequency(fy, TESS_FFT_FC, 2, shape.h, at[2]));
    TESS_TRY(tess_fft_frequency(fx, TESS_FFT_FC, 3, shape.w, at[3]));
    tess_release(&power);
    return TESS_OK;
}

/* The low frequencies alone, as an image of half the size with the same values where both have a pixel. */
static tess_status halve(tess_array *small, const tess_array *spectrum, tess_shape shape)
{
    const tess_shape half = TESS_SHAPE(1, 1, shape.h / 2, shape.w / 2);
    tess_array       low = { 0 };
    TESS_TRY(tess_fft_resize(&low, spectrum, shape, half,
                             &(tess_fft_resize_opts){ .norm = TESS_FFT_NORM_BACKWARD, .correct_nyquist = 1 }));
    TESS_TRY(tess_fft_c2r(small, &low, half, NULL));
    tess_release(&low);
    return TESS_OK;
}

/* Moved by `shifts`, and back by their opposite: the largest difference from the image. */
static tess_status move(double *difference, const tess_array *image, tess_array *spectrum)
{
    tess_array there = { 0 }, shifts = { 0 };
    TESS_TRY(tess_full(&shifts, TESS_SHAPE(1, 1, 1, 2), TESS_F32, tess_cpu(), 2.5));
    TESS_TRY(tess_fft_phase_shift(spectrum, spectrum, image->shape, &shifts, NULL));
    TESS_TRY(tess_neg(&shifts, &shifts));
    TESS_TRY(tess_fft_phase_shift(spectrum, spectrum, image->shape, &shifts, NULL));
    TESS_TRY(tess_fft_c2r(&there, spectrum, image->shape, NULL));
    TESS_TRY(tess_sub(&there, &there, image));
    TESS_TRY(tess_abs(&there, &there));
    TESS_TRY(tess_host_max(difference, &there));
    tess_release(&there);
    tess_release(&shifts);
    return TESS_OK;
}

static tess_status run(bool *good)
{
    tess_array image = { 0 }, spectrum = { 0 }, small = { 0 };
    double     fy = 0, fx = 0, difference = 1, here = 0, there = 1;
    TESS_TRY(make_image(&image));
    TESS_TRY(tess_fft_r2c(&spectrum, &image, NULL));
    TESS_TRY(find_peak(&spectrum, image.shape, &fy, &fx));
    printf("most power at %g and %g cycles per pixel\n", fy, fx);
    TESS_TRY(halve(&small, &spectrum, image.shape));
    TESS_TRY(tess_get_f64(&here, &image, 0, 0, 10, 20));
    TESS_TRY(tess_get_f64(&there, &small, 0, 0, 5, 10));
    printf("%d x %d becomes %d x %d: %.4f at (10, 20), %.4f at (5, 10)\n", WIDTH, HEIGHT, WIDTH / 2, HEIGHT / 2, here,
           there);
    TESS_TRY(move(&difference, &image, &spectrum));
    printf("moved by 2.5 pixels and back: differs by less than 1e-5: %s\n", difference < 1e-5 ? "yes" : "no");
    tess_release(&image);
    tess_release(&spectrum);
    tess_release(&small);
    const bool found = fy * fx == 6.0 / HEIGHT * (10.0 / WIDTH);
    *good = found && difference < 1e-5 && here - there < 1e-5 && there - here < 1e-5;
    return TESS_OK;
}

int main(void)
{
    bool good = false;
    if (run(&good) != TESS_OK) fputs(tess_error_trace(), stderr);
    return !good;
}
