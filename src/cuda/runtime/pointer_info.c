/* Pointer attributes: whose memory an address is. */
#include "cuda/runtime/pointer_info.h"

tess__cu_result tess__cuda_place_of(tess__cuda_place *place, const void *memory)
{
    static const int asked[3] = { TESS__CU_POINTER_MEMORY_TYPE, TESS__CU_POINTER_DEVICE_ORDINAL,
                                  TESS__CU_POINTER_IS_MANAGED };
    *place = (tess__cuda_place){ .type = 0, .ordinal = -1, .managed = 0 };
    void *values[3] = { &place->type, &place->ordinal, &place->managed };
    return tess__driver.pointer_attributes(3, asked, values, (uintptr_t)memory);
}

tess_status tess__cuda_check_memory(const char *fn, const void *data, tess_device device)
{
    tess__cuda_call  call;
    tess__cuda_place place;
    TESS_TRY(tess__cuda_begin_on(&call, fn, device.index));
    const tess__cu_result code = tess__cuda_place_of(&place, data);
    tess__cuda_end(&call);
    TESS_TRY(tess__cuda_status(&call, "pointer_attributes", code));
    TESS_CHECK(place.type != 0, TESS_EARG,
               "%s: data is %p, which is no memory that gpu:%d can reach; memory of CUDA's is needed", fn, data,
               device.index);
    TESS_CHECK(place.type != TESS__CU_MEMORY_TYPE_DEVICE || place.ordinal == device.index, TESS_EDEVICE,
               "%s: data is %p, memory of gpu:%d, and device is gpu:%d", fn, data, place.ordinal, device.index);
    return TESS_OK;
}

tess_status tess__cuda_check_host(const char *fn, const void *data)
{
    tess__cuda_place place;
    if (!tess__driver_is_open() || tess__cuda_place_of(&place, data) != 0) return TESS_OK;
    TESS_CHECK(place.type != TESS__CU_MEMORY_TYPE_DEVICE || place.managed, TESS_EDEVICE,
               "%s: data is %p, memory of gpu:%d, and device is cpu; opts->device must be tess_gpu(%d)", fn, data,
               place.ordinal, place.ordinal);
    return TESS_OK;
}
