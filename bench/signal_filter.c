/* Filters of spectra and the CTF, against copies of as many bytes, the sine of as many numbers, and transforms alone.
 *
 * One JSON line each. `--quick` takes fewer rounds; other arguments are names of works to run.
 */
#include "bench.h"

static int    rounds = 9, n_names;
static char **names;

static bool wanted(const char *name) { return bench_wanted(name, names, n_names); }

/* ---- Low-pass ---- */

typedef struct pass_case {
    tess_array        in, out;
    tess_shape        shape;
    tess_lowpass_opts opts;
} pass_case;

static void run_lowpass(void *context)
{
    pass_case *c = context;
    bench_need(tess_lowpass(&c->out, &c->in, c->shape, 0.3, &c->opts));
}

static void bench_lowpass(int threads)
{
    static const char *const layouts[] = { "", "h", "hc", "f", "fc" };
    const tess_shape         shape = TESS_SHAPE(16, 1, 1024, 1024);
    for (int from = TESS_FFT_H; from <= TESS_FFT_FC; from++)
        for (int to = TESS_FFT_H; to <= TESS_FFT_FC; to++) {
            char      name[64];
            pass_case c = { .shape = shape, .opts = { .width = 0.05, .from = from, .to = to } };
            snprintf(name, sizeof name, "lowpass %s to %s, {16,1,1024,1024}", layouts[from], layouts[to]);
            if (!wanted(name)) continue;
            bench_need(tess_full(&c.in, from <= TESS_FFT_HC ? tess_rfft_shape(shape) : shape, TESS_C32, tess_cpu(), 1));
            bench_need(tess_threads_set(threads));
            run_lowpass(&c);
            const size_t size = (size_t)(tess_n_bytes(&c.in) + tess_n_bytes(&c.out)) / 2;
            char        *a = malloc(size), *b = malloc(size);
            memset(a, 1, size);
            memset(b, 1, size);
            bench_memcpy limit = { a, b, size, threads };
            bench_report(name, "c32", threads, bench_compare(run_lowpass, &c, bench_run_memcpy, &limit, rounds, 0.01));
            free(a);
            free(b);
            tess_release(&c.in);
            tess_release(&c.out);
        }
}

/* By a metric, of skew axes, beside the same without. */
static void bench_metric(int threads)
{
    const tess_shape shape = TESS_SHAPE(16, 1, 1024, 1024);
    pass_case        c = { .shape = shape, .opts = { .width = 0.05, .metric = { .hh = 1.2, .hw = 0.3 } } };
    if (!wanted("lowpass by a metric")) return;
    bench_need(tess_full(&c.in, tess_rfft_shape(shape), TESS_C32, tess_cpu(), 1));
    bench_need(tess_threads_set(threads));
    run_lowpass(&c);
    pass_case cubic = c;
    cubic.opts.metric = (tess_metric){ 0 };
    bench_report("lowpass by a metric, beside none", "c32", threads,
                 bench_compare(run_lowpass, &c, run_lowpass, &cubic, rounds, 0.01));
    tess_release(&c.in);
    tess_release(&c.out);
}

/* ---- Real images ---- */

typedef struct image_case {
    tess_array in, out, spectrum, shifts;
} image_case;

static void run_lowpass_image(void *context)
{
    image_case *c = context;
    bench_need(tess_lowpass_image(&c->out, &c->in, 0.2, &(tess_lowpass_opts){ .width = 0.05 }));
}

static void run_shift_image(void *context)
{
    image_case *c = context;
    bench_need(tess_phase_shift_image(&c->out, &c->in, &c->shifts, NULL));
}

static void run_flip_image(void *context)
{
    image_case    *c = context;
    const tess_ctf ctf = { .pixel_size = { 1.1, 1.1 }, .defocus = 1.2, .amplitude = 0.07, .cs = 2.7 };
    bench_need(tess_ctf_flip_image(&c->out, &c->in, &ctf, NULL));
}

static void run_whiten_image(void *context)
{
    image_case *c = context;
    bench_need(tess_whiten_image(&c->out, &c->in, NULL));
}

static void run_transforms(void *context)
{
    image_case *c = context;
    bench_need(tess_fft_r2c(&c->spectrum, &c->in, NULL));
    bench_need(tess_fft_c2r(&c->out, &c->spectrum, c->in.shape, &(tess_fft_opts){ .overwrite = 1 }));
}

static void bench_images(int threads)
{
    static const struct {
        const char *name;
        void (*run)(void *);
    } works[] = { { "lowpass_image {16,1,1024,1024}, beside its transforms", run_lowpass_image },
                  { "phase_shift_image, the same", run_shift_image },
                  { "ctf_flip_image, the same", run_flip_image },
                  { "whiten_image, the same", run_whiten_image } };
    image_case c = { .in = { .data = NULL } };
    bench_need(tess_empty(&c.in, TESS_SHAPE(16, 1, 1024, 1024), TESS_F32, tess_cpu()));
    bench_need(tess_random_normal(&c.in, 0, 1, 1, NULL));
    bench_need(tess_full(&c.shifts, TESS_SHAPE(16, 1, 1, 2), TESS_F64, tess_cpu(), 2.3));
    bench_need(tess_threads_set(threads));
    run_transforms(&c);
    for (int k = 0; k < 4; k++)
        if (wanted(works[k].name))
            bench_report(works[k].name, "f32", threads,
                         bench_compare(works[k].run, &c, run_transforms, &c, rounds, 0.01));
    tess_release(&c.in);
    tess_release(&c.shifts);
    tess_release(&c.out);
    tess_release(&c.spectrum);
}

/* ---- CTF ---- */

typedef struct ctf_case {
    tess_array out, phases, parameters;
    tess_shape shape;
} ctf_case;

static void run_ctf(void *context)
{
    ctf_case *c = context;
    bench_need(tess_ctf_image(&c->out, c->shape, NULL, &(tess_ctf_opts){ .parameters = &c->parameters }));
}

static void run_sine(void *context)
{
    ctf_case *c = context;
    bench_need(tess_sin(&c->out, &c->phases));
}

static void bench_ctf(int threads)
{
    const char *name = "ctf_image {64,1,1024,1024}, own parameters, beside its sine";
    ctf_case    c = { .shape = TESS_SHAPE(64, 1, 1024, 1024) };
    if (!wanted(name)) return;
    bench_need(tess_empty(&c.out, tess_rfft_shape(c.shape), TESS_F32, tess_cpu()));
    bench_need(tess_empty(&c.phases, c.out.shape, TESS_F32, tess_cpu()));
    bench_need(tess_random_uniform(&c.phases, -300, 300, 1, NULL));
    bench_need(tess_empty(&c.parameters, TESS_SHAPE(64, 1, 1, 8), TESS_F64, tess_cpu()));
    for (int b = 0; b < 64; b++) {
        const double row[] = { 1.1, 1.1, 0.8 + 0.02 * b, 0.05, 0.1 * b, 300, 0.07, 2.7 };
        memcpy((double *)c.parameters.data + 8 * b, row, sizeof row);
    }
    bench_need(tess_threads_set(threads));
    bench_report(name, "f32", threads, bench_compare(run_ctf, &c, run_sine, &c, rounds, 0.01));
    tess_release(&c.out);
    tess_release(&c.phases);
    tess_release(&c.parameters);
}

int main(int argc, char **argv)
{
    names = argv + 1;
    n_names = argc - 1;
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) rounds = 3, names++, n_names--;
    for (int threads = 1; threads <= 2; threads++) {
        bench_lowpass(threads);
        bench_metric(threads);
        bench_images(threads);
        bench_ctf(threads);
    }
    return 0;
}
