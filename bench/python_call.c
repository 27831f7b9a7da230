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
    report("add, out", SMALL, add_out, &small);
    report("add", SMALL, add_made, &small);
    report("sum", SMALL, sum_made, &small);
    report("add, out", LARGE, add_out, &large);
    report("sum", LARGE, sum_made, &large);
    report("fft_r2c", LARGE, fft_out, &large);
    return 0;
}
