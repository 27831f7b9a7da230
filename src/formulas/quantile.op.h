/* Quantile interpolation (Hyndman and Fan): which elements of a sorted vector, and the weight of each. */
#ifndef TESS_FORMULAS_QUANTILE_OP_H
#define TESS_FORMULAS_QUANTILE_OP_H

#include "tessera/math/fn.h"

/* The numbers of tess_quantile_method; 0 is the median. */
enum {
    TESS__QUANTILE_MEDIAN,
    TESS__QUANTILE_LINEAR,
    TESS__QUANTILE_LOWER,
    TESS__QUANTILE_HIGHER,
    TESS__QUANTILE_NEAREST,
    TESS__QUANTILE_MIDPOINT,
    TESS__QUANTILE_INVERTED_CDF,
    TESS__QUANTILE_AVERAGED_INVERTED_CDF,
    TESS__QUANTILE_CLOSEST_OBSERVATION,
    TESS__QUANTILE_INTERPOLATED_INVERTED_CDF,
    TESS__QUANTILE_HAZEN,
    TESS__QUANTILE_WEIBULL,
    TESS__QUANTILE_MEDIAN_UNBIASED,
    TESS__QUANTILE_NORMAL_UNBIASED
};

/* Elements counted from 0, and how far from the first of them. */
typedef struct tess__between {
    int64_t low, high;
    double  part;
} tess__between;

TESS_FN tess__between tess__between_of(int64_t low, int64_t high, double part)
{
    tess__between b;
    b.low = low;
    b.high = high;
    b.part = part;
    return b;
}

/* Elements and weight at a virtual index that may lie outside. */
TESS_FN tess__between tess__quantile_at_index(double index, int64_t n)
{
    const double whole = __builtin_floor(index);
    if (index >= (double)(n - 1)) return tess__between_of(n - 1, n - 1, 0);
    if (index < 0) return tess__between_of(0, 0, 0);
    return tess__between_of((int64_t)whole, (int64_t)whole + 1, index - whole);
}

TESS_FN tess__between tess__quantile_at_element(double index, int64_t n)
{
    const int64_t i = index > 0 ? (int64_t)index : 0, last = i < n ? i : n - 1;
    return tess__between_of(last, last, 0);
}

/* The virtual index of Hyndman and Fan's methods 4 to 9. */
TESS_FN double tess__quantile_plotting(double n, double q, double alpha, double beta)
{
    const double shift = q * (1 - alpha - beta), along = n * q;
    return along + (alpha + shift) - 1;
}

/* Counted from 1, the even one of two that are as near. */
TESS_FN tess__between tess__quantile_closest(double step, int64_t count)
{
    const double near = step - 0.5, below = __builtin_floor(near), half = below / 2;
    const int    odd = __builtin_floor(half) != half;
    return tess__quantile_at_element(near == below && odd ? below : below + 1, count);
}

TESS_FN tess__between tess__quantile_find(int method, double q, int64_t count)
{
    const double  n = (double)count, index = (n - 1) * q, steps = n * q, step = steps - 1;
    tess__between b;
    switch (method) {
    case TESS__QUANTILE_MEDIAN: return tess__between_of((count - 1) / 2, count / 2, 0.5);
    case TESS__QUANTILE_LOWER: return tess__quantile_at_element(__builtin_floor(index), count);
    case TESS__QUANTILE_HIGHER: return tess__quantile_at_element(__builtin_ceil(index), count);
    case TESS__QUANTILE_NEAREST: return tess__quantile_at_element(__builtin_rint(index), count);
    case TESS__QUANTILE_MIDPOINT:
        b = tess__quantile_at_index(index, count);
        return tess__between_of(b.low, b.high, b.part > 0 ? 0.5 : 0);
    case TESS__QUANTILE_INVERTED_CDF: return tess__quantile_at_element(__builtin_ceil(step), count);
    case TESS__QUANTILE_AVERAGED_INVERTED_CDF:
        b = tess__quantile_at_index(step, count);
        return tess__between_of(b.low, b.high, b.part > 0 ? 1 : 0.5);
    case TESS__QUANTILE_CLOSEST_OBSERVATION: return tess__quantile_closest(step, count);
    case TESS__QUANTILE_INTERPOLATED_INVERTED_CDF:
        return tess__quantile_at_index(tess__quantile_plotting(n, q, 0, 1), count);
    case TESS__QUANTILE_HAZEN: return tess__quantile_at_index(tess__quantile_plotting(n, q, 0.5, 0.5), count);
    case TESS__QUANTILE_WEIBULL: return tess__quantile_at_index(tess__quantile_plotting(n, q, 0, 0), count);
    case TESS__QUANTILE_MEDIAN_UNBIASED:
        return tess__quantile_at_index(tess__quantile_plotting(n, q, 1.0 / 3, 1.0 / 3), count);
    case TESS__QUANTILE_NORMAL_UNBIASED:
        return tess__quantile_at_index(tess__quantile_plotting(n, q, 3.0 / 8, 3.0 / 8), count);
    default: return tess__quantile_at_index(index, count);
    }
}

/* Numbers that are neither infinite nor NaN. */
TESS_FN int tess__quantile_finite(double x) { return __builtin_fabs(x) <= 1.7976931348623157e308; }

TESS_FN double tess__quantile_middle(double a, double b)
{
    const double sum = a + b;
    const int    both = tess__quantile_finite(a) && tess__quantile_finite(b);
    return both && !tess__quantile_finite(sum) ? a / 2 + b / 2 : sum / 2;
}

/* Between two numbers, neither a NaN; from the nearer one, so that both ends are met. */
TESS_FN double tess__quantile_mix(int method, double a, double b, double part)
{
    if (a == b || part == 0) return a;
    if (part == 1) return b;
    if (method == TESS__QUANTILE_MEDIAN) return tess__quantile_middle(a, b);
    const int    finite = tess__quantile_finite(a);
    const double step = b - a, other = 1 - part;
    if (finite != tess__quantile_finite(b)) return finite ? b : a; /* any part of an infinity is one */
    if (finite && !tess__quantile_finite(step)) {
        const double some = a * other, more = b * part;
        return some + more;
    }
    const double forward = step * part, back = step * other;
    return part >= 0.5 ? b - back : a + forward;
}

#endif
