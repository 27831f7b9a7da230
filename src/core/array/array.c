/* Array descriptors: storage allocated or wrapped, and the addresses of elements. */
#include "tessera/array.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend.h"
#include "core/check/check.h"
#include "core/device/device.h"
#include "core/array/layout.h"
#include "core/check/output.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "tessera/version.h"

_Static_assert(sizeof(tess_array) == 96, "the layout of tess_array is part of the ABI");

const char *tess_version(void) { return TESS_VERSION; }

int tess_version_number(void) { return TESS_VERSION_NUMBER; }

tess_status tess_empty(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device)
{
    TESS_TRY(tess__output("empty", out, shape, dtype, device));
    return TESS_OK;
}

tess_status tess_like(tess_array *out, const tess_array *in)
{
    TESS_TRY(tess__check_array("like", "in", in));
    TESS_TRY(tess__output("like", out, in->shape, in->dtype, in->device));
    return TESS_OK;
}

tess_status tess_empty_pinned(tess_array *out, tess_shape shape, tess_dtype dtype)
{
    TESS_TRY(tess__check_pointer("empty_pinned", "out", out));
    if (!tess__is_empty_out(out)) {
        TESS_TRY(tess__output("empty_pinned", out, shape, dtype, tess_cpu()));
        return TESS_OK;
    }
    TESS_TRY(tess__check_dtype("empty_pinned", "dtype", dtype));
    TESS_TRY(tess__check_shape("empty_pinned", "shape", shape, dtype));
    const tess__backend *backend = NULL;
    TESS_TRY(tess__backend_need(&backend, "empty_pinned", tess_gpu(0)));
    tess_array made = { .shape = shape, .strides = tess_strides_contiguous(shape, 'C'), .dtype = dtype };
    TESS_TRY(backend->buffer_pinned(&made.buffer, "empty_pinned", tess_n_bytes(&made)));
    made.data = made.buffer->data;
    *out = made;
    return TESS_OK;
}

static const tess_arg_info wrap_args[] = {
    TESS__FIELD(tess_wrap_opts, strides, const tess_strides *, TESS_ARG_RESULT, 0, 0, 0, NULL, "elements", "strides"),
    TESS__OPT_I64(tess_wrap_opts, offset, "elements", 0, -0x1p62, 0x1p62, "offset from data to element (0,0,0,0)"),
    TESS__OPT_I64(tess_wrap_opts, length, "elements", 0, 0, 0x1p62, "number of elements in data; 0: not checked"),
    TESS__FLAG(tess_wrap_opts, read_only, "reject the array as an output"),
};
static const tess_function_info wrap_info =
    TESS__INFO_OPTS("wrap", "array", "Wrap memory of the caller as an array.", wrap_args, tess_wrap_opts);

/* Strides of dimensions of size 1 are never walked; ones so large that arithmetic on them could overflow become
 * the contiguous ones. */
static tess_strides tame(tess_strides strides, tess_shape shape)
{
    const tess_strides plain = tess_strides_contiguous(shape, 'C');
    for (int k = 0; k < 4; k++) {
        const bool huge = strides.dim[k] > TESS__MAX_BYTES / 128 || strides.dim[k] < -TESS__MAX_BYTES / 128;
        if (shape.dim[k] <= 1 && huge) strides.dim[k] = plain.dim[k];
    }
    return strides;
}

/* The view's elements are elements offset+lowest to offset+highest of memory that has `length` of them. */
static tess_status check_region(const tess_array *a, const tess_wrap_opts *o)
{
    int64_t lowest, highest;
    char    shape[TESS__SHAPE_TEXT], strides[TESS__SHAPE_TEXT];
    TESS_CHECK(tess__extent_checked(a->shape.dim, a->strides.dim, tess__dtype_size(a->dtype), &lowest, &highest),
               TESS_ESHAPE, "wrap: shape %s with strides %s reaches beyond what can be addressed",
               tess__shape_text(shape, a->shape.dim), tess__shape_text(strides, a->strides.dim));
    const int64_t farthest = TESS__MAX_BYTES / tess__dtype_size(a->dtype);
    TESS_CHECK(o->offset >= -farthest - lowest && o->offset <= farthest - highest, TESS_ERANGE,
               "wrap: `opts->offset` is %" PRId64 "; with shape %s and strides %s, %" PRId64 " to %" PRId64
               " can be addressed",
               o->offset, tess__shape_text(shape, a->shape.dim), tess__shape_text(strides, a->strides.dim),
               -farthest - lowest, farthest - highest);
    if (o->length == 0 || tess_is_empty(a)) return TESS_OK;
    TESS_CHECK(o->offset + lowest >= 0 && o->offset + highest < o->length, TESS_ERANGE,
               "wrap: shape %s with strides %s and offset %" PRId64 " covers elements %" PRId64 " to %" PRId64
               "; `opts->length` is %" PRId64 ", so element indices must be 0 to %" PRId64,
               tess__shape_text(shape, a->shape.dim), tess__shape_text(strides, a->strides.dim), o->offset,
               o->offset + lowest, o->offset + highest, o->length, o->length - 1);
    return TESS_OK;
}

/* GPU memory that is wrapped as the CPU's would crash at its first use. */
static tess_status check_memory_device(const void *data, tess_device device, const tess__backend *backend)
{
    if (backend->check_memory) TESS_TRY(backend->check_memory("wrap", data, device));
    if (device.kind == TESS_CPU) TESS_TRY(tess__backend_of(TESS_GPU)->check_host("wrap", data));
    return TESS_OK;
}

tess_status tess_wrap(tess_array *out, void *data, tess_shape shape, tess_dtype dtype, const tess_wrap_opts *opts)
{
    tess_wrap_opts o;
    TESS_TRY(tess__check_pointer("wrap", "out", out));
    TESS_TRY(tess__resolve(&wrap_info, opts, &o));
    TESS_TRY(tess__check_dtype("wrap", "dtype", dtype));
    TESS_TRY(tess__check_shape("wrap", "shape", shape, dtype));
    const tess__backend *backend;
    TESS_TRY(tess__backend_need(&backend, "wrap", o.device));
    tess_array made = { .shape = shape, .dtype = dtype, .device = o.device };
    made.strides = o.strides ? tame(*o.strides, shape) : tess_strides_contiguous(shape, 'C');
    made.flags = o.read_only ? TESS_READ_ONLY : 0;
    TESS_CHECK(data || tess_is_empty(&made), TESS_EARG, "wrap: `data` is `NULL`, but the shape has elements");
    TESS_CHECK((uintptr_t)data % (uintptr_t)tess__dtype_alignment(dtype) == 0, TESS_EARG,
               "wrap: `data` is %p, which is not aligned for %s; a multiple of %d bytes is needed", data,
               tess_dtype_name(dtype), (int)tess__dtype_alignment(dtype));
    TESS_TRY(check_region(&made, &o));
    if (data && !tess_is_empty(&made)) TESS_TRY(check_memory_device(data, o.device, backend));
    made.data = data ? (char *)data + o.offset * tess__dtype_size(dtype) : NULL;
    if (o.drop) TESS_TRY(tess__buffer_wrap(&made.buffer, "wrap", data, o.device, o.drop, o.context));
    *out = made;
    return TESS_OK;
}

tess_status tess__span(void **data, const tess_array *a, tess_dtype dtype)
{
    char fn[24];
    (void)snprintf(fn, sizeof fn, "as_%s", tess_dtype_name(dtype));
    TESS_TRY(tess__check_pointer(fn, "span", data));
    TESS_TRY(tess__check_array(fn, "a", a));
    TESS_CHECK(a->dtype == dtype, TESS_EDTYPE, "%s: `a` has dtype %s; %s is needed", fn, tess_dtype_name(a->dtype),
               tess_dtype_name(dtype));
    TESS_TRY(tess__check_on_host(fn, "a", a));
    TESS_CHECK(!(a->flags & TESS_READ_ONLY), TESS_EWRITE, "%s: `a` is read-only, but a span allows writing", fn);
    TESS_TRY(tess__sync(fn, a->device));
    *data = a->data;
    return TESS_OK;
}

void *tess_address(const tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w)
{
    static const char *const names[4] = { "b", "d", "h", "w" };
    int64_t                  index[4] = { b, d, h, w };
    if (tess__check_array("address", "a", a) != TESS_OK) return NULL;
    int64_t offset = 0;
    for (int k = 0; k < 4; k++) {
        if (tess__check_index("address", names[k], k, a->shape.dim[k], &index[k]) != TESS_OK) return NULL;
        offset += index[k] * a->strides.dim[k];
    }
    return (char *)a->data + offset * tess__dtype_size(a->dtype);
}
