/* Polar transforms, rotational averages and fused spectra: examples, bad arguments, empty arrays, and faults of other
 * libraries that must not come back. */
#include "tessera/polar.h"

#include <math.h>

#include "support/test.h"

static tess_array made(tess_shape shape, tess_dtype dtype)
{
    tess_array a = { .data = NULL };
    CHECK_OK(tess_zeros(&a, shape, dtype, tess_cpu()));
    return a;
}

static tess_array noise(tess_shape shape, tess_dtype dtype)
{
    tess_array a = made(shape, dtype);
    CHECK_OK(tess_random_normal(&a, 0, 1, 7, NULL));
    return a;
}

static double get(const tess_array *a, int64_t b, int64_t h, int64_t w)
{
    double x = NAN;
    CHECK_OK(tess_get_f64(&x, a, b, 0, h, w));
    return x;
}

static tess_c64 get_complex(const tess_array *a, int64_t h, int64_t w)
{
    tess_c64 z = { NAN, NAN };
    CHECK_OK(tess_get_c64(&z, a, 0, 0, h, w));
    return z;
}

static double largest_difference(const tess_array *a, const tess_array *b)
{
    double     most = NAN;
    tess_array difference = { .data = NULL }, size = { .data = NULL }, all = { .data = NULL };
    CHECK_OK(tess_sub(&difference, a, b));
    CHECK_OK(tess_abs(&size, &difference));
    CHECK_OK(tess_max(&all, &size, 0, NULL));
    CHECK_OK(tess_get_f64(&most, &all, 0, 0, 0, 0));
    tess_release(&difference);
    tess_release(&size);
    tess_release(&all);
    return most;
}

/* ---- Images ---- */

TEST(angles_run_along_the_height_from_x_to_y)
{
    tess_array image = made(TESS_SHAPE(1, 1, 9, 9), TESS_F64), polar = { .data = NULL };
    CHECK_OK(tess_set_f64(&image, 0, 0, 4, 7, 1)); /* right of the centre by 3 */
    CHECK_OK(tess_set_f64(&image, 0, 0, 6, 4, 2)); /* below it by 2 */
    CHECK_OK(tess_cartesian_to_polar(&polar, &image, &(tess_polar_opts){ .height = 8 }));
    CHECK_DIMS(polar.shape, 1, 1, 8, 5);
    CHECK(get(&polar, 0, 0, 3) == 1);
    CHECK(fabs(get(&polar, 0, 2, 2) - 2) < 1e-14);
    tess_release(&polar);
    tess_release(&image);
}

TEST(default_sizes_are_pixels)
{
    tess_array image = noise(TESS_SHAPE(2, 1, 20, 31), TESS_F32), polar = { .data = NULL }, back = { .data = NULL };
    CHECK_OK(tess_cartesian_to_polar(&polar, &image, NULL));
    CHECK_DIMS(polar.shape, 2, 1, 63, 10); /* 2 pi 10 */
    CHECK(polar.dtype == TESS_F32);
    CHECK_OK(tess_polar_to_cartesian(&back, &polar, NULL));
    CHECK_DIMS(back.shape, 2, 1, 20, 20);
    tess_release(&back);
    tess_release(&polar);
    tess_release(&image);
}

/* noa's default radius is min(size - centre) alone. */
TEST(noa_default_radius_sees_two_edges)
{
    tess_array image = made(TESS_SHAPE(1, 1, 64, 64), TESS_F32), polar = { .data = NULL };
    CHECK_OK(tess_cartesian_to_polar(&polar, &image, &(tess_polar_opts){ .shift_w = -20, .height = 1 }));
    CHECK_I64(polar.shape.w, 13); /* 12 pixels on the left, and the centre */
    tess_release(&polar);
    CHECK_OK(tess_cartesian_to_polar(&polar, &image, &(tess_polar_opts){ .shift_h = 20, .height = 1 }));
    CHECK_I64(polar.shape.w, 12);
    tess_release(&polar);
    tess_release(&image);
}

TEST(logarithmic_radii)
{
    tess_array      image = made(TESS_SHAPE(1, 1, 3, 101), TESS_F64), polar = made(TESS_SHAPE(1, 1, 1, 6), TESS_F64);
    tess_polar_opts o = { .rho_start = 2, .rho_stop = 40, .rho_endpoint = 1, .log = 1, .border = TESS_BORDER_CLAMP };
    for (int64_t h = 0; h < 3; h++)
        for (int64_t w = 0; w < 101; w++) CHECK_OK(tess_set_f64(&image, 0, 0, h, w, (double)(w - 50)));
    CHECK_OK(tess_cartesian_to_polar(&polar, &image, &o)); /* at angle 0 the value is the radius */
    for (int64_t k = 0; k < 6; k++)
        CHECK(fabs(get(&polar, 0, 0, k) - (2 + exp((double)k * log(1 + 40 - 2) / 5) - 1)) < 1e-12);
    tess_release(&polar);
    tess_release(&image);
}

/* A smooth image of values that differ with the angle. */
static tess_array smooth_image(int64_t n)
{
    tess_array image = made(TESS_SHAPE(1, 1, n, n), TESS_F64);
    for (int64_t h = 0; h < n; h++)
        for (int64_t w = 0; w < n; w++) {
            const double y = (double)(h - n / 2), x = (double)(w - n / 2);
            CHECK_OK(tess_set_f64(&image, 0, 0, h, w, exp(-(y * y + x * x) / 200) * (2 + x / 10 + y / 14)));
        }
    return image;
}

/* noa's GPU swaps input and output, and loses what lies between the last angle and a full turn. */
TEST(noa_polar_inverse_is_not_periodic_in_the_angle)
{
    for (int endpoint = 0; endpoint < 2; endpoint++) {
        tess_array image = smooth_image(64), polar = made(TESS_SHAPE(1, 1, 120, 64), TESS_F64),
                   back = made(TESS_SHAPE(1, 1, 64, 64), TESS_F64);
        tess_polar_opts o = { .rho_stop = 32,
                              .phi_start = 0.3,
                              .phi_endpoint = endpoint,
                              .interp = TESS_INTERP_CUBIC,
                              .border = TESS_BORDER_CLAMP };
        CHECK_OK(tess_cartesian_to_polar(&polar, &image, &o));
        CHECK_OK(tess_polar_to_cartesian(&back, &polar, &o));
        for (int64_t h = 0; h < 64; h++)
            for (int64_t w = 0; w < 64; w++) {
                const double rho = hypot((double)(h - 32), (double)(w - 32));
                if (rho > 2 && rho < 29 && !CHECK(fabs(get(&back, 0, h, w) - get(&image, 0, h, w)) < 2e-3)) break;
            }
        tess_release(&back);
        tess_release(&polar);
        tess_release(&image);
    }
}

TEST(angles_that_are_no_full_turn_end)
{
    tess_array      polar = made(TESS_SHAPE(1, 1, 5, 8), TESS_F32), image = { .data = NULL };
    tess_polar_opts o = {
        .phi_start = -0.5, .phi_stop = 0.5, .phi_endpoint = 1, .border = TESS_BORDER_VALUE, .value = -3
    };
    CHECK_OK(tess_fill(&polar, 1));
    CHECK_OK(tess_polar_to_cartesian(&image, &polar, &o));
    CHECK(get(&image, 0, 8, 12) == 1);  /* angle 0 */
    CHECK(get(&image, 0, 6, 13) == 1);  /* -0.38 */
    CHECK(get(&image, 0, 8, 4) == -3);  /* pi */
    CHECK(get(&image, 0, 12, 8) == -3); /* pi / 2 */
    tess_release(&image);
    tess_release(&polar);
}

TEST(nothing_leaves_what_is_beyond)
{
    tess_array image = made(TESS_SHAPE(1, 1, 7, 7), TESS_F32), polar = made(TESS_SHAPE(1, 1, 1, 8), TESS_F32);
    CHECK_OK(tess_fill(&image, 1));
    CHECK_OK(tess_fill(&polar, 9));
    CHECK_OK(
        tess_cartesian_to_polar(&polar, &image, &(tess_polar_opts){ .border = TESS_BORDER_NOTHING, .rho_stop = 8 }));
    CHECK(get(&polar, 0, 0, 3) == 1 && get(&polar, 0, 0, 4) == 9);
    tess_release(&polar);
    tess_release(&image);
}

TEST(bad_arguments_of_images)
{
    tess_array image = made(TESS_SHAPE(2, 1, 8, 8), TESS_F32), volume = made(TESS_SHAPE(1, 4, 8, 8), TESS_F32);
    tess_array out = { .data = NULL }, other = made(TESS_SHAPE(3, 1, 4, 4), TESS_F32);
    tess_array wrong = made(TESS_SHAPE(2, 1, 4, 4), TESS_F64), none = made(TESS_SHAPE(1, 1, 0, 8), TESS_F32);
    CHECK_FAILS(tess_cartesian_to_polar(NULL, &image, NULL), TESS_EARG, "cartesian_to_polar", "out");
    CHECK_FAILS(tess_cartesian_to_polar(&out, NULL, NULL), TESS_EARG, "in");
    CHECK_FAILS(tess_cartesian_to_polar(&out, &volume, NULL), TESS_ESHAPE, "in has shape {1,4,8,8}", "not a volume");
    CHECK_FAILS(tess_polar_to_cartesian(&out, &volume, NULL), TESS_ESHAPE, "polar_to_cartesian", "not a volume");
    CHECK_FAILS(tess_cartesian_to_polar(&other, &image, NULL), TESS_ESHAPE, "{2,1,8,8}", "{3,1,4,4}");
    CHECK_FAILS(tess_cartesian_to_polar(&wrong, &image, NULL), TESS_EDTYPE, "f32");
    CHECK_FAILS(tess_cartesian_to_polar(&image, &image, NULL), TESS_EALIAS, "in");
    CHECK_FAILS(tess_cartesian_to_polar(&other, &none, &(tess_polar_opts){ .rho_stop = 2 }), TESS_ESHAPE,
                "in must not be empty");
#define TO(...) tess_cartesian_to_polar(&out, &image, &(tess_polar_opts){ __VA_ARGS__ })
    CHECK_FAILS(TO(.rho_start = 3, .rho_stop = 2), TESS_ERANGE, "opts->rho_start is 3", "opts->rho_stop is 2");
    CHECK_FAILS(TO(.rho_start = -1), TESS_ERANGE, "opts->rho_start is -1", "0 <= start < stop");
    CHECK_FAILS(TO(.rho_start = 9), TESS_ERANGE, "opts->rho_start is 9", "by default 4, the edge of the image");
    CHECK_FAILS(TO(.shift_h = 100), TESS_ERANGE, "the edge of the image");
    CHECK_FAILS(TO(.phi_start = 1, .phi_stop = 1), TESS_ERANGE, "both 1");
    CHECK_FAILS(TO(.rho_stop = NAN), TESS_ERANGE, "rho_stop");
    CHECK_FAILS(TO(.interp = 99), TESS_EARG, "interp");
    CHECK_FAILS(TO(.value = 2), TESS_EARG, "opts->value is 2", "to be \"value\", not ");
    CHECK_FAILS(TO(.value_imag = 2, .border = TESS_BORDER_VALUE), TESS_EDTYPE, "opts->value_imag is 2", "complex");
    CHECK_FAILS(TO(.border = TESS_BORDER_NOTHING), TESS_EARG, "out is zeroed", "opts->border is \"nothing\"");
    CHECK_FAILS(TO(.unused = 1), TESS_ERANGE, "unused");
#undef TO
    CHECK(out.data == NULL);
    tess_release(&image);
    tess_release(&volume);
    tess_release(&other);
    tess_release(&wrong);
    tess_release(&none);
}

TEST(empty_arrays)
{
    tess_array image = made(TESS_SHAPE(0, 1, 8, 8), TESS_F32), out = { .data = NULL };
    tess_array spectrum = made(TESS_SHAPE(2, 1, 0, 5), TESS_C32), curve = { .data = NULL };
    CHECK_OK(tess_cartesian_to_polar(&out, &image, NULL));
    CHECK_I64(out.shape.b, 0);
    CHECK_OK(tess_rotational_average(&curve, &spectrum, TESS_SHAPE(2, 1, 0, 8), NULL));
    CHECK_DIMS(curve.shape, 2, 1, 1, 5);
    CHECK(get_complex(&curve, 0, 2).re == 0);
    tess_release(&curve);
    tess_release(&spectrum);
    tess_release(&out);
    tess_release(&image);
}

/* ---- Spectra ---- */

/* noa's nearest taps are not conjugated, and its linear ones flip the whole coordinate. */
TEST(noa_polar_taps_of_half_spectra_flip_together)
{
    static const int64_t sizes[2][2] = { { 8, 10 }, { 9, 7 } };
    for (int k = 0; k < 2; k++) {
        const tess_shape shape = TESS_SHAPE(1, 1, sizes[k][0], sizes[k][1]);
        tess_array       image = noise(shape, TESS_F64), half = { .data = NULL }, full = { .data = NULL };
        CHECK_OK(tess_fft_r2c(&half, &image, NULL));
        for (int layout = TESS_FFT_HC; layout <= TESS_FFT_FC; layout++) {
            CHECK_OK(tess_fft_remap(&full, &half, shape, TESS_FFT_H, (tess_fft_layout)layout));
            for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
                tess_array                  a = { .data = NULL }, b = { .data = NULL };
                tess_spectrum_to_polar_opts o = { .interp = method, .phi_start = 0.01, .phi_stop = 6.2, .height = 40 };
                CHECK_OK(tess_spectrum_to_polar(&a, &half, shape, &o));
                o.layout = layout;
                CHECK_OK(tess_spectrum_to_polar(&b, &full, shape, &o));
                CHECK(largest_difference(&a, &b) < 1e-13);
                tess_release(&a);
                tess_release(&b);
            }
            tess_release(&full);
        }
        tess_release(&half);
        tess_release(&image);
    }
}

TEST(bad_arguments_of_spectra)
{
    tess_array spectrum = made(TESS_SHAPE(1, 1, 8, 5), TESS_C32), volume = made(TESS_SHAPE(1, 8, 8, 5), TESS_C32);
    tess_array out = { .data = NULL };
    CHECK_FAILS(tess_spectrum_to_polar(&out, &spectrum, TESS_SHAPE(1, 1, 8, 12), NULL), TESS_ESHAPE, "in has shape");
    CHECK_FAILS(tess_spectrum_to_polar(&out, &volume, TESS_SHAPE(1, 8, 8, 8), NULL), TESS_ESHAPE, "not of a volume");
    CHECK_FAILS(tess_spectrum_to_polar(&out, &spectrum, TESS_SHAPE(1, 1, 8, 8),
                                       &(tess_spectrum_to_polar_opts){ .rho_start = 0.6 }),
                TESS_ERANGE, "opts->rho_start is 0.6", "opts->rho_stop is 0.5");
    CHECK_FAILS(
        tess_spectrum_to_polar(&out, &spectrum, TESS_SHAPE(1, 1, 8, 8), &(tess_spectrum_to_polar_opts){ .layout = 9 }),
        TESS_EARG, "layout");
    tess_release(&spectrum);
    tess_release(&volume);
}

/* ---- Averages ---- */

/* noa counts every stored element of half spectra once. */
TEST(noa_averages_count_interior_columns_once)
{
    const tess_shape shape = TESS_SHAPE(2, 6, 9, 10);
    tess_array       image = noise(shape, TESS_F64), half = { .data = NULL }, first = { .data = NULL };
    CHECK_OK(tess_fft_r2c(&half, &image, NULL));
    for (int layout = TESS_FFT_H; layout <= TESS_FFT_FC; layout++) {
        tess_array                   spectrum = { .data = NULL }, curve = { .data = NULL }, weights = { .data = NULL };
        tess_rotational_average_opts o = { .layout = layout, .power = 1, .weights = &weights };
        CHECK_OK(tess_fft_remap(&spectrum, &half, shape, TESS_FFT_H, (tess_fft_layout)layout));
        CHECK_OK(tess_rotational_average(&curve, &spectrum, shape, &o));
        CHECK(curve.dtype == TESS_F64 && weights.dtype == TESS_F64);
        CHECK(get(&weights, 0, 0, 0) >= 1);
        if (!first.data) first = curve;
        else {
            CHECK(largest_difference(&curve, &first) < 1e-9);
            tess_release(&curve);
        }
        tess_release(&spectrum);
        tess_release(&weights);
    }
    tess_release(&first);
    tess_release(&half);
    tess_release(&image);
}

TEST(sums_are_added_and_become_means)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 12, 12);
    tess_array       a = noise(TESS_SHAPE(1, 1, 12, 7), TESS_F32), b = made(a.shape, TESS_F32), both = { .data = NULL };
    tess_array       total = made(TESS_SHAPE(1, 1, 1, 7), TESS_F64), weights = made(total.shape, TESS_F64);
    tess_rotational_average_opts o = { .weights = &weights, .sum = 1, .add = 1 };
    CHECK_OK(tess_fill(&b, 3));
    CHECK_OK(tess_rotational_average(&total, &a, shape, &o));
    o.sum = 0;
    CHECK_OK(tess_rotational_average(&total, &b, shape, &o));
    tess_array mean = { .data = NULL };
    CHECK_OK(tess_add(&both, &a, &b));
    CHECK_OK(tess_rotational_average(&mean, &both, shape, NULL));
    for (int64_t k = 0; k < 7; k++) CHECK(fabs(2 * get(&total, 0, 0, k) - get(&mean, 0, 0, k)) < 1e-5);
    tess_release(&mean);
    tess_release(&both);
    tess_release(&weights);
    tess_release(&total);
    tess_release(&a);
    tess_release(&b);
}

/* A number that is not one stays in the shells it lies in. */
TEST(nan_reaches_no_other_shell)
{
    tess_array spectrum = made(TESS_SHAPE(1, 1, 8, 5), TESS_F32), curve = { .data = NULL };
    CHECK_OK(tess_set_f64(&spectrum, 0, 0, 0, 0, NAN));
    CHECK_OK(tess_set_f64(&spectrum, 0, 0, 4, 4, INFINITY)); /* beyond the last shell */
    CHECK_OK(tess_rotational_average(&curve, &spectrum, TESS_SHAPE(1, 1, 8, 8), NULL));
    CHECK(isnan(get(&curve, 0, 0, 0)));
    for (int64_t k = 1; k < 5; k++) CHECK(get(&curve, 0, 0, k) == 0);
    tess_release(&curve);
    tess_release(&spectrum);
}

/* Rings of an astigmatic CTF are averaged along themselves; noa divides by 0 without Cs. */
TEST(astigmatic_rings_keep_their_contrast)
{
    static const double cs[] = { 2.7, 0 };
    const tess_shape    shape = TESS_SHAPE(1, 1, 256, 256);
    for (int k = 0; k < 2; k++) {
        tess_ctf       ctf = { .pixel_size = { 1.5 }, .defocus = 1.5, .amplitude = 0.1, .cs = cs[k] };
        const tess_ctf round = ctf;
        ctf.astigmatism = 0.15;
        ctf.angle = 0.6;
        tess_array image = made(TESS_SHAPE(1, 1, 256, 129), TESS_F64), curve = { .data = NULL },
                   rows = { .data = NULL };
        tess_ctf_opts squared = { .squared = 1 };
        CHECK_OK(tess_ctf_image(&image, shape, &ctf, &squared));
        CHECK_OK(tess_wrap(&rows, &ctf, TESS_SHAPE(1, 1, 1, TESS_CTF_COLUMNS), TESS_F64, NULL));
        CHECK_OK(tess_rotational_average(&curve, &image, shape, &(tess_rotational_average_opts){ .ctfs = &rows }));
        for (int64_t i = 8; i < 45; i++) { /* shells further out are coarse for its rings */
            const double f = (double)i / 256, want = tess_ctf_value_at(&round, 0, f);
            if (!CHECK(fabs(get(&curve, 0, 0, i) - want * want) < 0.08)) break;
        }
        tess_release(&curve);
        tess_release(&image);
    }
}

TEST(bad_arguments_of_averages)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 8, 8);
    tess_array       spectrum = made(TESS_SHAPE(1, 1, 8, 5), TESS_C32), real = made(spectrum.shape, TESS_F32);
    tess_array       out = { .data = NULL }, curve = made(TESS_SHAPE(1, 1, 1, 5), TESS_C32), weights = { .data = NULL };
    tess_array       few = made(TESS_SHAPE(1, 1, 1, 5), TESS_F64), integers = made(curve.shape, TESS_I32);
    tess_array       ctfs = made(TESS_SHAPE(1, 1, 1, 8), TESS_F64), volume = made(TESS_SHAPE(1, 2, 8, 5), TESS_C32);
#define AVERAGE(out, in, ...) tess_rotational_average(out, in, shape, &(tess_rotational_average_opts){ __VA_ARGS__ })
    CHECK_FAILS(AVERAGE(&curve, &real, .sum = 1), TESS_EDTYPE, "out is c32 and in is f32");
    CHECK_FAILS(AVERAGE(&integers, &real, .sum = 1), TESS_EDTYPE, "out is i32");
    CHECK_FAILS(AVERAGE(&out, &spectrum, .start = 0.1), TESS_EARG, "opts->start is 0.1", "signals");
    CHECK_FAILS(AVERAGE(&out, &spectrum, .out_start = 0.5), TESS_ERANGE, "opts->out_start is 0.5");
    CHECK_FAILS(AVERAGE(&out, &spectrum, .ctfs = &few), TESS_ESHAPE, "opts->ctfs has shape {1,1,1,5}", "from 8 to 17");
    tess_array far = ctfs; /* said to be on a GPU that is not there */
    far.device = tess_gpu(0);
    CHECK_FAILS(AVERAGE(&out, &spectrum, .ctfs = &far), TESS_EDEVICE, "opts->ctfs is on gpu:0 and in on cpu");
    CHECK_FAILS(AVERAGE(&out, &spectrum, .add = 1), TESS_EARG, "out is zeroed", "opts->add");
    CHECK_FAILS(AVERAGE(&curve, &spectrum, .add = 1), TESS_EARG, "opts->weights is NULL");
    CHECK_FAILS(AVERAGE(&curve, &spectrum, .add = 1, .weights = &weights), TESS_EARG, "opts->weights is zeroed");
    CHECK_FAILS(AVERAGE(&curve, &spectrum, .weights = &integers), TESS_EDTYPE, "opts->weights is i32");
    CHECK_FAILS(AVERAGE(&out, &spectrum, .weights = &integers), TESS_EDTYPE, "opts->weights is i32");
    CHECK_FAILS(AVERAGE(&curve, &spectrum, .weights = &curve), TESS_EDTYPE, "opts->weights is c32");
    CHECK_FAILS(AVERAGE(&few, &spectrum, .weights = &few), TESS_EALIAS, "opts->weights");
    CHECK_FAILS(AVERAGE(&out, &real, .weights = &out), TESS_EALIAS, "out and opts->weights are the same array");
    CHECK_FAILS(AVERAGE(&out, &spectrum, .metric = { .hw = -1 }), TESS_ERANGE,
                "rotational_average: opts->metric is 1, 1, 1, 0, 0, -1", "positive definite");
    CHECK_FAILS(AVERAGE(&out, &spectrum, .metric = { .ww = 2 }, .ctfs = &ctfs), TESS_EARG,
                "rotational_average: opts->metric and opts->ctfs are both given");
    CHECK_FAILS(tess_rotational_average(&out, &volume, TESS_SHAPE(1, 2, 8, 8),
                                        &(tess_rotational_average_opts){ .ctfs = &ctfs }),
                TESS_ESHAPE, "opts->ctfs is for images");
    CHECK(out.data == NULL);
#undef AVERAGE
    tess_release(&spectrum);
    tess_release(&real);
    tess_release(&curve);
    tess_release(&few);
    tess_release(&integers);
    tess_release(&ctfs);
    tess_release(&volume);
}

/* ---- 1-D spectra ---- */

enum { ROWS = 3, COLUMNS = 400 };

/* Squared CTFs of different defocus, with their parameters. */
static void make_spectra(tess_array *spectra, tess_array *ctfs)
{
    *spectra = made(TESS_SHAPE(1, 1, ROWS, COLUMNS), TESS_F64);
    *ctfs = made(TESS_SHAPE(1, 1, ROWS, TESS_CTF_COLUMNS), TESS_F64);
    for (int64_t h = 0; h < ROWS; h++) {
        const tess_ctf ctf = { .pixel_size = { 1.5 }, .defocus = 1.2 + 0.2 * (double)h, .amplitude = 0.1, .cs = 2.7 };
        memcpy((double *)ctfs->data + h * TESS_CTF_COLUMNS, &ctf, sizeof ctf);
        for (int64_t w = 0; w < COLUMNS; w++) {
            const double value = tess_ctf_value_at(&ctf, 0, 0.5 * (double)w / (COLUMNS - 1));
            CHECK_OK(tess_set_f64(spectra, 0, 0, h, w, value * value));
        }
    }
}

static tess_array row_of(const tess_array *ctfs, int64_t h)
{
    tess_array row;
    CHECK_OK(tess_index(&row, ctfs, 2, h));
    return row;
}

TEST(spectra_of_different_defocus_become_one)
{
    tess_array spectra, ctfs, fused = { .data = NULL }, each = { .data = NULL };
    make_spectra(&spectra, &ctfs);
    tess_array target = row_of(&ctfs, 1);
    CHECK_OK(tess_fuse_spectra(&fused, &spectra, &ctfs, &target, NULL));
    CHECK_DIMS(fused.shape, 1, 1, 1, COLUMNS);
    CHECK_OK(
        tess_phase_spectra(&each, &spectra, &ctfs, &target, &(tess_phase_spectra_opts){ .interp = TESS_INTERP_CUBIC }));
    CHECK_DIMS(each.shape, 1, 1, ROWS, COLUMNS);
    for (int64_t w = 10; w < 250; w++) {
        CHECK(fabs(get(&fused, 0, 0, w) - get(&spectra, 0, 1, w)) < 0.05);
        for (int64_t h = 0; h < ROWS; h++) CHECK(fabs(get(&each, 0, h, w) - get(&spectra, 0, 1, w)) < 0.01);
    }
    for (int64_t w = 0; w < COLUMNS; w++) CHECK(fabs(get(&each, 0, 1, w) - get(&spectra, 0, 1, w)) < 1e-9);
    tess_release(&each);
    tess_release(&fused);
    tess_release(&spectra);
    tess_release(&ctfs);
}

/* noa multiplies values by the scale of the source, but not their weights. */
TEST(noa_scale_of_a_source_is_no_weight)
{
    tess_array spectra, ctfs, fused = { .data = NULL }, weights = { .data = NULL };
    make_spectra(&spectra, &ctfs);
    tess_array target = row_of(&ctfs, 1);
    CHECK_OK(tess_fill(&spectra, 2));
    for (int64_t h = 0; h < ROWS; h++) CHECK_OK(tess_set_f64(&ctfs, 0, 0, h, 10, 3));
    CHECK_OK(tess_fuse_spectra(&fused, &spectra, &ctfs, &target, &(tess_fuse_spectra_opts){ .weights = &weights }));
    CHECK(fabs(get(&fused, 0, 0, 40) - 2) < 1e-12);
    CHECK(get(&weights, 0, 0, 40) > 6);
    tess_release(&weights);
    tess_release(&fused);
    tess_release(&spectra);
    tess_release(&ctfs);
}

TEST(bad_arguments_of_spectra_of_ctfs)
{
    tess_array spectra, ctfs, out = { .data = NULL };
    make_spectra(&spectra, &ctfs);
    tess_array target = row_of(&ctfs, 0), complex_out = made(TESS_SHAPE(1, 1, 1, 9), TESS_C64);
    CHECK_FAILS(tess_fuse_spectra(&out, &spectra, &ctfs, &ctfs, NULL), TESS_ESHAPE, "target has shape {1,1,3,17}");
    CHECK_FAILS(tess_fuse_spectra(&out, &spectra, NULL, &target, NULL), TESS_EARG, "ctfs");
    CHECK_FAILS(tess_fuse_spectra(&complex_out, &spectra, &ctfs, &target, NULL), TESS_EDTYPE, "out is c64");
    CHECK_FAILS(tess_fuse_spectra(&out, &spectra, &ctfs, &target, &(tess_fuse_spectra_opts){ .start = 0.7 }),
                TESS_ERANGE, "opts->start is 0.7", "opts->stop is 0.5");
    CHECK_FAILS(tess_phase_spectra(&out, &spectra, &ctfs, &target, &(tess_phase_spectra_opts){ .out_start = 0.7 }),
                TESS_ERANGE, "opts->out_start is 0.7");
    CHECK_FAILS(tess_phase_spectra(&spectra, &spectra, &ctfs, &target, NULL), TESS_EALIAS, "phase_spectra", "in");
    CHECK(out.data == NULL);
    tess_release(&complex_out);
    tess_release(&spectra);
    tess_release(&ctfs);
}
