/* What comes from outside: TESS_THREADS and TESS_CPU, and a system that has no threads to give.
 *
 * The program runs itself again with other variables; the child says what the library made of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

/* In place of the system's, for this program: rejects while `no_threads` is set. */
static atomic_bool no_threads;

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    static create_fn *real;
    if (atomic_load(&no_threads)) return 11; /* EAGAIN */
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, start, argument);
}

__attribute__((constructor)) static void answer_parent(void)
{
    if (!getenv("TESS_TEST_ANSWER")) return;
    tess_info_device info;
    if (tess_device_info(&info, tess_cpu()) != TESS_OK) _exit(1);
    printf("%d %s\n", (int)info.threads, info.isa);
    fflush(stdout);
    _exit(0);
}

/* What the child says when started with `setting`, as "TESS_THREADS=3". */
static const char *answer_to(const char *setting)
{
    static char text[128];
    int         ends[2];
    text[0] = '\0';
    if (pipe(ends) != 0) return text;
    const pid_t child = fork();
    if (child == 0) {
        char *const arguments[] = { "environment", NULL };
        char *const variables[] = { "TESS_TEST_ANSWER=1", (char *)(uintptr_t)setting, NULL };
        dup2(ends[1], STDOUT_FILENO);
        execve("/proc/self/exe", arguments, variables);
        _exit(2);
    }
    close(ends[1]);
    const ssize_t n = read(ends[0], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    (void)waitpid(child, NULL, 0);
    return text;
}

TEST(tess_threads_sets_the_default)
{
    char one_a_core[16];
    CHECK(strncmp(answer_to("TESS_THREADS=3"), "3 ", 2) == 0);
    CHECK(strncmp(answer_to("TESS_THREADS=1"), "1 ", 2) == 0);
    CHECK(strncmp(answer_to("TESS_THREADS=100000"), "256 ", 4) == 0);
    tess_info_device info;
    CHECK_OK(tess_device_info(&info, tess_cpu()));
    snprintf(one_a_core, sizeof one_a_core, "%d ", (int)info.cores);
    static const char *const ignored[] = { "TESS_THREADS=", "TESS_THREADS=two", "TESS_THREADS=-4", "TESS_THREADS=0",
                                           "TESS_THREADS=2x" };
    for (int i = 0; i < 5; i++) CHECK(strncmp(answer_to(ignored[i]), one_a_core, strlen(one_a_core)) == 0);
}

TEST(tess_cpu_chooses_the_kernels)
{
    CHECK(strstr(answer_to("TESS_CPU=base"), "requested") != NULL);
    CHECK(strstr(answer_to("TESS_CPU=z80"), "(TESS_CPU not supported)") != NULL);
    CHECK(strstr(answer_to("TESS_CPU=v2"), "(TESS_CPU not supported)") != NULL); /* x86-64-v2 has no kernels */
    CHECK(strstr(answer_to("TESS_CPU="), ": best of this processor\n") != NULL);
}

/* Few long rows and many short ones, with whatever threads there are; checked by a naive loop. */
static void cast_and_compare(int64_t rows, int64_t length)
{
    tess_array in = { 0 }, out = { 0 }, part = { 0 };
    CHECK_OK(tess_arange(&in, TESS_SHAPE(1, 1, rows, length + 1), TESS_I32, tess_cpu(), 0, 1));
    CHECK_OK(tess_slice(&part, &in, 3, 0, -1, 1));
    CHECK_OK(tess_cast(&out, &part, TESS_F64, NULL));
    for (int64_t h = 0; h < rows; h++)
        for (int64_t w = 0; w < length; w++)
            if (TESS_AT(double, out, 0, 0, h, w) != (double)(h * (length + 1) + w)) {
                (void)test_failed(__FILE__, __LINE__, "wrong at row %d, column %d", (int)h, (int)w);
                h = rows;
                break;
            }
    CHECK_OK(tess_fill(&part, -7));
    int64_t filled = 0;
    for (int64_t i = 0; i < tess_n_elements(&in); i++) filled += ((int32_t *)in.data)[i] == -7;
    CHECK_I64(filled, rows * length);
    tess_release(&in);
    tess_release(&out);
}

TEST(work_is_done_when_the_system_has_no_threads)
{
    atomic_store(&no_threads, true);
    CHECK_OK(tess_threads_set(7));
    cast_and_compare(3, 300001);
    cast_and_compare(5000, 97);
    tess_stream *stream = NULL;
    CHECK_FAILS(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }), TESS_ENOMEM,
                "stream_new:", "cannot create a thread");
    CHECK(stream == NULL);
    atomic_store(&no_threads, false);
    CHECK_OK(tess_threads_set(0));
}

TEST(rows_are_shared_among_any_number_of_threads)
{
    for (int threads = 1; threads <= 9; threads += 2) {
        CHECK_OK(tess_threads_set(threads));
        cast_and_compare(3, 300001);
        cast_and_compare(2, 1000003);
        cast_and_compare(5000, 97);
    }
    CHECK_OK(tess_threads_set(0));
}
