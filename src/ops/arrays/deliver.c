/* Delivery of results: all that needs memory comes before the first output is written. */
#include "ops/arrays/deliver.h"

#include "core/device/stream.h"
#include "tessera/array.h"

/* A result in the dtype of its output, on its device. */
static tess_status bring(tess_array *there, const tess__wanted *w, const tess_array *result)
{
    tess_array  cast = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&cast, result, w->array->dtype, NULL));
    TESS_GOTO(done, status, tess_to_device(there, &cast, w->array->device));
done:
    tess_release(&cast);
    return status;
}

tess_status tess__deliver(const tess__outputs *out, const tess_array *const results[TESS__MAX_OUTPUTS])
{
    tess_array  there[TESS__MAX_OUTPUTS] = { { .data = NULL } };
    tess_status status = TESS_OK;
    for (int k = 0; k < out->n; k++) TESS_GOTO(done, status, bring(&there[k], &out->wanted[k], results[k]));
    for (int k = 0; k < out->n; k++) TESS_GOTO(done, status, tess_copy(out->wanted[k].array, &there[k]));
    for (int k = 0; k < out->n; k++) TESS_GOTO(done, status, tess__sync(out->fn, out->wanted[k].device));
done:
    for (int k = 0; k < out->n; k++) tess_release(&there[k]);
    return status;
}
