/* Projection and reconstruction by central slices beside a structure of Gaussians, whose projections are known exactly;
 * symmetry, shifts and CTFs beside the same done by hand; what is rejected. */
#include <math.h>
#include <string.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "tessera/ctf.h"
#include "tessera/fsc.h"
#include "tessera/geometry.h"
#include "tessera/random.h"
#include "tessera/reduce.h"

enum { SIZE = 32, ATOMS = 25, VIEWS = 700 };
static const double sigma = 0.95;

static double atoms[ATOMS][3]; /* z, y, x from the centre */

static void place_atoms(void)
{
    tess_array a = { 0 };
    CHECK_OK(tess_wrap(&a, atoms, TESS_SHAPE(1, 1, ATOMS, 3), TESS_F64, NULL));
    CHECK_OK(tess_random_uniform(&a, -7, 7, 5, NULL));
    tess_release(&a);
}

static double bell(double x) { return exp(-x * x / (2 * sigma * sigma)); }

static tess_array structure(tess_dtype dtype)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, SIZE, SIZE, SIZE), TESS_F64, tess_cpu()));
    double *v = a.data;
    for (int z = 0; z < SIZE; z++)
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++, v++)
                for (int i = 0; i < ATOMS; i++)
                    *v += bell(z - SIZE / 2 - atoms[i][0]) * bell(y - SIZE / 2 - atoms[i][1]) *
                          bell(x - SIZE / 2 - atoms[i][2]);
    CHECK_OK(tess_cast(&out, &a, dtype, NULL));
    tess_release(&a);
    return out;
}

static tess_array rotations_of(int64_t n, uint64_t seed)
{
    tess_array q = { 0 };
    CHECK_OK(tess_empty(&q, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&q, seed, NULL));
    return q;
}

/* Sums along the third column of each rotation, moved by (y, x): Gaussians at the atoms in coordinates of the image. */
static tess_array seen(const tess_array *quats, double y, double x)
{
    tess_array out = { 0 };
    CHECK_OK(tess_zeros(&out, TESS_SHAPE(quats->shape.b, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    float *image = out.data;
    for (int64_t b = 0; b < quats->shape.b; b++, image += SIZE * SIZE)
        for (int i = 0; i < ATOMS; i++) {
            const tess_vec4_f64 q = ((const tess_vec4_f64 *)quats->data)[b];
            const tess_vec3_f64 atom = { { atoms[i][0], atoms[i][1], atoms[i][2] } };
            const tess_vec3_f64 p = tess_quat_rotate_f64(tess_quat_conjugate_f64(q), atom);
            for (int h = 0; h < SIZE; h++)
                for (int w = 0; w < SIZE; w++)
                    image[h * SIZE + w] += (float)(bell(h - SIZE / 2 - p.at[1] - y) * bell(w - SIZE / 2 - p.at[2] - x) *
                                                   sigma * sqrt(2 * acos(-1.0)));
        }
    return out;
}

/* The largest difference, as a part of the largest value. */
static double difference(const tess_array *got, const tess_array *want)
{
    tess_array d = { 0 };
    double     low, high, most;
    CHECK_OK(tess_sub(&d, got, want));
    CHECK_OK(tess_host_minmax(&low, &high, &d));
    CHECK_OK(tess_host_max(&most, want));
    tess_release(&d);
    return fmax(-low, high) / most;
}

static bool same_bits(const tess_array *a, const tess_array *b)
{
    const size_t bytes = (size_t)tess_n_bytes(a);
    return tess_same_shape(a, b) && a->dtype == b->dtype && memcmp(a->data, b->data, bytes) == 0;
}

/* The least correlation with the truth up to 0.9 of Nyquist. */
static double least_correlation(const tess_array *map, const tess_array *truth)
{
    tess_array a = { 0 }, b = { 0 }, curve = { 0 };
    double     least = 1;
    CHECK_OK(tess_fft_r2c(&a, map, NULL));
    CHECK_OK(tess_fft_r2c(&b, truth, NULL));
    CHECK_OK(tess_fsc(&curve, &a, &b, truth->shape, NULL));
    for (int k = 1; k <= (int)(0.9 * SIZE / 2); k++) least = fmin(least, ((double *)curve.data)[k]);
    tess_release(&a);
    tess_release(&b);
    tess_release(&curve);
    return least;
}

/* ---- Projections ---- */

TEST(projections_are_those_of_the_structure)
{
    place_atoms();
    const double moved[2] = { 1.5, -2.25 };
    tess_array   volume = structure(TESS_F32), q = rotations_of(6, 2), spectrum = { 0 }, images = { 0 }, shifts = { 0 },
               want = seen(&q, moved[0], moved[1]);
    CHECK_OK(tess_wrap(&shifts, (void *)(uintptr_t)moved, TESS_SHAPE(1, 1, 1, 2), TESS_F64, NULL));
    CHECK_OK(tess_fourier_prepare(&spectrum, &volume, NULL));
    CHECK_DIMS(spectrum.shape, 1, 2 * SIZE, 2 * SIZE, SIZE + 1);
    CHECK_OK(tess_fourier_project(&images, &spectrum, &q, &(tess_fourier_project_opts){ .shifts = &shifts }));
    CHECK(images.dtype == TESS_F32);
    CHECK(difference(&images, &want) < 0.02); /* linear interpolation, and nothing beyond Nyquist */
    tess_array cubic = { 0 }, twice = { 0 };
    CHECK_OK(tess_fourier_prepare(&cubic, &volume,
                                  &(tess_fourier_prepare_opts){ .padding = 3, .interp = TESS_INTERP_CUBIC }));
    CHECK_OK(tess_fourier_project(
        &twice, &cubic, &q,
        &(tess_fourier_project_opts){ .shifts = &shifts, .padding = 3, .interp = TESS_INTERP_CUBIC }));
    CHECK(difference(&twice, &want) < 0.012);
    tess_array *all[] = { &volume, &q, &spectrum, &images, &want, &cubic, &twice, &shifts };
    for (int i = 0; i < 8; i++) tess_release(all[i]);
}

/* With a CTF a projection is the one without, times the CTF. */
TEST(projections_have_their_ctf)
{
    place_atoms();
    const double row[TESS_CTF_MIN_COLUMNS] = { 2, 2, 1.2, 0.1, 0.4, 300, 0.1, 2.7 };
    tess_array   volume = structure(TESS_F64), q = rotations_of(3, 4), spectrum = { 0 }, plain = { 0 }, got = { 0 },
               want = { 0 }, ctfs = { 0 };
    CHECK_OK(tess_wrap(&ctfs, (void *)(uintptr_t)row, TESS_SHAPE(1, 1, 1, TESS_CTF_MIN_COLUMNS), TESS_F64, NULL));
    CHECK_OK(tess_fourier_prepare(&spectrum, &volume, NULL));
    CHECK(spectrum.dtype == TESS_C64);
    CHECK_OK(tess_fourier_project(&plain, &spectrum, &q, NULL));
    CHECK_OK(tess_fourier_project(&got, &spectrum, &q, &(tess_fourier_project_opts){ .ctfs = &ctfs }));
    CHECK_OK(tess_ctf_apply_image(&want, &plain, NULL, &(tess_ctf_opts){ .parameters = &ctfs }));
    CHECK(difference(&got, &want) < 1e-12);
    tess_array *all[] = { &volume, &q, &spectrum, &plain, &got, &want, &ctfs };
    for (int i = 0; i < 7; i++) tess_release(all[i]);
}

/* ---- Reconstruction ---- */

TEST(a_structure_comes_back)
{
    place_atoms();
    tess_array truth = structure(TESS_F32), q = rotations_of(VIEWS, 7), images = seen(&q, -1, 2), volume = { 0 },
               weights = { 0 }, map = { 0 }, shifts = { 0 };
    const double back[2] = { 1, -2 };
    CHECK_OK(tess_wrap(&shifts, (void *)(uintptr_t)back, TESS_SHAPE(1, 1, 1, 2), TESS_F64, NULL));
    CHECK_OK(tess_fourier_backproject(&volume, &weights, &images, &q,
                                      &(tess_fourier_backproject_opts){ .shifts = &shifts }));
    CHECK_OK(tess_fourier_reconstruct(&map, &volume, &weights, NULL));
    CHECK_DIMS(map.shape, 1, SIZE, SIZE, SIZE);
    CHECK(least_correlation(&map, &truth) > 0.99);
    CHECK(difference(&map, &truth) < 0.03);
    tess_array *all[] = { &truth, &q, &images, &volume, &weights, &map, &shifts };
    for (int i = 0; i < 7; i++) tess_release(all[i]);
}

/* Parts of a stack, one after the other, give the same bits as all of it at once. */
static void add_in_parts(tess_array sums[2], const tess_array *images, const tess_array *q,
                         const tess_fourier_backproject_opts *opts, int64_t each)
{
    for (int64_t i = 0; i < images->shape.b; i += each) {
        const int64_t                 end = i + each < images->shape.b ? i + each : images->shape.b;
        tess_fourier_backproject_opts o = *opts;
        tess_array                    part, turned;
        o.add = i > 0;
        CHECK_OK(tess_slice(&part, images, 0, i, end, 1));
        CHECK_OK(tess_slice(&turned, q, 0, i, end, 1));
        CHECK_OK(tess_fourier_backproject(&sums[0], &sums[1], &part, &turned, &o));
    }
}

TEST(sums_do_not_depend_on_parts)
{
    place_atoms();
    const double row[TESS_CTF_MIN_COLUMNS] = { 2, 2, 1.2, 0.1, 0.4, 300, 0.1, 2.7 };
    tess_array   q = rotations_of(11, 3), images = seen(&q, 0, 0), ctfs = { 0 };
    CHECK_OK(tess_wrap(&ctfs, (void *)(uintptr_t)row, TESS_SHAPE(1, 1, 1, TESS_CTF_MIN_COLUMNS), TESS_F64, NULL));
    const tess_fourier_backproject_opts opts[] = { { .padding = 1 },
                                                   { .padding = 1, .sym = "D3", .ctfs = &ctfs },
                                                   { .padding = 1, .ctfs = &ctfs, .ewald = 5 } };
    for (int k = 0; k < 3; k++) {
        tess_array whole[2] = { { .data = NULL } }, parts[2] = { { .data = NULL } };
        add_in_parts(whole, &images, &q, &opts[k], 11);
        add_in_parts(parts, &images, &q, &opts[k], 4);
        for (int i = 0; i < 2; i++) {
            CHECK(same_bits(&whole[i], &parts[i]));
            tess_release(&whole[i]);
            tess_release(&parts[i]);
        }
    }
    tess_release(&q);
    tess_release(&images);
    tess_release(&ctfs);
}

/* A group is the same as all images once more at each of its rotations. */
TEST(symmetry_repeats_images)
{
    place_atoms();
    tess_array q = rotations_of(5, 3), images = seen(&q, 0, 0), mates = { 0 }, quats = { 0 }, turned = { 0 };
    tess_array got[2] = { { .data = NULL } }, want[2] = { { .data = NULL } };
    CHECK_OK(tess_symmetry_matrices(&mates, "C3", NULL));
    CHECK_OK(tess_quat_from_matrix(&quats, &mates));
    CHECK_OK(
        tess_fourier_backproject(&got[0], &got[1], &images, &q, &(tess_fourier_backproject_opts){ .sym = "C3" }));
    for (int k = 0; k < 3; k++) {
        tess_array mate;
        CHECK_OK(tess_index(&mate, &quats, 0, k));
        CHECK_OK(tess_quat_mul(&turned, &mate, &q));
        CHECK_OK(tess_fourier_backproject(&want[0], &want[1], &images, &turned,
                                          &(tess_fourier_backproject_opts){ .add = k > 0 }));
        tess_release(&turned);
    }
    tess_array a = { 0 }, b = { 0 };
    CHECK_OK(tess_real(&a, &got[0]));
    CHECK_OK(tess_real(&b, &want[0]));
    CHECK(difference(&a, &b) < 1e-6);
    CHECK(difference(&got[1], &want[1]) < 1e-6);
    tess_array *all[] = { &q, &images, &mates, &quats, &got[0], &got[1], &want[0], &want[1], &a, &b };
    for (int i = 0; i < 10; i++) tess_release(all[i]);
}

/* An image of weight 3 counts as three of it. */
TEST(images_count_by_their_weight)
{
    place_atoms();
    const double ws[2] = { 1, 3 };
    tess_array   q = rotations_of(2, 3), images = seen(&q, 0, 0), weights = { 0 }, image, turn;
    tess_array   got[2] = { { .data = NULL } }, want[2] = { { .data = NULL } };
    CHECK_OK(tess_wrap(&weights, (void *)(uintptr_t)ws, TESS_SHAPE(2, 1, 1, 1), TESS_F64, NULL));
    CHECK_OK(tess_fourier_backproject(&got[0], &got[1], &images, &q,
                                      &(tess_fourier_backproject_opts){ .image_weights = &weights }));
    CHECK_OK(tess_fourier_backproject(&want[0], &want[1], &images, &q, NULL));
    CHECK_OK(tess_index(&image, &images, 0, 1));
    CHECK_OK(tess_index(&turn, &q, 0, 1));
    for (int k = 0; k < 2; k++)
        CHECK_OK(
            tess_fourier_backproject(&want[0], &want[1], &image, &turn, &(tess_fourier_backproject_opts){ .add = 1 }));
    CHECK(difference(&got[1], &want[1]) < 1e-6);
    tess_array *all[] = { &q, &images, &weights, &got[0], &got[1], &want[0], &want[1] };
    for (int i = 0; i < 7; i++) tess_release(all[i]);
}

/* Images whose Fourier transform is the sum of both sides of a strongly curved sphere, with the phases of defocus. */
static void curved_images(tess_array *images, tess_array *ctfs, const tess_array *quats, double radius)
{
    enum { HALF = SIZE / 2 + 1 };
    const double pi = acos(-1.0);
    tess_array   spectra = { 0 }, moved = { 0 };
    CHECK_OK(tess_empty(&spectra, TESS_SHAPE(quats->shape.b, 1, SIZE, HALF), TESS_C64, tess_cpu()));
    CHECK_OK(tess_zeros(ctfs, TESS_SHAPE(quats->shape.b, 1, 1, TESS_CTF_MIN_COLUMNS), TESS_F64, tess_cpu()));
    tess_c64 *out = spectra.data;
    for (int64_t b = 0; b < quats->shape.b; b++) {
        tess_ctf ctf = { .pixel_size = { 1.5, 1.5 },
                         .defocus = 0.5 + (double)(b * 37 % 101) / 101,
                         .voltage = 300,
                         .amplitude = 0.1,
                         .cs = 2.7 };
        memcpy((double *)ctfs->data + b * TESS_CTF_MIN_COLUMNS, &ctf, TESS_CTF_MIN_COLUMNS * sizeof(double));
        for (int h = 0; h < SIZE; h++)
            for (int w = 0; w < HALF; w++, out++) {
                const double y = (double)(h < SIZE / 2 ? h : h - SIZE) / SIZE, x = (double)w / SIZE;
                const double z = (y * y + x * x) / (2 * radius), phase = tess_ctf_phase_at(&ctf, y, x);
                const double envelope = exp(-2 * pi * pi * sigma * sigma * (y * y + x * x + z * z));
                out->re = out->im = 0;
                for (int i = 0; i < ATOMS; i++) {
                    const tess_vec3_f64 atom = { { atoms[i][0], atoms[i][1], atoms[i][2] } };
                    const tess_vec3_f64 p =
                        tess_quat_rotate_f64(tess_quat_conjugate_f64(((const tess_vec4_f64 *)quats->data)[b]), atom);
                    const double flat = 2 * pi * (p.at[1] * y + p.at[2] * x), curved = 2 * pi * p.at[0] * z;
                    /* i/2 (exp(i (phase - flat - curved)) - exp(i (curved - flat - phase))) */
                    out->re -= 0.5 * envelope * (sin(phase - flat - curved) - sin(curved - flat - phase));
                    out->im += 0.5 * envelope * (cos(phase - flat - curved) - cos(curved - flat - phase));
                }
            }
    }
    CHECK_OK(tess_fft_c2r(&moved, &spectra, TESS_SHAPE(quats->shape.b, 1, SIZE, SIZE), NULL));
    CHECK_OK(tess_fftshift(images, &moved, TESS_H | TESS_W));
    tess_release(&spectra);
    tess_release(&moved);
}

TEST(the_ewald_sphere_is_taken_into_account)
{
    place_atoms();
    const double radius = 1.5;
    tess_array   truth = structure(TESS_F64), q = rotations_of(400, 7), images = { 0 }, ctfs = { 0 };
    double       least[3];
    curved_images(&images, &ctfs, &q, radius);
    for (int side = -1; side <= 1; side++) {
        tess_array volume = { 0 }, weights = { 0 }, map = { 0 };
        CHECK_OK(tess_fourier_backproject(
            &volume, &weights, &images, &q,
            &(tess_fourier_backproject_opts){ .ctfs = &ctfs, .ewald = side * radius, .diameter = 20 }));
        CHECK_OK(tess_fourier_reconstruct(&map, &volume, &weights, NULL));
        least[side + 1] = least_correlation(&map, &truth);
        tess_release(&volume);
        tess_release(&weights);
        tess_release(&map);
    }
    CHECK(least[2] > 0.95 && least[1] < 0.6 && least[0] < 0.6);
    tess_array *all[] = { &truth, &q, &images, &ctfs };
    for (int i = 0; i < 4; i++) tess_release(all[i]);
}

/* ---- What is rejected, and what fails ---- */

TEST(bad_arguments_are_told)
{
    tess_array volume = { 0 }, flat = { 0 }, q = rotations_of(2, 1), three = rotations_of(3, 1), spectrum = { 0 },
               images = { 0 }, oblong = { 0 }, weights = { 0 }, out = { 0 }, other = { 0 };
    CHECK_OK(tess_ones(&volume, TESS_SHAPE(1, 6, 6, 6), TESS_F32, tess_cpu()));
    CHECK_OK(tess_ones(&flat, TESS_SHAPE(1, 4, 6, 6), TESS_F32, tess_cpu()));
    CHECK_OK(tess_ones(&images, TESS_SHAPE(2, 1, 6, 6), TESS_F32, tess_cpu()));
    CHECK_OK(tess_ones(&oblong, TESS_SHAPE(2, 1, 6, 5), TESS_F32, tess_cpu()));
    CHECK_OK(tess_fourier_prepare(&spectrum, &volume, NULL));
    CHECK_FAILS(tess_fourier_prepare(NULL, &volume, NULL), TESS_EARG, "fourier_prepare: spectrum is NULL");
    CHECK_FAILS(tess_fourier_prepare(&out, &flat, NULL), TESS_ESHAPE, "volume has shape {1,4,6,6}", "a cube");
    CHECK_FAILS(tess_fourier_prepare(&out, &spectrum, NULL), TESS_EDTYPE, "volume is c32");
    CHECK_FAILS(tess_fourier_prepare(&out, &volume, &(tess_fourier_prepare_opts){ .padding = 9 }), TESS_ERANGE,
                "padding");
    CHECK_FAILS(tess_fourier_project(&out, &volume, &q, NULL), TESS_EDTYPE, "spectrum is f32; c32 or c64");
    CHECK_FAILS(tess_fourier_project(&out, &spectrum, &q, &(tess_fourier_project_opts){ .padding = 5 }), TESS_ESHAPE,
                "spectrum has shape {1,12,12,7}", "a multiple of opts->padding, 5");
    CHECK_FAILS(tess_fourier_project(&out, &spectrum, &q, &(tess_fourier_project_opts){ .shifts = &q }), TESS_ESHAPE,
                "opts->shifts has shape {2,1,1,4}", "{1 or 2,1,1,2}");
    CHECK_FAILS(tess_fourier_project(&out, &spectrum, &q, &(tess_fourier_project_opts){ .ctfs = &q }), TESS_ESHAPE,
                "opts->ctfs has shape {2,1,1,4}", "m from 8 to 17");
    CHECK_FAILS(tess_fourier_backproject(&out, &weights, &oblong, &q, NULL), TESS_ESHAPE,
                "images has shape {2,1,6,5}; it must be square images");
    CHECK_FAILS(tess_fourier_backproject(&out, NULL, &images, &q, NULL), TESS_EARG, "weights is NULL");
    CHECK_FAILS(tess_fourier_backproject(&out, &weights, &images, &three, NULL), TESS_ESHAPE,
                "3 rotations and 2 images");
    CHECK_FAILS(tess_fourier_backproject(&out, &weights, &images, &q, &(tess_fourier_backproject_opts){ .add = 1 }),
                TESS_EARG, "volume is zeroed and opts->add is 1");
    CHECK_FAILS(tess_fourier_backproject(&out, &weights, &images, &q, &(tess_fourier_backproject_opts){ .ewald = 3 }),
                TESS_EARG, "opts->ewald is 3 and opts->ctfs is NULL");
    CHECK_FAILS(
        tess_fourier_backproject(&out, &weights, &images, &q, &(tess_fourier_backproject_opts){ .sym = "Q5" }),
        TESS_EPARSE, "Q5");
    CHECK(out.data == NULL && weights.data == NULL);
    CHECK_OK(tess_fourier_backproject(&other, &weights, &images, &q, NULL));
    CHECK_FAILS(tess_fourier_reconstruct(&out, &weights, &weights, NULL), TESS_EDTYPE, "volume is f32");
    CHECK_FAILS(tess_fourier_reconstruct(&out, &other, &other, NULL), TESS_EDTYPE, "weights is c32", "weights must be f32");
    CHECK_FAILS(tess_fourier_reconstruct(&out, &other, &volume, NULL), TESS_ESHAPE, "weights has shape {1,6,6,6}");
    CHECK_FAILS(tess_fourier_reconstruct(&out, &other, &weights, &(tess_fourier_reconstruct_opts){ .floor = 2 }),
                TESS_ERANGE, "floor");
    CHECK(out.data == NULL);
    tess_array *all[] = { &volume, &flat, &q, &three, &spectrum, &images, &oblong, &weights, &other };
    for (int i = 0; i < 9; i++) tess_release(all[i]);
}

TEST(nothing_is_made_of_nothing)
{
    tess_array images = { 0 }, q = { 0 }, volume = { 0 }, weights = { 0 }, map = { 0 };
    double     least, most;
    CHECK_OK(tess_empty(&images, TESS_SHAPE(0, 1, 6, 6), TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&q, TESS_SHAPE(0, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_fourier_backproject(&volume, &weights, &images, &q, NULL));
    CHECK_OK(tess_fourier_reconstruct(&map, &volume, &weights, NULL));
    CHECK_OK(tess_host_minmax(&least, &most, &map));
    CHECK(least == 0 && most == 0);
    tess_array *all[] = { &images, &q, &volume, &weights, &map };
    for (int i = 0; i < 5; i++) tess_release(all[i]);
}

/* Every allocation fails in turn: a clear status, no leak, and outputs as they were. */
TEST(allocations_that_fail)
{
    static hooks h;
    place_atoms();
    tess_array q = rotations_of(2, 3), images = seen(&q, 0, 0), ctfs = { 0 };
    CHECK_OK(tess_zeros(&ctfs, TESS_SHAPE(2, 1, 1, TESS_CTF_MIN_COLUMNS), TESS_F64, tess_cpu()));
    for (int i = 0; i < 2; i++) ((double *)ctfs.data)[8 * i] = 2, ((double *)ctfs.data)[8 * i + 2] = 1;
    hooks_on(&h);
    for (int which = 0; which < 3; which++) {
        const tess_fourier_backproject_opts o = {
            .padding = 1, .ctfs = &ctfs, .sym = which == 1 ? "C2" : NULL, .ewald = which == 2 ? 4 : 0
        };
        bool done = false;
        for (int k = 1; !done && k < 300; k++) {
            tess_array volume = { 0 }, weights = { 0 }, map = { 0 };
            const long live = atomic_load(&h.live);
            atomic_store(&h.calls, 0);
            atomic_store(&h.fail_at, k);
            tess_status status = tess_fourier_backproject(&volume, &weights, &images, &q, &o);
            if (status == TESS_OK)
                status =
                    tess_fourier_reconstruct(&map, &volume, &weights, &(tess_fourier_reconstruct_opts){ .padding = 1 });
            atomic_store(&h.fail_at, 0);
            done = status == TESS_OK;
            if (!done) CHECK(status == TESS_ENOMEM && map.data == NULL && strstr(tess_error_message(), "memory"));
            tess_release(&volume);
            tess_release(&weights);
            tess_release(&map);
            CHECK(done || atomic_load(&h.live) == live);
        }
        CHECK(done);
    }
    hooks_off();
    tess_release(&q);
    tess_release(&images);
    tess_release(&ctfs);
}
