/* Complex multiplication with one rounding order for all reductions. */
#ifndef TESS_CPU_REDUCE_COMPLEX_PRODUCT_H
#define TESS_CPU_REDUCE_COMPLEX_PRODUCT_H

/* (re, im) *= (x, y). */
static inline void tess__multiply_c64(double *re, double *im, double x, double y)
{
    const double a = *re, b = *im;
    *re = a * x - b * y;
    *im = a * y + b * x;
}

#endif
