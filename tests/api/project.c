/* Projections and symmetry: examples, exact views, faults that others had, empty arrays, every bad argument with its
 * message. Random ones are compared with SciPy in tests/oracle/geometry_project.py. */
#include "tessera/project.h"

#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "tessera/matrix.h"
#include "tessera/random.h"
#include "tessera/symmetrize.h"
#include "tessera/symmetry.h"

/* Matrices {n,1,rows,columns}. */
static tess_array matrices(int n, int rows, int columns, const double *from)
{
    tess_array a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(n, 1, rows, columns), TESS_F64, tess_cpu()));
    memcpy(a.data, from, (size_t)(n * rows * columns) * sizeof(double));
    return a;
}

static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

/* A quarter turn, of which the column of z is x: rays go along x. */
static const double along_x[9] = { 0, 0, -1, 0, 1, 0, 1, 0, 0 };

static double sum_of(const tess_array *a)
{
    tess_array sum = { 0 };
    CHECK_OK(tess_sum(&sum, a, 0, NULL));
    const double value = value_at(&sum, 0, 0, 0, 0);
    tess_release(&sum);
    return value;
}

/* ---- Views along axes ---- */

TEST(projections_along_axes_are_sums_of_planes)
{
    tess_array volume = numbers(TESS_F64, 1, 5, 4, 3), out = { 0 }, want = { 0 }, m = matrices(1, 3, 3, identity);
    CHECK_OK(tess_project(&out, &volume, &m, NULL));
    CHECK_OK(tess_sum(&want, &volume, TESS_D, NULL));
    CHECK(same_values(&out, &want));
    CHECK_OK(tess_project(&out, &volume, &m, &(tess_project_opts){ .adjoint = 1 }));
    CHECK(same_values(&out, &want));
    CHECK_OK(tess_project(&out, &volume, &m, &(tess_project_opts){ .add = 1, .centred = 1 }));
    for (int64_t h = 0; h < 4; h++)
        for (int64_t w = 0; w < 3; w++) CHECK(value_at(&out, 0, 0, h, w) == 2 * value_at(&want, 0, 0, h, w));
    tess_release(&volume);
    tess_release(&out);
    tess_release(&want);
    tess_release(&m);
}

/* The same along x, by every method but the B-spline: what is between elements is not asked for. */
TEST(quarter_turns_are_exact)
{
    tess_array volume = numbers(TESS_F32, 1, 5, 5, 5), m = matrices(1, 3, 3, along_x);
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
        tess_array out = { 0 };
        if (method == TESS_INTERP_CUBIC_BSPLINE) continue;
        CHECK_OK(tess_project(&out, &volume, &m, &(tess_project_opts){ .interp = method, .centred = 1 }));
        for (int64_t h = 0; h < 5; h++)
            for (int64_t w = 0; w < 5; w++) {
                double sum = 0;
                for (int64_t x = 0; x < 5; x++) sum += value_at(&volume, 0, 4 - w, h, x);
                CHECK(value_at(&out, 0, 0, h, w) == sum);
            }
        tess_release(&out);
    }
    tess_release(&volume);
    tess_release(&m);
}

TEST(backprojections_along_axes_repeat_images)
{
    tess_array images = numbers(TESS_F32, 2, 1, 3, 4), out = { 0 };
    tess_array m = matrices(2, 2, 4, (double[]){ 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0 });
    CHECK_OK(tess_backproject(&out, &images, &m, &(tess_backproject_opts){ .shape = TESS_SHAPE(0, 6, 0, 0) }));
    CHECK(out.shape.b == 1 && out.shape.d == 6 && out.shape.h == 3 && out.shape.w == 4);
    for (int64_t d = 0; d < 6; d++)
        for (int64_t h = 0; h < 3; h++)
            for (int64_t w = 0; w < 4; w++)
                CHECK(value_at(&out, 0, d, h, w) == value_at(&images, 0, 0, h, w) + value_at(&images, 1, 0, h, w));
    tess_release(&images);
    tess_release(&out);
    tess_release(&m);
}

/* Without the volume, and with it, along an axis: the same. */
TEST(back_and_forth_without_the_volume)
{
    tess_array       images = numbers(TESS_F64, 1, 1, 4, 5), out = { 0 }, volume = { 0 }, want = { 0 };
    tess_array       m = matrices(1, 3, 3, identity);
    const tess_shape shape = TESS_SHAPE(1, 6, 4, 5);
    CHECK_OK(tess_backproject(&volume, &images, &m, &(tess_backproject_opts){ .shape = shape }));
    CHECK_OK(tess_project(&want, &volume, &m, NULL));
    CHECK_OK(tess_backproject_project(&out, &images, &m, &m, shape, NULL));
    CHECK(same_values(&out, &want));
    tess_release(&images);
    tess_release(&out);
    tess_release(&volume);
    tess_release(&want);
    tess_release(&m);
}

TEST(matrices_are_numbers_or_compound)
{
    const double affine[16] = { 1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1, 0, 9, 9, 9, 9 };
    tess_array   volume = numbers(TESS_F64, 1, 3, 4, 3), m = matrices(1, 4, 4, affine), compound = { 0 };
    tess_array   out = { 0 }, other = { 0 };
    CHECK_OK(tess_empty(&compound, TESS_SHAPE(1, 1, 1, 1), TESS_MAT34_F32, tess_cpu()));
    for (int i = 0; i < 12; i++) ((float *)compound.data)[i] = (float)affine[i];
    CHECK_OK(tess_project(&out, &volume, &m, NULL));
    CHECK_OK(tess_project(&other, &volume, &compound, NULL));
    CHECK(same_values(&out, &other));
    tess_release(&volume);
    tess_release(&m);
    tess_release(&compound);
    tess_release(&out);
    tess_release(&other);
}

/* ---- Faults that others had ---- */

/* noa's window ends one sample beyond the centre's distance: at high tilts, of thin volumes, what interpolation takes
 * beyond the faces was left out, and the sum of an image depended on the angle. */
TEST(noa_windows_end_at_the_faces_at_high_tilts)
{
    const double angle = 80 * acos(-1.0) / 180, c = cos(angle), s = sin(angle);
    const double tilt[9] = { c, 0, -s, 0, 1, 0, s, 0, c };
    tess_array   volume = constant(TESS_F64, 1, 8, 3, 512, 1), m = matrices(1, 3, 3, tilt), out = { 0 };
    int64_t      window = 0;
    CHECK_OK(tess_project_window(&window, &m, volume.shape, NULL));
    CHECK(window == 2 * (int64_t)ceil(5 / c) + 1);
    CHECK_OK(tess_project(&out, &volume, &m, &(tess_project_opts){ .centred = 1 }));
    CHECK(fabs(value_at(&out, 0, 0, 1, 256) - 8 / c) < 0.02);
    tess_release(&volume);
    tess_release(&m);
    tess_release(&out);
}

/* A plane that is seen from its side, but for the rounding of f32: rays go along it, not through it. */
TEST(a_plane_from_its_side)
{
    const float  c = 6.1e-8f;
    const float  tilt[9] = { c, 0, 1, 0, 1, 0, -1, 0, c };
    const double none[9] = { 0 };
    tess_array   plane = constant(TESS_F64, 1, 1, 5, 16, 1), m = constant(TESS_F32, 1, 1, 3, 3, 0), out = { 0 };
    tess_array   nowhere = matrices(1, 3, 3, none);
    int64_t      window = 7;
    memcpy(m.data, tilt, sizeof tilt);
    CHECK_OK(tess_project(&out, &plane, &m, &(tess_project_opts){ .centred = 1 }));
    CHECK(fabs(value_at(&out, 0, 0, 2, 8) - 16) < 1e-4 && fabs(value_at(&out, 0, 0, 2, 4)) < 1e-4);
    CHECK_FAILS(tess_project_window(&window, &nowhere, plane.shape, NULL), TESS_ERANGE,
                "project_window: the first column of matrix 0 of matrices is 0");
    CHECK(window == 7);
    tess_array *all[] = { &plane, &m, &out, &nowhere };
    for (int i = 0; i < 4; i++) tess_release(all[i]);
}

/* noa's projections have no Lanczos: all methods keep the sum of what is smooth and well inside. */
TEST(noa_projections_have_no_lanczos)
{
    const double c = cos(0.4), s = sin(0.4), turn[9] = { c, 0, -s, 0, 1, 0, s, 0, c };
    tess_array   volume = constant(TESS_F64, 1, 24, 24, 24, 0), m = matrices(1, 3, 3, turn);
    for (int64_t i = 0; i < 24 * 24 * 24; i++) {
        const double z = (double)(i / 576 - 11), y = (double)(i / 24 % 24 - 12), x = (double)(i % 24 - 13);
        ((double *)volume.data)[i] = exp(-(z * z + y * y + x * x) / 12);
    }
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
        tess_array              out = { 0 };
        const tess_project_opts o = { .interp = method, .centred = 1 };
        CHECK_OK(tess_project(&out, &volume, &m, &o));
        CHECK(fabs(sum_of(&out) / sum_of(&volume) - 1) < (method == TESS_INTERP_NEAREST ? 0.1 : 0.02));
        tess_release(&out);
    }
    tess_release(&volume);
    tess_release(&m);
}

/* noa adds in f32 by atomics: sums of many images are exact to rounding here, and always the same. */
TEST(noa_sums_of_images_by_atomics_in_f32)
{
    enum { N = 3000 };
    tess_array images = constant(TESS_F32, N, 1, 2, 2, 0.1), m = { 0 }, out = { 0 };
    CHECK_OK(tess_zeros(&m, TESS_SHAPE(N, 1, 2, 3), TESS_F32, tess_cpu()));
    for (int i = 0; i < N; i++) ((float *)m.data)[6 * i + 1] = ((float *)m.data)[6 * i + 5] = 1;
    CHECK_OK(tess_backproject(&out, &images, &m, NULL));
    CHECK(((float *)out.data)[3] == (float)(N * (double)0.1f));
    tess_release(&images);
    tess_release(&m);
    tess_release(&out);
}

/* In noa a centre of which only some coordinates were given took the sizes of other axes. */
TEST(noa_centre_of_symmetry_is_of_other_axes)
{
    tess_array in = constant(TESS_F64, 1, 1, 12, 20, 0), out = { 0 };
    ((double *)in.data)[6 * 20 + 15] = 1; /* y = 6, the centre; x = 12 + 3 */
    CHECK_OK(tess_symmetrize(&out, &in, "c2", &(tess_symmetrize_opts){ .shift_w = 2, .sum = 1 }));
    CHECK(value_at(&out, 0, 0, 6, 15) == 1 && value_at(&out, 0, 0, 6, 9) == 1 && sum_of(&out) == 2);
    tess_release(&in);
    tess_release(&out);
}

/* ---- B-splines ---- */

/* A polynomial of degree 3, of coordinates about the middle. */
static double cubic(double z, double y, double x)
{
    return 1 + 0.3 * z - 0.2 * y + 0.1 * x + 0.02 * z * y - 0.01 * x * x + 1e-3 * x * y * z + 2e-3 * z * z * z;
}

static tess_array cubics(int64_t depth, int64_t n)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, depth, n, n), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < depth * n * n; i++)
        ((double *)a.data)[i] =
            cubic((double)(i / (n * n) - depth / 2), (double)(i / n % n - n / 2), (double)(i % n - n / 2));
    return a;
}

/* Far from the border, where coefficients beyond it count for nothing, the spline is the polynomial. */
TEST(prefiltered_projections_of_polynomials_are_exact)
{
    enum { N = 65, C = N / 2 };
    const double            s = 0.6, c = 0.8, turn[9] = { c, 0, -s, 0, 1, 0, s, 0, c };
    const tess_project_opts o = { .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1, .centred = 1, .window = 5 };
    tess_array              volume = cubics(N, N), same = cubics(N, N), m = matrices(1, 3, 3, turn), out = { 0 };
    CHECK_OK(tess_project(&out, &volume, &m, &o));
    CHECK(same_values(&volume, &same));
    for (int64_t y = -4; y <= 4; y++)
        for (int64_t x = -4; x <= 4; x++) {
            const double point[3] = { -s * (double)x, (double)y, c * (double)x },
                         first = -point[0] / c; /* z is 0 there */
            double want = 0;
            for (int k = -2; k <= 2; k++)
                want += cubic(point[0] + c * (k + first), point[1], point[2] + s * (k + first));
            CHECK(fabs(value_at(&out, 0, 0, C + y, C + x) - want) < 1e-11);
        }
    tess_release(&volume);
    tess_release(&same);
    tess_release(&m);
    tess_release(&out);
}

TEST(prefiltered_backprojections_of_polynomials_are_exact)
{
    enum { N = 65, C = N / 2 };
    const double                s = 0.6, c = 0.8, turn[6] = { -s, c, 0, 0.1, 0.2, 1 };
    const tess_backproject_opts o = {
        .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1, .centred = 1, .shape = TESS_SHAPE(1, 9, 9, 9)
    };
    tess_array image = cubics(1, N), m = matrices(1, 2, 3, turn), out = { 0 };
    CHECK_OK(tess_backproject(&out, &image, &m, &o));
    for (int64_t i = 0; i < 9 * 9 * 9; i++) {
        const double z = (double)(i / 81 - 4), y = (double)(i / 9 % 9 - 4), x = (double)(i % 9 - 4);
        CHECK(fabs(((double *)out.data)[i] - cubic(0, c * y - s * z, 0.1 * z + 0.2 * y + x)) < 1e-11);
    }
    tess_release(&image);
    tess_release(&m);
    tess_release(&out);
}

TEST(prefiltered_symmetry_of_polynomials_is_exact)
{
    enum { N = 65, C = N / 2 };
    const tess_symmetrize_opts o = { .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1 };
    tess_array                 volume = cubics(N, N), out = { 0 }, group = { 0 };
    CHECK_OK(tess_symmetrize(&out, &volume, "D3", &o));
    CHECK_OK(tess_symmetry_matrices(&group, "D3", NULL));
    for (int64_t i = 0; i < 9 * 9 * 9; i++) {
        const int64_t at[3] = { i / 81 - 4, i / 9 % 9 - 4, i % 9 - 4 };
        double        want = 0;
        for (int64_t k = 0; k < 6; k++) { /* all inverses are in the group */
            const double *r = (const double *)group.data + 9 * k;
            double        p[3];
            for (int j = 0; j < 3; j++)
                p[j] = r[3 * j] * (double)at[0] + r[3 * j + 1] * (double)at[1] + r[3 * j + 2] * (double)at[2];
            want += cubic(p[0], p[1], p[2]) / 6;
        }
        CHECK(fabs(value_at(&out, 0, C + at[0], C + at[1], C + at[2]) - want) < 1e-11);
    }
    tess_release(&volume);
    tess_release(&out);
    tess_release(&group);
}

/* Prefiltered, the identity gives elements back, up to the border, whatever it is. */
TEST(prefiltered_symmetry_keeps_elements_for_every_border)
{
    tess_array in = numbers(TESS_F64, 2, 3, 4, 5), out = { 0 };
    for (int border = TESS_BORDER_ZERO; border < TESS_BORDER_NOTHING; border++) {
        const tess_symmetrize_opts o = { .interp = TESS_INTERP_CUBIC_BSPLINE,
                                         .prefilter = 1,
                                         .border = border,
                                         .value = border == TESS_BORDER_VALUE ? 3 : 0 };
        CHECK_OK(tess_symmetrize(&out, &in, "C1", &o));
        for (int64_t i = 0; i < 120; i++) CHECK(fabs(((double *)out.data)[i] - ((double *)in.data)[i]) < 1e-11);
    }
    tess_release(&in);
    tess_release(&out);
}

static double dot(const tess_array *a, const tess_array *b)
{
    double sum = 0;
    for (int64_t i = 0; i < tess_n_elements(a); i++) sum += ((double *)a->data)[i] * ((double *)b->data)[i];
    return sum;
}

/* <project(x), y> = <x, backproject(y)> with the prefilter on both sides; `add` adds. */
TEST(prefiltered_projections_are_adjoint)
{
    const double            turn[6] = { 0.3, 0.9, -0.2, 0.1, 0.25, 0.8 };
    const tess_project_opts o = { .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1, .centred = 1, .adjoint = 1 };
    tess_project_opts       more = o;
    tess_array              x = { 0 }, y = { 0 }, image = { 0 }, volume = { 0 }, m = matrices(1, 2, 3, turn);
    CHECK_OK(tess_empty(&x, TESS_SHAPE(1, 5, 6, 7), TESS_F64, tess_cpu()));
    CHECK_OK(tess_empty(&y, TESS_SHAPE(1, 1, 6, 7), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&x, 0, 1, 1, NULL));
    CHECK_OK(tess_random_normal(&y, 0, 1, 2, NULL));
    CHECK_OK(tess_project(&image, &x, &m, &o));
    CHECK_OK(
        tess_backproject(&volume, &y, &m,
                         &(tess_backproject_opts){
                             .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1, .centred = 1, .shape = x.shape }));
    const double once = dot(&image, &y);
    CHECK(fabs(once - dot(&x, &volume)) < 1e-12 * (1 + fabs(once)));
    more.add = 1;
    CHECK_OK(tess_project(&image, &x, &m, &more));
    CHECK(fabs(dot(&image, &y) - 2 * once) < 1e-12 * (1 + fabs(once)));
    tess_array *all[] = { &x, &y, &image, &volume, &m };
    for (int i = 0; i < 5; i++) tess_release(all[i]);
}

/* ---- Symmetry ---- */

TEST(the_identity_is_exact)
{
    tess_array in = numbers(TESS_F32, 2, 3, 4, 5), out = { 0 };
    ((float *)in.data)[7] = INFINITY;
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
        if (method == TESS_INTERP_CUBIC_BSPLINE) continue;
        CHECK_OK(tess_symmetrize(&out, &in, "C1", &(tess_symmetrize_opts){ .interp = method }));
        CHECK(same_values(&out, &in));
    }
    tess_release(&in);
    tess_release(&out);
}

TEST(quarter_turns_move_elements)
{
    tess_array in = constant(TESS_F32, 1, 1, 5, 5, 0), out = { 0 };
    ((float *)in.data)[1 * 5 + 4] = 8; /* 1 above and 2 right of the centre */
    CHECK_OK(tess_symmetrize(&out, &in, "C4", &(tess_symmetrize_opts){ .interp = TESS_INTERP_LANCZOS8 }));
    CHECK(value_at(&out, 0, 0, 1, 4) == 2 && value_at(&out, 0, 0, 4, 3) == 2);
    CHECK(value_at(&out, 0, 0, 3, 0) == 2 && value_at(&out, 0, 0, 0, 1) == 2 && sum_of(&out) == 8);
    CHECK_OK(tess_symmetrize(&out, &in, "D1", &(tess_symmetrize_opts){ .sum = 1 }));
    CHECK(value_at(&out, 0, 0, 1, 4) == 8 && value_at(&out, 0, 0, 3, 4) == 8 && sum_of(&out) == 16);
    tess_release(&in);
    tess_release(&out);
}

/* What is symmetric stays, under every group. */
TEST(spheres_stay)
{
    static const char *const groups[] = { "C7", "D5", "T", "O", "I1", "I2" };
    tess_array               in = constant(TESS_F64, 1, 17, 17, 17, 0);
    for (int64_t i = 0; i < 17 * 17 * 17; i++) {
        const double z = (double)(i / 289 - 8), y = (double)(i / 17 % 17 - 8), x = (double)(i % 17 - 8);
        ((double *)in.data)[i] = exp(-(z * z + y * y + x * x) / 16);
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        tess_array out = { 0 };
        CHECK_OK(tess_symmetrize(&out, &in, groups[i], &(tess_symmetrize_opts){ .interp = TESS_INTERP_CUBIC }));
        for (int64_t k = 0; k < 17 * 17 * 17; k++) CHECK(fabs(((double *)out.data)[k] - ((double *)in.data)[k]) < 0.01);
        tess_release(&out);
    }
    tess_release(&in);
}

/* A picture that is symmetric about another point, brought to the middle by `before` and back by `after`. */
TEST(matrices_before_and_after)
{
    tess_array in = constant(TESS_F64, 1, 1, 9, 9, 0), out = { 0 };
    tess_array before = matrices(1, 2, 3, (double[]){ 1, 0, -2, 0, 1, 1 });
    tess_array after = matrices(1, 2, 3, (double[]){ 1, 0, 2, 0, 1, -1 });
    ((double *)in.data)[2 * 9 + 7] = 1; /* the centre 4, 4 is 2, 5 of the input: 0, 2 from it */
    CHECK_OK(tess_symmetrize(&out, &in, "C2", &(tess_symmetrize_opts){ .sum = 1, .before = &before }));
    CHECK(value_at(&out, 0, 0, 4, 6) == 1 && value_at(&out, 0, 0, 4, 2) == 1 && sum_of(&out) == 2);
    CHECK_OK(tess_symmetrize(&out, &in, "C2", &(tess_symmetrize_opts){ .sum = 1, .before = &before, .after = &after }));
    CHECK(value_at(&out, 0, 0, 2, 7) == 1 && value_at(&out, 0, 0, 2, 3) == 1 && sum_of(&out) == 2);
    tess_release(&in);
    tess_release(&out);
    tess_release(&before);
    tess_release(&after);
}

/* ---- Empty arrays, dtypes ---- */

TEST(sums_of_nothing)
{
    tess_array none = { 0 }, out = { 0 }, m = matrices(1, 3, 3, identity), no_matrix = { 0 }, held;
    CHECK_OK(tess_empty(&none, TESS_SHAPE(1, 0, 4, 4), TESS_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&no_matrix, TESS_SHAPE(0, 1, 3, 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_project(&out, &none, &m, NULL));
    CHECK(out.shape.h == 4 && out.shape.w == 4 && sum_of(&out) == 0);
    tess_release(&out);
    CHECK_OK(tess_project(&out, &none, &no_matrix, NULL));
    CHECK(tess_is_empty(&out));
    tess_release(&out);
    tess_release(&none);
    CHECK_OK(tess_empty(&none, TESS_SHAPE(0, 1, 3, 3), TESS_F32, tess_cpu()));
    held = constant(TESS_F32, 1, 2, 3, 3, 5);
    CHECK_OK(tess_backproject(&held, &none, &no_matrix, &(tess_backproject_opts){ .add = 1 }));
    CHECK(sum_of(&held) == 90);
    CHECK_OK(tess_backproject(&held, &none, &no_matrix, NULL));
    CHECK(sum_of(&held) == 0);
    CHECK_OK(tess_symmetrize(&out, &none, "C3", NULL));
    CHECK(tess_is_empty(&out));
    tess_release(&none);
    tess_release(&out);
    tess_release(&m);
    tess_release(&no_matrix);
    tess_release(&held);
}

TEST(dtypes)
{
    static const tess_dtype given[] = { TESS_F16, TESS_U8, TESS_I64, TESS_C16, TESS_C64 };
    static const tess_dtype made[] = { TESS_F32, TESS_F32, TESS_F64, TESS_C32, TESS_C64 };
    for (int i = 0; i < 5; i++) {
        tess_array in = constant(given[i], 1, 3, 2, 2, 2), out = { 0 }, m = matrices(1, 3, 3, identity);
        tess_c64   z = { 0, 0 };
        CHECK_OK(tess_project(&out, &in, &m, NULL));
        CHECK_OK(tess_get_c64(&z, &out, 0, 0, 1, 1));
        CHECK(out.dtype == made[i] && z.re == 6 && z.im == 0);
        tess_release(&in);
        tess_release(&out);
        tess_release(&m);
    }
}

/* ---- Bad arguments ---- */

TEST(bad_volumes_and_matrices)
{
    tess_array volume = numbers(TESS_F32, 1, 3, 4, 4), two = numbers(TESS_F32, 2, 3, 4, 4), out = { 0 };
    tess_array m = matrices(1, 3, 3, identity), bad = constant(TESS_F32, 1, 1, 2, 2, 1);
    tess_array none = matrices(1, 3, 3, (double[]){ 0, 1, 0, 0, 0, 1, 0, 0, 0 }),
               complex = constant(TESS_C32, 1, 1, 3, 3, 1);
    tess_array tiny = matrices(1, 3, 3, (double[]){ 1e-9, 0, 0, 0, 1, 0, 0, 0, 1 }),
               unknown = matrices(1, 3, 3, identity);
    tess_array flat = matrices(1, 2, 3, (double[]){ 1, 2, 3, 2, 4, 6 }), images = numbers(TESS_F32, 3, 1, 4, 4);
    ((double *)unknown.data)[4] = (double)NAN;
    CHECK_FAILS(tess_project(NULL, &volume, &m, NULL), TESS_EARG, "project: out is NULL");
    CHECK_FAILS(tess_project(&out, NULL, &m, NULL), TESS_EARG, "project: volume is NULL");
    CHECK_FAILS(tess_project(&out, &volume, NULL, NULL), TESS_EARG, "project: matrices is NULL");
    CHECK_FAILS(tess_project(&out, &two, &m, NULL), TESS_ESHAPE,
                "project: volume has shape {2,3,4,4}; a single volume {1,d,h,w} is needed");
    CHECK_FAILS(tess_project(&out, &volume, &bad, NULL), TESS_ESHAPE,
                "project: matrices is f32 {1,1,2,2}; expected numbers "
                "{n,1,rows,columns} or matrices {n,1,1,1} of one of the sizes 3x3 3x4 4x4");
    CHECK_FAILS(tess_project(&out, &volume, &complex, NULL), TESS_EDTYPE, "project: matrices is c32; real numbers");
    CHECK_FAILS(tess_project(&out, &volume, &unknown, NULL), TESS_ERANGE,
                "project: matrix 0 of matrices has the element nan; all elements must be finite");
    CHECK_FAILS(tess_project(&out, &volume, &none, NULL), TESS_ERANGE,
                "project: the first column of matrix 0 of matrices is 0; it must give the direction of the rays");
    CHECK_FAILS(tess_project(&out, &volume, &tiny, NULL), TESS_ERANGE,
                "project: matrix 0 of matrices needs 4000000001 "
                "samples per ray; at most 16777216 are allowed");
    CHECK_FAILS(tess_project(&out, &volume, &flat, &(tess_project_opts){ .adjoint = 1 }), TESS_ERANGE,
                "project: the rows of y and x of matrix 0 of matrices are parallel or 0; opts->adjoint needs rank 2");
    CHECK_FAILS(tess_backproject(&out, &images, &m, NULL), TESS_ESHAPE,
                "backproject: images has shape {3,1,4,4} and there are 1 matrices; one image per matrix is needed");
    CHECK_FAILS(tess_backproject(&out, &volume, &m, NULL), TESS_ESHAPE,
                "backproject: images has shape {1,3,4,4}; images {n,1,h,w} are needed");
    CHECK(out.data == NULL);
    tess_array *all[] = { &volume, &two, &m, &bad, &none, &complex, &tiny, &unknown, &flat, &images };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
}

TEST(bad_options)
{
    tess_array       volume = numbers(TESS_F32, 1, 3, 4, 4), out = { 0 }, m = matrices(1, 3, 3, identity);
    tess_array       images = numbers(TESS_F32, 1, 1, 4, 4), wrong = numbers(TESS_F32, 2, 1, 4, 4);
    const tess_shape shape = TESS_SHAPE(1, 3, 4, 4);
    int64_t          window;
#define FAILS(status, text, ...)                                                                                       \
    CHECK_FAILS(tess_project(&out, &volume, &m, &(tess_project_opts){ __VA_ARGS__ }), status, text)
    FAILS(TESS_EARG, "project: out is zeroed and opts->add is 1; an allocated array is needed", .add = 1);
    FAILS(TESS_ERANGE, "project: opts->window is 4; it must be odd, or 0 for automatic", .window = 4);
    FAILS(TESS_EARG, "project: opts->window is 3 and opts->adjoint is 1, which has no rays", .window = 3, .adjoint = 1);
    FAILS(TESS_EARG, "project: opts->interp is 9; 0 (the default), 1 (nearest), 2 (linear)", .interp = 9);
    FAILS(TESS_ESHAPE, "project: the result has shape {1,2,4,4}; images", .shape = TESS_SHAPE(0, 2, 0, 0));
    FAILS(TESS_ESHAPE, "project: the result has shape {3,1,4,4} and there are 1 matrices",
          .shape = TESS_SHAPE(3, 0, 0, 0));
    FAILS(TESS_EARG, "reserved", .reserved = { 1 });
    FAILS(TESS_EARG, "project: opts->prefilter is 1; opts->interp must be \"cubic_bspline\", not \"linear\"",
          .prefilter = 1);
#undef FAILS
    CHECK_FAILS(tess_backproject(&out, &images, &m, &(tess_backproject_opts){ .prefilter = 1, .interp = 1 }), TESS_EARG,
                "backproject: opts->prefilter is 1; opts->interp must be \"cubic_bspline\", not \"nearest\"");
    CHECK_FAILS(tess_backproject_project(&out, &images, &m, &m, shape, &(tess_project_opts){ .prefilter = 1 }),
                TESS_EARG, "backproject_project: opts->prefilter is 1; opts->interp must be");
    CHECK_FAILS(tess_project(&wrong, &volume, &m, NULL), TESS_ESHAPE,
                "project: out has shape {2,1,4,4} and there are 1");
    CHECK_FAILS(tess_backproject(&images, &images, &m, NULL), TESS_EALIAS, "backproject");
    CHECK_FAILS(tess_backproject(&out, &images, &m, &(tess_backproject_opts){ .shape = TESS_SHAPE(2, 3, 4, 4) }),
                TESS_ESHAPE, "backproject: opts->shape has shape {2,3,4,4}; a single volume {1,d,h,w} is needed");
    CHECK_FAILS(tess_backproject_project(&out, &images, &m, &m, shape, &(tess_project_opts){ .adjoint = 1 }), TESS_EARG,
                "backproject_project: opts->adjoint is 1; it must be 0");
    CHECK_FAILS(tess_backproject_project(&out, &images, &m, NULL, shape, NULL), TESS_EARG,
                "backproject_project: forward is NULL");
    CHECK_FAILS(tess_backproject_project(&out, &wrong, &m, &m, shape, NULL), TESS_ESHAPE,
                "backproject_project: images has shape {2,1,4,4} and there are 1 matrices");
    CHECK_FAILS(tess_project_window(NULL, &m, shape, NULL), TESS_EARG, "project_window: samples is NULL");
    CHECK_FAILS(tess_project_window(&window, &m, shape, &(tess_project_opts){ .adjoint = 1 }), TESS_EARG,
                "project_window: opts->adjoint is 1, which has no rays; it must be 0");
    CHECK_FAILS(tess_project_window(&window, &m, TESS_SHAPE(2, 3, 3, 3), NULL), TESS_ESHAPE,
                "project_window: volume has shape {2,3,3,3}");
    CHECK(out.data == NULL);
    tess_release(&volume);
    tess_release(&images);
    tess_release(&wrong);
    tess_release(&m);
}

TEST(bad_symmetries)
{
    tess_array in = numbers(TESS_F32, 2, 1, 4, 4), volume = numbers(TESS_F32, 1, 3, 4, 4), out = { 0 };
    tess_array m = matrices(1, 3, 3, identity), three = constant(TESS_F64, 3, 1, 2, 3, 1), none = { 0 };
    tess_array singular = constant(TESS_F64, 1, 1, 2, 2, 1);
    CHECK_OK(tess_zeros(&none, TESS_SHAPE(0, 1, 2, 2), TESS_F64, tess_cpu()));
#define FAILS(name, status, text, ...)                                                                                 \
    CHECK_FAILS(tess_symmetrize(&out, &in, name, &(tess_symmetrize_opts){ __VA_ARGS__ }), status, text)
    FAILS("", TESS_EARG, "symmetrize: neither name nor opts->matrices is given; give one of them", .interp = 1);
    FAILS("C1", TESS_EARG, "symmetrize: name is \"C1\" and opts->matrices is given; give only one of them",
          .matrices = &m);
    FAILS("X", TESS_EPARSE, "symmetrize: name is \"X\"; C<n> or D<n>", .sum = 1);
    FAILS("O", TESS_EARG, "symmetrize: name is \"O\", which has no matrices for images; C<n> or D<n> is needed",
          .sum = 1);
    FAILS(NULL, TESS_ESHAPE, "symmetrize: opts->matrices is f64 {1,1,3,3}", .matrices = &m);
    FAILS(NULL, TESS_ESHAPE, "symmetrize: opts->matrices is empty; at least one matrix is needed", .matrices = &none);
    FAILS(NULL, TESS_ERANGE, "symmetrize: matrix 0 of opts->matrices has determinant 0; it must be invertible",
          .matrices = &singular);
    FAILS("C2", TESS_ESHAPE,
          "symmetrize: opts->before has 3 matrices and in 2 batches; one matrix, or one per batch, is needed",
          .before = &three);
    FAILS("C2", TESS_EARG, "symmetrize: opts->border is \"nothing\"; a sum needs a value",
          .border = TESS_BORDER_NOTHING);
    FAILS("C2", TESS_EARG, "symmetrize: opts->value is 2, which needs opts->border to be \"value\", not \"zero\"",
          .value = 2);
    FAILS("C2", TESS_EARG, "symmetrize: opts->prefilter is 1; opts->interp must be \"cubic_bspline\", not \"linear\"",
          .prefilter = 1);
    FAILS("C2", TESS_EARG, "symmetrize: opts->shift_d is 1; it must be 0 for images", .shift_d = 1);
#undef FAILS
    CHECK_FAILS(tess_symmetrize(&out, &in, NULL, NULL), TESS_EARG, "symmetrize: neither name nor");
    CHECK_FAILS(tess_symmetrize(NULL, &in, "C2", NULL), TESS_EARG, "symmetrize: out is NULL");
    CHECK_FAILS(tess_symmetrize(&in, &in, "C2", NULL), TESS_EALIAS, "symmetrize");
    CHECK(out.data == NULL);
    tess_array *all[] = { &in, &volume, &m, &three, &none, &singular };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
}

/* ---- Memory ---- */

static hooks h;

static tess_status run_one(int which, tess_array *out, const tess_array *volume, const tess_array *images,
                           const tess_array *m)
{
    switch (which) {
    case 0: return tess_project(out, volume, m, NULL);
    case 1: return tess_project(out, volume, m, &(tess_project_opts){ .adjoint = 1 });
    case 2: return tess_backproject(out, images, m, NULL);
    case 3: return tess_backproject_project(out, images, m, m, volume->shape, NULL);
    case 4: return tess_symmetrize(out, volume, "D2", &(tess_symmetrize_opts){ .after = m });
    case 5:
        return tess_project(out, volume, m,
                            &(tess_project_opts){ .adjoint = 1, .prefilter = 1, .interp = TESS_INTERP_CUBIC_BSPLINE });
    default:
        return tess_backproject(out, images, m,
                                &(tess_backproject_opts){ .prefilter = 1, .interp = TESS_INTERP_CUBIC_BSPLINE });
    }
}

/* Every allocation fails in turn: a clear status, no leak, and the output as it was. */
TEST(allocations_that_fail)
{
    hooks_on(&h);
    tess_array volume = numbers(TESS_I16, 1, 3, 4, 5), images = numbers(TESS_I16, 1, 1, 4, 5);
    tess_array m = matrices(1, 3, 3, identity);
    for (int which = 0; which < 7; which++) {
        bool done = false;
        for (int k = 1; !done && k < 100; k++) {
            tess_array out = { 0 };
            const long live = atomic_load(&h.live);
            atomic_store(&h.calls, 0);
            atomic_store(&h.fail_at, k);
            const tess_status status = run_one(which, &out, &volume, &images, &m);
            atomic_store(&h.fail_at, 0);
            done = status == TESS_OK;
            if (!done) CHECK(status == TESS_ENOMEM && out.data == NULL && strstr(tess_error_message(), "memory"));
            tess_release(&out);
            CHECK(done || atomic_load(&h.live) == live);
        }
        CHECK(done);
    }
    tess_release(&volume);
    tess_release(&images);
    tess_release(&m);
    hooks_off();
}
