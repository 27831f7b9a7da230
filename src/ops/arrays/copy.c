/* Strided copies and transpositions on one device: any strides to any strides, axes in another order. */
#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/array/view.h"

static const tess_arg_info copy_args[] = {
    TESS__OUT("out", "the copy; any strides"),
    TESS__IN("in", "array to copy; broadcast to out"),
};
TESS__CALL(copy, v[0].out, v[1].in)
const tess_function_info tess__info_copy = TESS__OP(TESS_CUT_ELEMENTS, copy, "array", "Copy an array.", copy_args);

static const tess_arg_info permute_copy_args[] = {
    TESS__OUT("out", "the copy; any strides"),
    TESS__IN("in", "array to copy"),
    TESS__NEED(TESS_ARG_AXES, "axes", "axis of in that becomes axis b, d, h and w of out"),
};
TESS__CALL(permute_copy, v[0].out, v[1].in, v[2].axes[0], v[2].axes[1], v[2].axes[2], v[2].axes[3])
const tess_function_info tess__info_permute_copy =
    TESS__OP(TESS_CUT_NONE, permute_copy, "array", "Copy an array with its axes permuted.", permute_copy_args,
             .metadata = TESS_METADATA_PERMUTED);

/* `in` has been checked; `arg` is what messages call it. A copy of an array onto itself does nothing, unless its axes
 * are exchanged. */
static tess_status copy(const char *fn, tess_array *out, const char *arg, const tess_array *in, bool onto_itself)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    const bool made = tess__is_empty_out(out);
    if (made) {
        TESS_TRY(tess__make(fn, out, in->shape, in->dtype, in->device, false));
    } else {
        TESS_TRY(tess__check_writable(fn, "out", out));
        TESS_CHECK(in->dtype == out->dtype, TESS_EDTYPE,
                   "%s: `in` is %s and `out` is %s; the same dtype is needed, or `tess_cast`", fn,
                   tess_dtype_name(in->dtype), tess_dtype_name(out->dtype));
        TESS_TRY(tess__check_broadcast(fn, arg, in, "out", &out->shape));
        if (!(in->flags & TESS_SCALAR)) TESS_TRY(tess__check_same_device(fn, out, arg, in));
        TESS_TRY(tess__check_overlap(fn, out, arg, in, onto_itself || tess__same_view(out, in)));
    }
    tess__ewise work;
    work.name = fn;
    work.kind = TESS__COPY;
    /* A scalar of the caller's, which is valid only during the call, is filled in. */
    TESS_TRY(tess__finish(
        in->flags & TESS_SCALAR ? tess__fill_run(fn, out, in->data) : tess__ewise_run(&work, out, &in, 1), out, made));
    return TESS_OK;
}

tess_status tess_copy(tess_array *out, const tess_array *in)
{
    TESS_TRY(tess__check_array("copy", "in", in));
    TESS_TRY(copy("copy", out, "in", in, true));
    return TESS_OK;
}

tess_status tess_permute_copy(tess_array *out, const tess_array *in, int b, int d, int h, int w)
{
    TESS_TRY(tess__check_array("permute_copy", "in", in));
    tess_array permuted;
    TESS_TRY(tess__permute("permute_copy", &permuted, in, b, d, h, w));
    TESS_TRY(copy("permute_copy", out, "in with its axes permuted", &permuted, false));
    return TESS_OK;
}
