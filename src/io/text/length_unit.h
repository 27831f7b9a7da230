/* Units of length by the names that files give them. */
#ifndef TESS_IO_TEXT_LENGTH_UNIT_H
#define TESS_IO_TEXT_LENGTH_UNIT_H

#include <math.h>
#include <stddef.h>

/* The Å of a unit whose name has n bytes; 0: it is no length that is known. */
double tess__length_unit(const char *name, size_t n);

/* A size in a unit in Å; 0 where that is not positive and finite. */
static inline double tess__length_in(double size, double unit)
{
    const double length = size * unit;
    return isfinite(length) && length > 0 ? length : 0;
}

#endif
