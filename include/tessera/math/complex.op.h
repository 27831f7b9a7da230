/* Functions of complex numbers, in double precision (c64) and in single (c32).
 *
 * An error in ulp is the length of the error over the spacing of reals at the length of the exact result. Figures are
 * the largest seen against 113-bit arithmetic, rounded up, on parts of every size and near zeros, poles, branch points.
 * Branch cuts, signed zeros, infinities and NaN are as in annex G of C where it fixes them.
 *
 * Single precision computes in double and rounds each part once, except where a comment says otherwise: its error is
 * below 0.8 ulp then.
 *
 * Functions with a sine or cosine are slow for huge phases. As in f64.op.h, cis, polar, exp, sin, cos, tan, sinh, cosh
 * and tanh exist as NAME_fast, without branches and correct where NAME_slow is 0, and as NAME, correct everywhere and
 * with the same bits there. pow has branches, and in c64 also a table. All others are complete and without branches.
 */
#ifndef TESSERA_MATH_COMPLEX_OP_H
#define TESSERA_MATH_COMPLEX_OP_H

#include "tessera/dtype.h"
#include "tessera/math/fn.h"
#include "tessera/math/f32.op.h"
#include "tessera/math/f64.op.h"

TESS_FN tess_c64 tess__of_parts_c64(double re, double im)
{
    tess_c64 z;
    z.re = re;
    z.im = im;
    return z;
}

TESS_FN tess_c32 tess__of_parts_c32(float re, float im)
{
    tess_c32 z;
    z.re = re;
    z.im = im;
    return z;
}

TESS_FN tess_c64 tess__widen_c32(tess_c32 z) { return tess__of_parts_c64((double)z.re, (double)z.im); }
TESS_FN tess_c32 tess__narrow_c64(tess_c64 z) { return tess__of_parts_c32((float)z.re, (float)z.im); }

TESS_FN tess_c64 tess__choose_both_c64(int yes, tess_c64 z, tess_c64 w)
{
    return tess__of_parts_c64(tess__choose_f64(yes, z.re, w.re), tess__choose_f64(yes, z.im, w.im));
}

/* Functions with the same source for both precisions, each computed in its own.
 *
 * A product is one fused operation after a rounded one, within 1.5 ulp: as good as two rounded products, faster, and
 * the same whether or not the compiler contracts. So z*w and w*z may differ in the last bit, and the imaginary part of
 * z*conj(z) from 0 by half an ulp of the product. Infinite parts give what the formula gives. */
#define TESS__COMPLEX_BASICS(c, real, fma, fabs)                                                                       \
    TESS_FN tess_##c tess__add_##c(tess_##c z, tess_##c w) { return tess__of_parts_##c(z.re + w.re, z.im + w.im); }    \
    TESS_FN tess_##c tess__sub_##c(tess_##c z, tess_##c w) { return tess__of_parts_##c(z.re - w.re, z.im - w.im); }    \
    TESS_FN tess_##c tess__neg_##c(tess_##c z) { return tess__of_parts_##c(-z.re, -z.im); }                            \
    TESS_FN tess_##c tess__conj_##c(tess_##c z) { return tess__of_parts_##c(z.re, -z.im); }                            \
    TESS_FN tess_##c tess__mul_##c(tess_##c z, tess_##c w)                                                             \
    {                                                                                                                  \
        return tess__of_parts_##c(fma(z.re, w.re, -(z.im * w.im)), fma(z.re, w.im, z.im * w.re));                      \
    }                                                                                                                  \
    TESS_FN tess_##c tess__mul_conj_##c(tess_##c z, tess_##c w)                                                        \
    {                                                                                                                  \
        return tess__of_parts_##c(fma(z.re, w.re, z.im * w.im), fma(z.im, w.re, -(z.re * w.im)));                      \
    }                                                                                                                  \
    TESS_FN tess_##c tess__square_##c(tess_##c z)                                                                      \
    {                                                                                                                  \
        return tess__of_parts_##c((z.re - z.im) * (z.re + z.im), 2 * z.re * z.im);                                     \
    }                                                                                                                  \
    TESS_FN tess_##c tess__square_diff_##c(tess_##c z, tess_##c w) { return tess__square_##c(tess__sub_##c(z, w)); }   \
    TESS_FN real     tess__abs2_##c(tess_##c z) { return fma(z.re, z.re, z.im * z.im); }                               \
    TESS_FN int      tess__equal_##c(tess_##c z, tess_##c w) { return (z.re == w.re) & (z.im == w.im); }               \
    TESS_FN int      tess__is_nan_##c(tess_##c z) { return (z.re != z.re) | (z.im != z.im); }                          \
    TESS_FN int      tess__is_inf_##c(tess_##c z)                                                                      \
    {                                                                                                                  \
        return (fabs(z.re) == (real)__builtin_inf()) | (fabs(z.im) == (real)__builtin_inf());                          \
    }                                                                                                                  \
    TESS_FN int tess__is_finite_##c(tess_##c z)                                                                        \
    {                                                                                                                  \
        return (fabs(z.re) < (real)__builtin_inf()) & (fabs(z.im) < (real)__builtin_inf());                            \
    }
TESS__COMPLEX_BASICS(c64, double, __builtin_fma, __builtin_fabs)
TESS__COMPLEX_BASICS(c32, float, __builtin_fmaf, __builtin_fabsf)
#undef TESS__COMPLEX_BASICS

/* The larger and the smaller of |re| and |im|. A NaN shows up in one of them. */
TESS_FN double tess__large_c64(tess_c64 z)
{
    const double x = __builtin_fabs(z.re), y = __builtin_fabs(z.im);
    return tess__choose_f64(x > y, x, y);
}

TESS_FN double tess__small_c64(tess_c64 z)
{
    const double x = __builtin_fabs(z.re), y = __builtin_fabs(z.im);
    return tess__choose_f64(x > y, y, x);
}

/* A power of two that takes x to [1, 2); only near it for 0, subnormal numbers and from 2^1023 on. */
TESS_FN double tess__to_unit_c64(double x)
{
    const uint64_t exponent = tess__bits_of_f64(x) & 0x7ff0000000000000;
    const double   scale = tess__f64_of_bits(0x7fe0000000000000 - exponent);
    return tess__choose_f64(x < 0x1p-1022, 0x1p1022, tess__choose_f64(x < 0x1p1022, scale, 0x1p-1022));
}

/* The direction of an infinite z: its infinite parts become 1, the others 0. Others are left as they are. */
TESS_FN tess_c64 tess__box_c64(tess_c64 z)
{
    const double   inf = __builtin_inf();
    const double   re = tess__choose_f64(__builtin_fabs(z.re) == inf, 1.0, 0.0);
    const double   im = tess__choose_f64(__builtin_fabs(z.im) == inf, 1.0, 0.0);
    const tess_c64 box = tess__of_parts_c64(__builtin_copysign(re, z.re), __builtin_copysign(im, z.im));
    return tess__choose_both_c64(tess__is_inf_c64(z), box, z);
}

/* a*b + c*d within 1.5 ulp, however much cancels. */
TESS_FN double tess__sum_of_products_c64(double a, double b, double c, double d)
{
    const double product = c * d, lost = __builtin_fma(c, d, -product);
    return __builtin_fma(a, b, product) + lost;
}

/* z/w where no square overflows or vanishes once z is multiplied by scale, which back undoes, and w by unit. */
TESS_FN tess_c64 tess__ratio_c64(tess_c64 z, tess_c64 w, double scale, double back, double unit)
{
    const int      infinite = tess__is_inf_c64(w);
    const double   by = tess__choose_f64(infinite, 0.0, unit);
    const double   then = tess__choose_f64(tess__is_inf_c64(z), __builtin_inf(), back);
    const tess_c64 n = tess__box_c64(z), d = tess__box_c64(w);
    const double   a = n.re * scale, b = n.im * scale;
    const double   c = tess__choose_f64(infinite, d.re, d.re * unit), e = tess__choose_f64(infinite, d.im, d.im * unit);
    const double   length = tess__sum_of_products_c64(c, c, e, e);
    const double   re = tess__sum_of_products_c64(a, c, b, e) / length;
    const double   im = tess__sum_of_products_c64(b, c, -a, e) / length;
    return tess__choose_both_c64(length == 0.0, tess__of_parts_c64(z.re / 0.0, z.im / 0.0),
                                 tess__of_parts_c64(re * by * then, im * by * then));
}

/* z/w within 3.2 ulp, z/z exactly 1, without overflow on the way. A finite z over an infinite w is 0, an infinite z
 * over a finite w infinite. Over 0 each part is divided by +0, as NumPy does. */
TESS_FN tess_c64 tess__div_c64(tess_c64 z, tess_c64 w)
{
    const double large = tess__large_c64(z);
    const int    huge = large > 0x1p1000, tiny = large < 0x1p-900;
    const double scale = tess__choose_f64(huge, 0x1p-60, tess__choose_f64(tiny, 0x1p60, 1.0));
    const double back = tess__choose_f64(huge, 0x1p60, tess__choose_f64(tiny, 0x1p-60, 1.0));
    return tess__ratio_c64(z, w, scale, back, tess__to_unit_c64(tess__large_c64(w)));
}

/* 1/z within 2.3 ulp; at 0 as div. */
TESS_FN tess_c64 tess__reciprocal_c64(tess_c64 z)
{
    const int      infinite = tess__is_inf_c64(z);
    const double   unit = tess__choose_f64(infinite, 1.0, tess__to_unit_c64(tess__large_c64(z)));
    const double   by = tess__choose_f64(infinite, 0.0, unit);
    const tess_c64 d = tess__box_c64(z);
    const double   x = d.re * unit, y = d.im * unit, length = tess__sum_of_products_c64(x, x, y, y);
    return tess__of_parts_c64(tess__choose_f64(length == 0.0, __builtin_inf(), x / length * by), -y / length * by);
}

/* |z| within 1 ulp. An infinite part gives infinity, also beside a NaN, as in C. */
TESS_FN double tess__abs_c64(tess_c64 z) { return tess__hypot_f64(z.re, z.im); }

/* The angle from -pi to pi, within 1.6 ulp. */
TESS_FN double tess__arg_c64(tess_c64 z) { return tess__atan2_f64(z.im, z.re); }

/* z/|z| within 2.3 ulp, and 0 at 0. */
TESS_FN tess_c64 tess__sign_c64(tess_c64 z)
{
    const tess_c64 d = tess__box_c64(z);
    const double   unit = tess__to_unit_c64(tess__large_c64(d)), x = d.re * unit, y = d.im * unit;
    const double   root = __builtin_sqrt(__builtin_fma(x, x, y * y));
    return tess__choose_both_c64(root == 0.0, tess__of_parts_c64(0.0, 0.0), tess__of_parts_c64(x / root, y / root));
}

/* z/w, but 0 where |w| is below 2^-52, the epsilon of a double. */
TESS_FN tess_c64 tess__div_safe_c64(tess_c64 z, tess_c64 w)
{
    return tess__choose_both_c64(tess__abs_c64(w) < 0x1p-52, tess__of_parts_c64(0.0, 0.0), tess__div_c64(z, w));
}

/* The root with a real part >= 0, each part within 2.2 ulp; exact where the root has few bits. The larger part is the
 * root of half of |z| + |re|, where nothing cancels; the other follows from their product, which is im/2. */
TESS_FN tess_c64 tess__sqrt_c64(tess_c64 z)
{
    const double   inf = __builtin_inf(), large = tess__large_c64(z), x = __builtin_fabs(z.re);
    const int      huge = large > 0x1p500, tiny = large < 0x1p-400, left = z.re < 0.0;
    const double   scale = tess__choose_f64(huge, 0x1p-600, tess__choose_f64(tiny, 0x1p600, 1.0));
    const double   back = tess__choose_f64(huge, 0x1p300, tess__choose_f64(tiny, 0x1p-300, 1.0));
    const double   u = x * scale, v = z.im * scale;
    const double   length = tess__choose_f64(x == inf, inf, __builtin_sqrt(__builtin_fma(u, u, v * v)));
    const double   root = __builtin_sqrt((length + u) * 0.5) * back, other = z.im / (2.0 * root);
    const tess_c64 right = tess__of_parts_c64(root, other);
    const tess_c64 turned = tess__of_parts_c64(__builtin_fabs(other), __builtin_copysign(root, z.im));
    const tess_c64 w =
        tess__choose_both_c64(root == 0.0, tess__of_parts_c64(0.0, z.im), tess__choose_both_c64(left, turned, right));
    return tess__choose_both_c64(__builtin_fabs(z.im) == inf, tess__of_parts_c64(inf, z.im), w);
}

/* cos + i sin of a phase, within 1.4 ulp. */
TESS_FN int      tess__cis_slow_c64(double phase) { return tess__sin_slow_f64(phase) | tess__cos_slow_f64(phase); }
TESS_FN tess_c64 tess__cis_fast_c64(double phase)
{
    return tess__of_parts_c64(tess__cos_fast_f64(phase), tess__sin_fast_f64(phase));
}
TESS_FN tess_c64 tess__cis_c64(double phase)
{
    if (!tess__cis_slow_c64(phase)) return tess__cis_fast_c64(phase);
    return tess__of_parts_c64(tess__cos_f64(phase), tess__sin_f64(phase));
}

/* magnitude times cis(phase), within 1.8 ulp. A phase of 0 gives a real number, also for an infinite magnitude. */
TESS_FN tess_c64 tess__polar_by_c64(double magnitude, double phase, tess_c64 cis)
{
    return tess__of_parts_c64(magnitude * cis.re, tess__choose_f64(phase == 0.0, phase, magnitude * cis.im));
}
TESS_FN int tess__polar_slow_c64(double magnitude, double phase)
{
    (void)magnitude;
    return tess__cis_slow_c64(phase);
}
TESS_FN tess_c64 tess__polar_fast_c64(double magnitude, double phase)
{
    return tess__polar_by_c64(magnitude, phase, tess__cis_fast_c64(phase));
}
TESS_FN tess_c64 tess__polar_c64(double magnitude, double phase)
{
    return tess__polar_by_c64(magnitude, phase, tess__cis_c64(phase));
}

/* e^x may overflow where its product with a cosine does not: beyond TESS__EXP_FROM it comes as two factors, one of them
 * e^TESS__EXP_FROM, which is a double but for a relative error of 2^-62. */
#define TESS__EXP_FROM 694.875
#define TESS__EXP_OF_FROM 0x1.68372c6c589d4p1002

/* i*z and -i*z. */
TESS_FN tess_c64 tess__times_i_c64(tess_c64 z) { return tess__of_parts_c64(-z.im, z.re); }
TESS_FN tess_c64 tess__over_i_c64(tess_c64 z) { return tess__of_parts_c64(z.im, -z.re); }

/* The functions up to TESS__FORMS, given the cis of their phase. */

/* e^z within 2.4 ulp. */
TESS_FN tess_c64 tess__exp_by_c64(tess_c64 z, tess_c64 cis)
{
    const double inf = __builtin_inf();
    const int    big = z.re > TESS__EXP_FROM, lost = !(__builtin_fabs(z.im) < inf);
    const double e = tess__exp_f64(tess__choose_f64(big, z.re - TESS__EXP_FROM, z.re));
    const double back = tess__choose_f64(big, TESS__EXP_OF_FROM, 1.0);
    const double re = e * cis.re * back, im = tess__choose_f64(z.im == 0.0, z.im, e * cis.im * back);
    return tess__of_parts_c64(tess__choose_f64((__builtin_fabs(z.re) == inf) & lost, e, re),
                              tess__choose_f64((z.re == -inf) & lost, 0.0, im));
}

/* sinh and cosh of a real x, both without a factor of e^TESS__EXP_FROM where |x| is beyond that. */
TESS_FN tess_c64 tess__sinh_cosh_c64(double x)
{
    const double   a = __builtin_fabs(x);
    const int      big = a > TESS__EXP_FROM;
    const double   b = tess__choose_f64(big, a - TESS__EXP_FROM, a);
    const tess_c64 y = tess__of_parts_c64(tess__sinh_f64(b), tess__cosh_f64(b));
    const double   half = 0.5 * (y.re + y.im);
    const tess_c64 h = tess__choose_both_c64(big, tess__of_parts_c64(half, half), y);
    return tess__of_parts_c64(__builtin_copysign(h.re, x), h.im);
}

/* Within 2.9 ulp. */
TESS_FN tess_c64 tess__sinh_by_c64(tess_c64 z, tess_c64 cis)
{
    const double   inf = __builtin_inf(), a = __builtin_fabs(z.re);
    const tess_c64 h = tess__sinh_cosh_c64(z.re);
    const double   back = tess__choose_f64(a > TESS__EXP_FROM, TESS__EXP_OF_FROM, 1.0);
    const int      keep = ((a == 0.0) | (a == inf)) & !(__builtin_fabs(z.im) < inf);
    return tess__of_parts_c64(tess__choose_f64(keep, z.re, h.re * cis.re * back),
                              tess__choose_f64(z.im == 0.0, z.im, h.im * cis.im * back));
}

/* Within 2.9 ulp. */
TESS_FN tess_c64 tess__cosh_by_c64(tess_c64 z, tess_c64 cis)
{
    const double   inf = __builtin_inf(), a = __builtin_fabs(z.re);
    const tess_c64 h = tess__sinh_cosh_c64(z.re);
    const double   back = tess__choose_f64(a > TESS__EXP_FROM, TESS__EXP_OF_FROM, 1.0);
    const double   re = h.im * cis.re * back, im = h.re * cis.im * back;
    const double   zero = __builtin_copysign(0.0, z.re) * __builtin_copysign(1.0, z.im);
    const int      none = (im != im) & ((z.re == 0.0) | (z.im == 0.0));
    return tess__of_parts_c64(tess__choose_f64((a == inf) & !(__builtin_fabs(z.im) < inf), inf, re),
                              tess__choose_f64(none, zero, im));
}

/* Within 3.6 ulp: with t = tanh x, the sine s and the cosine c of y, and q = 1 - t^2, it is t + i s c q over
 * c^2 + (t s)^2 = 1 - s^2 q. Nothing overflows; far out q is 4 e / (1 + e)^2 with e = e^-2|x|. */
TESS_FN tess_c64 tess__tanh_by_c64(tess_c64 z, tess_c64 cis)
{
    const double x = __builtin_fabs(z.re), y = z.im, s = cis.im, c = cis.re;
    const int    far = x > 1.0, end = x == __builtin_inf();
    const double t = tess__tanh_f64(z.re), e = tess__exp_f64(-2.0 * x), more = 1.0 + e;
    const double q = tess__choose_f64(far, 4.0 * e / (more * more), __builtin_fma(-t, t, 1.0));
    const double ts = t * s, square = ts * ts, ts_lost = __builtin_fma(t, s, -ts);
    const double lost = __builtin_fma(ts + ts, ts_lost, __builtin_fma(ts, ts, -square));
    const double near = __builtin_fma(c, c, square) + lost;
    const double d = tess__choose_f64(far, __builtin_fma(-(s * s), q, 1.0), near);
    const double im = tess__choose_f64(y == 0.0, y, s * c * q / d);
    return tess__of_parts_c64(tess__choose_f64(end | (x == 0.0), t, t / d),
                              tess__choose_f64(end & (im != im), __builtin_copysign(0.0, y), im));
}

/* The circular functions are the hyperbolic ones rotated by a right angle, with their errors. */
TESS_FN tess_c64 tess__sin_by_c64(tess_c64 z, tess_c64 cis)
{
    return tess__over_i_c64(tess__sinh_by_c64(tess__times_i_c64(z), cis));
}
TESS_FN tess_c64 tess__cos_by_c64(tess_c64 z, tess_c64 cis) { return tess__cosh_by_c64(tess__times_i_c64(z), cis); }
TESS_FN tess_c64 tess__tan_by_c64(tess_c64 z, tess_c64 cis)
{
    return tess__over_i_c64(tess__tanh_by_c64(tess__times_i_c64(z), cis));
}

#define TESS__FORMS(name, phase)                                                                                       \
    TESS_FN int      tess__##name##_slow_c64(tess_c64 z) { return tess__cis_slow_c64(z.phase); }                       \
    TESS_FN tess_c64 tess__##name##_fast_c64(tess_c64 z)                                                               \
    {                                                                                                                  \
        return tess__##name##_by_c64(z, tess__cis_fast_c64(z.phase));                                                  \
    }                                                                                                                  \
    TESS_FN tess_c64 tess__##name##_c64(tess_c64 z) { return tess__##name##_by_c64(z, tess__cis_c64(z.phase)); }
TESS__FORMS(exp, im)
TESS__FORMS(sinh, im)
TESS__FORMS(cosh, im)
TESS__FORMS(tanh, im)
TESS__FORMS(sin, re)
TESS__FORMS(cos, re)
TESS__FORMS(tan, re)
#undef TESS__FORMS

/* z as (re + i im) 2^exponent with re >= im >= 0 and re in [1/2, 4), its angle apart; exponent is 0 in a ring around 1.
 * A subnormal z is lifted by 2^54 first. */
typedef struct tess__scaled_c64 {
    double re, im, exponent;
} tess__scaled_c64;

TESS_FN tess__scaled_c64 tess__scaled_c64_of(tess_c64 z)
{
    const double     large = tess__large_c64(z);
    const int        tiny = large < 0x1p-1022, near = (large >= 0.5) & (large < 2.0);
    const double     lift = tess__choose_f64(tiny, 0x1p54, 1.0), lifted = large * lift;
    const uint64_t   biased = tess__bits_of_f64(lifted) >> 52 | 0x4330000000000000;
    const double     exponent = tess__f64_of_bits(biased) - (0x1p52 + 1023.0);
    const double     limited = tess__choose_f64(exponent > 1022.0, 1022.0, exponent);
    const double     scale = tess__choose_f64(near, 1.0, tess__to_unit_c64(lifted));
    tess__scaled_c64 s;
    s.re = lifted * scale;
    s.im = tess__small_c64(z) * lift * scale;
    s.exponent = tess__choose_f64(near, 0.0, limited - tess__choose_f64(tiny, 54.0, 0.0));
    return s;
}

/* A number of more digits than a double has: lo is small beside hi. */
typedef struct tess__two_c64 {
    double hi, lo;
} tess__two_c64;

TESS_FN tess__two_c64 tess__two_of_c64(double hi, double lo)
{
    tess__two_c64 two;
    two.hi = hi;
    two.lo = lo;
    return two;
}

/* a + b without error. */
TESS_FN tess__two_c64 tess__sum_two_c64(double a, double b)
{
    const double sum = a + b, part = sum - a;
    return tess__two_of_c64(sum, (a - (sum - part)) + (b - part));
}

/* log |z|, less the exponent of s times log 2: half the log1p of |s|^2 - 1 = (re - 1)(re + 1) + im^2. Its first
 * difference is exact, and what the sum and the product lose is added, so that the difference may cancel. */
TESS_FN double tess__log_abs_c64(tess_c64 z, tess__scaled_c64 s)
{
    const double        difference = s.re - 1.0, product = difference * (s.re + 1.0);
    const tess__two_c64 sum = tess__sum_two_c64(s.re, 1.0);
    const double        lost = __builtin_fma(difference, sum.lo, __builtin_fma(difference, sum.hi, -product));
    const double        l = 0.5 * tess__log1p_f64(__builtin_fma(s.im, s.im, product) + lost);
    return tess__choose_f64(tess__is_inf_c64(z), __builtin_inf(), l);
}

#define TESS__LN2 0x1.62e42fefa39efp-1

/* Within 2.2 ulp, and each part by itself too where |z| is close to 1. */
TESS_FN tess_c64 tess__log_c64(tess_c64 z)
{
    const tess__scaled_c64 s = tess__scaled_c64_of(z);
    return tess__of_parts_c64(__builtin_fma(s.exponent, TESS__LN2, tess__log_abs_c64(z, s)), tess__arg_c64(z));
}

/* Within 2.5 ulp; exact for powers of two. */
TESS_FN tess_c64 tess__log2_c64(tess_c64 z)
{
    const tess__scaled_c64 s = tess__scaled_c64_of(z);
    const double           log2e = 0x1.71547652b82fep0;
    return tess__of_parts_c64(__builtin_fma(tess__log_abs_c64(z, s), log2e, s.exponent), tess__arg_c64(z) * log2e);
}

/* Within 3 ulp. */
TESS_FN tess_c64 tess__log10_c64(tess_c64 z)
{
    const tess_c64 l = tess__log_c64(z);
    const double   log10e = 0x1.bcb7b1526e50ep-2;
    return tess__of_parts_c64(l.re * log10e, l.im * log10e);
}

/* What asin and acos take their roots of: z, but less by 2^20 where 1 does not count beside it, which makes the
 * imaginary parts less by 20 log 2; and a far number in its direction where it is infinite. */
TESS_FN int tess__is_far_c64(tess_c64 z) { return tess__large_c64(z) > 0x1p300; }

TESS_FN tess_c64 tess__nearer_c64(tess_c64 z)
{
    const tess_c64 d = tess__box_c64(z);
    const double   far = tess__choose_f64(tess__is_far_c64(z), 0x1p-20, 1.0);
    const double   by = tess__choose_f64(tess__is_inf_c64(z), 0x1p300, far);
    return tess__of_parts_c64(tess__choose_f64(z.re != z.re, z.re, d.re * by),
                              tess__choose_f64(z.im != z.im, z.im, d.im * by));
}

/* The size of the imaginary part of asin z and acos z, given its hyperbolic sine for the nearer z. */
TESS_FN double tess__height_c64(tess_c64 z, double sine)
{
    const double height = __builtin_fabs(tess__asinh_f64(sine));
    const double whole = height + tess__choose_f64(tess__is_far_c64(z), 0x1.bb9d3beb8c86bp3, 0.0);
    return tess__choose_f64(tess__is_inf_c64(z), __builtin_inf(), whole);
}

#define TESS__RIGHT_ANGLE 0x1.921fb54442d18p0

/* Within 2.9 ulp: Kahan's formulas by the roots of 1 - z and 1 + z, in which no terms of different signs are added. */
TESS_FN tess_c64 tess__asin_c64(tess_c64 z)
{
    const tess_c64 n = tess__nearer_c64(z);
    const tess_c64 a = tess__sqrt_c64(tess__of_parts_c64(1.0 - n.re, -n.im));
    const tess_c64 b = tess__sqrt_c64(tess__of_parts_c64(1.0 + n.re, n.im));
    const double   re = tess__atan2_f64(n.re, __builtin_fma(a.re, b.re, -(a.im * b.im)));
    const double   im = tess__height_c64(z, __builtin_fma(a.re, b.im, -(a.im * b.re)));
    return tess__of_parts_c64(tess__choose_f64(z.re == 0.0, z.re, re), __builtin_copysign(im, z.im));
}

/* Within 2.9 ulp. */
TESS_FN tess_c64 tess__acos_c64(tess_c64 z)
{
    const tess_c64 n = tess__nearer_c64(z);
    const tess_c64 a = tess__sqrt_c64(tess__of_parts_c64(1.0 - n.re, -n.im));
    const tess_c64 b = tess__sqrt_c64(tess__of_parts_c64(1.0 + n.re, n.im));
    const double   im = tess__height_c64(z, __builtin_fma(b.re, a.im, -(b.im * a.re)));
    const double   re = tess__choose_f64(z.re == 0.0, TESS__RIGHT_ANGLE, 2.0 * tess__atan2_f64(a.re, b.re));
    return tess__of_parts_c64(re, __builtin_copysign(im, -z.im));
}

TESS_FN tess_c64 tess__asinh_c64(tess_c64 z) { return tess__over_i_c64(tess__asin_c64(tess__times_i_c64(z))); }

/* acos z rotated by the right angle that makes the real part positive. */
TESS_FN tess_c64 tess__acosh_c64(tess_c64 z)
{
    const tess_c64 a = tess__acos_c64(z);
    return tess__of_parts_c64(__builtin_fabs(a.im), __builtin_copysign(a.re, z.im));
}

/* Within 2.3 ulp: a quarter of log1p(4x / |1 - z|^2), and half the angle of (1 + z)(1 - conj z). Beyond 2^60 it is 1/z
 * and a right angle; at x = 1, where |1 - z|^2 may underflow, it is half of log(2/|y|). */
TESS_FN tess_c64 tess__atanh_c64(tess_c64 z)
{
    const double x = __builtin_fabs(z.re), y = __builtin_fabs(z.im), left = 1.0 - x,
                 half_of_61_ln2 = 0x1.52417db067f38p4;
    const int far = ((tess__large_c64(z) > 0x1p60) & (x == x)) | tess__is_inf_c64(z),
              pole = (x == 1.0) & (y < 0x1p-500);
    const double ratio = tess__choose_f64(pole, 1.0 / (y * 0x1p60), 4.0 * x / __builtin_fma(y, y, left * left));
    const double l = tess__log1p_f64(tess__choose_f64(far, 0.0, ratio));
    const double near = tess__choose_f64(pole, __builtin_fma(0.5, l, half_of_61_ln2), 0.25 * l);
    const double re = tess__choose_f64(far, __builtin_fabs(tess__reciprocal_c64(z).re), near);
    const double angle = 0.5 * tess__atan2_f64(2.0 * y, __builtin_fma(-y, y, left * (1.0 + x)));
    const double im = tess__choose_f64(far & (y == y), TESS__RIGHT_ANGLE, angle);
    return tess__of_parts_c64(tess__choose_f64(x == 0.0, z.re, __builtin_copysign(re, z.re)),
                              __builtin_copysign(im, z.im));
}

TESS_FN tess_c64 tess__atan_c64(tess_c64 z) { return tess__over_i_c64(tess__atanh_c64(tess__times_i_c64(z))); }

/* What follows, up to pow, carries some 12 bits more than a double. */
TESS_FN tess__two_c64 tess__add_two_c64(tess__two_c64 x, tess__two_c64 y)
{
    const tess__two_c64 sum = tess__sum_two_c64(x.hi, y.hi);
    return tess__sum_two_c64(sum.hi, sum.lo + (x.lo + y.lo));
}

/* A product that the compiler cannot fuse with a sum that follows. */
TESS_FN double tess__product_c64(double x, double y) { return __builtin_fma(x, y, 0.0); }

TESS_FN tess__two_c64 tess__times_two_c64(double x, tess__two_c64 y)
{
    const double high = tess__product_c64(x, y.hi);
    return tess__two_of_c64(high, __builtin_fma(x, y.lo, __builtin_fma(x, y.hi, -high)));
}

/* atan(v/u) for 0 <= v <= u: of the nearest sixteenth by a table, and of the rest, at most 1/32, by its series. */
TESS_FN tess__two_c64 tess__slope_two_c64(double u, double v)
{
    static const double table[17][2] = {
        { 0.0, 0.0 },
        { 0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60 },
        { 0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59 },
        { 0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58 },
        { 0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57 },
        { 0x1.362773707ebccp-2, -0x1.963a544b672d8p-57 },
        { 0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56 },
        { 0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56 },
        { 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56 },
        { 0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56 },
        { 0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58 },
        { 0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55 },
        { 0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56 },
        { 0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57 },
        { 0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56 },
        { 0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56 },
        { 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55 },
    };
    const int           k = (int)(16.0 * (v / u) + 0.5);
    const double        t = 0.0625 * k;
    const tess__two_c64 across = tess__times_two_c64(-t, tess__two_of_c64(u, 0.0));
    const tess__two_c64 along = tess__times_two_c64(t, tess__two_of_c64(v, 0.0));
    const tess__two_c64 rise = tess__add_two_c64(tess__two_of_c64(v, 0.0), across);
    const tess__two_c64 run = tess__add_two_c64(tess__two_of_c64(u, 0.0), along);
    const double        r = rise.hi / run.hi, z = r * r;
    const double        r_lo = __builtin_fma(-r, run.lo, __builtin_fma(-r, run.hi, rise.hi) + rise.lo) / run.hi;
    const double        far = __builtin_fma(z, __builtin_fma(z, 1.0 / 13, -1.0 / 11), 1.0 / 9);
    const double        series = __builtin_fma(z, __builtin_fma(z, __builtin_fma(z, far, -1.0 / 7), 1.0 / 5), -1.0 / 3);
    const double        rest = __builtin_fma(z * r, series, __builtin_fma(-z, r_lo, r_lo));
    return tess__add_two_c64(tess__two_of_c64(table[k][0], table[k][1]), tess__two_of_c64(r, rest));
}

/* The angle of z, given z scaled. */
TESS_FN tess__two_c64 tess__arg_two_c64(tess_c64 z, tess__scaled_c64 s)
{
    const int           steep = __builtin_fabs(z.im) > __builtin_fabs(z.re), left = __builtin_copysign(1.0, z.re) < 0.0;
    const tess__two_c64 a = tess__slope_two_c64(s.re, s.im);
    const double        turn = steep != left ? -1.0 : 1.0, quarters = steep ? 1.0 : left ? 2.0 : 0.0;
    const double        up = __builtin_copysign(1.0, z.im);
    const tess__two_c64 from = tess__two_of_c64(quarters * TESS__RIGHT_ANGLE, quarters * 0x1.1a62633145c07p-54);
    const tess__two_c64 sum = tess__add_two_c64(from, tess__two_of_c64(turn * a.hi, turn * a.lo));
    return tess__two_of_c64(up * sum.hi, up * sum.lo);
}

/* log x for x in [3/4, 3/2): of the nearest sixteenth by a table, and of the ratio to it, within 1/24 of 1, by its
 * series. */
TESS_FN tess__two_c64 tess__log_two_c64(tess__two_c64 x)
{
    static const double table[13][2] = {
        { -0x1.269621134db92p-2, -0x1.e0efadd9db02bp-56 },
        { -0x1.a93ed3c8ad9e3p-3, -0x1.bcafa9de97203p-57 },
        { -0x1.1178e8227e47cp-3, 0x1.0e63a5f01c691p-58 },
        { -0x1.08598b59e3a07p-4, 0x1.dd7009902bf32p-58 },
        { 0.0, 0.0 },
        { 0x1.f0a30c01162a6p-5, 0x1.85f325c5bbacdp-59 },
        { 0x1.e27076e2af2e6p-4, -0x1.61578001e0162p-60 },
        { 0x1.5ff3070a793d4p-3, -0x1.bc60efafc6f6ep-58 },
        { 0x1.c8ff7c79a9a22p-3, -0x1.4f689f8434012p-57 },
        { 0x1.1675cababa60ep-2, 0x1.ce63eab883717p-61 },
        { 0x1.4618bc21c5ec2p-2, 0x1.f42decdeccf1dp-56 },
        { 0x1.739d7f6bbd007p-2, -0x1.8c76ceb014b04p-56 },
        { 0x1.9f323ecbf984cp-2, -0x1.a92e513217f5cp-59 },
    };
    const int           k = (int)(16.0 * x.hi + 0.5);
    const double        f = 0.0625 * k;
    const tess__two_c64 rest = tess__sum_two_c64(x.hi - f, x.lo);
    const double        r = rest.hi / f, r_lo = (__builtin_fma(-r, f, rest.hi) + rest.lo) / f, half = -0.5 * r;
    double              series = 1.0 / 15;
    for (int n = 14; n >= 3; n--) series = __builtin_fma(-r, series, 1.0 / n);
    const double        square = tess__product_c64(half, r), square_lo = __builtin_fma(half, r, -square);
    const double        cube = __builtin_fma(r * r, r * series, __builtin_fma(-r, r_lo, square_lo));
    const tess__two_c64 near = tess__add_two_c64(tess__two_of_c64(r, r_lo), tess__two_of_c64(square, cube));
    return tess__add_two_c64(tess__two_of_c64(table[k - 12][0], table[k - 12][1]), near);
}

/* log |z|, given z scaled: half the log of its square. */
TESS_FN tess__two_c64 tess__log_abs_two_c64(tess__scaled_c64 s)
{
    const double        ln2 = 0x1.62e42fefa38p-1, ln2_lo = 0x1.ef35793c7673p-45; /* an exponent times ln2 is exact */
    const tess__two_c64 re2 = tess__times_two_c64(s.re, tess__two_of_c64(s.re, 0.0));
    const tess__two_c64 im2 = tess__times_two_c64(s.im, tess__two_of_c64(s.im, 0.0));
    const tess__two_c64 square = tess__add_two_c64(re2, im2);
    double              twice = 2.0 * s.exponent, scale = 1.0;
    for (; square.hi * scale >= 1.5; twice += 1.0) scale *= 0.5;
    for (; square.hi * scale < 0.75; twice -= 1.0) scale *= 2.0;
    const tess__two_c64 l = tess__log_two_c64(tess__two_of_c64(square.hi * scale, square.lo * scale));
    const tess__two_c64 whole = tess__two_of_c64(twice * ln2, tess__product_c64(twice, ln2_lo));
    const tess__two_c64 sum = tess__add_two_c64(whole, l);
    return tess__two_of_c64(0.5 * sum.hi, 0.5 * sum.lo);
}

/* e^(w log z) for finite z and w, z not 0. */
TESS_FN tess_c64 tess__pow_fine_c64(tess_c64 z, tess_c64 w)
{
    const tess__scaled_c64 s = tess__scaled_c64_of(z);
    const tess__two_c64    l = tess__log_abs_two_c64(s), a = tess__arg_two_c64(z, s);
    const tess__two_c64    re = tess__add_two_c64(tess__times_two_c64(w.re, l), tess__times_two_c64(-w.im, a));
    const tess__two_c64    im = tess__add_two_c64(tess__times_two_c64(w.re, a), tess__times_two_c64(w.im, l));
    const double           stretch = __builtin_fabs(re.lo) < 1.0 ? re.lo : 0.0;
    const double           turn = __builtin_fabs(im.lo) < 1.0 ? im.lo : 0.0;
    const tess_c64         cis = tess__cis_c64(im.hi);
    const double           x = cis.re + __builtin_fma(cis.re, stretch, -(cis.im * turn));
    const double           y = cis.im + __builtin_fma(cis.im, stretch, cis.re * turn);
    return tess__exp_by_c64(tess__of_parts_c64(re.hi, im.hi), tess__of_parts_c64(x, y));
}

/* z^w where it is known without a logarithm, else y: 1 for w = 0, whatever z is; for z = 0 it is 0 where re w > 0, and
 * infinite without a direction where w < 0. */
TESS_FN tess_c64 tess__pow_ends_c64(tess_c64 z, tess_c64 w, tess_c64 y)
{
    const double   nan = __builtin_nan("");
    const int      base = (z.re == 0.0) & (z.im == 0.0), none = (w.re == 0.0) & (w.im == 0.0);
    const tess_c64 at_0 = tess__of_parts_c64(tess__choose_f64((w.re < 0.0) & (w.im == 0.0), __builtin_inf(), nan), nan);
    const tess_c64 of_0 = tess__choose_both_c64(w.re > 0.0, tess__of_parts_c64(0.0, 0.0), at_0);
    return tess__choose_both_c64(none, tess__of_parts_c64(1.0, 0.0), tess__choose_both_c64(base, of_0, y));
}

/* z^w within 2.5 ulp while |w log z| is below 2^10, and 2^-10 |w log z| times that beyond. For z of a moderate size the
 * powers 1 to 3 are products, and exact where these are. */
TESS_FN tess_c64 tess__pow_c64(tess_c64 z, tess_c64 w)
{
    const double   large = tess__large_c64(z);
    const int      whole = (w.im == 0.0) & (large > 0x1p-200) & (large < 0x1p200);
    const tess_c64 square = tess__square_c64(z);
    if (whole && w.re == 1.0) return z;
    if (whole && w.re == 2.0) return square;
    if (whole && w.re == 3.0) return tess__mul_c64(square, z);
    if (tess__is_finite_c64(z) & tess__is_finite_c64(w) & (large != 0.0))
        return tess__pow_ends_c64(z, w, tess__pow_fine_c64(z, w));
    const tess_c64 l = tess__log_c64(z);
    const tess_c64 real = tess__of_parts_c64(w.re * l.re, w.re * l.im);
    return tess__pow_ends_c64(z, w, tess__exp_c64(w.im == 0.0 ? real : tess__mul_c64(w, l)));
}

/* ---- single precision ---- */

#define TESS__BY_C64(name)                                                                                             \
    TESS_FN tess_c32 tess__##name##_c32(tess_c32 z) { return tess__narrow_c64(tess__##name##_c64(tess__widen_c32(z))); }
#define TESS__FORMS_BY_C64(name)                                                                                       \
    TESS__BY_C64(name)                                                                                                 \
    TESS__BY_C64(name##_fast)                                                                                          \
    TESS_FN int tess__##name##_slow_c32(tess_c32 z) { return tess__##name##_slow_c64(tess__widen_c32(z)); }
TESS__BY_C64(reciprocal)
TESS__BY_C64(sign)
TESS__BY_C64(sqrt)
TESS__BY_C64(log2)
TESS__BY_C64(log10)
TESS__BY_C64(asin)
TESS__BY_C64(acos)
TESS__BY_C64(atan)
TESS__BY_C64(asinh)
TESS__BY_C64(acosh)
TESS__BY_C64(atanh)
TESS__FORMS_BY_C64(exp)
TESS__FORMS_BY_C64(sin)
TESS__FORMS_BY_C64(cos)
TESS__FORMS_BY_C64(tan)
TESS__FORMS_BY_C64(sinh)
TESS__FORMS_BY_C64(cosh)
TESS__FORMS_BY_C64(tanh)
#undef TESS__FORMS_BY_C64
#undef TESS__BY_C64

TESS_FN float tess__abs_c32(tess_c32 z) { return tess__hypot_f32(z.re, z.im); }
TESS_FN float tess__arg_c32(tess_c32 z) { return tess__atan2_f32(z.im, z.re); }

/* Within 1.2 ulp: the angle is that of single precision. */
TESS_FN tess_c32 tess__log_c32(tess_c32 z)
{
    const tess_c64         wide = tess__widen_c32(z);
    const tess__scaled_c64 s = tess__scaled_c64_of(wide);
    return tess__of_parts_c32((float)__builtin_fma(s.exponent, TESS__LN2, tess__log_abs_c64(wide, s)),
                              tess__arg_c32(z));
}

/* A double holds the squares of all floats. */
TESS_FN tess_c32 tess__div_c32(tess_c32 z, tess_c32 w)
{
    return tess__narrow_c64(tess__ratio_c64(tess__widen_c32(z), tess__widen_c32(w), 1.0, 1.0, 1.0));
}

/* z/w, but 0 where |w| is below 2^-23, the epsilon of a float. */
TESS_FN tess_c32 tess__div_safe_c32(tess_c32 z, tess_c32 w)
{
    const int      none = tess__abs_c32(w) < 0x1p-23f;
    const tess_c32 ratio = tess__div_c32(z, w);
    return tess__of_parts_c32(tess__choose_f32(none, 0.0f, ratio.re), tess__choose_f32(none, 0.0f, ratio.im));
}

/* Within 0.8 ulp while |w log z| is below 2^18: a double has the digits to spare. */
TESS_FN tess_c32 tess__pow_c32(tess_c32 z, tess_c32 w)
{
    const tess_c64 a = tess__widen_c32(z), b = tess__widen_c32(w);
    return tess__narrow_c64(tess__pow_ends_c64(a, b, tess__exp_c64(tess__mul_c64(b, tess__log_c64(a)))));
}

/* In single precision, within 1 ulp. */
TESS_FN int      tess__cis_slow_c32(float phase) { return tess__sin_slow_f32(phase) | tess__cos_slow_f32(phase); }
TESS_FN tess_c32 tess__cis_fast_c32(float phase)
{
    return tess__of_parts_c32(tess__cos_fast_f32(phase), tess__sin_fast_f32(phase));
}
TESS_FN tess_c32 tess__cis_c32(float phase) { return tess__of_parts_c32(tess__cos_f32(phase), tess__sin_f32(phase)); }

/* In single precision, within 1.5 ulp. */
TESS_FN tess_c32 tess__polar_by_c32(float magnitude, float phase, tess_c32 cis)
{
    return tess__of_parts_c32(magnitude * cis.re, tess__choose_f32(phase == 0.0f, phase, magnitude * cis.im));
}
TESS_FN int tess__polar_slow_c32(float magnitude, float phase)
{
    (void)magnitude;
    return tess__cis_slow_c32(phase);
}
TESS_FN tess_c32 tess__polar_fast_c32(float magnitude, float phase)
{
    return tess__polar_by_c32(magnitude, phase, tess__cis_fast_c32(phase));
}
TESS_FN tess_c32 tess__polar_c32(float magnitude, float phase)
{
    return tess__polar_by_c32(magnitude, phase, tess__cis_c32(phase));
}

#undef TESS__LN2
#undef TESS__EXP_FROM
#undef TESS__EXP_OF_FROM
#undef TESS__RIGHT_ANGLE

#endif
