/* Masks in Fourier space: removes the missing wedge of a tilt series from a volume, and stripes from an image. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

enum { SIZE = 48 };

/* White noise has as much variance as the part of its frequencies that a mask keeps. */
static tess_status tilt(double degrees)
{
    const double limit = degrees / 45 * atan(1);
    tess_array   volume = { 0 }, measured = { 0 };
    double       kept;
    TESS_TRY(tess_empty(&volume, TESS_SHAPE(1, SIZE, SIZE, SIZE), TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&volume, 0, 1, 1, NULL));
    TESS_TRY(tess_fourier_wedge_image(&measured, &volume, -limit, limit, NULL));
    TESS_TRY(tess_host_var(&kept, &measured, NULL));
    printf("tilts up to %.0f degrees keep %.2f of the variance\n", degrees, kept);
    tess_release(&volume);
    tess_release(&measured);
    return TESS_OK;
}

/* Stripes along h are frequencies on the w axis; what is low there belongs to the image. */
static tess_status remove_stripes(void)
{
    const tess_fourier_cross_opts o = { .axes = TESS_W, .invert = 1, .keep = 0.05 };
    tess_array                    image = { 0 }, stripes = { 0 };
    double                        before, after;
    TESS_TRY(tess_empty(&image, TESS_SHAPE(1, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&image, 0, 1, 1, NULL));
    TESS_TRY(tess_empty(&stripes, TESS_SHAPE(1, 1, 1, SIZE), TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&stripes, 0, 2, 2, NULL));
    TESS_TRY(tess_add(&image, &image, &stripes));
    TESS_TRY(tess_host_var(&before, &image, NULL));
    TESS_TRY(tess_fourier_cross_image(&image, &image, 0, &o));
    TESS_TRY(tess_host_var(&after, &image, NULL));
    printf("stripes: variance %.1f to %.1f\n", before, after);
    tess_release(&image);
    tess_release(&stripes);
    return TESS_OK;
}

int main(void)
{
    if (tilt(45) == TESS_OK && tilt(60) == TESS_OK && remove_stripes() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
