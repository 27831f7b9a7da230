/* The output rule: outputs are allocated, or checked; and released if the operation fails. */
#include "core/check/output.h"

#include <string.h>

#include "backend.h"
#include "core/check/check.h"
#include "core/device/device.h"
#include "core/dtype.h"
#include "core/check/text.h"

tess_status tess__make(const char *fn, tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device,
                       bool zeroed)
{
    TESS_TRY(tess__check_dtype(fn, "dtype", dtype));
    TESS_TRY(tess__check_shape(fn, "shape", shape, dtype));
    const tess__backend *backend = NULL;
    TESS_TRY(tess__backend_need(&backend, fn, device));
    tess_array made = { .shape = shape, .dtype = dtype, .device = device };
    made.strides = tess_strides_contiguous(shape, 'C');
    TESS_TRY(backend->buffer_new(&made.buffer, fn, device, tess_n_bytes(&made), zeroed));
    made.data = made.buffer->data;
    *out = made;
    return TESS_OK;
}

tess_status tess__output_named(const char *fn, const char *arg, tess_array *out, tess_shape shape, tess_dtype dtype,
                               tess_device device)
{
    TESS_TRY(tess__check_pointer(fn, arg, out));
    if (tess__is_empty_out(out)) {
        TESS_TRY(tess__make(fn, out, shape, dtype, device, false));
        return TESS_OK;
    }
    TESS_TRY(tess__check_writable(fn, arg, out));
    char have[TESS__SHAPE_TEXT], want[TESS__SHAPE_TEXT];
    TESS_CHECK(memcmp(&out->shape, &shape, sizeof shape) == 0, TESS_ESHAPE, "%s: `%s` has shape %s; %s is needed", fn,
               arg, tess__shape_text(have, out->shape.dim), tess__shape_text(want, shape.dim));
    TESS_CHECK(out->dtype == dtype, TESS_EDTYPE, "%s: `%s` has dtype %s; %s is needed", fn, arg,
               tess_dtype_name(out->dtype), tess_dtype_name(dtype));
    tess_array where = { .device = device };
    TESS_TRY(tess__check_device_of(fn, arg, out, "the result", &where));
    return TESS_OK;
}

tess_status tess__output_like(const char *fn, tess_array *out, const tess_array *in, tess_dtype result)
{
    if (tess__is_empty_out(out)) {
        TESS_TRY(tess__make(fn, out, in->shape, result, in->device, false));
        return TESS_OK;
    }
    TESS_TRY(tess__output(fn, out, in->shape, out->dtype, in->device));
    TESS_TRY(tess__check_converts(fn, "out", out, result));
    TESS_TRY(tess__check_overlap(fn, out, "in", in, true));
    return TESS_OK;
}

tess_status tess__hold(tess_array *held, const char *fn, const tess_array **in)
{
    const tess_array *number = *in;
    if (!number || !(number->flags & TESS_SCALAR)) return TESS_OK;
    TESS_TRY(tess__check_array(fn, "a number", number));
    TESS_TRY(tess__make(fn, held, TESS_SHAPE(1, 1, 1, 1), number->dtype, tess_cpu(), false));
    memcpy(held->data, number->data, (size_t)tess__dtype_size(number->dtype));
    held->shape = number->shape;
    held->strides = number->strides; /* of one element, or 0 where it was broadcast */
    held->flags = number->flags & ~(uint32_t)TESS_SCALAR;
    *in = held;
    return TESS_OK;
}

tess_status tess__finish(tess_status status, tess_array *out, bool made)
{
    if (status != TESS_OK && made) tess_release(out);
    return status;
}
