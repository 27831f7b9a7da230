/* Numbers as texts: the fewest digits that read back equal, or at most a given number of them, with a point whatever
 * the locale. */
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does the text, read as a number of this dtype, give the value? */
static bool reads_back(const char *text, double value, tess_dtype dtype)
{
    const double read = strtod(text, NULL);
    switch (dtype) {
    case TESS_F32:
    case TESS_C32: return (float)read == (float)value;
    case TESS_F16:
    case TESS_C16: return tess_f64_to_f16(read).bits == tess_f64_to_f16(value).bits;
    default: return read == value;
    }
}

/* From "d.ddde±x": digits without the point, and the power of ten of the first. Trailing zeros are dropped. */
static int take_disjoint(const char *scientific, char digits[20])
{
    int n = 0;
    for (; *scientific && *scientific != 'e'; scientific++)
        if (*scientific >= '0' && *scientific <= '9' && n < 19) digits[n++] = *scientific;
    while (n > 1 && digits[n - 1] == '0') n--;
    digits[n] = '\0';
    return *scientific ? atoi(scientific + 1) : 0;
}

static void put_together(char *text, const char *digits, int power)
{
    const int n = (int)strlen(digits);
    if (power < -5 || power > 15) {
        (void)snprintf(text, 30, "%c%s%se%d", digits[0], n > 1 ? "." : "", digits + 1, power);
    } else if (power < 0) {
        (void)snprintf(text, 30, "0.%.*s%s", -power - 1, "0000000000", digits);
    } else if (n <= power + 1) {
        (void)snprintf(text, 30, "%s%.*s", digits, power + 1 - n, "0000000000000000");
    } else {
        (void)snprintf(text, 30, "%.*s.%s", power + 1, digits, digits + power + 1);
    }
}

/* At most this many digits. */
static char *text_of(char text[32], double value, tess_dtype dtype, int most)
{
    if (isnan(value)) return strcpy(text, "nan");
    if (isinf(value)) return strcpy(text, value > 0 ? "inf" : "-inf");
    char scientific[40], digits[20];
    for (int n = 0; n < most; n++) {
        (void)snprintf(scientific, sizeof scientific, "%.*e", n, value);
        if (reads_back(scientific, value, dtype)) break;
    }
    const bool negative = scientific[0] == '-';
    const int  power = take_disjoint(scientific + negative, digits);
    text[0] = '-';
    put_together(text + negative, digits, power);
    return text;
}

char *number_text_as(char text[32], double value, tess_dtype dtype) { return text_of(text, value, dtype, 17); }

char *number_text_digits(char text[32], double value, tess_dtype dtype, int digits)
{
    const bool whole = fabs(value) < 1e15 && value == rint(value);
    return text_of(text, value, dtype, whole ? 17 : digits);
}

char *number_text(char text[32], double value) { return number_text_as(text, value, TESS_F64); }
