/* CUDA backend: its table of functions. */
#include "cuda/cuda.h"

#include "cuda/jit/cubins.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/pinned.h"
#include "cuda/runtime/pointer_info.h"
#include "cuda/runtime/stream.h"

static int count(void)
{
    const int n = tess__driver_devices();
    return n < TESS__CUDA_DEVICES ? n : TESS__CUDA_DEVICES;
}

static tess_status why_none(const char *fn, tess_device device)
{
    TESS_TRY(tess__driver_need(fn, device.index));
    return TESS_OK;
}

/* ---- Requests put on a stream, which holds what they use of a GPU's memory until they are done ---- */

static void use(tess__cuda_call *call, const tess_array *array)
{
    if (array->data && array->device.kind == TESS_GPU) tess__cuda_use(call, array->buffer);
}

#define ARRAY(member) use(&call, &work->member);
#define BUFFER(member) tess__cuda_use(&call, work->member);
#define REQUEST(kind, device, arrays)                                                                                  \
    static tess_status kind##_submit(tess_stream *stream, const tess__##kind *work)                                    \
    {                                                                                                                  \
        tess__cuda_call call;                                                                                          \
        TESS_TRY(tess__cuda_begin(&call, work->name, stream));                                                         \
        arrays;                                                                                                        \
        const tess_status status = tess__cuda_##kind(&call, work);                                                     \
        tess__cuda_end(&call);                                                                                         \
        TESS_TRY(status);                                                                                              \
        return TESS_OK;                                                                                                \
    }
#define REQUEST_HOST(kind, arrays)
#define REQUEST_OWN(kind, device)
#define REQUEST_ON(kind)
#define REQUEST_MANY(kind)
#include "requests/requests.def"

const tess__backend tess__cuda_backend = {
    .name = "gpu",
    .count = count,
    .why_none = why_none,
    .info = tess__cuda_info,
    .buffer_new = tess__cuda_buffer_new,
    .buffer_pinned = tess__cuda_buffer_pinned,
    .check_memory = tess__cuda_check_memory,
    .check_host = tess__cuda_check_host,
    .memory_used = tess__cuda_memory_used,
    .memory_limit = tess__cuda_memory_limit,
    .memory_trim = tess__cuda_memory_trim,
    .finish_others = tess__cuda_finish_others,
    .kernel_cache = tess__cubin_folder,
    .stream_default = tess__cuda_stream_default,
    .stream_new = tess__cuda_stream_new,
    .stream_adopt = tess__cuda_stream_adopt,
    .stream_handle = tess__cuda_stream_handle,
    .stream_free = tess__cuda_stream_free,
    .stream_finish = tess__cuda_stream_finish,
    .stream_sync = tess__cuda_stream_sync,
    .stream_busy = tess__cuda_stream_busy,
    .event_new = tess__cuda_event_new,
    .event_free = tess__cuda_event_free,
    .event_record = tess__cuda_event_record,
    .event_sync = tess__cuda_event_sync,
    .event_wait = tess__cuda_event_wait,
    .event_busy = tess__cuda_event_busy,
    .event_elapsed = tess__cuda_event_elapsed,
    .transfer = tess__cuda_transfer,
    .op_prepare = tess__cuda_op_prepare,
    .fft_prepare = tess__cuda_fft_prepare,
#define REQUEST(kind, device, arrays) .kind = kind##_submit,
#define REQUEST_HOST(kind, arrays)
#define REQUEST_OWN(kind, device) .kind = tess__cuda_##kind,
#define REQUEST_ON(kind) .kind = tess__cuda_##kind,
#define REQUEST_MANY(kind) .kind = tess__cuda_##kind,
#include "requests/requests.def"
};
