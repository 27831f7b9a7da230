/* Complex numbers in operator bodies, where C has no + and * for them: tessm_mul(z, w) corresponds to z*w in text.
 *
 *     tessm_add, sub, mul, mul_conj, div, neg, conj     of tess_c32 or tess_c64, all the same
 *     tessm_real, imag, arg, abs2                       real
 *     tessm_complex(re, im), tessm_cis(phase), tessm_complex_polar(length, phase)
 *                                                       from reals
 *
 * and, as for reals in tessera/math.h,
 *
 *     tessm_abs                                         real
 *     tessm_isnan, isinf, isfinite                      0 or 1: has a part that is; are both parts?
 *     tessm_sign, sqrt, exp, log, log2, log10, pow, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh,
 *     atanh                                             complex
 *
 * The functions are those of tessera/math/complex.op.h.
 */
#ifndef TESSERA_OP_COMPLEX_H
#define TESSERA_OP_COMPLEX_H

#include "tessera/math.h"
#include "tessera/math/complex.op.h"

TESS_FN float  tess__real_c32(tess_c32 z) { return z.re; }
TESS_FN double tess__real_c64(tess_c64 z) { return z.re; }
TESS_FN float  tess__imag_c32(tess_c32 z) { return z.im; }
TESS_FN double tess__imag_c64(tess_c64 z) { return z.im; }
TESS_FN int    tess__isnan_c32(tess_c32 z) { return tessm__isnan_f32(z.re) | tessm__isnan_f32(z.im); }
TESS_FN int    tess__isnan_c64(tess_c64 z) { return tessm__isnan_f64(z.re) | tessm__isnan_f64(z.im); }
TESS_FN int    tess__isinf_c32(tess_c32 z) { return tessm__isinf_f32(z.re) | tessm__isinf_f32(z.im); }
TESS_FN int    tess__isinf_c64(tess_c64 z) { return tessm__isinf_f64(z.re) | tessm__isinf_f64(z.im); }
TESS_FN int    tess__isfinite_c32(tess_c32 z) { return tessm__isfinite_f32(z.re) & tessm__isfinite_f32(z.im); }
TESS_FN int    tess__isfinite_c64(tess_c64 z) { return tessm__isfinite_f64(z.re) & tessm__isfinite_f64(z.im); }

#ifndef __cplusplus

/* For complex numbers, the complete functions; the flags are for reals. */
#define TESSM_CARELESS_(name)                                                                                          \
    TESS_FN tess_c32 tessm__##name##_c32(tess_c32 z, tess__flags *slow) { return (void)slow, tess__##name##_c32(z); }  \
    TESS_FN tess_c64 tessm__##name##_c64(tess_c64 z, tess__flags *slow) { return (void)slow, tess__##name##_c64(z); }
TESSM_CARELESS_(sin)
TESSM_CARELESS_(cos)
TESSM_CARELESS_(tan)
#undef TESSM_CARELESS_

#define TESSM_COMPLEX_(name, type) _Generic((type), tess_c32 : tess__##name##_c32, tess_c64 : tess__##name##_c64)
#define tessm_add(z, w) TESSM_COMPLEX_(add, z)(z, w)
#define tessm_sub(z, w) TESSM_COMPLEX_(sub, z)(z, w)
#define tessm_mul(z, w) TESSM_COMPLEX_(mul, z)(z, w)
#define tessm_mul_conj(z, w) TESSM_COMPLEX_(mul_conj, z)(z, w)
#define tessm_div(z, w) TESSM_COMPLEX_(div, z)(z, w)
#define tessm_neg(z) TESSM_COMPLEX_(neg, z)(z)
#define tessm_conj(z) TESSM_COMPLEX_(conj, z)(z)
#define tessm_real(z) TESSM_COMPLEX_(real, z)(z)
#define tessm_imag(z) TESSM_COMPLEX_(imag, z)(z)
#define tessm_arg(z) TESSM_COMPLEX_(arg, z)(z)
#define tessm_abs2(z) TESSM_COMPLEX_(abs2, z)(z)
#define tessm_complex(re, im) _Generic((re) + (im), float : tess__of_parts_c32, default : tess__of_parts_c64)(re, im)
#define tessm_cis(phase) _Generic((phase), float : tess__cis_c32, default : tess__cis_c64)(phase)
#define tessm_complex_polar(length, phase)                                                                             \
    _Generic((length) + (phase), float : tess__polar_c32, default : tess__polar_c64)(length, phase)

/* Redefines the names of tessera/math.h with complex types added. Except for pow, arguments are not repeated more often
 * than there, to limit the size of long expressions; therefore fma, which is nested most, has no complex form. */
/* clang-format off */
#define TESSM_BOTH_(prefix, complex_prefix, name, x)                                                                   \
    _Generic((x),                                                                                                      \
        tess_c32: complex_prefix##name##_c32,                                                                          \
        tess_c64: complex_prefix##name##_c64,                                                                          \
        float: prefix##name##_f32,                                                                                     \
        default: prefix##name##_f64)
#define TESSM_BOTH_ANY_(name, x)                                                                                       \
    _Generic((x),                                                                                                      \
        tess_c32: tess__##name##_c32,                                                                                  \
        tess_c64: tess__##name##_c64,                                                                                  \
        _Bool: tessm__##name##_int,                                                                                    \
        char: tessm__##name##_int,                                                                                     \
        signed char: tessm__##name##_int,                                                                              \
        unsigned char: tessm__##name##_int,                                                                            \
        short: tessm__##name##_int,                                                                                    \
        unsigned short: tessm__##name##_int,                                                                           \
        TESSM_CHOICES_(name))
/* clang-format on */
/* Branches of _Generic that are not selected must be valid too: a real is used for a complex number in the sum. */
#define TESSM_REAL_FOR_(x) _Generic((x), tess_c32 : 0.0f, tess_c64 : 0.0, default : (x))
#undef tessm_sqrt
#undef tessm_exp
#undef tessm_log
#undef tessm_log2
#undef tessm_log10
#undef tessm_asin
#undef tessm_acos
#undef tessm_atan
#undef tessm_sinh
#undef tessm_cosh
#undef tessm_tanh
#undef tessm_asinh
#undef tessm_acosh
#undef tessm_atanh
#undef tessm_isnan
#undef tessm_isinf
#undef tessm_isfinite
#undef tessm_sin
#undef tessm_cos
#undef tessm_tan
#undef tessm_abs
#undef tessm_sign
#undef tessm_pow
#define tessm_sqrt(x) TESSM_BOTH_(tessm__, tess__, sqrt, x)(x)
#define tessm_exp(x) TESSM_BOTH_(tess__, tess__, exp, x)(x)
#define tessm_log(x) TESSM_BOTH_(tess__, tess__, log, x)(x)
#define tessm_log2(x) TESSM_BOTH_(tess__, tess__, log2, x)(x)
#define tessm_log10(x) TESSM_BOTH_(tess__, tess__, log10, x)(x)
#define tessm_asin(x) TESSM_BOTH_(tess__, tess__, asin, x)(x)
#define tessm_acos(x) TESSM_BOTH_(tess__, tess__, acos, x)(x)
#define tessm_atan(x) TESSM_BOTH_(tess__, tess__, atan, x)(x)
#define tessm_sinh(x) TESSM_BOTH_(tess__, tess__, sinh, x)(x)
#define tessm_cosh(x) TESSM_BOTH_(tess__, tess__, cosh, x)(x)
#define tessm_tanh(x) TESSM_BOTH_(tess__, tess__, tanh, x)(x)
#define tessm_asinh(x) TESSM_BOTH_(tess__, tess__, asinh, x)(x)
#define tessm_acosh(x) TESSM_BOTH_(tess__, tess__, acosh, x)(x)
#define tessm_atanh(x) TESSM_BOTH_(tess__, tess__, atanh, x)(x)
#define tessm_isnan(x) TESSM_BOTH_(tessm__, tess__, isnan, x)(x)
#define tessm_isinf(x) TESSM_BOTH_(tessm__, tess__, isinf, x)(x)
#define tessm_isfinite(x) TESSM_BOTH_(tessm__, tess__, isfinite, x)(x)
#define tessm_sin(x) TESSM_BOTH_(tessm__, tessm__, sin, x)(x, (tess__flags *)tess__slow_path)
#define tessm_cos(x) TESSM_BOTH_(tessm__, tessm__, cos, x)(x, (tess__flags *)tess__slow_path)
#define tessm_tan(x) TESSM_BOTH_(tessm__, tessm__, tan, x)(x, (tess__flags *)tess__slow_path)
#define tessm_abs(x) TESSM_BOTH_ANY_(abs, x)(x)
#define tessm_sign(x) TESSM_BOTH_ANY_(sign, x)(x)
#define tessm_pow(x, y)                                                                                                \
    _Generic((x), tess_c32                                                                                             \
             : tess__pow_c32, tess_c64                                                                                 \
             : tess__pow_c64, default                                                                                  \
             : TESSM_REAL_(tess__, pow, TESSM_REAL_FOR_(x) + TESSM_REAL_FOR_(y)))(x, y)

#else

#define TESSM_COMPLEX1_(name)                                                                                          \
    TESS_FN auto tessm_##name(tess_c32 z) { return tess__##name##_c32(z); }                                            \
    TESS_FN auto tessm_##name(tess_c64 z) { return tess__##name##_c64(z); }
#define TESSM_COMPLEX2_(name)                                                                                          \
    TESS_FN tess_c32 tessm_##name(tess_c32 z, tess_c32 w) { return tess__##name##_c32(z, w); }                         \
    TESS_FN tess_c64 tessm_##name(tess_c64 z, tess_c64 w) { return tess__##name##_c64(z, w); }
TESSM_COMPLEX2_(add)
TESSM_COMPLEX2_(sub)
TESSM_COMPLEX2_(mul)
TESSM_COMPLEX2_(mul_conj)
TESSM_COMPLEX2_(div)
TESSM_COMPLEX1_(neg)
TESSM_COMPLEX1_(conj)
TESSM_COMPLEX1_(real)
TESSM_COMPLEX1_(imag)
TESSM_COMPLEX1_(arg)
TESSM_COMPLEX1_(abs2)
TESSM_COMPLEX1_(abs)
TESSM_COMPLEX1_(sign)
TESSM_COMPLEX1_(sqrt)
TESSM_COMPLEX1_(exp)
TESSM_COMPLEX1_(log)
TESSM_COMPLEX1_(log2)
TESSM_COMPLEX1_(log10)
TESSM_COMPLEX1_(asin)
TESSM_COMPLEX1_(acos)
TESSM_COMPLEX1_(atan)
TESSM_COMPLEX1_(sinh)
TESSM_COMPLEX1_(cosh)
TESSM_COMPLEX1_(tanh)
TESSM_COMPLEX1_(asinh)
TESSM_COMPLEX1_(acosh)
TESSM_COMPLEX1_(atanh)
TESSM_COMPLEX1_(isnan)
TESSM_COMPLEX1_(isinf)
TESSM_COMPLEX1_(isfinite)
TESSM_COMPLEX1_(sin)
TESSM_COMPLEX1_(cos)
TESSM_COMPLEX1_(tan)
TESSM_COMPLEX2_(pow)
#undef TESSM_COMPLEX1_
#undef TESSM_COMPLEX2_
TESS_FN tess_c32 tessm_complex(float re, float im) { return tess__of_parts_c32(re, im); }
TESS_FN tess_c64 tessm_complex(double re, double im) { return tess__of_parts_c64(re, im); }
TESS_FN tess_c32 tessm_cis(float phase) { return tess__cis_c32(phase); }
TESS_FN tess_c64 tessm_cis(double phase) { return tess__cis_c64(phase); }
TESS_FN tess_c32 tessm_complex_polar(float length, float phase) { return tess__polar_c32(length, phase); }
TESS_FN tess_c64 tessm_complex_polar(double length, double phase) { return tess__polar_c64(length, phase); }

#endif

#endif
