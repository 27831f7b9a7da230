/* Scan operators (sum, product, minimum, maximum). Each is a struct with a state of 8-byte slots and
 *
 *     none()      the state of no elements
 *     of(x)       of one, which is of dtype `read` as it is held, or, if `raw`, of the input as it is stored
 *     join(a, b)  of the elements of a and, after them, those of b
 *     value(s)    the result, of dtype `wide`
 */
#ifndef TESS_CUDA_SCAN_ITEMS_CU_H
#define TESS_CUDA_SCAN_ITEMS_CU_H

#include "cuda/reduce/items.cu.h"

/* Sums of f32 in f64. They begin as -0, so that -0 stays itself. */
struct sum_f32 {
    enum { read = TESS_F32, wide = TESS_F32, raw = 0 };
    struct state {
        double sum;
    };
    static __device__ state none() { return { -0.0 }; }
    static __device__ state of(float x) { return { (double)x }; }
    static __device__ state join(state a, state b) { return { a.sum + b.sum }; }
    static __device__ float value(state s) { return (float)s.sum; }
};

/* Compensated: with the rounding errors, negated; they mean nothing where the sum is not finite. */
struct sum_f64 {
    enum { read = TESS_F64, wide = TESS_F64, raw = 0 };
    struct state {
        double sum, error;
    };
    static __device__ state none() { return { -0.0, 0 }; }
    static __device__ state of(double x) { return { x, 0 }; }
    static __device__ state join(state a, state b)
    {
        const double t = a.sum + b.sum, z = t - a.sum; /* what of b arrived in t */
        return { t, (a.error + b.error) + (((t - z) - a.sum) + (z - b.sum)) };
    }
    static __device__ double value(state s) { return s.sum - s.sum == 0 ? s.sum - s.error : s.sum; }
};

template <int D> struct sum_integer {
    enum { read = D, wide = D, raw = 0 };
    typedef typename element<D>::held held;
    struct state {
        uint64_t sum;
    };
    static __device__ state none() { return { 0 }; }
    static __device__ state of(held x) { return { (uint64_t)x }; }
    static __device__ state join(state a, state b) { return { a.sum + b.sum }; }
    static __device__ held  value(state s) { return (held)s.sum; }
};

template <int D> struct product_integer {
    enum { read = D, wide = D, raw = 0 };
    typedef typename element<D>::held held;
    struct state {
        uint64_t product;
    };
    static __device__ state none() { return { 1 }; }
    static __device__ state of(held x) { return { (uint64_t)x }; }
    static __device__ state join(state a, state b) { return { a.product * b.product }; }
    static __device__ held  value(state s) { return (held)s.product; }
};

/* A significand and an exponent: products of some elements may leave the range of f64 where those of all do not. */
template <int D> struct product_real {
    enum { read = D, wide = D, raw = 0 };
    typedef typename element<D>::held held;
    struct state {
        double  number; /* 0, infinite, NaN, or from 1 to below 2 */
        int64_t exponent;
    };
    static __device__ state normal(double x, int64_t exponent)
    {
        uint64_t bits = tess__bits_of_f64(x);
        if ((bits >> 52 & 0x7ff) == 0) { /* 0, or too small to be normal */
            bits = tess__bits_of_f64(x * 0x1p64);
            exponent -= 64;
        }
        const int64_t biased = (int64_t)(bits >> 52 & 0x7ff);
        if (x == 0 || biased == 0x7ff) return { x, 0 };
        return { tess__f64_of_bits((bits & 0x800fffffffffffff) | 0x3ff0000000000000), exponent + biased - 1023 };
    }
    static __device__ state  none() { return { 1, 0 }; }
    static __device__ state  of(held x) { return normal((double)x, 0); }
    static __device__ state  join(state a, state b) { return normal(a.number * b.number, a.exponent + b.exponent); }
    static __device__ double power(int64_t e) { return tess__f64_of_bits((uint64_t)(e + 1023) << 52); }
    static __device__ held   value(state s)
    {
        const int64_t e = s.exponent > 1200 ? 1200 : s.exponent < -1200 ? -1200 : s.exponent;
        if (e > 1023) return (held)(s.number * power(1023) * power(e - 1023));
        if (e < -1022) return (held)(s.number * power(-900) * power(e + 900));
        return (held)(s.number * power(e));
    }
};

/* The first factor is taken as it is: times 1 + 0i, an infinite part would become NaN. */
template <int D> struct product_complex {
    enum { read = TESS_C64, wide = TESS_C64, raw = 0 };
    struct state {
        tess_c64 product;
        int64_t  begun;
    };
    static __device__ state none()
    {
        state s;
        s.product.re = 1, s.product.im = 0, s.begun = 0;
        return s;
    }
    static __device__ state of(tess_c64 x)
    {
        state s;
        s.product = x, s.begun = 1;
        return s;
    }
    static __device__ state join(state a, state b)
    {
        if (!a.begun) return b;
        if (b.begun) a.product = tess__do_mul_c64(a.product, b.product);
        return a;
    }
    static __device__ tess_c64 value(state s)
    {
        if constexpr (D == TESS_C64) return s.product;
        else return convert<TESS_C64, TESS_C32>(convert<TESS_C32, TESS_C64>(s.product));
    }
};

/* A NaN is beyond all numbers, so that it stays. */
template <int D, bool LARGEST> struct min_or_max {
    typedef typename key<D>::type K;
    enum { read = D, wide = is_float<D>::value ? (int)TESS_F64 : (int)wide_integer<D>::value, raw = 1 };
    struct state {
        K at[8 / sizeof(K)]; /* the first is meant */
    };
    static __device__ state only(K k)
    {
        state s;
        for (int i = 0; i < (int)(8 / sizeof(K)); i++) s.at[i] = k;
        return s;
    }
    static __device__ K     beyond() { return LARGEST ? key<D>::max_key() : key<D>::min_key(); }
    static __device__ state none() { return only((K)~beyond()); }
    static __device__ state of(typename element<D>::stored x)
    {
        const K k = key<D>::of(x);
        return only(key<D>::is_nan(k) ? beyond() : k);
    }
    static __device__ state join(state a, state b)
    {
        const bool first = LARGEST ? a.at[0] >= b.at[0] : a.at[0] <= b.at[0];
        return first ? a : b;
    }
    static __device__ typename key<D>::value_type value(state s)
    {
        if constexpr (is_float<D>::value)
            if (s.at[0] == beyond()) return __builtin_nan("");
        return key<D>::value(s.at[0]);
    }
};

#endif
