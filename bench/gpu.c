/* Work on a GPU beside a copy of as many bytes on the device, or beside bare cuFFT, in the same run: medians of times
 * between events.
 *
 * One JSON line each, and a table at the end. `--quick` takes small arrays, for a try; other arguments are names of works
 * to run. What the device rejects is told and left out. Without a GPU it says so and ends well.
 */
#include <dlfcn.h>

#include "bench.h"

enum { TURNS = 21, MOST_ROWS = 128 };

static int64_t      large = INT64_C(1) << 28; /* elements */
static int          n_names;
static char       **names;
static tess_device  device;
static tess_event  *start_mark, *end_mark;
static tess_stream *stream;
static double       copy_rate; /* bytes a second, read and written, of a copy on the device */

static struct {
    char   work[64];
    double ms, rate, ratio;
} rows[MOST_ROWS];
static int n_rows;

static bool wanted(const char *name) { return bench_wanted(name, names, n_names); }

/* ---- Timing ---- */

typedef tess_status gpu_fn(void *context);

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median milliseconds of a call, or below 0 if it is rejected. */
static double median_ms(gpu_fn *fn, void *context)
{
    double times[TURNS];
    for (int i = -3; i < TURNS; i++) {
        bench_need(tess_event_record(start_mark, stream));
        if (fn(context) != TESS_OK) {
            fprintf(stderr, "left out: %s\n", tess_error_message());
            return -1;
        }
        bench_need(tess_event_record(end_mark, stream));
        bench_need(tess_event_sync(end_mark));
        double ms = 0;
        bench_need(tess_event_elapsed(&ms, start_mark, end_mark));
        if (i >= 0) times[i] = ms;
    }
    qsort(times, TURNS, sizeof times[0], by_size);
    return times[TURNS / 2];
}

/* ratio: of `limit_ms` to ours; 1 is as fast as the limit. */
static void report(const char *work, const char *dtype, double ms, double bytes, double limit_ms)
{
    printf("{\"work\": \"%s\", \"dtype\": \"%s\", \"device\": \"gpu\", \"ours_s\": %.5g, \"limit_s\": %.5g, "
           "\"TB_per_s\": %.3f, \"ratio\": %.3f}\n",
           work, dtype, ms / 1e3, limit_ms / 1e3, bytes / ms / 1e9, limit_ms / ms);
    (void)fflush(stdout);
    if (n_rows == MOST_ROWS) return;
    (void)snprintf(rows[n_rows].work, sizeof rows[n_rows].work, "%s", work);
    rows[n_rows].ms = ms, rows[n_rows].rate = bytes / ms / 1e9, rows[n_rows].ratio = limit_ms / ms;
    n_rows++;
}

/* Work that moves so many bytes, beside a copy that does. */
static void measure(const char *work, const char *dtype, double bytes, gpu_fn *fn, void *context)
{
    if (!wanted(work)) return;
    const double ms = median_ms(fn, context);
    if (ms > 0) report(work, dtype, ms, bytes, bytes / copy_rate * 1e3);
}

/* ---- Works ---- */

typedef struct arrays {
    tess_array out, a, b;
    int        axes;
    tess_op   *op;
    tess_shape shape;
} arrays;

static tess_status run_copy(void *c)
{
    arrays *x = c;
    return tess_copy(&x->out, &x->a);
}
static tess_status run_add(void *c)
{
    arrays *x = c;
    return tess_add(&x->out, &x->a, &x->b);
}
static tess_status run_mul(void *c)
{
    arrays *x = c;
    return tess_mul(&x->out, &x->a, &x->b);
}
static tess_status run_exp(void *c)
{
    arrays *x = c;
    return tess_exp(&x->out, &x->a);
}
static tess_status run_fill(void *c)
{
    arrays *x = c;
    return tess_fill(&x->out, 1.5);
}
static tess_status run_fused(void *c)
{
    arrays *x = c;
    return tess_call(x->op, &x->a, &x->b, &x->out);
}
static tess_status run_uniform(void *c)
{
    arrays *x = c;
    return tess_random_uniform(&x->out, 0, 1, 7, NULL);
}
static tess_status run_normal(void *c)
{
    arrays *x = c;
    return tess_random_normal(&x->out, 0, 1, 7, NULL);
}
static tess_status run_sum(void *c)
{
    arrays *x = c;
    return tess_sum(&x->out, &x->a, x->axes, NULL);
}
static tess_status run_max(void *c)
{
    arrays *x = c;
    return tess_max(&x->out, &x->a, x->axes, NULL);
}
static tess_status run_var(void *c)
{
    arrays *x = c;
    return tess_var(&x->out, &x->a, x->axes, NULL);
}
static tess_status run_cumsum(void *c)
{
    arrays *x = c;
    return tess_cumsum(&x->out, &x->a, 3, NULL);
}
static tess_status run_sort(void *c)
{
    arrays *x = c;
    return tess_sort(&x->out, &x->a, 3, NULL);
}
static tess_status run_argsort(void *c)
{
    arrays *x = c;
    return tess_argsort(&x->out, &x->a, 3, NULL);
}

static void make(tess_array *a, tess_shape shape, tess_dtype dtype)
{
    *a = (tess_array){ .data = NULL };
    bench_need(tess_empty(a, shape, dtype, device));
}

static void make_random(tess_array *a, tess_shape shape)
{
    tess_array host = { .data = NULL };
    *a = (tess_array){ .data = NULL };
    bench_need(tess_empty(&host, shape, TESS_F32, tess_cpu()));
    bench_need(tess_random_normal(&host, 0, 1, 5, NULL));
    bench_need(tess_to_device(a, &host, device));
    tess_release(&host);
}

static void bench_rows(void)
{
    arrays       x = { .axes = 0 };
    const double n = (double)large;
    make_random(&x.a, TESS_SHAPE(1, 1, 1, large));
    make_random(&x.b, TESS_SHAPE(1, 1, 1, large));
    make(&x.out, TESS_SHAPE(1, 1, 1, large), TESS_F32);
    measure("copy", "f32", 8 * n, run_copy, &x);
    measure("add", "f32", 12 * n, run_add, &x);
    measure("exp", "f32", 8 * n, run_exp, &x);
    measure("fill", "f32", 4 * n, run_fill, &x);
    bench_need(tess_op_text(&x.op, "op fuse(in f32 a, in f32 b, out f32 z) { z = a*2 + cos(b); }"));
    measure("a*2 + cos(b), fused", "f32", 12 * n, run_fused, &x);
    tess_op_release(x.op);
    measure("random uniform", "f32", 4 * n, run_uniform, &x);
    measure("random normal", "f32", 4 * n, run_normal, &x);
    measure("cumsum", "f32", 8 * n, run_cumsum, &x);
    tess_release(&x.out);
    make(&x.out, TESS_SHAPE(1, 1, 1, 1), TESS_F32);
    measure("sum", "f32", 4 * n, run_sum, &x);
    measure("max", "f32", 4 * n, run_max, &x);
    measure("var", "f32", 4 * n, run_var, &x);
    tess_release(&x.out);
    tess_release(&x.a);
    tess_release(&x.b);
}

/* Half spectra times one real filter for all. */
static void bench_filter(void)
{
    const int64_t size = large >= INT64_C(1) << 28 ? 1024 : 64, b = large >= INT64_C(1) << 28 ? 128 : 16;
    const double  n = (double)(b * size * (size / 2 + 1));
    arrays        x = { .axes = 0 };
    make(&x.a, TESS_SHAPE(b, 1, size, size / 2 + 1), TESS_C32);
    make(&x.out, x.a.shape, TESS_C32);
    bench_need(tess_fill(&x.a, 1.5));
    make_random(&x.b, TESS_SHAPE(1, 1, size, size / 2 + 1));
    measure("complex times a real image", "c32", 16 * n, run_mul, &x);
    tess_release(&x.out);
    tess_release(&x.a);
    tess_release(&x.b);
}

/* Broadcasts, sums over each axis and permutes of images. */
static void bench_axes(void)
{
    static const char *const names_of[4] = { "sum over b", "sum over d", "sum over h", "sum over w" };
    const int64_t            h = large >= INT64_C(1) << 28 ? 512 : 32, w = large >= INT64_C(1) << 28 ? 1024 : 64;
    const tess_shape         shape = TESS_SHAPE(8, 64, h, w);
    const double             n = 8 * 64 * (double)(h * w);
    arrays                   x = { .axes = 0 };
    make_random(&x.a, shape);
    make_random(&x.b, TESS_SHAPE(1, 1, 1, w));
    make(&x.out, shape, TESS_F32);
    measure("add of a row, broadcast", "f32", 8 * n, run_add, &x);
    tess_release(&x.out);
    for (int k = 0; k < 4; k++) {
        tess_shape reduced = shape;
        reduced.dim[k] = 1;
        make(&x.out, reduced, TESS_F32);
        x.axes = TESS_B << k;
        measure(names_of[k], "f32", 4 * n * (1 + 1 / (double)shape.dim[k]), run_sum, &x);
        tess_release(&x.out);
    }
    static const int         orders[3][4] = { { 0, 1, 3, 2 }, { 0, 2, 3, 1 }, { 3, 2, 1, 0 } };
    static const char *const order_names[3] = { "permute {0,1,3,2}", "permute {0,2,3,1}", "permute {3,2,1,0}" };
    const tess_array         whole = x.a;
    for (int k = 0; k < 3; k++) {
        const int *o = orders[k];
        bench_need(tess_permute(&x.a, &whole, o[0], o[1], o[2], o[3]));
        make(&x.out, x.a.shape, TESS_F32);
        measure(order_names[k], "f32", 8 * n, run_copy, &x);
        tess_release(&x.out);
    }
    x.a = whole;
    tess_release(&x.a);
    tess_release(&x.b);
}

static void bench_sort(void)
{
    const int64_t n = large >> 8;
    arrays        x = { .axes = 0 };
    make_random(&x.a, TESS_SHAPE(64, 1, 1, n));
    make(&x.out, x.a.shape, TESS_F32);
    measure("sort 64 rows", "f32", 8 * 64 * (double)n, run_sort, &x);
    tess_release(&x.out);
    make(&x.out, x.a.shape, TESS_I64);
    measure("argsort 64 rows", "f32", 12 * 64 * (double)n, run_argsort, &x);
    tess_release(&x.out);
    tess_release(&x.a);
}

/* ---- Windows and blocks ---- */

static tess_status run_pad(void *c)
{
    arrays                *x = c;
    const tess_resize_opts o = { .border = TESS_BORDER_MIRROR };
    return tess_pad(&x->out, &x->a, TESS_SHAPE(0, 0, 8, 8), TESS_SHAPE(0, 0, 8, 8), &o);
}
static tess_status run_extract(void *c)
{
    arrays *x = c;
    return tess_extract(&x->out, &x->a, &x->b, x->shape, NULL);
}
static tess_status run_insert(void *c)
{
    arrays                *x = c;
    const tess_insert_opts o = { .add = 1 };
    return tess_insert(&x->a, &x->out, &x->b, &o);
}
static tess_status run_bin(void *c)
{
    arrays *x = c;
    return tess_bin(&x->out, &x->a, TESS_SHAPE(1, 1, 2, 2), NULL);
}

/* Images with a border, binned, and sub-regions anywhere in a large one. */
static void bench_resize(void)
{
    const bool    full = large >= INT64_C(1) << 28;
    const int64_t side = full ? 1024 : 64, whole = full ? 16384 : 256, n = full ? 16384 : 64, edge = full ? 128 : 16;
    const double  pixels = 64 * (double)(side * side), padded = 64 * (double)((side + 16) * (side + 16));
    const double  cut = (double)(n * edge * edge);
    arrays        x = { .shape = TESS_SHAPE(1, 1, edge, edge) };
    make_random(&x.a, TESS_SHAPE(64, 1, side, side));
    make(&x.out, TESS_SHAPE(64, 1, side + 16, side + 16), TESS_F32);
    measure("pad of 64 images, mirrored", "f32", 4 * (pixels + padded), run_pad, &x);
    tess_release(&x.out);
    make(&x.out, TESS_SHAPE(64, 1, side / 2, side / 2), TESS_F32);
    measure("bin of 64 images by 2", "f32", 5 * pixels, run_bin, &x);
    tess_release(&x.out);
    tess_release(&x.a);
    make_random(&x.a, TESS_SHAPE(1, 1, whole, whole));
    make(&x.out, TESS_SHAPE(n, 1, edge, edge), TESS_F32);
    make(&x.b, TESS_SHAPE(n, 1, 1, 2), TESS_I32);
    bench_need(tess_random_integers(&x.b, 0, whole - edge, 3, NULL));
    measure("extract sub-regions", "f32", 8 * cut, run_extract, &x);
    measure("insert sub-regions, added", "f32", 12 * cut, run_insert, &x);
    tess_release(&x.out);
    tess_release(&x.a);
    tess_release(&x.b);
}

static tess_status run_fsc(void *c)
{
    arrays *x = c;
    return tess_fsc(&x->out, &x->a, &x->b, x->shape, NULL);
}

/* A copy of as many bytes as both spectra have reads and writes half of each. */
static void bench_fsc(const char *name, tess_shape shape)
{
    arrays x = { .shape = shape };
    make(&x.a, tess_rfft_shape(shape), TESS_C32);
    make(&x.b, tess_rfft_shape(shape), TESS_C32);
    make(&x.out, TESS_SHAPE(shape.b, 1, 1, tess_fsc_shells(shape)), TESS_F64);
    bench_need(tess_random_normal(&x.a, 0, 1, 1, NULL));
    bench_need(tess_random_normal(&x.b, 0, 1, 2, NULL));
    measure(name, "c32", 2.0 * (double)tess_n_bytes(&x.a), run_fsc, &x);
    tess_release(&x.a);
    tess_release(&x.b);
    tess_release(&x.out);
}

static void bench_shells(void)
{
    const bool    full = large >= INT64_C(1) << 28;
    const int64_t side = full ? 256 : 16, edge = full ? 512 : 32;
    bench_fsc("FSC of two volumes", TESS_SHAPE(1, side, side, side));
    bench_fsc("FRC of 64 pairs of images", TESS_SHAPE(64, 1, edge, edge));
}

/* ---- Sums into bins by operators ---- */

enum { SUMS = 6 };

typedef struct bins {
    tess_op   *op;
    tess_array u, v, sums[SUMS];
} bins;

static tess_status run_six_sums(void *c)
{
    bins *x = c;
    return tess_call(x->op, &x->u, &x->v, &x->sums[0], &x->sums[1], &x->sums[2], &x->sums[3], &x->sums[4], &x->sums[5]);
}

static tess_status run_average(void *c)
{
    bins *x = c;
    return tess_call(x->op, &x->u, &x->sums[0], &x->sums[1]);
}

#define RADIUS                                                                                                         \
    "f32 z = (f32)(d - size(1)/2); f32 y = (f32)(h - size(2)/2); f32 x = (f32)(w - size(3)/2);"                        \
    "f32 r = sqrt(z*z + y*y + x*x);"

/* Their limit is reading the volumes, at the rate of a copy. */
static void bench_bins(void)
{
    const int64_t    side = large >= INT64_C(1) << 28 ? 192 : 16;
    const tess_shape shape = TESS_SHAPE(1, side, side, side), radii = TESS_SHAPE(1, 1, 1, side * 7 / 8);
    bins             x = { .op = NULL };
    make_random(&x.u, shape);
    make_random(&x.v, shape);
    for (int k = 0; k < SUMS; k++) bench_need(tess_zeros(&x.sums[k], radii, TESS_F64, device));
    bench_need(tess_op_text(&x.op, "op shells(in f32 u, in f32 v, scatter f64 s0, scatter f64 s1, scatter f64 s2,"
                                   "scatter f64 s3, scatter f64 s4, scatter f64 s5) {" RADIUS
                                   "i32 k = (i32)(r + 0.5f); f64 p = u; f64 q = v;"
                                   "s0[b,0,0,k] += p; s1[b,0,0,k] += q; s2[b,0,0,k] += p*p; s3[b,0,0,k] += q*q;"
                                   "s4[b,0,0,k] += p*q; s5[b,0,0,k] += 1; }"));
    measure("6 sums into shells of 192^3", "f32", 2.0 * (double)tess_n_bytes(&x.u), run_six_sums, &x);
    tess_op_release(x.op);
    bench_need(tess_op_text(&x.op, "op average(in f32 u, scatter f64 s, scatter f64 n) {" RADIUS
                                   "add_linear(s, b, 0, 0, r, u); add_linear(n, b, 0, 0, r, 1); }"));
    measure("rotational average of 192^3, split", "f32", (double)tess_n_bytes(&x.u), run_average, &x);
    tess_op_release(x.op);
    tess_release(&x.u);
    tess_release(&x.v);
    for (int k = 0; k < SUMS; k++) tess_release(&x.sums[k]);
}

/* ---- Fourier transforms beside bare cuFFT ---- */

typedef struct bare {
    int (*plan_many)(int *plan, int rank, int *n, int *in_embed, int in_stride, int in_distance, int *out_embed,
                     int out_stride, int out_distance, int type, int batch);
    int (*set_stream)(int plan, void *stream);
    int (*r2c)(int plan, void *in, void *out);
    int (*c2r)(int plan, void *in, void *out);
    int        plan;
    bool       forward;
    tess_array real, spectrum;
} bare;

static bool open_bare(bare *b)
{
    static const char *const files[] = { "libcufft.so.12", "libcufft.so.11", "/usr/local/cuda/lib64/libcufft.so" };
    void                    *library = NULL;
    for (int i = 0; i < 3 && !library; i++) library = dlopen(files[i], RTLD_NOW);
    if (!library) return false;
    *(void **)&b->plan_many = dlsym(library, "cufftPlanMany");
    *(void **)&b->set_stream = dlsym(library, "cufftSetStream");
    *(void **)&b->r2c = dlsym(library, "cufftExecR2C");
    *(void **)&b->c2r = dlsym(library, "cufftExecC2R");
    return b->plan_many && b->set_stream && b->r2c && b->c2r;
}

static tess_status run_bare(void *c)
{
    bare     *b = c;
    const int failed =
        b->forward ? b->r2c(b->plan, b->real.data, b->spectrum.data) : b->c2r(b->plan, b->spectrum.data, b->real.data);
    if (failed) fprintf(stderr, "cuFFT itself failed: %d\n", failed);
    return TESS_OK;
}

static tess_status run_r2c(void *c)
{
    arrays *x = c;
    return tess_fft_r2c(&x->out, &x->a, NULL);
}
static tess_status run_r2c_ortho(void *c)
{
    arrays             *x = c;
    const tess_fft_opts o = { .norm = TESS_FFT_NORM_ORTHO };
    return tess_fft_r2c(&x->out, &x->a, &o);
}

static tess_status run_c2r(void *c)
{
    arrays *x = c;
    return tess_fft_c2r(&x->a, &x->out, x->shape, NULL);
}

static tess_status run_c2r_overwrite(void *c)
{
    arrays             *x = c;
    const tess_fft_opts o = { .overwrite = 1, .norm = TESS_FFT_NORM_NONE };
    return tess_fft_c2r(&x->a, &x->out, x->shape, &o);
}

static void compare_fft(const char *work, gpu_fn *fn, arrays *x, bare *b, int rank, int *n, bool forward)
{
    if (!wanted(work)) return;
    int batch = (int)x->shape.b;
    b->forward = forward, b->real = x->a, b->spectrum = x->out;
    if (b->plan_many(&b->plan, rank, n, NULL, 1, 0, NULL, 1, 0, forward ? 0x2a : 0x2c, batch) != 0) return;
    (void)b->set_stream(b->plan, tess_stream_handle(stream));
    double best[2] = { 1e30, 1e30 };
    for (int i = 0; i < 3; i++) { /* interleaved */
        const double limit = median_ms(run_bare, b), ours = median_ms(fn, x);
        if (ours < 0) return;
        if (ours < best[0]) best[0] = ours;
        if (limit < best[1]) best[1] = limit;
    }
    report(work, "f32", best[0], 4.0 * (double)tess_n_elements(&x->a) + 8.0 * (double)tess_n_elements(&x->out),
           best[1]);
}

static void bench_images(bare *b, int size)
{
    char   name[4][64];
    int    n[2] = { size, size };
    arrays x = { .shape = TESS_SHAPE(64, 1, size, size) };
    make_random(&x.a, x.shape);
    make(&x.out, tess_rfft_shape(x.shape), TESS_C32);
    (void)snprintf(name[0], sizeof name[0], "r2c of 64 images of %d^2, beside cuFFT", size);
    (void)snprintf(name[1], sizeof name[1], "r2c of %d^2, orthonormal", size);
    (void)snprintf(name[2], sizeof name[2], "c2r of 64 images of %d^2, beside cuFFT", size);
    (void)snprintf(name[3], sizeof name[3], "c2r of %d^2, input lost, not scaled", size);
    compare_fft(name[0], run_r2c, &x, b, 2, n, true);
    compare_fft(name[1], run_r2c_ortho, &x, b, 2, n, true);
    compare_fft(name[2], run_c2r, &x, b, 2, n, false);
    compare_fft(name[3], run_c2r_overwrite, &x, b, 2, n, false);
    tess_release(&x.a);
    tess_release(&x.out);
}

static void bench_volume(bare *b, int size)
{
    int    n[3] = { size, size, size };
    arrays x = { .shape = TESS_SHAPE(1, size, size, size) };
    make_random(&x.a, x.shape);
    make(&x.out, tess_rfft_shape(x.shape), TESS_C32);
    compare_fft("r2c of a volume, beside cuFFT", run_r2c, &x, b, 3, n, true);
    compare_fft("c2r of a volume, beside cuFFT", run_c2r, &x, b, 3, n, false);
    tess_release(&x.a);
    tess_release(&x.out);
}

static void bench_fft(void)
{
    bare       b = { .plan = 0 };
    const bool full = large >= INT64_C(1) << 28;
    if (!open_bare(&b)) {
        fprintf(stderr, "left out: transforms, since there is no libcufft to compare with\n");
        return;
    }
    bench_images(&b, full ? 1024 : 64);
    if (full) bench_images(&b, 1000);
    if (full) bench_images(&b, 2048);
    bench_volume(&b, full ? 512 : 32);
}

/* ---- Signals ---- */

static tess_status run_lowpass(void *c)
{
    arrays                 *x = c;
    const tess_lowpass_opts o = { .width = 0.05, .from = x->axes & 15, .to = x->axes >> 4 };
    return tess_lowpass(&x->out, &x->a, x->shape, 0.25, &o);
}
static tess_status run_median(void *c)
{
    arrays *x = c;
    return tess_median_filter(&x->out, &x->a, x->shape, NULL);
}
static tess_status run_separable(void *c)
{
    arrays *x = c;
    return tess_convolve_separable(&x->out, &x->a, NULL, &x->b, &x->b, NULL);
}
static tess_status run_convolve(void *c)
{
    arrays                  *x = c;
    const tess_convolve_opts o = { .method = TESS_CONVOLVE_DIRECT };
    return tess_convolve(&x->out, &x->a, &x->b, &o);
}
static tess_status run_ctf(void *c)
{
    arrays             *x = c;
    const tess_ctf_opts o = { .parameters = &x->b };
    return tess_ctf_image(&x->out, x->shape, NULL, &o);
}
static tess_status run_lowpass_image(void *c)
{
    arrays                 *x = c;
    const tess_lowpass_opts o = { .width = 0.05 };
    return tess_lowpass_image(&x->out, &x->a, 0.25, &o);
}
static tess_status run_correlate(void *c)
{
    arrays *x = c;
    return tess_correlate(&x->out, &x->a, &x->b, NULL);
}

static void bench_lowpass(int64_t side)
{
    static const struct {
        const char *work;
        int         from, to;
    } pairs[] = { { "lowpass, h to h", TESS_FFT_H, TESS_FFT_H },
                  { "lowpass, h to hc", TESS_FFT_H, TESS_FFT_HC },
                  { "lowpass, hc to h", TESS_FFT_HC, TESS_FFT_H },
                  { "lowpass, h to f", TESS_FFT_H, TESS_FFT_F },
                  { "lowpass, fc to h", TESS_FFT_FC, TESS_FFT_H } };
    arrays x = { .shape = TESS_SHAPE(16, 1, side, side) };
    make(&x.a, tess_rfft_shape(x.shape), TESS_C32);
    make(&x.out, tess_rfft_shape(x.shape), TESS_C32);
    const double copy_ms = median_ms(run_copy, &x), half = (double)tess_n_bytes(&x.a);
    tess_release(&x.a);
    tess_release(&x.out);
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        const bool full_in = pairs[k].from == TESS_FFT_FC, full_out = pairs[k].to == TESS_FFT_F;
        x.axes = pairs[k].from | pairs[k].to << 4;
        make(&x.a, full_in ? x.shape : tess_rfft_shape(x.shape), TESS_C32);
        make(&x.out, full_out ? x.shape : tess_rfft_shape(x.shape), TESS_C32);
        bench_need(tess_random_normal(&x.a, 0, 1, 3, NULL));
        const double bytes = half + (double)tess_n_bytes(&x.out); /* a half spectrum is all that is read */
        const double ms = wanted(pairs[k].work) ? median_ms(run_lowpass, &x) : -1;
        if (ms > 0) report(pairs[k].work, "c32", ms, bytes, copy_ms * bytes / (2 * half));
        tess_release(&x.a);
        tess_release(&x.out);
    }
}

/* Parameters of the host: those of the GPU would be read back to be checked. */
static void bench_ctf(int64_t side)
{
    static const double columns[8] = { 1.1, 1.1, 1.5, 0.05, 0.4, 300, 0.07, 2.7 };
    tess_array          host = { .data = NULL };
    arrays              x = { .shape = TESS_SHAPE(64, 1, side, side) };
    bench_need(tess_empty(&host, TESS_SHAPE(64, 1, 1, 8), TESS_F64, tess_cpu()));
    for (int i = 0; i < 64 * 8; i++) ((double *)host.data)[i] = columns[i % 8] * (i % 8 == 2 ? 1 + 0.01 * (i / 8) : 1);
    make(&x.out, tess_rfft_shape(x.shape), TESS_F32);
    x.b = host;
    measure("CTF of 64 images, own parameters", "f32", (double)tess_n_bytes(&x.out), run_ctf, &x);
    tess_release(&host);
    tess_release(&x.out);
}

/* Work that is made of Fourier transforms beside those alone. */
static void measure_transforms(const char *work, gpu_fn *fn, arrays *x, int n_forward)
{
    if (!wanted(work)) return;
    arrays       t = { .shape = x->a.shape, .a = x->a };
    const double ours = median_ms(fn, x);
    make(&t.out, tess_rfft_shape(t.shape), TESS_C32);
    const double limit = n_forward * median_ms(run_r2c, &t) + median_ms(run_c2r_overwrite, &t);
    if (ours > 0) report(work, "f32", ours, 8.0 * (double)tess_n_elements(&x->a), limit);
    tess_release(&t.out);
}

static void bench_signal(void)
{
    const bool    full = large >= INT64_C(1) << 28;
    const int64_t side = full ? 1024 : 64;
    const double  pixels = 16 * (double)(side * side);
    arrays        x = { .shape = TESS_SHAPE(1, 1, 5, 5) };
    bench_lowpass(side);
    bench_ctf(side);
    make_random(&x.a, TESS_SHAPE(16, 1, side, side));
    make(&x.out, x.a.shape, TESS_F32);
    measure("median 5x5 of 16 images", "f32", 8 * pixels, run_median, &x);
    x.shape = TESS_SHAPE(1, 1, 9, 9);
    measure("median 9x9 of 16 images", "f32", 8 * pixels, run_median, &x);
    make_random(&x.b, TESS_SHAPE(1, 1, 1, 7));
    measure("separable convolution, 7 weights, h and w", "f32", 16 * pixels, run_separable, &x);
    tess_release(&x.b);
    make_random(&x.b, x.a.shape);
    measure_transforms("lowpass_image of 16 images, beside FFTs", run_lowpass_image, &x, 1);
    measure_transforms("correlate 16 images, beside FFTs", run_correlate, &x, 2);
    tess_release(&x.a);
    tess_release(&x.b);
    tess_release(&x.out);
    make_random(&x.a, TESS_SHAPE(1, side / 4, side / 4, side / 4));
    make_random(&x.b, TESS_SHAPE(1, 5, 5, 5));
    make(&x.out, x.a.shape, TESS_F32);
    measure("convolution of a volume, 5x5x5", "f32", 8 * (double)tess_n_elements(&x.a), run_convolve, &x);
    tess_release(&x.a);
    tess_release(&x.b);
    tess_release(&x.out);
}

/* ---- Small calls, first calls, transfers ---- */

static void report_time(const char *work, double seconds)
{
    printf("{\"work\": \"%s\", \"device\": \"gpu\", \"ours_s\": %.4g}\n", work, seconds);
    (void)fflush(stdout);
}

/* A kernel that does nothing, with as large a parameter as those of element-wise work, launched by the driver. */
typedef struct bare_launch {
    int (*launch)(void *function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *stream,
                  void **params, void **extra);
    void *function;
} bare_launch;

static bool open_bare_launch(bare_launch *b)
{
    static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                               ".visible .entry nothing(.param .align 8 .b8 p[352]) { ret; }\n";
    void             *module = NULL, *library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*load)(void **, const void *) = NULL;
    int (*find)(void **, void *, const char *) = NULL;
    if (!library) return false;
    *(void **)&load = dlsym(library, "cuModuleLoadData");
    *(void **)&find = dlsym(library, "cuModuleGetFunction");
    *(void **)&b->launch = dlsym(library, "cuLaunchKernel");
    return load && find && b->launch && load(&module, text) == 0 && find(&b->function, module, "nothing") == 0;
}

static tess_status run_bare_launch(void *c)
{
    static unsigned char params[352];
    bare_launch         *b = c;
    void                *all[1] = { params };
    const int            code = b->launch(b->function, 2, 1, 1, 128, 1, 1, 0, tess_stream_handle(stream), all, NULL);
    if (code) fprintf(stderr, "the driver itself failed: %d\n", code);
    return TESS_OK;
}

/* Calls that follow each other are held up by the GPU where that takes longer for one than the host does: so a few at a
 * time, and the best of many rounds. */
static double host_time(gpu_fn *fn, void *context)
{
    enum { CALLS = 100, MANY = 200 };
    double best = 1e30;
    for (int round = 0; round < MANY; round++) {
        const double from = bench_now();
        for (int i = 0; i < CALLS; i++) bench_need(fn(context));
        const double took = (bench_now() - from) / CALLS;
        if (took < best) best = took;
        bench_need(tess_stream_sync(stream));
    }
    return best;
}

static double time_in_all(gpu_fn *fn, void *context)
{
    enum { CALLS = 20000 };
    const double from = bench_now();
    for (int i = 0; i < CALLS; i++) bench_need(fn(context));
    bench_need(tess_stream_sync(stream));
    return (bench_now() - from) / CALLS;
}

static void bench_small(void)
{
    if (!wanted("small add")) return;
    bare_launch b = { NULL, NULL };
    arrays      x = { .axes = 0 };
    make_random(&x.a, TESS_SHAPE(1, 1, 1, 1000));
    make_random(&x.b, TESS_SHAPE(1, 1, 1, 1000));
    make(&x.out, TESS_SHAPE(1, 1, 1, 1000), TESS_F32);
    report_time("small add, host time of a call", host_time(run_add, &x));
    report_time("small add, many in a row", time_in_all(run_add, &x));
    if (open_bare_launch(&b)) {
        report_time("a bare launch, host time", host_time(run_bare_launch, &b));
        report_time("a bare launch, many in a row", time_in_all(run_bare_launch, &b));
    }
    tess_release(&x.out);
    tess_release(&x.a);
    tess_release(&x.b);
}

/* An operator that nobody has used before, then one that only the disk remembers: the same text, in a new process. */
static void bench_first(void)
{
    if (!wanted("first")) return;
    char     text[128];
    tess_op *op = NULL;
    arrays   x = { .axes = 0 };
    make_random(&x.a, TESS_SHAPE(1, 1, 1, 1000));
    make(&x.out, TESS_SHAPE(1, 1, 1, 1000), TESS_F32);
    const bool again = getenv("TESS_BENCH_FIRST") != NULL;
    (void)snprintf(text, sizeof text, "op fresh(in f32 a, out f32 z) { z = a*%s.0f + sin(a); }",
                   again ? getenv("TESS_BENCH_FIRST") : "17");
    bench_need(tess_op_text(&op, text));
    const double from = bench_now();
    bench_need(tess_call(op, &x.a, &x.out));
    bench_need(tess_stream_sync(stream));
    report_time("first use of an operator", bench_now() - from);
    tess_op_release(op);
    tess_release(&x.out);
    tess_release(&x.a);
}

static void bench_transfer(const char *work, bool pinned, bool to_gpu)
{
    if (!wanted(work)) return;
    const tess_shape shape = TESS_SHAPE(1, 1, 1, large / 4);
    tess_array       host = { .data = NULL }, gpu;
    make(&gpu, shape, TESS_F32);
    if (pinned) bench_need(tess_empty_pinned(&host, shape, TESS_F32));
    else bench_need(tess_empty(&host, shape, TESS_F32, tess_cpu()));
    bench_need(tess_fill(&host, 1));
    double best = 1e30;
    for (int i = 0; i < 6; i++) {
        const double from = bench_now();
        bench_need(to_gpu ? tess_to_device(&gpu, &host, device) : tess_to_device(&host, &gpu, tess_cpu()));
        bench_need(tess_stream_sync(stream));
        const double took = bench_now() - from;
        if (took < best) best = took;
    }
    printf("{\"work\": \"%s\", \"device\": \"gpu\", \"ours_s\": %.4g, \"GB_per_s\": %.1f}\n", work, best,
           (double)large / best / 1e9);
    tess_release(&host);
    tess_release(&gpu);
}

/* ---- Geometry ---- */

static tess_status run_transform(void *c)
{
    arrays                   *x = c;
    const tess_transform_opts o = { .interp = x->axes, .centred = 1 };
    return (x->a.shape.d > 1 ? tess_transform_3d : tess_transform_2d)(&x->out, &x->a, &x->b, &o);
}
static tess_status run_prefilter(void *c)
{
    arrays *x = c;
    return tess_bspline_prefilter(&x->out, &x->a, NULL);
}

/* Rotations by about 30 degrees: of volumes about an axis between all three. */
static void make_rotation(tess_array *out, int dims)
{
    static const double flat[4] = { 0.866, -0.5, 0.5, 0.866 };
    static const double deep[9] = { 0.91, -0.24, 0.33, 0.33, 0.91, -0.24, -0.24, 0.33, 0.91 };
    tess_array          host = { 0 };
    bench_need(tess_zeros(&host, TESS_SHAPE(1, 1, dims, dims), TESS_F64, tess_cpu()));
    memcpy(host.data, dims == 3 ? deep : flat, (size_t)(dims * dims) * sizeof(double));
    bench_need(tess_to_device(out, &host, device));
    tess_release(&host);
}

static void bench_geometry(void)
{
    const int64_t side = large > 1 << 20 ? 1024 : 64, cube = side / 2;
    arrays        x = { .axes = TESS_INTERP_LINEAR };
    make_random(&x.a, TESS_SHAPE(64, 1, side, side));
    make(&x.out, x.a.shape, TESS_F32);
    make_rotation(&x.b, 2);
    const double pixels = (double)tess_n_elements(&x.a);
    measure("rotate 64 images, linear", "f32", 8 * pixels, run_transform, &x);
    x.axes = TESS_INTERP_CUBIC;
    measure("rotate 64 images, cubic", "f32", 8 * pixels, run_transform, &x);
    x.axes = TESS_INTERP_LANCZOS8;
    measure("rotate 64 images, lanczos8", "f32", 8 * pixels, run_transform, &x);
    measure("B-spline coefficients of 64 images", "f32", 16 * pixels, run_prefilter, &x);
    tess_release(&x.a);
    tess_release(&x.b);
    tess_release(&x.out);
    make_random(&x.a, TESS_SHAPE(1, cube, cube, cube));
    make(&x.out, x.a.shape, TESS_F32);
    make_rotation(&x.b, 3);
    const double voxels = (double)tess_n_elements(&x.a);
    x.axes = TESS_INTERP_LINEAR;
    measure("rotate a volume, linear", "f32", 8 * voxels, run_transform, &x);
    x.axes = TESS_INTERP_CUBIC_BSPLINE;
    measure("rotate a volume, cubic_bspline", "f32", 8 * voxels, run_transform, &x);
    measure("B-spline coefficients of a volume", "f32", 24 * voxels, run_prefilter, &x);
    tess_release(&x.a);
    tess_release(&x.b);
    tess_release(&x.out);
}

/* ---- Windows of images, and samples ---- */

static tess_status run_mean(void *c)
{
    arrays *x = c;
    return tess_uniform_filter(&x->out, &x->a, TESS_SHAPE(1, 1, x->axes, x->axes), NULL);
}
static tess_status run_erode(void *c)
{
    arrays              *x = c;
    const tess_grey_opts o = { .window = TESS_SHAPE(1, 1, x->axes, x->axes) };
    return tess_grey_erode(&x->out, &x->a, &o);
}
static tess_status run_gaussian(void *c)
{
    arrays *x = c;
    return tess_gaussian_filter(&x->out, &x->a, 0, x->axes, x->axes, NULL);
}
static tess_status run_sobel(void *c)
{
    arrays *x = c;
    return tess_sobel(&x->out, &x->a, x->axes, NULL);
}
static tess_status run_zoom(void *c)
{
    arrays *x = c;
    return tess_zoom(&x->b, &x->a, 1, 2, 2, NULL);
}
static tess_status run_samples(void *c)
{
    arrays *x = c;
    return tess_map_coordinates(&x->out, &x->a, &x->b, NULL);
}

/* Filters whose time should hardly depend on the window, and samples at points, which are read too. */
static void bench_windows(void)
{
    const int64_t side = large >= INT64_C(1) << 28 ? 1024 : 64;
    const double  pixels = 64 * (double)(side * side);
    arrays        x = { .axes = 5 };
    make_random(&x.a, TESS_SHAPE(64, 1, side, side));
    make(&x.out, x.a.shape, TESS_F32);
    measure("mean of 5 x 5, 64 images", "f32", 8 * pixels, run_mean, &x);
    measure("minimum of 5 x 5, 64 images", "f32", 8 * pixels, run_erode, &x);
    x.axes = 31;
    measure("mean of 31 x 31, 64 images", "f32", 8 * pixels, run_mean, &x);
    measure("minimum of 31 x 31, 64 images", "f32", 8 * pixels, run_erode, &x);
    x.axes = 2;
    measure("Gaussian of 2 pixels, 64 images", "f32", 8 * pixels, run_gaussian, &x);
    x.axes = TESS_W;
    measure("Sobel along w, 64 images", "f32", 8 * pixels, run_sobel, &x);
    x.axes = TESS_H | TESS_W;
    measure("Sobel magnitude, 64 images", "f32", 8 * pixels, run_sobel, &x);
    make(&x.b, TESS_SHAPE(64, 1, 2 * side, 2 * side), TESS_F32);
    measure("zoom of 64 images by 2, linear", "f32", 20 * pixels, run_zoom, &x);
    tess_release(&x.b);
    tess_release(&x.out);
    make(&x.b, TESS_SHAPE(1, 1, side * side, 2), TESS_F32);
    bench_need(tess_random_uniform(&x.b, 0, (double)side, 9, NULL));
    make(&x.out, TESS_SHAPE(64, 1, 1, side * side), TESS_F32);
    measure("64 images at random points, linear", "f32", 8 * pixels, run_samples, &x);
    tess_release(&x.b);
    tess_release(&x.out);
    tess_release(&x.a);
}

static void find_limit(void)
{
    arrays x = { .axes = 0 };
    make_random(&x.a, TESS_SHAPE(1, 1, 1, large));
    make(&x.out, TESS_SHAPE(1, 1, 1, large), TESS_F32);
    copy_rate = 8.0 * (double)large / median_ms(run_copy, &x) * 1e3;
    tess_release(&x.out);
    tess_release(&x.a);
}

int main(int argc, char **argv)
{
    names = argv + 1, n_names = argc - 1;
    if (n_names && strcmp(names[0], "--quick") == 0) large = 1 << 16, names++, n_names--;
    device = tess_gpu(0);
    tess_info_device info;
    if (tess_device_info(&info, device) != TESS_OK) {
        printf("no GPU: %s\n", tess_error_message());
        return 0;
    }
    stream = tess_stream_current(device);
    bench_need(tess_event_new(&start_mark, device));
    bench_need(tess_event_new(&end_mark, device));
    find_limit();
    fprintf(stderr, "%s, %s: a copy moves %.3f TB/s\n", info.name, info.isa, copy_rate / 1e12);
    bench_rows();
    bench_filter();
    bench_axes();
    bench_sort();
    bench_resize();
    bench_shells();
    bench_bins();
    bench_fft();
    bench_signal();
    bench_geometry();
    bench_windows();
    bench_small();
    bench_first();
    bench_transfer("to the GPU, pageable", false, true);
    bench_transfer("to the GPU, pinned", true, true);
    bench_transfer("from the GPU, pageable", false, false);
    bench_transfer("from the GPU, pinned", true, false);
    for (int i = 0; i < n_rows; i++)
        fprintf(stderr, "%-42s %9.4f ms  %6.3f TB/s  %.3f of its limit\n", rows[i].work, rows[i].ms, rows[i].rate,
                rows[i].ratio);
    tess_event_free(start_mark);
    tess_event_free(end_mark);
    return 0;
}
