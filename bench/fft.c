/* Fourier transforms beside FFTW's: r2c and c2r of images and volumes, c2c of long lines; on one thread, single short lines,
 * of primes too, through the plain call and through a plan that is held, batches of lines, and DCT-2 of images.
 *
 * One JSON line each: best interleaved times, the first call of a size (its plan is made there), and how many times longer
 * FFTW's best plan takes. `--quick` takes fewer rounds, `--only TEXT` the cases whose name holds the text, `--measure S`
 * also lets FFTW try plans out for up to S seconds each. FFTW's c2r destroys its input; ours keeps it.
 */
#include "bench.h"

#ifdef HAVE_FFTW
#include <fftw3.h>
#endif

static int         rounds = 7;
static double      measure_s;
static const char *only;

enum { ESTIMATE, MEASURE, PLANS };
enum { R2C, C2R, C2C, C2C_F32, DCT2 };

typedef struct fft_case {
    int            what;
    tess_shape     shape;
    tess_array     in, out;
    tess_fft_plan *held;        /* NULL: the plain call */
    void          *plan[PLANS]; /* FFTW's */
} fft_case;

static bool is_complex(int what) { return what == C2C || what == C2C_F32; }

static void run_ours(void *context)
{
    fft_case *c = context;
    if (c->held) bench_need(tess_fft_plan_run(c->held, &c->out, &c->in, TESS_FFT_FORWARD));
    else if (c->what == R2C) bench_need(tess_fft_r2c(&c->out, &c->in, NULL));
    else if (c->what == C2R) bench_need(tess_fft_c2r(&c->out, &c->in, c->shape, NULL));
    else if (c->what == DCT2) bench_need(tess_fft_r2r(&c->out, &c->in, TESS_FFT_DCT2, TESS_FFT_FORWARD, NULL));
    else bench_need(tess_fft_c2c(&c->out, &c->in, TESS_FFT_FORWARD, NULL));
}

/* ---- FFTW ---- */

#ifdef HAVE_FFTW
static void run_estimate(void *context)
{
    fft_case *c = context;
    if (c->what == C2C) fftw_execute(c->plan[ESTIMATE]);
    else fftwf_execute(c->plan[ESTIMATE]);
}

static void run_measure(void *context)
{
    fft_case *c = context;
    if (c->what == C2C) fftw_execute(c->plan[MEASURE]);
    else fftwf_execute(c->plan[MEASURE]);
}

static void *plan(const fft_case *c, unsigned flags)
{
    const int n[3] = { (int)c->shape.d, (int)c->shape.h, (int)c->shape.w };
    const int skip = c->shape.d > 1 ? 0 : c->shape.h > 1 ? 1 : 2;
    const int real = (int)(c->shape.d * c->shape.h * c->shape.w);
    const int half = (int)(c->shape.d * c->shape.h * (c->shape.w / 2 + 1));
    const int b = (int)c->shape.b;
    void     *in = c->in.data, *out = c->out.data;
    if (c->what == DCT2) {
        const fftw_r2r_kind kinds[3] = { FFTW_REDFT10, FFTW_REDFT10, FFTW_REDFT10 };
        return fftwf_plan_many_r2r(3 - skip, n + skip, b, in, NULL, 1, real, out, NULL, 1, real, kinds, flags);
    }
    if (c->what == C2C_F32)
        return fftwf_plan_many_dft(3 - skip, n + skip, b, in, NULL, 1, real, out, NULL, 1, real, -1, flags);
    if (c->what == R2C)
        return fftwf_plan_many_dft_r2c(3 - skip, n + skip, b, in, NULL, 1, real, out, NULL, 1, half, flags);
    if (c->what == C2R)
        return fftwf_plan_many_dft_c2r(3 - skip, n + skip, b, in, NULL, 1, half, out, NULL, 1, real, flags);
    return fftw_plan_many_dft(3 - skip, n + skip, b, in, NULL, 1, real, out, NULL, 1, real, -1, flags);
}

static void make_plans(fft_case *c, int threads)
{
#ifdef HAVE_FFTW_THREADS
    fftw_plan_with_nthreads(threads);
    fftwf_plan_with_nthreads(threads);
#else
    (void)threads;
#endif
    c->plan[ESTIMATE] = plan(c, FFTW_ESTIMATE);
    fftw_set_timelimit(measure_s);
    fftwf_set_timelimit(measure_s);
    if (measure_s > 0) c->plan[MEASURE] = plan(c, FFTW_MEASURE);
}

static void free_plans(fft_case *c)
{
    for (int i = 0; i < PLANS; i++)
        if (c->plan[i] && c->what == C2C) fftw_destroy_plan(c->plan[i]);
        else if (c->plan[i]) fftwf_destroy_plan(c->plan[i]);
}
#endif

/* ---- Cases ---- */

/* Spectra are zeros: FFTW overwrites them, and transformed again and again other numbers would grow without end. */
static void fill(fft_case *c)
{
    static uint64_t state = 1;
    if (c->what != R2C && c->what != DCT2) {
        bench_need(tess_fill(&c->in, 0));
        return;
    }
    float *x = c->in.data;
    for (int64_t i = 0; i < tess_n_elements(&c->in); i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (float)(state >> 40) * 0x1p-24f - 0.5f;
    }
}

/* Best seconds of a call that has to plan. */
static double time_first(fft_case *c)
{
    double best = 1e30;
    for (int i = 0; i < 3; i++) {
        tess_fft_cache_clear();
        const double start = bench_now();
        run_ours(c);
        const double took = bench_now() - start;
        if (took < best) best = took;
    }
    return best;
}

typedef struct times {
    double ours, first, fftw[PLANS];
} times;

static void report(const char *name, const fft_case *c, int threads, const times *t)
{
    const double best = t->fftw[ESTIMATE] < t->fftw[MEASURE] ? t->fftw[ESTIMATE] : t->fftw[MEASURE];
    printf("{\"work\": \"%s\", \"dtype\": \"%s\", \"threads\": %d, \"ours_s\": %.4g, \"first_s\": %.4g", name,
           c->what == C2C ? "f64" : "f32", threads, t->ours, t->first);
    if (t->fftw[ESTIMATE] < 1e30) printf(", \"fftw_estimate_s\": %.4g", t->fftw[ESTIMATE]);
    if (t->fftw[MEASURE] < 1e30) printf(", \"fftw_measure_s\": %.4g", t->fftw[MEASURE]);
    if (best < 1e30) printf(", \"ratio\": %.3f", best / t->ours);
    printf("}\n");
    (void)fflush(stdout);
}

/* Arrays of a case, and our plan if one is to be held. */
static void make_case(fft_case *c, bool held)
{
    const tess_shape half = tess_rfft_shape(c->shape);
    const tess_dtype real = c->what == C2C ? TESS_F64 : TESS_F32, complex = c->what == C2C ? TESS_C64 : TESS_C32;
    const bool       all = is_complex(c->what);
    bench_need(
        tess_empty(&c->in, c->what == C2R ? half : c->shape, all || c->what == C2R ? complex : real, tess_cpu()));
    bench_need(
        tess_empty(&c->out, c->what == R2C ? half : c->shape, all || c->what == R2C ? complex : real, tess_cpu()));
    if (held) {
        const tess_fft_kind kind = all ? TESS_FFT_C2C : TESS_FFT_R2C;
        bench_need(tess_fft_plan_new(&c->held, kind, c->shape, real, tess_cpu(), NULL));
    }
}

static void compare(int what, tess_shape shape, bool held, int threads)
{
    static const char *const names[] = { "r2c", "c2r", "c2c", "c2c", "dct2" };
    fft_case                 c = { .what = what, .shape = shape };
    times                    t = { 1e30, 0, { 1e30, 1e30 } };
    char                     name[96];
    (void)snprintf(name, sizeof name, "%s {%d,%d,%d,%d}%s", names[what], (int)shape.b, (int)shape.d, (int)shape.h,
                   (int)shape.w, held ? ", plan held" : "");
    if (only && !strstr(name, only)) return;
    bench_need(tess_threads_set(threads));
    make_case(&c, held);
#ifdef HAVE_FFTW
    make_plans(&c, threads);
#endif
    fill(&c);
    run_ours(&c);
    for (int i = 0; i < rounds; i++) {
        const double ours = bench_time(run_ours, &c, 0.05);
        if (ours < t.ours) t.ours = ours;
#ifdef HAVE_FFTW
        const double estimate = bench_time(run_estimate, &c, 0.05);
        const double measured = c.plan[MEASURE] ? bench_time(run_measure, &c, 0.05) : 1e30;
        if (estimate < t.fftw[ESTIMATE]) t.fftw[ESTIMATE] = estimate;
        if (measured < t.fftw[MEASURE]) t.fftw[MEASURE] = measured;
#endif
    }
    t.first = time_first(&c);
    report(name, &c, threads, &t);
#ifdef HAVE_FFTW
    free_plans(&c);
#endif
    tess_fft_plan_release(c.held);
    tess_release(&c.in);
    tess_release(&c.out);
}

/* What is short is measured on one thread. */
static void compare_short(void)
{
    static const int lines[] = { 64, 1000, 1024, 2000, 2048, 4096 }, complex[] = { 64, 1024, 4096, 1009, 4093 };
    for (int i = 0; i < 6; i++) compare(R2C, TESS_SHAPE(1, 1, 1, lines[i]), false, 1);
    compare(R2C, TESS_SHAPE(1, 1, 1, 64), true, 1);
    compare(C2C_F32, TESS_SHAPE(1, 1, 1, 64), true, 1);
    for (int i = 0; i < 5; i++) {
        compare(C2C_F32, TESS_SHAPE(1, 1, 1, complex[i]), false, 1);
        compare(C2C, TESS_SHAPE(1, 1, 1, complex[i]), false, 1);
    }
    compare(C2C_F32, TESS_SHAPE(512, 1, 1, 1024), false, 1);
    compare(C2C, TESS_SHAPE(512, 1, 1, 1024), false, 1);
    compare(C2C_F32, TESS_SHAPE(64, 1, 1, 8192), false, 1);
    compare(DCT2, TESS_SHAPE(1, 1, 1, 4096), false, 1);
    compare(DCT2, TESS_SHAPE(1, 1, 512, 512), false, 1);
    compare(DCT2, TESS_SHAPE(1, 1, 1000, 1000), false, 1);
}

int main(int argc, char **argv)
{
    static const int shapes[][4] = { { 16, 1, 1024, 1024 }, { 1, 1, 4096, 4096 }, { 1, 1, 3838, 3710 },
                                     { 64, 1, 256, 256 },   { 1, 1, 5760, 4092 }, { 1, 256, 256, 256 },
                                     { 1, 384, 384, 384 },  { 1000, 1, 64, 64 },  { 1024, 1, 1, 1000 } };
    static const int lines[] = { 1 << 20, 1000000, 1000003 };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) rounds = 2;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) only = argv[++i];
        else if (strcmp(argv[i], "--measure") == 0 && i + 1 < argc) measure_s = atof(argv[++i]);
    }
#ifdef HAVE_FFTW
    printf("{\"limit\": \"%s\"}\n", fftw_version);
#ifdef HAVE_FFTW_THREADS
    if (!fftw_init_threads() || !fftwf_init_threads()) return 1;
#endif
#else
    printf("{\"limit\": \"none\"}\n");
#endif
    for (int threads = 1; threads <= 2; threads++) {
        for (int i = 0; i < 9; i++)
            for (int what = R2C; what <= C2R; what++)
                compare(what, TESS_SHAPE(shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]), false, threads);
        for (int i = 0; i < 3; i++) compare(C2C, TESS_SHAPE(1, 1, 1, lines[i]), false, threads);
    }
    compare_short();
    return 0;
}
