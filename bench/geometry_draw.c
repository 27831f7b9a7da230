/* Shapes beside memset of the same bytes, and in place beside nothing but their surroundings; distances beside a copy.
 * One JSON line each. `--quick` takes fewer rounds. */
#include "bench.h"

enum { SIDE = 256, IMAGES = 16, WIDE = 1024 };

typedef struct work {
    tess_array     mask, in, truth, far, labels, map;
    tess_array     sizes;
    tess_draw_opts opts;
    int            threads;
} work;

static void run_sphere(void *context)
{
    work *w = context;
    bench_need(tess_draw_sphere(&w->mask, NULL, &tess_num(w->mask.shape.d > 1 ? 90 : 360), &w->opts));
}

static void run_sized(void *context)
{
    work *w = context;
    bench_need(tess_draw_ellipsoid(&w->mask, NULL, &w->sizes, &w->opts));
}

static void run_cuboid(void *context)
{
    work *w = context;
    bench_need(tess_draw_cuboid(&w->mask, NULL, &w->sizes, &w->opts));
}

static void run_masked(void *context)
{
    work *w = context;
    bench_need(tess_draw_sphere(&w->mask, &w->in, &tess_num(90), &w->opts));
}

static void *set_part(void *context)
{
    const bench_memcpy *m = context;
    memset(m->to, 0, m->size);
    return NULL;
}

/* The limit of what writes each byte once. */
static void run_memset(void *context)
{
    const work  *w = context;
    const size_t size = (size_t)tess_n_bytes(&w->mask) / (size_t)w->threads;
    bench_memcpy part[2] = { { w->mask.data, NULL, size, 1 }, { (char *)w->mask.data + size, NULL, size, 1 } };
    pthread_t    thread;
    if (w->threads == 2) (void)pthread_create(&thread, NULL, set_part, &part[1]);
    (void)set_part(&part[0]);
    if (w->threads == 2) (void)pthread_join(thread, NULL);
}

static void run_copy(void *context)
{
    work        *w = context;
    bench_memcpy m = { w->mask.data, w->in.data, (size_t)tess_n_bytes(&w->in), w->threads };
    bench_run_memcpy(&m);
}

static void run_distance(void *context)
{
    work *w = context;
    bench_need(tess_distance_transform(&w->far, &w->truth, NULL));
}

static void run_label(void *context)
{
    work *w = context;
    bench_need(tess_label(&w->labels, &w->truth, NULL));
}

static void run_create(void *context)
{
    work *w = context;
    bench_need(tess_mask_create(&w->map, &w->in, 1, &(tess_mask_create_opts){ .extend = 3, .width = 6 }));
}

/* A volume of blobs: noise, blurred by its neighbours. */
static void make_volume(work *w)
{
    tess_array noise = { .data = NULL };
    bench_need(tess_empty(&noise, w->mask.shape, TESS_F32, tess_cpu()));
    bench_need(tess_random_normal(&noise, 0, 1, 1, NULL));
    bench_need(tess_lowpass_image(&w->in, &noise, 0.05, &(tess_lowpass_opts){ .width = 0.02 }));
    bench_need(tess_normalize(&w->in, &w->in, 0, NULL));
    bench_need(tess_less(&w->truth, &w->in, &tess_num(1)));
    tess_release(&noise);
}

static void measure_shapes(work *w, int rounds, const char *what)
{
    static const double widths[] = { 0, 5 };
    char                text[128];
    for (int k = 0; k < 2; k++) {
        w->opts.width = widths[k];
        const char *edge = k ? "soft" : "hard";
        (void)snprintf(text, sizeof text, "%s of %s, %s, beside memset", w->mask.shape.d > 1 ? "sphere" : "circles",
                       what, edge);
        bench_report(text, "f32", w->threads, bench_compare(run_sphere, w, run_memset, w, rounds, 0.05));
        (void)snprintf(text, sizeof text, "ellipsoid of %s, %s, beside memset", what, edge);
        bench_report(text, "f32", w->threads, bench_compare(run_sized, w, run_memset, w, rounds, 0.05));
        (void)snprintf(text, sizeof text, "cuboid of %s, %s, beside memset", what, edge);
        bench_report(text, "f32", w->threads, bench_compare(run_cuboid, w, run_memset, w, rounds, 0.05));
    }
}

static void measure(int threads, int rounds)
{
    const double volume[] = { 90, 70, 80 }, image[] = { 300, 400 };
    work         w = { .threads = threads };
    bench_need(tess_threads_set(threads));
    bench_need(tess_empty(&w.mask, TESS_SHAPE(1, SIDE, SIDE, SIDE), TESS_F32, tess_cpu()));
    bench_need(tess_wrap(&w.sizes, (void *)(uintptr_t)volume, TESS_SHAPE(1, 1, 1, 3), TESS_F64, NULL));
    make_volume(&w);
    measure_shapes(&w, rounds, "256^3");
    w.opts.width = 5;
    bench_report("volume of 256^3 masked by a soft sphere, beside memcpy", "f32", threads,
                 bench_compare(run_masked, &w, run_copy, &w, rounds, 0.05));
    bench_report("distance transform of 256^3, beside memcpy", "f32", threads,
                 bench_compare(run_distance, &w, run_copy, &w, rounds > 3 ? 3 : 1, 0.05));
    bench_report("components of 256^3, beside memcpy", "i32", threads,
                 bench_compare(run_label, &w, run_copy, &w, rounds > 3 ? 3 : 1, 0.05));
    bench_report("mask_create of 256^3, beside memcpy", "f32", threads,
                 bench_compare(run_create, &w, run_copy, &w, rounds > 3 ? 3 : 1, 0.05));
    tess_release(&w.mask);
    bench_need(tess_empty(&w.mask, TESS_SHAPE(IMAGES, 1, WIDE, WIDE), TESS_F32, tess_cpu()));
    bench_need(tess_wrap(&w.sizes, (void *)(uintptr_t)image, TESS_SHAPE(1, 1, 1, 2), TESS_F64, NULL));
    measure_shapes(&w, rounds, "16 x 1024^2");
    tess_array *all[] = { &w.mask, &w.in, &w.truth, &w.far, &w.labels, &w.map };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 2 : 7;
    for (int threads = 1; threads <= 2; threads++) measure(threads, rounds);
    return 0;
}
