/* A structure from projections at random orientations, with CTF and noise: slices are put into the spectrum of a
 * volume, divided by their weights, transformed back and corrected; the shell correlation with the truth, as a table.
 *
 *     example_reconstruct [projections] [noise] [map.mrc]
 *
 * The structure is some hundred Gaussians without symmetry, so projections are known exactly: Gaussians at the rotated
 * centres. It fails if the correlation is below 0.9 before 0.8 of Nyquist. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tessera.h"

enum { SIZE = 64, ATOMS = 200 };
#define SIGMA 0.65  /* of a Gaussian, pixels */
#define EXTENT 18.0 /* centres are within this distance of the centre of the volume */
#define PIXEL 1.5   /* angstrom */
#define VOLTAGE 300.0

/* Centres z, y, x, about the centre of the volume, in a half ball with an arm: nothing of it is symmetric. */
static tess_status make_atoms(tess_array *atoms)
{
    TESS_TRY(tess_empty(atoms, TESS_SHAPE(1, 1, ATOMS, 3), TESS_F64, tess_cpu()));
    TESS_TRY(tess_random_uniform(atoms, -1, 1, 11, NULL));
    double(*p)[3] = (double(*)[3])atoms->data;
    for (int i = 0; i < ATOMS; i++) {
        const double r = sqrt(p[i][0] * p[i][0] + p[i][1] * p[i][1] + p[i][2] * p[i][2]), shrink = EXTENT / fmax(r, 1);
        for (int k = 0; k < 3; k++) p[i][k] *= shrink;
        if (i % 3) p[i][0] = fabs(p[i][0]);
        if (i % 5 == 0) p[i][1] = 0.3 * p[i][1] + 4, p[i][2] = 0.2 * p[i][2] - 6;
    }
    return TESS_OK;
}

/* exp(-(i - c)^2 / 2 SIGMA^2) of all i, without what is nothing; first and last that are something. */
static void gaussian(double row[SIZE], double c, int *first, int *last)
{
    *first = (int)fmax(ceil(c - 6 * SIGMA), 0);
    *last = (int)fmin(floor(c + 6 * SIGMA), SIZE - 1);
    for (int i = *first; i <= *last; i++) row[i] = exp(-(i - c) * (i - c) / (2 * SIGMA * SIGMA));
}

static void add_spot(float *image, double y, double x, double amplitude)
{
    double rows[2][SIZE];
    int    first[2] = { 0, 0 }, last[2] = { 0, 0 };
    gaussian(rows[0], SIZE / 2 + y, &first[0], &last[0]);
    gaussian(rows[1], SIZE / 2 + x, &first[1], &last[1]);
    for (int i = first[0]; i <= last[0]; i++)
        for (int j = first[1]; j <= last[1]; j++) image[i * SIZE + j] += (float)(amplitude * rows[0][i] * rows[1][j]);
}

static tess_status make_truth(tess_array *volume, const tess_array *atoms)
{
    TESS_TRY(tess_zeros(volume, TESS_SHAPE(1, SIZE, SIZE, SIZE), TESS_F32, tess_cpu()));
    const double(*p)[3] = (const double(*)[3])atoms->data;
    for (int i = 0; i < ATOMS; i++) {
        double row[SIZE];
        int    first = 0, last = 0;
        gaussian(row, SIZE / 2 + p[i][0], &first, &last);
        for (int z = first; z <= last; z++) add_spot((float *)volume->data + z * SIZE * SIZE, p[i][1], p[i][2], row[z]);
    }
    return TESS_OK;
}

/* Sums along z of what the rotations' inverses make of the structure. */
static tess_status make_projections(tess_array *images, const tess_array *atoms, const tess_array *rotations)
{
    const int64_t n = rotations->shape.b;
    TESS_TRY(tess_zeros(images, TESS_SHAPE(n, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    const double(*p)[3] = (const double(*)[3])atoms->data, *r = rotations->data;
    for (int64_t b = 0; b < n; b++, r += 9)
        for (int i = 0; i < ATOMS; i++) {
            const double y = r[1] * p[i][0] + r[4] * p[i][1] + r[7] * p[i][2]; /* columns: the transposed matrix */
            const double x = r[2] * p[i][0] + r[5] * p[i][1] + r[8] * p[i][2];
            add_spot((float *)images->data + b * SIZE * SIZE, y, x, SIGMA * sqrt(2 * TESS_PI));
        }
    return TESS_OK;
}

/* Rows of a CTF for each image: defoci from 0.6 to 1.6 micrometre. */
static tess_status make_ctfs(tess_array *rows, int64_t n)
{
    TESS_TRY(tess_zeros(rows, TESS_SHAPE(n, 1, 1, TESS_CTF_MIN_COLUMNS), TESS_F64, tess_cpu()));
    for (int64_t b = 0; b < n; b++) {
        const double row[TESS_CTF_MIN_COLUMNS] = { PIXEL, PIXEL, 0.6 + (double)(b * 37 % 101) / 101, 0.05, 0.3, VOLTAGE,
                                                   0.1,   2.7 };
        for (int k = 0; k < TESS_CTF_MIN_COLUMNS; k++) ((double *)rows->data)[b * TESS_CTF_MIN_COLUMNS + k] = row[k];
    }
    return TESS_OK;
}

/* Simulated images: CTF, and noise given in standard deviations of a projection. */
static tess_status degrade(tess_array *images, const tess_array *ctfs, double noise)
{
    tess_array deviation = { 0 }, random = { 0 };
    double     scale;
    TESS_TRY(tess_std(&deviation, images, 0, NULL));
    TESS_TRY(tess_get_f64(&scale, &deviation, 0, 0, 0, 0));
    TESS_TRY(tess_ctf_apply_image(images, images, NULL, &(tess_ctf_opts){ .parameters = ctfs }));
    TESS_TRY(tess_empty(&random, images->shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&random, 0, noise * scale, 5, NULL));
    TESS_TRY(tess_add(images, images, &random));
    tess_release(&deviation);
    tess_release(&random);
    return TESS_OK;
}

/* The reconstruction: sum of CTF times images over sum of CTF^2, in Fourier space. */
static tess_status reconstruct(tess_array *map, tess_array *images, const tess_array *ctfs, const tess_array *rotations)
{
    const tess_shape shape = images->shape, cube = TESS_SHAPE(1, SIZE, SIZE, SIZE);
    tess_array       moved = { 0 }, slices = { 0 }, squares = { 0 }, volume = { 0 }, weights = { 0 };
    TESS_TRY(tess_ifftshift(&moved, images, TESS_H | TESS_W)); /* the centre to index 0 */
    TESS_TRY(tess_fft_r2c(&slices, &moved, NULL));
    TESS_TRY(tess_ctf_apply(&slices, &slices, shape, NULL, &(tess_ctf_opts){ .parameters = ctfs }));
    TESS_TRY(tess_empty(&squares, slices.shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_ctf_image(&squares, shape, NULL, &(tess_ctf_opts){ .parameters = ctfs, .squared = 1 }));
    TESS_TRY(tess_fourier_insert(&volume, &weights, &slices, shape, rotations,
                                 &(tess_fourier_insert_opts){ .slice_weights = &squares }));
    TESS_TRY(tess_fourier_normalize(&volume, &volume, &weights, &(tess_fourier_normalize_opts){ .min_weight = 0.1 }));
    tess_release(&moved);
    TESS_TRY(tess_fft_c2r(&moved, &volume, cube, NULL));
    TESS_TRY(tess_fftshift(map, &moved, TESS_D | TESS_H | TESS_W));
    TESS_TRY(tess_gridding_correct(map, map, NULL));
    tess_array *all[] = { &moved, &slices, &squares, &volume, &weights };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    return TESS_OK;
}

/* The correlation with the truth; `least` is the smallest up to 0.8 of Nyquist. */
static tess_status compare(double *least, const tess_array *map, const tess_array *truth)
{
    tess_array a = { 0 }, b = { 0 }, fsc = { 0 };
    *least = 1;
    TESS_TRY(tess_fft_r2c(&a, map, NULL));
    TESS_TRY(tess_fft_r2c(&b, truth, NULL));
    TESS_TRY(tess_fsc(&fsc, &a, &b, truth->shape, NULL));
    printf("frequency\tFSC\n");
    for (int64_t k = 1; k < fsc.shape.w; k++) {
        double value;
        TESS_TRY(tess_get_f64(&value, &fsc, 0, 0, 0, k));
        printf("%.4f\t%.4f\n", (double)k / SIZE, value);
        if ((double)k <= 0.8 * (SIZE / 2)) *least = fmin(*least, value);
    }
    tess_release(&a);
    tess_release(&b);
    tess_release(&fsc);
    return TESS_OK;
}

static tess_status run(double *least, int64_t n, double noise, const char *file)
{
    tess_array atoms = { 0 }, truth = { 0 }, quats = { 0 }, rotations = { 0 }, images = { 0 }, ctfs = { 0 },
               map = { 0 };
    TESS_TRY(make_atoms(&atoms));
    TESS_TRY(make_truth(&truth, &atoms));
    TESS_TRY(tess_empty(&quats, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu()));
    TESS_TRY(tess_quat_random(&quats, 3, NULL));
    TESS_TRY(tess_quat_to_matrix(&rotations, &quats));
    TESS_TRY(make_projections(&images, &atoms, &rotations));
    TESS_TRY(make_ctfs(&ctfs, n));
    TESS_TRY(degrade(&images, &ctfs, noise));
    TESS_TRY(reconstruct(&map, &images, &ctfs, &quats));
    TESS_TRY(compare(least, &map, &truth));
    if (file) TESS_TRY(tess_write(file, &map, NULL));
    tess_array *all[] = { &atoms, &truth, &quats, &rotations, &images, &ctfs, &map };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    return TESS_OK;
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 500;
    const double  noise = argc > 2 ? atof(argv[2]) : 0.25;
    double        least = 0;
    if (run(&least, n, noise, argc > 3 ? argv[3] : NULL)) {
        fputs(tess_error_trace(), stderr);
        return 1;
    }
    fprintf(stderr, "%lld projections: the correlation with the truth is at least %.3f up to 0.8 of Nyquist\n",
            (long long)n, least);
    return least < 0.9;
}
