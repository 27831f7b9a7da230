/* Polar coordinates: the rotation between two images, found in polar coordinates, and the rings of a CTF averaged
 * along themselves. With a folder as argument, writes the data for the figures of docs/polar.md there. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

enum { SIDE = 256, ANGLES = 720 };

/* Three blobs, rotated about the centre by an angle. */
static tess_status blobs(tess_array *image, double angle)
{
    static const double blob[3][3] = { { 40, 0.3, 12 }, { 70, 2.2, 9 }, { 60, 4.4, 15 } }; /* radius, angle, width */
    TESS_TRY(tess_zeros(image, TESS_SHAPE(1, 1, SIDE, SIDE), TESS_F32, tess_cpu()));
    float *pixel = image->data;
    for (int h = 0; h < SIDE; h++)
        for (int w = 0; w < SIDE; w++)
            for (int k = 0; k < 3; k++) {
                const double y = h - SIDE / 2 - blob[k][0] * sin(blob[k][1] + angle);
                const double x = w - SIDE / 2 - blob[k][0] * cos(blob[k][1] + angle);
                pixel[h * SIDE + w] += (float)exp(-(y * y + x * x) / (blob[k][2] * blob[k][2]));
            }
    return TESS_OK;
}

/* A rotation is a shift along the angles: the best one is the peak of a correlation. */
static tess_status find_rotation(const char *folder)
{
    const tess_polar_opts opts = { .height = ANGLES, .rho_start = 8 };
    tess_array            image[2] = { { .data = NULL } }, polar[2] = { { .data = NULL } }, map = { 0 }, lag = { 0 };
    double                shift;
    char                  path[512];
    for (int k = 0; k < 2; k++) {
        TESS_TRY(blobs(&image[k], k ? 0.7 : 0));
        TESS_TRY(tess_cartesian_to_polar(&polar[k], &image[k], &opts));
    }
    TESS_TRY(tess_correlate(&map, &polar[1], &polar[0], NULL));
    TESS_TRY(tess_correlate_peak(&lag, NULL, &map, NULL));
    TESS_TRY(tess_get_f64(&shift, &lag, 0, 0, 0, 0));
    printf("rotated by 0.7 radians, found %.3f\n", shift * (2 * TESS_PI) / ANGLES);
    if (folder) { /* beside each other */
        tess_array parts[2] = { image[1], { .data = NULL } }, both = { 0 };
        TESS_TRY(tess_cartesian_to_polar(&parts[1], &image[1], &(tess_polar_opts){ .height = SIDE }));
        TESS_TRY(tess_concatenate(&both, parts, 2, 3));
        snprintf(path, sizeof path, "%s/polar.npy", folder);
        TESS_TRY(tess_write(path, &both, NULL));
        tess_release(&parts[1]);
        tess_release(&both);
    }
    for (int k = 0; k < 2; k++) {
        tess_release(&image[k]);
        tess_release(&polar[k]);
    }
    tess_release(&map);
    tess_release(&lag);
    return TESS_OK;
}

/* The rings of an astigmatic CTF: a plain average blurs them, one along lines of equal phase does not. */
static tess_status average_rings(const char *folder)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 512, 512);
    tess_ctf         ctf = {
                .pixel_size = { 1.5 }, .defocus = 1.5, .astigmatism = 0.2, .angle = 0.6, .amplitude = 0.1, .cs = 2.7
    };
    tess_array rings = { 0 }, row = { 0 }, curve[2] = { { .data = NULL } };
    char       path[512];
    TESS_TRY(tess_zeros(&rings, tess_rfft_shape(shape), TESS_F32, tess_cpu()));
    TESS_TRY(tess_ctf_image(&rings, shape, &ctf, &(tess_ctf_opts){ .squared = 1 }));
    TESS_TRY(tess_wrap(&row, &ctf, TESS_SHAPE(1, 1, 1, TESS_CTF_COLUMNS), TESS_F64, NULL));
    TESS_TRY(tess_rotational_average(&curve[0], &rings, shape, NULL));
    TESS_TRY(tess_rotational_average(&curve[1], &rings, shape, &(tess_rotational_average_opts){ .ctfs = &row }));
    for (int k = 0; k < 2; k++) {
        double     deviation;
        tess_array outer, result = { 0 };
        TESS_TRY(tess_slice(&outer, &curve[k], 3, 60, 140, 1));
        TESS_TRY(tess_std(&result, &outer, 0, NULL));
        TESS_TRY(tess_get_f64(&deviation, &result, 0, 0, 0, 0));
        printf("%s: rings deviate by %.2f from their mean\n", k ? "along the phase" : "plain average", deviation);
        tess_release(&result);
    }
    if (folder) {
        snprintf(path, sizeof path, "%s/rings.tsv", folder);
        FILE *file = fopen(path, "w");
        if (file) {
            fprintf(file, "frequency\tplain\talong the phase\n");
            for (int i = 0; i < 150; i++)
                fprintf(file, "%g\t%g\t%g\n", i / 512.0, ((float *)curve[0].data)[i], ((float *)curve[1].data)[i]);
            fclose(file);
        }
    }
    for (int k = 0; k < 2; k++) tess_release(&curve[k]);
    tess_release(&rings);
    return TESS_OK;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : NULL;
    if (find_rotation(folder) == TESS_OK && average_rings(folder) == TESS_OK) return 0;
    fprintf(stderr, "%s\n", tess_error_message());
    return 1;
}
