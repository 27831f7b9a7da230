/* Convolution, median and rank filters, against memcpy of as many bytes as they read and write.
 *
 * One JSON line each. `--quick` takes fewer rounds; other arguments are names of works to run.
 * bench/peers_signal_convolve.py has the same works by SciPy and OpenCV.
 */
#include "bench.h"
#include "tessera/signal.h"

static int rounds = 9;

enum { MEDIAN, SEPARABLE, CONVOLVE, FFT, GAUSSIAN };

typedef struct filter_case {
    int        kind;
    tess_shape window;
    tess_array in, out, filter;
} filter_case;

static void run_case(void *context)
{
    filter_case              *c = context;
    const tess_rank_opts      rank = { .border = TESS_BORDER_CLAMP };
    const tess_separable_opts separable = { .border = TESS_BORDER_CLAMP };
    const tess_convolve_opts  convolve = { .border = TESS_BORDER_CLAMP,
                                           .method = c->kind == FFT ? TESS_CONVOLVE_FFT : TESS_CONVOLVE_DIRECT };
    const tess_array         *depth = c->in.shape.d > 1 ? &c->filter : NULL;
    switch (c->kind) {
    case MEDIAN: bench_need(tess_median_filter(&c->out, &c->in, c->window, &rank)); break;
    case SEPARABLE:
        bench_need(tess_convolve_separable(&c->out, &c->in, depth, &c->filter, &c->filter, &separable));
        break;
    case GAUSSIAN: bench_need(tess_gaussian_filter(&c->out, &c->in, 0, 2, 2, NULL)); break;
    default: bench_need(tess_convolve(&c->out, &c->in, &c->filter, &convolve)); break;
    }
}

static int    n_names;
static char **names;

static bool wanted(const char *name) { return bench_wanted(name, names, n_names); }

/* Elements that repeat after a while, in no order. */
static void set_numbers(tess_array *a)
{
    tess_array numbers = { 0 };
    bench_need(tess_empty(&numbers, a->shape, TESS_F64, tess_cpu()));
    uint64_t state = 1;
    for (int64_t i = 0; i < tess_n_elements(&numbers); i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ((double *)numbers.data)[i] = (double)(state >> 40) / 65536.0;
    }
    bench_need(tess_cast(a, &numbers, a->dtype, NULL));
    tess_release(&numbers);
}

static void time_case(int kind, const char *name, tess_dtype dtype, tess_shape shape, tess_shape window, int threads)
{
    filter_case c = { .kind = kind, .window = window };
    if (!wanted(name)) return;
    bench_need(tess_empty(&c.in, shape, dtype, tess_cpu()));
    bench_need(tess_empty(&c.filter, kind == SEPARABLE ? TESS_SHAPE(1, 1, 1, window.w) : window, TESS_F32, tess_cpu()));
    set_numbers(&c.in);
    set_numbers(&c.filter);
    bench_need(tess_threads_set(threads));
    run_case(&c); /* makes the output */
    tess_array   from = { 0 }, to = { 0 };
    const size_t size = (size_t)tess_n_bytes(&c.in);
    bench_need(tess_full(&from, TESS_SHAPE(1, 1, 1, (int64_t)size), TESS_U8, tess_cpu(), 1));
    bench_need(tess_full(&to, TESS_SHAPE(1, 1, 1, (int64_t)size), TESS_U8, tess_cpu(), 1));
    bench_memcpy limit = { to.data, from.data, size, threads };
    bench_report(name, tess_dtype_name(dtype), threads,
                 bench_compare(run_case, &c, bench_run_memcpy, &limit, rounds, 0.004));
    tess_release(&from);
    tess_release(&to);
    tess_release(&c.in);
    tess_release(&c.out);
    tess_release(&c.filter);
}

static void bench_threads(int threads)
{
    const tess_shape images = TESS_SHAPE(16, 1, 1024, 1024), volume = TESS_SHAPE(1, 128, 128, 128);
    const tess_shape some = TESS_SHAPE(2, 1, 1024, 1024);
    time_case(MEDIAN, "median 3 x 3, {16,1,1024,1024}", TESS_F32, images, TESS_SHAPE(1, 1, 3, 3), threads);
    time_case(MEDIAN, "median 5 x 5, {16,1,1024,1024}", TESS_F32, images, TESS_SHAPE(1, 1, 5, 5), threads);
    time_case(MEDIAN, "median 7 x 7, {2,1,1024,1024}", TESS_F32, some, TESS_SHAPE(1, 1, 7, 7), threads);
    time_case(MEDIAN, "median 9 x 9, {2,1,1024,1024}", TESS_F32, some, TESS_SHAPE(1, 1, 9, 9), threads);
    time_case(MEDIAN, "median 11 x 11, {2,1,1024,1024}", TESS_F32, some, TESS_SHAPE(1, 1, 11, 11), threads);
    time_case(MEDIAN, "median 7 x 7, {2,1,1024,1024}", TESS_F64, some, TESS_SHAPE(1, 1, 7, 7), threads);
    time_case(MEDIAN, "median 5 x 5, {16,1,1024,1024}", TESS_U8, images, TESS_SHAPE(1, 1, 5, 5), threads);
    time_case(MEDIAN, "median 15 x 15, {16,1,1024,1024}", TESS_U8, images, TESS_SHAPE(1, 1, 15, 15), threads);
    time_case(MEDIAN, "median 3 x 3 x 3, {1,128,128,128}", TESS_F32, volume, TESS_SHAPE(1, 3, 3, 3), threads);
    time_case(SEPARABLE, "separable 7, {16,1,1024,1024}", TESS_F32, images, TESS_SHAPE(1, 1, 1, 7), threads);
    time_case(SEPARABLE, "separable 5, {1,128,128,128}", TESS_F32, volume, TESS_SHAPE(1, 1, 1, 5), threads);
    time_case(GAUSSIAN, "gaussian of sigma 2, {16,1,1024,1024}", TESS_F32, images, TESS_SHAPE(1, 1, 1, 1), threads);
    time_case(CONVOLVE, "convolve 7 x 7, {16,1,1024,1024}", TESS_F32, images, TESS_SHAPE(1, 1, 7, 7), threads);
    time_case(CONVOLVE, "convolve 5 x 5 x 5, {1,128,128,128}", TESS_F32, volume, TESS_SHAPE(1, 5, 5, 5), threads);
    time_case(CONVOLVE, "convolve 15 x 15, {4,1,1024,1024}", TESS_F32, TESS_SHAPE(4, 1, 1024, 1024),
              TESS_SHAPE(1, 1, 15, 15), threads);
    time_case(FFT, "convolve 15 x 15 by FFT, {4,1,1024,1024}", TESS_F32, TESS_SHAPE(4, 1, 1024, 1024),
              TESS_SHAPE(1, 1, 15, 15), threads);
}

int main(int argc, char **argv)
{
    names = argv + 1;
    n_names = argc - 1;
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) rounds = 3, names++, n_names--;
    for (int threads = 1; threads <= 2; threads++) bench_threads(threads);
    return 0;
}
