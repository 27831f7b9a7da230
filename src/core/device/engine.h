/* Dispatch of checked requests to the backend of their arrays. */
#ifndef TESS_CORE_DEVICE_ENGINE_H
#define TESS_CORE_DEVICE_ENGINE_H

#include "backend.h"
#include "core/array/layout.h"

/* Plan the loop nest of an element-wise request, over the shape of `out` (operand 0). */
void tess__ewise_plan(tess__ewise *work, const tess_array *out, const tess_array *const *inputs, int n_inputs);

/* Submit n planned requests to the current stream of a device. */
tess_status tess__ewise_submit(const tess__ewise *work, int n, tess_device device);

/* Both, for one request; `row` is what tess__row_of says of the arrays. */
tess_status tess__ewise_run_row(tess__ewise *work, int64_t row, const tess_array *out, const tess_array *const *inputs,
                                int n_inputs);

static inline tess_status tess__ewise_run(tess__ewise *work, const tess_array *out, const tess_array *const *inputs,
                                          int n_inputs)
{
    return tess__ewise_run_row(work, tess__row_of(out, inputs, n_inputs), out, inputs, n_inputs);
}

/* A planned request in the host's memory, complete when it returns. */
tess_status tess__ewise_now(const tess__ewise *work);

/* Set every element of `out`, on any device, to the one at `element`, in the host's memory. */
tess_status tess__fill_run(const char *fn, const tess_array *out, const void *element);

/* Bytes from one device to another, behind the work of their current streams. */
tess_status tess__transfer_run(const tess__transfer *work);

/* Each kind of request on the current stream of the device that requests.def names. */
#define REQUEST_OWN(kind, device) tess_status tess__##kind##_run(const tess__##kind *work);
#define REQUEST(kind, device, arrays) REQUEST_OWN(kind, device)
#define REQUEST_HOST(kind, arrays) REQUEST_OWN(kind, )
#define REQUEST_ON(kind)
#define REQUEST_MANY(kind)
#include "requests/requests.def"

/* The plan of transforms like `work`, created and held by `*backend`, which also releases it; see backend.h. */
tess_status tess__fft_plan_prepare(void **held, const tess__backend **backend, const tess__fft *work,
                                   tess_info_fft_plan *info);

/* A user-defined operator on a stream. */
tess_status tess__op_call_run(const tess__op_call *work, tess_stream *stream);

/* One element on the host converted now, whatever the current stream: clamping, no complex to real. */
tess_status tess__convert(void *out, tess_dtype to, const void *in, tess_dtype from);

#endif
