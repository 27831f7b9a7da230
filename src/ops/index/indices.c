/* Argument checks of gather, scatter, mask and sort functions. */
#include "ops/index/indices.h"

#include <inttypes.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/marks.h"
#include "core/check/output.h"
#include "tessera/device.h"

tess_status tess__check_index_array(const char *fn, const tess_array *indices)
{
    TESS_TRY(tess__check_array(fn, "indices", indices));
    const tess_kind kind = tess_dtype_kind(indices->dtype);
    TESS_CHECK(kind == TESS_KIND_INT || kind == TESS_KIND_UINT, TESS_EDTYPE,
               "%s: `indices` is %s; integers are needed%s", fn, tess_dtype_name(indices->dtype),
               kind == TESS_KIND_BOOL ? " (" TESS__MARK("tess_compress") " takes a mask)" : "");
    return TESS_OK;
}

tess_status tess__check_zeroed(const char *fn, const char *arg, const tess_array *out)
{
    TESS_CHECK(!out || tess__is_empty_out(out), TESS_EARG,
               "%s: `%s` is an allocated array, but its length is known only afterwards; pass a zeroed one", fn, arg);
    return TESS_OK;
}

tess_status tess__check_holds(const char *fn, const char *arg, const tess_array *out, int64_t max)
{
    const tess_kind kind = tess_dtype_kind(out->dtype);
    const int       bits = 8 * (int)tess__dtype_size(out->dtype);
    TESS_CHECK(kind == TESS_KIND_INT || kind == TESS_KIND_UINT, TESS_EDTYPE,
               "%s: `%s` is %s; integers are needed, as indices are i64", fn, arg, tess_dtype_name(out->dtype));
    const int64_t limit = bits == 64 ? INT64_MAX : (INT64_C(1) << (kind == TESS_KIND_INT ? bits - 1 : bits)) - 1;
    TESS_CHECK(max <= limit, TESS_EDTYPE, "%s: `%s` is %s, which cannot hold indices up to %" PRId64 "; i64 can", fn,
               arg, tess_dtype_name(out->dtype), max);
    return TESS_OK;
}

tess_status tess__take_on(const char *fn, const char *arg, tess_array *held, const tess_array **in,
                          const tess_array *out)
{
    const tess_array *given = *in;
    if (given->flags & TESS_WEAK && out->dtype < TESS_SCALAR_DTYPE_COUNT) {
        TESS_TRY(tess__make(fn, held, TESS_SHAPE(1, 1, 1, 1), out->dtype, tess_cpu(), false));
        TESS_TRY(tess__convert(held->data, out->dtype, given->data, given->dtype));
        held->shape = given->shape;
        held->strides = given->strides;
        *in = held;
        return TESS_OK;
    }
    TESS_CHECK(given->dtype == out->dtype, TESS_EDTYPE, "%s: `%s` is %s and `out` is %s; the same dtype is needed", fn,
               arg, tess_dtype_name(given->dtype), tess_dtype_name(out->dtype));
    TESS_TRY(tess__hold(held, fn, in));
    return TESS_OK;
}

tess_status tess__bring(tess_array *held, tess_device device)
{
    tess_array one = *held, there = { .data = NULL };
    if (!held->data || tess__same_device(held->device, device)) return TESS_OK;
    one.shape = TESS_SHAPE(1, 1, 1, 1);
    TESS_TRY(tess_to_device(&there, &one, device));
    there.shape = held->shape;
    there.strides = held->strides;
    tess_release(held);
    *held = there;
    return TESS_OK;
}

tess_status tess__check_on(const char *fn, const char *name, const tess_array *other, const char *arg,
                           const tess_array *in)
{
    if (in->flags & TESS_SCALAR || other->flags & TESS_SCALAR) return TESS_OK;
    TESS_TRY(tess__check_device_of(fn, name, other, arg, in));
    return TESS_OK;
}
