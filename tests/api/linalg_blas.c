/* Who multiplies matrices: TESS_BLAS. The program runs itself again with other variables; the child says what it was
 * told. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/hooks.h"

static hooks h;

/* In place of the system's, for this program: with TESS_TEST_NO_BLAS in the environment no BLAS is installed. */
void *dlopen(const char *name, int flags)
{
    static void *(*real)(const char *, int);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    return name && strstr(name, "blas") && getenv("TESS_TEST_NO_BLAS") ? NULL : real(name, flags);
}

/* "made", or why the product of two n by n matrices was not. */
static const char *product(tess_dtype dtype, int64_t n)
{
    tess_array a = { 0 }, out = { 0 };
    if (tess_ones(&a, TESS_SHAPE(1, 1, n, n), dtype, tess_cpu()) != TESS_OK) _exit(1);
    const bool made = tess_matmul(&out, &a, &a, NULL) == TESS_OK;
    double     last = 0;
    const bool right = made ? tess_get_f64(&last, &out, 0, 0, n - 1, n - 1) == TESS_OK && last == (double)n : !out.data;
    tess_release(&a);
    tess_release(&out);
    return !right ? "WRONG" : made ? "made" : tess_error_message();
}

static tess_status factor(bool singular, const tess_array *a)
{
    tess_array        values = { 0 }, vectors = { 0 }, u = { 0 };
    const tess_status status =
        singular ? tess_svd(&u, &values, &vectors, a, NULL) : tess_eigh(&values, &vectors, a, NULL);
    tess_release(&values);
    tess_release(&vectors);
    tess_release(&u);
    return status;
}

/* "told", or what was said instead of TESS_ENOMEM when one of the allocations for the factors of a matrix, which is large
 * enough for a LAPACK, fails. */
static const char *without_memory(tess_dtype dtype, bool singular)
{
    tess_array a = { 0 };
    if (tess_ones(&a, TESS_SHAPE(1, 1, 130, 130), dtype, tess_cpu()) != TESS_OK || !hooks_on(&h)) _exit(1);
    const char *answer = "WITHOUT END";
    for (long at = 1; at < 100; at++) {
        atomic_store(&h.calls, 0), atomic_store(&h.fired, 0), atomic_store(&h.fail_at, at);
        const tess_status status = factor(singular, &a);
        atomic_store(&h.fail_at, 0);
        if (status != TESS_ENOMEM)
            answer = atomic_load(&h.fired) == 0 && status == TESS_OK ? "told" : tess_error_message();
        if (status != TESS_ENOMEM) break;
    }
    if (!hooks_off()) _exit(1);
    tess_release(&a);
    return answer;
}

__attribute__((constructor)) static void answer_parent(void)
{
    if (!getenv("TESS_TEST_ANSWER")) return;
    if (getenv("TESS_TEST_FACTORS")) {
        printf("eigh %s %s", without_memory(TESS_F64, false), without_memory(TESS_C64, false));
        printf(", svd %s %s", without_memory(TESS_F32, true), without_memory(TESS_C64, true));
        fflush(stdout);
        _exit(0);
    }
    printf("by %s: i32 %s", tess_linalg_provider(), product(TESS_I32, 140));
    printf(", large %s", product(TESS_F64, 140));
    printf(", small %s\n", product(TESS_F32, 2));
    tess_stream *queue = NULL;
    if (tess_stream_new(&queue, tess_cpu(), &(tess_stream_opts){ .async = 1 }) != TESS_OK) _exit(1);
    if (tess_stream_set_current(queue) != TESS_OK) _exit(1);
    printf("queued %s\n", product(TESS_F32, 2));
    tess_stream_free(queue);
    fflush(stdout);
    _exit(0);
}

/* What the child says when started with these variables. */
static const char *answer_to(const char *setting, const char *other)
{
    static char text[2048];
    int         ends[2];
    text[0] = '\0';
    if (pipe(ends) != 0) return text;
    const pid_t child = fork();
    if (child == 0) {
        char *const arguments[] = { "linalg_blas", NULL };
        char *const variables[] = { "TESS_TEST_ANSWER=1", "OPENBLAS_NUM_THREADS=1", (char *)(uintptr_t)setting,
                                    (char *)(uintptr_t)other, NULL };
        dup2(ends[1], STDOUT_FILENO);
        execve("/proc/self/exe", arguments, variables);
        _exit(2);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got = 1; got > 0 && n < sizeof text - 1; n += (size_t)(got > 0 ? got : 0))
        got = read(ends[0], text + n, sizeof text - 1 - n);
    text[n] = '\0';
    close(ends[0]);
    (void)waitpid(child, NULL, 0);
    return text;
}

static const char all_native[] = "by native: i32 made, large made, small made\nqueued made\n";

TEST(native_unless_asked_otherwise)
{
    CHECK_TEXT(answer_to(NULL, NULL), all_native);
    CHECK_TEXT(answer_to("TESS_BLAS=", NULL), all_native);
    CHECK_TEXT(answer_to("TESS_BLAS=native", NULL), all_native);
}

/* Whatever there is, and what there is to take where nothing is. */
TEST(auto_never_fails)
{
    CHECK(strstr(answer_to("TESS_BLAS=auto", NULL), ": i32 made, large made, small made\nqueued made\n") != NULL);
    CHECK_TEXT(answer_to("TESS_BLAS=auto", "TESS_TEST_NO_BLAS=1"), all_native);
}

TEST(a_lapack_without_memory_is_an_error)
{
    CHECK_TEXT(answer_to("TESS_BLAS=auto", "TESS_TEST_FACTORS=1"), "eigh told told, svd told told");
    CHECK_TEXT(answer_to("TESS_BLAS=native", "TESS_TEST_FACTORS=1"), "eigh told told, svd told told");
}

static void check_answer(const char *answer, const char *const parts[])
{
    for (int i = 0; parts[i]; i++)
        if (!strstr(answer, parts[i])) (void)test_failed(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", answer, parts[i]);
}

#define ALLOWED "; native, auto or the name of a shared library with the CBLAS functions is needed"

/* A library that is not there, and one that is no BLAS. Integers, which no BLAS multiplies, do not ask for one. On a
 * stream the call that queues the product fails, not one that waits for it. */
TEST(a_wrong_blas_is_an_error)
{
    check_answer(answer_to("TESS_BLAS=libnothing.so.7", NULL),
                 (const char *[]){ "by none: i32 made, large matmul: TESS_BLAS is \"libnothing.so.7\": it could not be "
                                   "opened (",
                                   "libnothing.so.7", ")" ALLOWED ", small matmul: TESS_BLAS is",
                                   ALLOWED "\nqueued matmul: TESS_BLAS is", ALLOWED "\n", NULL });
    check_answer(answer_to("TESS_BLAS=libm.so.6", NULL),
                 (const char *[]){ "by none: i32 made, large matmul: TESS_BLAS is \"libm.so.6\": it has no function "
                                   "cblas_",
                                   "gemm" ALLOWED ", small matmul: TESS_BLAS is",
                                   ALLOWED "\nqueued matmul: TESS_BLAS is", ALLOWED "\n", NULL });
    check_answer(answer_to("TESS_BLAS=NATIVE", NULL),
                 (const char *[]){ "by none: i32 made, large matmul: TESS_BLAS is \"NATIVE\": it could not be opened (",
                                   ALLOWED, NULL });
}

/* The message can hold long names, and still says what is allowed. */
TEST(a_long_name_is_cut)
{
    char setting[2000] = "TESS_BLAS=";
    memset(setting + 10, 'x', 1500);
    check_answer(answer_to(setting, NULL),
                 (const char *[]){ "TESS_BLAS is \"xxxxxxxx", "xxx\": it could not be opened", ALLOWED, NULL });
}
