/* Roots of unity, to a little over half of the last place. */
#ifndef TESS_CORE_TWIDDLE_H
#define TESS_CORE_TWIDDLE_H

#include <stdint.h>

typedef struct tess__twiddle {
    double re, im;
} tess__twiddle;

/* exp(-2 pi i k / n), with k from 0 to n-1 and n below 2^50. */
tess__twiddle tess__twiddle_of(int64_t k, int64_t n);

/* The same; what rounding took from it, to about 60 bits of 1, goes to `rest`. */
tess__twiddle tess__twiddle_dd(int64_t k, int64_t n, tess__twiddle *rest);

/* Element i of a table of complex numbers of f32 (size 4) or f64 (size 8). */
static inline void tess__twiddle_put(void *table, int64_t i, tess__twiddle root, int size)
{
    if (size == 4) {
        ((float *)table)[2 * i] = (float)root.re;
        ((float *)table)[2 * i + 1] = (float)root.im;
    } else {
        ((double *)table)[2 * i] = root.re;
        ((double *)table)[2 * i + 1] = root.im;
    }
}

#endif
