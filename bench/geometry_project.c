/* Projections, backprojections and symmetry beside plain loops of one thread: trilinear samples along rays, bilinear
 * ones of images. One JSON line each. `--quick` takes fewer rounds. */
#include <math.h>

#include "bench.h"

enum { SIZE = 128, IMAGES = 12, HALF = SIZE / 2 };

typedef struct work {
    tess_array volume, images, forward, backward, out_volume, out_images;
    int        method;
} work;

static void run_project(void *context)
{
    work *w = context;
    bench_need(tess_project(&w->out_images, &w->volume, &w->forward,
                            &(tess_project_opts){ .interp = w->method, .centred = 1 }));
}

static void run_adjoint(void *context)
{
    work *w = context;
    bench_need(tess_project(&w->out_images, &w->volume, &w->backward,
                            &(tess_project_opts){ .interp = w->method, .centred = 1, .adjoint = 1 }));
}

static void run_backproject(void *context)
{
    work *w = context;
    bench_need(tess_backproject(&w->out_volume, &w->images, &w->backward,
                                &(tess_backproject_opts){ .interp = w->method, .centred = 1 }));
}

static void run_both(void *context)
{
    work *w = context;
    bench_need(tess_backproject_project(&w->out_images, &w->images, &w->backward, &w->forward, w->volume.shape,
                                        &(tess_project_opts){ .centred = 1 }));
}

static void run_two(void *context)
{
    run_backproject(context);
    run_project(context);
}

static void run_symmetrize(void *context)
{
    work *w = context;
    bench_need(tess_symmetrize(&w->out_volume, &w->volume, "C3", &(tess_symmetrize_opts){ .interp = w->method }));
}

/* ---- Loops ---- */

static float trilinear(const float *v, const float p[3])
{
    const int i = (int)p[0], j = (int)p[1], k = (int)p[2];
    if (!(p[0] >= 0 && p[1] >= 0 && p[2] >= 0 && i < SIZE - 1 && j < SIZE - 1 && k < SIZE - 1)) return 0;
    const float  z = p[0] - (float)i, y = p[1] - (float)j, x = p[2] - (float)k;
    const float *a = v + (i * SIZE + j) * SIZE + k, *b = a + SIZE * SIZE;
    const float  near = (1 - y) * ((1 - x) * a[0] + x * a[1]) + y * ((1 - x) * a[SIZE] + x * a[SIZE + 1]);
    const float  far = (1 - y) * ((1 - x) * b[0] + x * b[1]) + y * ((1 - x) * b[SIZE] + x * b[SIZE + 1]);
    return (1 - z) * near + z * far;
}

static void loop_project(void *context)
{
    const work  *w = context;
    const float *volume = w->volume.data;
    for (int i = 0; i < IMAGES; i++) {
        const double *m = (const double *)w->forward.data + 9 * i;
        for (int h = 0; h < SIZE; h++)
            for (int x = 0; x < SIZE; x++) {
                double sum = 0;
                for (int k = -HALF; k <= HALF; k++) {
                    float p[3];
                    for (int a = 0; a < 3; a++)
                        p[a] = (float)(HALF + m[3 * a] * k + m[3 * a + 1] * (h - HALF) + m[3 * a + 2] * (x - HALF));
                    sum += (double)trilinear(volume, p);
                }
                ((float *)w->out_images.data)[(i * SIZE + h) * SIZE + x] = (float)sum;
            }
    }
}

static float bilinear(const float *v, float y, float x)
{
    const int j = (int)y, k = (int)x;
    if (!(y >= 0 && x >= 0 && j < SIZE - 1 && k < SIZE - 1)) return 0;
    const float  ty = y - (float)j, tx = x - (float)k;
    const float *a = v + j * SIZE + k;
    return (1 - ty) * ((1 - tx) * a[0] + tx * a[1]) + ty * ((1 - tx) * a[SIZE] + tx * a[SIZE + 1]);
}

static void loop_backproject(void *context)
{
    const work  *w = context;
    const float *images = w->images.data;
    for (int z = 0; z < SIZE; z++)
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++) {
                double sum = 0;
                for (int i = 0; i < IMAGES; i++) {
                    const double *m = (const double *)w->backward.data + 9 * i + 3;
                    float         p[2];
                    for (int a = 0; a < 2; a++)
                        p[a] = (float)(HALF + m[3 * a] * (z - HALF) + m[3 * a + 1] * (y - HALF) +
                                       m[3 * a + 2] * (x - HALF));
                    sum += (double)bilinear(images + i * SIZE * SIZE, p[0], p[1]);
                }
                ((float *)w->out_volume.data)[(z * SIZE + y) * SIZE + x] = (float)sum;
            }
}

/* Thirds of a turn about z. */
static void loop_symmetrize(void *context)
{
    const work  *w = context;
    const float *volume = w->volume.data;
    for (int z = 0; z < SIZE; z++)
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++) {
                double sum = 0;
                for (int i = 0; i < 3; i++) {
                    const double c = i == 0 ? 1 : -0.5, s = i == 0   ? 0
                                                            : i == 1 ? 0.8660254037844386
                                                                     : -0.8660254037844386;
                    const float  p[3] = { (float)z, (float)(HALF + c * (y - HALF) + s * (x - HALF)),
                                          (float)(HALF + c * (x - HALF) - s * (y - HALF)) };
                    sum += (double)trilinear(volume, p);
                }
                ((float *)w->out_volume.data)[(z * SIZE + y) * SIZE + x] = (float)(sum / 3);
            }
}

/* ---- All ---- */

static void make(work *w)
{
    tess_array quats = { 0 };
    bench_need(tess_empty(&w->volume, TESS_SHAPE(1, SIZE, SIZE, SIZE), TESS_F32, tess_cpu()));
    bench_need(tess_empty(&w->images, TESS_SHAPE(IMAGES, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    bench_need(tess_empty(&w->out_images, w->images.shape, TESS_F32, tess_cpu()));
    bench_need(tess_empty(&w->out_volume, w->volume.shape, TESS_F32, tess_cpu()));
    bench_need(tess_random_uniform(&w->volume, 0, 1, 1, NULL));
    bench_need(tess_random_uniform(&w->images, 0, 1, 2, NULL));
    bench_need(tess_empty(&quats, TESS_SHAPE(IMAGES, 1, 1, 4), TESS_F64, tess_cpu()));
    bench_need(tess_quat_random(&quats, 3, NULL));
    bench_need(tess_quat_to_matrix(&w->forward, &quats));
    bench_need(tess_matrix_inverse(&w->backward, &w->forward));
    tess_release(&quats);
}

static void measure(int threads, int rounds)
{
    work w = { .method = TESS_INTERP_LINEAR };
    make(&w);
    bench_need(tess_threads_set(threads));
    bench_report("12 projections of 128^3, linear, beside a loop of one thread", "f32", threads,
                 bench_compare(run_project, &w, loop_project, &w, rounds, 0.02));
    bench_report("12 backprojections to 128^3, linear, beside a loop of one thread", "f32", threads,
                 bench_compare(run_backproject, &w, loop_backproject, &w, rounds, 0.02));
    bench_report("C3 of 128^3, linear, beside a loop of one thread", "f32", threads,
                 bench_compare(run_symmetrize, &w, loop_symmetrize, &w, rounds, 0.02));
    bench_report("12 adjoint projections of 128^3, linear, beside those along rays", "f32", threads,
                 bench_compare(run_adjoint, &w, run_project, &w, 1, 0.02));
    bench_report("12 back and forth without the volume, beside the two calls", "f32", threads,
                 bench_compare(run_both, &w, run_two, &w, 1, 0.02));
    w.method = TESS_INTERP_CUBIC;
    bench_report("12 projections of 128^3, cubic, beside a linear loop of one thread", "f32", threads,
                 bench_compare(run_project, &w, loop_project, &w, rounds, 0.02));
    tess_array *all[] = { &w.volume, &w.images, &w.forward, &w.backward, &w.out_volume, &w.out_images };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 2 : 7;
    for (int threads = 1; threads <= 2; threads++) measure(threads, rounds);
    return 0;
}
