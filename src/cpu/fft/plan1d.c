/* The cache of lines: the ones used last are kept, up to a number of bytes. */
#include "cpu/fft/plan1d.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "core/memory.h"
#include "tessera/fft.h"

enum { USUAL_LIMIT = 64 << 20 };

/* Lines in a ring for their age, the newest behind `ring`. Looking at all of them is soon done: there are a few
 * dozen. */
static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER;
static tess__fft_plan1d ring = { .newer = &ring, .older = &ring };
static int64_t          hits, misses, plans, bytes, held_bytes, limit = USUAL_LIMIT;

static void destroy(tess__fft_plan1d *line)
{
    for (int s = 0; s < line->n_stages; s++) tess__fft_plan1d_release(line->stage[s].prime.sub);
    for (int i = 0; i < 2; i++) tess__fft_plan1d_release(line->sub[i]);
    for (int i = 0; i < line->n_memory; i++) tess__free(line->memory[i]);
    tess__free(line);
}

void tess__fft_plan1d_release(tess__fft_plan1d *line)
{
    if (line && atomic_fetch_sub(&line->references, 1) == 1) destroy(line);
}

/* A child of fork must not find the lock taken by a thread that it does not have. */
static void before_fork(void) { (void)pthread_mutex_lock(&lock); }
static void after_fork(void) { (void)pthread_mutex_unlock(&lock); }
static void watch_forks(void) { (void)pthread_atfork(before_fork, after_fork, after_fork); }

static pthread_once_t watched = PTHREAD_ONCE_INIT;

/* ---- The ring, under the lock ---- */

static void take_out(tess__fft_plan1d *line)
{
    line->newer->older = line->older;
    line->older->newer = line->newer;
    line->newer = line->older = NULL;
    bytes -= line->bytes;
    plans--;
}

static void put_first(tess__fft_plan1d *line)
{
    line->newer = &ring;
    line->older = ring.older;
    ring.older->newer = line;
    ring.older = line;
    bytes += line->bytes;
    plans++;
}

static tess__fft_plan1d *look_up(int kind, int64_t n, int size)
{
    for (tess__fft_plan1d *line = ring.older; line != &ring; line = line->older)
        if (line->n == n && line->kind == kind && line->size == size) return line;
    return NULL;
}

/* Drop the oldest that no plan holds until the others have `most` bytes; the newest stays, unless none may. They are
 * released under the lock: without it a thread that has one of them could put it back meanwhile. */
static void drop_oldest(int64_t max)
{
    tess__fft_plan1d *newer;
    for (tess__fft_plan1d *line = ring.newer; line != &ring && bytes - held_bytes > max; line = newer) {
        newer = line->newer;
        if (line->held || (max > 0 && line == ring.older)) continue;
        take_out(line);
        tess__fft_plan1d_release(line);
    }
}

/* ---- Finding ---- */

void *tess__fft_table(tess__fft_plan1d *line, int64_t n, size_t size)
{
    if (line->n_memory == (int)(sizeof line->memory / sizeof *line->memory) || n > INT64_MAX / 64) return NULL;
    void *table = tess__alloc((size_t)(n > 0 ? n : 1) * size);
    if (!table) return NULL;
    line->bytes += n * (int64_t)size;
    line->memory[line->n_memory++] = table;
    return table;
}

static bool make(tess__fft_plan1d *line, const char *fn)
{
    switch (line->kind) {
    case TESS__FFT_BLOCK: return tess__fft_make_block(line, fn);
    case TESS__FFT_REAL:
    case TESS__FFT_FOUR_STEP_REAL: return tess__fft_make_real(line, fn);
    case TESS__FFT_SPLIT: return tess__fft_make_split(line, fn);
    case TESS__FFT_CHIRP: return tess__fft_make_chirp(line, fn);
    default: return tess__fft_make_r2r(line, fn);
    }
}

/* A new line goes first, unless another thread was faster. */
static tess__fft_plan1d *keep(tess__fft_plan1d *line)
{
    (void)pthread_mutex_lock(&lock);
    tess__fft_plan1d *other = look_up(line->kind, line->n, line->size);
    if (other) {
        atomic_fetch_add(&other->references, 1);
    } else if (limit > 0) {
        atomic_fetch_add(&line->references, 1);
        put_first(line);
        drop_oldest(limit);
    }
    (void)pthread_mutex_unlock(&lock);
    if (!other) return line;
    tess__fft_plan1d_release(line);
    return other;
}

tess_status tess__fft_plan1d_find(tess__fft_plan1d **out, const char *fn, int kind, int64_t n, int size)
{
    (void)pthread_once(&watched, watch_forks);
    (void)pthread_mutex_lock(&lock);
    tess__fft_plan1d *line = look_up(kind, n, size);
    if (line) {
        hits++;
        atomic_fetch_add(&line->references, 1);
        take_out(line);
        put_first(line);
    } else {
        misses++;
    }
    (void)pthread_mutex_unlock(&lock);
    *out = line;
    if (line) return TESS_OK;

    line = tess__alloc(sizeof *line);
    if (line) {
        memset(line, 0, sizeof *line);
        atomic_init(&line->references, 1);
        line->kind = kind, line->n = n, line->size = size, line->bytes = sizeof *line;
        if (!make(line, fn)) {
            tess__fft_plan1d_release(line);
            line = NULL;
        }
    }
    TESS_CHECK(line, TESS_ENOMEM, "%s: no memory for the plan of a transform of %" PRId64 " elements", fn, n);
    *out = keep(line);
    return TESS_OK;
}

/* ---- Plans ---- */

void tess__fft_plan1d_hold(tess__fft_plan1d *line)
{
    (void)pthread_mutex_lock(&lock);
    if (line->held++ == 0) held_bytes += line->bytes;
    if (!line->newer) {
        atomic_fetch_add(&line->references, 1);
        put_first(line);
    }
    (void)pthread_mutex_unlock(&lock);
}

void tess__fft_plan1d_let_go(tess__fft_plan1d *line)
{
    (void)pthread_mutex_lock(&lock);
    if (--line->held == 0) held_bytes -= line->bytes;
    drop_oldest(limit);
    (void)pthread_mutex_unlock(&lock);
}

/* ---- Memory to work in ---- */

enum { KEPT_BYTES = 128 << 20 }; /* most that is kept: the system takes long to give it */

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

/* ---- What the user sees of it ---- */

tess_status tess_fft_cache_info(tess_info_fft_cache *info)
{
    TESS_CHECK(info, TESS_EARG, "fft_cache_info: info is NULL");
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
    TESS_CHECK(max >= 0, TESS_EARG, "fft_cache_limit_set: bytes is %" PRId64 "; 0 (none are kept) or more is needed",
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
