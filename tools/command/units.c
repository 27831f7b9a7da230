/* Numbers with units. */
#include "command/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *suffix;
    unit        unit;
    unsigned    types; /* bits of option_type */
} suffixes[] = {
#define OF(type) (1u << (type))
    { "A", UNIT_ANGSTROM, OF(OPTION_LENGTH) | OF(OPTION_CUTOFF) | OF(OPTION_DEFOCUS) },
    { "\xc3\x85", UNIT_ANGSTROM, OF(OPTION_LENGTH) | OF(OPTION_CUTOFF) | OF(OPTION_DEFOCUS) },
    { "nm", UNIT_NM, OF(OPTION_LENGTH) | OF(OPTION_CUTOFF) | OF(OPTION_DEFOCUS) },
    { "um", UNIT_UM, OF(OPTION_LENGTH) | OF(OPTION_DEFOCUS) },
    { "px", UNIT_PIXEL, OF(OPTION_LENGTH) },
    { "/px", UNIT_PER_PIXEL, OF(OPTION_CUTOFF) | OF(OPTION_EDGE) },
    { "sh", UNIT_SHELL, OF(OPTION_CUTOFF) | OF(OPTION_EDGE) },
    { "deg", UNIT_DEGREE, OF(OPTION_ANGLE) },
    { "rad", UNIT_RADIAN, OF(OPTION_ANGLE) },
    { "K", UNIT_K, OF(OPTION_MEMORY) },
    { "M", UNIT_M, OF(OPTION_MEMORY) },
    { "G", UNIT_G, OF(OPTION_MEMORY) },
    { "T", UNIT_T, OF(OPTION_MEMORY) },
#undef OF
};

/* What may stand there, for messages. */
static const char *allowed(option_type type)
{
    switch (type) {
    case OPTION_LENGTH: return "pixels, or a number with px, A, nm or um";
    case OPTION_CUTOFF: return "\xc3\x85ngstr\xc3\xb6m, or a number with A, nm, /px or sh";
    case OPTION_EDGE: return "shells, or a number with sh or /px";
    case OPTION_ANGLE: return "degrees, or a number with deg or rad";
    case OPTION_DEFOCUS: return "a number with A, nm or um";
    case OPTION_MEMORY: return "bytes, or a number with K, M, G or T";
    case OPTION_INTEGER: return "an integer";
    default: return "a number";
    }
}

/* A unit that is not for this type, UNIT_NONE for an empty suffix. */
static bool find_unit(option_type type, const char *suffix, unit *found)
{
    *found = UNIT_NONE;
    if (!*suffix) return type != OPTION_DEFOCUS;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if ((suffixes[i].types & (1u << type)) && strcmp(suffixes[i].suffix, suffix) == 0) {
            *found = suffixes[i].unit;
            return true;
        }
    if (type == OPTION_MEMORY && strcmp(suffix + 1, "iB") == 0) { /* 4GiB */
        const char letter[2] = { suffix[0], '\0' };
        return find_unit(type, letter, found);
    }
    return false;
}

tess_status parse_quantity(const char *what, option_type type, const char *text, quantity *q)
{
    char *end;
    q->value = strtod(text, &end);
    while (*end == ' ') end++;
    TESS_CHECK(end != text && find_unit(type, end, &q->unit), TESS_EARG, "%s is \"%s\"; expected %s", what, text,
               allowed(type));
    const bool counts = type == OPTION_MEMORY || type == OPTION_CUTOFF || type == OPTION_EDGE;
    TESS_CHECK(type == OPTION_NUMBER || (isfinite(q->value) && (!counts || q->value >= 0)), TESS_ERANGE,
               "%s is \"%s\"; a finite number%s is needed", what, text, counts ? ", not negative," : "");
    return TESS_OK;
}

tess_status parse_integer(const char *what, const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 0);
    TESS_CHECK(end != text && !*end, TESS_EARG, "%s is \"%s\"; an integer is needed", what, text);
    TESS_CHECK(errno != ERANGE, TESS_ERANGE, "%s is %s; -2^63 to 2^63 - 1 is allowed", what, text);
    return TESS_OK;
}

tess_status parse_xyz(const char *what, const char *text, double xyz[3], int *n)
{
    const char *at = text;
    for (*n = 0; *n < 3;) {
        char *end;
        xyz[(*n)++] = strtod(at, &end);
        TESS_CHECK(end != at && (*end == ',' || !*end), TESS_EARG,
                   "%s is \"%s\"; one to three numbers x,y,z are needed", what, text);
        if (!*end) return TESS_OK;
        at = end + 1;
    }
    TESS_FAIL(TESS_EARG, "%s is \"%s\"; it has more than the three numbers x,y,z", what, text);
}

tess_status parse_lengths(const char *what, const char *text, quantity xyz[3], int *n)
{
    const char *at = text;
    for (*n = 0; *n < 3;) {
        char         part[48];
        const size_t size = strcspn(at, ",");
        TESS_CHECK(size < sizeof part, TESS_EARG, "%s is \"%s\"; one to three lengths x,y,z are needed", what, text);
        (void)snprintf(part, sizeof part, "%.*s", (int)size, at);
        TESS_TRY(parse_quantity(what, OPTION_LENGTH, part, &xyz[(*n)++]));
        if (!at[size]) return TESS_OK;
        at += size + 1;
    }
    TESS_FAIL(TESS_EARG, "%s is \"%s\"; it has more than the three lengths x,y,z", what, text);
}

static bool to_angstrom(quantity q, double *angstrom)
{
    switch (q.unit) {
    case UNIT_ANGSTROM: *angstrom = q.value; return true;
    case UNIT_NM: *angstrom = q.value * 10; return true;
    case UNIT_UM: *angstrom = q.value * 10000; return true;
    default: return false;
    }
}

#define NEED_PIXEL_SIZE(what, pixel_size)                                                                              \
    TESS_CHECK((pixel_size) > 0, TESS_EARG,                                                                            \
               "%s is in \xc3\x85ngstr\xc3\xb6m, and the pixel size is not known; give "                               \
               "it with --apix",                                                                                       \
               what)

tess_status to_pixels(const char *what, quantity q, double pixel_size, double *pixels)
{
    double angstrom;
    *pixels = q.value;
    if (!to_angstrom(q, &angstrom)) return TESS_OK;
    NEED_PIXEL_SIZE(what, pixel_size);
    *pixels = angstrom / pixel_size;
    return TESS_OK;
}

tess_status to_cycles(const char *what, option_type type, quantity q, double pixel_size, int64_t n, double *cycles)
{
    double angstrom;
    if (q.unit == UNIT_NONE) q.unit = type == OPTION_EDGE ? UNIT_SHELL : UNIT_ANGSTROM;
    *cycles = q.value;
    if (q.unit == UNIT_PER_PIXEL) return TESS_OK;
    if (q.unit == UNIT_SHELL) {
        TESS_CHECK(n > 0, TESS_EARG, "%s is in shells of an image without pixels", what);
        *cycles = q.value / (double)n;
        return TESS_OK;
    }
    NEED_PIXEL_SIZE(what, pixel_size);
    if (!to_angstrom(q, &angstrom)) angstrom = q.value;
    TESS_CHECK(angstrom > 0, TESS_ERANGE, "%s is 0 \xc3\x85; it must be above 0", what);
    *cycles = pixel_size / angstrom;
    return TESS_OK;
}

double to_micrometres(quantity q)
{
    double angstrom = 0;
    (void)to_angstrom(q, &angstrom);
    return 1e-4 * angstrom;
}

double to_radians(quantity q) { return q.unit == UNIT_RADIAN ? q.value : q.value * (TESS_PI / 180); }

tess_status to_bytes(const char *what, quantity q, int64_t *bytes)
{
    const int    power = q.unit >= UNIT_K ? (int)(q.unit - UNIT_K) + 1 : 0;
    const double value = ldexp(q.value, 10 * power);
    TESS_CHECK(value >= 1 && value < 0x1p62, TESS_ERANGE, "%s is %g bytes; 1 to 2^62 are allowed", what, value);
    *bytes = (int64_t)value;
    return TESS_OK;
}
