/* Fits a plane to an image and subtracts it; finds an affine map from pairs of points by least squares, and the axis
 * along which points are spread. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tessera.h"
#include "tessera/math/linear.op.h"

static void need(tess_status status)
{
    if (status == TESS_OK) return;
    fputs(tess_error_trace(), stderr);
    exit(1);
}

static double get(const tess_array *a, int64_t h, int64_t w)
{
    double x;
    need(tess_get_f64(&x, a, 0, 0, h, w));
    return x;
}

/* An image that is brighter to the right and darker below, with one spot that is to be found. */
static void flatten(void)
{
    enum { H = 60, W = 80 };
    tess_array image = { 0 }, flat = { 0 }, plane = { 0 };
    need(tess_empty(&image, TESS_SHAPE(1, 1, H, W), TESS_F32, tess_cpu()));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const double spot = hypot(y - 20, x - 10) < 2 ? 1 : 0;
            need(tess_set_f64(&image, 0, 0, y, x, 100 + 0.5 * x - 0.25 * y + spot));
        }
    need(tess_polyfit_surface(&flat, &image, 1, &(tess_polyfit_opts){ .subtract = 1, .parameters = &plane }));
    printf("the plane is %.2f %+.3f x %+.3f y\n", get(&plane, 0, 0), get(&plane, 0, 1), get(&plane, 0, 2));
    printf("the image is %.2f at the spot and %.2f in a corner\n", get(&image, 20, 10), get(&image, 0, W - 1));
    printf("without the plane %.2f and %.2f\n", get(&flat, 20, 10), fabs(get(&flat, 0, W - 1)));
    tess_release(&image);
    tess_release(&flat);
    tess_release(&plane);
}

/* [y x 1] m = [y' x'] for every pair: m has three rows, and two columns that are solved for at once. */
static void register_points(void)
{
    static const double from[5][2] = { { 0, 0 }, { 0, 10 }, { 10, 0 }, { 10, 10 }, { 5, 5 } };
    static const double to[5][2] = { { 3, -2 }, { 3.01, 7.99 }, { 12.99, -2.01 }, { 13, 8 }, { 8, 3.02 } };
    tess_array          a = { 0 }, b = { 0 }, m = { 0 }, values = { 0 }, rank = { 0 };
    need(tess_ones(&a, TESS_SHAPE(1, 1, 5, 3), TESS_F64, tess_cpu()));
    need(tess_empty(&b, TESS_SHAPE(1, 1, 5, 2), TESS_F64, tess_cpu()));
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 2; j++) {
            need(tess_set_f64(&a, 0, 0, i, j, from[i][j]));
            need(tess_set_f64(&b, 0, 0, i, j, to[i][j]));
        }
    need(tess_lstsq(&m, &a, &b, &(tess_lstsq_opts){ .singular_values = &values, .rank = &rank }));
    printf("%.0f unknowns are determined; singular values %.3f %.3f %.3f\n", get(&rank, 0, 0), get(&values, 0, 0),
           get(&values, 0, 1), get(&values, 0, 2));
    tess_mat23_f64 map;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) map.at[i * 3 + j] = get(&m, j, i);
    const tess_vec2_f64 there = tess_mat23_apply_f64(map, tess_vec2_of_f64(2, 8));
    const tess_vec2_f64 back = tess_mat23_apply_f64(tess_mat23_inverse_f64(map), there);
    printf("y 2, x 8 goes to y %.2f, x %.2f and back to y %.2f, x %.2f\n", there.at[0], there.at[1], back.at[0],
           back.at[1]);
    tess_release(&a);
    tess_release(&b);
    tess_release(&m);
    tess_release(&values);
    tess_release(&rank);
}

/* The axis along which points are spread, and how far: the eigenvector of the largest eigenvalue. */
static void principal_axis(void)
{
    static const double points[4][2] = { { -2, -2 }, { 2, 2 }, { -1, 1 }, { 1, -1 } };
    tess_array          a = { 0 }, products = { 0 }, values = { 0 }, vectors = { 0 };
    need(tess_empty(&a, TESS_SHAPE(1, 1, 4, 2), TESS_F64, tess_cpu()));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) need(tess_set_f64(&a, 0, 0, i, j, points[i][j]));
    need(tess_matmul(&products, &a, &a, &(tess_matmul_opts){ .form_a = TESS_MATRIX_TRANSPOSE }));
    need(tess_eigh(&values, &vectors, &products, NULL));
    printf("spread %.1f along y %.3f, x %.3f, and %.1f across\n", get(&values, 0, 1), get(&vectors, 0, 1),
           get(&vectors, 1, 1), get(&values, 0, 0));
    tess_release(&a);
    tess_release(&products);
    tess_release(&values);
    tess_release(&vectors);
}

int main(void)
{
    flatten();
    register_points();
    principal_axis();
    return 0;
}
