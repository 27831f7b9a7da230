/* Released storage that is kept for the next array: reuse, bounds, the memory limit, threads, fork, giving back. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/arrays.h"
#include "support/sanitizers.h"

#define MIB (INT64_C(1) << 20)

/* Pages of the process, of field `field` of statm: 0 is its addresses, 1 what is in memory; in bytes. */
static int64_t process_bytes(int field)
{
    long  numbers[2] = { 0, 0 };
    FILE *file = fopen("/proc/self/statm", "re");
    if (!CHECK(file != NULL)) return 0;
    CHECK(fscanf(file, "%ld %ld", &numbers[0], &numbers[1]) == 2);
    (void)fclose(file);
    return (int64_t)numbers[field] * sysconf(_SC_PAGESIZE);
}

static int64_t resident(void) { return process_bytes(1); }

/* Bytes all of which are `value`, written. */
static tess_array written(int64_t bytes, int value)
{
    tess_array a = { 0 };
    if (CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, bytes), TESS_U8, tess_cpu()))) memset(a.data, value, (size_t)bytes);
    return a;
}

static void write_and_release(int64_t bytes)
{
    tess_array a = written(bytes, 1);
    tess_release(&a);
}

static bool keeps_nothing(void)
{
    if (ADDRESS_SANITIZER) test_skip("with the address sanitizer nothing is kept");
    else CHECK_OK(tess_memory_trim(tess_cpu()));
    return ADDRESS_SANITIZER;
}

/* The memory of the process tells what is kept, unless a sanitizer adds its own. */
static bool cannot_measure(void)
{
    if (!THREAD_SANITIZER) return keeps_nothing();
    test_skip("the thread sanitizer takes memory of its own");
    return true;
}

/* Near enough: other parts of the process take and free memory too. */
static bool about(int64_t got, int64_t want) { return llabs(got - want) < 3 * MIB; }

/* Blocks of many sizes: those that are kept make way before the process is larger than it ever was, and 64 MiB. The first
 * of all tests, since the largest array so far counts. */
TEST(kept_storage_hardly_raises_the_peak)
{
    if (cannot_measure()) return;
    const int64_t before = resident();
    struct rusage usage;
    for (int64_t n = 4; n < 80; n += 4) write_and_release(n * MIB);
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    CHECK((int64_t)usage.ru_maxrss * 1024 > before + 100 * MIB); /* much is kept, */
    CHECK((int64_t)usage.ru_maxrss * 1024 < before + (76 + 64 + 3) * MIB);
}

/* What is unused for a second is given back: on a machine that pauses for so long, it is tried again. */
TEST(released_storage_is_the_next_arrays)
{
    if (keeps_nothing()) return;
    const unsigned char *bytes = NULL;
    tess_array           b = { 0 };
    for (int i = 0; i < 5 && (!bytes || bytes[0] != 7); i++) {
        tess_release(&b);
        tess_array a = written(6 * MIB, 7);
        tess_release(&a);
        CHECK_OK(tess_empty(&b, TESS_SHAPE(1, 1, 1, 6 * MIB - 100), TESS_U8, tess_cpu()));
        bytes = b.data;
    }
    CHECK(bytes[0] == 7 && bytes[6 * MIB - 101] == 7); /* a new mapping would be zero */
    tess_release(&b);
    CHECK_OK(tess_zeros(&b, TESS_SHAPE(1, 1, 1, 6 * MIB), TESS_U8, tess_cpu()));
    int sum = 0;
    bytes = b.data;
    for (int64_t i = 0; i < 6 * MIB; i++) sum |= bytes[i];
    CHECK_I64(sum, 0);
    tess_release(&b);
    CHECK_I64(tess_memory_used(tess_cpu()), 0);
}

TEST(trimming_gives_kept_storage_back)
{
    if (cannot_measure()) return;
    const int64_t before = resident();
    write_and_release(32 * MIB);
    CHECK(about(resident(), before + 32 * MIB));
    CHECK_OK(tess_memory_trim(tess_cpu()));
    CHECK(about(resident(), before));
}

TEST(what_is_kept_is_bounded)
{
    tess_info_device info;
    if (cannot_measure() || !CHECK_OK(tess_device_info(&info, tess_cpu()))) return;
    if (info.memory_free < 2048 * MIB) {
        test_skip("2 GiB of free memory are needed");
        return;
    }
    const int64_t before = resident(), sixteenth = info.memory_total / 16;
    const int64_t bound = sixteenth < 512 * MIB ? sixteenth : 512 * MIB;
    tess_array    a[10];
    for (int i = 0; i < 10; i++) a[i] = written(64 * MIB, i);
    for (int i = 0; i < 10; i++) tess_release(&a[i]);
    CHECK(resident() > before + bound - 64 * MIB - 3 * MIB);
    CHECK(resident() < before + bound + 3 * MIB);
    write_and_release(600 * MIB); /* more than the bound is not kept */
    CHECK(resident() < before + bound + 3 * MIB);
    CHECK_OK(tess_memory_trim(tess_cpu()));
    CHECK(about(resident(), before));
}

TEST(kept_storage_counts_towards_the_limit)
{
    if (cannot_measure()) return;
    const int64_t before = resident();
    CHECK_OK(tess_memory_limit_set(16 * MIB));
    write_and_release(12 * MIB);
    CHECK(about(resident(), before + 12 * MIB));
    tess_array a = written(8 * MIB, 1); /* 20 MiB would be too many */
    CHECK(about(resident(), before + 8 * MIB));
    tess_array b = written(8 * MIB, 1), c = { 0 };
    CHECK_FAILS(tess_empty(&c, TESS_SHAPE(1, 1, 1, 1), TESS_U8, tess_cpu()), TESS_ENOMEM, "limit is 16777216");
    tess_release(&a);
    CHECK_OK(tess_empty(&c, TESS_SHAPE(1, 1, 1, MIB), TESS_U8, tess_cpu())); /* a small array as well */
    CHECK(about(resident(), before + 8 * MIB));
    tess_release(&b);
    CHECK_OK(tess_memory_limit_set(5 * MIB)); /* a lower limit at once */
    CHECK(about(resident(), before));
    tess_release(&c);
    CHECK_OK(tess_memory_limit_set(0));
}

/* In a child, which may then have no more addresses than now. */
TEST(kept_storage_makes_way_where_the_system_has_no_more)
{
    if (keeps_nothing()) return;
    const pid_t child = fork();
    if (child == 0) {
        tess_array a = { 0 }, b = { 0 };
        write_and_release(32 * MIB);
        const rlim_t        bytes = (rlim_t)(process_bytes(0) + 10 * MIB);
        const struct rlimit limit = { bytes, bytes };
        bool                good = setrlimit(RLIMIT_AS, &limit) == 0;
        good = good && tess_empty(&a, TESS_SHAPE(1, 1, 1, 30 * MIB), TESS_U8, tess_cpu()) == TESS_OK;
        good = good && tess_empty(&b, TESS_SHAPE(1, 1, 1, 60 * MIB), TESS_U8, tess_cpu()) == TESS_ENOMEM;
        _exit(good && strstr(tess_error_message(), "no memory for 62914560 bytes") ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(what_nobody_asks_for_goes_back_at_the_next_allocation)
{
    if (cannot_measure()) return;
    const int64_t before = resident();
    write_and_release(32 * MIB);
    (void)nanosleep(&(struct timespec){ 1, 100000000 }, NULL);
    tess_array a = written(10, 1);
    CHECK(about(resident(), before));
    tess_release(&a);
}

/* ---- Threads ---- */

static atomic_bool stop;

/* Arrays of a few sizes, which no other thread may write to meanwhile; how many bytes were not as they were written. */
static int64_t allocate(int value, int times)
{
    int64_t wrong = 0;
    for (int i = 0; i < times; i++) {
        const int64_t bytes = (4 + 2 * (i % 3)) * MIB;
        tess_array    a = { 0 };
        if (tess_empty(&a, TESS_SHAPE(1, 1, 1, bytes), TESS_U8, tess_cpu()) != TESS_OK) return -1;
        unsigned char *at = a.data;
        for (int64_t k = 0; k < bytes; k += 65536) at[k] = (unsigned char)value;
        for (int64_t k = 0; k < bytes; k += 65536) wrong += at[k] != value;
        tess_release(&a);
    }
    return wrong;
}

static void *allocate_often(void *number) { return allocate(*(int *)number, 300) == 0 ? NULL : number; }

static void *allocate_on(void *number)
{
    bool good = true;
    while (!atomic_load(&stop)) good = allocate(*(int *)number, 3) == 0 && good;
    return good ? NULL : number;
}

TEST(threads_never_share_a_block)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int       numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i + 1;
        CHECK(pthread_create(&threads[i], NULL, allocate_often, &numbers[i]) == 0);
    }
    for (int i = 0; i < 50; i++) CHECK_OK(tess_memory_trim(tess_cpu()));
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        CHECK(pthread_join(threads[i], &wrong) == 0 && wrong == NULL);
    }
    CHECK_I64(tess_memory_used(tess_cpu()), 0);
}

TEST(forks_while_another_thread_allocates)
{
    if (THREAD_SANITIZER || ADDRESS_SANITIZER) {
        test_skip("sanitizers may have locked their own memory when a thread forks");
        return;
    }
    pthread_t thread;
    int       number = 9;
    void     *wrong = NULL;
    atomic_store(&stop, false);
    CHECK(pthread_create(&thread, NULL, allocate_on, &number) == 0);
    for (int i = 0; i < 50; i++) {
        int         status = -1;
        const pid_t child = fork();
        if (child == 0) {
            (void)alarm(test_seconds(20));
            _exit(allocate(5, 3) == 0 ? 0 : 1);
        }
        if (!CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0)) break;
    }
    atomic_store(&stop, true);
    CHECK(pthread_join(thread, &wrong) == 0 && wrong == NULL);
}
