/* The calls that bench/python.py makes, from C: what a call from Python is measured against.
 *
 * One JSON line each; `made` are calls that make their result and release it.
 */
#include "bench.h"

typedef struct operands {
    tess_array x, y, out;
} operands;

static operands make(int64_t n)
{
    operands o = { .x = { .data = NULL } };
    bench_need(tess_ones(&o.x, TESS_SHAPE(1, 1, 1, n), TESS_F32, tess_cpu()));
    bench_need(tess_ones(&o.y, TESS_SHAPE(1, 1, 1, n), TESS_F32, tess_cpu()));
    bench_need(tess_ones(&o.out, TESS_SHAPE(1, 1, 1, n), TESS_F32, tess_cpu()));
    return o;
}

static void add_out(void *context)
{
    operands *o = context;
    bench_need(tess_add(&o->out, &o->x, &o->y));
}

static void add_made(void *context)
{
    operands  *o = context;
    tess_array made = { .data = NULL };
    bench_need(tess_add(&made, &o->x, &o->y));
    tess_release(&made);
}

static void sum_made(void *context)
{
    operands  *o = context;
    tess_array made = { .data = NULL };
    bench_need(tess_sum(&made, &o->x, 0, NULL));
    tess_release(&made);
}

static void fft_out(void *context)
{
    operands  *o = context;
    tess_array image, made = { .data = NULL };
    bench_need(tess_reshape(&image, &o->x, TESS_SHAPE(1, 1, 4096, -1)));
    bench_need(tess_fft_r2c(&made, &image, NULL));
    tess_release(&made);
}

/* ---- Jobs, on noise ---- */

static const tess_meta meta = { .pixel_size = { 1.5, 1.5, 1.5 } };

static tess_array noise(tess_shape shape, uint64_t seed)
{
    tess_array a = { .data = NULL };
    bench_need(tess_empty(&a, shape, TESS_F32, tess_cpu()));
    bench_need(tess_random_normal(&a, 0, 1, seed, NULL));
    return a;
}

static void job_pick(void *context)
{
    operands        *o = context;
    tess_source      images;
    tess_pick_result made = { .diameter = 0 };
    bench_need(tess_source_array(&images, &o->x, "images", &meta));
    bench_need(tess_pick(&made, &images, &(tess_pick_opts){ .diameter = 24, .bin = 1, .threshold = 4 }, NULL));
    tess_pick_result_release(&made);
}

static void job_half_map_fsc(void *context)
{
    operands                *o = context;
    tess_source              half[2];
    tess_half_map_fsc_result made = { .n_pairs = 0 };
    bench_need(tess_source_array(&half[0], &o->x, "half1", &meta));
    bench_need(tess_source_array(&half[1], &o->y, "half2", &meta));
    bench_need(tess_half_map_fsc(&made, &half[0], &half[1], NULL, NULL));
    tess_half_map_fsc_result_release(&made);
}

static void report(const char *work, int64_t n, bench_fn *fn, operands *o)
{
    double best = 1e30;
    for (int i = 0; i < 5; i++) {
        const double took = bench_time(fn, o, 0.01);
        if (took < best) best = took;
    }
    printf("{\"work\": \"%s\", \"n\": %lld, \"c_s\": %.4g}\n", work, (long long)n, best);
}

int main(void)
{
    enum { SMALL = 16, LARGE = 1 << 24 };
    operands small = make(SMALL), large = make(LARGE);
    operands images = { .x = noise(TESS_SHAPE(2, 1, 1024, 1024), 1) };
    operands maps = { .x = noise(TESS_SHAPE(1, 128, 128, 128), 1), .y = noise(TESS_SHAPE(1, 128, 128, 128), 2) };
    report("add, out", SMALL, add_out, &small);
    report("add", SMALL, add_made, &small);
    report("sum", SMALL, sum_made, &small);
    report("add, out", LARGE, add_out, &large);
    report("sum", LARGE, sum_made, &large);
    report("fft_r2c", LARGE, fft_out, &large);
    report("jobs.pick", tess_n_elements(&images.x), job_pick, &images);
    report("jobs.half_map_fsc", tess_n_elements(&maps.x), job_half_map_fsc, &maps);
    return 0;
}
