/* Arrays cropped, padded, binned and cut into sub-regions, against memcpy of as many bytes read and written.
 *
 * One JSON line each. `--quick` takes fewer rounds; other arguments are names of works to run.
 */
#include "bench.h"

static int rounds = 9;

enum { CROP, PAD_ZERO, PAD_VALUE, PAD_CLAMP, PAD_PERIODIC, PAD_MIRROR, PAD_REFLECT, BIN, SUM, EXTRACT, INSERT, ADD };

typedef struct resize_case {
    int        kind;
    tess_shape left, right, factors;
    tess_array in, out, origins, weights, sums;
} resize_case;

static void run_case(void *context)
{
    resize_case           *c = context;
    const tess_resize_opts opts = { .border = TESS_BORDER_ZERO + c->kind - PAD_ZERO,
                                    .value = c->kind == PAD_VALUE ? 7 : 0 };
    const tess_insert_opts add = { .add = 1, .weights = &c->weights, .weight_sums = &c->sums };
    const tess_bin_opts    sum = { .sum = 1 };
    switch (c->kind) {
    case CROP: bench_need(tess_crop(&c->out, &c->in, c->left, c->right)); break;
    case BIN: bench_need(tess_bin(&c->out, &c->in, c->factors, NULL)); break;
    case SUM: bench_need(tess_bin(&c->out, &c->in, c->factors, &sum)); break;
    case EXTRACT: bench_need(tess_extract(&c->out, &c->in, &c->origins, TESS_SHAPE(1, 1, 128, 128), NULL)); break;
    case INSERT: bench_need(tess_insert(&c->in, &c->out, &c->origins, NULL)); break;
    case ADD: bench_need(tess_insert(&c->in, &c->out, &c->origins, &add)); break;
    default: bench_need(tess_pad(&c->out, &c->in, c->left, c->right, &opts)); break;
    }
}

static int    n_names;
static char **names;

static bool wanted(const char *name) { return bench_wanted(name, names, n_names); }

/* Beside memcpy of half of `bytes`, which reads and writes as many. */
static void time_case(resize_case *c, const char *name, int64_t bytes, int threads)
{
    if (!wanted(name)) return;
    const size_t size = (size_t)bytes / 2;
    tess_array   from = { 0 }, to = { 0 };
    bench_need(tess_full(&from, TESS_SHAPE(1, 1, 1, (int64_t)size), TESS_U8, tess_cpu(), 1));
    bench_need(tess_full(&to, TESS_SHAPE(1, 1, 1, (int64_t)size), TESS_U8, tess_cpu(), 1));
    bench_memcpy limit = { to.data, from.data, size, threads };
    bench_need(tess_threads_set(threads));
    run_case(c); /* makes the output */
    bench_report(name, tess_dtype_name(c->in.dtype), threads,
                 bench_compare(run_case, c, bench_run_memcpy, &limit, rounds, 0.004));
    tess_release(&from);
    tess_release(&to);
}

static void bench_borders(int threads)
{
    static const struct {
        const char *name;
        int         kind;
    } pads[] = { { "pad, zero", PAD_ZERO },         { "pad, value", PAD_VALUE },   { "pad, clamp", PAD_CLAMP },
                 { "pad, periodic", PAD_PERIODIC }, { "pad, mirror", PAD_MIRROR }, { "pad, reflect", PAD_REFLECT } };
    static const struct {
        tess_shape  shape, left;
        const char *name;
    } sizes[] = { { { { 8, 1, 4096, 4096 } }, { { 0, 0, 100, 100 } }, "{8,1,4096,4096} by 100" },
                  { { { 1000, 1, 100, 100 } }, { { 0, 0, 14, 14 } }, "{1000,1,100,100} by 14" },
                  { { { 1, 256, 256, 256 } }, { { 0, 20, 20, 20 } }, "{1,256,256,256} by 20" } };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        resize_case c = { .left = sizes[s].left, .right = sizes[s].left };
        char        name[96];
        bench_need(tess_full(&c.in, sizes[s].shape, TESS_F32, tess_cpu(), 1));
        for (size_t k = 0; k < sizeof pads / sizeof *pads; k++) {
            snprintf(name, sizeof name, "%s, %s", pads[k].name, sizes[s].name);
            c.kind = pads[k].kind;
            bench_need(tess_pad(&c.out, &c.in, c.left, c.right, NULL));
            time_case(&c, name, tess_n_bytes(&c.in) + tess_n_bytes(&c.out), threads);
        }
        tess_release(&c.out);
        snprintf(name, sizeof name, "crop, %s", sizes[s].name);
        c.kind = CROP;
        bench_need(tess_crop(&c.out, &c.in, c.left, c.right));
        time_case(&c, name, 2 * tess_n_bytes(&c.out), threads);
        tess_release(&c.in);
        tess_release(&c.out);
    }
}

static void bench_bins(int threads)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_U8, TESS_I16, TESS_U16, TESS_F64 };
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int factor = 2; factor <= 4; factor++)
            for (int kind = BIN; kind <= SUM; kind++) {
                resize_case c = { .kind = kind, .factors = TESS_SHAPE(1, 1, factor, factor) };
                char        name[96];
                bench_need(tess_full(&c.in, TESS_SHAPE(8, 1, 4096, 4096), dtypes[d], tess_cpu(), 1));
                snprintf(name, sizeof name, "bin, %s of %d x %d, {8,1,4096,4096}", kind == BIN ? "mean" : "sum", factor,
                         factor);
                if (wanted(name)) {
                    run_case(&c);
                    time_case(&c, name, tess_n_bytes(&c.in) + tess_n_bytes(&c.out), threads);
                }
                tess_release(&c.in);
                tess_release(&c.out);
            }
}

static void bench_regions(int threads)
{
    static const char *const works[] = { "extract 4096 of 128 x 128", "insert 4096 of 128 x 128",
                                         "insert, add with weights, 4096 of 128 x 128" };
    resize_case              c = { 0 };
    uint64_t                 state = 1;
    bench_need(tess_full(&c.in, TESS_SHAPE(1, 1, 4096, 4096), TESS_F32, tess_cpu(), 1));
    bench_need(tess_full(&c.sums, TESS_SHAPE(1, 1, 4096, 4096), TESS_F32, tess_cpu(), 0));
    bench_need(tess_full(&c.weights, TESS_SHAPE(1, 1, 128, 128), TESS_F32, tess_cpu(), 0.5));
    bench_need(tess_full(&c.out, TESS_SHAPE(4096, 1, 128, 128), TESS_F32, tess_cpu(), 0));
    bench_need(tess_empty(&c.origins, TESS_SHAPE(4096, 1, 1, 2), TESS_I64, tess_cpu()));
    for (int i = 0; i < 8192; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ((int64_t *)c.origins.data)[i] = (int64_t)(state >> 33) % (4096 - 128);
    }
    for (c.kind = EXTRACT; c.kind <= ADD; c.kind++)
        time_case(&c, works[c.kind - EXTRACT], (c.kind == ADD ? 5 : 2) * tess_n_bytes(&c.out), threads);
    tess_release(&c.in);
    tess_release(&c.out);
    tess_release(&c.origins);
    tess_release(&c.weights);
    tess_release(&c.sums);
}

int main(int argc, char **argv)
{
    names = argv + 1;
    n_names = argc - 1;
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) rounds = 3, names++, n_names--;
    for (int threads = 1; threads <= 2; threads++) {
        bench_borders(threads);
        bench_bins(threads);
        bench_regions(threads);
    }
    return 0;
}
