/* Tapers, standardised spectra, backgrounds and averaged power beside what they have to move or transform. One JSON line
 * each. `--quick` takes fewer rounds. */
#include "bench.h"

typedef struct work {
    tess_array out, in, spare;
} work;

static void run_taper(void *context)
{
    work *w = context;
    bench_need(tess_taper(&w->out, &w->in, NULL));
}

static void run_taper_mean(void *context)
{
    work *w = context;
    bench_need(tess_taper(&w->out, &w->in, &(tess_taper_opts){ .mean = 1 }));
}

static void run_radial(void *context)
{
    work *w = context;
    bench_need(tess_taper_radial(&w->out, &w->in, 400, &(tess_taper_radial_opts){ .width = 20 }));
}

static void run_background(void *context)
{
    work *w = context;
    bench_need(tess_normalize_background(&w->out, &w->in, 400, NULL));
}

static void run_standardize(void *context)
{
    work *w = context;
    bench_need(tess_standardize(&w->out, &w->in, TESS_SHAPE(16, 1, 1024, 1024), NULL));
}

static void run_power(void *context)
{
    work *w = context;
    bench_need(tess_average_power(&w->out, &w->in, TESS_SHAPE(1, 1, 256, 256), NULL));
}

static void run_copy(void *context)
{
    work *w = context;
    bench_need(tess_copy(&w->spare, &w->in));
}

/* The transforms of as many patches alone. */
static void run_transforms(void *context)
{
    work *w = context;
    bench_need(tess_fft_r2c(&w->spare, &w->out, NULL));
}

static void measure(const char *name, bench_fn *ours, tess_dtype dtype, int64_t width, int threads, int rounds)
{
    work w = { 0 };
    bench_need(tess_full(&w.in, TESS_SHAPE(16, 1, 1024, width), dtype, tess_cpu(), 1.5));
    bench_need(tess_full(&w.out, w.in.shape, dtype, tess_cpu(), 0));
    bench_need(tess_full(&w.spare, w.in.shape, dtype, tess_cpu(), 0));
    bench_need(tess_threads_set(threads));
    bench_report(name, tess_dtype_name(dtype), threads, bench_compare(ours, &w, run_copy, &w, rounds, 0.02));
    tess_release(&w.in);
    tess_release(&w.out);
    tess_release(&w.spare);
}

/* One micrograph: 4096 x 4096, patches of 256, half overlapping: 31 x 31 of them. */
static void measure_power(int threads, int rounds)
{
    work ours = { 0 }, limit = { 0 };
    bench_need(tess_full(&ours.in, TESS_SHAPE(1, 1, 4096, 4096), TESS_F32, tess_cpu(), 1.5));
    bench_need(tess_full(&ours.out, TESS_SHAPE(1, 1, 256, 129), TESS_F32, tess_cpu(), 0));
    bench_need(tess_full(&limit.out, TESS_SHAPE(31 * 31, 1, 256, 256), TESS_F32, tess_cpu(), 1.5));
    bench_need(tess_full(&limit.spare, TESS_SHAPE(31 * 31, 1, 256, 129), TESS_C32, tess_cpu(), 0));
    bench_need(tess_threads_set(threads));
    bench_report("average power of 961 patches, beside their transforms", "f32", threads,
                 bench_compare(run_power, &ours, run_transforms, &limit, rounds, 0.02));
    tess_release(&ours.in);
    tess_release(&ours.out);
    tess_release(&limit.out);
    tess_release(&limit.spare);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 3 : 7;
    for (int threads = 1; threads <= 2; threads++) {
        measure("taper, beside a copy", run_taper, TESS_F32, 1024, threads, rounds);
        measure("taper to the mean, beside a copy", run_taper_mean, TESS_F32, 1024, threads, rounds);
        measure("radial taper, beside a copy", run_radial, TESS_F32, 1024, threads, rounds);
        measure("normalize_background, beside a copy", run_background, TESS_F32, 1024, threads, rounds);
        measure("standardize, beside a copy", run_standardize, TESS_C32, 513, threads, rounds);
        measure_power(threads, rounds);
    }
    return 0;
}
