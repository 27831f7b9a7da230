/* Streams and events: each thread's current streams, and calls of the backend. */
#include "core/device/stream.h"

#include <pthread.h>

#include "backend.h"
#include "core/check/check.h"
#include "core/device/device.h"
#include "core/check/error.h"
#include "core/table/table.h"

enum { MAX_GPUS = 32 };

/* This thread's current streams: the CPU's, then the GPUs'. NULL: the default one. */
static _Thread_local tess_stream *current[1 + MAX_GPUS];

static void drop(tess_stream *stream)
{
    if (stream && atomic_fetch_sub(&stream->references, 1) == 1) stream->backend->stream_free(stream);
}

/* A thread that ends releases its current streams. */
static pthread_key_t  at_thread_end;
static bool           have_key;
static pthread_once_t at_thread_end_once = PTHREAD_ONCE_INIT;

static void forget_current(void *unused)
{
    (void)unused;
    for (int i = 0; i <= MAX_GPUS; i++) {
        drop(current[i]);
        current[i] = NULL;
    }
}

static void make_key(void) { have_key = pthread_key_create(&at_thread_end, forget_current) == 0; }

static tess_stream **slot_of(tess_device device)
{
    if (device.kind == TESS_CPU) return &current[0];
    if (device.kind == TESS_GPU && device.index >= 0 && device.index < MAX_GPUS) return &current[1 + device.index];
    return NULL;
}

static inline tess_stream *current_of(tess_device device)
{
    tess_stream **slot = slot_of(device);
    if (!slot) return NULL;
    if (*slot) return *slot;
    const tess__backend *backend = tess__backend_of(device.kind);
    return backend ? backend->stream_default(device) : NULL;
}

tess_stream *tess_stream_current(tess_device device) { return current_of(device); }

tess_status tess__stream_need(tess_stream **stream, const char *fn, tess_device device)
{
    const tess__backend *backend = NULL;
    if (device.kind != TESS_CPU || device.index != 0) /* the CPU always exists */
        TESS_TRY(tess__backend_need(&backend, fn, device));
    *stream = current_of(device);
    if (!*stream) TESS_TRY(tess__error_under(tess_error_status(), fn)); /* a GPU that could not be opened */
    return TESS_OK;
}

tess_status tess__sync(const char *fn, tess_device device)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, fn, device));
    TESS_TRY(stream->backend->stream_sync(stream));
    return TESS_OK;
}

tess_status tess__check_waits(const char *fn, tess_device device)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, fn, device));
    TESS_CHECK(!stream->backend->stream_own || !stream->backend->stream_own(stream), TESS_EARG,
               "%s: called from work of the current stream, so it would wait for itself forever; set another stream "
               "there (`tess_stream_set_current`)",
               fn);
    return TESS_OK;
}

tess_status tess_stream_set_current(tess_stream *stream)
{
    tess_stream **slot = slot_of(stream ? stream->device : tess_cpu());
    if (stream == *slot) return TESS_OK;
    if (stream) {
        /* The key's value only has to be something other than NULL for the destructor to run. */
        (void)pthread_once(&at_thread_end_once, make_key);
        TESS_CHECK(have_key && pthread_setspecific(at_thread_end, current) == 0, TESS_ENOMEM,
                   "stream_set_current: no memory to record the stream of this thread");
        atomic_fetch_add(&stream->references, 1);
    }
    drop(*slot);
    *slot = stream;
    return TESS_OK;
}

static const tess_arg_info stream_args[] = {
    TESS__FLAG(tess_stream_opts, async, "run the work on a thread of its own"),
};
static const tess_function_info stream_info =
    TESS__INFO_OPTS("stream_new", "device", "Create a stream.", stream_args, tess_stream_opts);

tess_status tess_stream_new(tess_stream **stream, tess_device device, const tess_stream_opts *opts)
{
    tess_stream_opts o;
    TESS_TRY(tess__check_pointer("stream_new", "stream", stream));
    TESS_TRY(tess__resolve(&stream_info, opts, &o));
    const tess__backend *backend = NULL;
    TESS_TRY(tess__backend_need(&backend, "stream_new", device));
    TESS_TRY(backend->stream_new(stream, device, &o));
    return TESS_OK;
}

tess_status tess_stream_adopt(tess_stream **stream, tess_device device, void *cuda_stream)
{
    char                 name[24];
    const tess__backend *backend = NULL;
    TESS_TRY(tess__check_pointer("stream_adopt", "stream", stream));
    TESS_TRY(tess__backend_need(&backend, "stream_adopt", device));
    TESS_CHECK(backend->stream_adopt, TESS_EDEVICE,
               "stream_adopt: `device` is %s, which has no CUDA streams; a GPU is needed",
               tess_device_name(name, sizeof name, device));
    TESS_TRY(backend->stream_adopt(stream, device, cuda_stream));
    return TESS_OK;
}

void *tess_stream_handle(const tess_stream *stream)
{
    return stream && stream->backend->stream_handle ? stream->backend->stream_handle(stream) : NULL;
}

tess_stream *tess_stream_default(tess_device device)
{
    const tess__backend *backend = NULL;
    if (tess__backend_need(&backend, "stream_default", device) != TESS_OK) return NULL;
    return backend->stream_default(device);
}

void tess_stream_free(tess_stream *stream)
{
    if (stream && stream->backend->stream_finish) stream->backend->stream_finish(stream);
    drop(stream);
}

static tess_stream *or_current(tess_stream *stream) { return stream ? stream : tess_stream_current(tess_cpu()); }

tess_status tess_stream_sync(tess_stream *stream)
{
    tess_stream *s = or_current(stream);
    TESS_TRY(s->backend->stream_sync(s));
    return TESS_OK;
}

bool tess_stream_busy(tess_stream *stream)
{
    tess_stream *s = or_current(stream);
    return s->backend->stream_busy(s);
}

tess_device tess_stream_device(const tess_stream *stream) { return stream ? stream->device : tess_cpu(); }

tess_status tess_event_new(tess_event **event, tess_device device)
{
    TESS_TRY(tess__check_pointer("event_new", "event", event));
    const tess__backend *backend = NULL;
    TESS_TRY(tess__backend_need(&backend, "event_new", device));
    TESS_TRY(backend->event_new(event, device));
    return TESS_OK;
}

void tess_event_free(tess_event *event)
{
    if (event) event->backend->event_free(event);
}

static tess_status check_together(const char *fn, const tess_event *event, const tess_stream *stream)
{
    TESS_TRY(tess__check_pointer(fn, "event", event));
    char a[24], b[24];
    TESS_CHECK(event->backend == stream->backend, TESS_EDEVICE,
               "%s: `event` is of %s and stream of %s; both must be of one device", fn,
               tess_device_name(a, sizeof a, event->device), tess_device_name(b, sizeof b, stream->device));
    return TESS_OK;
}

tess_status tess_event_record(tess_event *event, tess_stream *stream)
{
    tess_stream *s = or_current(stream);
    TESS_TRY(check_together("event_record", event, s));
    TESS_TRY(event->backend->event_record(event, s));
    return TESS_OK;
}

tess_status tess_event_wait(tess_event *event, tess_stream *stream)
{
    tess_stream *s = or_current(stream);
    TESS_TRY(check_together("event_wait", event, s));
    TESS_TRY(event->backend->event_wait(event, s));
    return TESS_OK;
}

tess_status tess_event_sync(tess_event *event)
{
    TESS_TRY(tess__check_pointer("event_sync", "event", event));
    TESS_TRY(event->backend->event_sync(event));
    return TESS_OK;
}

bool tess_event_busy(const tess_event *event) { return event && event->backend->event_busy(event); }

tess_status tess_event_elapsed(double *ms, const tess_event *start, const tess_event *end)
{
    TESS_TRY(tess__check_pointer("event_elapsed", "ms", ms));
    TESS_TRY(tess__check_pointer("event_elapsed", "start", start));
    TESS_TRY(tess__check_pointer("event_elapsed", "end", end));
    char a[24], b[24];
    TESS_CHECK(start->backend == end->backend && start->device.index == end->device.index, TESS_EDEVICE,
               "event_elapsed: `start` is of %s and end of %s; both must be of one device",
               tess_device_name(a, sizeof a, start->device), tess_device_name(b, sizeof b, end->device));
    TESS_TRY(start->backend->event_elapsed(ms, start, end));
    return TESS_OK;
}
