/* Lane accumulators: elements of a row combined into a few lanes, kept in registers; see tess__lanes_fn. */
#ifndef TESS_CPU_EWISE_LANES_H
#define TESS_CPU_EWISE_LANES_H

#include "cpu/ewise/kernels.h"

/* The kernel for elements of type T and lanes of type L: a lane becomes step(lane, element). Where one element
 * stands for all, gcc 12 would merge many iterations of the loop, and with AVX-512 give all lanes of bytes the same: it
 * does not around an assembler statement. */
#define LANES(name, T, L, step)                                                                                        \
    static void name(void *lanes, const void *from, int64_t sx, int64_t n)                                             \
    {                                                                                                                  \
        L       *l = lanes, s[TESS__ROW_LANES];                                                                        \
        const T *x = from;                                                                                             \
        int64_t  i = 0;                                                                                                \
        if (n >= TESS__ROW_LANES) {                                                                                    \
            for (int k = 0; k < TESS__ROW_LANES; k++) s[k] = l[k];                                                     \
            if (sx == 1) {                                                                                             \
                for (; i + TESS__ROW_LANES <= n; i += TESS__ROW_LANES)                                                 \
                    for (int k = 0; k < TESS__ROW_LANES; k++) s[k] = step(s[k], x[i + k]);                             \
            } else {                                                                                                   \
                const T y = *x;                                                                                        \
                for (; i + TESS__ROW_LANES <= n; i += TESS__ROW_LANES) {                                               \
                    __asm__ volatile("");                                                                              \
                    for (int k = 0; k < TESS__ROW_LANES; k++) s[k] = step(s[k], y);                                    \
                }                                                                                                      \
            }                                                                                                          \
            for (int k = 0; k < TESS__ROW_LANES; k++) l[k] = s[k];                                                     \
        }                                                                                                              \
        for (int k = 0; i < n; i++, k++) l[k] = step(l[k], x[i * sx]);                                                 \
    }

#endif
