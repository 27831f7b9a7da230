/* Events of CPU streams: a count of marks set and a count of marks reached. */
#include "cpu/event.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "cpu/cpu.h"
#include "cpu/queue.h"

/* Shared by its owner and by queued work that marks or waits. */
typedef struct cpu_event {
    tess_event      base;
    atomic_int      references;
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    int64_t         recorded, reached; /* marks set, marks passed */
    struct timespec when;              /* the last mark was passed */
} cpu_event;

/* A mark of an event: what queued work carries. */
typedef struct mark {
    cpu_event *event;
    int64_t    number;
} mark;

tess_status tess__cpu_event_new(tess_event **out, tess_device device)
{
    cpu_event *e = tess__alloc(sizeof *e);
    TESS_CHECK(e, TESS_ENOMEM, "event_new: no memory for %zu bytes", sizeof *e);
    memset(e, 0, sizeof *e);
    e->base.backend = &tess__cpu_backend;
    e->base.device = device;
    atomic_init(&e->references, 1);
    (void)pthread_mutex_init(&e->lock, NULL);
    (void)pthread_cond_init(&e->changed, NULL);
    *out = &e->base;
    return TESS_OK;
}

static void drop(cpu_event *e)
{
    if (atomic_fetch_sub(&e->references, 1) != 1) return;
    (void)pthread_cond_destroy(&e->changed);
    (void)pthread_mutex_destroy(&e->lock);
    tess__free(e);
}

void tess__cpu_event_free(tess_event *event) { drop((cpu_event *)event); }

static tess_status reach(const void *payload)
{
    const mark *m = payload;
    cpu_event  *e = m->event;
    (void)pthread_mutex_lock(&e->lock);
    if (m->number > e->reached) {
        e->reached = m->number;
        (void)clock_gettime(CLOCK_MONOTONIC, &e->when);
    }
    (void)pthread_cond_broadcast(&e->changed);
    (void)pthread_mutex_unlock(&e->lock);
    drop(e);
    return TESS_OK;
}

static tess_status await(const void *payload)
{
    const mark *m = payload;
    cpu_event  *e = m->event;
    (void)pthread_mutex_lock(&e->lock);
    while (e->reached < m->number) (void)pthread_cond_wait(&e->changed, &e->lock);
    (void)pthread_mutex_unlock(&e->lock);
    drop(e);
    return TESS_OK;
}

/* Hand `work` a mark and a reference of its own; both are taken back if it cannot be queued. */
static tess_status submit(tess_stream *stream, tess__work_fn *work, cpu_event *e, int64_t number)
{
    const mark m = { e, number };
    atomic_fetch_add(&e->references, 1);
    const tess_status status = tess__submit(stream, work, &m, sizeof m, NULL, 0);
    if (status != TESS_OK) drop(e);
    TESS_TRY(status);
    return TESS_OK;
}

static int64_t last_mark(cpu_event *e)
{
    (void)pthread_mutex_lock(&e->lock);
    const int64_t number = e->recorded;
    (void)pthread_mutex_unlock(&e->lock);
    return number;
}

tess_status tess__cpu_event_record(tess_event *event, tess_stream *stream)
{
    cpu_event *e = (cpu_event *)event;
    (void)pthread_mutex_lock(&e->lock);
    const int64_t number = ++e->recorded;
    (void)pthread_mutex_unlock(&e->lock);
    const tess_status status = submit(stream, reach, e, number);
    if (status != TESS_OK) { /* nobody will pass this mark */
        (void)pthread_mutex_lock(&e->lock);
        if (e->recorded == number) e->recorded--;
        (void)pthread_mutex_unlock(&e->lock);
    }
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__cpu_event_wait(tess_event *event, tess_stream *stream)
{
    cpu_event *e = (cpu_event *)event;
    TESS_TRY(submit(stream, await, e, last_mark(e)));
    return TESS_OK;
}

tess_status tess__cpu_event_sync(tess_event *event)
{
    cpu_event *e = (cpu_event *)event;
    const mark m = { e, last_mark(e) };
    atomic_fetch_add(&e->references, 1);
    return await(&m);
}

/* Constant to the caller, but the lock must be taken. */
static cpu_event *mutable_event(const tess_event *event) { return (cpu_event *)(uintptr_t)event; }

bool tess__cpu_event_busy(const tess_event *event)
{
    cpu_event *e = mutable_event(event);
    (void)pthread_mutex_lock(&e->lock);
    const bool busy = e->reached < e->recorded;
    (void)pthread_mutex_unlock(&e->lock);
    return busy;
}

static tess_status time_of(const char *arg, const tess_event *event, double *ms)
{
    cpu_event *e = mutable_event(event);
    (void)pthread_mutex_lock(&e->lock);
    const bool recorded = e->recorded > 0, reached = e->reached >= e->recorded;
    *ms = (double)e->when.tv_sec * 1e3 + (double)e->when.tv_nsec * 1e-6;
    (void)pthread_mutex_unlock(&e->lock);
    TESS_CHECK(recorded, TESS_EARG, "event_elapsed: %s was never recorded", arg);
    TESS_CHECK(reached, TESS_EARG, "event_elapsed: %s is not reached yet; tess_event_sync it first", arg);
    return TESS_OK;
}

tess_status tess__cpu_event_elapsed(double *ms, const tess_event *start, const tess_event *end)
{
    double from, to;
    TESS_TRY(time_of("start", start, &from));
    TESS_TRY(time_of("end", end, &to));
    *ms = to - from;
    return TESS_OK;
}
