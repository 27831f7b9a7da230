/* Functions of complex numbers given by their two parts. */
#ifndef TESS_OPS_COMPLEX_OP_H
#define TESS_OPS_COMPLEX_OP_H

#include "ops/fn.h"

/* |z|: the squares of floats neither overflow nor vanish in double. */
TESS_FN float tess__abs_c32(float re, float im)
{
    const double square = (double)re * (double)re + (double)im * (double)im;
    const float  size = (float)__builtin_sqrt(square);
    const float  inf = __builtin_inff();
    return re == inf || re == -inf || im == inf || im == -inf ? inf : size; /* also beside a NaN, as in C */
}

/* |z|, scaled by a power of two so that the squares stay in range. */
TESS_FN double tess__abs_c64(double re, double im)
{
    const double x = re < 0 ? -re : re, y = im < 0 ? -im : im;
    const double large = x > y ? x : y;
    const double inf = __builtin_inf();
    const double scale = large > 0x1p500 ? 0x1p-600 : large < 0x1p-500 ? 0x1p600 : 1.0;
    const double back = large > 0x1p500 ? 0x1p600 : large < 0x1p-500 ? 0x1p-600 : 1.0;
    const double u = re * scale, v = im * scale;
    const double size = __builtin_sqrt(u * u + v * v) * back;
    return x == inf || y == inf ? inf : size;
}

/* |z|^2. */
TESS_FN float  tess__power_c32(float re, float im) { return re * re + im * im; }
TESS_FN double tess__power_c64(double re, double im) { return re * re + im * im; }

#endif
