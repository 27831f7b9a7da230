/* CPU streams: synchronous ones, and asynchronous ones with a work queue and a thread of their own. */
#include "cpu/runtime/stream.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/device/device.h"
#include "cpu/cpu.h"
#include "cpu/runtime/pool.h"

/* An item of the work queue, followed by its payload. */
typedef struct item {
    struct item      *next;
    const char       *name;
    tess__work_fn    *work;
    tess__buffers_fn *buffers;
    size_t            size;    /* of the payload */
    int               threads; /* limit of the thread that queued it: see core/device/device.h */
    unsigned          began;   /* calls of tess_cancel before it was queued */
    bool              cancelled;
    _Alignas(16) unsigned char payload[];
} item;

typedef struct cpu_stream {
    tess_stream     base;
    int             forks; /* number of forks when the thread was started: a child has no such thread */
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  changed; /* work came, or work is done, or the end */
    item           *first, *last;
    bool            running, ending;
    tess__call      call;          /* the item that runs */
    bool            detached;      /* freed by work of its own: the thread frees it when it ends */
    tess_status     error;         /* the first since the last sync */
    char            message[1024]; /* with its marks */
} cpu_stream;

/* The stream that every thread starts with. */
static cpu_stream default_stream = { .base = { .backend = &tess__cpu_backend, .references = 1 } };

tess_stream *tess__cpu_stream_default(tess_device device)
{
    (void)device;
    return &default_stream.base;
}

static void finish_item(item *i)
{
    if (i->buffers) i->buffers(i->payload, i->size, tess__buffer_release);
    tess__free(i);
}

/* Work that was cancelled is begun, too: its tasks are skipped, and it releases what it owns. */
static tess_status run_item(cpu_stream *s, const item *i)
{
    const int   threads = tess__threads_cap(i->threads);
    tess__call *before = tess__call_join(i->name ? &s->call : NULL);
    tess_status status = i->work(i->payload, i->size);
    if (i->name && atomic_load(&s->call.stopped)) status = tess__fail_cancelled(i->name);
    tess__call_quit(before);
    (void)tess__threads_cap(threads);
    return status;
}

/* With the lock held; the item's work is done without it. */
static void run_first(cpu_stream *s)
{
    item *i = s->first;
    s->first = i->next;
    s->running = true;
    s->call.began = i->began;
    atomic_store(&s->call.stopped, i->cancelled || atomic_load(&tess__cancels) != i->began);
    (void)pthread_mutex_unlock(&s->lock);
    const tess_status status = run_item(s, i);
    (void)pthread_mutex_lock(&s->lock);
    if (status != TESS_OK && s->error == TESS_OK) {
        s->error = status;
        (void)snprintf(s->message, sizeof s->message, "%s", tess_error_marked());
    }
    (void)pthread_mutex_unlock(&s->lock);
    finish_item(i); /* may call back into the user's code, which may fail in ways of its own */
    (void)pthread_mutex_lock(&s->lock);
    s->running = false;
    (void)pthread_cond_broadcast(&s->changed);
}

static void destroy(cpu_stream *s)
{
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    tess__free(s);
}

static void *serve(void *stream)
{
    cpu_stream *s = stream;
    tess__float_begin_thread();
    (void)pthread_mutex_lock(&s->lock);
    while (s->first || !s->ending) {
        if (s->first) run_first(s);
        else (void)pthread_cond_wait(&s->changed, &s->lock);
    }
    (void)pthread_mutex_unlock(&s->lock);
    if (s->detached) destroy(s);
    return NULL;
}

static tess_status start_thread(cpu_stream *s)
{
    sigset_t all, old;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    const int error = pthread_create(&s->thread, NULL, serve, s);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    TESS_CHECK(error == 0, TESS_ENOMEM, "stream_new: cannot create a thread for an asynchronous stream (%s)",
               strerror(error));
    return TESS_OK;
}

tess_status tess__cpu_stream_new(tess_stream **out, tess_device device, const tess_stream_opts *opts)
{
    cpu_stream *s = tess__alloc(sizeof *s);
    TESS_CHECK(s, TESS_ENOMEM, "stream_new: no memory for %zu bytes", sizeof *s);
    memset(s, 0, sizeof *s);
    s->base.backend = &tess__cpu_backend;
    s->base.device = device;
    atomic_init(&s->base.references, 1);
    s->base.async = opts->async;
    s->forks = tess__fork_count();
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->changed, NULL);
    tess_status status = TESS_OK;
    if (s->base.async) TESS_GOTO(failed, status, start_thread(s));
    *out = &s->base;
    return TESS_OK;
failed:
    destroy(s);
    return status;
}

/* True on the stream's own thread, in a callback that frees a buffer. */
static bool on_own_thread(const cpu_stream *s) { return s->base.async && pthread_equal(pthread_self(), s->thread); }

void tess__cpu_stream_free(tess_stream *stream)
{
    cpu_stream *s = (cpu_stream *)stream;
    if (s == &default_stream) return;
    if (s->base.async && s->forks != tess__fork_count()) { /* its thread and its locks are the parent's */
        tess__free(s);
        return;
    }
    if (s->base.async) {
        const bool own = on_own_thread(s);
        (void)pthread_mutex_lock(&s->lock);
        s->ending = true;
        s->detached = own;
        (void)pthread_cond_broadcast(&s->changed);
        (void)pthread_mutex_unlock(&s->lock);
        if (own) {
            (void)pthread_detach(s->thread);
            return;
        }
        (void)pthread_join(s->thread, NULL);
    }
    destroy(s);
}

static tess_status check_alive(const cpu_stream *s)
{
    TESS_CHECK(!s->base.async || s->forks == tess__fork_count(), TESS_EDEVICE,
               "stream: it was created before this process forked, and its thread exists only in the parent; create a "
               "new one here");
    return TESS_OK;
}

tess_status tess__enqueue(tess_stream *stream, const char *name, tess__work_fn *work, const void *payload, size_t size,
                          tess__buffers_fn *buffers)
{
    cpu_stream *s = (cpu_stream *)stream;
    TESS_TRY(check_alive(s));
    item *i = tess__alloc(sizeof *i + size);
    TESS_CHECK(i, TESS_ENOMEM, "stream: no memory for %zu bytes to queue the work", sizeof *i + size);
    i->next = NULL;
    i->name = name;
    i->work = work;
    i->buffers = buffers;
    i->size = size;
    i->threads = tess__threads_capped();
    i->began = atomic_load(&tess__cancels);
    i->cancelled = false;
    memcpy(i->payload, payload, size);
    if (buffers) buffers(payload, size, tess__buffer_retain);
    (void)pthread_mutex_lock(&s->lock);
    if (s->first) s->last->next = i;
    else s->first = i;
    s->last = i;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    return TESS_OK;
}

/* With the lock held: cancel the work that runs, and all that is queued. */
static void cancel_work(cpu_stream *s)
{
    atomic_store(&s->call.stopped, true);
    for (item *i = s->first; i; i = i->next) i->cancelled = true;
}

/* With the lock held: wait until nothing is left to do. The callback is asked without the lock. */
static void wait_for_work(cpu_stream *s)
{
    while (s->first || s->running) {
        if (!tess__has_to_ask()) {
            (void)pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        const struct timespec until = tess__ask_time();
        (void)pthread_cond_timedwait(&s->changed, &s->lock, &until);
        (void)pthread_mutex_unlock(&s->lock);
        const bool cancelled = tess__cancelled();
        (void)pthread_mutex_lock(&s->lock);
        if (cancelled) cancel_work(s);
    }
}

tess_status tess__cpu_stream_sync(tess_stream *stream)
{
    cpu_stream *s = (cpu_stream *)stream;
    if (!s->base.async) return TESS_OK;
    TESS_TRY(check_alive(s));
    TESS_CHECK(!on_own_thread(s), TESS_EARG,
               "stream_sync: called from work of the same stream, so it would wait for itself forever");
    char message[sizeof s->message];
    TESS__CALL_SCOPE_OF(NULL); /* the message names the operation */
    (void)pthread_mutex_lock(&s->lock);
    wait_for_work(s);
    const tess_status error = s->error;
    memcpy(message, s->message, sizeof message);
    s->error = TESS_OK;
    (void)pthread_mutex_unlock(&s->lock);
    TESS_CHECK(error == TESS_OK, error, "%s", message);
    return TESS_OK;
}

bool tess__cpu_stream_busy(tess_stream *stream)
{
    cpu_stream *s = (cpu_stream *)stream;
    if (!s->base.async || s->forks != tess__fork_count()) return false;
    (void)pthread_mutex_lock(&s->lock);
    const bool busy = s->first || s->running;
    (void)pthread_mutex_unlock(&s->lock);
    return busy;
}

bool tess__cpu_stream_own(tess_stream *stream)
{
    const cpu_stream *s = (const cpu_stream *)stream;
    return s->forks == tess__fork_count() && on_own_thread(s);
}
