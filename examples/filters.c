/* Filters: low-pass filters noisy images in one call, and flips the phases of a CTF. */
#include <stdio.h>

#include "tessera.h"

enum { SIZE = 128, PARTICLES = 4 };

static tess_status variance_of(double *variance, const tess_array *a)
{
    TESS_TRY(tess_host_var(variance, a, NULL));
    return TESS_OK;
}

/* Removes everything finer than 20 angstrom from white noise. */
static tess_status smooth(const tess_array *images)
{
    const double cutoff = tess_resolution_to_frequency(20, 1.4);
    tess_array   low = { 0 };
    double       before, after;
    TESS_TRY(tess_lowpass_image(&low, images, cutoff, &(tess_lowpass_opts){ .width = 0.02 }));
    TESS_TRY(variance_of(&before, images));
    TESS_TRY(variance_of(&after, &low));
    printf("low-pass at %.3f cycles per pixel: variance %.3f to %.3f\n", cutoff, before, after);
    tess_release(&low);
    return TESS_OK;
}

/* Each particle has its own defocus. */
static tess_status flip(const tess_array *images)
{
    tess_array flipped = { 0 }, ctfs = { 0 };
    TESS_TRY(tess_empty(&ctfs, TESS_SHAPE(PARTICLES, 1, 1, 8), TESS_F64, tess_cpu()));
    for (int b = 0; b < PARTICLES; b++) {
        const tess_ctf ctf = {
            .pixel_size = { 1.4, 1.4 }, .defocus = 1 + 0.25 * b, .voltage = 300, .amplitude = 0.1, .cs = 2.7
        };
        double zero;
        for (int k = 0; k < 8; k++) ((double *)ctfs.data)[8 * b + k] = (&ctf.pixel_size[0])[k];
        TESS_TRY(tess_ctf_frequency_at(&zero, &ctf, -TESS_PI));
        printf("defocus %.2f um: first zero at %.4f, %.1f angstrom\n", ctf.defocus, zero,
               tess_frequency_to_resolution(zero, 1.4));
    }
    TESS_TRY(tess_ctf_flip_image(&flipped, images, NULL, &(tess_ctf_opts){ .parameters = &ctfs }));
    tess_release(&flipped);
    tess_release(&ctfs);
    return TESS_OK;
}

static tess_status run(void)
{
    tess_array images = { 0 };
    TESS_TRY(tess_empty(&images, TESS_SHAPE(PARTICLES, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&images, 0, 1, 1, NULL));
    TESS_TRY(smooth(&images));
    TESS_TRY(flip(&images));
    tess_release(&images);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
