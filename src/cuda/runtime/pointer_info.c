/* Pointer attributes: whose memory an address is. */
#include "cuda/runtime/pointer_info.h"

tess__cu_result tess__cuda_pointer_of(tess__cuda_pointer *pointer, const void *memory)
{
    static const int asked[3] = { TESS__CU_POINTER_MEMORY_TYPE, TESS__CU_POINTER_DEVICE_ORDINAL,
                                  TESS__CU_POINTER_IS_MANAGED };
    *pointer = (tess__cuda_pointer){ .type = 0, .ordinal = -1, .managed = 0 };
    void *values[3] = { &pointer->type, &pointer->ordinal, &pointer->managed };
    return tess__driver.pointer_attributes(3, asked, values, (uintptr_t)memory);
}

tess_status tess__cuda_check_memory(const char *fn, const void *data, tess_device device)
{
    tess__cuda_call    call;
    tess__cuda_pointer pointer;
    TESS_TRY(tess__cuda_begin_on(&call, fn, device.index));
    const tess__cu_result code = tess__cuda_pointer_of(&pointer, data);
    tess__cuda_end(&call);
    TESS_TRY(tess__cuda_status(&call, "pointer_attributes", code));
    TESS_CHECK(pointer.type != 0, TESS_EARG, "%s: `data` is %p, which gpu:%d cannot access; CUDA memory is needed", fn,
               data, device.index);
    TESS_CHECK(pointer.type != TESS__CU_MEMORY_TYPE_DEVICE || pointer.ordinal == device.index, TESS_EDEVICE,
               "%s: `data` is %p in the memory of gpu:%d, but `device` is gpu:%d", fn, data, pointer.ordinal,
               device.index);
    return TESS_OK;
}

tess_status tess__cuda_check_host(const char *fn, const void *data)
{
    tess__cuda_pointer pointer;
    if (!tess__driver_is_open() || tess__cuda_pointer_of(&pointer, data) != 0) return TESS_OK;
    TESS_CHECK(pointer.type != TESS__CU_MEMORY_TYPE_DEVICE || pointer.managed, TESS_EDEVICE,
               "%s: `data` is %p in the memory of gpu:%d, but `device` is cpu; `opts->device` must be tess_gpu(%d)", fn,
               data, pointer.ordinal, pointer.ordinal);
    return TESS_OK;
}
