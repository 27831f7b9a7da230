/* Real and complex numbers of factorisations: sizes, phases, powers of two. */
#ifndef TESS_CPU_LINALG_NUMBERS_H
#define TESS_CPU_LINALG_NUMBERS_H

#include <complex.h>
#include <math.h>
#include <string.h>

static inline double scaled(double x, int exponent) { return ldexp(x, exponent); }
static inline double larger(double x, double y) { return x > y ? x : y; }

static inline double square(double _Complex x) { return creal(x) * creal(x) + cimag(x) * cimag(x); }
static inline double size_of(double _Complex x)
{
    const double s = square(x); /* tiny squares, or what is left of them, are not exact */
    return s < 1e-280 ? sqrt(square(x * 0x1p600)) * 0x1p-600 : sqrt(s);
}
static inline double larger_part(double _Complex x) { return larger(fabs(creal(x)), fabs(cimag(x))); }

/* x over its size; 1 for 0. The larger part is scaled to 1 first, so that nothing is lost below the range. */
static inline double _Complex phase(double _Complex x)
{
    const double part = larger_part(x);
    if (part == 0) return 1;
    const double _Complex y = x / part;
    return y / size_of(y);
}

static inline double _Complex scaled_complex(double _Complex x, int exponent)
{
    const double parts[2] = { ldexp(creal(x), exponent), ldexp(cimag(x), exponent) };
    double _Complex y; /* C11's CMPLX is not everywhere */
    memcpy(&y, parts, sizeof y);
    return y;
}

#endif
