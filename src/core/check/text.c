/* Formatting of shapes, numbers and devices for messages. */
#include "core/device/float_env.h"
#include "core/check/text.h"

#include <inttypes.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tessera/device.h"

char *tess__shape_text(char *text, const int64_t dim[4])
{
    (void)snprintf(text, TESS__SHAPE_TEXT, "{%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "}", dim[0], dim[1], dim[2],
                   dim[3]);
    return text;
}

char *tess__number_text(char *text, double value)
{
    TESS__TEXT_SCOPE();
    if (fabs(value) < 1e15 && value == trunc(value)) { /* 100, not 1e+02 */
        (void)snprintf(text, 32, "%.0f", value);
        return text;
    }
    (void)snprintf(text, 32, "%.17g", value);
    /* 15 digits give back any normal number that has a shorter text, without zeros behind it. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits < 17; digits++) {
        char   shorter[32];
        double back;
        (void)snprintf(shorter, sizeof shorter, "%.*g", digits, value);
        if (sscanf(shorter, "%lf", &back) == 1 && back == value) {
            memcpy(text, shorter, sizeof shorter);
            break;
        }
    }
    /* The locale's decimal mark is the only character that the C locale would not have. */
    if (isfinite(value)) {
        size_t mark = strspn(text, "0123456789+-e");
        if (text[mark]) {
            size_t digits = mark + strcspn(text + mark, "0123456789");
            text[mark] = '.';
            memmove(text + mark + 1, text + digits, strlen(text + digits) + 1);
        }
    }
    return text;
}

char *tess_device_name(char *text, size_t size, tess_device device)
{
    if (!text || size == 0) return text;
    if (device.kind == TESS_CPU) (void)snprintf(text, size, "cpu");
    else if (device.kind == TESS_GPU) (void)snprintf(text, size, "gpu:%" PRId32, device.index);
    else (void)snprintf(text, size, "device?%" PRId32, device.kind);
    return text;
}
