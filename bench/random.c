/* Random numbers against filling the same memory with one number.
 *
 * One JSON line each. `--quick` takes fewer rounds and leaves the largest arrays out.
 */
#include "bench.h"

static int rounds = 7;

enum { UNIFORM, NORMAL, LOGNORMAL, EXPONENTIAL, INTEGERS, POISSON_5, POISSON_100, PERMUTATION, SHUFFLE, KINDS };

static const char *const names[KINDS] = {
    [UNIFORM] = "uniform",         [NORMAL] = "normal",
    [LOGNORMAL] = "lognormal",     [EXPONENTIAL] = "exponential",
    [INTEGERS] = "integers",       [POISSON_5] = "poisson of mean 5",
    [PERMUTATION] = "permutation", [POISSON_100] = "poisson of mean 100",
    [SHUFFLE] = "shuffle",
};

typedef struct random_case {
    int        kind;
    tess_array out;
} random_case;

static void run_random(void *context)
{
    random_case *c = context;
    switch (c->kind) {
    case UNIFORM: bench_need(tess_random_uniform(&c->out, 0, 1, 1, NULL)); break;
    case NORMAL: bench_need(tess_random_normal(&c->out, 0, 1, 1, NULL)); break;
    case LOGNORMAL: bench_need(tess_random_lognormal(&c->out, 0, 1, 1, NULL)); break;
    case EXPONENTIAL: bench_need(tess_random_exponential(&c->out, 1, 1, NULL)); break;
    case INTEGERS: bench_need(tess_random_integers(&c->out, 0, 99, 1, NULL)); break;
    case POISSON_5: bench_need(tess_random_poisson(&c->out, &tess_num(5), 1, NULL)); break;
    case POISSON_100: bench_need(tess_random_poisson(&c->out, &tess_num(100), 1, NULL)); break;
    case PERMUTATION: bench_need(tess_random_permutation(&c->out, 1, NULL)); break;
    default: bench_need(tess_random_shuffle(&c->out, &c->out, 3, 1, NULL)); break;
    }
}

static void run_fill(void *context)
{
    random_case *c = context;
    bench_need(tess_fill(&c->out, 1));
}

static void time_case(int kind, tess_dtype dtype, int64_t n, int log2_n, int threads)
{
    random_case ours = { .kind = kind }, limit = { .kind = kind };
    char        name[64];
    snprintf(name, sizeof name, "%s, 2^%d", names[kind], log2_n);
    bench_need(tess_full(&ours.out, TESS_SHAPE(1, 1, 1, n), dtype, tess_cpu(), 0));
    bench_need(tess_full(&limit.out, TESS_SHAPE(1, 1, 1, n), dtype, tess_cpu(), 0));
    bench_need(tess_threads_set(threads));
    bench_report(name, tess_dtype_name(dtype), threads,
                 bench_compare(run_random, &ours, run_fill, &limit, rounds, 0.005));
    tess_release(&ours.out);
    tess_release(&limit.out);
}

int main(int argc, char **argv)
{
    static const int        sizes[] = { 10, 16, 20, 26 };
    static const tess_dtype floats[] = { TESS_F32, TESS_F64 }, whole[] = { TESS_I32, TESS_I64 };
    const bool              quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    if (quick) rounds = 3;
    for (int threads = 1; threads <= 2; threads++)
        for (int d = 0; d < 2; d++)
            for (int kind = 0; kind < KINDS; kind++)
                for (int s = 0; s < (quick || kind >= POISSON_5 ? 3 : 4); s++)
                    time_case(kind, kind < INTEGERS || kind == SHUFFLE ? floats[d] : whole[d], (int64_t)1 << sizes[s],
                              sizes[s], threads);
    return 0;
}
