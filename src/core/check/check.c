/* Argument checks, each with a message that names the argument, its value and what is allowed. */
#include "core/check/check.h"

#include <inttypes.h>

#include "core/array/overlap.h"
#include "core/check/text.h"
#include "tessera/device.h"

tess_status tess__fail_null(const char *fn, const char *arg)
{
    TESS_FAIL(TESS_EARG, "%s: `%s` is `required|NULL, which is not allowed`", fn, arg);
}

tess_status tess__check_dtype(const char *fn, const char *arg, tess_dtype dtype)
{
    TESS_CHECK(tess__dtype_valid(dtype), TESS_EDTYPE, "%s: `%s` is %d; a tess_dtype from 1 (bool) to %d (%s) is needed",
               fn, arg, (int)dtype, TESS_DTYPE_COUNT - 1, tess_dtype_name(TESS_DTYPE_COUNT - 1));
    return TESS_OK;
}

tess_status tess__check_large_shape(const char *fn, const char *arg, tess_shape shape, tess_dtype dtype)
{
    char    text[TESS__SHAPE_TEXT];
    int64_t n;
    TESS_CHECK((shape.b | shape.d | shape.h | shape.w) >= 0, TESS_ESHAPE,
               "%s: `%s` is %s; sizes of 0 or more are needed", fn, arg, tess__shape_text(text, shape.dim));
    TESS_CHECK(tess__count(shape.dim, tess__dtype_size(dtype), &n), TESS_ESHAPE,
               "%s: `%s` is %s of %s; at most 2^60 bytes can be addressed", fn, arg, tess__shape_text(text, shape.dim),
               tess_dtype_name(dtype));
    return TESS_OK;
}

tess_status tess__check_unusual_array(const char *fn, const char *arg, const tess_array *a)
{
    TESS_CHECK(a, TESS_EARG, "%s: `%s` is `NULL`; an array is needed", fn, arg);
    TESS_CHECK(a->dtype != TESS_DTYPE_NONE, TESS_EARG,
               "%s: `%s` is a released or zeroed array; an allocated array is needed", fn, arg);
    TESS_CHECK(tess__dtype_valid(a->dtype), TESS_EDTYPE,
               "%s: `%s` has dtype %d, which is invalid; was it initialised (tess_array a = {0};)?", fn, arg,
               (int)a->dtype);
    TESS_TRY(tess__check_shape(fn, arg, a->shape, a->dtype));
    TESS_CHECK(a->data || !tess__has_elements(a), TESS_EARG, "%s: `%s` has elements but its data is `NULL`", fn, arg);
    return TESS_OK;
}

tess_status tess__check_unusual_numbers(const char *fn, const char *arg, const tess_array *a)
{
    TESS_TRY(tess__check_array(fn, arg, a));
    TESS_CHECK(a->dtype < TESS_SCALAR_DTYPE_COUNT, TESS_EDTYPE,
               "%s: `%s` is %s; a real or complex type is needed (`tess_reinterpret` shows the numbers of a compound)",
               fn, arg, tess_dtype_name(a->dtype));
    return TESS_OK;
}

tess_status tess__check_ordered(const char *fn, const char *arg, tess_dtype dtype)
{
    TESS_CHECK(tess_dtype_kind(dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `%s` is %s; complex numbers have no order; a real type is needed", fn, arg, tess_dtype_name(dtype));
    return TESS_OK;
}

tess_status tess__check_axis_set(const char *fn, int axes)
{
    TESS_CHECK(
        (axes & ~TESS_ALL_AXES) == 0, TESS_ERANGE,
        "%s: `axes` is 0x%x; a set of TESS_B, TESS_D, TESS_H and TESS_W, or 0 for all, is needed (not the number "
        "of an axis)",
        fn, (unsigned)axes);
    return TESS_OK;
}

tess_status tess__check_other_dtype(const char *fn, const char *arg, const tess_array *out, tess_dtype result)
{
    const tess_kind have = tess__dtypes[out->dtype].kind, got = tess__dtypes[result].kind;
    TESS_CHECK(have != TESS_KIND_COMPOUND && got != TESS_KIND_COMPOUND &&
                   (got != TESS_KIND_COMPLEX || have == TESS_KIND_COMPLEX),
               TESS_EDTYPE, "%s: `%s` is %s and the result is %s; `%s` must be of that dtype or one it converts to", fn,
               arg, tess_dtype_name(out->dtype), tess_dtype_name(result), arg);
    return TESS_OK;
}

tess_status tess__check_axis(const char *fn, const char *arg, int *axis)
{
    TESS_CHECK(*axis >= -4 && *axis < 4, TESS_ERANGE,
               "%s: `%s` is %d; an axis from 0 (batch) to 3 (width), or -4 to -1, is needed", fn, arg, *axis);
    if (*axis < 0) *axis += 4;
    return TESS_OK;
}

tess_status tess__check_index(const char *fn, const char *arg, int axis, int64_t n, int64_t *index)
{
    static const char *const names[4] = { "batch", "depth", "height", "width" };
    TESS_CHECK(n > 0, TESS_ERANGE, "%s: `%s` is %" PRId64 "; axis %d (%s) has size 0, so no index is allowed", fn, arg,
               *index, axis, names[axis]);
    TESS_CHECK(*index >= -n && *index < n, TESS_ERANGE,
               "%s: `%s` is %" PRId64 "; axis %d (%s) has size %" PRId64 ", so %" PRId64 " to %" PRId64 " are allowed",
               fn, arg, *index, axis, names[axis], n, -n, n - 1);
    if (*index < 0) *index += n;
    return TESS_OK;
}

tess_status tess__check_rising(const char *fn, const char *arg, const double *numbers, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const double before = numbers[i > 0 ? i - 1 : 0], x = numbers[i];
        char         text[2][32];
        TESS_CHECK(before <= x, TESS_ERANGE,
                   "%s: `%s`[%" PRId64 "] is %s%s%s; the numbers must be in ascending order; infinities are allowed",
                   fn, arg, i, tess__number_text(text[0], x), i > 0 ? " after " : "",
                   i > 0 ? tess__number_text(text[1], before) : "");
    }
    return TESS_OK;
}

tess_status tess__check_unusual_output(const char *fn, const char *arg, const tess_array *a)
{
    char shape[TESS__SHAPE_TEXT], strides[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_array(fn, arg, a));
    TESS_CHECK(!(a->flags & TESS_READ_ONLY), TESS_EWRITE, "%s: `%s` is read-only; a writable array is needed", fn, arg);
    if (!tess__has_elements(a)) return TESS_OK;
    for (int k = 0; k < 4; k++)
        TESS_CHECK(a->strides.dim[k] != 0 || a->shape.dim[k] <= 1, TESS_EWRITE,
                   "%s: `%s` has shape %s and strides %s: axis %d is broadcast and cannot be written to", fn, arg,
                   tess__shape_text(shape, a->shape.dim), tess__shape_text(strides, a->strides.dim), k);
    TESS_CHECK(tess__elements_unique(a), TESS_EWRITE,
               "%s: `%s` has shape %s and strides %s: some elements share memory and cannot be written to", fn, arg,
               tess__shape_text(shape, a->shape.dim), tess__shape_text(strides, a->strides.dim));
    return TESS_OK;
}

tess_status tess__overlap_error(const char *fn, const char *other, const tess_array *out, const char *arg,
                                const tess_array *in, bool exact_alias)
{
    if (exact_alias && tess__same_view(out, in)) return TESS_OK;
    if (!tess_overlap(out, in)) return TESS_OK;
    char shape[2][TESS__SHAPE_TEXT], strides[2][TESS__SHAPE_TEXT];
    TESS_FAIL(TESS_EALIAS,
              "%s: `%s` (shape %s, strides %s) shares memory with `%s` (shape %s, strides %s); %s, or copy `%s` first",
              fn, other, tess__shape_text(shape[0], out->shape.dim), tess__shape_text(strides[0], out->strides.dim),
              arg, tess__shape_text(shape[1], in->shape.dim), tess__shape_text(strides[1], in->strides.dim),
              exact_alias ? "use exactly the same view" : "use other memory", arg);
}

tess_status tess__fail_device(const char *fn, const char *other, const tess_array *out, const char *arg,
                              const tess_array *in)
{
    char a[24], b[24];
    TESS_FAIL(TESS_EDEVICE, "%s: `%s` is on %s and `%s` on %s; copy one with `tess_to_device`", fn, arg,
              tess_device_name(a, sizeof a, in->device), other, tess_device_name(b, sizeof b, out->device));
}

tess_status tess__check_on_host(const char *fn, const char *arg, const tess_array *a)
{
    char name[24];
    TESS_CHECK(a->device.kind == TESS_CPU, TESS_EDEVICE,
               "%s: `%s` is on %s; copy it to the CPU first: `to_cpu|tess_to_device(&copy, &array, tess_cpu())`", fn,
               arg, tess_device_name(name, sizeof name, a->device));
    return TESS_OK;
}
