/* Cache of freed blocks: exact fit, first in, first out, bounded in bytes and in time.
 *
 * To map, zero and unmap 4 MiB takes longer than to add two such arrays, and calls of one job ask for the same sizes
 * again and again. The cache does not raise what a process takes at most by more than SLACK: before anything new is
 * mapped, kept blocks make way for it. */
#define _GNU_SOURCE
#include "core/array/blocks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { SLOTS = 64 };
#define HUGE_PAGE ((size_t)2 << 20)
#define SLACK ((int64_t)64 << 20) /* bytes that may be mapped beyond what was in use at most */
#define IDLE INT64_C(1000000000)  /* nanoseconds for which an unused block is kept */

typedef struct block {
    void   *data;
    int64_t size; /* of the mapping */
    int64_t when; /* it was freed */
} block;

static pthread_mutex_t     lock = PTHREAD_MUTEX_INITIALIZER;
static block               kept[SLOTS]; /* the oldest first */
static int                 n_kept;
static atomic_int_fast64_t bytes_kept, oldest = INT64_MAX; /* when the oldest block was freed */
static int64_t             bytes_in_use, peak;             /* of blocks that are not kept; the most there were */

/* ---- Fork ---- */

/* A child must not find the lock taken by a thread that it does not have. */
static void before_fork(void) { (void)pthread_mutex_lock(&lock); }
static void after_fork(void) { (void)pthread_mutex_unlock(&lock); }

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, after_fork);
}

/* ---- Mappings ---- */

static size_t mapped_size(size_t size) { return (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE; }

/* Whole huge pages, aligned to them: one entry of the TLB then covers 2 MiB instead of 4 KiB. */
static void *map(size_t size)
{
    char *memory = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    const size_t before = (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;
    if (before) (void)munmap(memory, before);
    (void)munmap(memory + before + size, HUGE_PAGE - before);
    (void)madvise(memory + before, size, MADV_HUGEPAGE);
    return memory + before;
}

static bool unmap(const block *blocks, int n)
{
    for (int i = 0; i < n; i++) (void)munmap(blocks[i].data, (size_t)blocks[i].size);
    return n > 0;
}

/* ---- The cache; all of this with the lock ---- */

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static block remove_at(int i)
{
    const block b = kept[i];
    n_kept--;
    memmove(&kept[i], &kept[i + 1], (size_t)(n_kept - i) * sizeof *kept);
    atomic_fetch_sub(&bytes_kept, b.size);
    atomic_store(&oldest, n_kept ? kept[0].when : INT64_MAX);
    return b;
}

/* Of equal ones, that which was freed last: caches may still hold some of it. NULL if there is none. */
static void *find(int64_t size)
{
    for (int i = n_kept - 1; i >= 0; i--)
        if (kept[i].size == size) return remove_at(i).data;
    return NULL;
}

/* Moves blocks that must go to `out`, so that the caller can unmap them without the lock; how many there are. */
static int evict(block out[SLOTS], int64_t most)
{
    const int64_t since = now() - IDLE;
    int           n = 0;
    while (n_kept && (atomic_load(&bytes_kept) > most || kept[0].when < since)) out[n++] = remove_at(0);
    return n;
}

static void count(int64_t size)
{
    bytes_in_use += size;
    if (bytes_in_use > peak) peak = bytes_in_use;
}

/* ---- */

int64_t tess__blocks_kept(void) { return atomic_load(&bytes_kept); }

bool tess__blocks_trim(int64_t most)
{
    block         out[SLOTS];
    const int64_t bytes = atomic_load(&bytes_kept);
    if (bytes == 0 || (bytes <= most && now() - atomic_load(&oldest) <= IDLE)) return false;
    (void)pthread_mutex_lock(&lock);
    const int n = evict(out, most);
    (void)pthread_mutex_unlock(&lock);
    return unmap(out, n);
}

void *tess__block_take(size_t size, int64_t most_kept, bool *fresh)
{
    block         out[SLOTS];
    const int64_t whole = (int64_t)mapped_size(size);
    (void)pthread_mutex_lock(&lock);
    void         *data = find(whole);
    const int64_t spare = peak + SLACK - bytes_in_use - whole;
    *fresh = !data;
    if (data) count(whole);
    const int n = evict(out, data || most_kept < spare ? most_kept : spare);
    (void)pthread_mutex_unlock(&lock);
    (void)unmap(out, n);
    if (data) return data;
    data = map((size_t)whole);
    if (!data && tess__blocks_trim(0)) data = map((size_t)whole);
    if (!data) return NULL;
    (void)pthread_mutex_lock(&lock);
    count(whole);
    (void)pthread_mutex_unlock(&lock);
    return data;
}

void tess__block_give(void *data, size_t size, int64_t most_kept)
{
    block       out[SLOTS + 1];
    const block b = { data, (int64_t)mapped_size(size), now() };
    (void)pthread_mutex_lock(&lock);
    bytes_in_use -= b.size;
    const bool keeps = b.size <= most_kept;
    int        n = evict(out, keeps ? most_kept - b.size : most_kept);
    if (keeps && n_kept == SLOTS) out[n++] = remove_at(0);
    if (keeps) {
        if (n_kept == 0) atomic_store(&oldest, b.when);
        kept[n_kept++] = b;
        atomic_fetch_add(&bytes_kept, b.size);
    } else out[n++] = b;
    (void)pthread_mutex_unlock(&lock);
    (void)unmap(out, n);
}
