/* A gate that holds an asynchronous stream: what is queued after it runs only when the gate is opened.
 *
 * The stream gives up the last reference to some storage, and the function called for that waits on the stream's own
 * thread. Should the caller be the one to give it up, the work was done too early, and the gate tries again.
 */
#ifndef TESS_TEST_GATE_H
#define TESS_TEST_GATE_H

#include <pthread.h>

#include "support/test.h"

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    pthread_t       owner;
    bool            open, waiting, missed;
    float           cell;
} gate;

static inline void gate_pass(void *context)
{
    gate *g = context;
    (void)pthread_mutex_lock(&g->lock);
    if (pthread_equal(pthread_self(), g->owner)) {
        g->missed = true;
    } else {
        g->waiting = true;
        (void)pthread_cond_broadcast(&g->changed);
        while (!g->open) (void)pthread_cond_wait(&g->changed, &g->lock);
    }
    (void)pthread_mutex_unlock(&g->lock);
}

static inline bool gate_try(gate *g)
{
    const tess_wrap_opts opts = { .drop = gate_pass, .context = g };
    tess_array           plug = { 0 }, cell = { 0 };
    g->missed = false;
    bool good = CHECK_OK(tess_empty(&plug, TESS_SHAPE(1, 1, 1, 1 << 20), TESS_F32, tess_cpu())) &&
                CHECK_OK(tess_wrap(&cell, &g->cell, TESS_SHAPE(1, 1, 1, 1), TESS_F32, &opts)) &&
                CHECK_OK(tess_fill(&plug, 0)) && CHECK_OK(tess_fill(&cell, 1));
    tess_release(&cell);
    tess_release(&plug);
    return good;
}

/* Hold `stream` (asynchronous, and made current here for a moment). False, with a failed check, if it cannot be. */
static inline bool gate_close(gate *g, tess_stream *stream)
{
    tess_stream *before = tess_stream_current(tess_cpu());
    g->open = g->waiting = false;
    g->owner = pthread_self();
    (void)pthread_mutex_init(&g->lock, NULL);
    (void)pthread_cond_init(&g->changed, NULL);
    bool good = CHECK_OK(tess_stream_set_current(stream));
    for (int i = 0; i < 100 && good && (i == 0 || g->missed); i++) good = gate_try(g);
    good = good && CHECK(!g->missed);
    (void)pthread_mutex_lock(&g->lock);
    while (good && !g->waiting) (void)pthread_cond_wait(&g->changed, &g->lock);
    (void)pthread_mutex_unlock(&g->lock);
    return CHECK_OK(tess_stream_set_current(before)) && good;
}

static inline void gate_open(gate *g)
{
    (void)pthread_mutex_lock(&g->lock);
    g->open = true;
    (void)pthread_cond_broadcast(&g->changed);
    (void)pthread_mutex_unlock(&g->lock);
}

#endif
