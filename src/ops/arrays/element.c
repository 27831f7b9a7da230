/* Scalar access: one element by value, checked, converted, after queued work. */
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/device/stream.h"

/* Address of an element, on its device; the work that the host queued on it is done. */
static tess_status locate(const char *fn, const tess_array *a, const int64_t position[4], void **address)
{
    static const char *const names[4] = { "b", "d", "h", "w" };
    int64_t                  offset = 0;
    TESS_TRY(tess__check_array(fn, "a", a));
    TESS_CHECK(tess_dtype_kind(a->dtype) != TESS_KIND_COMPOUND, TESS_EDTYPE,
               "%s: `a` has dtype %s; a number type is needed: `tess_reinterpret` it", fn, tess_dtype_name(a->dtype));
    for (int k = 0; k < 4; k++) {
        int64_t index = position[k];
        TESS_TRY(tess__check_index(fn, names[k], k, a->shape.dim[k], &index));
        offset += index * a->strides.dim[k];
    }
    if (a->device.kind == TESS_CPU) TESS_TRY(tess__sync(fn, a->device));
    *address = (char *)a->data + offset * tess__dtype_size(a->dtype);
    return TESS_OK;
}

/* One element between the host and another device; `bytes` are on the host. */
static tess_status move(const char *fn, const tess_array *a, void *address, void *bytes, bool out)
{
    const tess_array here = { .shape = { { 1, 1, 1, 1 } }, .data = bytes, .dtype = a->dtype };
    tess_array       there = here;
    there.data = address;
    there.buffer = a->buffer;
    there.device = a->device;
    const tess__transfer work = {
        .name = fn, .out = out ? there : here, .in = out ? here : there, .size = tess__dtype_size(a->dtype)
    };
    TESS_TRY(tess__transfer_run(&work));
    return TESS_OK;
}

static tess_status get(const char *fn, void *value, tess_dtype dtype, const tess_array *a, const int64_t position[4])
{
    void                      *address;
    _Alignas(16) unsigned char element[16];
    TESS_TRY(tess__check_pointer(fn, "value", value));
    TESS_TRY(locate(fn, a, position, &address));
    TESS_CHECK(dtype == TESS_C64 || tess_dtype_kind(a->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `a` has dtype %s; use `tess_get_c64`, or `tess_real_view` and `tess_imag_view`", fn,
               tess_dtype_name(a->dtype));
    if (a->device.kind != TESS_CPU) {
        TESS_TRY(move(fn, a, address, element, false));
        address = element;
    }
    TESS_TRY(tess__convert(value, dtype, address, a->dtype));
    return TESS_OK;
}

static tess_status set(const char *fn, tess_array *a, const int64_t position[4], const void *value, tess_dtype dtype)
{
    void                      *address;
    _Alignas(16) unsigned char element[16];
    TESS_TRY(locate(fn, a, position, &address));
    TESS_TRY(tess__check_writable(fn, "a", a));
    TESS_CHECK((dtype == TESS_C64) == (tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX), TESS_EDTYPE,
               "%s: `a` has dtype %s; complex arrays take complex values (`tess_set_c64`), others do not", fn,
               tess_dtype_name(a->dtype));
    const bool far = a->device.kind != TESS_CPU;
    TESS_TRY(tess__convert(far ? element : address, a->dtype, value, dtype));
    if (far) TESS_TRY(move(fn, a, address, element, true));
    return TESS_OK;
}

#define ACCESS(suffix, DTYPE, type)                                                                                    \
    tess_status tess_get_##suffix(type *value, const tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w)        \
    {                                                                                                                  \
        const int64_t position[4] = { b, d, h, w };                                                                    \
        TESS_TRY(get("get_" #suffix, value, DTYPE, a, position));                                                      \
        return TESS_OK;                                                                                                \
    }                                                                                                                  \
    tess_status tess_set_##suffix(tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w, type value)               \
    {                                                                                                                  \
        const int64_t position[4] = { b, d, h, w };                                                                    \
        TESS_TRY(set("set_" #suffix, a, position, &value, DTYPE));                                                     \
        return TESS_OK;                                                                                                \
    }

ACCESS(f64, TESS_F64, double)
ACCESS(i64, TESS_I64, int64_t)
ACCESS(c64, TESS_C64, tess_c64)
