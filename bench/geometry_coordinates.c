/* Samples at given coordinates beside a transform that computes the same ones, and their adjoint beside them, on one
 * thread each and on all. One JSON line each; `limit_s` is the time of the other. `--quick` takes fewer rounds; other
 * arguments are names of works to run. bench/python_peers.py has such works by SciPy.
 */
#include <math.h>

#include "bench.h"
#include "tessera/transform.h"

static int    rounds = 7;
static int    n_names;
static char **names;

typedef struct coordinates_case {
    tess_array            in, values, back, transformed, points, matrix;
    tess_coordinates_opts o;
} coordinates_case;

static void run_map(void *context)
{
    coordinates_case *c = context;
    bench_need(tess_map_coordinates(&c->values, &c->in, &c->points, &c->o));
}

static void run_adjoint(void *context)
{
    coordinates_case *c = context;
    bench_need(tess_map_coordinates_adjoint(&c->back, &c->values, &c->points, c->in.shape, &c->o));
}

static void run_transform(void *context)
{
    coordinates_case         *c = context;
    const tess_transform_opts o = { .interp = c->o.interp };
    if (c->in.shape.d > 1) bench_need(tess_transform_3d(&c->transformed, &c->in, &c->matrix, &o));
    else bench_need(tess_transform_2d(&c->transformed, &c->in, &c->matrix, &o));
}

/* ---- Works ---- */

/* A rotation about the centre, of volumes about an axis between all three. */
static void set_matrix(coordinates_case *c)
{
    static const double flat[4] = { 0.86602540378443865, -0.5, 0.5, 0.86602540378443865 };
    static const double deep[9] = { 0.91, -0.24, 0.33, 0.33, 0.91, -0.24, -0.24, 0.33, 0.91 };
    const int           dims = c->in.shape.d > 1 ? 3 : 2;
    const double       *linear = dims == 3 ? deep : flat;
    bench_need(tess_zeros(&c->matrix, TESS_SHAPE(1, 1, dims, dims + 1), TESS_F64, tess_cpu()));
    double *m = c->matrix.data;
    for (int i = 0; i < dims; i++) {
        m[i * (dims + 1) + dims] = (double)(c->in.shape.dim[4 - dims + i] / 2);
        for (int j = 0; j < dims; j++) {
            m[i * (dims + 1) + j] = linear[i * dims + j];
            m[i * (dims + 1) + dims] -= linear[i * dims + j] * (double)(c->in.shape.dim[4 - dims + j] / 2);
        }
    }
}

/* The coordinates of that transform, in f32. */
static void set_points(coordinates_case *c)
{
    const tess_shape n = c->in.shape;
    const int        dims = n.d > 1 ? 3 : 2;
    const double    *m = c->matrix.data;
    bench_need(tess_empty(&c->points, TESS_SHAPE(1, n.d * n.h, n.w, dims), TESS_F32, tess_cpu()));
    float *to = c->points.data;
    for (int64_t i = 0; i < n.d * n.h * n.w; i++) {
        const double p[3] = { (double)(i / n.w / n.h), (double)(i / n.w % n.h), (double)(i % n.w) };
        for (int k = 0; k < dims; k++) {
            double sum = m[k * (dims + 1) + dims];
            for (int j = 0; j < dims; j++) sum += m[k * (dims + 1) + j] * p[3 - dims + j];
            *to++ = (float)sum;
        }
    }
}

static void time_coordinates(const char *name, const char *adjoint, int interp, tess_shape shape, int threads)
{
    coordinates_case c = { .o = { .interp = interp } };
    if (!bench_wanted(name, names, n_names) && !bench_wanted(adjoint, names, n_names)) return;
    bench_need(tess_empty(&c.in, shape, TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < tess_n_elements(&c.in); i++) ((float *)c.in.data)[i] = (float)(i * 7919 % 1009);
    set_matrix(&c);
    set_points(&c);
    bench_need(tess_threads_set(threads));
    run_transform(&c); /* makes the outputs */
    run_map(&c);
    run_adjoint(&c);
    if (bench_wanted(name, names, n_names))
        bench_report(name, "f32", threads, bench_compare(run_map, &c, run_transform, &c, rounds, 0.004));
    if (bench_wanted(adjoint, names, n_names))
        bench_report(adjoint, "f32", threads, bench_compare(run_adjoint, &c, run_map, &c, rounds, 0.004));
    tess_array *const all[] = { &c.in, &c.values, &c.back, &c.transformed, &c.points, &c.matrix };
    for (int i = 0; i < 6; i++) tess_release(all[i]);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) {
        rounds = 3;
        argc--;
        argv++;
    }
    n_names = argc - 1;
    names = argv + 1;
    const tess_shape image = TESS_SHAPE(1, 1, 2048, 2048), volume = TESS_SHAPE(1, 160, 160, 160);
    for (int threads = 1; threads <= 2; threads++) {
        time_coordinates("coordinates_linear", "adjoint_linear", TESS_INTERP_LINEAR, image, threads);
        time_coordinates("coordinates_bspline", "adjoint_bspline", TESS_INTERP_CUBIC_BSPLINE, image, threads);
        time_coordinates("coordinates_volume_linear", "adjoint_volume_linear", TESS_INTERP_LINEAR, volume, threads);
        time_coordinates("coordinates_volume_bspline", "adjoint_volume_bspline", TESS_INTERP_CUBIC_BSPLINE, volume,
                         threads);
    }
    return 0;
}
