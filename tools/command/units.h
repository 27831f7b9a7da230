/* Numbers with units. */
#ifndef TESSERA_COMMAND_UNITS_H
#define TESSERA_COMMAND_UNITS_H

#include "command/verb.h"

typedef enum unit {
    UNIT_NONE,
    UNIT_ANGSTROM,
    UNIT_NM,
    UNIT_UM,
    UNIT_PIXEL,
    UNIT_PER_PIXEL,
    UNIT_SHELL,
    UNIT_DEGREE,
    UNIT_RADIAN,
    UNIT_K, /* 1024 … */
    UNIT_M,
    UNIT_G,
    UNIT_T
} unit;

typedef struct quantity {
    double value;
    unit   unit;
} quantity;

/* Read a number with a unit that suits the type, as in "8A"; without one, the type says what it is. `what` is how the
 * message calls it: "--lowpass". */
tess_status parse_quantity(const char *what, option_type type, const char *text, quantity *q);
tess_status parse_integer(const char *what, const char *text, int64_t *value);
tess_status parse_xyz(const char *what, const char *text, double xyz[3], int *n);
tess_status parse_lengths(const char *what, const char *text, quantity xyz[3], int *n);

/* In pixels; in cycles per pixel; in radians; in micrometres, of a defocus; in bytes. `pixel_size` in Å, 0 if it is
 * not known. */
tess_status to_pixels(const char *what, quantity q, double pixel_size, double *pixels);
tess_status to_cycles(const char *what, option_type type, quantity q, double pixel_size, int64_t n, double *cycles);
double      to_radians(quantity q);
double      to_micrometres(quantity q);
tess_status to_bytes(const char *what, quantity q, int64_t *bytes);

#endif
