/* The main program of every test. */
#include "support/test.h"

#include <stdarg.h>
#include <stdlib.h>

static test_case  *first_test, **last_test = &first_test;
static const char *running;
static int         failed_checks, skipped, skipped_parts;
static uint64_t    seed = 1, state;
static const char *case_text; /* of --case, or NULL */

void test_register(test_case *test)
{
    *last_test = test;
    last_test = &test->next;
}

static void report(const char *file, int line)
{
    if (failed_checks++ == 0) printf("FAILED %s (seed %" PRIu64 ")\n", running, seed);
    printf("  %s:%d: ", file, line);
}

bool test_failed(const char *file, int line, const char *format, ...)
{
    va_list args;
    report(file, line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    return false;
}

bool test_ok(tess_status status, const char *file, int line, const char *call)
{
    if (status == TESS_OK) return true;
    report(file, line);
    printf("%s gave %s\n%s", call, tess_status_name(status), tess_error_trace());
    return false;
}

bool test_fails(tess_status status, tess_status wanted, const char *file, int line, const char *call, ...)
{
    if (status != wanted) {
        report(file, line);
        printf("%s gave %s, not %s: %s\n", call, tess_status_name(status), tess_status_name(wanted),
               status == TESS_OK ? "" : tess_error_message());
        return false;
    }
    bool    good = true;
    va_list parts;
    va_start(parts, call);
    for (const char *part = va_arg(parts, const char *); part; part = va_arg(parts, const char *)) {
        if (strstr(tess_error_message(), part)) continue;
        report(file, line);
        printf("%s: the message lacks \"%s\": %s\n", call, part, tess_error_message());
        good = false;
    }
    va_end(parts);
    return good;
}

void test_skip(const char *why)
{
    printf("SKIPPED %s: %s\n", running, why);
    skipped++;
}

void test_skip_part(const char *why)
{
    printf("SKIPPED part of %s: %s\n", running, why);
    skipped_parts++;
}

bool test_wants_case(const char *name) { return !case_text || strstr(name, case_text); }

void (*test_bench)(void);

/* splitmix64 */
uint64_t test_random(void)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int64_t test_random_in(int64_t least, int64_t most)
{
    return least + (int64_t)(test_random() % (uint64_t)(most - least + 1));
}

double test_random_unit(void) { return (double)(test_random() >> 11) * 0x1p-53; }

/* One case in how many? */
static int sampling(void)
{
#ifdef TEST_SANITIZED
    return 24;
#else
    const char *wanted = getenv("TESS_TEST_SAMPLE");
    const int   n = wanted ? atoi(wanted) : 1;
    return n > 0 ? n : 1;
#endif
}

bool test_takes_case(void)
{
    const int n = sampling();
    return n == 1 || test_random() % (uint64_t)n == 0;
}

int test_fewer(int n)
{
    const int fewer = n / sampling();
    return fewer > 0 ? fewer : 1;
}

unsigned test_seconds(unsigned n)
{
    const char *factor = getenv("TESS_TEST_TIME_FACTOR");
    const int   times = factor ? atoi(factor) : 1;
    return times > 1 ? n * (unsigned)times : n;
}

static bool wanted(const char *name, int n, char **names)
{
    bool any = false;
    for (int i = 1; i + 1 < n; i++)
        if (strcmp(names[i], "--without") == 0 && strstr(name, names[i + 1])) {
            printf("left out: %s\n", name);
            return false;
        }
    for (int i = 1; i < n; i++) {
        if (strcmp(names[i], "--seed") == 0 || strcmp(names[i], "--case") == 0 || strcmp(names[i], "--without") == 0) {
            i++;
            continue;
        }
        any = true;
        if (strstr(name, names[i])) return true;
    }
    return !any;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, ran = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) seed = strtoull(argv[i + 1], NULL, 10);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--case") == 0 && i + 1 < argc) case_text = argv[i + 1];
    if (argc == 2 && strcmp(argv[1], "--bench") == 0 && test_bench) {
        test_bench();
        return 0;
    }
    for (test_case *test = first_test; test; test = test->next) {
        if (argc == 2 && strcmp(argv[1], "--list") == 0) {
            printf("%s\n", test->name);
            ran++;
            continue;
        }
        if (!wanted(test->name, argc, argv)) continue;
        ran++;
        running = test->name;
        state = seed;
        failed_checks = 0;
        const int skipped_before = skipped;
        test->run();
        if (failed_checks) failed++;
        else if (skipped == skipped_before) passed++;
    }
    skipped += skipped_parts;
    if (!ran) printf("no test has such a name; --list tells them\n");
    if (skipped) printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    else printf("%d passed, %d failed\n", passed, failed);
    return failed || !ran ? 1 : 0;
}
