/* Copies between devices. An array that is not one block of memory is packed into a temporary one on its device. */
#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/device.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the copy, on the device"),
    TESS__IN("in", "array to copy; broadcast to out"),
    TESS__NEED(TESS_ARG_DEVICE, "device", "device of the copy"),
};
TESS__CALL(to_device, v[0].out, v[1].in, v[2].device)
const tess_function_info tess__info_to_device =
    TESS__OP(TESS_CUT_NONE, to_device, "device", "Copy an array to a device.", args);

/* An array without the repetitions of a broadcast. */
static tess_array once(const tess_array *a)
{
    tess_array compact = *a;
    for (int k = 0; k < 4; k++)
        if (compact.strides.dim[k] == 0) compact.shape.dim[k] = 1;
    return compact;
}

/* Do both have the same layout, in one block of memory that begins with the first element? */
static bool lie_alike(const tess_array *a, const tess_array *b)
{
    int64_t last = 0;
    if (!tess__same_sizes(&a->shape, &b->shape)) return false;
    for (int k = 0; k < 4; k++) {
        const int64_t n = a->shape.dim[k], stride = a->strides.dim[k];
        if (n == 1) continue;
        if (stride != b->strides.dim[k] || stride < 1) return false;
        last += (n - 1) * stride;
    }
    return last == tess__elements(a) - 1;
}

static tess_status copy_beside(const char *fn, const tess_array *out, const tess_array *in)
{
    tess__ewise work;
    work.name = fn;
    work.kind = TESS__COPY;
    TESS_TRY(tess__ewise_run(&work, out, &in, 1));
    return TESS_OK;
}

static tess_status transfer(const char *fn, const tess_array *out, const tess_array *in)
{
    const tess__transfer work = { .name = fn, .out = *out, .in = *in, .size = tess_n_bytes(in) };
    TESS_TRY(tess__transfer_run(&work));
    return TESS_OK;
}

/* `in` is on another device than `out`, and both have elements. */
static tess_status move(const char *fn, const tess_array *out, const tess_array *in)
{
    tess_array  source = once(in), target = *out, here = { .data = NULL }, there = { .data = NULL };
    tess_status status;
    if (!lie_alike(out, &source)) {
        if (!tess__is_contiguous(&source)) {
            TESS_GOTO(done, status, tess__make(fn, &here, source.shape, source.dtype, source.device, false));
            TESS_GOTO(done, status, copy_beside(fn, &here, &source));
            source = here;
        }
        if (!tess__is_contiguous(out) || !tess__same_sizes(&out->shape, &source.shape)) {
            TESS_GOTO(done, status, tess__make(fn, &there, source.shape, source.dtype, out->device, false));
            target = there;
        }
    }
    TESS_GOTO(done, status, transfer(fn, &target, &source));
    if (there.data) TESS_GOTO(done, status, copy_beside(fn, out, &there));
done:
    tess_release(&here);
    tess_release(&there);
    return status;
}

static tess_status check_out(const tess_array *out, const tess_array *in, tess_device device)
{
    char names[2][24];
    TESS_TRY(tess__check_writable("to_device", "out", out));
    TESS_CHECK(tess__same_device(out->device, device), TESS_EDEVICE, "to_device: `device` is %s and `out` is on %s",
               tess_device_name(names[0], sizeof names[0], device),
               tess_device_name(names[1], sizeof names[1], out->device));
    TESS_CHECK(in->dtype == out->dtype, TESS_EDTYPE,
               "to_device: `in` is %s and `out` is %s; the same dtype is needed, or `tess_cast`",
               tess_dtype_name(in->dtype), tess_dtype_name(out->dtype));
    TESS_TRY(tess__check_broadcast("to_device", "in", in, "out", &out->shape));
    return TESS_OK;
}

tess_status tess_to_device(tess_array *out, const tess_array *in, tess_device device)
{
    const tess__backend *backend;
    TESS_TRY(tess__check_array("to_device", "in", in));
    TESS_TRY(tess__backend_need(&backend, "to_device", in->device));
    TESS_TRY(tess__backend_need(&backend, "to_device", device));
    TESS_TRY(tess__check_pointer("to_device", "out", out));
    const bool made = tess__is_empty_out(out);
    if (!made) TESS_TRY(check_out(out, in, device));
    if (tess__same_device(in->device, device)) {
        TESS_TRY(tess__error_under(tess_copy(out, in), "to_device"));
        return TESS_OK;
    }
    if (made) TESS_TRY(tess__make("to_device", out, in->shape, in->dtype, device, false));
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, move("to_device", out, in));
done:
    return tess__finish(status, out, made);
}
