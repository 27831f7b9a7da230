/* Failures that only the data can cause. */
#include "core/data_errors.h"

#include <inttypes.h>

#include "core/check.h"

static const char *place_text(char text[TESS__SHAPE_TEXT], tess_shape shape, int64_t index)
{
    int64_t place[4];
    for (int d = 3; d >= 0; d--) {
        place[d] = index % shape.dim[d];
        index /= shape.dim[d];
    }
    return tess__shape_text(text, place);
}

tess_status tess__refuse_mean(const char *fn, double mean, tess_shape shape, int64_t index)
{
    char text[32], place[TESS__SHAPE_TEXT];
    TESS_FAIL(TESS_ERANGE, "%s: means is %s at %s; 0 to 2^53 is allowed", fn, tess__number_text(text, mean),
              place_text(place, shape, index));
}

tess_status tess__refuse_infinite(const char *fn, const char *arg, double value, tess_shape shape, int64_t index)
{
    char text[32], place[TESS__SHAPE_TEXT];
    TESS_FAIL(TESS_ERANGE, "%s: %s is %s at %s; finite numbers are needed", fn, arg, tess__number_text(text, value),
              place_text(place, shape, index));
}
