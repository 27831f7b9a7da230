/* Streams and events of the simulated driver: queues of work that run at once, or, when lazy, as late as may be. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/driver.h"

enum { STREAM_MAGIC = 0x737472, EVENT_MAGIC = 0x657665, NON_BLOCKING = 1, DISABLE_TIMING = 2 };

typedef struct work {
    struct work *next;
    const char  *name;
    int          place;
    void (*run)(void *argument);
    _Alignas(16) char argument[];
} work;

/* Destroyed streams and events stay, as marked, so that their handles are known to be bad. */
struct sim_stream {
    uint32_t           magic; /* 0: destroyed */
    int                device;
    bool               blocking; /* in order with the default stream */
    bool               busy;     /* somebody runs its first work */
    work              *first, **last;
    uint64_t           queued, done; /* works ever */
    struct sim_stream *next;
};

typedef struct sim_event {
    uint32_t          magic;
    int               device;
    unsigned int      flags;
    sim_stream       *stream; /* of the last record; NULL: never recorded */
    uint64_t          sequence;
    double            time; /* in ms */
    struct sim_event *next;
} sim_event;

static sim_stream    *streams;
static sim_event     *events;
static sim_stream     defaults[SIM_MOST_DEVICES];
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static void run_unlocked(work *w)
{
    pthread_mutex_unlock(sim_mutex());
    sim_set_in_host_function(true);
    w->run(w->argument);
    sim_set_in_host_function(false);
    pthread_mutex_lock(sim_mutex());
}

static void run_first(sim_stream *stream)
{
    work *w = stream->first;
    stream->busy = true;
    if (w->place == SIM_UNLOCKED) {
        run_unlocked(w);
    } else if (w->place == SIM_ON_DEVICE) {
        sim_memory_open(stream->device, true);
        w->run(w->argument);
        sim_memory_check(stream->device, w->name);
        sim_memory_open(stream->device, false);
    } else {
        w->run(w->argument);
    }
    stream->first = w->next;
    if (stream->first == NULL) stream->last = &stream->first;
    stream->done++;
    stream->busy = false;
    free(w);
    pthread_cond_broadcast(&changed);
}

/* Run the stream's work up to this one. Waits that were queued only ever look back, so this ends. */
static void finish(sim_stream *stream, uint64_t sequence)
{
    while (stream->done < sequence) {
        if (stream->busy) pthread_cond_wait(&changed, sim_mutex());
        else run_first(stream);
    }
}

static void drain(sim_stream *stream) { finish(stream, stream->queued); }

void sim_drain_device(int device)
{
    for (sim_stream *s = streams; s != NULL; s = s->next)
        if (s->magic != 0 && (device < 0 || s->device == device)) drain(s);
    for (int d = 0; d < SIM_MOST_DEVICES; d++)
        if (device < 0 || d == device) drain(&defaults[d]);
}

/* The default stream waits for the blocking ones, and they for it. */
static void keep_legacy_order(sim_stream *stream)
{
    sim_stream *standard = &defaults[stream->device];
    if (stream != standard) {
        if (stream->blocking) drain(standard);
        return;
    }
    for (sim_stream *s = streams; s != NULL; s = s->next)
        if (s->magic != 0 && s->device == stream->device && s->blocking) drain(s);
}

int sim_enqueue(sim_stream *stream, const char *name, int place, void (*run)(void *argument), const void *argument,
                size_t size)
{
    work *w = malloc(sizeof *w + size);
    SIM_REQUIRE(w != NULL, SIM_OUT_OF_MEMORY);
    *w = (work){ .name = name, .place = place, .run = run };
    memcpy(w->argument, argument, size);
    keep_legacy_order(stream);
    *stream->last = w;
    stream->last = &w->next;
    stream->queued++;
    if (!sim_is_lazy()) drain(stream);
    return SIM_OK;
}

int sim_submit(void *handle, const char *name, void (*run)(void *argument), const void *argument, size_t size)
{
    SIM_LOCKED();
    SIM_REQUIRE(sim_current() != NULL, SIM_INVALID_CONTEXT);
    sim_stream *stream = sim_stream_of(handle);
    SIM_REQUIRE(stream != NULL, SIM_INVALID_HANDLE);
    return sim_enqueue(stream, name, SIM_ON_DEVICE, run, argument, size);
}

/* ---- Streams ----------------------------------------------------------------------------------------------------- */

static void set_up(sim_stream *stream, int device, bool blocking)
{
    *stream = (sim_stream){ .magic = STREAM_MAGIC, .device = device, .blocking = blocking };
    stream->last = &stream->first;
}

sim_stream *sim_stream_of(void *handle)
{
    if ((uintptr_t)handle <= 2) { /* none, and the two names of the default stream */
        const sim_context *context = sim_current();
        if (context == NULL) return NULL;
        sim_stream *standard = &defaults[context->device];
        if (standard->magic == 0) set_up(standard, context->device, false);
        return standard;
    }
    sim_stream *stream = handle;
    return stream->magic == STREAM_MAGIC ? stream : NULL;
}

int sim_stream_device(const sim_stream *stream) { return stream->device; }

static int create_stream(sim_stream **out, unsigned int flags)
{
    SIM_REQUIRE(out != NULL && flags <= NON_BLOCKING, SIM_INVALID_VALUE);
    sim_stream *stream = malloc(sizeof *stream);
    SIM_REQUIRE(stream != NULL, SIM_OUT_OF_MEMORY);
    set_up(stream, sim_current()->device, flags != NON_BLOCKING);
    stream->next = streams;
    streams = stream;
    *out = stream;
    return SIM_OK;
}

SIM_API int cuStreamCreate(sim_stream **out, unsigned int flags)
{
    SIM_CALL(SIM_IN_CONTEXT);
    return create_stream(out, flags);
}

SIM_API int cuStreamCreateWithPriority(sim_stream **out, unsigned int flags, int priority)
{
    SIM_CALL(SIM_IN_CONTEXT);
    (void)priority;
    return create_stream(out, flags);
}

SIM_API int cuStreamDestroy_v2(void *handle)
{
    SIM_RELEASE();
    sim_stream *stream = (uintptr_t)handle > 2 ? sim_stream_of(handle) : NULL;
    SIM_REQUIRE(stream != NULL, SIM_INVALID_HANDLE);
    drain(stream);
    stream->magic = 0;
    return sim_sticky();
}

SIM_API int cuStreamSynchronize(void *handle)
{
    SIM_CALL(SIM_AFTER_INIT);
    sim_stream *stream = sim_stream_of(handle);
    SIM_REQUIRE(stream != NULL, SIM_INVALID_HANDLE);
    drain(stream);
    sim_pools_synchronized(stream->device);
    return SIM_OK;
}

/* A question brings the work on by one step, so that asking again and again ends. */
static int ask(sim_stream *stream, uint64_t sequence)
{
    if (stream->done < sequence && !stream->busy) run_first(stream);
    return stream->done < sequence ? SIM_NOT_READY : SIM_OK;
}

SIM_API int cuStreamQuery(void *handle)
{
    SIM_CALL(SIM_AFTER_INIT);
    sim_stream *stream = sim_stream_of(handle);
    SIM_REQUIRE(stream != NULL, SIM_INVALID_HANDLE);
    return ask(stream, stream->queued);
}

SIM_API int cuStreamGetCtx(void *handle, sim_context **context)
{
    SIM_CALL(SIM_AFTER_INIT);
    sim_stream *stream = sim_stream_of(handle);
    SIM_REQUIRE(stream != NULL, SIM_INVALID_HANDLE);
    SIM_REQUIRE(context != NULL, SIM_INVALID_VALUE);
    *context = sim_context_of(stream->device);
    return SIM_OK;
}

typedef struct host_function {
    void (*run)(void *data);
    void *data;
} host_function;

static void run_host_function(void *argument)
{
    const host_function *f = argument;
    f->run(f->data);
}

SIM_API int cuLaunchHostFunc(void *handle, void (*run)(void *data), void *data)
{
    SIM_CALL(SIM_AFTER_INIT);
    sim_stream *stream = sim_stream_of(handle);
    SIM_REQUIRE(stream != NULL, SIM_INVALID_HANDLE);
    SIM_REQUIRE(run != NULL, SIM_INVALID_VALUE);
    const host_function f = { run, data };
    return sim_enqueue(stream, "host function", SIM_UNLOCKED, run_host_function, &f, sizeof f);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

static bool is_event(const sim_event *event) { return event != NULL && event->magic == EVENT_MAGIC; }

SIM_API int cuEventCreate(sim_event **out, unsigned int flags)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(out != NULL && flags < 8, SIM_INVALID_VALUE);
    sim_event *event = calloc(1, sizeof *event);
    SIM_REQUIRE(event != NULL, SIM_OUT_OF_MEMORY);
    *event = (sim_event){ .magic = EVENT_MAGIC, .device = sim_current()->device, .flags = flags, .next = events };
    events = event;
    *out = event;
    return SIM_OK;
}

SIM_API int cuEventDestroy_v2(sim_event *event)
{
    SIM_RELEASE();
    SIM_REQUIRE(is_event(event), SIM_INVALID_HANDLE);
    event->magic = 0;
    return sim_sticky();
}

static void run_record(void *argument)
{
    sim_event      *event = *(sim_event **)argument;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    event->time = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

SIM_API int cuEventRecord(sim_event *event, void *handle)
{
    SIM_CALL(SIM_AFTER_INIT);
    sim_stream *stream = sim_stream_of(handle);
    SIM_REQUIRE(is_event(event) && stream != NULL && event->device == stream->device, SIM_INVALID_HANDLE);
    event->stream = stream;
    event->sequence = stream->queued + 1;
    return sim_enqueue(stream, "event", SIM_ON_HOST, run_record, &event, sizeof event);
}

/* A wait is for the record that was the last when it was queued. */
typedef struct moment {
    sim_stream *stream;
    uint64_t    sequence;
} moment;

static void run_wait(void *argument)
{
    const moment *m = argument;
    finish(m->stream, m->sequence);
}

SIM_API int cuStreamWaitEvent(void *handle, sim_event *event, unsigned int flags)
{
    SIM_CALL(SIM_AFTER_INIT);
    sim_stream *stream = sim_stream_of(handle);
    SIM_REQUIRE(is_event(event) && stream != NULL, SIM_INVALID_HANDLE);
    SIM_REQUIRE(flags == 0, SIM_INVALID_VALUE);
    if (event->stream == NULL || event->stream == stream) return SIM_OK;
    const moment m = { event->stream, event->sequence };
    return sim_enqueue(stream, "wait", SIM_ON_HOST, run_wait, &m, sizeof m);
}

SIM_API int cuEventQuery(sim_event *event)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(is_event(event), SIM_INVALID_HANDLE);
    return event->stream == NULL ? SIM_OK : ask(event->stream, event->sequence);
}

SIM_API int cuEventSynchronize(sim_event *event)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(is_event(event), SIM_INVALID_HANDLE);
    if (event->stream != NULL) finish(event->stream, event->sequence);
    return SIM_OK;
}

SIM_API int cuEventElapsedTime(float *ms, sim_event *start, sim_event *end)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(is_event(start) && is_event(end) && start->stream != NULL && end->stream != NULL, SIM_INVALID_HANDLE);
    SIM_REQUIRE(((start->flags | end->flags) & DISABLE_TIMING) == 0, SIM_INVALID_HANDLE);
    SIM_REQUIRE(ms != NULL, SIM_INVALID_VALUE);
    SIM_REQUIRE(start->stream->done >= start->sequence && end->stream->done >= end->sequence, SIM_NOT_READY);
    *ms = (float)(end->time - start->time);
    return SIM_OK;
}
/* CUDA 12.8 and later export the same under this name. */
SIM_API int cuEventElapsedTime_v2(float *ms, sim_event *start, sim_event *end)
{
    return cuEventElapsedTime(ms, start, end);
}

int64_t sim_live_streams(const char *what)
{
    int64_t live_streams = 0, live_events = 0, queued = 0;
    for (const sim_stream *s = streams; s != NULL; s = s->next) {
        live_streams += s->magic != 0;
        queued += (int64_t)(s->queued - s->done);
    }
    for (const sim_event *e = events; e != NULL; e = e->next) live_events += e->magic != 0;
    if (strcmp(what, "streams") == 0) return live_streams;
    if (strcmp(what, "events") == 0) return live_events;
    return strcmp(what, "work") == 0 ? queued : -1;
}
