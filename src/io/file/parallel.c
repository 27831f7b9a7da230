/* Parallel tasks over a file: threads take the next task from an atomic counter; the first failure stops all. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/device/cancel.h"
#include "core/check/error.h"
#include "core/device/device.h"
#include "core/device/float_env.h"
#include "io/file/file.h"

enum { MAX_THREADS = 64 };

typedef struct team {
    tess_status (*task)(void *context, int64_t i);
    void           *context;
    tess__call     *call; /* that it is part of */
    int64_t         n;
    _Atomic int64_t next;
    atomic_bool     stop;
    pthread_mutex_t lock;
    tess_status     status; /* of the first that failed */
    int             system_error;
    char            message[1024]; /* with its marks */
} team;

static void note_failure(team *t, tess_status status)
{
    (void)pthread_mutex_lock(&t->lock);
    if (t->status == TESS_OK) {
        t->status = status;
        t->system_error = tess_error_errno();
        (void)snprintf(t->message, sizeof t->message, "%s", tess_error_marked());
    }
    (void)pthread_mutex_unlock(&t->lock);
    atomic_store(&t->stop, true);
}

static void *work(void *argument)
{
    TESS__FLOAT_SCOPE();
    team       *t = argument;
    const int   before = tess__threads_cap(1);
    tess__call *call_before = tess__call_join(t->call);
    while (!atomic_load(&t->stop) && !tess__cancelled()) {
        const int64_t i = atomic_fetch_add(&t->next, 1);
        if (i >= t->n) break;
        const tess_status status = t->task(t->context, i);
        if (status != TESS_OK) note_failure(t, status);
    }
    tess__call_quit(call_before);
    (void)tess__threads_cap(before);
    return NULL;
}

static tess_status alone(int64_t n, tess_status (*task)(void *, int64_t), void *context)
{
    for (int64_t i = 0; i < n; i++) {
        TESS__CHECK_CANCELLED("file");
        TESS_TRY(task(context, i));
    }
    return TESS_OK;
}

tess_status tess__parallel_tasks(int64_t n, int threads, tess_status (*task)(void *context, int64_t i), void *context)
{
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    if (threads > n) threads = (int)n;
    if (threads <= 1) return alone(n, task, context);
    team      t = { .task = task, .context = context, .call = tess__call_here(), .n = n };
    pthread_t threads_started[MAX_THREADS];
    int       n_started = 0;
    (void)pthread_mutex_init(&t.lock, NULL);
    while (n_started < threads - 1 && pthread_create(&threads_started[n_started], NULL, work, &t) == 0) n_started++;
    (void)work(&t); /* the calling thread takes part, and does all if there are no others */
    for (int i = 0; i < n_started; i++) (void)pthread_join(threads_started[i], NULL);
    (void)pthread_mutex_destroy(&t.lock);
    TESS__CHECK_CANCELLED("file");
    if (t.status == TESS_OK) return TESS_OK;
    const tess_status status = tess__fail(t.status, __FILE__, __LINE__, __func__, "%s", t.message);
    tess__error_set_errno(t.system_error);
    return status;
}
