/* A line through noisy points by least squares, checked with a product; and a rotation of points of one's own. */
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

int main(void)
{
    enum { N = 50 };
    tess_array a = { 0 }, b = { 0 }, x = { 0 }, rest = { 0 };
    need(tess_ones(&a, TESS_SHAPE(1, 1, N, 2), TESS_F64, tess_cpu()));
    need(tess_empty(&b, TESS_SHAPE(1, 1, N, 1), TESS_F64, tess_cpu()));
    for (int i = 0; i < N; i++) {
        const double t = 0.1 * i;
        need(tess_set_f64(&a, 0, 0, i, 1, t));
        need(tess_set_f64(&b, 0, 0, i, 0, 2 + 3 * t + (i % 2 ? 0.01 : -0.01)));
    }
    need(tess_lstsq(&x, &a, &b, NULL));
    double line[2];
    for (int i = 0; i < 2; i++) need(tess_get_f64(&line[i], &x, 0, 0, i, 0));
    printf("the line is %.3f + %.3f t\n", line[0], line[1]);

    /* What is left, a x - b, is orthogonal to the columns of a. */
    need(tess_matmul(&b, &a, &x, &(tess_matmul_opts){ .beta = -1 }));
    need(tess_matmul(&rest, &a, &b, &(tess_matmul_opts){ .form_a = TESS_MATRIX_TRANSPOSE }));
    need(tess_get_f64(&line[0], &rest, 0, 0, 1, 0));
    printf("its residue is orthogonal to t: %s\n", fabs(line[0]) < 1e-10 ? "yes" : "no");

    /* A third of a turn about the diagonal takes x to y. Vectors are z, y, x. */
    const tess_vec4_f64 turn = tess_quat_from_axis_angle_f64(tess_vec3_of_f64(1, 1, 1), 2 * TESS_PI / 3);
    const tess_vec3_f64 p = tess_quat_rotate_f64(turn, tess_vec3_of_f64(0, 0, 1));
    printf("x is turned to z %.3f, y %.3f, x %.3f\n", fabs(p.at[0]), p.at[1], fabs(p.at[2]));
    tess_release(&a);
    tess_release(&b);
    tess_release(&x);
    tess_release(&rest);
    return 0;
}
