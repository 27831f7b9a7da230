/* A small test harness: tests register themselves, checks count, one test runs by name.
 *
 *     TEST(slice_of_nothing_is_empty)
 *     {
 *         CHECK_OK(tess_slice(&v, &a, 3, 5, 5, 1));
 *         CHECK(tess_is_empty(&v));
 *         CHECK_FAILS(tess_slice(&v, &a, 7, 0, 1, 1), TESS_ERANGE, "axis is 7");
 *     }
 *
 * The program takes names (or parts of names) of tests to run, --without NAME for one that is not, --list, --seed N for
 * the random ones, --case TEXT for the cases of a test whose name holds the text, and --bench. Its last line is
 * "N passed, N failed": tests, not checks.
 */
#ifndef TESS_TEST_H
#define TESS_TEST_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tessera.h"

typedef struct test_case {
    const char *name;
    void (*run)(void);
    struct test_case *next;
} test_case;

void test_register(test_case *test);

/* Report a failed check of the running test; returns false. */
bool test_failed(const char *file, int line, const char *format, ...) TESS_PRINTF(3, 4);

/* The call must have succeeded. */
bool test_ok(tess_status status, const char *file, int line, const char *call);

/* The call must have failed with this status, and its message must hold every part (the list ends with NULL). */
bool test_fails(tess_status status, tess_status wanted, const char *file, int line, const char *call, ...);

/* Count the running test as skipped, and say why. */
void test_skip(const char *why);

/* Say that a part of the running test was skipped, and why; what it did check still counts. */
void test_skip_part(const char *why);

/* False for a case that --case TEXT leaves out: its name does not hold the text. */
bool test_wants_case(const char *name);

/* A program that can also time what it checks sets this: it runs, alone, for --bench. */
extern void (*test_bench)(void);

#define TEST(name_)                                                                                                    \
    static void                              test_##name_(void);                                                       \
    __attribute__((constructor)) static void register_##name_(void)                                                    \
    {                                                                                                                  \
        static test_case test = { #name_, test_##name_, NULL };                                                        \
        test_register(&test);                                                                                          \
    }                                                                                                                  \
    static void test_##name_(void)

#define CHECK(condition) ((condition) ? true : test_failed(__FILE__, __LINE__, "%s", #condition))
#define CHECK_OK(call) test_ok((call), __FILE__, __LINE__, #call)
#define CHECK_FAILS(call, status, ...) test_fails((call), (status), __FILE__, __LINE__, #call, __VA_ARGS__, NULL)
#define CHECK_I64(got, want)                                                                                           \
    do {                                                                                                               \
        const int64_t got_ = (got), want_ = (want);                                                                    \
        if (got_ != want_)                                                                                             \
            (void)test_failed(__FILE__, __LINE__, "%s is %" PRId64 ", not %" PRId64, #got, got_, want_);               \
    } while (0)
#define CHECK_DIMS(got, b, d, h, w)                                                                                    \
    do {                                                                                                               \
        const int64_t *got_ = (got).dim, want_[4] = { (b), (d), (h), (w) };                                            \
        if (memcmp(got_, want_, sizeof want_) != 0)                                                                    \
            (void)test_failed(__FILE__, __LINE__,                                                                      \
                              "%s is {%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "}, not {%" PRId64 ",%" PRId64     \
                              ",%" PRId64 ",%" PRId64 "}",                                                             \
                              #got, got_[0], got_[1], got_[2], got_[3], want_[0], want_[1], want_[2], want_[3]);       \
    } while (0)
#define CHECK_TEXT(got, want)                                                                                          \
    do {                                                                                                               \
        const char *got_ = (got), *want_ = (want);                                                                     \
        if (strcmp(got_, want_) != 0) (void)test_failed(__FILE__, __LINE__, "got:\n%s\nwanted:\n%s", got_, want_);     \
    } while (0)

/* Random numbers that are the same everywhere; the seed is printed when a test fails. */
uint64_t test_random(void);
int64_t  test_random_in(int64_t least, int64_t most);
double   test_random_unit(void); /* from 0 to below 1 */

/* Is one of many cases tried, and of n cases how many? All are; but where sanitizers make everything slow, one in 24,
 * at random, and elsewhere one in TESS_TEST_SAMPLE of the environment. */
bool test_takes_case(void);
int  test_fewer(int n);

/* How many seconds a test gives something that takes n at the most on a quiet machine: more where tests/run found this
 * one slower (TESS_TEST_TIME_FACTOR of the environment). */
unsigned test_seconds(unsigned n);

#endif
