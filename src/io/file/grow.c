/* Growing arrays: capacity doubles, so that appending takes amortised constant time. */
#include "io/file/grow.h"

#include <inttypes.h>
#include <string.h>

#include "core/check/error.h"
#include "core/device/memory.h"

tess_status tess__grow(const char *what, void *array, int64_t n, int64_t more, int64_t *capacity, size_t size)
{
    void  **things = array;
    int64_t needed, wanted = *capacity < 8 ? 8 : 2 * *capacity;
    TESS_CHECK(!__builtin_add_overflow(n, more, &needed) && needed < INT64_MAX / 16 / (int64_t)size, TESS_ENOMEM,
               "%s: no memory for %" PRId64 " values", what, n);
    if (needed <= *capacity) return TESS_OK;
    if (wanted < needed) wanted = needed;
    void *larger = tess__alloc((size_t)wanted * size);
    TESS_CHECK(larger, TESS_ENOMEM, "%s: no memory for %" PRId64 " values", what, wanted);
    if (n) memcpy(larger, *things, (size_t)n * size);
    tess__free(*things);
    *things = larger;
    *capacity = wanted;
    return TESS_OK;
}
