/* The pictures of the guides, stacks of images: layouts of a spectrum, filters of a micrograph, hot pixels, the shift
 * between two images, the missing wedge. Given a folder, each stack is written there as an MRC file. */
#include <math.h>
#include <stdio.h>

#include "guide_stacks.h"

enum { MICROGRAPH = 108, BOX = 64, VOLUME = 64 };

static const char *folder;

/* The frequency of each coefficient in the layouts h, hc, f and fc. What half a spectrum does not have is NaN. */
static tess_status layouts(void)
{
    const tess_shape      shape = TESS_SHAPE(1, 1, BOX, BOX);
    const tess_fft_layout layout[] = { TESS_FFT_H, TESS_FFT_HC, TESS_FFT_F, TESS_FFT_FC };
    tess_array            stack = { 0 };
    TESS_TRY(tess_full(&stack, TESS_SHAPE(4, 1, BOX, BOX), TESS_F32, tess_cpu(), NAN));
    for (int i = 0; i < 4; i++) {
        tess_array image, part = { 0 };
        TESS_TRY(image_of(&image, &stack, i));
        TESS_TRY(tess_slice(&part, &image, 3, 0, i < 2 ? BOX / 2 + 1 : BOX, 1));
        TESS_TRY(tess_fft_frequencies(&part, shape, &(tess_fft_frequencies_opts){ .layout = (int32_t)layout[i] }));
    }
    return finish(folder, "layouts", &stack);
}

/* Dark discs in no order, with noise, on ice that is thicker in the middle. */
static tess_status micrograph(tess_array *image)
{
    TESS_TRY(tess_random_normal(image, 0, 1, 1, NULL));
    float *x = image->data;
    for (int k = 0; k < 12; k++) {
        const int h0 = (k * 37 + 13) % MICROGRAPH, w0 = (k * k * 53 + k * 7 + 17) % MICROGRAPH;
        for (int h = 0; h < MICROGRAPH; h++)
            for (int w = 0; w < MICROGRAPH; w++)
                if (hypot(h - h0, w - w0) < 7) x[h * MICROGRAPH + w] -= 1.2f;
    }
    for (int i = 0; i < MICROGRAPH * MICROGRAPH; i++)
        x[i] += 1.5f * cosf(6.2831853f * (float)(i % MICROGRAPH) / MICROGRAPH);
    return TESS_OK;
}

/* As recorded; low-pass; high-pass. */
static tess_status filters(void)
{
    tess_array stack = { 0 }, image, low, high;
    TESS_TRY(tess_empty(&stack, TESS_SHAPE(3, 1, MICROGRAPH, MICROGRAPH), TESS_F32, tess_cpu()));
    TESS_TRY(image_of(&image, &stack, 0));
    TESS_TRY(image_of(&low, &stack, 1));
    TESS_TRY(image_of(&high, &stack, 2));
    TESS_TRY(micrograph(&image));
    TESS_TRY(tess_lowpass_image(&low, &image, 0.06, &(tess_lowpass_opts){ .width = 0.03 }));
    TESS_TRY(tess_highpass_image(&high, &image, 0.03, &(tess_highpass_opts){ .width = 0.02 }));
    return finish(folder, "filters", &stack);
}

/* As recorded; without outliers; a median filter, which takes the noise too. */
static tess_status outliers(void)
{
    tess_array stack = { 0 }, image, clean, median;
    TESS_TRY(tess_empty(&stack, TESS_SHAPE(3, 1, MICROGRAPH, MICROGRAPH), TESS_F32, tess_cpu()));
    TESS_TRY(image_of(&image, &stack, 0));
    TESS_TRY(image_of(&clean, &stack, 1));
    TESS_TRY(image_of(&median, &stack, 2));
    TESS_TRY(micrograph(&image));
    for (int64_t i = 0; i < 40; i++)
        TESS_TRY(tess_set_f64(&image, 0, 0, i * 37 % MICROGRAPH, i * i * 11 % MICROGRAPH, i % 2 ? 40 : -40));
    TESS_TRY(tess_remove_outliers(&clean, &image, 5, NULL));
    TESS_TRY(
        tess_median_filter(&median, &clean, TESS_SHAPE(1, 1, 5, 5), &(tess_rank_opts){ .border = TESS_BORDER_MIRROR }));
    return finish(folder, "outliers", &stack);
}

/* An F that begins at row h0 and column w0. */
static void letter(float *x, int h0, int w0)
{
    for (int h = 0; h < 20; h++)
        for (int w = 0; w < 12; w++)
            if (w < 4 || h >= 16 || (h >= 8 && h < 12 && w < 9)) x[(h0 + h) * BOX + w0 + w] = 1;
}

/* A cross around lag 0 of a centred map. */
static tess_status mark_centre(tess_array *map)
{
    double most;
    TESS_TRY(tess_host_max(&most, map));
    for (int64_t i = -3; i <= 3; i++) {
        TESS_TRY(tess_set_f64(map, 0, 0, BOX / 2 + i, BOX / 2, most));
        TESS_TRY(tess_set_f64(map, 0, 0, BOX / 2, BOX / 2 + i, most));
    }
    return TESS_OK;
}

/* First and second image, their map, and the second moved by the shift that the peak says. */
static tess_status shift(void)
{
    tess_array stack = { 0 }, lhs, rhs, map, moved, shifts = { 0 };
    double     h, w;
    TESS_TRY(tess_zeros(&stack, TESS_SHAPE(4, 1, BOX, BOX), TESS_F32, tess_cpu()));
    TESS_TRY(image_of(&lhs, &stack, 0));
    TESS_TRY(image_of(&rhs, &stack, 1));
    TESS_TRY(image_of(&map, &stack, 2));
    TESS_TRY(image_of(&moved, &stack, 3));
    letter(lhs.data, 30, 34);
    letter(rhs.data, 12, 10);
    TESS_TRY(tess_correlate(&map, &lhs, &rhs, &(tess_correlate_opts){ .centred = 1 }));
    TESS_TRY(tess_correlate_peak(&shifts, NULL, &map, &(tess_correlate_peak_opts){ .centred = 1 }));
    TESS_TRY(tess_get_f64(&h, &shifts, 0, 0, 0, 0));
    TESS_TRY(tess_get_f64(&w, &shifts, 0, 0, 0, 1));
    printf("shift of the second onto the first: h %+.2f, w %+.2f\n", h, w);
    TESS_TRY(tess_phase_shift_image(&moved, &rhs, &shifts, NULL));
    TESS_TRY(mark_centre(&map));
    tess_release(&shifts);
    return finish(folder, "shift", &stack);
}

/* A hollow ball with a rod along h in it. */
static void ball(float *x)
{
    for (int d = 0; d < VOLUME; d++)
        for (int h = 0; h < VOLUME; h++)
            for (int w = 0; w < VOLUME; w++) {
                const double z = d - VOLUME / 2, y = h - VOLUME / 2, r = hypot(hypot(z, y), w - VOLUME / 2);
                *x++ = (r > 16.5 && r < 20.5) || hypot(z, w - VOLUME / 2 - 5) < 3;
            }
}

/* The plane of d and w through the middle of a volume, as an image. */
static tess_status middle(tess_array *image, const tess_array *volume)
{
    tess_array plane = { 0 };
    TESS_TRY(tess_slice(&plane, volume, 2, VOLUME / 2, VOLUME / 2 + 1, 1));
    TESS_TRY(tess_permute(&plane, &plane, 0, 2, 1, 3));
    return tess_copy(image, &plane);
}

/* The mask of a tilt series up to 60 degrees, a volume, and what the series has of it. */
static tess_status wedge(void)
{
    const double limit = 4 * atan(1) / 3;
    tess_array   stack = { 0 }, volume = { 0 }, image;
    TESS_TRY(tess_empty(&stack, TESS_SHAPE(3, 1, VOLUME, VOLUME), TESS_F32, tess_cpu()));
    TESS_TRY(tess_empty(&volume, TESS_SHAPE(1, VOLUME, VOLUME, VOLUME), TESS_F32, tess_cpu()));
    TESS_TRY(tess_fourier_wedge(&volume, NULL, volume.shape, -limit, limit,
                                &(tess_fourier_wedge_opts){ .to = TESS_FFT_FC, .from = TESS_FFT_FC }));
    TESS_TRY(image_of(&image, &stack, 0));
    TESS_TRY(middle(&image, &volume));
    ball(volume.data);
    TESS_TRY(image_of(&image, &stack, 1));
    TESS_TRY(middle(&image, &volume));
    TESS_TRY(tess_fourier_wedge_image(&volume, &volume, -limit, limit, NULL));
    TESS_TRY(image_of(&image, &stack, 2));
    TESS_TRY(middle(&image, &volume));
    tess_release(&volume);
    return finish(folder, "wedge", &stack);
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : NULL;
    if (layouts() == TESS_OK && filters() == TESS_OK && outliers() == TESS_OK && shift() == TESS_OK &&
        wedge() == TESS_OK)
        return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
