/* Events of CPU streams. Each record sets a new mark; a waiter keeps a reference to the mark of that time. */

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "cpu/cpu.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/stream.h"

/* A position in a stream's queue, shared by the event and by queued work that reaches it or waits for it. */
typedef struct mark {
    atomic_int      references;
    atomic_bool     reached;
    int             forks; /* number of forks when it was set: in a child, no thread will reach it */
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    struct timespec when; /* it was reached */
} mark;

typedef struct cpu_event {
    tess_event      base;
    pthread_mutex_t lock;
    mark           *last; /* NULL: never recorded */
} cpu_event;

static mark *mark_new(void)
{
    mark *m = tess__alloc(sizeof *m);
    if (!m) return NULL;
    memset(m, 0, sizeof *m);
    atomic_init(&m->references, 1);
    m->forks = tess__fork_count();
    (void)pthread_mutex_init(&m->lock, NULL);
    (void)pthread_cond_init(&m->changed, NULL);
    return m;
}

static mark *mark_retain(mark *m)
{
    if (m) atomic_fetch_add(&m->references, 1);
    return m;
}

static void mark_drop(mark *m)
{
    if (!m || atomic_fetch_sub(&m->references, 1) != 1) return;
    (void)pthread_cond_destroy(&m->changed);
    (void)pthread_mutex_destroy(&m->lock);
    tess__free(m);
}

tess_status tess__cpu_event_new(tess_event **out, tess_device device)
{
    cpu_event *e = tess__alloc(sizeof *e);
    TESS_CHECK(e, TESS_ENOMEM, "event_new: no memory for %zu bytes", sizeof *e);
    memset(e, 0, sizeof *e);
    e->base.backend = &tess__cpu_backend;
    e->base.device = device;
    (void)pthread_mutex_init(&e->lock, NULL);
    *out = &e->base;
    return TESS_OK;
}

void tess__cpu_event_free(tess_event *event)
{
    cpu_event *e = (cpu_event *)event;
    mark_drop(e->last);
    (void)pthread_mutex_destroy(&e->lock);
    tess__free(e);
}

/* Constant to the caller, but the lock must be taken. */
static mark *last_mark(const tess_event *event)
{
    cpu_event *e = (cpu_event *)(uintptr_t)event;
    (void)pthread_mutex_lock(&e->lock);
    mark *m = mark_retain(e->last);
    (void)pthread_mutex_unlock(&e->lock);
    return m;
}

/* Queued work: the payload is a pointer to the mark, with a reference of its own. */
static tess_status reach(const void *payload, size_t size)
{
    (void)size;
    mark *m = *(mark *const *)payload;
    (void)pthread_mutex_lock(&m->lock);
    (void)clock_gettime(CLOCK_MONOTONIC, &m->when);
    atomic_store(&m->reached, true);
    (void)pthread_cond_broadcast(&m->changed);
    (void)pthread_mutex_unlock(&m->lock);
    mark_drop(m);
    return TESS_OK;
}

static tess_status await(const void *payload, size_t size)
{
    (void)size;
    mark *m = *(mark *const *)payload;
    (void)pthread_mutex_lock(&m->lock);
    while (!atomic_load(&m->reached)) (void)pthread_cond_wait(&m->changed, &m->lock);
    (void)pthread_mutex_unlock(&m->lock);
    mark_drop(m);
    return TESS_OK;
}

/* The reference that `m` stands for goes to the work; if that cannot be queued, it is dropped. */
static tess_status submit(tess_stream *stream, tess__work_fn *work, mark *m)
{
    const tess_status status = tess__submit(stream, NULL, work, &m, sizeof m, NULL);
    if (status != TESS_OK) mark_drop(m);
    TESS_TRY(status);
    return TESS_OK;
}

/* The mark to wait for, with a reference; NULL if there is nothing to wait for. */
static tess_status pending(mark **out, const tess_event *event)
{
    mark      *m = last_mark(event);
    const bool reached = !m || atomic_load(&m->reached), lost = m && m->forks != tess__fork_count();
    *out = reached || lost ? NULL : m;
    if (!*out) mark_drop(m);
    TESS_CHECK(reached || !lost, TESS_EDEVICE,
               "event: it was recorded before this process forked; its stream exists only in the parent");
    return TESS_OK;
}

tess_status tess__cpu_event_record(tess_event *event, tess_stream *stream)
{
    cpu_event *e = (cpu_event *)event;
    mark      *m = mark_new();
    TESS_CHECK(m, TESS_ENOMEM, "event_record: no memory for %zu bytes", sizeof *m);
    tess_status status = TESS_OK;
    TESS_GOTO(failed, status, submit(stream, reach, mark_retain(m)));
    (void)pthread_mutex_lock(&e->lock);
    mark *before = e->last;
    e->last = m;
    (void)pthread_mutex_unlock(&e->lock);
    mark_drop(before);
    return TESS_OK;
failed:
    mark_drop(m);
    return status;
}

tess_status tess__cpu_event_wait(tess_event *event, tess_stream *stream)
{
    mark *m = NULL;
    TESS_TRY(pending(&m, event));
    if (m) TESS_TRY(submit(stream, await, m));
    return TESS_OK;
}

tess_status tess__cpu_event_sync(tess_event *event)
{
    mark *m = NULL;
    TESS_TRY(pending(&m, event));
    return m ? await(&m, sizeof m) : TESS_OK;
}

bool tess__cpu_event_busy(const tess_event *event)
{
    mark      *m = last_mark(event);
    const bool busy = m && !atomic_load(&m->reached) && m->forks == tess__fork_count();
    mark_drop(m);
    return busy;
}

static tess_status time_of(const char *arg, const tess_event *event, double *ms)
{
    mark      *m = last_mark(event);
    const bool recorded = m != NULL, reached = m && atomic_load(&m->reached);
    if (reached) *ms = (double)m->when.tv_sec * 1e3 + (double)m->when.tv_nsec * 1e-6;
    mark_drop(m);
    TESS_CHECK(recorded, TESS_EARG, "event_elapsed: %s was never recorded", arg);
    TESS_CHECK(reached, TESS_EARG, "event_elapsed: `%s` has not been reached yet; call `tess_event_sync` first", arg);
    return TESS_OK;
}

tess_status tess__cpu_event_elapsed(double *ms, const tess_event *start, const tess_event *end)
{
    double from = 0, to = 0;
    TESS_TRY(time_of("start", start, &from));
    TESS_TRY(time_of("end", end, &to));
    *ms = to - from;
    return TESS_OK;
}
