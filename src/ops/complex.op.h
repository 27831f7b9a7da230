/* Functions of complex numbers given by their two parts. */
#ifndef TESS_OPS_COMPLEX_OP_H
#define TESS_OPS_COMPLEX_OP_H

#include "tessera/math/fn.h"

/* |z| within 1 ulp: scaled by a power of two so that the squares stay in range, and corrected by what their rounding
 * and that of the root left over. An infinite part gives infinity, also beside a NaN, as in C. */
TESS_FN double tess__abs_c64(double re, double im)
{
    const double x = re < 0 ? -re : re, y = im < 0 ? -im : im;
    const double large = x > y ? x : y, small = x > y ? y : x;
    const double inf = __builtin_inf();
    const double scale = large > 0x1p500 ? 0x1p-600 : large < 0x1p-400 ? 0x1p600 : 1.0;
    const double back = large > 0x1p500 ? 0x1p600 : large < 0x1p-400 ? 0x1p-600 : 1.0;
    const double u = large * scale, v = small * scale;
    const double root = __builtin_sqrt(__builtin_fma(u, u, v * v));
    const double root2 = root * root, u2 = u * u;
    const double excess =
        __builtin_fma(-v, v, root2 - u2) + __builtin_fma(root, root, -root2) - __builtin_fma(u, u, -u2);
    const double better = root > 0 ? root - excess / (2.0 * root) : root;
    return x == inf || y == inf ? inf : re != re || im != im ? re + im : better * back;
}

/* |z|^2. */
TESS_FN double tess__power_c64(double re, double im) { return re * re + im * im; }

#endif
