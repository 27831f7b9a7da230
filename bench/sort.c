/* Sorting, argsort, partitions and quantiles beside a copy of the same bytes: how many times a memcpy each takes.
 *
 * One JSON line each. `--quick` takes fewer rounds; a word chooses the works whose names hold it. NumPy's side is in
 * peers_order.py.
 */
#include "bench.h"

static int rounds = 5;

enum { SORT, ARGSORT, PARTITION, TOPK, MEDIAN, QUANTILE, WORKS };

static const char *const names[WORKS] = { "sort", "argsort", "partition", "topk 100", "median", "quantile 0.3" };

typedef struct order_case {
    int        kind, axis;
    tess_array in, out;
} order_case;

static void run_case(void *context)
{
    order_case   *c = context;
    const int64_t n = c->in.shape.dim[c->axis];
    switch (c->kind) {
    case SORT: bench_need(tess_sort(&c->out, &c->in, c->axis, NULL)); break;
    case ARGSORT: bench_need(tess_argsort(&c->out, &c->in, c->axis, NULL)); break;
    case PARTITION: bench_need(tess_partition(&c->out, &c->in, n / 2, c->axis)); break;
    case TOPK: bench_need(tess_topk(&c->out, NULL, &c->in, n < 100 ? n : 100, c->axis, NULL)); break;
    case MEDIAN: bench_need(tess_median(&c->out, &c->in, TESS_B << c->axis, NULL)); break;
    default: bench_need(tess_quantile(&c->out, &c->in, 0.3, TESS_B << c->axis, NULL)); break;
    }
}

static tess_array random_array(tess_shape shape, tess_dtype dtype)
{
    tess_array a = { 0 };
    bench_need(tess_empty(&a, shape, dtype, tess_cpu()));
    uint64_t state = 1;
    for (int64_t i = 0, n = tess_n_elements(&a); i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (dtype == TESS_F32) ((float *)a.data)[i] = (float)(state >> 40) / 16777216.0f;
        else if (dtype == TESS_F64) ((double *)a.data)[i] = (double)(state >> 11) / 9007199254740992.0;
        else if (dtype == TESS_I32) ((int32_t *)a.data)[i] = (int32_t)(state >> 32);
        else ((uint8_t *)a.data)[i] = (uint8_t)(state >> 56);
    }
    return a;
}

static void time_cases(tess_dtype dtype, tess_shape shape, int axis, const char *where, int threads, const char *only)
{
    order_case   c = { .axis = axis, .in = random_array(shape, dtype) };
    tess_array   copy = random_array(shape, dtype);
    bench_memcpy limit = { copy.data, c.in.data, (size_t)tess_n_bytes(&c.in), threads };
    bench_need(tess_threads_set(threads));
    for (c.kind = 0; c.kind < WORKS; c.kind++) {
        char name[96];
        snprintf(name, sizeof name, "%s %s", names[c.kind], where);
        if (only && !strstr(name, only)) continue;
        bench_report(name, tess_dtype_name(dtype), threads,
                     bench_compare(run_case, &c, bench_run_memcpy, &limit, rounds, 0.001));
        tess_release(&c.out);
    }
    tess_release(&c.in);
    tess_release(&copy);
}

int main(int argc, char **argv)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_I32, TESS_U8 };
    const char             *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) rounds = 2;
        else only = argv[i];
    }
    for (int threads = 1; threads <= 2; threads++)
        for (int d = 0; d < 4; d++) {
            time_cases(dtypes[d], TESS_SHAPE(1, 1, 4096, 4096), 3, "of {1,1,4096,4096} along W", threads, only);
            time_cases(dtypes[d], TESS_SHAPE(1, 1, 1, 1 << 24), 3, "of 16 Mi", threads, only);
            if (dtypes[d] != TESS_F32) continue;
            time_cases(dtypes[d], TESS_SHAPE(1, 1, 4096, 4096), 2, "of {1,1,4096,4096} along H", threads, only);
            time_cases(dtypes[d], TESS_SHAPE(64, 1, 512, 512), 0, "of {64,1,512,512} along B", threads, only);
        }
    return 0;
}
