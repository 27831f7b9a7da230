/* The message about a value that an exact cast would change. */
#include "core/inexact_cast.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/check.h"
#include "core/engine.h"

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

tess_status tess__fail_inexact(const char *fn, const int64_t place[4], const void *element, tess_dtype from,
                               tess_dtype to)
{
    char text[80];
    TESS_TRY(element_text(text, sizeof text, element, from));
    TESS_FAIL(TESS_ERANGE,
              "%s: in is %s at {%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "}, which %s cannot hold exactly", fn,
              text, place[0], place[1], place[2], place[3], tess_dtype_name(to));
}
