/* Interleaved comparison of two builds of the library in one process: bench_compare OLD.so NEW.so [SECONDS [NAME]]
 *
 * Both are loaded side by side, each with its own symbols, and take turns of a few milliseconds on the same numbers, so
 * that whatever else the machine does falls on both. One JSON line a work; `ratio` is new / old, best times of all turns:
 * 1.03 is 3 percent slower. SECONDS are those of a work [1]; NAME selects works of one function. One thread.
 */
#define _GNU_SOURCE /* dlmopen */
#include <dlfcn.h>
#include <stdbool.h>

#include "bench.h"

/* How a function is called. */
enum { UNARY, BINARY, AXES, CAST, TRANSPOSED, FFT, INVERSE_FFT, PRODUCT, RADIAL, SHIFT, MAP };

typedef struct work {
    const char *name;
    int         kind;
    tess_shape  shape;
    tess_dtype  dtype;
    int         choice; /* axes, an axis, a dtype or a mode */
} work;

static const work works[] = {
    { "tess_add", BINARY, { { 1, 1, 1, 16 } }, TESS_F32, 0 },
    { "tess_add", BINARY, { { 1, 1, 1, 1024 } }, TESS_F32, 0 },
    { "tess_add", BINARY, { { 1, 1, 1, 65536 } }, TESS_F32, 0 },
    { "tess_add", BINARY, { { 1, 1, 1024, 1024 } }, TESS_F64, 0 },
    { "tess_mul", BINARY, { { 1, 1, 1024, 1024 } }, TESS_C32, 0 },
    { "tess_less", BINARY, { { 1, 1, 1, 65536 } }, TESS_F32, 0 },
    { "tess_pow", BINARY, { { 1, 1, 1, 65536 } }, TESS_F32, 0 },
    { "tess_atan2", BINARY, { { 1, 1, 1, 65536 } }, TESS_F32, 0 },
    { "tess_exp", UNARY, { { 1, 1, 1, 65536 } }, TESS_F32, 0 },
    { "tess_sin", UNARY, { { 1, 1, 1, 65536 } }, TESS_F32, 0 },
    { "tess_sin", UNARY, { { 1, 1, 1, 65536 } }, TESS_F64, 0 },
    { "tess_log", UNARY, { { 1, 1, 1, 65536 } }, TESS_F64, 0 },
    { "tess_tanh", UNARY, { { 1, 1, 1, 65536 } }, TESS_F32, 0 },
    { "tess_copy", UNARY, { { 1, 1, 1, 16 } }, TESS_F32, 0 },
    { "tess_copy", UNARY, { { 8, 4, 256, 256 } }, TESS_F32, 0 },
    { "tess_copy", TRANSPOSED, { { 1, 1, 1024, 1024 } }, TESS_F32, 0 },
    { "tess_copy", TRANSPOSED, { { 1, 1, 4096, 4096 } }, TESS_F32, 0 },
    { "tess_copy", TRANSPOSED, { { 1, 1, 1024, 1024 } }, TESS_U8, 0 },
    { "tess_cast", CAST, { { 1, 1, 1, 65536 } }, TESS_F32, TESS_I16 },
    { "tess_cast", CAST, { { 1, 1, 2048, 2048 } }, TESS_F32, TESS_I32 },
    { "tess_cast", CAST, { { 1, 1, 2048, 2048 } }, TESS_U8, TESS_F32 },
    { "tess_sum", AXES, { { 1, 1, 1, 16 } }, TESS_F32, TESS_ALL_AXES },
    { "tess_sum", AXES, { { 1, 1, 1, 4096 } }, TESS_F32, TESS_ALL_AXES },
    { "tess_sum", AXES, { { 4, 16, 512, 512 } }, TESS_F32, TESS_ALL_AXES },
    { "tess_sum", AXES, { { 4, 16, 512, 512 } }, TESS_F32, TESS_D },
    { "tess_max", AXES, { { 4, 16, 512, 512 } }, TESS_F32, TESS_H },
    { "tess_max", AXES, { { 4, 16, 512, 512 } }, TESS_F32, TESS_ALL_AXES },
    { "tess_var", AXES, { { 4, 16, 512, 512 } }, TESS_F32, TESS_ALL_AXES },
    { "tess_var", AXES, { { 4, 16, 512, 512 } }, TESS_F64, TESS_D },
    { "tess_mean", AXES, { { 4, 16, 512, 512 } }, TESS_F64, TESS_H | TESS_W },
    { "tess_argmax", AXES, { { 4, 16, 256, 256 } }, TESS_F32, TESS_W },
    { "tess_median", AXES, { { 1, 1, 256, 4096 } }, TESS_F32, TESS_W },
    { "tess_sort", AXES, { { 1, 1, 256, 4096 } }, TESS_F32, 3 },
    { "tess_sort", AXES, { { 1, 1, 256, 4096 } }, TESS_U8, 3 },
    { "tess_argsort", AXES, { { 1, 1, 256, 4096 } }, TESS_F32, 3 },
    { "tess_cumsum", AXES, { { 1, 1, 256, 4096 } }, TESS_F32, 3 },
    { "tess_cumsum", AXES, { { 1, 1, 1024, 1024 } }, TESS_F32, 2 },
    { "tess_fft_r2c", FFT, { { 1, 1, 1, 64 } }, TESS_F32, 0 },
    { "tess_fft_r2c", FFT, { { 16, 1, 256, 256 } }, TESS_F32, 0 },
    { "tess_fft_r2c", FFT, { { 1, 1, 1024, 1024 } }, TESS_F32, 0 },
    { "tess_fft_r2c", FFT, { { 1, 1, 719, 719 } }, TESS_F32, 0 },
    { "tess_fft_r2c", FFT, { { 64, 1, 1, 4093 } }, TESS_F64, 0 },
    { "tess_fft_r2c", FFT, { { 1, 1, 1, 1000003 } }, TESS_F64, 0 },
    { "tess_fft_c2r", INVERSE_FFT, { { 4, 1, 512, 257 } }, TESS_C32, 0 },
    { "tess_matmul", PRODUCT, { { 64, 1, 64, 64 } }, TESS_F32, 0 },
    { "tess_matmul", PRODUCT, { { 1, 1, 512, 512 } }, TESS_F64, 0 },
    { "tess_taper", FFT, { { 16, 1, 256, 256 } }, TESS_F32, 0 },
    { "tess_taper_radial", RADIAL, { { 1, 1, 512, 512 } }, TESS_F32, 0 },
    { "tess_normalize_background", RADIAL, { { 16, 1, 256, 256 } }, TESS_F32, 0 },
    { "tess_correlate_score", PRODUCT, { { 16, 1, 256, 256 } }, TESS_F32, 0 },
    { "tess_correlate_score", PRODUCT, { { 16, 1, 256, 129 } }, TESS_C32, 0 },
    { "tess_correlate_map", MAP, { { 16, 1, 256, 129 } }, TESS_C32, 1 },
    { "tess_correlate_map", MAP, { { 16, 1, 256, 129 } }, TESS_C32, 2 },
    { "tess_fft_phase_shift", SHIFT, { { 16, 1, 256, 129 } }, TESS_C32, 0 },
    { "tess_fft_phase_shift", SHIFT, { { 1, 1, 1, 4097 } }, TESS_C64, 0 },
    { "tess_whiten", INVERSE_FFT, { { 16, 1, 256, 129 } }, TESS_C32, 0 },
};

/* One build, and its arrays of the work. */
typedef struct build {
    void      *library;
    void      *fn;
    tess_array out, a, b;
    double     best;
} build;

/* ISO C has no conversion from an object pointer to a function; POSIX has this one. */
#define CALL(type, address) (*(type **)&(void *){ (address) })
typedef tess_status unary_fn(tess_array *, const tess_array *);
typedef tess_status binary_fn(tess_array *, const tess_array *, const tess_array *);
typedef tess_status product_fn(tess_array *, const tess_array *, const tess_array *, const void *);
typedef tess_status choice_fn(tess_array *, const tess_array *, int, const void *);
typedef tess_status fft_fn(tess_array *, const tess_array *, const void *);
typedef tess_status inverse_fn(tess_array *, const tess_array *, tess_shape, const void *);
typedef tess_status radial_fn(tess_array *, const tess_array *, double, const void *);
typedef tess_status shift_fn(tess_array *, const tess_array *, tess_shape, const tess_array *, const void *);
typedef tess_status map_fn(tess_array *, const tess_array *, const tess_array *, tess_shape, const void *);
typedef tess_status empty_fn(tess_array *, tess_shape, tess_dtype, tess_device);
typedef tess_status threads_fn(int);
typedef void        release_fn(tess_array *);

static void *find(const build *b, const char *name)
{
    void *address = dlsym(b->library, name);
    if (address) return address;
    (void)fprintf(stderr, "%s\n", dlerror());
    exit(1);
}

static void load(build *b, const char *path)
{
    b->library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    if (!b->library) {
        (void)fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    bench_need(CALL(threads_fn, find(b, "tess_threads_set"))(1));
}

static tess_shape real_shape(tess_shape half)
{
    half.w = (half.w - 1) * 2;
    return half;
}

/* By the first numbers of the other array, as shifts of all images. */
static tess_status shift(build *b, const work *w)
{
    tess_array shifts = b->b;
    shifts.dtype = tess_dtype_real(shifts.dtype);
    shifts.shape = TESS_SHAPE(1, 1, 1, 2);
    return CALL(shift_fn, b->fn)(&b->out, &b->a, real_shape(w->shape), &shifts, NULL);
}

static tess_status call(build *b, const work *w)
{
    const tess_correlate_map_opts map = { .mode = w->choice, .centred = 1 };
    switch (w->kind) {
    case UNARY:
    case TRANSPOSED: return CALL(unary_fn, b->fn)(&b->out, &b->a);
    case BINARY: return CALL(binary_fn, b->fn)(&b->out, &b->a, &b->b);
    case PRODUCT: return CALL(product_fn, b->fn)(&b->out, &b->a, &b->b, NULL);
    case FFT: return CALL(fft_fn, b->fn)(&b->out, &b->a, NULL);
    case INVERSE_FFT: return CALL(inverse_fn, b->fn)(&b->out, &b->a, real_shape(w->shape), NULL);
    case RADIAL: return CALL(radial_fn, b->fn)(&b->out, &b->a, 100, NULL);
    case SHIFT: return shift(b, w);
    case MAP: return CALL(map_fn, b->fn)(&b->out, &b->a, &b->b, real_shape(w->shape), &map);
    default: return CALL(choice_fn, b->fn)(&b->out, &b->a, w->choice, NULL);
    }
}

/* The same numbers from 0.01 to 1.01 in both builds, of bytes all values. */
static void fill(tess_array *array, uint64_t seed)
{
    const tess_dtype real = tess_dtype_real(array->dtype);
    const int64_t    n = tess_n_bytes(array) / (int64_t)tess_dtype_size(real);
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        const double x = (double)(seed >> 40) / (1 << 24) + 0.01;
        if (real == TESS_F32) ((float *)array->data)[i] = (float)x;
        else if (real == TESS_F64) ((double *)array->data)[i] = x;
        else ((uint8_t *)array->data)[i] = (uint8_t)(seed >> 50);
    }
}

static void prepare(build *b, const work *w)
{
    b->fn = find(b, w->name);
    b->best = 1e30;
    memset(&b->out, 0, sizeof b->out);
    memset(&b->a, 0, sizeof b->a);
    memset(&b->b, 0, sizeof b->b);
    bench_need(CALL(empty_fn, find(b, "tess_empty"))(&b->a, w->shape, w->dtype, tess_cpu()));
    bench_need(CALL(empty_fn, find(b, "tess_empty"))(&b->b, w->shape, w->dtype, tess_cpu()));
    fill(&b->a, 1);
    fill(&b->b, 2);
    if (w->kind == TRANSPOSED) bench_need(CALL(unary_fn, find(b, "tess_transpose"))(&b->a, &b->a));
    bench_need(call(b, w)); /* allocates the output, makes plans */
}

static void finish(build *b)
{
    CALL(release_fn, find(b, "tess_release"))(&b->out);
    CALL(release_fn, find(b, "tess_release"))(&b->a);
    CALL(release_fn, find(b, "tess_release"))(&b->b);
}

static double seconds_of(build *b, const work *w, int64_t calls)
{
    const double start = bench_now();
    for (int64_t i = 0; i < calls; i++) bench_need(call(b, w));
    return (bench_now() - start) / (double)calls;
}

static void compare(build builds[2], const work *w, double seconds)
{
    for (int k = 0; k < 2; k++) prepare(&builds[k], w);
    const double  once = seconds_of(&builds[0], w, 3);
    const int64_t calls = once < 2e-3 ? (int64_t)(2e-3 / once) + 1 : 1;
    const double  end = bench_now() + seconds;
    for (int turn = 0; turn < 12 || bench_now() < end; turn++)
        for (int k = 0; k < 2; k++) {
            build       *b = &builds[k ^ (turn & 1)]; /* each is first every second time */
            const double took = seconds_of(b, w, calls);
            if (took < b->best) b->best = took;
        }
    const int64_t *n = w->shape.dim;
    printf("{\"work\": \"%s %s{%lld,%lld,%lld,%lld}\", \"dtype\": \"%s\", \"choice\": %d, \"old_s\": %.4g, "
           "\"new_s\": %.4g, \"ratio\": %.3f}\n",
           w->name, w->kind == TRANSPOSED ? "transposed " : "", (long long)n[0], (long long)n[1], (long long)n[2],
           (long long)n[3], tess_dtype_name(w->dtype), w->choice, builds[0].best, builds[1].best,
           builds[1].best / builds[0].best);
    (void)fflush(stdout);
    for (int k = 0; k < 2; k++) finish(&builds[k]);
}

int main(int argc, char **argv)
{
    build builds[2];
    if (argc < 3) {
        (void)fputs("bench_compare OLD.so NEW.so [SECONDS [NAME]]\n", stderr);
        return 2;
    }
    for (int k = 0; k < 2; k++) load(&builds[k], argv[1 + k]);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (argc < 5 || strcmp(argv[4], works[i].name) == 0)
            compare(builds, &works[i], argc > 3 ? strtod(argv[3], NULL) : 1);
    return 0;
}
