/* Elements by index and by mask, searches and histograms, beside copying or reading what they must touch.
 *
 * One JSON line each; `limit` is memcpy of the elements that are moved, or of the input of what only reads. `--quick`
 * takes fewer rounds and smaller arrays.
 */
#include <inttypes.h>

#include "bench.h"

static int rounds = 9;

enum { TAKE, PUT, COMPRESS, SEARCH, HISTOGRAM, UNIQUE };

typedef struct index_case {
    int        kind, axis;
    int64_t    bins;
    double     high;
    tess_array in, other, out;
} index_case;

static void run_case(void *context)
{
    index_case *c = context;
    tess_array  made = { 0 };
    switch (c->kind) {
    case TAKE: bench_need(tess_take(&c->out, &c->in, &c->other, c->axis)); break;
    case PUT: bench_need(tess_put(&c->out, &c->in, &c->other, c->axis, NULL)); break;
    case COMPRESS: bench_need(tess_compress(&made, NULL, &c->in, &c->other)); break;
    case SEARCH: bench_need(tess_searchsorted(&c->out, &c->other, &c->in, NULL)); break;
    case UNIQUE: bench_need(tess_unique(&made, NULL, NULL, NULL, &c->in)); break;
    default: bench_need(tess_histogram(&c->out, &c->in, c->bins, 0, &(tess_histogram_opts){ .high = c->high }));
    }
    tess_release(&made);
}

static uint64_t state = 1;

static double unit(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-53;
}

static tess_array random_floats(int64_t h, int64_t w)
{
    tess_array a = { 0 };
    bench_need(tess_empty(&a, TESS_SHAPE(1, 1, h, w), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < h * w; i++) ((float *)a.data)[i] = (float)unit();
    return a;
}

static tess_array random_indices(int64_t n, int64_t most)
{
    tess_array a = { 0 };
    bench_need(tess_empty(&a, TESS_SHAPE(1, 1, 1, n), TESS_I64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) ((int64_t *)a.data)[i] = (int64_t)(unit() * (double)most);
    return a;
}

/* Beside a copy of so many bytes. */
static void measure(const char *name, index_case *c, int64_t bytes)
{
    tess_array to = { 0 }, from = { 0 };
    bench_need(tess_zeros(&to, TESS_SHAPE(1, 1, 1, bytes), TESS_U8, tess_cpu()));
    bench_need(tess_ones(&from, TESS_SHAPE(1, 1, 1, bytes), TESS_U8, tess_cpu()));
    for (int threads = 1; threads <= 2; threads++) {
        bench_memcpy m = { to.data, from.data, (size_t)bytes, threads };
        bench_need(tess_threads_set(threads));
        bench_report(name, "f32", threads, bench_compare(run_case, c, bench_run_memcpy, &m, rounds, 0.005));
    }
    tess_release(&to);
    tess_release(&from);
    tess_release(&c->in);
    tess_release(&c->other);
    tess_release(&c->out);
}

static void indices(int64_t h, int64_t w, int64_t n, int axis)
{
    char       name[96];
    tess_shape shape = TESS_SHAPE(1, 1, h, w);
    shape.dim[axis] = n;
    for (int kind = TAKE; kind <= PUT; kind++) {
        index_case c = {
            .kind = kind, .axis = axis, .in = random_floats(h, w), .other = random_indices(n, axis == 2 ? h : w)
        };
        bench_need(tess_zeros(&c.out, shape, TESS_F32, tess_cpu()));
        if (kind == PUT) {
            const tess_array in = c.in;
            c.in = c.out, c.out = in;
        }
        (void)snprintf(name, sizeof name, "%s %" PRId64 " of {1,1,%" PRId64 ",%" PRId64 "} along axis %d",
                       kind == TAKE ? "take" : "put", n, h, w, axis);
        measure(name, &c, shape.h * shape.w * 4);
    }
}

static void masks(int64_t n, double density)
{
    char       name[96];
    index_case c = { .kind = COMPRESS, .in = random_floats(1, n) };
    bench_need(tess_zeros(&c.other, TESS_SHAPE(1, 1, 1, n), TESS_BOOL, tess_cpu()));
    for (int64_t i = 0; i < n; i++) ((unsigned char *)c.other.data)[i] = unit() < density;
    (void)snprintf(name, sizeof name, "compress %g of %" PRId64, density, n);
    measure(name, &c, n * 4);
}

static void searches(int64_t rows, int64_t n)
{
    char       name[96];
    index_case c = { .kind = SEARCH, .in = random_floats(1, n) };
    bench_need(tess_linspace(&c.other, TESS_SHAPE(1, 1, 1, rows), TESS_F32, tess_cpu(), 0, 1, NULL));
    bench_need(tess_zeros(&c.out, TESS_SHAPE(1, 1, 1, n), TESS_I64, tess_cpu()));
    (void)snprintf(name, sizeof name, "searchsorted of %" PRId64 " in %" PRId64, n, rows);
    measure(name, &c, n * 4);
}

static void histograms(int64_t n, int64_t bins, double high)
{
    char       name[96];
    index_case c = { .kind = HISTOGRAM, .bins = bins, .high = high, .in = random_floats(1, n) };
    bench_need(tess_zeros(&c.out, TESS_SHAPE(1, 1, 1, bins), TESS_I64, tess_cpu()));
    (void)snprintf(name, sizeof name, "histogram of %" PRId64 " in %" PRId64 " bins to %g", n, bins, high);
    measure(name, &c, n * 4);
}

static void run_weighted(void *context)
{
    index_case               *c = context;
    const tess_histogram_opts opts = { .high = c->high, .weights = &c->other };
    bench_need(tess_histogram(&c->out, &c->in, c->bins, c->axis ? TESS_B << c->axis : 0, &opts));
}

/* A weighted histogram of columns beside that of rows: of all elements, or along one axis. */
static void weighted_layouts(int64_t n, int axis)
{
    char       name[96];
    index_case rows = { .axis = axis, .bins = 256, .high = 1, .in = random_floats(n, n), .other = random_floats(n, n) };
    index_case columns = rows;
    bench_need(tess_transpose(&columns.in, &rows.in));
    bench_need(tess_transpose(&columns.other, &rows.other));
    bench_need(tess_threads_set(1));
    (void)snprintf(name, sizeof name, "weighted histogram of columns of %" PRId64 "^2, axis %d, of rows", n, axis);
    bench_report(name, "f32", 1, bench_compare(run_weighted, &columns, run_weighted, &rows, rounds, 0.005));
    tess_release(&rows.in);
    tess_release(&rows.other);
    tess_release(&rows.out);
    tess_release(&columns.out);
}

int main(int argc, char **argv)
{
    const bool    quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const int64_t large = quick ? 1 << 20 : 1 << 24;
    if (quick) rounds = 3;
    histograms(large, 256, 1);
    histograms(large, 100, 0.9);
    histograms(large, 5000, 0.9);
    weighted_layouts(quick ? 1024 : 2048, 0);
    weighted_layouts(quick ? 1024 : 2048, 3);
    indices(1, 100, 100, 3);
    indices(1, 10000, 10000, 3);
    indices(1, large, large, 3);
    indices(4096, large / 4096, 4096, 2);
    indices(large / 16, 16, large / 16, 2);
    indices(1000, 1000, 500, 3);
    for (int percent = 1; percent <= 101; percent += 25) masks(large, percent / 100.0);
    masks(100, 0.5);
    searches(100, 100);
    searches(1000, 10000);
    searches(1 << 20, 1 << 20);
    index_case c = { .kind = UNIQUE, .in = random_floats(1, 1 << 20) };
    measure("unique of 1048576", &c, 4 << 20);
    return 0;
}
