/* A tilt series of a phantom, its backprojection, and a reconstruction by steepest descent (SIRT), for which projection
 * and backprojection must be each other's transpose.
 *
 * With a folder as argument, slices of all are written there, for the figure of docs/projections.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tessera.h"

enum { SIZE = 40, TILTS = 41, ROUNDS = 8 };

static void need(tess_status status)
{
    if (status == TESS_OK) return;
    fputs(tess_error_trace(), stderr);
    exit(1);
}

/* Balls at some places of a ring. */
static void draw(tess_array *volume)
{
    need(tess_zeros(volume, TESS_SHAPE(1, SIZE, SIZE, SIZE), TESS_F32, tess_cpu()));
    float *v = volume->data;
    for (int i = 0; i < SIZE * SIZE * SIZE; i++)
        for (int ball = 0; ball < 6; ball++) {
            const double angle = ball * TESS_PI / 3, c = SIZE / 2;
            const double z = i / SIZE / SIZE - c - 12 * sin(angle), x = i % SIZE - c - 12 * cos(angle);
            const double y = i / SIZE % SIZE - c - (ball - 2.5), r = sqrt(z * z + y * y + x * x);
            if (r < 2 + 0.6 * ball) v[i] = 1;
        }
}

/* From volume to image, for tilts about y from -60 to 60 degrees. */
static void tilt(tess_array *matrices)
{
    need(tess_empty(matrices, TESS_SHAPE(TILTS, 1, 3, 3), TESS_F64, tess_cpu()));
    for (int i = 0; i < TILTS; i++) {
        const double         angle = (i - TILTS / 2) * TESS_PI / 60;
        const tess_mat33_f64 m = tess_rotate_y_f64(angle);
        for (int k = 0; k < 9; k++) ((double *)matrices->data)[9 * i + k] = m.at[k];
    }
}

static double dot(const tess_array *a, const tess_array *b)
{
    tess_array sum = { 0 };
    double     value;
    need(tess_dot(&sum, a, b, 0, NULL));
    need(tess_get_f64(&value, &sum, 0, 0, 0, 0));
    tess_release(&sum);
    return value;
}

/* The slice through the middle, across y. */
static tess_array slice(const tess_array *volume)
{
    tess_array plane, image;
    need(tess_slice(&plane, volume, 2, SIZE / 2, SIZE / 2 + 1, 1));
    need(tess_permute(&image, &plane, 0, 2, 1, 3));
    return image;
}

static void write_slice(const char *folder, const char *name, const tess_array *volume)
{
    char             path[4096];
    const tess_array image = slice(volume);
    (void)snprintf(path, sizeof path, "%s/%s.mrc", folder, name);
    need(tess_write(path, &image, NULL));
}

int main(int argc, char **argv)
{
    const tess_project_opts     forward = { .centred = 1, .adjoint = 1 };
    const tess_backproject_opts backward = { .centred = 1 };
    tess_array                  phantom = { 0 }, matrices = { 0 }, series = { 0 }, first = { 0 };
    draw(&phantom);
    tilt(&matrices);
    need(tess_project(&series, &phantom, &matrices, &forward));
    need(tess_backproject(&first, &series, &matrices, &backward));
    printf("<P x, P x> / <x, B P x> - 1 is below 1e-6: %s\n",
           fabs(dot(&series, &series) / dot(&phantom, &first) - 1) < 1e-6 ? "yes" : "no");

    /* x becomes x + t B (b - P x), with the t that makes the next b - P x shortest. */
    tess_array x = { 0 }, rest = { 0 }, step = { 0 }, image = { 0 };
    need(tess_zeros(&x, phantom.shape, TESS_F32, tess_cpu()));
    need(tess_copy(&rest, &series));
    for (int i = 0; i < ROUNDS; i++) {
        need(tess_backproject(&step, &rest, &matrices, &backward));
        need(tess_project(&image, &step, &matrices, &forward));
        const double t = dot(&step, &step) / dot(&image, &image);
        need(tess_mul(&step, &step, &tess_num(t)));
        need(tess_add(&x, &x, &step));
        need(tess_mul(&image, &image, &tess_num(t)));
        need(tess_sub(&rest, &rest, &image));
    }
    const double left = sqrt(dot(&rest, &rest) / dot(&series, &series));
    printf("after %d rounds the images differ by less than 10%%: %s\n", ROUNDS, left < 0.1 ? "yes" : "no");
    if (argc > 1) {
        write_slice(argv[1], "phantom", &phantom);
        write_slice(argv[1], "backprojection", &first);
        write_slice(argv[1], "reconstruction", &x);
    }
    tess_array *all[] = { &phantom, &matrices, &series, &first, &x, &rest, &step, &image };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    return 0;
}
