/* One element at a time, by value: checked, converted, after queued work. */
#include "core/check.h"
#include "core/engine.h"

/* Address of an element that the host can read and write now. */
static tess_status locate(const char *fn, const tess_array *a, const int64_t place[4], void **address)
{
    static const char *const names[4] = { "b", "d", "h", "w" };
    char                     name[24];
    int64_t                  offset = 0;
    TESS_TRY(tess__check_array(fn, "a", a));
    TESS_CHECK(tess_dtype_kind(a->dtype) != TESS_KIND_COMPOUND, TESS_EDTYPE,
               "%s: a has dtype %s; a number is needed: tess_reinterpret it", fn, tess_dtype_name(a->dtype));
    TESS_CHECK(a->device.kind == TESS_CPU, TESS_EDEVICE, "%s: a is on %s; bring it here with tess_to_device", fn,
               tess_device_name(a->device, name, sizeof name));
    for (int k = 0; k < 4; k++) {
        int64_t index = place[k];
        TESS_TRY(tess__check_index(fn, names[k], k, a->shape.dim[k], &index));
        offset += index * a->strides.dim[k];
    }
    TESS_TRY(tess__sync(fn, a->device));
    *address = (char *)a->data + offset * tess__dtype_size(a->dtype);
    return TESS_OK;
}

static tess_status get(const char *fn, void *value, tess_dtype dtype, const tess_array *a, const int64_t place[4])
{
    void *address;
    TESS_TRY(tess__check_pointer(fn, "value", value));
    TESS_TRY(locate(fn, a, place, &address));
    TESS_CHECK(dtype == TESS_C64 || tess_dtype_kind(a->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: a has dtype %s; use tess_get_c64, or tess_real_view and tess_imag_view", fn,
               tess_dtype_name(a->dtype));
    TESS_TRY(tess__convert(value, dtype, address, a->dtype));
    return TESS_OK;
}

static tess_status set(const char *fn, tess_array *a, const int64_t place[4], const void *value, tess_dtype dtype)
{
    void *address;
    TESS_TRY(locate(fn, a, place, &address));
    TESS_TRY(tess__check_writable(fn, "a", a));
    TESS_CHECK((dtype == TESS_C64) == (tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX), TESS_EDTYPE,
               "%s: a has dtype %s; complex arrays take complex values (tess_set_c64), others do not", fn,
               tess_dtype_name(a->dtype));
    TESS_TRY(tess__convert(address, a->dtype, value, dtype));
    return TESS_OK;
}

#define ACCESS(suffix, DTYPE, type)                                                                                    \
    tess_status tess_get_##suffix(type *value, const tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w)        \
    {                                                                                                                  \
        const int64_t place[4] = { b, d, h, w };                                                                       \
        TESS_TRY(get("get_" #suffix, value, DTYPE, a, place));                                                         \
        return TESS_OK;                                                                                                \
    }                                                                                                                  \
    tess_status tess_set_##suffix(tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w, type value)               \
    {                                                                                                                  \
        const int64_t place[4] = { b, d, h, w };                                                                       \
        TESS_TRY(set("set_" #suffix, a, place, &value, DTYPE));                                                        \
        return TESS_OK;                                                                                                \
    }

ACCESS(f64, TESS_F64, double)
ACCESS(i64, TESS_I64, int64_t)
ACCESS(c64, TESS_C64, tess_c64)
