/* Twiddle factors (roots of unity), to a little over half an ulp. */
#ifndef TESS_CORE_TWIDDLE_H
#define TESS_CORE_TWIDDLE_H

#include <stdint.h>

typedef struct tess__twiddle {
    double re, im;
} tess__twiddle;

/* exp(-2 pi i k / n), with k from 0 to n-1 and n below 2^50. */
tess__twiddle tess__twiddle_of(int64_t k, int64_t n);

/* The same as double-double: the rounding error, to about 60 bits of 1, goes to `low`. */
tess__twiddle tess__twiddle_dd(int64_t k, int64_t n, tess__twiddle *low);

/* Element i of a table of complex numbers of f32 (size 4) or f64 (size 8). */
static inline void tess__twiddle_put(void *table, int64_t i, tess__twiddle factor, int size)
{
    if (size == 4) {
        ((float *)table)[2 * i] = (float)factor.re;
        ((float *)table)[2 * i + 1] = (float)factor.im;
    } else {
        ((double *)table)[2 * i] = factor.re;
        ((double *)table)[2 * i + 1] = factor.im;
    }
}

#endif
