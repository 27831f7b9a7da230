/* Euler angles, quaternions and points beside loops by hand over the C library's functions. One JSON line each. `--quick` takes
 * fewer rounds. */
#include <math.h>

#include "bench.h"

enum { N = 200000 };

typedef struct work {
    tess_array angles, matrices, quats, points, spare;
    double    *in, *out; /* of the loops */
} work;

static const tess_euler_opts zyz = { .convention = "zyz" };

static void run_to_matrix(void *context)
{
    work *w = context;
    bench_need(tess_euler_to_matrix(&w->matrices, &w->angles, &zyz));
}

static void run_from_matrix(void *context)
{
    work *w = context;
    bench_need(tess_euler_from_matrix(&w->spare, &w->matrices, &zyz));
}

static void run_quats(void *context)
{
    work *w = context;
    bench_need(tess_quat_to_matrix(&w->matrices, &w->quats));
}

static void run_points(void *context)
{
    work *w = context;
    bench_need(tess_transform_points(&w->spare, &w->points, &w->matrices));
}

/* The products of zyz written out. */
static void loop_to_matrix(void *context)
{
    const work *w = context;
    for (int64_t i = 0; i < N; i++) {
        const double *a = w->in + 3 * i;
        const double  ca = cos(a[0]), sa = sin(a[0]), cb = cos(a[1]), sb = sin(a[1]), cc = cos(a[2]), sc = sin(a[2]);
        const double  m[9] = { cb,
                               sb * sc,
                               -sb * cc,
                               sb * sa,
                               ca * cc - cb * sa * sc,
                               ca * sc + cb * sa * cc,
                               sb * ca,
                               -sa * cc - cb * ca * sc,
                               cb * ca * cc - sa * sc };
        memcpy(w->out + 9 * i, m, sizeof m);
    }
}

static void loop_from_matrix(void *context)
{
    const work *w = context;
    for (int64_t i = 0; i < N; i++) {
        const double *m = w->out + 9 * i;
        double       *a = w->in + 3 * i;
        a[0] = atan2(m[3], m[6]);
        a[1] = atan2(hypot(m[3], m[6]), m[0]);
        a[2] = atan2(m[1], -m[2]);
    }
}

static void loop_quats(void *context)
{
    const work   *w = context;
    const double *quats = w->quats.data;
    for (int64_t i = 0; i < N; i++) {
        const double *q = quats + 4 * i;
        const double  length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        const double  z = q[0] / length, y = q[1] / length, x = q[2] / length, r = q[3] / length;
        const double  m[9] = { 1 - 2 * (x * x + y * y), 2 * (y * z + x * r),     2 * (x * z - y * r),
                               2 * (y * z - x * r),     1 - 2 * (x * x + z * z), 2 * (x * y + z * r),
                               2 * (x * z + y * r),     2 * (x * y - z * r),     1 - 2 * (y * y + z * z) };
        memcpy(w->out + 9 * i, m, sizeof m);
    }
}

static void loop_points(void *context)
{
    const work   *w = context;
    const double *matrices = w->matrices.data, *points = w->points.data;
    for (int64_t i = 0; i < N; i++) {
        const double *m = matrices + 9 * i, *p = points + 3 * i;
        for (int k = 0; k < 3; k++) w->in[3 * i + k] = m[3 * k] * p[0] + m[3 * k + 1] * p[1] + m[3 * k + 2] * p[2];
    }
}

static void measure(int threads, int rounds)
{
    work w = { .in = malloc(N * 3 * sizeof(double)), .out = malloc(N * 9 * sizeof(double)) };
    if (!w.in || !w.out) exit(1);
    bench_need(tess_empty(&w.angles, TESS_SHAPE(N, 1, 1, 3), TESS_F64, tess_cpu()));
    bench_need(tess_empty(&w.quats, TESS_SHAPE(N, 1, 1, 4), TESS_F64, tess_cpu()));
    bench_need(tess_random_uniform(&w.angles, 0, 3, 1, NULL));
    bench_need(tess_quat_random(&w.quats, 1, NULL));
    bench_need(tess_copy(&w.points, &w.angles));
    bench_need(tess_copy(&w.spare, &w.angles));
    memcpy(w.in, w.angles.data, N * 3 * sizeof(double));
    bench_need(tess_threads_set(threads));
    run_to_matrix(&w);
    loop_to_matrix(&w);
    bench_report("200000 Euler angles to matrices, beside a loop of one thread", "f64", threads,
                 bench_compare(run_to_matrix, &w, loop_to_matrix, &w, rounds, 0.02));
    bench_report("200000 matrices to Euler angles, beside a loop of one thread", "f64", threads,
                 bench_compare(run_from_matrix, &w, loop_from_matrix, &w, rounds, 0.02));
    bench_report("200000 quaternions to matrices, beside a loop of one thread", "f64", threads,
                 bench_compare(run_quats, &w, loop_quats, &w, rounds, 0.02));
    bench_report("200000 points through a matrix each, beside a loop of one thread", "f64", threads,
                 bench_compare(run_points, &w, loop_points, &w, rounds, 0.02));
    tess_array *all[] = { &w.angles, &w.matrices, &w.quats, &w.points, &w.spare };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    free(w.in);
    free(w.out);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 2 : 7;
    for (int threads = 1; threads <= 2; threads++) measure(threads, rounds);
    return 0;
}
