/* LRU cache of 1-D plans: the most recently used are kept, up to a number of bytes. */
#include "cpu/fft/plan1d.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "core/device/memory.h"
#include "tessera/fft.h"

enum { USUAL_LIMIT = 64 << 20 };

/* Plans in a ring by age, the newest behind `ring`. A linear search is fast enough: there are a few
 * dozen. */
static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER;
static tess__fft_plan1d ring = { .newer = &ring, .older = &ring };
static int64_t          hits, misses, plans, bytes, held_bytes, limit = USUAL_LIMIT;

static void destroy(tess__fft_plan1d *plan)
{
    for (int s = 0; s < plan->n_stages; s++) tess__fft_plan1d_release(plan->stage[s].prime.sub);
    for (int i = 0; i < 2; i++) tess__fft_plan1d_release(plan->sub[i]);
    for (int i = 0; i < plan->n_memory; i++) tess__free(plan->memory[i]);
    tess__free(plan);
}

void tess__fft_plan1d_release(tess__fft_plan1d *plan)
{
    if (plan && atomic_fetch_sub(&plan->references, 1) == 1) destroy(plan);
}

/* A child of fork must not find the lock taken by a thread that it does not have. */
static void before_fork(void) { (void)pthread_mutex_lock(&lock); }
static void after_fork(void) { (void)pthread_mutex_unlock(&lock); }
static void watch_forks(void) { (void)pthread_atfork(before_fork, after_fork, after_fork); }

static pthread_once_t watched = PTHREAD_ONCE_INIT;

/* ---- The ring, under the lock ---- */

static void take_out(tess__fft_plan1d *plan)
{
    plan->newer->older = plan->older;
    plan->older->newer = plan->newer;
    plan->newer = plan->older = NULL;
    bytes -= plan->bytes;
    plans--;
}

static void put_first(tess__fft_plan1d *plan)
{
    plan->newer = &ring;
    plan->older = ring.older;
    ring.older->newer = plan;
    ring.older = plan;
    bytes += plan->bytes;
    plans++;
}

static tess__fft_plan1d *look_up(int asked, int64_t n, int size)
{
    for (tess__fft_plan1d *plan = ring.older; plan != &ring; plan = plan->older)
        if (plan->n == n && plan->asked == asked && plan->size == size) return plan;
    return NULL;
}

/* Drop the oldest that no plan holds until the others have `max` bytes; the newest stays, unless none may. They are
 * released under the lock: without it a thread that has one of them could put it back meanwhile. */
static void drop_oldest(int64_t max)
{
    tess__fft_plan1d *newer;
    for (tess__fft_plan1d *plan = ring.newer; plan != &ring && bytes - held_bytes > max; plan = newer) {
        newer = plan->newer;
        if (plan->held || (max > 0 && plan == ring.older)) continue;
        take_out(plan);
        tess__fft_plan1d_release(plan);
    }
}

/* ---- Finding ---- */

void *tess__fft_table(tess__fft_plan1d *plan, int64_t n, size_t size)
{
    if (plan->n_memory == (int)(sizeof plan->memory / sizeof *plan->memory) || n > INT64_MAX / 64) return NULL;
    void *table = tess__alloc((size_t)(n > 0 ? n : 1) * size);
    if (!table) return NULL;
    plan->bytes += n * (int64_t)size;
    plan->memory[plan->n_memory++] = table;
    return table;
}

static int kind_of(int asked, int64_t n)
{
    if (asked == TESS__FFT_ALONE) return tess__fft_single_kind(n);
    if (asked != TESS__FFT_ALONE_REAL) return asked;
    return tess__fft_single_kind(n / 2) == TESS__FFT_BLOCK ? TESS__FFT_REAL : TESS__FFT_SINGLE_REAL;
}

static bool make(tess__fft_plan1d *plan, const char *fn)
{
    plan->kind = kind_of(plan->asked, plan->n);
    switch (plan->kind) {
    case TESS__FFT_BLOCK: return tess__fft_make_block(plan, fn);
    case TESS__FFT_REAL:
    case TESS__FFT_SINGLE_REAL: return tess__fft_make_real(plan, fn);
    case TESS__FFT_STOCKHAM: return tess__fft_make_stockham(plan);
    case TESS__FFT_SPLIT: return tess__fft_make_split(plan, fn);
    case TESS__FFT_CHIRP: return tess__fft_make_chirp(plan, fn);
    default: return tess__fft_make_r2r(plan, fn);
    }
}

/* A new plan goes first, unless another thread was faster. */
static tess__fft_plan1d *keep(tess__fft_plan1d *plan)
{
    (void)pthread_mutex_lock(&lock);
    tess__fft_plan1d *other = look_up(plan->asked, plan->n, plan->size);
    if (other) {
        atomic_fetch_add(&other->references, 1);
    } else if (limit > 0) {
        atomic_fetch_add(&plan->references, 1);
        put_first(plan);
        drop_oldest(limit);
    }
    (void)pthread_mutex_unlock(&lock);
    if (!other) return plan;
    tess__fft_plan1d_release(plan);
    return other;
}

tess_status tess__fft_plan1d_find(tess__fft_plan1d **out, const char *fn, int asked, int64_t n, int size)
{
    (void)pthread_once(&watched, watch_forks);
    (void)pthread_mutex_lock(&lock);
    tess__fft_plan1d *plan = look_up(asked, n, size);
    if (plan) {
        hits++;
        atomic_fetch_add(&plan->references, 1);
        take_out(plan);
        put_first(plan);
    } else {
        misses++;
    }
    (void)pthread_mutex_unlock(&lock);
    *out = plan;
    if (plan) return TESS_OK;

    plan = tess__alloc(sizeof *plan);
    if (plan) {
        memset(plan, 0, sizeof *plan);
        atomic_init(&plan->references, 1);
        plan->asked = asked, plan->n = n, plan->size = size, plan->bytes = sizeof *plan;
        if (!make(plan, fn)) {
            tess__fft_plan1d_release(plan);
            plan = NULL;
        }
    }
    TESS_CHECK(plan, TESS_ENOMEM, "%s: no memory for the plan of a transform of length %" PRId64, fn, n);
    *out = keep(plan);
    return TESS_OK;
}

/* ---- Plans ---- */

void tess__fft_plan1d_hold(tess__fft_plan1d *plan)
{
    (void)pthread_mutex_lock(&lock);
    if (plan->held++ == 0) held_bytes += plan->bytes;
    if (!plan->newer) {
        atomic_fetch_add(&plan->references, 1);
        put_first(plan);
    }
    (void)pthread_mutex_unlock(&lock);
}

void tess__fft_plan1d_let_go(tess__fft_plan1d *plan)
{
    (void)pthread_mutex_lock(&lock);
    if (--plan->held == 0) held_bytes -= plan->bytes;
    drop_oldest(limit);
    (void)pthread_mutex_unlock(&lock);
}

/* ---- Workspace ---- */

enum { KEPT_BYTES = 128 << 20 }; /* maximum that is kept: the system is slow to map it */

typedef struct workspace {
    _Alignas(64) size_t size;
} workspace;

static _Atomic(workspace *) kept;

void *tess__fft_workspace_acquire(size_t size)
{
    workspace *w = atomic_exchange(&kept, NULL);
    if (!w || w->size < size) {
        tess__free(w);
        w = tess__alloc(sizeof *w + size);
        if (!w) return NULL;
        w->size = size;
    }
    return w + 1;
}

void tess__fft_workspace_release(void *memory)
{
    if (!memory) return;
    workspace *w = (workspace *)memory - 1, *none = NULL;
    if (w->size > KEPT_BYTES || !atomic_compare_exchange_strong(&kept, &none, w)) tess__free(w);
}

/* ---- Public functions ---- */

tess_status tess_fft_cache_info(tess_info_fft_cache *info)
{
    TESS_CHECK(info, TESS_EARG, "fft_cache_info: `info` is `NULL`");
    memset(info, 0, sizeof *info);
    (void)pthread_mutex_lock(&lock);
    info->hits = hits, info->misses = misses, info->plans = plans, info->bytes = bytes, info->limit = limit;
    (void)pthread_mutex_unlock(&lock);
    return TESS_OK;
}

static void shrink(int64_t max)
{
    (void)pthread_mutex_lock(&lock);
    drop_oldest(max);
    (void)pthread_mutex_unlock(&lock);
}

tess_status tess_fft_cache_limit_set(int64_t max)
{
    TESS_CHECK(max >= 0, TESS_EARG, "fft_cache_limit_set: `bytes` is %" PRId64 "; 0 (keep none) or more is needed",
               max);
    (void)pthread_mutex_lock(&lock);
    limit = max;
    (void)pthread_mutex_unlock(&lock);
    shrink(max);
    return TESS_OK;
}

void tess_fft_cache_clear(void)
{
    shrink(0);
    tess__free(atomic_exchange(&kept, NULL));
}

/* At exit, and when the library is unloaded, nothing is kept: no block of the cache is left that only pointers into its
 * middle reach, which valgrind takes for a leak. */
__attribute__((destructor)) static void clear_at_exit(void)
{
    tess__memory_at_exit();
    tess_fft_cache_clear();
}
