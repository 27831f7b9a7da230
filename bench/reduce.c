/* Reductions against the machine's reading speed, and against the loop one would write by hand for the same arithmetic.
 *
 * One JSON line each. `--quick` takes fewer rounds; `--axes`, `--flat` and `--layouts` choose one part.
 */
#include "bench.h"

static int rounds = 9;

/* ---- Limits ---- */

enum { PARTS = 8 };

typedef struct reading {
    const char     *from;
    size_t          size;
    int             threads;
    volatile double sink; /* written, so that the reading is done */
} reading;

/* Words of 8 bytes summed as integers: the best that reading can be. */
static void *read_part(void *context)
{
    reading        *r = context;
    const uint64_t *x = (const void *)r->from;
    uint64_t        sum[16] = { 0 };
    const size_t    n = r->size / 8;
    for (size_t i = 0; i + 16 <= n; i += 16)
        for (size_t k = 0; k < 16; k++) sum[k] += x[i + k];
    for (size_t k = 1; k < 16; k++) sum[0] += sum[k];
    r->sink = (double)sum[0];
    return NULL;
}

static void run_reading(void *context)
{
    reading *r = context;
    if (r->threads == 1) {
        (void)read_part(r);
        return;
    }
    pthread_t thread[PARTS];
    reading   part[PARTS];
    size_t    share = r->size / (size_t)r->threads / 128 * 128;
    for (int i = 0; i < r->threads; i++) {
        part[i] = (reading){ r->from + share * (size_t)i, share, 1, 0 };
        if (i) (void)pthread_create(&thread[i], NULL, read_part, &part[i]);
    }
    (void)read_part(&part[0]);
    for (int i = 1; i < r->threads; i++) (void)pthread_join(thread[i], NULL);
    r->sink = part[0].sink;
}

/* ---- Work ---- */

typedef struct work {
    const char *name;
    int         inputs;
} work;

enum { SUM, COMPENSATED, DOT, MIN, MAX, MINMAX, MEAN_STD, VAR, ARGMAX, NORM, LOGSUMEXP, ANY, WORKS };

/* Timed in several layouts alone. */
enum { HISTOGRAM = WORKS, NORMALIZE, MEDIAN, ALL_WORKS };

static const work works[ALL_WORKS] = {
    [SUM] = { "sum", 1 },
    [COMPENSATED] = { "sum, compensated", 1 },
    [DOT] = { "dot", 2 },
    [MIN] = { "min", 1 },
    [MAX] = { "max", 1 },
    [MINMAX] = { "minmax", 1 },
    [MEAN_STD] = { "mean_std", 1 },
    [VAR] = { "var", 1 },
    [ARGMAX] = { "argmax", 1 },
    [NORM] = { "norm", 1 },
    [LOGSUMEXP] = { "logsumexp", 1 },
    [ANY] = { "any of zeros", 1 },
    [HISTOGRAM] = { "histogram", 1 },
    [NORMALIZE] = { "normalize", 1 },
    [MEDIAN] = { "median", 1 },
};

typedef struct reduce_case {
    int        kind, axes;
    tess_array in, other, out, second;
    tess_array zeros;
} reduce_case;

static void run_case(void *context)
{
    static const tess_sum_opts       compensated = { .compensated = 1 };
    static const tess_histogram_opts range = { .low = -0.25, .high = 0.75 };
    reduce_case                     *c = context;
    switch (c->kind) {
    case SUM: bench_need(tess_sum(&c->out, &c->in, c->axes, NULL)); break;
    case COMPENSATED: bench_need(tess_sum(&c->out, &c->in, c->axes, &compensated)); break;
    case DOT: bench_need(tess_dot(&c->out, &c->in, &c->other, c->axes, NULL)); break;
    case MIN: bench_need(tess_min(&c->out, &c->in, c->axes, NULL)); break;
    case MAX: bench_need(tess_max(&c->out, &c->in, c->axes, NULL)); break;
    case MINMAX: bench_need(tess_minmax(&c->out, &c->second, &c->in, c->axes, NULL)); break;
    case MEAN_STD: bench_need(tess_mean_std(&c->out, &c->second, &c->in, c->axes, NULL)); break;
    case VAR: bench_need(tess_var(&c->out, &c->in, c->axes, NULL)); break;
    case ARGMAX: bench_need(tess_argmax(&c->out, &c->in, c->axes, NULL)); break;
    case NORM: bench_need(tess_norm(&c->out, &c->in, c->axes, NULL)); break;
    case LOGSUMEXP: bench_need(tess_logsumexp(&c->out, &c->in, c->axes, NULL)); break;
    case HISTOGRAM: bench_need(tess_histogram(&c->out, &c->in, 256, c->axes, &range)); break;
    case NORMALIZE: bench_need(tess_normalize(&c->out, &c->in, c->axes, NULL)); break;
    case MEDIAN: bench_need(tess_median(&c->out, &c->in, c->axes, NULL)); break;
    default: bench_need(tess_any(&c->out, &c->zeros, c->axes)); break;
    }
}

static void fill(tess_array *a, tess_shape shape, tess_dtype dtype, int zero)
{
    memset(a, 0, sizeof *a);
    bench_need(tess_full(a, shape, dtype, tess_cpu(), 0));
    const int64_t n = tess_n_elements(a);
    uint64_t      state = 1;
    for (int64_t i = 0; i < n && !zero; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double x = (double)(state >> 40) / 16777216.0 - 0.25;
        if (dtype == TESS_F32) ((float *)a->data)[i] = (float)x;
        else if (dtype == TESS_F64) ((double *)a->data)[i] = x;
        else ((uint8_t *)a->data)[i] = (uint8_t)(state >> 56);
    }
}

static const char *axes_text(int axes)
{
    static char text[8];
    int         n = 0;
    for (int d = 0; d < 4; d++)
        if (axes & TESS_B << d) text[n++] = "BDHW"[d];
    text[n] = '\0';
    return text;
}

static void time_case(reduce_case *c, tess_dtype dtype, int threads, const char *where)
{
    char    name[96];
    reading limit = { c->in.data, (size_t)tess_n_bytes(&c->in) * (size_t)works[c->kind].inputs, threads, 0 };
    if (works[c->kind].inputs == 2) limit.size = (size_t)tess_n_bytes(&c->in);
    memset(&c->out, 0, sizeof c->out);
    memset(&c->second, 0, sizeof c->second);
    bench_need(tess_threads_set(threads));
    snprintf(name, sizeof name, "%s %s", works[c->kind].name, where);
    bench_pair p = bench_compare(run_case, c, run_reading, &limit, rounds, 0.004);
    p.limit *= works[c->kind].inputs;
    bench_report(name, tess_dtype_name(dtype), threads, p);
    tess_release(&c->out);
    tess_release(&c->second);
}

static void bench_flat(tess_dtype dtype, int threads)
{
    static const int64_t sizes[] = { 1 << 10, 1 << 16, 1 << 20, 1 << 26 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        reduce_case c = { .axes = 0 };
        char        where[32];
        fill(&c.in, TESS_SHAPE(1, 1, 1, sizes[s]), dtype, 0);
        fill(&c.other, TESS_SHAPE(1, 1, 1, sizes[s]), dtype, 0);
        fill(&c.zeros, TESS_SHAPE(1, 1, 1, sizes[s]), dtype, 1);
        snprintf(where, sizeof where, "of 2^%d", s == 0 ? 10 : s == 1 ? 16 : s == 2 ? 20 : 26);
        for (c.kind = 0; c.kind < WORKS; c.kind++) {
            if (dtype == TESS_U8 && c.kind != SUM && c.kind != MINMAX && c.kind != ANY) continue;
            if (c.kind == LOGSUMEXP && s == 3) continue;
            if (c.kind == COMPENSATED && dtype != TESS_F64) continue;
            time_case(&c, dtype, threads, where);
        }
        tess_release(&c.in);
        tess_release(&c.other);
        tess_release(&c.zeros);
    }
}

static void bench_axes(tess_dtype dtype, int threads)
{
    static const int kinds[] = { SUM, DOT, MIN, MAX, MEAN_STD, VAR };
    reduce_case      c = { 0 };
    fill(&c.in, TESS_SHAPE(8, 64, 512, 512), dtype, 0);
    fill(&c.other, TESS_SHAPE(8, 64, 512, 512), dtype, 0);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int set = 1; set < 15; set++) {
            if (__builtin_popcount((unsigned)set) > 2) continue;
            char where[48];
            c.kind = kinds[k];
            c.axes = set * TESS_B;
            snprintf(where, sizeof where, "of {8,64,512,512} over %s", axes_text(c.axes));
            time_case(&c, dtype, threads, where);
        }
    tess_release(&c.in);
    tess_release(&c.other);
}

/* Short reductions: results of a few elements each, which are read once. */
static void bench_short(tess_dtype dtype, int threads)
{
    static const int kinds[] = { SUM, MAX, VAR };
    for (int64_t n = 2; n <= 16; n *= 2) {
        reduce_case c = { .axes = TESS_D };
        char        where[48];
        fill(&c.in, TESS_SHAPE(1, n, 512, 512), dtype, 0);
        snprintf(where, sizeof where, "of {1,%d,512,512} over D", (int)n);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            c.kind = kinds[k];
            time_case(&c, dtype, threads, where);
        }
        tess_release(&c.in);
    }
}

/* ---- Layouts ---- */

/* A copy in the order of rows, and the work on it. */
typedef struct copied_case {
    reduce_case rows;
    tess_array  columns, other; /* that are copied */
} copied_case;

static void run_copied(void *context)
{
    copied_case *c = context;
    bench_need(tess_copy(c->rows.kind == ANY ? &c->rows.zeros : &c->rows.in, &c->columns));
    if (works[c->rows.kind].inputs == 2) bench_need(tess_copy(&c->rows.other, &c->other));
    run_case(&c->rows);
}

static void make_columns(tess_array *view, tess_array *memory, int64_t n, tess_dtype dtype, int zero)
{
    fill(memory, TESS_SHAPE(1, 1, n, n), dtype, zero);
    bench_need(tess_transpose(view, memory));
}

static void time_layout(reduce_case *columns, copied_case *copied, tess_dtype dtype, const char *axes)
{
    const int        kind = columns->kind;
    char             name[96];
    tess_array      *made[] = { &columns->out, &columns->second, &copied->rows.out, &copied->rows.second };
    const tess_array in = kind == ANY ? columns->zeros : columns->in;
    copied->columns = in;
    copied->other = columns->other;
    snprintf(name, sizeof name, "%s of columns over %s, of rows", works[kind].name, axes);
    bench_report(name, tess_dtype_name(dtype), 1,
                 bench_compare(run_case, columns, run_case, &copied->rows, rounds, 0.004));
    snprintf(name, sizeof name, "%s of columns over %s, copy and work", works[kind].name, axes);
    bench_report(name, tess_dtype_name(dtype), 1, bench_compare(run_case, columns, run_copied, copied, rounds, 0.004));
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) tess_release(made[i]);
}

/* A column-major image, beside the same work on a row-major one, and beside a copy and the work on that. */
static void bench_layouts(tess_dtype dtype)
{
    enum { N = 2048 };
    static const int kinds[] = { MAX, ANY, SUM, MEAN_STD, ARGMAX, DOT, HISTOGRAM, NORMALIZE, MEDIAN };
    static const int axes[] = { TESS_H | TESS_W, TESS_H, TESS_W };
    reduce_case      columns = { .axes = 0 };
    copied_case      copied = { .rows.axes = 0 };
    tess_array       memory[3];
    bench_need(tess_threads_set(1));
    make_columns(&columns.in, &memory[0], N, dtype, 0);
    make_columns(&columns.other, &memory[1], N, dtype, 0);
    make_columns(&columns.zeros, &memory[2], N, dtype, 1);
    fill(&copied.rows.in, memory[0].shape, dtype, 0);
    fill(&copied.rows.other, memory[0].shape, dtype, 0);
    fill(&copied.rows.zeros, memory[0].shape, dtype, 1);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int a = 0; a < 3; a++) {
            columns.kind = copied.rows.kind = kinds[k];
            columns.axes = copied.rows.axes = axes[a];
            time_layout(&columns, &copied, dtype, axes_text(axes[a]));
        }
    for (int i = 0; i < 3; i++) tess_release(&memory[i]);
    tess_release(&copied.rows.in);
    tess_release(&copied.rows.other);
    tess_release(&copied.rows.zeros);
}

/* ---- In cache, against loops by hand ---- */

#define T float
#define A float
#define HAND(name) hand_##name##_f32
#include "reduce_hand.c.inc"
#define T double
#define A double
#define HAND(name) hand_##name##_f64
#include "reduce_hand.c.inc"

typedef struct hand_case {
    int               kind;
    const tess_array *x, *y;
} hand_case;

static void run_hand(void *context)
{
    const hand_case *h = context;
    const size_t     n = (size_t)tess_n_elements(h->x);
    const bool       f32 = h->x->dtype == TESS_F32;
    volatile double  kept;
    switch (h->kind) {
    case SUM: kept = f32 ? hand_sum_f32(h->x->data, NULL, n) : hand_sum_f64(h->x->data, NULL, n); break;
    case DOT: kept = f32 ? hand_dot_f32(h->x->data, h->y->data, n) : hand_dot_f64(h->x->data, h->y->data, n); break;
    case MAX: kept = f32 ? hand_max_f32(h->x->data, NULL, n) : hand_max_f64(h->x->data, NULL, n); break;
    default: kept = f32 ? hand_moments_f32(h->x->data, NULL, n) : hand_moments_f64(h->x->data, NULL, n); break;
    }
    (void)kept;
}

static void bench_hand(tess_dtype dtype)
{
    static const int     kinds[] = { SUM, DOT, MAX, MEAN_STD };
    static const int64_t sizes[] = { 1 << 12, 1 << 14, 1 << 16 };
    bench_need(tess_threads_set(1));
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        reduce_case c = { .axes = 0 };
        fill(&c.in, TESS_SHAPE(1, 1, 1, sizes[s]), dtype, 0);
        fill(&c.other, TESS_SHAPE(1, 1, 1, sizes[s]), dtype, 0);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            char      name[64];
            hand_case hand = { kinds[k], &c.in, &c.other };
            c.kind = kinds[k];
            snprintf(name, sizeof name, "%s of 2^%d, loop by hand", works[c.kind].name, (int)(12 + 2 * s));
            bench_report(name, tess_dtype_name(dtype), 1, bench_compare(run_case, &c, run_hand, &hand, rounds, 0.004));
            tess_release(&c.out);
            tess_release(&c.second);
        }
        tess_release(&c.in);
        tess_release(&c.other);
    }
}

/* ---- Small calls ---- */

static void run_host_sum(void *context)
{
    double sum;
    bench_need(tess_host_sum(&sum, &((reduce_case *)context)->in));
}

static void run_nothing(void *context)
{
    const double *x = ((reduce_case *)context)->in.data;
    double        sum = 0;
    for (int i = 0; i < 16; i++) sum += x[i];
    *(volatile double *)&sum = sum;
}

static void bench_small(void)
{
    reduce_case c = { .kind = SUM };
    fill(&c.in, TESS_SHAPE(1, 1, 1, 16), TESS_F64, 0);
    bench_report("sum_f64 of 16 elements", "f64", 1, bench_compare(run_host_sum, &c, run_nothing, &c, rounds, 0.01));
    bench_need(tess_sum(&c.out, &c.in, 0, NULL));
    bench_report("sum of 16 elements", "f64", 1, bench_compare(run_case, &c, run_nothing, &c, rounds, 0.01));
    tess_release(&c.in);
    tess_release(&c.out);
}

int main(int argc, char **argv)
{
    bool axes = true, flat = true, layouts = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) rounds = 3;
        if (strcmp(argv[i], "--axes") == 0) flat = layouts = false;
        if (strcmp(argv[i], "--flat") == 0) axes = layouts = false;
        if (strcmp(argv[i], "--layouts") == 0) axes = flat = false;
    }
    if (layouts) bench_layouts(TESS_F32), bench_layouts(TESS_F64);
    bench_small();
    if (flat) bench_hand(TESS_F32), bench_hand(TESS_F64);
    for (int threads = 1; threads <= 2; threads++)
        for (int d = 0; d < 3; d++) {
            static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_U8 };
            if (flat) bench_flat(dtypes[d], threads);
            if (axes && dtypes[d] != TESS_U8) bench_short(dtypes[d], threads), bench_axes(dtypes[d], threads);
        }
    return 0;
}
