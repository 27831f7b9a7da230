/* Rotations of images and volumes against a naive loop in C, on one thread each and on all; the B-spline prefilter
 * against memcpy of as many bytes as its passes read and write.
 *
 * The naive loop is what a program has that does not think of speed, compiled with -O3 for this machine: for each
 * result a coordinate, a test whether its window is inside, weights in registers and a sum of taps. One JSON line each.
 * `--quick` takes fewer rounds; other arguments are names of works to run. bench/peers_geometry.py has the same works by
 * SciPy and OpenCV.
 */
#include <math.h>

#include "bench.h"
#include "tessera/transform.h"

static int    rounds = 7;
static int    n_names;
static char **names;

static bool wanted(const char *name) { return bench_wanted(name, names, n_names); }

typedef struct transform_case {
    tess_array          in, out, matrices;
    tess_transform_opts o;
    int                 threads;
} transform_case;

/* ---- Ours ---- */

static void run_transform(void *context)
{
    transform_case *c = context;
    if (c->in.shape.d > 1) bench_need(tess_transform_3d(&c->out, &c->in, &c->matrices, &c->o));
    else bench_need(tess_transform_2d(&c->out, &c->in, &c->matrices, &c->o));
}

/* ---- The naive loop ---- */

static inline void naive_weights(int interp, float t, float *w)
{
    const float s = 1 - t;
    if (interp == TESS_INTERP_LINEAR) {
        w[0] = s;
        w[1] = t;
    } else if (interp == TESS_INTERP_CUBIC) {
        w[0] = ((-0.5f * t + 1) * t - 0.5f) * t;
        w[1] = (1.5f * t - 2.5f) * t * t + 1;
        w[2] = ((-1.5f * t + 2) * t + 0.5f) * t;
        w[3] = (0.5f * t - 0.5f) * t * t;
    } else {
        w[0] = s * s * s / 6;
        w[1] = 2.0f / 3 - 0.5f * t * t * (2 - t);
        w[2] = 2.0f / 3 - 0.5f * s * s * (2 - s);
        w[3] = t * t * t / 6;
    }
}

static inline __attribute__((always_inline)) float naive_at(const float *in, tess_shape n, int interp, int dims,
                                                            const double *c)
{
    const int taps = interp == TESS_INTERP_LINEAR ? 2 : 4, back = taps / 2 - 1, deep = dims == 3 ? taps : 1;
    float     w[3][4], sum = 0;
    int64_t   i[3] = { 0 };
    for (int k = 3 - dims; k < 3; k++) {
        const double below = floor(c[k]);
        i[k] = (int64_t)below - back;
        if (i[k] < 0 || i[k] + taps > n.dim[k + 1]) return 0;
        naive_weights(interp, (float)(c[k] - below), w[k]);
    }
    for (int z = 0; z < deep; z++) {
        float plane = 0;
        for (int y = 0; y < taps; y++) {
            const float *p = in + ((i[0] + z) * n.h + i[1] + y) * n.w + i[2];
            float        row = 0;
            for (int x = 0; x < taps; x++) row += w[2][x] * p[x];
            plane += w[1][y] * row;
        }
        sum += dims == 3 ? w[0][z] * plane : plane;
    }
    return sum;
}

static inline __attribute__((always_inline)) void naive_rows(const transform_case *c, int interp, int dims,
                                                             int64_t first, int64_t last)
{
    const tess_shape n = c->in.shape;
    const double    *m = c->matrices.data;
    for (int64_t i = first; i < last; i++) {
        const int64_t h = i % n.h, d = i / n.h % n.d, b = i / n.h / n.d;
        const float  *in = (const float *)c->in.data + b * n.d * n.h * n.w;
        float        *out = (float *)c->out.data + i * n.w;
        for (int64_t w = 0; w < n.w; w++) {
            const double p[3] = { (double)d, (double)h, (double)w };
            double       at[3] = { 0 };
            for (int k = 0; k < dims; k++) {
                double sum = m[k * (dims + 1) + dims];
                for (int j = 0; j < dims; j++) sum += m[k * (dims + 1) + j] * p[3 - dims + j];
                at[3 - dims + k] = sum;
            }
            out[w] = naive_at(in, n, interp, dims, at);
        }
    }
}

static void naive_part(const transform_case *c, int64_t first, int64_t last)
{
    const bool volume = c->in.shape.d > 1;
    if (c->o.interp == TESS_INTERP_LINEAR) {
        if (volume) naive_rows(c, TESS_INTERP_LINEAR, 3, first, last);
        else naive_rows(c, TESS_INTERP_LINEAR, 2, first, last);
    } else if (c->o.interp == TESS_INTERP_CUBIC) {
        if (volume) naive_rows(c, TESS_INTERP_CUBIC, 3, first, last);
        else naive_rows(c, TESS_INTERP_CUBIC, 2, first, last);
    } else {
        if (volume) naive_rows(c, TESS_INTERP_CUBIC_BSPLINE, 3, first, last);
        else naive_rows(c, TESS_INTERP_CUBIC_BSPLINE, 2, first, last);
    }
}

typedef struct naive_task {
    const transform_case *c;
    int64_t               first, last;
} naive_task;

static void *naive_thread(void *context)
{
    const naive_task *t = context;
    naive_part(t->c, t->first, t->last);
    return NULL;
}

enum { MAX_THREADS = 64 };

static void run_naive(void *context)
{
    const transform_case *c = context;
    const int64_t         rows = c->in.shape.b * c->in.shape.d * c->in.shape.h;
    pthread_t             threads[MAX_THREADS];
    naive_task            tasks[MAX_THREADS];
    const int             n = c->threads < MAX_THREADS ? c->threads : MAX_THREADS;
    for (int i = 0; i < n; i++) {
        tasks[i] = (naive_task){ c, rows * i / n, rows * (i + 1) / n };
        if (i > 0 && pthread_create(&threads[i], NULL, naive_thread, &tasks[i])) exit(1);
    }
    (void)naive_thread(&tasks[0]);
    for (int i = 1; i < n; i++) (void)pthread_join(threads[i], NULL);
}

/* ---- Works ---- */

static void set_numbers(tess_array *a)
{
    uint64_t state = 1;
    for (int64_t i = 0; i < tess_n_elements(a); i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ((float *)a->data)[i] = (float)(state >> 40) / 65536.0f;
    }
}

/* 30 degrees about the centre, of volumes about an axis between all three. */
static void set_matrix(transform_case *c)
{
    const double     s = 0.5, r = sqrt(0.75);
    const tess_shape n = c->in.shape;
    const bool       volume = n.d > 1;
    const double     flat[4] = { r, -s, s, r }, deep[9] = { 0.91, -0.24, 0.33, 0.33, 0.91, -0.24, -0.24, 0.33, 0.91 };
    const int        dims = volume ? 3 : 2;
    const double    *linear = volume ? deep : flat;
    bench_need(tess_zeros(&c->matrices, TESS_SHAPE(1, 1, dims, dims + 1), TESS_F64, tess_cpu()));
    double *m = c->matrices.data;
    for (int i = 0; i < dims; i++) {
        m[i * (dims + 1) + dims] = (double)(n.dim[4 - dims + i] / 2);
        for (int j = 0; j < dims; j++) {
            m[i * (dims + 1) + j] = linear[i * dims + j];
            m[i * (dims + 1) + dims] -= linear[i * dims + j] * (double)(n.dim[4 - dims + j] / 2);
        }
    }
}

static void time_transform(const char *name, int interp, tess_shape shape, int threads)
{
    transform_case c = { .o = { .interp = interp }, .threads = threads };
    if (!wanted(name)) return;
    bench_need(tess_empty(&c.in, shape, TESS_F32, tess_cpu()));
    set_numbers(&c.in);
    set_matrix(&c);
    bench_need(tess_threads_set(threads));
    run_transform(&c); /* makes the output */
    bench_report(name, "f32", threads, bench_compare(run_transform, &c, run_naive, &c, rounds, 0.004));
    tess_release(&c.in);
    tess_release(&c.out);
    tess_release(&c.matrices);
}

static void run_prefilter(void *context)
{
    transform_case           *c = context;
    const tess_prefilter_opts o = { .border = TESS_BORDER_REFLECT };
    bench_need(tess_bspline_prefilter(&c->out, &c->in, &o));
}

static void time_prefilter(const char *name, tess_shape shape, int threads)
{
    transform_case c = { .threads = threads };
    if (!wanted(name)) return;
    bench_need(tess_empty(&c.in, shape, TESS_F32, tess_cpu()));
    set_numbers(&c.in);
    bench_need(tess_threads_set(threads));
    run_prefilter(&c);
    tess_array   from = { 0 }, to = { 0 };
    const size_t size = (size_t)tess_n_bytes(&c.in) * (shape.d > 1 ? 3 : 2);
    bench_need(tess_full(&from, TESS_SHAPE(1, 1, 1, (int64_t)size), TESS_U8, tess_cpu(), 1));
    bench_need(tess_full(&to, TESS_SHAPE(1, 1, 1, (int64_t)size), TESS_U8, tess_cpu(), 1));
    bench_memcpy limit = { to.data, from.data, size, threads };
    bench_report(name, "f32", threads, bench_compare(run_prefilter, &c, bench_run_memcpy, &limit, rounds, 0.004));
    tess_release(&from);
    tess_release(&to);
    tess_release(&c.in);
    tess_release(&c.out);
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
    const tess_shape images = TESS_SHAPE(16, 1, 1024, 1024), volume = TESS_SHAPE(1, 256, 256, 256);
    for (int threads = 1; threads <= 2; threads++) {
        time_transform("rotate_linear", TESS_INTERP_LINEAR, images, threads);
        time_transform("rotate_cubic", TESS_INTERP_CUBIC, images, threads);
        time_transform("rotate_bspline", TESS_INTERP_CUBIC_BSPLINE, images, threads);
        time_transform("rotate_lanczos6_beside_bspline", TESS_INTERP_LANCZOS6, images, threads);
        time_transform("volume_linear", TESS_INTERP_LINEAR, volume, threads);
        time_transform("volume_bspline", TESS_INTERP_CUBIC_BSPLINE, volume, threads);
        time_prefilter("prefilter_images", images, threads);
        time_prefilter("prefilter_volume", volume, threads);
    }
    return 0;
}
