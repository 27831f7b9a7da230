/* The loop of a fuzz program: numbered cases, each with random numbers of its own, and a report of the one that failed.
 *
 *     fuzz_NAME N [SEED [FIRST [FILE]]]     N cases from number FIRST on; FILE gets the input of the last one
 *
 * An input depends on SEED and its number alone. Where a case fails, in whatever way, the program says how to repeat it
 * without those before. The program defines fuzz_begin, which sets it up, fuzz_make, which makes an input, and
 * LLVMFuzzerTestOneInput. For libFuzzer, compile with -DTESS_LIBFUZZER and -fsanitize=fuzzer.
 */
#ifndef TESS_FUZZ_CASES_H
#define TESS_FUZZ_CASES_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tessera.h"

enum { FUZZ_LONGEST = 1 << 16 /* bytes of an input */ };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Before the first case; after the last. */
void fuzz_begin(void);
void fuzz_end(void);

/* The input of a case, of which fuzz_random decides; its length. */
size_t fuzz_make(uint8_t bytes[FUZZ_LONGEST], uint64_t number);

static inline void fuzz_fail(const char *what)
{
    (void)fprintf(stderr, "%s\n%s\n", what, tess_error_trace());
    abort();
}

/* A call may fail, with a message and not for want of memory: what a file asks for is checked against its size. */
static inline bool fuzz_ok(tess_status status)
{
    if (status == TESS_OK) return true;
    if (tess_error_message()[0] == '\0') fuzz_fail("no message");
    if (status == TESS_ENOMEM) fuzz_fail("asks for too much memory");
    return false;
}

#ifndef TESS_LIBFUZZER

static uint64_t fuzz_state;

static uint32_t fuzz_random(void)
{
    fuzz_state = fuzz_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(fuzz_state >> 33);
}

static size_t fuzz_below(size_t n) { return n ? fuzz_random() % n : 0; }

/* ---- The report ---- */

static struct {
    const char *program;
    long long   seed, number; /* of the case that runs; -1: none does */
} fuzz_case = { NULL, 1, -1 };

static void fuzz_report(void)
{
    char text[512];
    if (fuzz_case.number < 0) return;
    const int n = snprintf(text, sizeof text, "case %lld of seed %lld failed; to repeat it: %.300s 1 %lld %lld\n",
                           fuzz_case.number, fuzz_case.seed, fuzz_case.program, fuzz_case.seed, fuzz_case.number);
    fuzz_case.number = -1;
    if (n > 0 && write(STDERR_FILENO, text, (size_t)n) != n) _Exit(2);
}

static void fuzz_on_signal(int number)
{
    fuzz_report();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* Sanitizers, where the program is built with them, end it without a signal. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define FUZZ_SANITIZED 1
#endif

#ifdef FUZZ_SANITIZED
void __sanitizer_set_death_callback(void (*callback)(void));
#endif

/* An end by SIGTERM is that of a case that hangs. */
static void fuzz_watch(void)
{
    const int ends[] = { SIGABRT, SIGTERM, SIGINT };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) (void)signal(ends[i], fuzz_on_signal);
#ifdef FUZZ_SANITIZED
    __sanitizer_set_death_callback(fuzz_report);
#else
    const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) (void)signal(crashes[i], fuzz_on_signal);
#endif
}

/* ---- The loop ---- */

static void fuzz_save(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0) fuzz_fail("the input could not be saved");
}

/* Neighbouring seeds and numbers must not give similar random numbers: the finaliser of SplitMix64. */
static uint64_t fuzz_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

int main(int argc, char **argv)
{
    const long long runs = argc > 1 ? atoll(argv[1]) : 10000, first = argc > 3 ? atoll(argv[3]) : 0;
    static uint8_t  bytes[FUZZ_LONGEST];
    if (argc > 2) fuzz_case.seed = atoll(argv[2]);
    fuzz_case.program = argv[0];
    if (tess_threads_set(1) != TESS_OK) fuzz_fail("not one thread"); /* inputs are small: others would be waited for */
    fuzz_begin();
    fuzz_watch();
    for (long long i = first; i < first + runs; i++) {
        fuzz_case.number = i;
        fuzz_state = fuzz_mix(fuzz_mix((uint64_t)fuzz_case.seed) + (uint64_t)i);
        const size_t n = fuzz_make(bytes, (uint64_t)i);
        uint8_t     *copy = malloc(n ? n : 1); /* exactly as long, so that reading beyond it is seen */
        if (!copy) abort();
        memcpy(copy, bytes, n);
        if (argc > 4 && i == first + runs - 1) fuzz_save(argv[4], copy, n);
        (void)LLVMFuzzerTestOneInput(copy, n);
        free(copy);
    }
    fuzz_case.number = -1;
    fuzz_end();
    printf("%lld passed, 0 failed\n", runs);
    return 0;
}

#endif

#endif
