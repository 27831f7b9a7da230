/* The CPU's streams and events: work is done in the call, or queued for the stream's own thread. */
#ifndef TESS_CPU_RUNTIME_STREAM_H
#define TESS_CPU_RUNTIME_STREAM_H

#include "backend.h"
#include "core/device/cancel.h"
#include "core/device/float_env.h"

/* Does the work that `payload` describes. A status other than TESS_OK stays on the stream until the next sync. */
typedef tess_status tess__work_fn(const void *payload, size_t size);

/* Calls `each` for every buffer that a payload uses; NULL ones may be among them. */
typedef void tess__buffers_fn(const void *payload, size_t size, void (*each)(tess_buffer *));

/* Work for an asynchronous stream; see tess__submit. */
tess_status tess__enqueue(tess_stream *stream, const char *name, tess__work_fn *work, const void *payload, size_t size,
                          tess__buffers_fn *buffers);

/* Run `work` on the stream: now, or, on an asynchronous one, later on a copy of the payload, with a reference to its
 * buffers held until then. `name` is the operation's, for messages; NULL: it cannot be cancelled. `buffers` may be
 * NULL: it uses none. All work of the CPU goes through here, and is done in the library's floating-point environment.
 * Work that was cancelled has been begun all the same, and has released what it owns. */
static inline tess_status tess__submit(tess_stream *stream, const char *name, tess__work_fn *work, const void *payload,
                                       size_t size, tess__buffers_fn *buffers)
{
    if (stream->async) return tess__enqueue(stream, name, work, payload, size, buffers);
    TESS__FLOAT_SCOPE();
    tess__call_enter();
    const tess_status status = work(payload, size);
    return tess__call_leave() && name ? tess__fail_cancelled(name) : status;
}

tess_stream *tess__cpu_stream_default(tess_device device);
tess_status  tess__cpu_stream_new(tess_stream **out, tess_device device, const tess_stream_opts *opts);
void         tess__cpu_stream_free(tess_stream *stream);
tess_status  tess__cpu_stream_sync(tess_stream *stream);
bool         tess__cpu_stream_busy(tess_stream *stream);
bool         tess__cpu_stream_own(tess_stream *stream);

/* Events: event.c. */
tess_status tess__cpu_event_new(tess_event **out, tess_device device);
void        tess__cpu_event_free(tess_event *event);
tess_status tess__cpu_event_record(tess_event *event, tess_stream *stream);
tess_status tess__cpu_event_sync(tess_event *event);
tess_status tess__cpu_event_wait(tess_event *event, tess_stream *stream);
bool        tess__cpu_event_busy(const tess_event *event);
tess_status tess__cpu_event_elapsed(double *ms, const tess_event *start, const tess_event *end);

#endif
