/* Copies, permutations, casts, small calls and views against memcpy and hand-written loops.
 *
 * One JSON line each. `--quick` takes fewer rounds.
 */
#include "bench.h"

static int rounds = 7;

typedef struct copy_case {
    tess_array out, in;
    int        axes[4];
} copy_case;

static void run_copy(void *context)
{
    copy_case *c = context;
    bench_need(tess_copy(&c->out, &c->in));
}

static void make(tess_array *a, tess_shape shape, tess_dtype dtype)
{
    memset(a, 0, sizeof *a);
    bench_need(tess_full(a, shape, dtype, tess_cpu(), 1));
}

/* Against memcpy of the same bytes between the same two blocks. */
static void compare_with_memcpy(const char *work, copy_case *c, int threads)
{
    char        *to = c->out.buffer ? c->out.data : NULL, *from = c->in.data;
    bench_memcpy m = { to, from, (size_t)tess_n_bytes(&c->out), threads };
    bench_need(tess_threads_set(threads));
    bench_report(work, tess_dtype_name(c->out.dtype), threads,
                 bench_compare(run_copy, c, bench_run_memcpy, &m, rounds, 0.02));
}

static void bench_contiguous(int threads)
{
    copy_case c = { 0 };
    make(&c.in, TESS_SHAPE(8, 64, 512, 512), TESS_F32);
    make(&c.out, c.in.shape, TESS_F32);
    compare_with_memcpy("copy C to C {8,64,512,512}", &c, threads);
    bench_need(tess_transpose(&c.in, &c.in));
    bench_need(tess_transpose(&c.out, &c.out));
    compare_with_memcpy("copy F to F {8,64,512,512}", &c, threads);
    tess_release(&c.in);
    tess_release(&c.out);
}

static void bench_permutations(int threads)
{
    copy_case  c = { 0 };
    tess_array base;
    make(&base, TESS_SHAPE(8, 64, 512, 512), TESS_F32);
    for (int code = 0; code < 256; code++) {
        const int axes[4] = { code >> 6 & 3, code >> 4 & 3, code >> 2 & 3, code & 3 };
        if ((1 << axes[0] | 1 << axes[1] | 1 << axes[2] | 1 << axes[3]) != 15) continue;
        char work[80];
        bench_need(tess_permute(&c.in, &base, axes[0], axes[1], axes[2], axes[3]));
        memset(&c.out, 0, sizeof c.out);
        make(&c.out, c.in.shape, TESS_F32);
        snprintf(work, sizeof work, "permute_copy {8,64,512,512} (%d,%d,%d,%d)%s", axes[0], axes[1], axes[2], axes[3],
                 axes[3] == 3 ? " keeps W" : "");
        compare_with_memcpy(work, &c, threads);
        tess_release(&c.out);
    }
    tess_release(&base);
}

/* Channels that are innermost become the outermost of an image: 64 columns whose distance is a power of two, so that
 * their lines share the sets of a cache. Against the loop one would write, which runs on one thread. */
enum { CHANNELS = 64, PIXELS = 512 * 512, IMAGES = 8 };

static void run_tiled_loop(void *context)
{
    enum { TILE_PIXELS = 128, TILE_CHANNELS = 16 };
    const copy_case *c = context;
    const float     *in = c->in.data;
    float           *out = c->out.data;
    for (int64_t b = 0; b < IMAGES; b++, in += PIXELS * CHANNELS, out += PIXELS * CHANNELS)
        for (int64_t first = 0; first < PIXELS; first += TILE_PIXELS)
            for (int64_t k0 = 0; k0 < CHANNELS; k0 += TILE_CHANNELS)
                for (int64_t k = k0; k < k0 + TILE_CHANNELS; k++)
                    for (int64_t i = first; i < first + TILE_PIXELS; i++) out[k * PIXELS + i] = in[i * CHANNELS + k];
}

static void bench_channels(int threads)
{
    copy_case  c = { 0 };
    tess_array base;
    make(&base, TESS_SHAPE(IMAGES, 512, 512, CHANNELS), TESS_F32);
    bench_need(tess_permute(&c.in, &base, 0, 3, 1, 2));
    make(&c.out, c.in.shape, TESS_F32);
    bench_need(tess_threads_set(threads));
    bench_report("permute_copy {8,512,512,64} (0,3,1,2), tiled loop", "f32", threads,
                 bench_compare(run_copy, &c, run_tiled_loop, &c, rounds, 0.02));
    tess_release(&c.out);
    tess_release(&base);
}

static void bench_transpose(int threads)
{
    static const tess_dtype dtypes[] = { TESS_U8, TESS_U16, TESS_F32, TESS_F64, TESS_C64 };
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        copy_case  c = { 0 };
        tess_array base;
        make(&base, TESS_SHAPE(1, 1, 8192, 8192), dtypes[i]);
        bench_need(tess_transpose(&c.in, &base));
        make(&c.out, c.in.shape, dtypes[i]);
        compare_with_memcpy("transpose {1,1,8192,8192}", &c, threads);
        tess_release(&c.out);
        tess_release(&base);
    }
}

/* ---- Casts against the loop one would write ---- */

typedef struct cast_case {
    tess_array out, in;
    int64_t    n;
} cast_case;

static void run_cast(void *context)
{
    cast_case *c = context;
    bench_need(tess_cast(&c->out, &c->in, c->out.dtype, NULL));
}

#define HAND_CAST(name, from, to)                                                                                      \
    static void name(void *context)                                                                                    \
    {                                                                                                                  \
        const cast_case *c = context;                                                                                  \
        const from      *in = c->in.data;                                                                              \
        to *restrict out = c->out.data;                                                                                \
        for (int64_t i = 0; i < c->n; i++) out[i] = (to)in[i];                                                         \
    }
HAND_CAST(hand_u8_f32, uint8_t, float)
HAND_CAST(hand_i16_f32, int16_t, float)
HAND_CAST(hand_u16_f32, uint16_t, float)
HAND_CAST(hand_f32_f64, float, double)
HAND_CAST(hand_f64_f32, double, float)
HAND_CAST(hand_i32_f32, int32_t, float)
HAND_CAST(hand_f32_i32, float, int32_t)
HAND_CAST(hand_f32_i16, float, int16_t)
HAND_CAST(hand_f32_u8, float, uint8_t)
HAND_CAST(hand_i32_u8, int32_t, uint8_t)

static void bench_casts(int threads)
{
    static const struct {
        const char *name;
        tess_dtype  from, to;
        bench_fn   *hand;
    } cases[] = {
        { "cast u8 to f32", TESS_U8, TESS_F32, hand_u8_f32 },
        { "cast i16 to f32", TESS_I16, TESS_F32, hand_i16_f32 },
        { "cast u16 to f32", TESS_U16, TESS_F32, hand_u16_f32 },
        { "cast f32 to f64", TESS_F32, TESS_F64, hand_f32_f64 },
        { "cast f64 to f32", TESS_F64, TESS_F32, hand_f64_f32 },
        { "cast i32 to f32", TESS_I32, TESS_F32, hand_i32_f32 },
        { "cast f32 to i32", TESS_F32, TESS_I32, hand_f32_i32 },
        { "cast f32 to i16", TESS_F32, TESS_I16, hand_f32_i16 },
        { "cast f32 to u8", TESS_F32, TESS_U8, hand_f32_u8 },
        { "cast i32 to u8", TESS_I32, TESS_U8, hand_i32_u8 },
    };
    static const int64_t sizes[] = { 1 << 14, 1 << 26 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < 2; k++) {
            cast_case c = { .n = sizes[k] };
            char      work[80];
            make(&c.in, TESS_SHAPE(1, 1, 1, c.n), cases[i].from);
            make(&c.out, TESS_SHAPE(1, 1, 1, c.n), cases[i].to);
            bench_need(tess_threads_set(threads));
            snprintf(work, sizeof work, "%s, 2^%d", cases[i].name, k ? 26 : 14);
            /* The hand-written loop runs on one thread: with two the ratio may be above 1. */
            bench_report(work, "", threads, bench_compare(run_cast, &c, cases[i].hand, &c, rounds, 0.01));
            tess_release(&c.in);
            tess_release(&c.out);
        }
    }
}

/* A transposed input: against the time of the transposing copy of it, which is the least that moves those bytes. */
static void bench_transposed_cast(int threads)
{
    cast_case  c = { 0 };
    copy_case  limit = { 0 };
    tess_array base;
    make(&base, TESS_SHAPE(1, 1, 8192, 8192), TESS_F32);
    bench_need(tess_transpose(&c.in, &base));
    make(&c.out, c.in.shape, TESS_F64);
    limit.in = c.in;
    make(&limit.out, c.in.shape, TESS_F32);
    bench_need(tess_threads_set(threads));
    bench_report("cast of a transposed {1,1,8192,8192} to f64, against its copy", "f32", threads,
                 bench_compare(run_cast, &c, run_copy, &limit, rounds, 0.02));
    tess_release(&base);
    tess_release(&c.out);
    tess_release(&limit.out);
}

/* ---- Small calls ---- */

static void run_small_loop(void *context)
{
    copy_case   *c = context;
    const float *in = c->in.data;
    float       *out = c->out.data;
    for (int i = 0; i < 16; i++) out[i] = in[i];
    __asm__ volatile("" ::: "memory");
}

static void run_permute(void *context)
{
    copy_case *c = context;
    bench_need(tess_permute(&c->out, &c->in, 0, 1, 3, 2));
}

static void run_slice(void *context)
{
    copy_case *c = context;
    bench_need(tess_slice(&c->out, &c->in, 3, 1, 9, 2));
}

static void run_reshape(void *context)
{
    copy_case *c = context;
    bench_need(tess_reshape(&c->out, &c->in, TESS_SHAPE(1, 1, -1, 4)));
}

static void bench_small(void)
{
    copy_case c = { 0 };
    make(&c.in, TESS_SHAPE(1, 1, 1, 16), TESS_F32);
    make(&c.out, TESS_SHAPE(1, 1, 1, 16), TESS_F32);
    bench_pair p = bench_compare(run_copy, &c, run_small_loop, &c, rounds, 0.01);
    printf(
        "{\"work\": \"copy of 16 elements\", \"dtype\": \"f32\", \"threads\": 1, \"ours_s\": %.4g, \"limit_s\": %.4g, "
        "\"more_ns\": %.1f}\n",
        p.ours, p.limit, 1e9 * (p.ours - p.limit));
    tess_release(&c.out);
    static const struct {
        const char *name;
        bench_fn   *fn;
    } views[] = { { "permute", run_permute }, { "slice", run_slice }, { "reshape", run_reshape } };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        double best = 1;
        for (int k = 0; k < rounds; k++) {
            const double t = bench_time(views[i].fn, &c, 0.01);
            if (t < best) best = t;
        }
        printf("{\"work\": \"view: %s\", \"ours_ns\": %.1f}\n", views[i].name, best * 1e9);
    }
    tess_release(&c.in);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) rounds = 3; /* best of 3 instead of 7 */
    bench_small();
    for (int threads = 1; threads <= 2; threads++) {
        bench_contiguous(threads);
        bench_transpose(threads);
        bench_permutations(threads);
        bench_channels(threads);
        bench_casts(threads);
        bench_transposed_cast(threads);
    }
    return 0;
}
