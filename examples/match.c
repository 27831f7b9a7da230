/* Orientations of noisy projections by projection matching: first a grid of all orientations, then smaller and smaller
 * steps. Compares them, and the resulting map, with the true orientations.
 *
 *     example_match [projections] [noise]
 *
 * The structure is some Gaussians without symmetry. The reference is the structure itself, low-passed. It fails if the
 * median error is above 3 degrees. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tessera.h"

enum { SIZE = 32, ATOMS = 60 };

/* Gaussians at random places in half a ball. */
static tess_status make_structure(tess_array *volume)
{
    tess_array atoms = { 0 };
    TESS_TRY(tess_empty(&atoms, TESS_SHAPE(1, 1, ATOMS, 3), TESS_F64, tess_cpu()));
    TESS_TRY(tess_random_uniform(&atoms, -6.5, 6.5, 3, NULL));
    TESS_TRY(tess_zeros(volume, TESS_SHAPE(1, SIZE, SIZE, SIZE), TESS_F32, tess_cpu()));
    const double(*p)[3] = (const double(*)[3])atoms.data;
    float *v = volume->data;
    for (int z = 0; z < SIZE; z++)
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++, v++)
                for (int i = 0; i < ATOMS; i++) {
                    const double dz = z - SIZE / 2 - fabs(p[i][0]), dy = y - SIZE / 2 - p[i][1],
                                 dx = x - SIZE / 2 - p[i][2];
                    *v += (float)exp(-(dz * dz + dy * dy + dx * dx) / 2);
                }
    tess_release(&atoms);
    return TESS_OK;
}

/* Projections at random orientations, shifted by up to two pixels, with noise given in standard deviations of the
 * projections. */
static tess_status make_images(tess_array *images, tess_array *truth, tess_array *moves, const tess_array *volume,
                               int64_t n, double noise)
{
    tess_array spectrum = { 0 }, random = { 0 };
    double     deviation;
    TESS_TRY(tess_empty(truth, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu()));
    TESS_TRY(tess_quat_random(truth, 11, NULL));
    TESS_TRY(tess_empty(moves, TESS_SHAPE(n, 1, 1, 2), TESS_F64, tess_cpu()));
    TESS_TRY(tess_random_uniform(moves, -2, 2, 12, NULL));
    TESS_TRY(tess_fourier_prepare(&spectrum, volume, NULL));
    TESS_TRY(tess_fourier_project(images, &spectrum, truth, &(tess_fourier_project_opts){ .shifts = moves }));
    TESS_TRY(tess_host_std(&deviation, images, NULL));
    TESS_TRY(tess_empty(&random, images->shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&random, 0, noise * deviation, 13, NULL));
    TESS_TRY(tess_add(images, images, &random));
    tess_release(&spectrum);
    tess_release(&random);
    return TESS_OK;
}

/* The median angle, in degrees, between found and true orientations. */
static tess_status median_error(double *degrees, const tess_array *found, const tess_array *truth)
{
    tess_array angles = { 0 }, median = { 0 };
    TESS_TRY(tess_quat_distance(&angles, found, truth, NULL));
    TESS_TRY(tess_median(&median, &angles, 0, NULL));
    TESS_TRY(tess_get_f64(degrees, &median, 0, 0, 0, 0));
    *degrees *= 180 / TESS_PI;
    tess_release(&angles);
    tess_release(&median);
    return TESS_OK;
}

/* Where the map of these orientations and the structure fall below a correlation of 0.5, in pixels. */
static tess_status resolution_of(double *pixels, const tess_array *images, const tess_array *rotations,
                                 const tess_array *shifts, const tess_array *volume)
{
    tess_array sums = { 0 }, weights = { 0 }, map = { 0 }, a = { 0 }, b = { 0 }, curve = { 0 }, at = { 0 };
    double     frequency;
    TESS_TRY(tess_fourier_backproject(&sums, &weights, images, rotations,
                                      &(tess_fourier_backproject_opts){ .shifts = shifts }));
    TESS_TRY(tess_fourier_reconstruct(&map, &sums, &weights, NULL));
    TESS_TRY(tess_fft_r2c(&a, &map, NULL));
    TESS_TRY(tess_fft_r2c(&b, volume, NULL));
    TESS_TRY(tess_fsc(&curve, &a, &b, volume->shape, NULL));
    TESS_TRY(tess_fsc_resolution(&at, &curve, volume->shape, &(tess_fsc_resolution_opts){ .threshold = 0.5 }));
    TESS_TRY(tess_get_f64(&frequency, &at, 0, 0, 0, 0));
    *pixels = 1 / frequency;
    tess_array *all[] = { &sums, &weights, &map, &a, &b, &curve, &at };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    return TESS_OK;
}

static tess_status run(double *error, int64_t n, double noise)
{
    tess_array volume = { 0 }, images = { 0 }, truth = { 0 }, moves = { 0 }, smooth = { 0 }, spectrum = { 0 },
               grid = { 0 }, found = { 0 }, shifts = { 0 }, scores = { 0 };
    double pixels[2];
    TESS_TRY(make_structure(&volume));
    TESS_TRY(make_images(&images, &truth, &moves, &volume, n, noise));
    TESS_TRY(tess_lowpass_image(&smooth, &volume, 0.3, &(tess_lowpass_opts){ .width = 0.05 }));
    TESS_TRY(tess_fourier_prepare(&spectrum, &smooth, NULL));
    TESS_TRY(tess_quat_grid(&grid, 0.25, NULL));
    TESS_TRY(tess_match_projections(
        &found, &shifts, &scores, &spectrum, &images, &grid,
        &(tess_match_projections_opts){ .high = 0.3, .radius = 2, .angle = 0.12, .halvings = 3 }));
    TESS_TRY(median_error(error, &found, &truth));
    TESS_TRY(tess_neg(&moves, &moves)); /* back to the middle */
    TESS_TRY(resolution_of(&pixels[0], &images, &found, &shifts, &volume));
    TESS_TRY(resolution_of(&pixels[1], &images, &truth, &moves, &volume));
    printf("%lld projections, %lld orientations: %.2f degrees from the truth at the median\n", (long long)n,
           (long long)grid.shape.b, *error);
    printf("FSC 0.5 with the structure: %.2f pixels, with the true orientations %.2f\n", pixels[0], pixels[1]);
    tess_array *all[] = { &volume, &images, &truth, &moves, &smooth, &spectrum, &grid, &found, &shifts, &scores };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    return TESS_OK;
}

int main(int argc, char **argv)
{
    double error = 0;
    if (run(&error, argc > 1 ? atoll(argv[1]) : 100, argc > 2 ? atof(argv[2]) : 0.5)) {
        fputs(tess_error_trace(), stderr);
        return 1;
    }
    return error > 3;
}
