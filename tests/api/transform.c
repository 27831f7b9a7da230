/* Transforms of images and volumes: examples, exact moves, borders, empty arrays, every bad argument with its message.
 * Random ones are compared with SciPy in tests/oracle/geometry_transform.py. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "tessera/transform.h"

/* A matrix {1,1,rows,columns}. */
static tess_array matrix(int rows, int columns, const double *numbers_)
{
    tess_array a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, rows, columns), TESS_F64, tess_cpu()));
    memcpy(a.data, numbers_, (size_t)(rows * columns) * sizeof(double));
    return a;
}

static void check_row(const tess_array *a, int64_t h, int n, const double *want)
{
    for (int w = 0; w < n; w++)
        if (!(fabs(value_at(a, 0, 0, h, w) - want[w]) < 1e-6))
            (void)test_failed(__FILE__, __LINE__, "row %d, element %d is %g, not %g", (int)h, w,
                              value_at(a, 0, 0, h, w), want[w]);
}

/* ---- Examples ---- */

TEST(the_result_at_p_is_the_input_at_m_p)
{
    tess_array in = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 };
    tess_array m = matrix(2, 3, (double[]){ 1, 0, 0, 0, 1, 0.5 });
    CHECK_OK(tess_transform_2d(&out, &in, &m, NULL));
    check_row(&out, 0, 4, (double[]){ 0.5, 1.5, 2.5, 1.5 });
    CHECK_OK(tess_transform_2d(&out, &in, &m, &(tess_transform_opts){ .forward = 1 }));
    check_row(&out, 1, 4, (double[]){ 2, 4.5, 5.5, 6.5 });
    CHECK_OK(tess_transform_2d(&out, &in, &m, &(tess_transform_opts){ .border = TESS_BORDER_CLAMP, .shift_w = 0.5 }));
    CHECK(same_values(&out, &in));
    tess_release(&in);
    tess_release(&out);
    tess_release(&m);
}

TEST(matrices_are_numbers_or_compound_linear_or_affine)
{
    const double linear[4] = { 0, 1, 1, 0 }, affine[6] = { 0, 1, 0, 1, 0, 0 }, full[9] = { 0, 1, 0, 1, 0, 0, 9, 9, 9 };
    tess_array   in = numbers(TESS_F64, 1, 1, 3, 3), want = { 0 }, swapped, out = { 0 };
    tess_array   m[4] = { matrix(2, 2, linear), matrix(2, 3, affine), matrix(3, 3, full), { .data = NULL } };
    CHECK_OK(tess_empty(&m[3], TESS_SHAPE(1, 1, 1, 1), TESS_MAT23_F32, tess_cpu()));
    for (int i = 0; i < 6; i++) ((float *)m[3].data)[i] = (float)affine[i];
    CHECK_OK(tess_transpose(&swapped, &in));
    CHECK_OK(tess_empty(&want, in.shape, TESS_F64, tess_cpu()));
    CHECK_OK(tess_copy(&want, &swapped));
    for (int i = 0; i < 4; i++) {
        CHECK_OK(tess_transform_2d(&out, &in, &m[i], NULL));
        CHECK(same_values(&out, &want));
        tess_release(&m[i]);
    }
    tess_release(&in);
    tess_release(&want);
    tess_release(&out);
}

TEST(one_image_to_many_and_a_shape)
{
    tess_array in = numbers(TESS_F32, 1, 1, 4, 4), out = { 0 }, m = { 0 };
    CHECK_OK(tess_zeros(&m, TESS_SHAPE(3, 1, 2, 3), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < 3; i++) {
        double *a = (double *)m.data + 6 * i;
        a[0] = a[4] = 1;
        a[5] = (double)i;
    }
    CHECK_OK(tess_transform_2d(&out, &in, &m, &(tess_transform_opts){ .shape = TESS_SHAPE(0, 0, 2, 3) }));
    CHECK(out.shape.b == 3 && out.shape.d == 1 && out.shape.h == 2 && out.shape.w == 3);
    CHECK(value_at(&out, 2, 0, 1, 0) == 6 && value_at(&out, 1, 0, 1, 2) == 7 && value_at(&out, 2, 0, 0, 2) == 0);
    tess_release(&in);
    tess_release(&out);
    tess_release(&m);
}

TEST(volumes_turn_about_an_axis)
{
    tess_array in = numbers(TESS_F64, 1, 3, 3, 3), out = { 0 };
    /* +x to +y about z: the inverse takes (z, y, x) to (z, -x, y). */
    tess_array m = matrix(3, 3, (double[]){ 1, 0, 0, 0, 0, -1, 0, 1, 0 });
    CHECK_OK(tess_transform_3d(&out, &in, &m, &(tess_transform_opts){ .centred = 1, .interp = TESS_INTERP_LANCZOS8 }));
    for (int64_t d = 0; d < 3; d++)
        for (int64_t h = 0; h < 3; h++)
            for (int64_t w = 0; w < 3; w++) CHECK(value_at(&out, 0, d, h, w) == value_at(&in, 0, d, 2 - w, h));
    tess_release(&in);
    tess_release(&out);
    tess_release(&m);
}

/* ---- Exact moves ---- */

TEST(integers_move_elements_whatever_they_are)
{
    tess_array in = numbers(TESS_F32, 1, 1, 5, 6), out = { 0 };
    ((float *)in.data)[8] = NAN;
    ((float *)in.data)[14] = INFINITY;
    for (int interp = TESS_INTERP_NEAREST; interp <= TESS_INTERP_LANCZOS8; interp++) {
        const tess_resample_opts o = { .interp = interp, .border = TESS_BORDER_VALUE, .value = (double)NAN };
        if (interp == TESS_INTERP_CUBIC_BSPLINE) continue;
        CHECK_OK(tess_shift_image(&out, &in, 0, 0, 0, &o));
        CHECK(memcmp(out.data, in.data, 30 * sizeof(float)) == 0);
        CHECK_OK(tess_shift_image(&out, &in, 0, 1, -2, &o));
        CHECK(memcmp((float *)out.data + 6, (float *)in.data + 2, 4 * sizeof(float)) == 0);
        CHECK(isnan(value_at(&out, 0, 0, 0, 0)) && isnan(value_at(&out, 0, 0, 3, 5)));
    }
    tess_release(&in);
    tess_release(&out);
}

TEST(quarter_turns_are_exact)
{
    tess_array   in = numbers(TESS_F64, 2, 1, 5, 5), out = { 0 };
    const double quarter = acos(0);
    for (int turns = -5; turns <= 5; turns++) {
        CHECK_OK(tess_rotate_image(&out, &in, turns * quarter, &(tess_resample_opts){ .interp = TESS_INTERP_CUBIC }));
        for (int64_t h = 0; h < 5; h++)
            for (int64_t w = 0; w < 5; w++) {
                const int64_t at[4][2] = { { h, w }, { 4 - w, h }, { 4 - h, 4 - w }, { w, 4 - h } };
                const int     k = (turns % 4 + 4) % 4;
                CHECK(value_at(&out, 1, 0, h, w) == value_at(&in, 1, 0, at[k][0], at[k][1]));
            }
    }
    tess_release(&in);
    tess_release(&out);
}

/* +x goes to +y: what was right of the centre is below it. */
TEST(rotations_take_x_to_y)
{
    tess_array in = constant(TESS_F32, 1, 1, 9, 9, 0), out = { 0 };
    ((float *)in.data)[4 * 9 + 7] = 1;
    CHECK_OK(tess_rotate_image(&out, &in, acos(0), NULL));
    CHECK(value_at(&out, 0, 0, 7, 4) == 1);
    CHECK_OK(tess_rotate_image(&out, &in, acos(0) / 2, NULL));
    CHECK(value_at(&out, 0, 0, 6, 6) > 0.3);
    tess_release(&in);
    tess_release(&out);
}

TEST(shifts_by_fractions)
{
    tess_array in = numbers(TESS_F32, 1, 1, 1, 4), out = { 0 };
    CHECK_OK(tess_shift_image(&out, &in, 0, 0, 0.25, &(tess_resample_opts){ .border = TESS_BORDER_CLAMP }));
    check_row(&out, 0, 4, (double[]){ 0, 0.75, 1.75, 2.75 });
    tess_release(&in);
    tess_release(&out);
}

TEST(rescaling_keeps_the_centre)
{
    tess_array in = numbers(TESS_F32, 1, 1, 1, 8), out = { 0 };
    CHECK_OK(tess_rescale(&out, &in, 2, 1, NULL));
    CHECK(out.shape.h == 2 && out.shape.w == 16 && value_at(&out, 0, 0, 1, 8) == 4);
    CHECK(value_at(&out, 0, 0, 1, 9) == 4.5);
    tess_release(&out);
    out = (tess_array){ 0 };
    CHECK_OK(tess_rescale(&out, &in, 1, 3, NULL));
    CHECK(out.shape.w == 3 && out.shape.h == 1 && value_at(&out, 0, 0, 0, 1) == 4);
    tess_release(&in);
    tess_release(&out);
}

/* ---- Borders ---- */

TEST(nothing_leaves_what_is_beyond_the_array)
{
    tess_array in = numbers(TESS_F32, 1, 1, 1, 4), out = constant(TESS_F32, 1, 1, 1, 8, -7);
    CHECK_OK(tess_shift_image(&out, &in, 0, 0, 2.25, &(tess_resample_opts){ .border = TESS_BORDER_NOTHING }));
    check_row(&out, 0, 8, (double[]){ -7, -7, 0, 0.75, 1.75, 2.75, -7, -7 });
    tess_release(&in);
    tess_release(&out);
}

/* A window that is outside as a whole gives the value itself, though the weights of Lanczos add up to 1 nearly. */
TEST(values_outside_are_exact)
{
    tess_array               in = numbers(TESS_F32, 1, 1, 6, 6), out = { 0 };
    const tess_resample_opts o = { .interp = TESS_INTERP_LANCZOS6, .border = TESS_BORDER_VALUE, .value = 0.1 };
    CHECK_OK(tess_shift_image(&out, &in, 0, 20.3, 30.7, &o));
    CHECK(all_are(&out, (double)0.1f));
    tess_release(&in);
    tess_release(&out);
}

/* Each tap outside goes by the border: what is half outside still counts, as noa has it too. */
TEST(windows_half_outside_count)
{
    tess_array in = constant(TESS_F32, 1, 1, 4, 4, 1), out = { 0 };
    CHECK_OK(tess_shift_image(&out, &in, 0, 0, 0.5, NULL));
    check_row(&out, 2, 4, (double[]){ 0.5, 1, 1, 1 });
    tess_release(&in);
    tess_release(&out);
}

TEST(coordinates_that_are_no_numbers)
{
    tess_array in = numbers(TESS_F32, 1, 1, 4, 4), out = { 0 };
    tess_array m = matrix(2, 3, (double[]){ 1, 0, 0, 0, 1, (double)NAN });
    CHECK_OK(tess_transform_2d(&out, &in, &m, NULL));
    for (int i = 0; i < 16; i++) CHECK(isnan(((float *)out.data)[i]));
    ((double *)m.data)[5] = INFINITY;
    CHECK_OK(tess_transform_2d(&out, &in, &m, NULL));
    CHECK(all_are(&out, 0));
    tess_release(&in);
    tess_release(&out);
    tess_release(&m);
}

/* ---- B-splines ---- */

/* noa's transforms prefiltered the caller's data in place. */
TEST(noa_prefilters_the_input_in_place)
{
    const tess_resample_opts o = { .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1 };
    tess_array               in = numbers(TESS_F64, 1, 1, 7, 5), same = numbers(TESS_F64, 1, 1, 7, 5), out = { 0 };
    for (int border = TESS_BORDER_ZERO; border < TESS_BORDER_NOTHING; border++) {
        tess_resample_opts with = o;
        with.border = border;
        with.value = border == TESS_BORDER_VALUE ? 3 : 0;
        CHECK_OK(tess_shift_image(&out, &in, 0, 0, 0, &with));
        CHECK(same_values(&in, &same));
        for (int64_t h = 0; h < 7; h++)
            for (int64_t w = 0; w < 5; w++) CHECK(fabs(value_at(&out, 0, 0, h, w) - value_at(&in, 0, 0, h, w)) < 1e-12);
    }
    tess_release(&in);
    tess_release(&same);
    tess_release(&out);
}

/* Cubic polynomials are reproduced, far from the border. */
/* A single row with zeros around it: only the transform knows that it is sampled across, too. */
TEST(a_row_is_filtered_across_by_the_transform_alone)
{
    tess_array in = numbers(TESS_F64, 1, 1, 1, 9), m = constant(TESS_F64, 1, 1, 2, 2, 0), coefficients = { 0 };
    tess_array whole = { 0 }, across = { 0 };
    for (int64_t i = 0; i < 2; i++) CHECK_OK(tess_set_f64(&m, 0, 0, i, i, 1));
    tess_transform_opts o = { .interp = TESS_INTERP_CUBIC_BSPLINE };
    CHECK_OK(tess_bspline_prefilter(&coefficients, &in, NULL));
    CHECK_OK(tess_transform_2d(&across, &coefficients, &m, &o));
    o.prefilter = 1;
    CHECK_OK(tess_transform_2d(&whole, &in, &m, &o));
    for (int64_t i = 0; i < 9; i++) {
        const double x = value_at(&in, 0, 0, 0, i);
        CHECK(fabs(value_at(&whole, 0, 0, 0, i) - x) < 1e-13 * (1 + fabs(x)));
        CHECK(fabs(value_at(&across, 0, 0, 0, i) - x * 2 / 3) < 1e-13 * (1 + fabs(x)));
    }
    tess_array *all[] = { &in, &m, &coefficients, &whole, &across };
    for (int i = 0; i < 5; i++) tess_release(all[i]);
}

TEST(bsplines_reproduce_cubics)
{
    tess_array in = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 1, 160), TESS_F64, tess_cpu()));
    for (int i = 0; i < 160; i++) {
        const double x = (i - 80) / 40.0;
        ((double *)in.data)[i] = ((0.7 * x - 0.3) * x + 0.1) * x + 1;
    }
    CHECK_OK(tess_shift_image(&out, &in, 0, 0, 0.3,
                              &(tess_resample_opts){ .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1 }));
    for (int i = 50; i < 110; i++) {
        const double x = (i - 0.3 - 80) / 40.0;
        CHECK(fabs(((double *)out.data)[i] - (((0.7 * x - 0.3) * x + 0.1) * x + 1)) < 1e-12);
    }
    tess_release(&in);
    tess_release(&out);
}

/* noa cuts the sum over what lies before the first element at 12 terms: too few for f64, and wrong of fewer elements. The
 * spline of coefficients, continued as the border says, is through all elements. */
TEST(noa_prefilter_sums_twelve_terms)
{
    static const int borders[3] = { TESS_BORDER_PERIODIC, TESS_BORDER_REFLECT, TESS_BORDER_MIRROR };
    for (int i = 0; i < 3; i++)
        for (int64_t n = 2; n < 40; n++) {
            tess_array in = { 0 }, out = { 0 };
            CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu()));
            for (int64_t k = 0; k < n; k++) ((double *)in.data)[k] = cos(1.3 * (double)(k * k)) + 1;
            CHECK_OK(tess_bspline_prefilter(&out, &in, &(tess_prefilter_opts){ .border = borders[i] }));
            const double *c = out.data;
            const int64_t before = borders[i] == TESS_BORDER_PERIODIC ? n - 1
                                   : borders[i] == TESS_BORDER_MIRROR ? 0
                                                                      : 1;
            const int64_t after = borders[i] == TESS_BORDER_PERIODIC ? 0
                                  : borders[i] == TESS_BORDER_MIRROR ? n - 1
                                                                     : n - 2;
            for (int64_t k = 0; k < n; k++) {
                const double at = (c[k ? k - 1 : before] + 4 * c[k] + c[k < n - 1 ? k + 1 : after]) / 6;
                if (!CHECK(fabs(at - ((double *)in.data)[k]) < 4e-15)) break;
            }
            tess_release(&in);
            tess_release(&out);
        }
}

/* ---- Lanczos ---- */

/* noa's windows of 4, 6 and 8 elements are all of the kernel of 8, cut off: here those of 2, 3 and 4 lobes are. */
TEST(noa_lanczos_kernels_are_truncated)
{
    const double pi = acos(-1.0), t = 0.3;
    for (int lobes = 2; lobes <= 4; lobes++) {
        tess_array in = constant(TESS_F64, 1, 1, 1, 17, 0), out = { 0 };
        double     weights[8], sum = 0;
        ((double *)in.data)[8] = 1;
        CHECK_OK(
            tess_shift_image(&out, &in, 0, 0, t, &(tess_resample_opts){ .interp = TESS_INTERP_LANCZOS4 + lobes - 2 }));
        for (int k = 0; k < 2 * lobes; k++) {
            const double x = pi * (k - lobes + 1 - t);
            weights[k] = sin(x) / x * sin(x / lobes) / (x / lobes);
            sum += weights[k];
        }
        for (int k = 0; k < 2 * lobes; k++) /* the impulse is seen from 8 + its distance */
            CHECK(fabs(((double *)out.data)[8 + k - lobes + 1] - weights[k] / sum) < 1e-14);
        CHECK(((double *)out.data)[8 - lobes] == 0 && ((double *)out.data)[8 + lobes + 1] == 0);
        tess_release(&in);
        tess_release(&out);
    }
}

/* ---- A picture turned there and back ---- */

/* A chirp: frequencies rise from 0 at the centre to so many cycles per pixel at 0.4 n, within a window that falls to 0
 * from 0.4 n to 0.45 n. */
static tess_array chirp(int64_t n, double edge)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, n, n), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < n * n; i++) {
        const double r = hypot((double)(i / n - n / 2), (double)(i % n - n / 2)) / (double)n;
        const double t = fmin(fmax((0.45 - r) / 0.05, 0), 1);
        const double v = 0.5 + 0.5 * cos(2 * acos(-1.0) * edge / 0.8 * (double)n * r * r);
        ((float *)a.data)[i] = (float)(v * t * t * (3 - 2 * t));
    }
    return a;
}

/* The ratio of peak (1) to noise in dB, within a disc, of 30 degrees there and back. */
static double quality(const tess_array *picture, int interp)
{
    const tess_resample_opts o = { .interp = interp, .prefilter = interp == TESS_INTERP_CUBIC_BSPLINE };
    tess_array               turned = { 0 }, back = { 0 };
    const int64_t            n = picture->shape.w;
    double                   noise = 0, count = 0;
    CHECK_OK(tess_rotate_image(&turned, picture, acos(-1.0) / 6, &o));
    CHECK_OK(tess_rotate_image(&back, &turned, -acos(-1.0) / 6, &o));
    for (int64_t i = 0; i < n * n; i++) {
        const double e = (double)((float *)back.data)[i] - (double)((float *)picture->data)[i];
        if (hypot((double)(i / n - n / 2), (double)(i % n - n / 2)) >= 0.4 * (double)n) continue;
        noise += e * e;
        count++;
    }
    tess_release(&turned);
    tess_release(&back);
    return 10 * log10(count / noise);
}

/* The same chirps in f64: linear and spline by scipy.ndimage.affine_transform of orders 1 and 3, Lanczos by a loop over
 * its definition in NumPy. It is better than the spline where frequencies are high. */
TEST(chirps_rotated_there_and_back_are_as_good_as_scipy)
{
    static const struct {
        double edge, linear, spline, lanczos;
    } chirps[2] = { { 0.25, 22.60, 49.43, 48.72 }, { 0.4, 16.39, 29.62, 39.12 } };
    for (int i = 0; i < 2; i++) {
        tess_array   picture = chirp(256, chirps[i].edge);
        const double linear = quality(&picture, TESS_INTERP_LINEAR);
        const double spline = quality(&picture, TESS_INTERP_CUBIC_BSPLINE);
        const double lanczos = quality(&picture, TESS_INTERP_LANCZOS8);
        if (!(fabs(linear - chirps[i].linear) < 0.05 && fabs(spline - chirps[i].spline) < 0.05 &&
              fabs(lanczos - chirps[i].lanczos) < 0.05))
            (void)test_failed(__FILE__, __LINE__, "%.2f, %.2f, %.2f dB", linear, spline, lanczos);
        tess_release(&picture);
    }
}

/* ---- Empty arrays, bad arguments ---- */

TEST(nothing_of_nothing)
{
    tess_array in = { 0 }, out = { 0 }, m = matrix(2, 2, (double[]){ 1, 0, 0, 1 }),
               made = numbers(TESS_F32, 1, 1, 2, 2);
    CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 0, 5), TESS_F32, tess_cpu()));
    CHECK_OK(tess_transform_2d(&out, &in, &m, NULL));
    CHECK(tess_is_empty(&out));
    CHECK_FAILS(tess_transform_2d(&made, &in, &m, NULL), TESS_ESHAPE,
                "transform_2d: in has shape {1,1,0,5} and the result {1,1,2,2}; in must not be empty");
    tess_release(&out);
    out = (tess_array){ 0 };
    CHECK_OK(tess_bspline_prefilter(&out, &in, NULL));
    CHECK(tess_is_empty(&out));
    tess_release(&in);
    tess_release(&out);
    tess_release(&m);
    tess_release(&made);
}

TEST(images_refuse_volumes_and_the_reverse)
{
    tess_array volume = constant(TESS_F32, 1, 64, 32, 32, 0), image = constant(TESS_F32, 1, 1, 32, 32, 0), out = { 0 };
    tess_array m2 = matrix(2, 2, (double[]){ 1, 0, 0, 1 }), m3 = matrix(3, 3, (double[]){ 1, 0, 0, 0, 1, 0, 0, 0, 1 });
    CHECK_FAILS(tess_transform_2d(&out, &volume, &m2, NULL), TESS_ESHAPE,
                "transform_2d: in is a volume of shape {1,64,32,32}; images {n,1,h,w} are needed");
    CHECK_FAILS(tess_transform_3d(&out, &image, &m3, NULL), TESS_ESHAPE,
                "transform_3d: in is an image of shape {1,1,32,32}; volumes {n,d,h,w} with d above 1 are needed");
    CHECK_FAILS(tess_rotate_image(&out, &volume, 1, NULL), TESS_ESHAPE,
                "rotate_image: in is a volume of shape {1,64,32,32}; images {n,1,h,w} are needed");
    CHECK_FAILS(tess_shift_image(&out, &image, 1, 0, 0, NULL), TESS_ERANGE,
                "shift_image: shift_d is 1, but in holds images; it must be 0");
    tess_release(&volume);
    tess_release(&image);
    tess_release(&m2);
    tess_release(&m3);
}

TEST(bad_matrices)
{
    tess_array in = numbers(TESS_F32, 2, 1, 4, 4), out = { 0 }, made = numbers(TESS_F32, 3, 1, 4, 4);
    tess_array bad = constant(TESS_F32, 1, 1, 4, 4, 1), two = constant(TESS_F64, 2, 1, 2, 3, 1), three, whole = { 0 };
    tess_array complex = constant(TESS_C32, 1, 1, 2, 3, 1), spread = { 0 }, vectors = { 0 };
    CHECK_OK(tess_zeros(&spread, TESS_SHAPE(1, 1, 2, 3), TESS_MAT33_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&vectors, TESS_SHAPE(1, 1, 2, 3), TESS_VEC3_F64, tess_cpu()));
    CHECK_OK(tess_zeros(&whole, TESS_SHAPE(3, 1, 2, 3), TESS_F64, tess_cpu()));
    three = whole;
    CHECK_FAILS(tess_transform_2d(&out, &in, &bad, NULL), TESS_ESHAPE,
                "transform_2d: matrices is f32 of shape {1,1,4,4}",
                "{n,1,2,3}, {n,1,3,3} or {n,1,2,2}, or mat23, mat33 or mat22 {n,1,1,1}");
    CHECK_FAILS(tess_transform_2d(&out, &in, &spread, NULL), TESS_ESHAPE,
                "transform_2d: matrices is mat33_f32 of shape {1,1,2,3}");
    CHECK_FAILS(tess_transform_2d(&out, &in, &vectors, NULL), TESS_ESHAPE,
                "transform_2d: matrices is vec3_f64 of shape {1,1,2,3}");
    CHECK_FAILS(tess_transform_2d(&out, &in, &complex, NULL), TESS_EDTYPE,
                "transform_2d: matrices is c32; a real type is needed");
    CHECK_FAILS(tess_transform_2d(&out, &in, NULL, NULL), TESS_EARG, "transform_2d", "matrices");
    CHECK_FAILS(
        tess_transform_2d(&out, &in, &three, NULL), TESS_ESHAPE,
        "transform_2d: there are 3 matrices and the result has 2 batches; one matrix, or one per batch, is needed");
    CHECK_FAILS(tess_transform_2d(&made, &in, &three, NULL), TESS_ESHAPE,
                "transform_2d: in has 2 batches and out 3; in must have one batch or the same number");
    CHECK_FAILS(tess_transform_2d(&out, &in, &two, &(tess_transform_opts){ .forward = 1 }), TESS_ERANGE,
                "transform_2d: matrices[0] has determinant 0; with opts->forward it must be invertible");
    CHECK(out.data == NULL);
    tess_array there = on_gpu(two);
    CHECK_FAILS(tess_transform_2d(&out, &in, &there, NULL), TESS_EDEVICE, "transform_2d");
    tess_release(&in);
    tess_release(&made);
    tess_release(&bad);
    tess_release(&two);
    tess_release(&whole);
    tess_release(&spread);
    tess_release(&vectors);
    tess_release(&complex);
}

TEST(bad_options)
{
    tess_array in = numbers(TESS_F32, 1, 1, 4, 4), out = { 0 }, m = matrix(2, 2, (double[]){ 1, 0, 0, 1 });
#define FAILS(status, text, ...)                                                                                       \
    CHECK_FAILS(tess_transform_2d(&out, &in, &m, &(tess_transform_opts){ __VA_ARGS__ }), status, text)
    FAILS(TESS_EARG, "transform_2d: opts->value is 3, which needs opts->border to be \"value\", not \"zero\"",
          .value = 3);
    FAILS(TESS_EDTYPE, "transform_2d: opts->value_imag is 1, but in is f32; complex elements are needed",
          .border = TESS_BORDER_VALUE, .value_imag = 1);
    FAILS(TESS_EARG, "transform_2d: out is zeroed and opts->border is \"nothing\"", .border = TESS_BORDER_NOTHING);
    FAILS(TESS_EARG, "transform_2d: opts->prefilter is 1; opts->interp must be \"cubic_bspline\", not \"linear\"",
          .prefilter = 1);
    FAILS(TESS_EARG, "transform_2d: opts->centred is 1 and opts->centre is 0, 2, 0; give only one of them",
          .centred = 1, .centre_h = 2);
    FAILS(TESS_EARG, "transform_2d: opts->shift_d is 2; it must be 0 for images", .shift_d = 2);
    FAILS(TESS_ESHAPE, "transform_2d: the result has shape {1,2,4,4}; images {n,1,h,w} are needed",
          .shape = TESS_SHAPE(0, 2, 0, 0));
    FAILS(TESS_EARG, "transform_2d: opts->interp is 9; 0 (the default), 1 (nearest), 2 (linear)", .interp = 9);
    FAILS(TESS_EARG, "reserved", .reserved = { 1 });
#undef FAILS
    CHECK_FAILS(tess_rotate_image(&out, &in, (double)NAN, NULL), TESS_ERANGE, "rotate_image: angle is nan");
    CHECK_FAILS(tess_rotate_image(NULL, &in, 1, NULL), TESS_EARG, "rotate_image: out is NULL");
    CHECK_FAILS(tess_shift_image(&out, &in, 0, INFINITY, 0, NULL), TESS_ERANGE, "shift_image: shift_h is inf");
    CHECK_FAILS(tess_rescale(&out, &in, 0, 1, NULL), TESS_ERANGE, "rescale: pixel is 0; it must be finite and above 0");
    CHECK_FAILS(tess_rescale(&out, &in, 1e20, 1, NULL), TESS_ESHAPE, "4e+20 pixels along an axis");
    CHECK_FAILS(tess_rescale(&in, &in, 1, 1, NULL), TESS_EALIAS, "rescale");
    CHECK_FAILS(tess_bspline_prefilter(&out, &in, &(tess_prefilter_opts){ .value = 1 }), TESS_EARG,
                "bspline_prefilter: opts->value is 1, which needs opts->border to be \"value\", not \"zero\"");
    tess_release(&in);
    tess_release(&m);
}

/* ---- Memory ---- */

TEST(dtypes)
{
    static const tess_dtype given[] = { TESS_F16, TESS_U8, TESS_I64, TESS_C16, TESS_C64 };
    static const tess_dtype made[] = { TESS_F32, TESS_F32, TESS_F64, TESS_C32, TESS_C64 };
    for (int i = 0; i < 5; i++) {
        tess_array in = constant(given[i], 1, 1, 3, 3, 2), out = { 0 };
        CHECK_OK(tess_shift_image(&out, &in, 0, 0, 0.5, &(tess_resample_opts){ .border = TESS_BORDER_CLAMP }));
        CHECK(out.dtype == made[i]);
        tess_c64 z = { 0, 0 };
        CHECK_OK(tess_get_c64(&z, &out, 0, 0, 1, 1));
        CHECK(z.re == 2 && z.im == 0);
        tess_release(&in);
        tess_release(&out);
    }
}

static hooks h;

/* Every allocation fails in turn: a clear status, no leak, and the output as it was. */
TEST(allocations_that_fail)
{
    const tess_transform_opts o = { .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1, .forward = 1 };
    bool                      done = false;
    hooks_on(&h);
    tess_array in = numbers(TESS_I16, 1, 1, 20, 30), m = matrix(2, 3, (double[]){ 1, 0.5, 0, 0.25, 1, 3 });
    for (int k = 1; !done && k < 100; k++) {
        tess_array out = { 0 };
        const long live = atomic_load(&h.live);
        atomic_store(&h.calls, 0);
        atomic_store(&h.fail_at, k);
        const tess_status status = tess_transform_2d(&out, &in, &m, &o);
        atomic_store(&h.fail_at, 0);
        done = status == TESS_OK;
        if (!done) CHECK(status == TESS_ENOMEM && out.data == NULL && strstr(tess_error_message(), "memory"));
        tess_release(&out);
        CHECK(done || atomic_load(&h.live) == live);
    }
    CHECK(done);
    tess_release(&in);
    tess_release(&m);
    hooks_off();
}
