/* Orientations of particles: angles of RELION to those of Dynamo, the mean of noisy ones, and the asymmetric unit. */
#include <stdio.h>
#include <stdlib.h>

#include "tessera.h"

static void need(tess_status status)
{
    if (status == TESS_OK) return;
    fputs(tess_error_trace(), stderr);
    exit(1);
}

static void print_row(const char *what, const tess_array *a, int n)
{
    printf("%s:", what);
    for (int i = 0; i < n; i++) {
        double x;
        need(tess_get_f64(&x, a, 0, 0, 0, i));
        printf(" %.2f", x);
    }
    printf("\n");
}

int main(void)
{
    enum { N = 200 };
    double     relion[] = { 137.7, 1.1777, 42.727 };
    tess_array angles = { 0 }, matrices = { 0 }, dynamo = { 0 };

    /* Rot, tilt and psi to a matrix, and that to tdrot, tilt and narot. */
    need(tess_wrap(&angles, relion, TESS_SHAPE(1, 1, 1, 3), TESS_F64, NULL));
    need(tess_euler_to_matrix(&matrices, &angles, &(tess_euler_opts){ .convention = "relion" }));
    need(tess_euler_from_matrix(&dynamo, &matrices, &(tess_euler_opts){ .convention = "dynamo" }));
    print_row("RELION's angles as Dynamo's", &dynamo, 3);

    /* Particles of D2 symmetry, each some degrees from one of four orientations that are the same. */
    tess_array group = { 0 }, set = { 0 }, one = { 0 }, noise = { 0 }, quats = { 0 }, reduced = { 0 }, mean = { 0 };
    need(tess_symmetry_matrices(&group, "D2", NULL));
    need(tess_quat_from_matrix(&set, &group));
    need(tess_empty(&noise, TESS_SHAPE(N, 1, 1, 3), TESS_F64, tess_cpu()));
    need(tess_random_normal(&noise, 0, 3, 7, NULL));
    need(tess_euler_to_quat(&quats, &noise, &(tess_euler_opts){ .convention = "xyz", .unit = TESS_ANGLE_DEGREES }));
    for (int64_t i = 0; i < N; i++) {
        tess_array particle, element;
        need(tess_slice(&particle, &quats, 0, i, i + 1, 1));
        need(tess_slice(&element, &set, 0, i % 4, i % 4 + 1, 1));
        need(tess_quat_mul(&particle, &element, &particle));
    }
    need(tess_quat_reduce(&reduced, &quats, &(tess_quat_reduce_opts){ .sym = "D2" }));
    need(tess_quat_average(&mean, &reduced, NULL));

    /* How far is their mean from no rotation? */
    double identity[] = { 0, 0, 0, 1 }, angle;
    need(tess_wrap(&one, identity, TESS_SHAPE(1, 1, 1, 4), TESS_F64, NULL));
    tess_array distance = { 0 };
    need(tess_quat_distance(&distance, &mean, &one, NULL));
    need(tess_get_f64(&angle, &distance, 0, 0, 0, 0));
    printf("the mean of %d particles is within a degree: %s\n", N, angle * 180 / TESS_PI < 1 ? "yes" : "no");
    tess_array *all[] = { &matrices, &dynamo, &group, &set, &noise, &quats, &reduced, &mean, &distance };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    return 0;
}
