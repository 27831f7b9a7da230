/* Element-wise operations against hand-written loops, and the functions against libm's, at four sizes.
 *
 * One JSON line each. `--quick` takes fewer rounds and leaves the largest size out; `--views` is views alone, `--filters`
 * spectra times filters alone.
 */
#include <math.h>

#include "bench.h"

static int rounds = 7;

/* ---- Hand-written loops: the limit. Several threads share them where it pays. ---- */

typedef struct hand_case {
    void *o, *a, *b, *c;
    void (*loop)(const struct hand_case *h, int64_t first, int64_t last);
    int64_t n;
    int     threads;
    /* Rows of a view: pitch between rows of each operand in elements; 0 for all: one row. */
    int64_t width, so, sa, sb;
} hand_case;

#define HAND(name, T, R, expr)                                                                                         \
    static void name(const hand_case *h, int64_t first, int64_t last)                                                  \
    {                                                                                                                  \
        R *restrict o = h->o;                                                                                          \
        const T *restrict a = h->a, *restrict b = h->b, *restrict c = h->c;                                            \
        (void)b, (void)c;                                                                                              \
        for (int64_t i = first; i < last; i++) o[i] = (R)(expr);                                                       \
    }
HAND(add_f32, float, float, a[i] + b[i])
HAND(add_f64, double, double, a[i] + b[i])
HAND(mul_f32, float, float, a[i] * b[i])
HAND(mul_f64, double, double, a[i] * b[i])
HAND(fma_f32, float, float, fmaf(a[i], b[i], c[i]))
HAND(fma_f64, double, double, fma(a[i], b[i], c[i]))
HAND(abs_f32, float, float, fabsf(a[i]))
HAND(abs_f64, double, double, fabs(a[i]))
HAND(less_f32, float, uint8_t, a[i] < b[i])
HAND(less_f64, double, uint8_t, a[i] < b[i])
HAND(exp_f32, float, float, expf(a[i]))
HAND(exp_f64, double, double, exp(a[i]))
HAND(log_f32, float, float, logf(a[i]))
HAND(log_f64, double, double, log(a[i]))
HAND(expm1_f32, float, float, expm1f(a[i]))
HAND(expm1_f64, double, double, expm1(a[i]))
HAND(log1p_f32, float, float, log1pf(a[i]))
HAND(log1p_f64, double, double, log1p(a[i]))
HAND(sin_f32, float, float, sinf(a[i]))
HAND(sin_f64, double, double, sin(a[i]))
HAND(tanh_f32, float, float, tanhf(a[i]))
HAND(tanh_f64, double, double, tanh(a[i]))
HAND(pow_f32, float, float, powf(a[i], b[i]))
HAND(pow_f64, double, double, pow(a[i], b[i]))
HAND(atan2_f32, float, float, atan2f(a[i], b[i]))
HAND(atan2_f64, double, double, atan2(a[i], b[i]))
HAND(logaddexp_f32, float, float, fmaxf(a[i], b[i]) + log1pf(expf(-fabsf(a[i] - b[i]))))
HAND(logaddexp_f64, double, double, fmax(a[i], b[i]) + log1p(exp(-fabs(a[i] - b[i]))))

/* Every second element of each operand, or of the inputs alone. */
#define HAND_SECOND(name, T, so)                                                                                       \
    static void name(const hand_case *h, int64_t first, int64_t last)                                                  \
    {                                                                                                                  \
        T *restrict o = h->o;                                                                                          \
        const T *restrict a = h->a, *restrict b = h->b;                                                                \
        for (int64_t i = first; i < last; i++) o[so * i] = a[2 * i] + b[2 * i];                                        \
    }
HAND_SECOND(second_f32, float, 2)
HAND_SECOND(second_f64, double, 2)
HAND_SECOND(of_second_f32, float, 1)
HAND_SECOND(of_second_f64, double, 1)

/* By masks: written with ?: the compiler leaves it scalar. */
#define HAND_WHERE(name, U)                                                                                            \
    static void name(const hand_case *h, int64_t first, int64_t last)                                                  \
    {                                                                                                                  \
        U *restrict o = h->o;                                                                                          \
        const uint8_t *restrict a = h->a;                                                                              \
        const U *restrict b = h->b, *restrict c = h->c;                                                                \
        for (int64_t i = first; i < last; i++) {                                                                       \
            const U mask = (U)0 - (U)(a[i] != 0);                                                                      \
            o[i] = (b[i] & mask) | (c[i] & ~mask);                                                                     \
        }                                                                                                              \
    }
HAND_WHERE(where_f32, uint32_t)
HAND_WHERE(where_f64, uint64_t)

/* Rows of views: b goes along the row (sb is its pitch), or is one number a row. */
#define HAND_ROWS(name, T, y)                                                                                          \
    static void name(const hand_case *h, int64_t first, int64_t last)                                                  \
    {                                                                                                                  \
        for (int64_t r = first; r < last; r++) {                                                                       \
            T *restrict o = (T *)h->o + r * h->so;                                                                     \
            const T *restrict a = (const T *)h->a + r * h->sa;                                                         \
            const T *restrict b = (const T *)h->b + r * h->sb;                                                         \
            for (int64_t i = 0; i < h->width; i++) o[i] = a[i] + y;                                                    \
        }                                                                                                              \
    }
HAND_ROWS(rows_f32, float, b[i])
HAND_ROWS(rows_f64, double, b[i])
HAND_ROWS(row_scalar_f32, float, *b)
HAND_ROWS(row_scalar_f64, double, *b)

typedef struct hand_part {
    const hand_case *h;
    int64_t          first, last;
} hand_part;

static void *run_part(void *context)
{
    const hand_part *p = context;
    p->h->loop(p->h, p->first, p->last);
    return NULL;
}

static void run_hand(void *context)
{
    const hand_case *h = context;
    if (h->threads == 1) {
        h->loop(h, 0, h->n);
        return;
    }
    hand_part part[2] = { { h, 0, h->n / 2 }, { h, h->n / 2, h->n } };
    pthread_t thread;
    (void)pthread_create(&thread, NULL, run_part, &part[1]);
    (void)run_part(&part[0]);
    (void)pthread_join(thread, NULL);
}

/* ---- Ours ---- */

typedef struct our_case {
    tess_array out, in[3];
    int        n;
    union {
        tess_status (*one)(tess_array *, const tess_array *);
        tess_status (*two)(tess_array *, const tess_array *, const tess_array *);
        tess_status (*three)(tess_array *, const tess_array *, const tess_array *, const tess_array *);
    } call;
} our_case;

static void run_ours(void *context)
{
    our_case *c = context;
    if (c->n == 1) bench_need(c->call.one(&c->out, &c->in[0]));
    else if (c->n == 2) bench_need(c->call.two(&c->out, &c->in[0], &c->in[1]));
    else bench_need(c->call.three(&c->out, &c->in[0], &c->in[1], &c->in[2]));
}

static void compare(const char *name, our_case *c, hand_case *h, int threads)
{
    /* Starting a thread costs some 30 us: below, the hand-written loop is better off alone. */
    const double alone = threads > 1 ? bench_time(run_hand, h, 0.01) : 1;
    h->threads = threads;
    if (threads > 1 && alone < bench_time(run_hand, h, 0.01)) h->threads = 1;
    bench_need(tess_threads_set(threads));
    const bench_pair p = bench_compare(run_ours, c, run_hand, h, rounds, 0.005);
    const int64_t    n = tess_n_elements(&c->out);
    printf("{\"work\": \"%s\", \"n\": %lld, \"dtype\": \"%s\", \"threads\": %d, \"ours_s\": %.4g, \"limit_s\": %.4g, "
           "\"ns\": %.3f, \"limit_ns\": %.3f, \"ratio\": %.3f}\n",
           name, (long long)n, tess_dtype_name(c->in[c->n - 1].dtype), threads, p.ours, p.limit,
           p.ours / (double)n * 1e9, p.limit / (double)n * 1e9, p.limit / p.ours);
    (void)fflush(stdout);
}

/* ---- The operations ---- */

typedef struct operation {
    const char *name;
    int         n;
    void (*hand[2])(const hand_case *h, int64_t first, int64_t last); /* f32, f64 */
    void      *call;
    tess_dtype first, result; /* of the first operand and of the result, where they are others */
    double     low, high;     /* range of the operands */
} operation;

#define OP(name, n, first, result, low, high)                                                                          \
    {                                                                                                                  \
#name, n, { name##_f32, name##_f64 }, (void *)(uintptr_t)tess_##name, first, result, low, high                 \
    }

static void fill_range(tess_array *a, double low, double high)
{
    /* Spread by a step that is not a fraction of the range, so that neighbours differ; operands by steps of their own. */
    static int    made;
    const double  steps[3] = { 0.6180339887498949, 0.7548776662466927, 0.8191725133961645 }, step = steps[made++ % 3];
    const int64_t n = tess_n_elements(a);
    for (int64_t i = 0; i < n; i++) {
        const double unit = fmod((double)i * step, 1.0), x = low + (high - low) * unit;
        if (a->dtype == TESS_F32) ((float *)a->data)[i] = (float)x;
        else if (a->dtype == TESS_F64) ((double *)a->data)[i] = x;
        else ((uint8_t *)a->data)[i] = unit > 0.5;
    }
}

static void make(tess_array *a, tess_shape shape, tess_dtype dtype, double low, double high)
{
    memset(a, 0, sizeof *a);
    bench_need(tess_empty(a, shape, dtype, tess_cpu()));
    fill_range(a, low, high);
}

static void bench_operation(const operation *op, tess_dtype dtype, int64_t n, int threads)
{
    our_case  c = { .n = op->n };
    hand_case h = { .n = n, .loop = op->hand[dtype == TESS_F64], .threads = 1 };
    memcpy(&c.call, &op->call, sizeof op->call);
    make(&c.out, TESS_SHAPE(1, 1, 1, n), op->result ? op->result : dtype, 0, 1);
    for (int k = 0; k < op->n; k++)
        make(&c.in[k], TESS_SHAPE(1, 1, 1, n), k == 0 && op->first ? op->first : dtype, op->low, op->high);
    h.o = c.out.data, h.a = c.in[0].data, h.b = c.in[1].data, h.c = c.in[2].data;
    compare(op->name, &c, &h, threads);
    tess_release(&c.out);
    for (int k = 0; k < op->n; k++) tess_release(&c.in[k]);
}

/* ---- Views ---- */

/* Addition of `b` to rows of 500 in images with rows of 512: a sub-region, a row for all, a number an image. */
static void bench_view(const char *name, tess_dtype dtype, tess_shape b_shape, bool inside, int threads)
{
    enum { B = 16, H = 500, W = 500, PITCH = 512 };
    our_case   c = { .n = 2, .call.two = tess_add };
    tess_array parent[3];
    const bool wide = b_shape.w > 1;
    make(&parent[0], TESS_SHAPE(B, 1, PITCH, PITCH), dtype, 0, 1);
    make(&parent[1], TESS_SHAPE(B, 1, PITCH, PITCH), dtype, 0, 1);
    make(&parent[2], inside ? parent[0].shape : b_shape, dtype, 0, 1);
    bench_need(tess_subregion_text(&c.out, &parent[0], "..., 6:506, 6:506"));
    bench_need(tess_subregion_text(&c.in[0], &parent[1], "..., 6:506, 6:506"));
    if (inside) bench_need(tess_subregion_text(&c.in[1], &parent[2], "..., 6:506, 6:506"));
    else c.in[1] = parent[2];
    /* By hand over all rows of all images, as if they were one image: the 12 rows between are left out by the pitch. */
    hand_case h = { .o = c.out.data,
                    .a = c.in[0].data,
                    .b = c.in[1].data,
                    .n = B * H,
                    .threads = 1,
                    .width = W,
                    .so = PITCH,
                    .sa = PITCH,
                    .sb = inside ? PITCH : 0,
                    .loop = wide ? (dtype == TESS_F32 ? rows_f32 : rows_f64)
                                 : (dtype == TESS_F32 ? row_scalar_f32 : row_scalar_f64) };
    compare(name, &c, &h, threads);
    for (int k = 0; k < 3; k++) tess_release(&parent[k]);
}

/* Addition of every second column, into every second one or into all of a smaller image. */
static void bench_second(const char *name, tess_dtype dtype, int64_t n, bool into_second, int threads)
{
    our_case   c = { .n = 2, .call.two = tess_add };
    tess_array parent[3];
    hand_case  h = { .n = n, .threads = 1 };
    if (into_second) h.loop = dtype == TESS_F32 ? second_f32 : second_f64;
    else h.loop = dtype == TESS_F32 ? of_second_f32 : of_second_f64;
    for (int k = 0; k < 3; k++) make(&parent[k], TESS_SHAPE(1, 1, 1, k == 0 && !into_second ? n : 2 * n), dtype, 0, 1);
    bench_need(tess_slice(&c.out, &parent[0], 3, 0, TESS_NONE, into_second ? 2 : 1));
    for (int k = 0; k < 2; k++) bench_need(tess_slice(&c.in[k], &parent[1 + k], 3, 0, TESS_NONE, 2));
    h.o = c.out.data, h.a = c.in[0].data, h.b = c.in[1].data;
    compare(name, &c, &h, threads);
    for (int k = 0; k < 3; k++) tess_release(&parent[k]);
}

/* ---- A complex spectrum and a real filter ---- */

static void run_copy(void *context)
{
    our_case *c = context;
    bench_need(tess_copy(&c->out, &c->in[0]));
}

/* Sixteen half spectra times one filter for all: the limit is a copy of the spectra. */
static void bench_filter(const char *name, tess_dtype dtype, bool divide, bool own, int threads)
{
    const tess_dtype real = tess_dtype_real(dtype);
    our_case         c = { .n = 2, .call.two = divide ? tess_div : tess_mul };
    tess_array       copy[2] = { { .data = NULL }, { .data = NULL } };
    bench_need(tess_full(&c.in[0], TESS_SHAPE(16, 1, 1024, 513), dtype, tess_cpu(), 1.5));
    bench_need(tess_full(&c.in[1], TESS_SHAPE(own ? 16 : 1, 1, 1024, 513), real, tess_cpu(), 0.5));
    bench_need(tess_zeros(&c.out, c.in[0].shape, dtype, tess_cpu()));
    for (int k = 0; k < 2; k++) bench_need(tess_full(&copy[k], c.in[0].shape, dtype, tess_cpu(), 1));
    our_case limit = { .out = copy[0], .in = { copy[1] } };
    bench_need(tess_threads_set(threads));
    bench_report(name, tess_dtype_name(dtype), threads, bench_compare(run_ours, &c, run_copy, &limit, rounds, 0.02));
    tess_release(&c.in[0]);
    tess_release(&c.in[1]);
    tess_release(&c.out);
    for (int k = 0; k < 2; k++) tess_release(&copy[k]);
}

static void bench_filters(int threads)
{
    bench_filter("complex times a real image", TESS_C32, false, false, threads);
    bench_filter("complex times a real stack", TESS_C32, false, true, threads);
    bench_filter("complex by a real image", TESS_C32, true, false, threads);
    bench_filter("complex times a real image", TESS_C64, false, false, threads);
    bench_filter("complex times a real image", TESS_C16, false, false, threads);
}

/* ---- Mixed layouts ---- */

/* The second operand copied in the order of rows, and the work. */
typedef struct copied_case {
    our_case   c;
    tess_array columns;
} copied_case;

static void run_copied(void *context)
{
    copied_case *copied = context;
    bench_need(tess_copy(&copied->c.in[1], &copied->columns));
    run_ours(&copied->c);
}

/* A row-major and a column-major image into a row-major one. */
static void bench_mixed(tess_dtype dtype, int64_t n, int threads)
{
    copied_case copied = { .c = { .n = 2, .call.two = tess_add } };
    tess_array  memory;
    char        name[64];
    make(&memory, TESS_SHAPE(1, 1, n, n), dtype, 0, 1);
    for (int k = 0; k < 2; k++) make(&copied.c.in[k], memory.shape, dtype, 0, 1);
    make(&copied.c.out, memory.shape, dtype, 0, 1);
    bench_need(tess_transpose(&copied.columns, &memory));
    our_case mixed = copied.c;
    mixed.in[1] = copied.columns;
    bench_need(tess_threads_set(threads));
    snprintf(name, sizeof name, "add columns to rows of %d, copy and work", (int)n);
    bench_report(name, tess_dtype_name(dtype), threads,
                 bench_compare(run_ours, &mixed, run_copied, &copied, rounds, 0.02));
    for (int k = 0; k < 2; k++) tess_release(&copied.c.in[k]);
    tess_release(&copied.c.out);
    tess_release(&memory);
}

/* ---- Small calls ---- */

static void run_nothing(void *context)
{
    hand_case *h = context;
    add_f32(h, 0, 16);
}

static void bench_small(void)
{
    our_case c = { .n = 2, .call.two = tess_add };
    make(&c.out, TESS_SHAPE(1, 1, 1, 16), TESS_F32, 0, 1);
    make(&c.in[0], TESS_SHAPE(1, 1, 1, 16), TESS_F32, 0, 1);
    make(&c.in[1], TESS_SHAPE(1, 1, 1, 16), TESS_F32, 0, 1);
    hand_case h = { .o = c.out.data, .a = c.in[0].data, .b = c.in[1].data };
    bench_report("add of 16 elements", "f32", 1, bench_compare(run_ours, &c, run_nothing, &h, rounds, 0.005));
    tess_release(&c.in[1]);
    c.in[1] = tess_num(2.5);
    bench_report("add of a number to 16 elements", "f32", 1,
                 bench_compare(run_ours, &c, run_nothing, &h, rounds, 0.005));
    tess_release(&c.in[0]);
    tess_release(&c.out);
}

int main(int argc, char **argv)
{
    static const operation simple[] = {
        OP(add, 2, 0, 0, 0, 1),  OP(mul, 2, 0, 0, 0, 1),          OP(fma, 3, 0, 0, 0, 1),
        OP(abs, 1, 0, 0, -1, 1), OP(less, 2, 0, TESS_BOOL, 0, 1), OP(where, 3, TESS_BOOL, 0, 0, 1),
    };
    static const operation functions[] = {
        OP(exp, 1, 0, 0, -20, 20),   OP(log, 1, 0, 0, 1e-3, 1e3),    OP(expm1, 1, 0, 0, -5, 5),
        OP(log1p, 1, 0, 0, -0.9, 9), OP(logaddexp, 2, 0, 0, -50, 0), OP(sin, 1, 0, 0, -100, 100),
        OP(tanh, 1, 0, 0, -3, 3),    OP(pow, 2, 0, 0, 0.1, 10),      OP(atan2, 2, 0, 0, -1, 1),
    };
    bool quick = false, views = false, filters = false;
    for (int i = 1; i < argc; i++) {
        quick |= strcmp(argv[i], "--quick") == 0;
        views |= strcmp(argv[i], "--views") == 0;
        filters |= strcmp(argv[i], "--filters") == 0;
    }
    const int64_t sizes[] = { 1 << 10, 1 << 16, 1 << 20, 1 << 26 };
    if (quick) rounds = 3;
    for (int threads = 1; threads <= 2; threads++) bench_filters(threads);
    if (filters) return 0;
    bench_small();
    for (int threads = 1; threads <= 2; threads++)
        for (tess_dtype dtype = TESS_F32; dtype <= TESS_F64; dtype++) {
            for (size_t i = 0; i < sizeof simple / sizeof *simple && !views; i++)
                for (int s = 0; s < (quick ? 3 : 4); s++) bench_operation(&simple[i], dtype, sizes[s], threads);
            for (size_t i = 0; i < sizeof functions / sizeof *functions && !views; i++)
                for (int s = 1; s < (quick ? 2 : 4); s++) bench_operation(&functions[i], dtype, sizes[s], threads);
            bench_view("add of sub-regions", dtype, TESS_SHAPE(16, 1, 500, 500), true, threads);
            bench_view("add of a row", dtype, TESS_SHAPE(1, 1, 1, 500), false, threads);
            bench_view("add of a number an image", dtype, TESS_SHAPE(16, 1, 1, 1), false, threads);
            for (int k = 0; k < 2; k++) {
                const int64_t n = (int64_t)1 << (k ? 24 : 14);
                bench_second("add of every second column to every second", dtype, n, true, threads);
                bench_second("add of every second column", dtype, n, false, threads);
            }
            bench_mixed(dtype, 2048, threads);
            bench_mixed(dtype, 5000, threads);
        }
    return 0;
}
