/* Arguments of value parameters: range-checked, then converted to the declared type. */
#include "ops/op/value.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/engine.h"
#include "core/check/text.h"

/* The number as text, for messages; `text` has 80 bytes. */
static const char *number_text(char *text, const tess_bind *bind)
{
    char part[2][32];
    switch (bind->kind) {
    case TESS_BIND_I64: (void)snprintf(text, 80, "%" PRId64, bind->as.i); break;
    case TESS_BIND_U64: (void)snprintf(text, 80, "%" PRIu64, bind->as.u); break;
    case TESS_BIND_F64: (void)snprintf(text, 80, "%s", tess__number_text(part[0], bind->as.f)); break;
    default:
        (void)snprintf(text, 80, "(%s, %s)", tess__number_text(part[0], bind->as.c.re),
                       tess__number_text(part[1], bind->as.c.im));
    }
    return text;
}

/* Bits of the magnitude of an integer type: 7 for i8, 8 for u8, 1 for bool. */
static int magnitude_bits(tess_dtype dtype)
{
    if (dtype == TESS_BOOL) return 1;
    return (int)(8 * tess__dtype_size(dtype)) - (tess__dtypes[dtype].kind == TESS_KIND_INT);
}

static tess_status reject_integer(tess_dtype dtype, const tess_bind *bind, const char *fn, const char *arg)
{
    char      text[80];
    const int bits = magnitude_bits(dtype);
    if (dtype == TESS_BOOL)
        TESS_FAIL(TESS_ERANGE, "%s: `%s` is %s; its type is bool, so it must be 0 or 1", fn, arg,
                  number_text(text, bind));
    const bool is_signed = tess__dtypes[dtype].kind == TESS_KIND_INT;
    TESS_FAIL(TESS_ERANGE, "%s: `%s` is %s; its type is %s, so it must be an integer from %" PRId64 " to %" PRIu64, fn,
              arg, number_text(text, bind), tess_dtype_name(dtype), is_signed ? -(INT64_C(1) << (bits - 1)) * 2 : 0,
              UINT64_MAX >> (64 - bits));
}

/* Is it an integer that the integer type holds? Then its 64 bits are in `*word`. */
static bool fits_integer(uint64_t *word, tess_dtype dtype, const tess_bind *bind)
{
    const bool is_signed = tess__dtypes[dtype].kind == TESS_KIND_INT;
    bool       negative;
    uint64_t   magnitude;
    if (bind->kind == TESS_BIND_F64) {
        const double x = bind->as.f;
        if (!(fabs(x) <= 0x1p64) || x != trunc(x) || fabs(x) == 0x1p64) return false;
        negative = x < 0;
        magnitude = (uint64_t)fabs(x);
    } else {
        negative = bind->kind == TESS_BIND_I64 && bind->as.i < 0;
        magnitude = negative ? 0 - bind->as.u : bind->as.u;
    }
    if (magnitude == 0) negative = false;
    const uint64_t max = UINT64_MAX >> (64 - magnitude_bits(dtype));
    if (negative && (!is_signed || magnitude > max + 1)) return false;
    if (!negative && magnitude > max) return false;
    *word = negative ? 0 - magnitude : magnitude;
    return true;
}

static void store_integer(void *out, uint64_t word, int64_t size)
{
    const uint8_t  byte = (uint8_t)word;
    const uint16_t two = (uint16_t)word;
    const uint32_t four = (uint32_t)word;
    switch (size) {
    case 1: memcpy(out, &byte, 1); break;
    case 2: memcpy(out, &two, 2); break;
    case 4: memcpy(out, &four, 4); break;
    default: memcpy(out, &word, 8); break;
    }
}

/* The largest finite number that is not rounded to infinity is a little above this. */
static double largest(tess_dtype real)
{
    return real == TESS_F16 ? 65519.996 : real == TESS_F32 ? 0x1.fffffefffffffp127 : DBL_MAX;
}

tess_status tess__bind_value(void *out, tess_dtype dtype, const tess_bind *bind, const char *fn, const char *arg)
{
    const tess_kind kind = tess__dtypes[dtype].kind;
    char            text[80];
    uint64_t        word = 0;
    TESS_CHECK(bind->kind != TESS_BIND_C64 || kind == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `%s` is the complex number %s; its type is %s, so a real number is needed", fn, arg,
               number_text(text, bind), tess_dtype_name(dtype));
    if (kind != TESS_KIND_FLOAT && kind != TESS_KIND_COMPLEX) {
        if (!fits_integer(&word, dtype, bind)) return reject_integer(dtype, bind, fn, arg);
        store_integer(out, word, tess__dtype_size(dtype));
        return TESS_OK;
    }
    double parts[2] = { 0, 0 };
    switch (bind->kind) {
    case TESS_BIND_I64: parts[0] = (double)bind->as.i; break;
    case TESS_BIND_U64: parts[0] = (double)bind->as.u; break;
    case TESS_BIND_F64: parts[0] = bind->as.f; break;
    default: parts[0] = bind->as.c.re, parts[1] = bind->as.c.im;
    }
    const double max = largest(tess_dtype_real(dtype));
    for (int i = 0; i < 2; i++)
        TESS_CHECK(!isfinite(parts[i]) || fabs(parts[i]) <= max, TESS_ERANGE,
                   "%s: `%s` is %s; its type is %s, whose maximum is %s", fn, arg, number_text(text, bind),
                   tess_dtype_name(dtype), tess_dtype_real(dtype) == TESS_F16 ? "65504" : "3.4028234663852886e38");
    const bool is_complex = kind == TESS_KIND_COMPLEX;
    TESS_TRY(tess__convert(out, dtype, parts, is_complex ? TESS_C64 : TESS_F64));
    return TESS_OK;
}
