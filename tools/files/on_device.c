/* Arrays between the host and the device that computes. */
#include "files/on_device.h"

tess_status move_array(tess_array *array, tess_device device)
{
    const bool is_there = array->device.kind == device.kind && array->device.index == device.index;
    tess_array there = { 0 };
    if (!array->data || is_there || (array->flags & TESS_SCALAR)) return TESS_OK;
    TESS_TRY(tess_to_device(&there, array, device));
    tess_release(array);
    *array = there;
    return TESS_OK;
}
