/* Cubic B-spline prefilter as a recursive filter, forwards and backwards (Unser 1999): what begins both passes.
 *
 * With the pole z = sqrt 3 - 2 and the gain g = (1 - z)(1 - 1/z) = 6,
 *
 *     forwards    p[i] = g x[i] + z p[i - 1]
 *     backwards   c[i] = z (c[i + 1] - p[i])
 *
 * p[0] is the sum of z^k g x[-k] over all that lies before, as the border continues the signal; that of a period is
 * enough, divided by 1 - z^period, and of long signals the terms that count. With a border of zeros, the coefficients
 * beyond both ends are 0, which is a signal that is continued with the opposite sign; with a value, the difference from
 * it is. So the spline goes through all elements where it is sampled with the same border.
 */
#ifndef TESS_FORMULAS_GEOMETRY_PREFILTER_OP_H
#define TESS_FORMULAS_GEOMETRY_PREFILTER_OP_H

#include "tessera/border.h"

#define TESS__POLE (-0.26794919243112270647)

enum { TESS__PREFILTER_TERMS_F32 = 18, TESS__PREFILTER_TERMS_F64 = 36 }; /* z^k is below a quarter of an ulp of 1 */

/* How p[0], and with PERIODIC c[n - 1], is a sum: of `terms`, times `scale`. */
typedef struct tess__prefilter_sum {
    int64_t terms;
    double  scale;
} tess__prefilter_sum;

TESS_FN tess__prefilter_sum tess__prefilter_sum_of(int32_t border, int64_t n, int64_t most)
{
    const int64_t       period = tess__border_repeats(border) ? tess__border_period(border, n) : 2 * n + 2;
    tess__prefilter_sum sum;
    sum.terms = period < most ? period : most;
    sum.scale = 1.0;
    if (period <= most) {
        double power = 1.0;
        for (int64_t k = 0; k < period; k++) power *= TESS__POLE;
        sum.scale = 1.0 / (1.0 - power);
    }
    return sum;
}

/* The element that term k is of, and its sign in *sign, which is 0 where there is none. PERIODIC goes backwards from
 * element 0. Of MIRROR, ZERO and VALUE terms are those of the signal from 0 on, of which p[0] is made. */
TESS_FN int64_t tess__prefilter_index(int32_t border, int64_t n, int64_t k, int *sign)
{
    *sign = 1;
    if (border == TESS_BORDER_PERIODIC) return k == 0 ? 0 : n - k;
    if (tess__border_repeats(border)) return tess__border_fold(border, k, n);
    *sign = k < n ? 1 : k == n || k == 2 * n + 1 ? 0 : -1;
    return k < n ? k : *sign ? 2 * n - k : 0;
}

#define TESS__PREFILTER(name, T, fma)                                                                                  \
    /* p[0] of the sum, the first element times the gain, and the value times the gain. */                             \
    TESS_FN T tess__prefilter_first_##name(int32_t border, T sum, T first, T value)                                    \
    {                                                                                                                  \
        const T z = (T)TESS__POLE;                                                                                     \
        if (border == TESS_BORDER_MIRROR) return fma(z, sum, first);                                                   \
        if ((border == TESS_BORDER_PERIODIC) | (border == TESS_BORDER_REFLECT)) return sum;                            \
        return fma(value, (T)(1.0 / (1.0 - TESS__POLE)), fma((T)(-TESS__POLE * TESS__POLE), sum, first - value));      \
    }                                                                                                                  \
                                                                                                                       \
    /* c[n - 1] of p[n - 1], p[n - 2], the sum of PERIODIC, and the value. */                                          \
    TESS_FN T tess__prefilter_last_##name(int32_t border, T last, T before, T sum, T value)                            \
    {                                                                                                                  \
        const T z = (T)TESS__POLE;                                                                                     \
        if (border == TESS_BORDER_MIRROR) return (T)(TESS__POLE / (TESS__POLE - 1.0)) * last;                          \
        if (border == TESS_BORDER_PERIODIC) return -(z * sum);                                                         \
        if (border == TESS_BORDER_REFLECT)                                                                             \
            return (T)(TESS__POLE / (TESS__POLE * TESS__POLE - 1.0)) * fma(z, before, last);                           \
        return fma(-z, fma((T)(-6.0 / (1.0 - TESS__POLE)), value, last), value);                                       \
    }
TESS__PREFILTER(f32, float, __builtin_fmaf)
TESS__PREFILTER(f64, double, __builtin_fma)
#undef TESS__PREFILTER

#endif
