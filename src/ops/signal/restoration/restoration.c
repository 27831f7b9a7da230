/* Checks that operations of restoration have in common. */
#include "ops/signal/restoration/restoration.h"

#include <float.h>
#include <inttypes.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/check/text.h"

enum { MAX_ITERATIONS = 100000 };

tess_status tess__restoration_arrays(const char *fn, const tess_array *out, const tess_array *in, int32_t border)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    TESS_CHECK(border != TESS_BORDER_NOTHING, TESS_EARG,
               "%s: `opts->border` is \"nothing\"; any other border is allowed", fn);
    return TESS_OK;
}

tess_status tess__restoration_positive(const char *fn, const char *arg, double value, double most)
{
    char text[2][32];
    TESS_CHECK(value > 0 && value <= most, TESS_ERANGE, "%s: `%s` is %s; it must be above 0 and at most %s", fn, arg,
               tess__number_text(text[0], value), tess__number_text(text[1], most));
    return TESS_OK;
}

double tess__restoration_scale(double factor, double unit, tess_dtype dtype)
{
    const double scale = factor / unit, most = dtype == TESS_F64 ? DBL_MAX : (double)FLT_MAX;
    return scale < most ? scale : most;
}

tess_status tess__restoration_iterations(const char *fn, int64_t iterations)
{
    TESS_CHECK(iterations >= 0 && iterations <= MAX_ITERATIONS, TESS_ERANGE,
               "%s: `iterations` is %" PRId64 "; it must be from 0 to %d", fn, iterations, MAX_ITERATIONS);
    return TESS_OK;
}
