/* Data-dependent errors: failures that only the elements can cause. */
#include "core/check/data_errors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/engine.h"
#include "core/check/text.h"

static const char *position_text(char text[TESS__SHAPE_TEXT], tess_shape shape, int64_t index)
{
    int64_t position[4];
    for (int d = 3; d >= 0; d--) {
        position[d] = index % shape.dim[d];
        index /= shape.dim[d];
    }
    return tess__shape_text(text, position);
}

tess_status tess__fail_mean(const char *fn, double mean, tess_shape shape, int64_t index)
{
    char text[32], position[TESS__SHAPE_TEXT];
    TESS_FAIL(TESS_ERANGE, "%s: `means` is %s at %s; 0 to 2^53 is allowed", fn, tess__number_text(text, mean),
              position_text(position, shape, index));
}

tess_status tess__fail_infinite(const char *fn, const char *arg, double value, tess_shape shape, int64_t index)
{
    char text[32], position[TESS__SHAPE_TEXT];
    TESS_FAIL(TESS_ERANGE, "%s: `%s` is %s at %s; finite numbers are needed", fn, arg, tess__number_text(text, value),
              position_text(position, shape, index));
}

/* "indices[5]" of indices in a row, otherwise "indices at {0,0,1,5}". */
static void name_position(char *text, size_t size, tess_shape indices, int64_t number)
{
    int     long_axes = 0;
    int64_t at[4], left = number;
    char    shape[TESS__SHAPE_TEXT];
    for (int d = 3; d >= 0; d--) {
        long_axes += indices.dim[d] > 1;
        at[d] = left % indices.dim[d];
        left /= indices.dim[d];
    }
    if (long_axes <= 1) (void)snprintf(text, size, "indices[%" PRId64 "]", number);
    else (void)snprintf(text, size, "indices at %s", tess__shape_text(shape, at));
}

/* An integer of any dtype as text. */
static void integer_text(char *text, size_t size, const void *bytes, tess_dtype dtype)
{
    const int bits = 8 * (int)tess__dtype_size(dtype);
    uint64_t  u64 = 0;
    int64_t   i64;
    switch (bits) { /* one of them, as the host has it */
    case 8: u64 = *(const uint8_t *)bytes; break;
    case 16: {
        uint16_t x;
        memcpy(&x, bytes, sizeof x);
        u64 = x;
        break;
    }
    case 32: {
        uint32_t x;
        memcpy(&x, bytes, sizeof x);
        u64 = x;
        break;
    }
    default: memcpy(&u64, bytes, sizeof u64); break;
    }
    if (tess_dtype_kind(dtype) == TESS_KIND_UINT) {
        (void)snprintf(text, size, "%" PRIu64, u64);
        return;
    }
    u64 <<= 64 - bits;
    memcpy(&i64, &u64, sizeof i64);
    (void)snprintf(text, size, "%" PRId64, i64 >> (64 - bits));
}

tess_status tess__fail_index(const tess__take_put *work, int64_t number, const void *bytes)
{
    char          position[TESS__SHAPE_TEXT + 16], value[32], bounds[64];
    const int64_t n = tess__take_put_target(work)->shape.dim[work->axis];
    name_position(position, sizeof position, work->indices_shape, number);
    integer_text(value, sizeof value, bytes, work->indices.dtype);
    if (work->name_whole)
        (void)snprintf(bounds, sizeof bounds, "%s has %" PRId64 " element%s", work->name_whole, n, &"s"[n == 1]);
    else (void)snprintf(bounds, sizeof bounds, "axis %d has size %" PRId64, work->axis, n);
    TESS_CHECK(n > 0, TESS_ERANGE, "%s: %s is %s; %s, so no index is allowed", work->name, position, value, bounds);
    TESS_FAIL(TESS_ERANGE, "%s: %s is %s; %s, so %" PRId64 " to %" PRId64 " are allowed", work->name, position, value,
              bounds, -n, n - 1);
}

/* "300", "1.5", "0.5 and 2i" of an element of a real or complex dtype. */
static tess_status element_text(char *text, size_t size, const void *element, tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    char            number[2][32];
    int64_t         i64;
    uint64_t        u64;
    tess_c64        c64;
    if (kind == TESS_KIND_INT) {
        TESS_TRY(tess__convert(&i64, TESS_I64, element, dtype));
        (void)snprintf(text, size, "%" PRId64, i64);
    } else if (kind == TESS_KIND_UINT) {
        TESS_TRY(tess__convert(&u64, TESS_U64, element, dtype));
        (void)snprintf(text, size, "%" PRIu64, u64);
    } else {
        TESS_TRY(tess__convert(&c64, TESS_C64, element, dtype));
        (void)snprintf(text, size, kind == TESS_KIND_COMPLEX ? "%s and %si" : "%s",
                       tess__number_text(number[0], c64.re), tess__number_text(number[1], c64.im));
    }
    return TESS_OK;
}

tess_status tess__reject_inexact(const char *fn, const int64_t position[4], const void *element, tess_dtype from,
                                 tess_dtype to)
{
    char text[80];
    TESS_TRY(element_text(text, sizeof text, element, from));
    TESS_FAIL(TESS_ERANGE,
              "%s: `in` is %s at {%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "}, which %s cannot hold exactly", fn,
              text, position[0], position[1], position[2], position[3], tess_dtype_name(to));
}
