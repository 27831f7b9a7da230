/* Whose memory an address is. */
#include "cuda/owner.h"

#include "cuda/driver.h"

tess_status tess__cuda_check_host(const char *fn, const void *data)
{
    static const int asked[3] = { TESS__CU_POINTER_MEMORY_TYPE, TESS__CU_POINTER_DEVICE_ORDINAL,
                                  TESS__CU_POINTER_IS_MANAGED };
    unsigned         type = 0;
    int              ordinal = -1, managed = 0; /* managed memory can be read on both sides */
    void            *values[3] = { &type, &ordinal, &managed };
    if (!tess__driver_is_open()) return TESS_OK;
    if (tess__driver.pointer_attributes(3, asked, values, (uintptr_t)data) != 0) return TESS_OK;
    TESS_CHECK(type != TESS__CU_MEMORY_TYPE_DEVICE || managed, TESS_EDEVICE,
               "%s: data is %p, memory of gpu:%d, and device is cpu; opts->device must be tess_gpu(%d)", fn, data,
               ordinal, ordinal);
    return TESS_OK;
}
