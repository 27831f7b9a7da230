/* CUDA events. */
#include <inttypes.h>

#include "core/device/memory.h"
#include "cuda/runtime/stream.h"

typedef struct cuda_event {
    struct tess_event base;
    tess__cu_event    handle;
    atomic_bool       recorded;
} cuda_event;

tess_status tess__cuda_event_new(tess_event **out, tess_device device)
{
    tess__cuda_call call;
    TESS_TRY(tess__cuda_begin_on(&call, "event_new", device.index));
    cuda_event           *e = tess__alloc(sizeof *e);
    tess__cu_event        handle = NULL;
    const tess__cu_result code = e ? tess__driver.event_new(&handle, TESS__CU_EVENT_DEFAULT) : 0;
    tess__cuda_end(&call);
    TESS_CHECK(e, TESS_ENOMEM, "event_new: no memory for %zu bytes", sizeof *e);
    if (code) tess__free(e);
    TESS_TRY(tess__cuda_status(&call, "event_new", code));
    *e = (cuda_event){ .base = { .backend = tess__backend_of(TESS_GPU), .device = device }, .handle = handle };
    *out = &e->base;
    return TESS_OK;
}

void tess__cuda_event_free(tess_event *event)
{
    cuda_event     *e = (cuda_event *)event;
    tess__cuda_call call;
    if (tess__cuda_begin_quietly(&call, tess__cuda_device_known(event->device.index))) {
        (void)tess__driver.event_free(e->handle);
        tess__cuda_end(&call);
    }
    tess__free(e);
}

tess_status tess__cuda_event_record(tess_event *event, tess_stream *stream)
{
    cuda_event     *e = (cuda_event *)event;
    tess__cuda_call call;
    TESS_CHECK(event->device.index == stream->device.index, TESS_EDEVICE,
               "event_record: `event` is of gpu:%" PRId32 " and stream of gpu:%" PRId32 "; both must be of one device",
               event->device.index, stream->device.index);
    TESS_TRY(tess__cuda_begin(&call, "event_record", stream));
    const tess__cu_result code = tess__driver.event_record(e->handle, call.stream->handle);
    tess__cuda_end(&call);
    TESS_TRY(tess__cuda_status(&call, "event_record", code));
    atomic_store(&e->recorded, true);
    return TESS_OK;
}

tess_status tess__cuda_event_sync(tess_event *event)
{
    tess__cuda_call call;
    TESS_TRY(tess__cuda_begin_on(&call, "event_sync", event->device.index));
    const tess__cu_result code = tess__driver.event_sync(((cuda_event *)event)->handle);
    tess__cuda_end(&call);
    TESS_TRY(tess__cuda_status(&call, "event_sync", code));
    return TESS_OK;
}

tess_status tess__cuda_event_wait(tess_event *event, tess_stream *stream)
{
    tess__cuda_call call;
    TESS_TRY(tess__cuda_begin(&call, "event_wait", stream));
    const tess__cu_result code = tess__driver.stream_wait(call.stream->handle, ((cuda_event *)event)->handle, 0);
    tess__cuda_end(&call);
    TESS_TRY(tess__cuda_status(&call, "event_wait", code));
    return TESS_OK;
}

bool tess__cuda_event_busy(const tess_event *event)
{
    tess__cuda_call call;
    if (!tess__cuda_begin_quietly(&call, tess__cuda_device_known(event->device.index))) return false;
    const tess__cu_result code = tess__driver.event_query(((const cuda_event *)event)->handle);
    tess__cuda_end(&call);
    return code == TESS__CU_NOT_READY;
}

tess_status tess__cuda_event_elapsed(double *ms, const tess_event *start, const tess_event *end)
{
    const cuda_event *s = (const cuda_event *)start, *e = (const cuda_event *)end;
    tess__cuda_call   call;
    float             elapsed = 0;
    TESS_CHECK(atomic_load(&s->recorded), TESS_EARG, "event_elapsed: start was never recorded");
    TESS_CHECK(atomic_load(&e->recorded), TESS_EARG, "event_elapsed: end was never recorded");
    TESS_TRY(tess__cuda_begin_on(&call, "event_elapsed", start->device.index));
    const tess__cu_result code = tess__driver.event_elapsed(&elapsed, s->handle, e->handle);
    tess__cuda_end(&call);
    TESS_CHECK(code != TESS__CU_NOT_READY, TESS_EARG,
               "event_elapsed: an event has not been reached yet; call `tess_event_sync` first");
    TESS_TRY(tess__cuda_status(&call, "event_elapsed", code));
    *ms = (double)elapsed;
    return TESS_OK;
}
