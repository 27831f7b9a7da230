/* Errors of complex transforms beside those of FFTW on the same numbers: fft_accuracy [quick | all] [f32 | f64]
 *
 * The reference is computed in long double. An error is that of all results together (L2), relative, in units of half
 * the last place of 1: 2^-24 for f32, 2^-53 for f64. It may be 1.25 times FFTW's, twice for primes. "quick" takes a few
 * sizes, "all" all of those that others are a sample of, which takes long. The last line is "N passed, N failed": sizes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/dft.h"
#include "tessera.h"

#ifdef HAVE_FFTW
#include <fftw3.h>
#endif

enum { ENOUGH = 4096 /* numbers that an error is taken of, at least */, SHOWN = 12 /* sizes above the limit */ };

static void need(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "fft_accuracy: %s: %s\n", what, tess_error_message());
    exit(2);
}

static double draw(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 11 << 1 | 1) * 0x1p-54 - 0.5;
}

/* ---- One size ---- */

typedef struct numbers {
    tess_shape  shape;
    int64_t     n;
    bool        wide; /* f64, not f32 */
    tess_array  in, out, peer;
    dft_number *truth;
} numbers;

static dft_number number_at(const tess_array *a, int64_t i)
{
    if (a->dtype == TESS_C64) return (dft_number){ ((tess_c64 *)a->data)[i].re, ((tess_c64 *)a->data)[i].im };
    return (dft_number){ ((tess_c32 *)a->data)[i].re, ((tess_c32 *)a->data)[i].im };
}

static void fill(numbers *x)
{
    for (int64_t i = 0; i < x->n; i++) {
        const double re = draw(), im = draw();
        if (x->wide) ((tess_c64 *)x->in.data)[i] = (tess_c64){ re, im };
        else ((tess_c32 *)x->in.data)[i] = (tess_c32){ (float)re, (float)im };
        x->truth[i] = number_at(&x->in, i);
    }
}

/* One axis of the reference. */
static void transform_axis(numbers *x, int axis)
{
    const int64_t n = x->shape.dim[axis];
    int64_t       inner = 1;
    for (int k = axis + 1; k < 4; k++) inner *= x->shape.dim[k];
    if (n == 1) return;
    dft_number *line = malloc(2 * (size_t)n * sizeof *line), *out = line + n;
    need(line, "no memory");
    for (int64_t first = 0; first < x->n; first++) {
        if (first / inner % n != 0) continue;
        for (int64_t i = 0; i < n; i++) line[i] = x->truth[first + i * inner];
        need(dft_fast(out, line, n, -1), "no memory for the reference");
        for (int64_t i = 0; i < n; i++) x->truth[first + i * inner] = out[i];
    }
    free(line);
}

/* Squares of the difference to the reference; `*size` gets those of the reference. */
static long double error_of(const numbers *x, const tess_array *got, long double *size)
{
    long double error = 0;
    for (int64_t i = 0; i < x->n; i++) {
        const dft_number  t = x->truth[i], g = number_at(got, i);
        const long double re = g.re - t.re, im = g.im - t.im;
        error += re * re + im * im;
        *size += t.re * t.re + t.im * t.im;
    }
    return error;
}

#ifdef HAVE_FFTW
static void run_fftw(numbers *x)
{
    const int n[3] = { (int)x->shape.d, (int)x->shape.h, (int)x->shape.w };
    int       skip = 0;
    while (skip < 2 && n[skip] == 1) skip++;
    if (x->wide) {
        fftw_plan plan = fftw_plan_dft(3 - skip, n + skip, x->in.data, x->peer.data, -1, FFTW_ESTIMATE);
        fftw_execute(plan);
        fftw_destroy_plan(plan);
    } else {
        fftwf_plan plan = fftwf_plan_dft(3 - skip, n + skip, x->in.data, x->peer.data, -1, FFTW_ESTIMATE);
        fftwf_execute(plan);
        fftwf_destroy_plan(plan);
    }
}
#endif

typedef struct errors {
    double ours, fftw; /* in units; FFTW's is 0 without it */
} errors;

static errors measure(tess_shape shape, bool wide)
{
    numbers          x = { .shape = shape, .n = shape.d * shape.h * shape.w, .wide = wide };
    const tess_dtype dtype = wide ? TESS_C64 : TESS_C32;
    long double      sums[3] = { 0, 0, 0 }, ignored = 0;
    x.truth = malloc((size_t)x.n * sizeof *x.truth);
    need(x.truth, "no memory");
    need(tess_empty(&x.in, shape, dtype, tess_cpu()) == TESS_OK, "in");
    need(tess_empty(&x.out, shape, dtype, tess_cpu()) == TESS_OK, "out");
    need(tess_empty(&x.peer, shape, dtype, tess_cpu()) == TESS_OK, "peer");
    for (int64_t done = 0; done < ENOUGH; done += x.n) {
        fill(&x);
        for (int axis = 1; axis < 4; axis++) transform_axis(&x, axis);
        need(tess_fft_c2c(&x.out, &x.in, TESS_FFT_FORWARD, NULL) == TESS_OK, "fft_c2c");
        sums[0] += error_of(&x, &x.out, &sums[2]);
#ifdef HAVE_FFTW
        run_fftw(&x);
        sums[1] += error_of(&x, &x.peer, &ignored);
#endif
    }
    (void)ignored;
    free(x.truth);
    tess_release(&x.in);
    tess_release(&x.out);
    tess_release(&x.peer);
    const double unit = wide ? 0x1p-53 : 0x1p-24;
    return (errors){ (double)sqrtl(sums[0] / sums[2]) / unit, (double)sqrtl(sums[1] / sums[2]) / unit };
}

/* ---- Many sizes ---- */

static bool is_prime(int64_t n)
{
    if (n < 2) return false;
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0) return false;
    return true;
}

typedef struct row {
    const char *name;
    bool        wide;
    int         sizes, above, compared;
    double      sum;   /* of logarithms of ratios */
    double      worst; /* ratio */
    errors      worst_errors, largest;
    tess_shape  worst_shape;
    double      limit;
} row;

static int passed, failed;

static const char *shape_text(tess_shape s)
{
    static char text[64];
    if (s.d > 1) (void)snprintf(text, sizeof text, "%dx%dx%d", (int)s.d, (int)s.h, (int)s.w);
    else if (s.h > 1) (void)snprintf(text, sizeof text, "%dx%d", (int)s.h, (int)s.w);
    else (void)snprintf(text, sizeof text, "%d", (int)s.w);
    return text;
}

/* Below a fifth of a unit FFTW's error says little: 1 and 2 numbers have none. */
static double ratio_of(errors e, tess_shape shape)
{
    const double n = (double)(shape.d * shape.h * shape.w);
#ifdef HAVE_FFTW
    (void)n;
    return e.ours / fmax(e.fftw, 0.2);
#else
    return e.ours / (1 + 0.5 * log2(n + 1)); /* what is usual */
#endif
}

static void add(row *r, tess_shape shape)
{
    const errors e = measure(shape, r->wide);
    const double ratio = ratio_of(e, shape);
    r->sizes++;
    if (e.ours > r->largest.ours) r->largest.ours = e.ours;
    if (e.fftw > r->largest.fftw) r->largest.fftw = e.fftw;
    if (e.ours > 0 && e.fftw > 0) r->sum += log(e.ours / e.fftw), r->compared++;
    if (ratio > r->worst) r->worst = ratio, r->worst_errors = e, r->worst_shape = shape;
    if (ratio <= r->limit) {
        passed++;
        return;
    }
    failed++;
    if (r->above++ < SHOWN)
        printf("above %.2f: %s %s: ours %.3f, FFTW %.3f, %.2f times\n", r->limit, r->wide ? "f64" : "f32",
               shape_text(shape), e.ours, e.fftw, ratio);
}

static void print(const row *r)
{
    printf("%-22s %s  %5d  %7.3f %7.3f  %6.2f  %6.2f at %-12s  %d\n", r->name, r->wide ? "f64" : "f32", r->sizes,
           r->largest.ours, r->largest.fftw, r->compared ? exp(r->sum / r->compared) : 0, r->worst,
           shape_text(r->worst_shape), r->above);
    fflush(stdout);
}

static tess_shape line_of(int64_t n) { return TESS_SHAPE(1, 1, 1, n); }

/* Sizes from 1 on, the primes among them or the others. */
static void short_lines(bool wide, bool primes, int64_t most, int64_t step)
{
    row r = { .name = primes ? "primes to 2048" : "others to 2048", .wide = wide, .limit = primes ? 2 : 1.25 };
    for (int64_t n = 1; n <= most; n += n < 130 ? 1 : step)
        if (is_prime(n) == primes) add(&r, line_of(n));
    print(&r);
}

static void long_primes(bool wide, int64_t most, int every)
{
    row r = { .name = "primes to 10000", .wide = wide, .limit = 2 };
    int seen = 0;
    for (int64_t n = 2049; n <= most; n++)
        if (is_prime(n) && seen++ % every == 0) add(&r, line_of(n));
    print(&r);
}

static bool is_smooth(int64_t n)
{
    for (int64_t p = 2; p <= 7; p++)
        while (n % p == 0) n /= p;
    return n == 1;
}

/* Sizes of small factors, fewer as they grow. */
static void smooth_lines(bool wide, int64_t most, int every)
{
    row r = { .name = "2^a 3^b 5^c 7^d", .wide = wide, .limit = 1.25 };
    int seen = 0;
    for (int64_t n = 2049; n <= most; n++)
        if (is_smooth(n) && seen++ % every == 0) add(&r, line_of(n));
    if (most >= 1 << 20) add(&r, line_of(1 << 20));
    print(&r);
}

static void images(bool wide, int n)
{
    static const int64_t shapes[][3] = { { 1, 12, 20 },  { 1, 31, 33 },  { 8, 9, 10 },     { 1, 128, 128 },
                                         { 1, 97, 101 }, { 16, 16, 16 }, { 1, 243, 125 },  { 15, 30, 21 },
                                         { 7, 11, 13 },  { 32, 32, 32 }, { 1, 256, 360 },  { 1, 500, 512 },
                                         { 17, 19, 23 }, { 64, 48, 50 }, { 1, 1024, 256 }, { 1, 331, 211 } };
    row                  r = { .name = "2-D and 3-D", .wide = wide, .limit = 1.25 };
    for (int i = 0; i < n; i++) add(&r, TESS_SHAPE(1, shapes[i][0], shapes[i][1], shapes[i][2]));
    print(&r);
}

static bool asks(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0) return true;
    return false;
}

int main(int argc, char **argv)
{
    const bool quick = asks(argc, argv, "quick"), all = asks(argc, argv, "all");
    const bool only[2] = { asks(argc, argv, "f32"), asks(argc, argv, "f64") };
#ifndef HAVE_FFTW
    printf("FFTW is not there: beside what is usual\n");
#endif
    printf("%-22s dtype sizes  largest error of  mean     worst ratio           above\n", "");
    printf("%-22s               ours    FFTW    ratio                           limit\n", "");
    for (int wide = 0; wide < 2; wide++) {
        if (only[!wide]) continue;
        short_lines(wide, false, quick ? 400 : 2048, quick ? 19 : 1);
        short_lines(wide, true, quick ? 250 : 2048, quick ? 2 : 1);
        smooth_lines(wide, quick ? 3000 : 1 << 20, quick ? 17 : all ? 1 : 24);
        if (!quick) long_primes(wide, 10000, all ? 1 : 24);
        images(wide, quick ? 9 : 16);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
