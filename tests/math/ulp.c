/* Tests of the vector math: errors in ulp, special values, the same bits from every build.
 *
 *     math_ulp quick                        what make test-all runs: everything, sampled
 *     math_ulp all f32 [NAME]               all floats; for two arguments, hard pairs and 10^7 random ones
 *     math_ulp all f32|f64 [NAME [COUNT]]   hard arguments and COUNT (10^7) random ones
 *     math_ulp hash [NAME [COUNT]]          a number per function, to be compared between machines
 *
 * NAME may be `all`.
 *
 * Without MPFR (-DMATH_WITHOUT_MPFR, for another machine in emulation) there is only `hash`.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "hash.h"

static int passed, failed;

static void count(bool good)
{
    if (good) passed++;
    else failed++;
}

static void hashes(int fn, uint64_t n, bool show)
{
    uint64_t   f32, f64;
    const bool good_f32 = hash_f32(&f32, fn, n), good_f64 = hash_f64(&f64, fn, n);
    count(good_f32);
    count(good_f64);
    if (show) printf("%-10s %016llx %016llx\n", fn_infos[fn].name, (unsigned long long)f32, (unsigned long long)f64);
}

#ifndef MATH_WITHOUT_MPFR
#include "measure.h"
#include "special.h"

static void judge(int fn, const char *type, const measure_worst *w, double bar, bool show)
{
    const char *name = fn_infos[fn].name;
    const bool  good = w->error <= bar && !w->outside;
    count(good);
    if (!(w->error <= bar)) printf("FAILED %s %s: error above %g ulp\n", name, type, bar);
    if (w->outside)
        printf("FAILED %s %s: x = %a, y = %a: %a is out of bounds\n", name, type, w->outside_x, w->outside_y,
               w->outside_got);
    if (!show && good) return;
    printf("%-10s %s %12llu tried, largest error %9.6f ulp at x = %a", name, type, (unsigned long long)w->n, w->error,
           w->x);
    if (fn_infos[fn].arity == 2) printf(", y = %a", w->y);
    printf(", got %a\n", w->got);
    fflush(stdout);
}

static void quick(int fn)
{
    const measure_plan plan = { .random = 200000 };
    measure_worst      worst;
    int                tried = 0;
    const int          wrong = special_values(fn, &tried) + special_identities(fn, &tried);
    passed += tried > wrong ? tried - wrong : 0;
    failed += wrong;
    measure_f32(&worst, fn, plan);
    judge(fn, "f32", &worst, fn_infos[fn].bar_f32, false);
    measure_f64(&worst, fn, plan);
    judge(fn, "f64", &worst, fn_infos[fn].bar_f64, false);
    hashes(fn, 20000, false);
}

static void all(int fn, bool f32, uint64_t n)
{
    const measure_plan plan = { .random = n != 0 ? n : 10000000,
                                .every_float = f32 && n == 0 && fn_infos[fn].arity == 1 };
    measure_worst      worst;
    if (f32) measure_f32(&worst, fn, plan);
    else measure_f64(&worst, fn, plan);
    judge(fn, f32 ? "f32" : "f64", &worst, f32 ? fn_infos[fn].bar_f32 : fn_infos[fn].bar_f64, true);
}

/* The modes that need MPFR; false if this is none of them. */
static bool run_measured(const char *mode, const char *type, int first, int end, uint64_t n)
{
    const bool is_quick = strcmp(mode, "quick") == 0, f32 = strcmp(type, "f32") == 0;
    if (!is_quick && !f32 && strcmp(type, "f64") != 0) return false;
    measure_begin();
    for (int fn = first; fn < end; fn++) {
        if (is_quick) quick(fn);
        else all(fn, f32, n);
    }
    measure_end();
    return true;
}
#else
static bool run_measured(const char *mode, const char *type, int first, int end, uint64_t n)
{
    (void)mode, (void)type, (void)first, (void)end, (void)n;
    return false;
}
#endif

static int usage(void)
{
    fprintf(stderr, "usage: math_ulp quick | all f32|f64 [NAME [COUNT]] | hash [NAME [COUNT]]\n");
    return 2;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "quick", *type = "";
    int         next = 2;
    if (strcmp(mode, "all") == 0 && argc > 2) type = argv[next++];
    const char    *name = argc > next ? argv[next] : "all";
    const uint64_t n = argc > next + 1 ? strtoull(argv[next + 1], NULL, 10) : 0;
    const int      only = fn_find(name);
    if (only < 0 && strcmp(name, "all") != 0) return usage();
    const int first = only < 0 ? 0 : only, end = only < 0 ? FN_COUNT : only + 1;

    hash_begin();
    if (strcmp(mode, "hash") == 0)
        for (int fn = first; fn < end; fn++) hashes(fn, n != 0 ? n : 1 << 20, true);
    else if (!run_measured(mode, type, first, end, n)) return usage();
    hash_end();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
