/* Turned spectra and Fourier slices: examples, faults of others, a whole reconstruction, what is rejected. */
#include <math.h>

#include "support/arrays.h"
#include "tessera/filter.h"
#include "tessera/fsc.h"
#include "tessera/geometry.h"
#include "tessera/random.h"
#include "tessera/reduce.h"

static tess_array noise(tess_shape shape, tess_dtype dtype, uint64_t seed)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, shape, dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, seed, NULL));
    return a;
}

/* The spectrum of noise, which is Hermitian. */
static tess_array spectrum(tess_shape shape, uint64_t seed)
{
    tess_array x = noise(shape, TESS_F64, seed), out = { 0 };
    CHECK_OK(tess_fft_r2c(&out, &x, NULL));
    tess_release(&x);
    return out;
}

static tess_array rotations_of(int64_t n, uint64_t seed)
{
    tess_array q = { 0 };
    CHECK_OK(tess_empty(&q, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&q, seed, NULL));
    return q;
}

static tess_array identity(int64_t n, int64_t size)
{
    tess_array m = { 0 };
    CHECK_OK(tess_eye(&m, TESS_SHAPE(n, 1, size, size), TESS_F64, tess_cpu()));
    return m;
}

static tess_c64 at(const tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w)
{
    const int64_t offset = b * a->strides.b + d * a->strides.d + h * a->strides.h + w * a->strides.w;
    return ((const tess_c64 *)a->data)[offset];
}

/* The largest distance of two arrays of f64 or c64. */
static double distance(const tess_array *a, const tess_array *b)
{
    tess_array difference = { 0 }, size = { 0 }, most = { 0 };
    double     x = NAN;
    CHECK_OK(tess_sub(&difference, a, b));
    CHECK_OK(tess_abs(&size, &difference));
    CHECK_OK(tess_max(&most, &size, 0, NULL));
    CHECK_OK(tess_get_f64(&x, &most, 0, 0, 0, 0));
    tess_release(&difference);
    tess_release(&size);
    tess_release(&most);
    return x;
}

/* ---- Turned spectra ---- */

TEST(no_rotation_changes_nothing)
{
    const tess_shape shape = TESS_SHAPE(2, 6, 5, 8);
    tess_array       in = spectrum(shape, 1), m = identity(1, 3), out = { 0 };
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
        if (method == TESS_INTERP_CUBIC_BSPLINE) continue;
        CHECK_OK(tess_transform_spectrum_3d(&out, &in, shape, &m,
                                            &(tess_transform_spectrum_opts){ .interp = method, .cutoff = 1 }));
        CHECK(distance(&out, &in) == 0);
    }
    tess_release(&in);
    tess_release(&m);
    tess_release(&out);
}

/* A quarter turn about z takes what is at x to y; of a spectrum too. */
TEST(a_quarter_turn_of_a_spectrum_is_that_of_the_image)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 7, 7);
    const double     quarter[4] = { 0, 1, -1, 0 }; /* output (y, x) is input (x, -y) */
    tess_array image = noise(shape, TESS_F64, 1), turned = { 0 }, m = { 0 }, in = { 0 }, want = { 0 }, out = { 0 };
    CHECK_OK(tess_like(&turned, &image));
    for (int64_t y = 0; y < 7; y++)
        for (int64_t x = 0; x < 7; x++)
            ((double *)turned.data)[y * 7 + x] = ((double *)image.data)[x * 7 + (7 - y) % 7];
    CHECK_OK(tess_wrap(&m, (void *)(uintptr_t)quarter, TESS_SHAPE(1, 1, 2, 2), TESS_F64, NULL));
    CHECK_OK(tess_fft_r2c(&in, &image, NULL));
    CHECK_OK(tess_fft_r2c(&want, &turned, NULL));
    CHECK_OK(tess_transform_spectrum_2d(&out, &in, shape, &m, &(tess_transform_spectrum_opts){ .cutoff = 1 }));
    CHECK(distance(&out, &want) < 1e-12);
    tess_array *all[] = { &image, &turned, &m, &in, &want, &out };
    for (int i = 0; i < 6; i++) tess_release(all[i]);
}

/* All layouts to all layouts give the same coefficients: of an odd width, as column w/2 of an even one is at w/2 in
 * half layouts and at -w/2 in full ones. noa takes half spectra alone, though it documents all. */
TEST(noa_spectrum_transforms_take_half_layouts_alone)
{
    const tess_shape             shape = TESS_SHAPE(2, 6, 5, 7);
    tess_array                   in = spectrum(shape, 1), q = rotations_of(2, 2), want = { 0 };
    tess_transform_spectrum_opts o = { .interp = TESS_INTERP_CUBIC };
    CHECK_OK(tess_transform_spectrum_3d(&want, &in, shape, &q, &o));
    for (int i = 0; i < 16; i++) {
        tess_array given = { 0 }, out = { 0 }, expected = { 0 };
        o.from = 1 + i / 4;
        o.to = 1 + i % 4;
        CHECK_OK(tess_fft_remap(&given, &in, shape, TESS_FFT_H, (tess_fft_layout)o.from));
        CHECK_OK(tess_fft_remap(&expected, &want, shape, TESS_FFT_H, (tess_fft_layout)o.to));
        CHECK_OK(tess_transform_spectrum_3d(&out, &given, shape, &q, &o));
        CHECK(distance(&out, &expected) < 1e-12);
        tess_release(&given);
        tess_release(&out);
        tess_release(&expected);
    }
    tess_release(&in);
    tess_release(&q);
    tess_release(&want);
}

/* ---- Faults of others ---- */

/* In noa the nearest coefficient below x = 0 is not conjugated. */
TEST(noa_nearest_does_not_conjugate)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 8, 8);
    const double     half_turn[4] = { -1, 0, 0, -1 };
    tess_array       in = spectrum(shape, 1), m = { 0 }, out = { 0 };
    CHECK_OK(tess_wrap(&m, (void *)(uintptr_t)half_turn, TESS_SHAPE(1, 1, 2, 2), TESS_F64, NULL));
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LINEAR; method++) {
        CHECK_OK(tess_transform_spectrum_2d(&out, &in, shape, &m,
                                            &(tess_transform_spectrum_opts){ .interp = method, .cutoff = 1 }));
        CHECK(at(&out, 0, 0, 2, 3).re == at(&in, 0, 0, 2, 3).re);
        CHECK(at(&out, 0, 0, 2, 3).im == -at(&in, 0, 0, 2, 3).im);
    }
    tess_release(&in);
    tess_release(&m);
    tess_release(&out);
}

/* The cutoff is that of f, which has three components: S and the curvature count. */
TEST(the_cutoff_is_of_three_components)
{
    const tess_shape shape = TESS_SHAPE(1, 16, 16, 16);
    tess_array       volume = spectrum(shape, 5), one = identity(1, 3), half = identity(1, 2), out = { 0 };
    CHECK_OK(tess_mul(&half, &half, &tess_f64(0.5)));
    const double                    flat = 0.25, z = flat * flat / (2 * 0.25), length = hypot(flat, z);
    const tess_fourier_extract_opts opts[] = {
        { .cutoff = flat },
        { .cutoff = flat - 1e-9 },
        { .cutoff = length + 1e-9, .ewald_h = 0.25, .ewald_w = 0.25 },
        { .cutoff = length - 1e-9, .ewald_h = 0.25, .ewald_w = 0.25 },
        { .cutoff = 2 * flat, .scales = &half },
        { .cutoff = 2 * flat - 1e-9, .scales = &half },
    };
    for (int i = 0; i < 6; i++) {
        CHECK_OK(tess_fourier_extract(&out, &volume, shape, &one, &opts[i]));
        const tess_c64 v = at(&out, 0, 0, 0, 4); /* frequency (0, 0.25) */
        CHECK((v.re == 0 && v.im == 0) == (i % 2 == 1));
        tess_release(&out);
    }
    tess_release(&volume);
    tess_release(&one);
    tess_release(&half);
}

/* noa flips the whole coordinate of a window about x = 0: at an even Nyquist frequency it reads the other side. Each
 * tap here is looked up by itself, so both sides of x = 0 give conjugates. */
TEST(noa_linear_flips_the_whole_coordinate)
{
    const tess_shape shape = TESS_SHAPE(1, 6, 6, 6);
    tess_array       in = spectrum(shape, 1), q = rotations_of(1, 7), out = { 0 };
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
        const tess_transform_spectrum_opts o = { .interp = method, .to = TESS_FFT_FC, .cutoff = 1 };
        CHECK_OK(tess_transform_spectrum_3d(&out, &in, shape, &q, &o));
        for (int64_t z = 1; z < 6; z++)
            for (int64_t y = 1; y < 6; y++)
                for (int64_t x = 1; x < 6; x++) {
                    const tess_c64 a = at(&out, 0, z, y, x), b = at(&out, 0, 6 - z, 6 - y, 6 - x);
                    CHECK(fabs(a.re - b.re) < 1e-12 && fabs(a.im + b.im) < 1e-12);
                }
    }
    tess_release(&in);
    tess_release(&q);
    tess_release(&out);
}

/* noa's rasterisation multiplies by -1 what it should conjugate: a slice that is turned by half a turn about y is put
 * to where its mirror image is. Inserted and divided, slices give back what they are of. */
TEST(noa_rasterize_negates_where_it_should_conjugate)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 9, 9), cube = TESS_SHAPE(1, 9, 9, 9);
    const double     about_y[9] = { -1, 0, 0, 0, 1, 0, 0, 0, -1 }; /* z, y, x to -z, y, -x */
    tess_array       slice = spectrum(shape, 1), r = { 0 }, volume = { 0 }, weights = { 0 };
    CHECK_OK(tess_wrap(&r, (void *)(uintptr_t)about_y, TESS_SHAPE(1, 1, 3, 3), TESS_F64, NULL));
    CHECK_OK(tess_fourier_insert(&volume, &weights, &slice, shape, &r,
                                 &(tess_fourier_insert_opts){ .volume_shape = cube, .cutoff = 1 }));
    for (int64_t x = 1; x < 5; x++) {
        const tess_c64 got = at(&volume, 0, 0, 2, x), want = at(&slice, 0, 0, 7, x); /* (y, -x) is conj (-y, x) */
        CHECK(fabs(got.re - want.re) < 1e-12 && fabs(got.im + want.im) < 1e-12);
    }
    tess_array *all[] = { &slice, &r, &volume, &weights };
    for (int i = 0; i < 4; i++) tess_release(all[i]);
}

/* In noa the plane x = Nyquist of even widths is not Hermitian, as x = 0 is. */
TEST(noa_nyquist_plane_is_not_hermitian)
{
    const tess_shape shape = TESS_SHAPE(5, 1, 8, 8);
    tess_array       slices = spectrum(shape, 1), q = rotations_of(5, 4), volume = { 0 };
    CHECK_OK(tess_fourier_insert(&volume, NULL, &slices, shape, &q, &(tess_fourier_insert_opts){ .cutoff = 1 }));
    for (int64_t x = 0; x < 5; x += 4)
        for (int64_t z = 0; z < 8; z++)
            for (int64_t y = 0; y < 8; y++) {
                const tess_c64 a = at(&volume, 0, z, y, x), b = at(&volume, 0, (8 - z) % 8, (8 - y) % 8, x);
                CHECK(fabs(a.re - b.re) < 1e-12 && fabs(a.im + b.im) < 1e-12);
            }
    tess_release(&slices);
    tess_release(&q);
    tess_release(&volume);
}

/* noa does not divide the window of an extraction by its sum: of a constant volume slices are that constant. */
TEST(noa_window_of_extraction_is_not_normalised)
{
    const tess_shape shape = TESS_SHAPE(1, 16, 16, 16);
    tess_array       volume = { 0 }, slices = { 0 }, q = rotations_of(2, 1);
    double           least = 0, most = 0;
    CHECK_OK(tess_full(&volume, tess_rfft_shape(shape), TESS_F64, tess_cpu(), 3));
    CHECK_OK(tess_fourier_extract(&slices, &volume, shape, &q,
                                  &(tess_fourier_extract_opts){ .window = 3.5 / 16, .cutoff = 0.25 }));
    tess_array range[2] = { { .data = NULL } };
    CHECK_OK(tess_min(&range[0], &slices, 0, NULL));
    CHECK_OK(tess_max(&range[1], &slices, 0, NULL));
    CHECK_OK(tess_get_f64(&least, &range[0], 0, 0, 0, 0));
    CHECK_OK(tess_get_f64(&most, &range[1], 0, 0, 0, 0));
    CHECK(least == 0 && fabs(most - 3) < 1e-12);
    tess_array *all[] = { &volume, &slices, &q, &range[0], &range[1] };
    for (int i = 0; i < 5; i++) tess_release(all[i]);
}

/* noa takes one side of x = 0 or the other by rounding: a view along x, whose slice lies in the plane x = 0, is the same
 * when its matrix is off by rounding to either side. */
TEST(noa_slices_in_the_plane_x_0_depend_on_its_side)
{
    const tess_shape shape = TESS_SHAPE(1, 8, 8, 8);
    tess_array       volume = spectrum(shape, 3), want = { 0 }, out = { 0 };
    for (int method = TESS_INTERP_LINEAR; method <= TESS_INTERP_LANCZOS8; method++)
        for (int side = 0; side < 3; side++) {
            const double                    off = (side - 1) * 6e-17, along_x[9] = { off, 0, -1, 0, 1, 0, 1, 0, off };
            const tess_fourier_extract_opts o = { .interp = method, .cutoff = 1, .to = TESS_FFT_F };
            tess_array                      m = { 0 };
            CHECK_OK(tess_wrap(&m, (void *)(uintptr_t)along_x, TESS_SHAPE(1, 1, 3, 3), TESS_F64, NULL));
            CHECK_OK(tess_fourier_extract(side ? &out : &want, &volume, shape, &m, &o));
            if (side) CHECK(distance(&out, &want) < 1e-12);
            tess_release(&m);
        }
    tess_array *all[] = { &volume, &want, &out };
    for (int i = 0; i < 3; i++) tess_release(all[i]);
}

/* Half and full layouts of slices and volumes give the same sums, spread and gathered. */
static void check_layouts(double window)
{
    const tess_shape shape = TESS_SHAPE(9, 1, 7, 7), cube = TESS_SHAPE(1, 7, 7, 7);
    tess_array       slices = spectrum(shape, 1), q = rotations_of(9, 9), want = { 0 };
    CHECK_OK(tess_fourier_insert(&want, NULL, &slices, shape, &q, &(tess_fourier_insert_opts){ .window = window }));
    for (int i = 0; i < 16; i++) {
        tess_fourier_insert_opts o = { .from = 1 + i / 4, .to = 1 + i % 4, .window = window };
        tess_array               given = { 0 }, out = { 0 }, half = { 0 };
        CHECK_OK(tess_fft_remap(&given, &slices, shape, TESS_FFT_H, (tess_fft_layout)o.from));
        CHECK_OK(tess_fourier_insert(&out, NULL, &given, shape, &q, &o));
        CHECK_OK(tess_fft_remap(&half, &out, cube, (tess_fft_layout)o.to, TESS_FFT_H));
        CHECK(distance(&half, &want) < 1e-12);
        tess_release(&given);
        tess_release(&out);
        tess_release(&half);
    }
    tess_release(&slices);
    tess_release(&q);
    tess_release(&want);
}

TEST(insertion_is_the_same_in_all_layouts)
{
    check_layouts(0);
    check_layouts(1.0 / 7);
}

/* Volumes whose planes or rows run backwards take the same sums. */
TEST(insertion_into_reversed_volumes)
{
    const tess_shape shape = TESS_SHAPE(3, 1, 16, 16), cube = TESS_SHAPE(1, 16, 16, 9);
    tess_array       slices = spectrum(shape, 1), q = rotations_of(3, 9), want = { 0 }, want_weights = { 0 };
    CHECK_OK(tess_fourier_insert(&want, &want_weights, &slices, shape, &q, NULL));
    for (int axes = TESS_D; axes <= (TESS_D | TESS_H | TESS_W); axes += TESS_D) { /* all sets of d, h, w */
        tess_array sums = { 0 }, weights = { 0 }, view = { 0 }, weights_view = { 0 };
        CHECK_OK(tess_zeros(&sums, cube, TESS_C64, tess_cpu()));
        CHECK_OK(tess_zeros(&weights, cube, TESS_F64, tess_cpu()));
        CHECK_OK(tess_reverse(&view, &sums, axes));
        CHECK_OK(tess_reverse(&weights_view, &weights, axes));
        CHECK_OK(tess_fourier_insert(&view, &weights_view, &slices, shape, &q, NULL));
        CHECK(distance(&view, &want) == 0 && distance(&weights_view, &want_weights) == 0);
        tess_release(&sums);
        tess_release(&weights);
    }
    tess_array *all[] = { &slices, &q, &want, &want_weights };
    for (int i = 0; i < 4; i++) tess_release(all[i]);
}

/* ---- A reconstruction ---- */

enum { SIZE = 32, ATOMS = 60, VIEWS = 300 };

static void add_gaussians(double *out, const double centre[3], int dims)
{
    const double sigma = 0.8;
    for (int64_t i = 0; i < (dims == 3 ? SIZE : 1); i++)
        for (int64_t y = 0; y < SIZE; y++) {
            const double dz = dims == 3 ? (double)(i - SIZE / 2) - centre[0] : 0,
                         dy = (double)(y - SIZE / 2) - centre[1];
            if (fabs(dz) > 5 || fabs(dy) > 5) continue;
            const double zy = exp(-(dz * dz + dy * dy) / (2 * sigma * sigma));
            for (int64_t x = 0; x < SIZE; x++) {
                const double dx = (double)(x - SIZE / 2) - centre[2];
                out[(i * SIZE + y) * SIZE + x] += zy * exp(-dx * dx / (2 * sigma * sigma));
            }
        }
}

/* Half a ball of Gaussians and an arm, and its projections: what they are exactly. */
static void make_views(tess_array *truth, tess_array *views, const tess_array *matrices)
{
    tess_array    centres = { 0 };
    const double *m = matrices->data;
    CHECK_OK(tess_zeros(truth, TESS_SHAPE(1, SIZE, SIZE, SIZE), TESS_F64, tess_cpu()));
    CHECK_OK(tess_zeros(views, TESS_SHAPE(VIEWS, 1, SIZE, SIZE), TESS_F64, tess_cpu()));
    CHECK_OK(tess_empty(&centres, TESS_SHAPE(1, 1, ATOMS, 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_uniform(&centres, -5, 5, 8, NULL));
    for (int64_t i = 0; i < ATOMS; i++) {
        double *c = (double *)centres.data + 3 * i;
        c[0] = i % 3 ? fabs(c[0]) : c[0];
        add_gaussians(truth->data, c, 3);
        for (int64_t b = 0; b < VIEWS; b++) {
            const double *r = m + 9 * b;
            const double p[3] = { 0, r[1] * c[0] + r[4] * c[1] + r[7] * c[2], r[2] * c[0] + r[5] * c[1] + r[8] * c[2] };
            add_gaussians((double *)views->data + b * SIZE * SIZE, p, 2);
        }
    }
    tess_release(&centres);
}

/* The smallest correlation with the truth up to 0.8 of Nyquist. */
static double least_correlation(const tess_array *map, const tess_array *truth)
{
    tess_array a = { 0 }, b = { 0 }, fsc = { 0 };
    double     least = 1, x = 0;
    CHECK_OK(tess_fft_r2c(&a, map, NULL));
    CHECK_OK(tess_fft_r2c(&b, truth, NULL));
    CHECK_OK(tess_fsc(&fsc, &a, &b, truth->shape, NULL));
    for (int64_t k = 1; k <= (int64_t)(0.8 * SIZE / 2); k++) {
        CHECK_OK(tess_get_f64(&x, &fsc, 0, 0, 0, k));
        least = fmin(least, x);
    }
    tess_release(&a);
    tess_release(&b);
    tess_release(&fsc);
    return least;
}

/* Slices of the truth are the projections' transforms, and inserted they give the truth again. */
TEST(projections_reconstruct_the_structure)
{
    const tess_shape cube = TESS_SHAPE(1, SIZE, SIZE, SIZE);
    tess_array       q = rotations_of(VIEWS, 5), m = { 0 }, truth = { 0 }, views = { 0 }, moved = { 0 }, slices = { 0 };
    tess_array       volume = { 0 }, weights = { 0 }, map = { 0 };
    CHECK_OK(tess_quat_to_matrix(&m, &q));
    make_views(&truth, &views, &m);
    CHECK_OK(tess_ifftshift(&moved, &views, TESS_H | TESS_W));
    CHECK_OK(tess_fft_r2c(&slices, &moved, NULL));
    for (int method = 0; method < 2; method++) {
        const tess_fourier_insert_opts o = { .window = method ? 1.0 / SIZE : 0, .interp = TESS_INTERP_LANCZOS4 };
        tess_release(&moved);
        CHECK_OK(tess_fourier_insert(&volume, &weights, &slices, views.shape, &q, &o));
        CHECK_OK(tess_fourier_normalize(&volume, &volume, &weights, &(tess_fourier_normalize_opts){ .min_weight = 0.01 }));
        CHECK_OK(tess_fft_c2r(&moved, &volume, cube, NULL));
        CHECK_OK(tess_fftshift(&map, &moved, TESS_D | TESS_H | TESS_W));
        CHECK_OK(tess_gridding_correct(&map, &map, NULL));
        const double least = least_correlation(&map, &truth);
        if (!CHECK(least > 0.95)) printf("    %s: %.4f\n", method ? "windowed" : "spread", least);
    }
    tess_array *all[] = { &q, &m, &truth, &views, &moved, &slices, &volume, &weights, &map };
    for (int i = 0; i < 9; i++) tess_release(all[i]);
}

/* ---- Special arguments ---- */

TEST(nothing_is_made_of_nothing)
{
    tess_array q = rotations_of(1, 1), none = { 0 }, out = { 0 }, volume = { 0 };
    CHECK_OK(tess_empty(&none, TESS_SHAPE(0, 1, 4, 3), TESS_C32, tess_cpu()));
    CHECK_OK(tess_fourier_insert(&volume, NULL, &none, TESS_SHAPE(0, 1, 4, 4), &q, NULL));
    CHECK_DIMS(volume.shape, 1, 4, 4, 3);
    tess_array two = identity(1, 2);
    CHECK_OK(tess_transform_spectrum_2d(&out, &none, TESS_SHAPE(0, 1, 4, 4), &two, NULL));
    CHECK_DIMS(out.shape, 0, 1, 4, 3);
    tess_release(&two);
    tess_release(&q);
    tess_release(&none);
    tess_release(&out);
    tess_release(&volume);
}

/* A quaternion of 0 has no rotation: nothing is known of its slice, and nothing is added by it. */
TEST(rotations_that_are_no_numbers)
{
    const tess_shape shape = TESS_SHAPE(1, 4, 4, 4), images = TESS_SHAPE(2, 1, 4, 4);
    tess_array       q = rotations_of(2, 1), volume = spectrum(shape, 1), slices = spectrum(images, 2), first, one;
    tess_array       all = { 0 }, single = { 0 }, far = { 0 };
    for (int64_t k = 0; k < 4; k++) CHECK_OK(tess_set_f64(&q, 1, 0, 0, k, 0));
    CHECK_OK(tess_slice(&first, &slices, 0, 0, 1, 1));
    CHECK_OK(tess_slice(&one, &q, 0, 0, 1, 1));
    for (int k = 0; k < 2; k++) {
        const tess_fourier_insert_opts o = { .window = k ? 0.5 : 0 };
        CHECK_OK(tess_fourier_insert(&all, NULL, &slices, images, &q, &o));
        CHECK_OK(tess_fourier_insert(&single, NULL, &first, TESS_SHAPE(1, 1, 4, 4), &one, &o));
        CHECK(distance(&all, &single) == 0);
    }
    CHECK_OK(tess_fourier_extract(&far, &volume, shape, &q, NULL));
    CHECK(isfinite(at(&far, 0, 0, 1, 1).re) && isnan(at(&far, 1, 0, 1, 1).re));
    tess_array *used[] = { &q, &volume, &slices, &all, &single, &far };
    for (int i = 0; i < 6; i++) tess_release(used[i]);
}

/* Frequencies beyond all numbers, of an input whose rows are not contiguous: nothing is there. */
TEST(matrices_that_are_infinite)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 4, 4);
    tess_array       two = spectrum(TESS_SHAPE(1, 1, 4, 12), 1), wide, m = identity(1, 2), out = { 0 };
    CHECK_OK(tess_slice(&wide, &two, 3, 0, 6, 2));
    for (int64_t k = 0; k < 2; k++) CHECK_OK(tess_set_f64(&m, 0, 0, k, k, 1e300));
    CHECK_OK(tess_transform_spectrum_2d(&out, &wide, shape, &m, NULL));
    CHECK(at(&out, 0, 0, 0, 0).re == at(&wide, 0, 0, 0, 0).re);
    CHECK(at(&out, 0, 0, 1, 1).re == 0 && at(&out, 0, 0, 1, 1).im == 0);
    tess_release(&two);
    tess_release(&m);
    tess_release(&out);
}

/* Outputs that were made stay what they are, whichever of the arguments is wrong. */
TEST(after_a_failure_outputs_are_what_they_were)
{
    const tess_shape shape = TESS_SHAPE(1, 4, 4, 4), images = TESS_SHAPE(2, 1, 4, 4);
    tess_array       q = rotations_of(2, 1), volume = spectrum(shape, 1), slices = spectrum(images, 2);
    tess_array       kept = { 0 }, kept_slices = { 0 }, narrow = noise(TESS_SHAPE(1, 4, 4, 2), TESS_F64, 3);
    tess_array       weights = noise(volume.shape, TESS_F64, 4), few = noise(TESS_SHAPE(2, 1, 4, 2), TESS_F64, 5);
    CHECK_OK(tess_copy(&kept, &volume));
    CHECK_OK(tess_copy(&kept_slices, &slices));
    CHECK_FAILS(tess_fourier_insert(&volume, &narrow, &slices, images, &q, NULL), TESS_ESHAPE,
                "fourier_insert: weights has shape {1,4,4,2}");
    CHECK_FAILS(tess_fourier_insert(&volume, NULL, &slices, images, &q, &(tess_fourier_insert_opts){ .window = 0.2 }),
                TESS_ERANGE, "fourier_insert: opts->window is 0.2");
    CHECK(distance(&volume, &kept) == 0);
    CHECK_FAILS(tess_fourier_extract(&slices, &volume, shape, &q,
                                     &(tess_fourier_extract_opts){ .weights = &weights, .slice_weights = &few }),
                TESS_ESHAPE, "fourier_extract: opts->slice_weights has shape {2,1,4,2}");
    CHECK_FAILS(tess_fourier_insert_extract(&slices, &few, &kept_slices, images, &q, &q, NULL), TESS_ESHAPE,
                "fourier_insert_extract: out_weights has shape {2,1,4,2}");
    CHECK_FAILS(tess_fourier_insert_extract(&slices, NULL, &kept_slices, images, &q, &q,
                                            &(tess_fourier_insert_extract_opts){ .window = 0.2 }),
                TESS_ERANGE, "fourier_insert_extract: opts->window is 0.2");
    CHECK(distance(&slices, &kept_slices) == 0);
    tess_array *all[] = { &q, &volume, &slices, &kept, &kept_slices, &narrow, &weights, &few };
    for (int i = 0; i < 8; i++) tess_release(all[i]);
}

/* Slices of a real volume and those of its weights are of one dtype, and could be one array. */
TEST(slices_and_their_weights_are_different_arrays)
{
    const tess_shape shape = TESS_SHAPE(1, 4, 4, 4);
    tess_array       q = rotations_of(2, 1), volume = noise(TESS_SHAPE(1, 4, 4, 3), TESS_F64, 1), out = { 0 };
    tess_array       weights = noise(volume.shape, TESS_F64, 2), none = { 0 }, over;
    CHECK_OK(tess_slice(&over, &weights, 1, 0, 2, 1));
    CHECK_OK(tess_permute(&over, &over, 1, 0, 2, 3));
    CHECK_FAILS(tess_fourier_extract(&out, &volume, shape, &q,
                                     &(tess_fourier_extract_opts){ .weights = &weights, .slice_weights = &out }),
                TESS_EALIAS,
                "fourier_extract: slices and opts->slice_weights are the same array; they must be different");
    CHECK_FAILS(tess_fourier_extract(&over, &volume, shape, &q,
                                     &(tess_fourier_extract_opts){ .weights = &weights, .slice_weights = &none }),
                TESS_EALIAS, "fourier_extract: slices", "shares memory with opts->weights");
    CHECK(out.data == NULL && none.data == NULL);
    tess_array *all[] = { &q, &volume, &weights };
    for (int i = 0; i < 3; i++) tess_release(all[i]);
}

TEST(bad_arguments_are_told)
{
    const tess_shape shape = TESS_SHAPE(1, 4, 4, 4), images = TESS_SHAPE(2, 1, 4, 4);
    tess_array       q = rotations_of(2, 1), volume = spectrum(shape, 1), slices = spectrum(images, 2), out = { 0 };
    tess_array       bytes = { 0 }, real = { 0 }, three = rotations_of(3, 1), two = identity(1, 2);
    CHECK_OK(tess_ones(&bytes, TESS_SHAPE(1, 4, 4, 3), TESS_U8, tess_cpu()));
    CHECK_OK(tess_ones(&real, TESS_SHAPE(2, 1, 4, 3), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_fourier_extract(NULL, &volume, shape, &q, NULL), TESS_EARG, "fourier_extract: slices is NULL");
    CHECK_FAILS(tess_fourier_extract(&out, &bytes, shape, &q, NULL), TESS_EDTYPE, "volume is u8",
                "f32, f64, c32 or c64");
    CHECK_FAILS(tess_fourier_extract(&out, &volume, images, &q, NULL), TESS_ESHAPE, "shape is {2,1,4,4}",
                "single volume");
    CHECK_FAILS(tess_fourier_extract(&out, &volume, shape, &q, &(tess_fourier_extract_opts){ .window = 0.1 }),
                TESS_ERANGE, "opts->window is 0.1");
    CHECK_FAILS(tess_fourier_extract(&out, &volume, shape, &q, &(tess_fourier_extract_opts){ .cutoff = -1 }),
                TESS_ERANGE, "cutoff");
    CHECK_FAILS(tess_fourier_extract(&out, &volume, shape, &q, &(tess_fourier_extract_opts){ .weights = &volume }),
                TESS_EARG, "opts->weights and opts->slice_weights");
    CHECK_FAILS(tess_fourier_extract(&volume, &volume, shape, &q, NULL), TESS_ESHAPE, "slices");
    CHECK_FAILS(tess_fourier_extract(&out, &volume, shape, &volume, NULL), TESS_EDTYPE, "rotations is c64");
    CHECK_FAILS(tess_fourier_insert(&out, NULL, &slices, images, &three, NULL), TESS_ESHAPE,
                "rotations is f64 {3,1,1,4}", "one for each of the 2 slices");
    CHECK_FAILS(tess_fourier_insert(&out, NULL, &slices, shape, &q, NULL), TESS_ESHAPE, "shape is {1,4,4,4}", "images");
    CHECK_FAILS(tess_fourier_insert(&out, NULL, &real, images, &q, NULL), TESS_EDTYPE, "slices is f32; c32 or c64");
    CHECK_FAILS(
        tess_fourier_insert(&out, NULL, &slices, images, &q, &(tess_fourier_insert_opts){ .slice_weights = &real }),
        TESS_EDTYPE, "opts->slice_weights is f32", "weights must be f64");
    CHECK_FAILS(tess_fourier_insert(&out, NULL, &slices, images, &q, &(tess_fourier_insert_opts){ .window = 0.2 }),
                TESS_ERANGE, "opts->window is 0.2", "at least 0.25");
    CHECK_FAILS(tess_fourier_insert(&out, &bytes, &slices, images, &q, NULL), TESS_EDTYPE, "weights has dtype u8",
                "f64 is needed");
    CHECK_FAILS(tess_fourier_insert_extract(&out, NULL, &slices, images, &q, NULL, NULL), TESS_EARG,
                "out_rotations is NULL");
    CHECK_FAILS(tess_transform_spectrum_2d(&out, &slices, shape, &two, NULL), TESS_ESHAPE, "shape is {1,4,4,4}",
                "images");
    CHECK_FAILS(tess_transform_spectrum_2d(&out, &slices, images, &q, NULL), TESS_ESHAPE, "matrices");
    CHECK_FAILS(
        tess_transform_spectrum_2d(&out, &slices, images, &two, &(tess_transform_spectrum_opts){ .shifts = &two }),
        TESS_ESHAPE, "opts->shifts is {1,1,2,2}", "{1,1,1,2} or {2,1,1,2}");
    CHECK_FAILS(tess_gridding_correct(&out, &bytes, NULL), TESS_EDTYPE, "in is u8");
    CHECK_FAILS(tess_fourier_normalize(&out, &volume, &volume, NULL), TESS_EDTYPE, "weights is c64");
    CHECK(out.data == NULL);
    tess_array *all[] = { &q, &volume, &slices, &bytes, &real, &three, &two };
    for (int i = 0; i < 7; i++) tess_release(all[i]);
}
