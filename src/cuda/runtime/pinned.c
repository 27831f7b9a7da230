/* Page-locked (pinned) memory of the host. */
#include "cuda/runtime/pinned.h"

#include "core/device/memory.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/pointer_info.h"

/* Any device that works will do, since the memory is for all of them. */
static void drop(void *memory)
{
    for (int i = 0; i < TESS__CUDA_DEVICES; i++) {
        tess__cuda_call    call;
        tess__cuda_device *device = tess__cuda_device_known(i);
        if (!device || !tess__cuda_begin_quietly(&call, device)) continue;
        (void)tess__driver.host_release(memory);
        tess__cuda_end(&call);
        return;
    }
}

static tess_status begin_on_any(tess__cuda_call *call, const char *fn)
{
    TESS_TRY(tess__driver_need(fn, 0));
    for (int i = 0; i < tess__driver_devices(); i++)
        if (tess__cuda_begin_on(call, fn, i) == TESS_OK) return TESS_OK;
    TESS_TRY(tess__cuda_begin_on(call, fn, 0)); /* for the message */
    return TESS_OK;
}

static tess_status take(void **memory, const char *fn, int64_t size)
{
    tess__cuda_call call;
    TESS_TRY(begin_on_any(&call, fn));
    const size_t    bytes = size ? (size_t)size : 1;
    tess__cu_result code = tess__driver.host_allocate(memory, bytes, TESS__CU_HOST_PORTABLE);
    if (code == TESS__CU_OUT_OF_MEMORY) {
        tess__cuda_free_up(&call);
        code = tess__driver.host_allocate(memory, bytes, TESS__CU_HOST_PORTABLE);
    }
    tess__cuda_end(&call);
    TESS_CHECK(code != TESS__CU_OUT_OF_MEMORY, TESS_ENOMEM, "%s: no memory for %lld bytes of page-locked memory", fn,
               (long long)size);
    TESS_TRY(tess__cuda_status(&call, "host_allocate", code));
    return TESS_OK;
}

tess_status tess__cuda_buffer_pinned(tess_buffer **out, const char *fn, int64_t size)
{
    void *memory = NULL;
    TESS_TRY(take(&memory, fn, size));
    const tess_status status = tess__buffer_counted(out, fn, memory, size, drop, memory);
    if (status != TESS_OK) drop(memory);
    TESS_TRY(status);
    return TESS_OK;
}

bool tess__cuda_is_pinned(const tess_buffer *buffer) { return buffer && buffer->drop == drop; }

static bool locked_at(const char *byte)
{
    tess__cuda_pointer pointer;
    return tess__cuda_pointer_of(&pointer, byte) == 0 && pointer.type == TESS__CU_MEMORY_TYPE_HOST;
}

bool tess__cuda_is_locked(const void *memory, int64_t size)
{
    const char *first = memory;
    return locked_at(first) && locked_at(first + size - 1);
}
