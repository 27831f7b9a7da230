/* Kernels of running windows: minima, maxima and sums of two rows. Built once per instruction set. */
#include "cpu/signal/kernels.h"
#include "cpu/template.h"

#define LOWER(x, y) ((x) < (y) ? (x) : (y))
#define HIGHER(x, y) ((x) > (y) ? (x) : (y))
#define TOTAL(x, y) ((x) + (y))

#define PAIR(name, T, of)                                                                                              \
    static void name(void *out, const void *a, const void *b, int64_t n)                                               \
    {                                                                                                                  \
        T       *to = out;                                                                                             \
        const T *x = a, *y = b;                                                                                        \
        TESS_IVDEP                                                                                                     \
        for (int64_t i = 0; i < n; i++) to[i] = of(x[i], y[i]);                                                        \
    }
PAIR(lower_8, uint8_t, LOWER)
PAIR(lower_16, int16_t, LOWER)
PAIR(lower_32, int32_t, LOWER)
PAIR(lower_64, int64_t, LOWER)
PAIR(higher_8, uint8_t, HIGHER)
PAIR(higher_16, int16_t, HIGHER)
PAIR(higher_32, int32_t, HIGHER)
PAIR(higher_64, int64_t, HIGHER)
PAIR(total, double, TOTAL)

static void quotient(double *numbers, double divisor, int64_t n)
{
    TESS_IVDEP
    for (int64_t i = 0; i < n; i++) numbers[i] /= divisor;
}

#define ALL_SIZES(member)                                                                                              \
    do {                                                                                                               \
        kernels->member[0] = member##_8;                                                                               \
        kernels->member[1] = member##_16;                                                                              \
        kernels->member[2] = member##_32;                                                                              \
        kernels->member[3] = member##_64;                                                                              \
    } while (0)

void TESS__FILL_KERNELS(signal, running)(tess__signal_kernels *kernels);

void TESS__FILL_KERNELS(signal, running)(tess__signal_kernels *kernels)
{
    ALL_SIZES(lower);
    ALL_SIZES(higher);
    kernels->total = total;
    kernels->quotient = quotient;
}
