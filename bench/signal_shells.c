/* Shell sums beside reading their spectra, and correlation maps beside their Fourier transforms.
 *
 * One JSON line each. `--quick` takes fewer rounds; other arguments are names of works to run.
 */
#include "bench.h"
#include "tessera/signal.h"

static int    rounds = 9;
static int    n_names;
static char **names;

static bool wanted(const char *name) { return bench_wanted(name, names, n_names); }

/* ---- Reading ---- */

typedef struct reading {
    const uint64_t *at;
    int64_t         n;
    uint64_t        sum;
} reading;

static void *read_words(void *context)
{
    reading *r = context;
    uint64_t sum[8] = { 0 };
    for (int64_t i = 0; i + 8 <= r->n; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += r->at[i + k];
    for (int k = 0; k < 8; k++) r->sum += sum[k];
    return NULL;
}

typedef struct spectra {
    tess_array lhs, rhs, out;
    tess_shape shape;
    int        threads;
} spectra;

static volatile uint64_t sink;

/* Both spectra, by one or two threads. */
static void read_both(void *context)
{
    const spectra *s = context;
    const int64_t  words = tess_n_elements(&s->lhs) * (int64_t)tess_dtype_size(s->lhs.dtype) / 8;
    reading        part[2] = { { s->lhs.data, words, 0 }, { s->rhs.data, words, 0 } };
    pthread_t      other;
    if (s->threads > 1) {
        (void)pthread_create(&other, NULL, read_words, &part[1]);
        (void)read_words(&part[0]);
        (void)pthread_join(other, NULL);
    } else {
        (void)read_words(&part[0]);
        (void)read_words(&part[1]);
    }
    sink = part[0].sum + part[1].sum;
}

static void run_fsc(void *context)
{
    spectra *s = context;
    bench_need(tess_fsc(&s->out, &s->lhs, &s->rhs, s->shape, NULL));
}

static void bench_fsc(const char *name, tess_shape shape, tess_dtype dtype, int threads)
{
    spectra s = { .shape = shape, .threads = threads };
    if (!wanted(name)) return;
    bench_need(tess_empty(&s.lhs, tess_rfft_shape(shape), dtype, tess_cpu()));
    bench_need(tess_empty(&s.rhs, tess_rfft_shape(shape), dtype, tess_cpu()));
    bench_need(tess_random_normal(&s.lhs, 0, 1, 1, NULL));
    bench_need(tess_random_normal(&s.rhs, 0, 1, 2, NULL));
    bench_need(tess_threads_set(threads));
    run_fsc(&s);
    bench_report(name, tess_dtype_name(dtype), threads, bench_compare(run_fsc, &s, read_both, &s, rounds, 0.004));
    tess_release(&s.lhs);
    tess_release(&s.rhs);
    tess_release(&s.out);
}

/* ---- Maps ---- */

typedef struct images {
    tess_array lhs, rhs, map, spectra[2], inverse;
} images;

static void run_correlate(void *context)
{
    images *c = context;
    bench_need(tess_correlate(&c->map, &c->lhs, &c->rhs, &(tess_correlate_opts){ .centred = 1 }));
}

/* Two forward and one inverse. */
static void run_transforms(void *context)
{
    images *c = context;
    bench_need(tess_fft_r2c(&c->spectra[0], &c->lhs, NULL));
    bench_need(tess_fft_r2c(&c->spectra[1], &c->rhs, NULL));
    bench_need(tess_fft_c2r(&c->inverse, &c->spectra[0], c->lhs.shape, &(tess_fft_opts){ .overwrite = 1 }));
}

static void bench_maps(const char *name, tess_shape shape, int threads)
{
    images c = { .lhs = { .data = NULL } };
    if (!wanted(name)) return;
    bench_need(tess_empty(&c.lhs, shape, TESS_F32, tess_cpu()));
    bench_need(tess_empty(&c.rhs, shape, TESS_F32, tess_cpu()));
    bench_need(tess_random_normal(&c.lhs, 0, 1, 1, NULL));
    bench_need(tess_random_normal(&c.rhs, 0, 1, 2, NULL));
    bench_need(tess_threads_set(threads));
    run_correlate(&c);
    run_transforms(&c);
    bench_report(name, "f32", threads, bench_compare(run_correlate, &c, run_transforms, &c, rounds, 0.004));
    for (int k = 0; k < 2; k++) tess_release(&c.spectra[k]);
    tess_release(&c.lhs);
    tess_release(&c.rhs);
    tess_release(&c.map);
    tess_release(&c.inverse);
}

int main(int argc, char **argv)
{
    names = argv + 1;
    n_names = argc - 1;
    if (n_names && strcmp(names[0], "--quick") == 0) rounds = 3, names++, n_names--;
    for (int threads = 1; threads <= 2; threads++) {
        bench_fsc("FSC {1,256,256,256} beside reading both", TESS_SHAPE(1, 256, 256, 256), TESS_C32, threads);
        bench_fsc("FRC {256,1,256,256} beside reading both", TESS_SHAPE(256, 1, 256, 256), TESS_C32, threads);
        bench_maps("correlation map {16,1,1024,1024} beside its transforms", TESS_SHAPE(16, 1, 1024, 1024), threads);
    }
    return 0;
}
