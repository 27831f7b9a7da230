/* Cooperative cancellation: a flag for each call, a counter of cancellations, and the calling thread's callback. */
#define _GNU_SOURCE
#include "core/device/cancel.h"

#include "core/check/error.h"

#ifdef CLOCK_MONOTONIC_COARSE
#define QUICK_CLOCK CLOCK_MONOTONIC_COARSE /* some milliseconds exact, and read in a few nanoseconds */
#else
#define QUICK_CLOCK CLOCK_MONOTONIC
#endif

_Thread_local tess__call_state tess__calling;
atomic_uint                    tess__cancels;
int64_t                        tess__ask_interval = 20000000;

static int64_t now(void)
{
    struct timespec t = { 0 };
    (void)clock_gettime(QUICK_CLOCK, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The callback may call the library: as part of nothing that can be cancelled. */
static bool ask(tess__call_state *s)
{
    const int64_t t = now();
    if (t - s->asked < tess__ask_interval) return false;
    s->asked = t;
    s->asking = true;
    s->call = NULL;
    const bool cancels = s->fn(s->user) != 0;
    s->call = &s->own;
    s->asking = false;
    if (cancels) atomic_store_explicit(&s->own.stopped, true, memory_order_relaxed);
    return cancels;
}

bool tess__has_to_ask(void)
{
    const tess__call_state *s = &tess__calling;
    return s->fn && !s->asking && s->call == &s->own;
}

struct timespec tess__ask_time(void)
{
    struct timespec t = { 0 };
    (void)clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += (long)tess__ask_interval;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

bool tess__cancelled(void)
{
    tess__call_state *s = &tess__calling;
    tess__call       *call = s->call;
    if (!call) return false;
    if (atomic_load_explicit(&call->stopped, memory_order_relaxed)) return true;
    if (atomic_load_explicit(&tess__cancels, memory_order_relaxed) != call->began) {
        atomic_store_explicit(&call->stopped, true, memory_order_relaxed);
        return true;
    }
    return tess__has_to_ask() && ask(s);
}

tess__call *tess__call_join(tess__call *call)
{
    tess__call_state *s = &tess__calling;
    tess__call *const before = s->call;
    s->depth++;
    s->call = call;
    return before;
}

void tess__call_quit(tess__call *before)
{
    tess__calling.depth--;
    tess__calling.call = before;
}

tess_status tess__fail_cancelled(const char *fn) { TESS_FAIL(TESS_ECANCELLED, "%s: cancelled", fn); }

void tess__call_end(const char *const *fn)
{
    const bool is_whole = tess__calling.depth == 1, stopped = tess__call_leave();
    if (is_whole && stopped && *fn && tess_error_status() == TESS_ECANCELLED)
        (void)tess__error_under(TESS_ECANCELLED, *fn);
}

void tess_cancel_set(tess_cancel_fn fn, void *user)
{
    tess__calling.fn = fn;
    tess__calling.user = user;
}

void tess_cancel_get(tess_cancel_fn *fn, void **user)
{
    if (fn) *fn = tess__calling.fn;
    if (user) *user = tess__calling.user;
}

/* Nothing here but what is safe in a signal handler. */
void tess_cancel(void) { atomic_fetch_add_explicit(&tess__cancels, 1, memory_order_relaxed); }
