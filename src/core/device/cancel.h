/* Cooperative cancellation: what the calling thread works for, and whether that was cancelled.
 *
 * A call is entered by its thread and joined by the threads that help it. All of them look between tasks, by
 * tess__cancelled; once it is true, it stays so until the call ends: tasks that were skipped leave memory unwritten,
 * and the steps after them must look before they read counts or indices from it.
 */
#ifndef TESS_CORE_DEVICE_CANCEL_H
#define TESS_CORE_DEVICE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "tessera/cancel.h"
#include "tessera/error.h"

/* What can be cancelled: a call, or an item of a stream's queue. */
typedef struct tess__call {
    atomic_bool stopped;
    unsigned    began; /* calls of tess_cancel before it */
} tess__call;

typedef struct tess__call_state {
    tess__call    *call;  /* what this thread works for; NULL: nothing, or nothing that may be cancelled */
    int            depth; /* calls that were entered and not left */
    bool           asking;
    tess__call     own;
    tess_cancel_fn fn; /* the thread's callback */
    void          *user;
    int64_t        asked; /* when, in nanoseconds */
} tess__call_state;

extern _Thread_local tess__call_state tess__calling;

/* Calls of tess_cancel. */
extern atomic_uint tess__cancels;

/* The shortest time between two questions, in nanoseconds; tests change it. */
extern int64_t tess__ask_interval;

/* True once the call of this thread was cancelled. Asks the thread's callback if that is due. */
bool tess__cancelled(void);

/* True if this thread has a callback to ask: it should wait for nothing beyond tess__ask_time. */
bool tess__has_to_ask(void);

/* When the callback should be asked next, for pthread_cond_timedwait. */
struct timespec tess__ask_time(void);

static inline void tess__call_enter(void)
{
    tess__call_state *s = &tess__calling;
    if (s->depth++ > 0) return;
    atomic_store_explicit(&s->own.stopped, false, memory_order_relaxed);
    s->own.began = atomic_load_explicit(&tess__cancels, memory_order_relaxed);
    s->call = &s->own;
}

/* True if it was cancelled. A call that is part of another looks again: it may be one of many short ones. */
static inline bool tess__call_leave(void)
{
    tess__call_state *s = &tess__calling;
    const bool        stopped =
        s->depth > 1 ? tess__cancelled() : s->call && atomic_load_explicit(&s->call->stopped, memory_order_relaxed);
    if (--s->depth == 0) s->call = NULL;
    return stopped;
}

/* Work for another thread's call from now on, until tess__call_quit with what this returned. */
tess__call *tess__call_join(tess__call *call);
void        tess__call_quit(tess__call *before);

/* What the calling thread works for, for tess__call_join. */
static inline tess__call *tess__call_here(void) { return tess__calling.call; }

/* Leaves a call. If it was cancelled and is not part of another, its message gets this name, unless that is NULL. */
void tess__call_end(const char *const *fn);

/* To the end of the block all calls are parts of one of this name, which is cancelled as a whole. */
#define TESS__CALL_SCOPE_OF(name)                                                                                      \
    __attribute__((cleanup(tess__call_end))) const char *const call_scope = (tess__call_enter(), (name));              \
    (void)call_scope

/* The same in a public function, which has the name. */
#define TESS__CALL_SCOPE() TESS__CALL_SCOPE_OF(__func__ + sizeof "tess_" - 1)

/* The failing status of a cancelled function. */
TESS_COLD tess_status tess__fail_cancelled(const char *fn);

/* Fail if the call was cancelled: in loops over files. */
#define TESS__CHECK_CANCELLED(fn)                                                                                      \
    do {                                                                                                               \
        if (tess__cancelled()) return tess__fail_cancelled(fn);                                                        \
    } while (0)

#endif
