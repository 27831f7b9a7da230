/* Mathematical functions of single numbers, for your own loops and operators.
 *
 *     for (int64_t i = 0; i < n; i++) out[i] = tessm_exp(-tessm_abs(in[i]));
 *
 * They are type-generic: a float selects the float function, a double or an integer the double function; for several
 * arguments the type of their sum decides. abs, sign, min, max, minimum, maximum and clamp keep integers as integers.
 * Complex numbers are in tessera/op_complex.h.
 *
 * Errors are at most 1.5 ulp in float and 2 ulp in double (sqrt, fma and roundings are exact), and special values are
 * those of C's Annex F. Results are bit-identical on every machine and with every compiler, whatever its -ffp-contract;
 * -ffast-math and its parts invalidate all this. Loops are vectorised at -O3; with a square root (sqrt, rsqrt, hypot,
 * asin, acos, asinh, acosh) only with -fno-math-errno as well. Loops with sin, cos, tan and sinc, which treat huge
 * arguments separately, and with fmod are not vectorised. A machine without fused multiply-add needs -lm.
 */
#ifndef TESSERA_MATH_H
#define TESSERA_MATH_H

#include "tessera/math/f32.op.h"
#include "tessera/math/f64.op.h"

TESS_FN float  tessm__sqrt_f32(float x) { return __builtin_sqrtf(x); }
TESS_FN double tessm__sqrt_f64(double x) { return __builtin_sqrt(x); }
TESS_FN float  tessm__abs_f32(float x) { return __builtin_fabsf(x); }
TESS_FN double tessm__abs_f64(double x) { return __builtin_fabs(x); }
TESS_FN float  tessm__fma_f32(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
TESS_FN double tessm__fma_f64(double x, double y, double z) { return __builtin_fma(x, y, z); }
TESS_FN float  tessm__copysign_f32(float x, float y) { return __builtin_copysignf(x, y); }
TESS_FN double tessm__copysign_f64(double x, double y) { return __builtin_copysign(x, y); }

TESS_FN float tessm__sign_f32(float x)
{
    const float sign = (x > 0 ? 1.0f : 0.0f) - (x < 0 ? 1.0f : 0.0f);
    return x != x ? x : sign;
}

TESS_FN double tessm__sign_f64(double x)
{
    const double sign = (x > 0 ? 1.0 : 0.0) - (x < 0 ? 1.0 : 0.0);
    return x != x ? x : sign;
}

/* x86 before SSE4.1 has no rounding instruction: adding and subtracting 2^23 or 2^52 rounds smaller numbers. */
#if defined(__x86_64__) && !defined(__SSE4_1__)
TESS_FN float tessm__rint_f32(float x)
{
    const float size = __builtin_fabsf(x), shift = size < 0x1p23f ? 0x1p23f : 0.0f;
    return __builtin_copysignf((size + shift) - shift, x);
}

TESS_FN double tessm__rint_f64(double x)
{
    const double size = __builtin_fabs(x), shift = size < 0x1p52 ? 0x1p52 : 0.0;
    return __builtin_copysign((size + shift) - shift, x);
}
#else
TESS_FN float  tessm__rint_f32(float x) { return __builtin_rintf(x); }
TESS_FN double tessm__rint_f64(double x) { return __builtin_rint(x); }
#endif

/* gcc vectorises rint on x86, but not these; and it would compile the subtraction of 1 or 0 as a branch. */
#if defined(__x86_64__) && !(defined(__SSE4_1__) && defined(__clang__))
TESS_FN float tessm__floor_f32(float x)
{
    const float whole = tessm__rint_f32(x);
    return whole - tess__f32_of_bits((0u - (uint32_t)(whole > x)) & 0x3f800000u);
}

TESS_FN double tessm__floor_f64(double x)
{
    const double whole = tessm__rint_f64(x);
    return whole - tess__f64_of_bits((0u - (uint64_t)(whole > x)) & 0x3ff0000000000000u);
}

TESS_FN float  tessm__ceil_f32(float x) { return -tessm__floor_f32(-x); }
TESS_FN double tessm__ceil_f64(double x) { return -tessm__floor_f64(-x); }
TESS_FN float  tessm__trunc_f32(float x) { return __builtin_copysignf(tessm__floor_f32(__builtin_fabsf(x)), x); }
TESS_FN double tessm__trunc_f64(double x) { return __builtin_copysign(tessm__floor_f64(__builtin_fabs(x)), x); }
#else
TESS_FN float  tessm__floor_f32(float x) { return __builtin_floorf(x); }
TESS_FN double tessm__floor_f64(double x) { return __builtin_floor(x); }
TESS_FN float  tessm__ceil_f32(float x) { return __builtin_ceilf(x); }
TESS_FN double tessm__ceil_f64(double x) { return __builtin_ceil(x); }
TESS_FN float  tessm__trunc_f32(float x) { return __builtin_truncf(x); }
TESS_FN double tessm__trunc_f64(double x) { return __builtin_trunc(x); }
#endif

/* Halves away from zero; x - whole is exact. x86 has no instruction for it. */
TESS_FN float tessm__round_f32(float x)
{
    const float whole = tessm__trunc_f32(x), step = __builtin_fabsf(x - whole) >= 0.5f ? 1.0f : 0.0f;
    return whole + __builtin_copysignf(step, x);
}

TESS_FN double tessm__round_f64(double x)
{
    const double whole = tessm__trunc_f64(x), step = __builtin_fabs(x - whole) >= 0.5 ? 1.0 : 0.0;
    return whole + __builtin_copysign(step, x);
}

/* By bits, so that these work under -ffast-math too. */
TESS_FN int tessm__isnan_f32(float x) { return (tess__bits_of_f32(x) & 0x7fffffffu) > 0x7f800000u; }
TESS_FN int tessm__isnan_f64(double x) { return (tess__bits_of_f64(x) << 1) > 0xffe0000000000000u; }
TESS_FN int tessm__isinf_f32(float x) { return (tess__bits_of_f32(x) & 0x7fffffffu) == 0x7f800000u; }
TESS_FN int tessm__isinf_f64(double x) { return (tess__bits_of_f64(x) << 1) == 0xffe0000000000000u; }
TESS_FN int tessm__isfinite_f32(float x) { return (tess__bits_of_f32(x) & 0x7fffffffu) < 0x7f800000u; }
TESS_FN int tessm__isfinite_f64(double x) { return (tess__bits_of_f64(x) << 1) < 0xffe0000000000000u; }

/* NaNs are ignored. Equal numbers differ at most in the sign of a zero: -0 is the smaller one, in either order. */
TESS_FN float tessm__min_f32(float x, float y)
{
    const float equal = tess__f32_of_bits(tess__bits_of_f32(x) | tess__bits_of_f32(y));
    const float least = x < y ? x : y;
    return y != y ? x : x == y ? equal : least;
}

TESS_FN double tessm__min_f64(double x, double y)
{
    const double equal = tess__f64_of_bits(tess__bits_of_f64(x) | tess__bits_of_f64(y));
    const double least = x < y ? x : y;
    return y != y ? x : x == y ? equal : least;
}

TESS_FN float tessm__max_f32(float x, float y)
{
    const float equal = tess__f32_of_bits(tess__bits_of_f32(x) & tess__bits_of_f32(y));
    const float most = x > y ? x : y;
    return y != y ? x : x == y ? equal : most;
}

TESS_FN double tessm__max_f64(double x, double y)
{
    const double equal = tess__f64_of_bits(tess__bits_of_f64(x) & tess__bits_of_f64(y));
    const double most = x > y ? x : y;
    return y != y ? x : x == y ? equal : most;
}

/* NaNs propagate; of equal numbers the second is returned. */
TESS_FN float  tessm__minimum_f32(float x, float y) { return x < y || x != x ? x : y; }
TESS_FN double tessm__minimum_f64(double x, double y) { return x < y || x != x ? x : y; }
TESS_FN float  tessm__maximum_f32(float x, float y) { return x > y || x != x ? x : y; }
TESS_FN double tessm__maximum_f64(double x, double y) { return x > y || x != x ? x : y; }

TESS_FN int    tessm__signbit_f32(float x) { return (int)(tess__bits_of_f32(x) >> 31); }
TESS_FN int    tessm__signbit_f64(double x) { return (int)(tess__bits_of_f64(x) >> 63); }
TESS_FN float  tessm__deg2rad_f32(float x) { return x * (float)0.017453292519943295769; }
TESS_FN double tessm__deg2rad_f64(double x) { return x * 0.017453292519943295769; }
TESS_FN float  tessm__rad2deg_f32(float x) { return x * (float)57.295779513082320877; }
TESS_FN double tessm__rad2deg_f64(double x) { return x * 57.295779513082320877; }

/* A NaN stays NaN; a NaN bound is ignored. */
TESS_FN float tessm__clamp_f32(float x, float low, float high)
{
    const float raised = x < low ? low : x;
    return raised > high ? high : raised;
}

TESS_FN double tessm__clamp_f64(double x, double low, double high)
{
    const double raised = x < low ? low : x;
    return raised > high ? high : raised;
}

/* Integer types kept by abs, sign, minima, maxima and clamp: name, type, unsigned type. */
#define TESSM_INTEGERS_(X)                                                                                             \
    X(int, int, unsigned)                                                                                              \
    X(uint, unsigned, unsigned)                                                                                        \
    X(long, long, unsigned long)                                                                                       \
    X(ulong, unsigned long, unsigned long)                                                                             \
    X(llong, long long, unsigned long long)                                                                            \
    X(ullong, unsigned long long, unsigned long long)

/* abs of the lowest integer wraps to itself. */
#define TESSM_INTEGER_(name, T, U)                                                                                     \
    TESS_FN T tessm__abs_##name(T x) { return x > 0 ? x : (T)((U)0 - (U)x); }                                          \
    TESS_FN T tessm__sign_##name(T x) { return (T)(x > 0) - (T)(x != 0 && !(x > 0)); }                                 \
    TESS_FN T tessm__min_##name(T x, T y) { return x < y ? x : y; }                                                    \
    TESS_FN T tessm__max_##name(T x, T y) { return x > y ? x : y; }                                                    \
    TESS_FN T tessm__minimum_##name(T x, T y) { return x < y ? x : y; }                                                \
    TESS_FN T tessm__maximum_##name(T x, T y) { return x > y ? x : y; }                                                \
    TESS_FN T tessm__clamp_##name(T x, T low, T high) { return tessm__min_##name(tessm__max_##name(x, low), high); }
TESSM_INTEGERS_(TESSM_INTEGER_)
#undef TESSM_INTEGER_

/* sin, cos, tan and sinc: in a loop that is repeated with the complete functions if a flag is set, the fast versions
 * with the flag. Outside operators (tessera/op_define.h) tess__slow_path is 0 and the complete functions are used. */
typedef struct tess__flags {
    int32_t f32;
    int64_t f64;
} tess__flags;
enum { tess__slow_path = 0 };

#define TESSM_SLOW_(name)                                                                                              \
    TESS_FN float tessm__##name##_f32(float x, tess__flags *slow)                                                      \
    {                                                                                                                  \
        if (!slow) return tess__##name##_f32(x);                                                                       \
        slow->f32 |= tess__##name##_slow_f32(x) ? -1 : 0;                                                              \
        return tess__##name##_fast_f32(x);                                                                             \
    }                                                                                                                  \
    TESS_FN double tessm__##name##_f64(double x, tess__flags *slow)                                                    \
    {                                                                                                                  \
        if (!slow) return tess__##name##_f64(x);                                                                       \
        slow->f64 |= tess__##name##_slow_f64(x) ? -1 : 0;                                                              \
        return tess__##name##_fast_f64(x);                                                                             \
    }
TESSM_SLOW_(sin)
TESSM_SLOW_(cos)
TESSM_SLOW_(tan)
TESSM_SLOW_(sinc)
#undef TESSM_SLOW_

#define tessm_select(c, x, y) ((c) ? (x) : (y))
#define tessm_where(c, x, y) ((c) ? (x) : (y))

/* tess_isclose of two real numbers, in f64: tessm_isclose(x, y), or tessm_isclose(x, y, rtol, atol). */
TESS_FN int tess__isclose_f64(double x, double y, double rtol, double atol)
{
    const double largest = tessm__max_f64(tessm__abs_f64(x), tessm__abs_f64(y));
    const double fit = largest > 0x1p900 ? 0x1p-200 : 1; /* a difference that might overflow is scaled: exact */
    const double p = x * fit, q = y * fit;
    const int    finite = (x - x == 0) & (y - y == 0);
    return (x == y) | (finite & (tessm__abs_f64(p - q) <= atol * fit + rtol * tessm__abs_f64(q)));
}

/* Selected by the number of arguments; with three, an undeclared name explains the error. */
#define tessm_isclose(x, ...)                                                                                          \
    TESSM_ISCLOSE_(__VA_ARGS__, TESSM_ISCLOSE4_, TESSM_ISCLOSE3_, TESSM_ISCLOSE2_, 0)(x, __VA_ARGS__)
#define TESSM_ISCLOSE_(y, rtol, atol, name, ...) name
#define TESSM_ISCLOSE2_(x, y) TESSM_ISCLOSE4_(x, y, 1e-5, 1e-8)
#define TESSM_ISCLOSE3_(x, y, rtol) (tessm_isclose_has_2_or_4_arguments)
#define TESSM_ISCLOSE4_(x, y, rtol, atol) tess__isclose_f64((double)(x), (double)(y), rtol, atol)

#ifndef __cplusplus

/* clang-format off */
#define TESSM_REAL_(prefix, name, type) _Generic((type), float: prefix##name##_f32, default: prefix##name##_f64)
#define TESSM_ANY_(name, type) _Generic((type), TESSM_CHOICES_(name))
#define TESSM_CHOICES_(name)                                                                                           \
        float: tessm__##name##_f32,                                                                                    \
        int: tessm__##name##_int,                                                                                      \
        unsigned: tessm__##name##_uint,                                                                                \
        long: tessm__##name##_long,                                                                                    \
        unsigned long: tessm__##name##_ulong,                                                                          \
        long long: tessm__##name##_llong,                                                                              \
        unsigned long long: tessm__##name##_ullong,                                                                    \
        default: tessm__##name##_f64
/* clang-format on */

#define tessm_exp(x) TESSM_REAL_(tess__, exp, x)(x)
#define tessm_exp2(x) TESSM_REAL_(tess__, exp2, x)(x)
#define tessm_exp10(x) TESSM_REAL_(tess__, exp10, x)(x)
#define tessm_expm1(x) TESSM_REAL_(tess__, expm1, x)(x)
#define tessm_log(x) TESSM_REAL_(tess__, log, x)(x)
#define tessm_log2(x) TESSM_REAL_(tess__, log2, x)(x)
#define tessm_log10(x) TESSM_REAL_(tess__, log10, x)(x)
#define tessm_log1p(x) TESSM_REAL_(tess__, log1p, x)(x)
#define tessm_sin(x) TESSM_REAL_(tessm__, sin, x)(x, (tess__flags *)tess__slow_path)
#define tessm_cos(x) TESSM_REAL_(tessm__, cos, x)(x, (tess__flags *)tess__slow_path)
#define tessm_tan(x) TESSM_REAL_(tessm__, tan, x)(x, (tess__flags *)tess__slow_path)
#define tessm_asin(x) TESSM_REAL_(tess__, asin, x)(x)
#define tessm_acos(x) TESSM_REAL_(tess__, acos, x)(x)
#define tessm_atan(x) TESSM_REAL_(tess__, atan, x)(x)
#define tessm_sinh(x) TESSM_REAL_(tess__, sinh, x)(x)
#define tessm_cosh(x) TESSM_REAL_(tess__, cosh, x)(x)
#define tessm_tanh(x) TESSM_REAL_(tess__, tanh, x)(x)
#define tessm_asinh(x) TESSM_REAL_(tess__, asinh, x)(x)
#define tessm_acosh(x) TESSM_REAL_(tess__, acosh, x)(x)
#define tessm_atanh(x) TESSM_REAL_(tess__, atanh, x)(x)
#define tessm_cbrt(x) TESSM_REAL_(tess__, cbrt, x)(x)
#define tessm_erf(x) TESSM_REAL_(tess__, erf, x)(x)
#define tessm_erfc(x) TESSM_REAL_(tess__, erfc, x)(x)
#define tessm_sinc(x) TESSM_REAL_(tessm__, sinc, x)(x, (tess__flags *)tess__slow_path) /* sin(x) / x, 1 at 0 */
#define tessm_rsqrt(x) TESSM_REAL_(tess__, rsqrt, x)(x)                                /* 1 / sqrt(x) */
#define tessm_atan2(y, x) TESSM_REAL_(tess__, atan2, (y) + (x))(y, x)
#define tessm_pow(x, y) TESSM_REAL_(tess__, pow, (x) + (y))(x, y)
#define tessm_hypot(x, y) TESSM_REAL_(tess__, hypot, (x) + (y))(x, y)
#define tessm_logaddexp(x, y) TESSM_REAL_(tess__, logaddexp, (x) + (y))(x, y) /* log(exp(x) + exp(y)) */
#define tessm_fmod(x, y) TESSM_REAL_(tess__, fmod, (x) + (y))(x, y)           /* exact, with the sign of x */

#define tessm_sqrt(x) TESSM_REAL_(tessm__, sqrt, x)(x)
#define tessm_floor(x) TESSM_REAL_(tessm__, floor, x)(x)
#define tessm_ceil(x) TESSM_REAL_(tessm__, ceil, x)(x)
#define tessm_round(x) TESSM_REAL_(tessm__, round, x)(x) /* halves away from zero */
#define tessm_rint(x) TESSM_REAL_(tessm__, rint, x)(x)   /* halves to even */
#define tessm_trunc(x) TESSM_REAL_(tessm__, trunc, x)(x)
#define tessm_isnan(x) TESSM_REAL_(tessm__, isnan, x)(x) /* these three: 0 or 1, an int */
#define tessm_isinf(x) TESSM_REAL_(tessm__, isinf, x)(x)
#define tessm_isfinite(x) TESSM_REAL_(tessm__, isfinite, x)(x)
#define tessm_signbit(x) TESSM_REAL_(tessm__, signbit, x)(x) /* 0 or 1, also for -0 and NaN */
#define tessm_deg2rad(x) TESSM_REAL_(tessm__, deg2rad, x)(x)
#define tessm_rad2deg(x) TESSM_REAL_(tessm__, rad2deg, x)(x)
#define tessm_copysign(x, y) TESSM_REAL_(tessm__, copysign, (x) + (y))(x, y)   /* magnitude of x, sign of y */
#define tessm_fma(x, y, z) TESSM_REAL_(tessm__, fma, (x) + (y) + (z))(x, y, z) /* x * y + z, rounded once */

#define tessm_abs(x) TESSM_ANY_(abs, +(x))(x)                    /* the lowest integer wraps to itself */
#define tessm_sign(x) TESSM_ANY_(sign, +(x))(x)                  /* -1, 0 or 1; a NaN stays NaN */
#define tessm_min(x, y) TESSM_ANY_(min, (x) + (y))(x, y)         /* ignores a NaN */
#define tessm_max(x, y) TESSM_ANY_(max, (x) + (y))(x, y)         /* ignores a NaN */
#define tessm_minimum(x, y) TESSM_ANY_(minimum, (x) + (y))(x, y) /* a NaN propagates */
#define tessm_maximum(x, y) TESSM_ANY_(maximum, (x) + (y))(x, y) /* a NaN propagates */
#define tessm_clamp(x, low, high) TESSM_ANY_(clamp, (x) + (low) + (high))(x, low, high) /* a NaN stays NaN */

#else

/* The type of the function: float for float, double for all others. */
template <typename T> struct tessm__real {
    typedef double type;
};
template <> struct tessm__real<float> {
    typedef float type;
};

#define TESSM_REAL1_(prefix, name)                                                                                     \
    TESS_FN auto                       tessm__##name(float x) { return prefix##name##_f32(x); }                        \
    TESS_FN auto                       tessm__##name(double x) { return prefix##name##_f64(x); }                       \
    template <typename X> TESS_FN auto tessm_##name(X x)                                                               \
    {                                                                                                                  \
        return tessm__##name(static_cast<typename tessm__real<X>::type>(x));                                           \
    }
#define TESSM_REAL2_(prefix, name)                                                                                     \
    TESS_FN auto tessm__##name(float x, float y) { return prefix##name##_f32(x, y); }                                  \
    TESS_FN auto tessm__##name(double x, double y) { return prefix##name##_f64(x, y); }                                \
    template <typename X, typename Y> TESS_FN auto tessm_##name(X x, Y y)                                              \
    {                                                                                                                  \
        typedef typename tessm__real<decltype(x + y)>::type T;                                                         \
        return tessm__##name(static_cast<T>(x), static_cast<T>(y));                                                    \
    }
/* clang-format off */
#define TESSM_REALS1_(X)                                                                                               \
    X(tess__, exp) X(tess__, exp2) X(tess__, exp10) X(tess__, expm1) X(tess__, log) X(tess__, log2) X(tess__, log10)   \
    X(tess__, log1p) X(tess__, sin) X(tess__, cos) X(tess__, tan) X(tess__, asin) X(tess__, acos) X(tess__, atan)      \
    X(tess__, sinh) X(tess__, cosh) X(tess__, tanh) X(tess__, asinh) X(tess__, acosh) X(tess__, atanh)                 \
    X(tess__, cbrt) X(tess__, erf) X(tess__, erfc) X(tess__, sinc) X(tess__, rsqrt) X(tessm__, sqrt)                   \
    X(tessm__, floor) X(tessm__, ceil) X(tessm__, round) X(tessm__, rint) X(tessm__, trunc) X(tessm__, isnan)          \
    X(tessm__, isinf) X(tessm__, isfinite) X(tessm__, signbit) X(tessm__, deg2rad) X(tessm__, rad2deg)
#define TESSM_REALS2_(X)                                                                                               \
    X(tess__, atan2) X(tess__, pow) X(tess__, hypot) X(tess__, logaddexp) X(tess__, fmod) X(tessm__, copysign)
/* clang-format on */
TESSM_REALS1_(TESSM_REAL1_)
TESSM_REALS2_(TESSM_REAL2_)
#undef TESSM_REAL1_
#undef TESSM_REAL2_
#undef TESSM_REALS1_
#undef TESSM_REALS2_

template <typename X, typename Y, typename Z> TESS_FN auto tessm_fma(X x, Y y, Z z)
{
    typedef typename tessm__real<decltype(x + y + z)>::type T;
    if constexpr (sizeof(T) == sizeof(float))
        return tessm__fma_f32(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z));
    else return tessm__fma_f64(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z));
}

#define TESSM_ANY_(suffix, T, U)                                                                                       \
    TESS_FN T tessm__abs(T x) { return tessm__abs_##suffix(x); }                                                       \
    TESS_FN T tessm__sign(T x) { return tessm__sign_##suffix(x); }                                                     \
    TESS_FN T tessm__min(T x, T y) { return tessm__min_##suffix(x, y); }                                               \
    TESS_FN T tessm__max(T x, T y) { return tessm__max_##suffix(x, y); }                                               \
    TESS_FN T tessm__minimum(T x, T y) { return tessm__minimum_##suffix(x, y); }                                       \
    TESS_FN T tessm__maximum(T x, T y) { return tessm__maximum_##suffix(x, y); }                                       \
    TESS_FN T tessm__clamp(T x, T low, T high) { return tessm__clamp_##suffix(x, low, high); }
TESSM_ANY_(f32, float, float)
TESSM_ANY_(f64, double, double)
TESSM_INTEGERS_(TESSM_ANY_)
#undef TESSM_ANY_

template <typename X> TESS_FN auto tessm_abs(X x) { return tessm__abs(+x); }
template <typename X> TESS_FN auto tessm_sign(X x) { return tessm__sign(+x); }

#define TESSM_ANY2_(name)                                                                                              \
    template <typename X, typename Y> TESS_FN auto tessm_##name(X x, Y y)                                              \
    {                                                                                                                  \
        typedef decltype(x + y) T;                                                                                     \
        return tessm__##name(static_cast<T>(x), static_cast<T>(y));                                                    \
    }
TESSM_ANY2_(min)
TESSM_ANY2_(max)
TESSM_ANY2_(minimum)
TESSM_ANY2_(maximum)
#undef TESSM_ANY2_

template <typename X, typename L, typename H> TESS_FN auto tessm_clamp(X x, L low, H high)
{
    typedef decltype(x + low + high) T;
    return tessm__clamp(static_cast<T>(x), static_cast<T>(low), static_cast<T>(high));
}

#endif

#endif
