/* Polar transforms and rotational averages against naive loops in C, on one thread.
 *
 * The naive loop of a transform computes sine and cosine once a row, tests whether the window is inside and sums four
 * taps in f32; that of an average takes a root for each coefficient and adds its power to two bins of f64. The library does
 * the same in f64 coordinates, with any strides and borders. One JSON line each; `--quick` takes fewer rounds.
 */
#include <math.h>

#include "bench.h"
#include "tessera/polar.h"

enum { SIDE = 1024, IMAGES = 16, SHELLS = SIDE / 2 + 1 };

static int rounds = 7;

typedef struct polar_case {
    tess_array      in, out;
    tess_polar_opts o;
    double          sums[SHELLS + 1], weights[SHELLS + 1];
} polar_case;

/* ---- Ours ---- */

static void run_to_polar(void *context)
{
    polar_case *c = context;
    bench_need(tess_cartesian_to_polar(&c->out, &c->in, &c->o));
}

static void run_to_cartesian(void *context)
{
    polar_case *c = context;
    bench_need(tess_polar_to_cartesian(&c->out, &c->in, &c->o));
}

static void run_average(void *context)
{
    polar_case *c = context;
    bench_need(tess_rotational_average(&c->out, &c->in, TESS_SHAPE(IMAGES, 1, SIDE, SIDE), NULL));
}

/* ---- Naive loops ---- */

static float linear(const float *image, int64_t h, int64_t w, double y, double x)
{
    const double  below = floor(y), left = floor(x);
    const int64_t i = (int64_t)below, j = (int64_t)left;
    const float   ty = (float)(y - below), tx = (float)(x - left);
    if (i < 0 || j < 0 || i + 1 >= h || j + 1 >= w) return 0;
    const float *p = image + i * w + j;
    const float  top = p[0] + tx * (p[1] - p[0]), bottom = p[w] + tx * (p[w + 1] - p[w]);
    return top + ty * (bottom - top);
}

static void naive_to_polar(void *context)
{
    polar_case   *c = context;
    const int64_t h = c->in.shape.h, w = c->in.shape.w, angles = c->out.shape.h, radii = c->out.shape.w;
    for (int64_t b = 0; b < c->in.shape.b; b++)
        for (int64_t k = 0; k < angles; k++) {
            const double phi = (2 * TESS_PI) * (double)k / (double)angles, dy = sin(phi), dx = cos(phi);
            for (int64_t i = 0; i < radii; i++)
                ((float *)c->out.data)[(b * angles + k) * radii + i] =
                    linear((const float *)c->in.data + b * h * w, h, w, (double)(h / 2) + (double)i * dy,
                           (double)(w / 2) + (double)i * dx);
        }
}

static void naive_to_cartesian(void *context)
{
    polar_case   *c = context;
    const int64_t h = c->out.shape.h, w = c->out.shape.w, angles = c->in.shape.h, radii = c->in.shape.w;
    for (int64_t b = 0; b < c->in.shape.b; b++)
        for (int64_t k = 0; k < h; k++)
            for (int64_t i = 0; i < w; i++) {
                const double y = (double)(k - h / 2), x = (double)(i - w / 2);
                double       phi = atan2(y, x);
                if (phi < 0) phi += (2 * TESS_PI);
                ((float *)c->out.data)[(b * h + k) * w + i] =
                    linear((const float *)c->in.data + b * angles * radii, angles, radii,
                           phi / (2 * TESS_PI) * (double)angles, sqrt(y * y + x * x));
            }
}

static void naive_average(void *context)
{
    polar_case   *c = context;
    const int64_t h = c->in.shape.h, w = c->in.shape.w;
    for (int64_t b = 0; b < c->in.shape.b; b++) {
        const float *image = (const float *)c->in.data + 2 * b * h * w;
        memset(c->sums, 0, sizeof c->sums);
        memset(c->weights, 0, sizeof c->weights);
        for (int64_t k = 0; k < h; k++)
            for (int64_t i = 0; i < w; i++) {
                const double  y = (double)(k < h / 2 ? k : k - h), x = (double)i, s = sqrt(y * y + x * x);
                const int64_t shell = (int64_t)s;
                if (shell >= SHELLS) continue;
                const double re = (double)image[2 * (k * w + i)], im = (double)image[2 * (k * w + i) + 1];
                const double count = i && i != w - 1 ? 2 : 1, t = s - (double)shell, power = re * re + im * im;
                c->sums[shell] += count * (1 - t) * power;
                c->sums[shell + 1] += count * t * power;
                c->weights[shell] += count * (1 - t);
                c->weights[shell + 1] += count * t;
            }
        for (int64_t i = 0; i < SHELLS; i++)
            ((float *)c->out.data)[b * SHELLS + i] = c->weights[i] == 0 ? 0 : (float)(c->sums[i] / c->weights[i]);
    }
}

/* ---- Works ---- */

typedef struct polar_work {
    const char *name, *dtype;
    bench_fn   *ours, *naive;
    tess_dtype  in_dtype;
    tess_shape  in, out;
} polar_work;

static void time_work(const polar_work *work)
{
    static polar_case c;
    c = (polar_case){ .o = { .rho_stop = SIDE / 2 } };
    bench_need(tess_empty(&c.in, work->in, work->in_dtype, tess_cpu()));
    bench_need(tess_random_uniform(&c.in, -1, 1, 1, NULL));
    bench_need(tess_empty(&c.out, work->out, TESS_F32, tess_cpu()));
    bench_report(work->name, work->dtype, 1, bench_compare(work->ours, &c, work->naive, &c, rounds, 0.004));
    tess_release(&c.in);
    tess_release(&c.out);
}

int main(int argc, char **argv)
{
    const tess_shape images = TESS_SHAPE(IMAGES, 1, SIDE, SIDE), polar = TESS_SHAPE(IMAGES, 1, 2 * SIDE, SIDE / 2);
    const polar_work works[] = {
        { "cartesian_to_polar", "f32", run_to_polar, naive_to_polar, TESS_F32, images, polar },
        { "polar_to_cartesian", "f32", run_to_cartesian, naive_to_cartesian, TESS_F32, polar, images },
        { "rotational_average_power", "c32", run_average, naive_average, TESS_C32, TESS_SHAPE(IMAGES, 1, SIDE, SHELLS),
          TESS_SHAPE(IMAGES, 1, 1, SHELLS) },
    };
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) rounds = 3;
    bench_need(tess_threads_set(1));
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) time_work(&works[i]);
    return 0;
}
