/* Elementary functions of floats, without branches so that a loop over them vectorises, and with the same bits on every
 * instruction set: only IEEE operations and explicit fma.
 *
 * exp, expm1, log, log1p, sin, cos, tan, sinc and pow also come as tess__NAME_fast_f32, shorter and correct where
 * tess__NAME_slow_f32 is 0; tess__NAME_f32 is correct everywhere and has the same bits there. The complete sin, cos,
 * tan and sinc have a branch, for the slow reduction of huge arguments; the others have none. fmod loops.
 *
 * Errors are below 1 unit in the last place of the result, but up to 1.2 for exp, exp10, log2, log10, atan, tanh, erf,
 * 1.5 for rsqrt, and 1e-9 in all for logaddexp where its terms cancel. What would need pairs of floats goes through
 * double, where a short polynomial is exact enough: the functions named tess__wide_*. The error stated for a polynomial
 * is relative to the function that it approximates.
 */
#ifndef TESSERA_MATH_F32_OP_H
#define TESSERA_MATH_F32_OP_H

#include "tessera/math/fn.h"

typedef struct tess__pair_f32 {
    float hi, lo;
} tess__pair_f32;

typedef struct tess__wide_pair_f32 {
    double a, b;
} tess__wide_pair_f32;

/* c ? yes : no on bits: a conditional expression may become a branch around its arms, and then no loop vectorises. */
TESS_FN float tess__pick_f32(int c, float yes, float no)
{
    uint32_t mask = 0u - (uint32_t)(c != 0);
    uint32_t y = tess__bits_of_f32(yes), n = tess__bits_of_f32(no);
    return tess__f32_of_bits(((y ^ n) & mask) ^ n);
}

TESS_FN double tess__wide_pick_f32(int c, double yes, double no)
{
    uint64_t mask = 0u - (uint64_t)(c != 0);
    uint64_t y = tess__bits_of_f64(yes), n = tess__bits_of_f64(no);
    return tess__f64_of_bits(((y ^ n) & mask) ^ n);
}

/* c0 + c1 x + c2 x^2: polynomials are sums of these, shorter chains than Horner's and fewer copies of constants. */
TESS_FN float tess__quad_f32(float x, float xx, float c0, float c1, float c2)
{
    return __builtin_fmaf(c1, x, __builtin_fmaf(c2, xx, c0));
}

TESS_FN double tess__wide_quad_f32(double x, double xx, double c0, double c1, double c2)
{
    return __builtin_fma(c1, x, __builtin_fma(c2, xx, c0));
}

TESS_FN float tess__inf_f32(void) { return tess__f32_of_bits(0x7f800000u); }

TESS_FN float tess__nan_f32(void) { return tess__f32_of_bits(0x7fc00000u); }

TESS_FN int tess__finite_f32(float x) { return __builtin_fabsf(x) <= 0x1.fffffep127f; }

/* x with its magnitude cut to at most limit; NaN stays. */
TESS_FN float tess__cut_f32(float x, float limit)
{
    return tess__pick_f32(__builtin_fabsf(x) > limit, __builtin_copysignf(limit, x), x);
}

/* y times 2^n, where k = n + 0x1.8p23 + 254. Two halves: the result may be subnormal or overflow, rounded once. */
TESS_FN float tess__scale_f32(float y, float k)
{
    uint32_t n = tess__bits_of_f32(k), half = n >> 1;
    return y * tess__f32_of_bits(half << 23) * tess__f32_of_bits((n - half) << 23);
}

/* exp(x - n ln2) - 1 and k = n + shift, the multiple n of ln2 nearest to x. */
TESS_FN float tess__exp_core_f32(float x, float shift, float *k)
{
    *k = __builtin_fmaf(x, 0x1.715476p0f, shift);
    float n = *k - shift;
    float r = __builtin_fmaf(n, -0x1.62e43p-1f, x);
    r = __builtin_fmaf(n, 0x1.05c61p-29f, r);
    /* exp(r) = 1 + r + r^2 q, |r| < 0.3467: 5.8e-9 */
    float rr = r * r, q = __builtin_fmaf(0x1.555486p-3f, r, 0x1.fffffcp-2f);
    q = __builtin_fmaf(tess__quad_f32(r, rr, 0x1.555a38p-5f, 0x1.123da4p-7f, 0x1.6852d8p-10f), rr, q);
    return __builtin_fmaf(q, rr, r);
}

TESS_FN int tess__exp_slow_f32(float x) { return __builtin_fabsf(x) > 87.0f; }

TESS_FN float tess__exp_fast_f32(float x)
{
    float k, y = tess__exp_core_f32(x, 0x1.8p23f + 127.0f, &k);
    float scale = tess__f32_of_bits(tess__bits_of_f32(k) << 23);
    return __builtin_fmaf(y, scale, scale);
}

TESS_FN float tess__exp_f32(float x)
{
    float k, y = tess__exp_core_f32(tess__cut_f32(x, 105.0f), 0x1.8p23f + 254.0f, &k);
    return tess__scale_f32(y + 1.0f, k);
}

/* (2^r - 1) / r, |r| <= 1/2: 3.7e-9 of 2^r */
TESS_FN float tess__exp2_core_f32(float r)
{
    float rr = r * r, q = __builtin_fmaf(0x1.c6af74p-5f, r, 0x1.ebfbd8p-3f);
    q = __builtin_fmaf(tess__quad_f32(r, rr, 0x1.3b3094p-7f, 0x1.5f0cap-10f, 0x1.3faf58p-13f), rr, q);
    return __builtin_fmaf(q, r, 0x1.62e43p-1f);
}

TESS_FN float tess__exp2_f32(float x)
{
    const float shift = 0x1.8p23f + 254.0f;
    x = tess__cut_f32(x, 152.0f);
    float k = x + shift, r = x - (k - shift);
    return tess__scale_f32(__builtin_fmaf(tess__exp2_core_f32(r), r, 1.0f), k);
}

TESS_FN float tess__exp10_f32(float x)
{
    const float shift = 0x1.8p23f + 254.0f;
    x = tess__cut_f32(x, 46.0f);
    float k = __builtin_fmaf(x, 0x1.a934fp1f, shift), n = k - shift;
    float r = __builtin_fmaf(n, -0x1.344136p-2f, x);
    r = __builtin_fmaf(n, 0x1.ec10cp-27f, r);
    /* |r| < 0.1506: 3.0e-9 */
    float rr = r * r;
    float q = __builtin_fmaf(0x1.046f9ap1f, r, 0x1.535248p1f);
    q = __builtin_fmaf(tess__quad_f32(r, rr, 0x1.2bdbdep0f, 0x1.156bbep-1f, 0x1.a4926ep-3f), rr, q);
    q = __builtin_fmaf(q, r, 0x1.26bb1cp1f);
    return tess__scale_f32(__builtin_fmaf(q, r, 1.0f), k);
}

TESS_FN int tess__expm1_slow_f32(float x) { return __builtin_fabsf(x) > 87.0f; }

/* 2^n exp(r) - 1 as the sum of hi = 2^n r + (2^n - 1), rounded, and all the rest, times `one`; shift is 1.5 2^23 plus
 * the exponent of `one` with its bias. */
TESS_FN tess__pair_f32 tess__expm1_parts_f32(float x, float shift, float one)
{
    float k = __builtin_fmaf(x, 0x1.715476p0f, shift), n = k - shift;
    float power = tess__f32_of_bits(tess__bits_of_f32(k) << 23);
    float a = __builtin_fmaf(n, -0x1.62e43p-1f, x), r = __builtin_fmaf(n, 0x1.05c61p-29f, a);
    /* exp(r) = 1 + r + r^2 / 2 + r^3 q, |r| < 0.3467: 2.2e-9 of exp(r) - 1 */
    float rr = r * r, q = tess__quad_f32(r, rr, 0x1.555554p-3f, 0x1.5554b2p-5f, 0x1.11118ap-7f);
    q = __builtin_fmaf(__builtin_fmaf(0x1.a032cp-13f, r, 0x1.6d720cp-10f), rr * r, q);
    q = __builtin_fmaf(q, rr * r, __builtin_fmaf(0.5f, rr, __builtin_fmaf(n, 0x1.05c61p-29f, a - r)));
    float          base = power - one, hi = __builtin_fmaf(power, r, base);
    float          lo = __builtin_fmaf(power, r, base - hi) + ((power - base) - one);
    tess__pair_f32 y;
    y.hi = hi;
    y.lo = __builtin_fmaf(power, q, lo);
    return y;
}

TESS_FN float tess__expm1_fast_f32(float x)
{
    tess__pair_f32 y = tess__expm1_parts_f32(x, 0x1.8p23f + 127.0f, 1.0f);
    return __builtin_copysignf(y.hi + y.lo, x);
}

/* Halved, as 2^n may overflow. */
TESS_FN float tess__expm1_f32(float x)
{
    float          y = tess__pick_f32(x < -25.0f, -25.0f, x);
    tess__pair_f32 half = tess__expm1_parts_f32(tess__pick_f32(y > 89.0f, 89.0f, y), 0x1.8p23f + 126.0f, 0.5f);
    return tess__pick_f32(__builtin_fabsf(x) < 0x1p-25f, x, 2.0f * (half.hi + half.lo));
}

/* The parts of x = 2^e (1 + f), with 1 + f in [2/3, 4/3], for x whose bits are those of a normal positive number. e
 * comes times 2^23, as it stands in the bits. */
TESS_FN float tess__log_parts_f32(float x, float *e)
{
    uint32_t bits = tess__bits_of_f32(x), u = (bits - 0x3f2aaaabu) & 0xff800000u;
    *e = (float)(int32_t)u;
    return tess__f32_of_bits(bits - u) - 1.0f;
}

/* The same for every finite x > 0. */
TESS_FN float tess__log_all_parts_f32(float x, float *e)
{
    int   small = x < 0x1p-126f;
    float f = tess__log_parts_f32(tess__pick_f32(small, x * 0x1p23f, x), e);
    *e -= tess__pick_f32(small, 23.0f * 0x1p23f, 0.0f);
    return f;
}

/* (log(1 + f) - f + f^2 / 2) / f^3, |f| < 0.33334: 4.9e-9 of the logarithm */
TESS_FN float tess__log_rest_f32(float f, float ff, float fff)
{
    float q = __builtin_fmaf(-0x1.06cdfap-3f, f, 0x1.1ec6e2p-3f);
    q = __builtin_fmaf(q, fff, tess__quad_f32(f, ff, -0x1.559802p-3f, 0x1.1ec0dp-3f, -0x1.f3a7dep-4f));
    return __builtin_fmaf(q, fff, tess__quad_f32(f, ff, 0x1.555502p-2f, -0x1.ffff14p-3f, 0x1.99d1c6p-3f));
}

/* r where x is positive and finite, else what all logarithms have in common. */
TESS_FN float tess__log_edges_f32(float x, float r)
{
    float edge = tess__pick_f32(x == 0.0f, -tess__inf_f32(), tess__nan_f32());
    edge = tess__pick_f32(x > 0.0f, x, edge);
    return tess__pick_f32(tess__bits_of_f32(x) - 1u < 0x7f7fffffu, r, edge);
}

TESS_FN float tess__log_sum_f32(float f, float e)
{
    float ff = f * f, q = __builtin_fmaf(tess__log_rest_f32(f, ff, ff * f), f, -0.5f);
    return __builtin_fmaf(e, 0x1.62e43p-24f, __builtin_fmaf(q, ff, f));
}

TESS_FN int tess__log_slow_f32(float x) { return tess__bits_of_f32(x) - 0x800000u >= 0x7f000000u; }

TESS_FN float tess__log_fast_f32(float x)
{
    float e, f = tess__log_parts_f32(x, &e);
    return tess__log_sum_f32(f, e);
}

TESS_FN float tess__log_f32(float x)
{
    float e, f = tess__log_all_parts_f32(x, &e);
    return tess__log_edges_f32(x, tess__log_sum_f32(f, e));
}

/* The leading terms, rounded, in hi; what the rounding lost and all the rest in lo. log10 likewise. */
TESS_FN float tess__log2_f32(float x)
{
    float e, f = tess__log_all_parts_f32(x, &e), ff = f * f, fff = ff * f;
    e *= 0x1p-23f;
    float hi = __builtin_fmaf(f, 0x1.715476p0f, e);
    float lo = __builtin_fmaf(f, 0x1.715476p0f, e - hi);
    lo = __builtin_fmaf(f, 0x1.4ae0cp-26f, lo);
    float rest = __builtin_fmaf(tess__log_rest_f32(f, ff, fff), fff, -0.5f * ff);
    return tess__log_edges_f32(x, hi + __builtin_fmaf(rest, 0x1.715476p0f, lo));
}

TESS_FN float tess__log10_f32(float x)
{
    float e, f = tess__log_all_parts_f32(x, &e), ff = f * f, fff = ff * f;
    float hi = __builtin_fmaf(e, 0x1.62e43p-24f, f);
    float lo = f - __builtin_fmaf(e, -0x1.62e43p-24f, hi);
    lo = __builtin_fmaf(tess__log_rest_f32(f, ff, fff), fff, __builtin_fmaf(ff, -0.5f, lo));
    lo = __builtin_fmaf(lo, 0x1.bcb7b2p-2f, hi * -0x1.5b235ep-27f);
    return tess__log_edges_f32(x, __builtin_fmaf(hi, 0x1.bcb7b2p-2f, lo));
}

TESS_FN int tess__log1p_slow_f32(float x) { return tess__log_slow_f32(1.0f + x); }

/* As log, with f = (1 + x) / 2^e - 1 from x itself, and what its rounding lost; times 4, as 2^-e may underflow. */
TESS_FN float tess__log1p_fast_f32(float x)
{
    uint32_t u = (tess__bits_of_f32(1.0f + x) - 0x3f2aaaabu) & 0xff800000u;
    float    e = (float)(int32_t)u, scale = tess__f32_of_bits(0x40800000u - u);
    float    base = scale - 4.0f, f4 = __builtin_fmaf(x, scale, base), lost4 = __builtin_fmaf(x, scale, base - f4);
    float    f = 0.25f * f4, ff = f * f, fff = ff * f;
    float    hi = __builtin_fmaf(e, 0x1.62e43p-24f, f), lo = f - __builtin_fmaf(e, -0x1.62e43p-24f, hi);
    lo = __builtin_fmaf(lost4, __builtin_fmaf(f, -0.25f, 0.25f), lo); /* 1 - f for 1 / (1 + f) */
    lo = __builtin_fmaf(tess__log_rest_f32(f, ff, fff), fff, __builtin_fmaf(ff, -0.5f, lo));
    return __builtin_copysignf(hi + lo, x);
}

TESS_FN float tess__log1p_f32(float x)
{
    float edge = tess__pick_f32(x == -1.0f, -tess__inf_f32(), tess__nan_f32());
    edge = tess__pick_f32(x > 0.0f, x, edge);
    return tess__pick_f32((x > -1.0f) & (x <= 0x1.fffffep127f), tess__log1p_fast_f32(x), edge);
}

/* x less the nearest multiple of pi/2, as hi - lo, and that multiple modulo 4 in *n. For |x| <= 0x1p16. */
TESS_FN tess__pair_f32 tess__trig_near_f32(float x, uint32_t *n)
{
    float          k = __builtin_fmaf(x, 0x1.45f306p-1f, 0x1.8p23f), m = k - 0x1.8p23f;
    float          r = __builtin_fmaf(m, -0x1.921fb4p0f, x); /* exact: a multiple of 2^-23 below 2 */
    tess__pair_f32 p;
    p.hi = __builtin_fmaf(m, -0x1.4442d2p-24f, r);
    float lost = __builtin_fmaf(m, 0x1.4442d2p-24f, p.hi - r); /* p.hi - r is exact unless p.hi is small */
    lost = tess__pick_f32(p.hi * p.hi > 0x1p-16f, lost, 0.0f);
    p.lo = __builtin_fmaf(m, -0x1.ee59dap-50f, lost);
    *n = tess__bits_of_f32(k);
    return p;
}

/* The same for |x|, at least 1 and however large, as a double: the 96 bits of 2/pi that matter times the mantissa. */
TESS_FN double tess__trig_far_f32(float x, uint32_t *n)
{
    static const uint32_t two_over_pi[8] = { 0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                             0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu };
    uint32_t              bits = tess__bits_of_f32(x), m = (bits & 0x7fffffu) | 0x800000u;
    uint32_t              first = ((bits >> 23) & 255u) - 120u; /* bits before this one give multiples of 2 pi */
    uint32_t              shift = first & 31u;
    const uint32_t       *word = two_over_pi + (first >> 5);
    uint32_t              w[3];
    for (int i = 0; i < 3; i++) w[i] = (uint32_t)((((uint64_t)word[i] << 32 | word[i + 1]) << shift) >> 32);
    uint64_t turns = ((uint64_t)(m * w[0]) << 32) + (uint64_t)m * w[1] + ((uint64_t)m * w[2] >> 32);
    uint64_t nearest = turns + (1ull << 61);
    *n = (uint32_t)(nearest >> 62);
    double rest = (double)(int64_t)(turns - (nearest & (3ull << 62)));
    return __builtin_fma(rest, 0x1.921fb54442d18p-62, 0.0); /* no product that a later difference could absorb */
}

TESS_FN int tess__trig_slow_f32(float x) { return __builtin_fabsf(x) > 0x1p16f; }

/* sin(r + n pi/2) for r = hi - lo. */
TESS_FN float tess__sin_turned_f32(tess__pair_f32 r, uint32_t n)
{
    float s = r.hi * r.hi;
    /* |r| < 0.786, sin: 4.3e-9, cos: 1.2e-10 */
    float p = __builtin_fmaf(0x1.992be8p-13f, s, -0x1.1106e4p-7f);
    p = __builtin_fmaf(p, s, 0x1.555544p-3f);
    float sine = r.hi - __builtin_fmaf(r.hi * s, p, r.lo); /* -0 stays */
    float q = __builtin_fmaf(0x1.99e8fep-16f, s, -0x1.6c0c2ap-10f);
    q = __builtin_fmaf(q, s, 0x1.55554ap-5f);
    float c = __builtin_fmaf(s, -0.5f, 1.0f), lost = __builtin_fmaf(s, -0.5f, 1.0f - c);
    float cosine = c + __builtin_fmaf(s * s, q, __builtin_fmaf(r.hi, r.lo, lost));
    float y = tess__pick_f32((int)(n & 1u), cosine, sine);
    return tess__f32_of_bits(tess__bits_of_f32(y) ^ ((n << 30) & 0x80000000u));
}

/* The slow way of sin and cos: sin(|x| + turn pi/2). */
TESS_FN float tess__sin_far_f32(float x, uint32_t turn)
{
    uint32_t       n;
    double         r = tess__trig_far_f32(x, &n);
    tess__pair_f32 p;
    p.hi = (float)r;
    p.lo = (float)((double)p.hi - r);
    return tess__finite_f32(x) ? tess__sin_turned_f32(p, n + turn) : tess__nan_f32();
}

TESS_FN float tess__flip_f32(float y, float sign)
{
    return tess__f32_of_bits(tess__bits_of_f32(y) ^ (tess__bits_of_f32(sign) & 0x80000000u));
}

TESS_FN int tess__sin_slow_f32(float x) { return tess__trig_slow_f32(x); }

TESS_FN float tess__sin_fast_f32(float x)
{
    uint32_t       n;
    tess__pair_f32 r = tess__trig_near_f32(x, &n);
    return tess__sin_turned_f32(r, n);
}

TESS_FN float tess__sin_f32(float x)
{
    return tess__sin_slow_f32(x) ? tess__flip_f32(tess__sin_far_f32(x, 0), x) : tess__sin_fast_f32(x);
}

TESS_FN int tess__cos_slow_f32(float x) { return tess__trig_slow_f32(x); }

TESS_FN float tess__cos_fast_f32(float x)
{
    uint32_t       n;
    tess__pair_f32 r = tess__trig_near_f32(x, &n);
    return tess__sin_turned_f32(r, n + 1u);
}

TESS_FN float tess__cos_f32(float x) { return tess__cos_slow_f32(x) ? tess__sin_far_f32(x, 1) : tess__cos_fast_f32(x); }

/* |x| less the nearest multiple of pi/2, in double. */
TESS_FN double tess__wide_trig_near_f32(float x, uint32_t *n)
{
    double a = (double)__builtin_fabsf(x);
    double k = __builtin_fma(a, 0x1.45f306dc9c883p-1, 0x1.8p52), m = k - 0x1.8p52;
    *n = (uint32_t)tess__bits_of_f64(k);
    return __builtin_fma(m, -0x1.1a62633145c07p-54, __builtin_fma(m, -0x1.921fb54442d18p0, a));
}

/* sin in a and cos in b. */
TESS_FN tess__wide_pair_f32 tess__wide_sincos_f32(double r)
{
    double s = r * r;
    /* |r| < 0.786, sin: 5.5e-12, cos: 6.7e-11 */
    double p = __builtin_fma(0x1.6ccc40c1c4b7cp-19, s, -0x1.a00f63c15eef5p-13);
    p = __builtin_fma(p, s, 0x1.111108416fdbp-7);
    p = __builtin_fma(p, s, -0x1.5555554c282ap-3);
    double q = __builtin_fma(0x1.990e5afb50ab8p-16, s, -0x1.6c07c9218c76ep-10);
    q = __builtin_fma(q, s, 0x1.55553bfe6ae95p-5);
    q = __builtin_fma(q, s, -0x1.ffffffc9c2e77p-2);
    tess__wide_pair_f32 sc = { __builtin_fma(r * s, p, r), __builtin_fma(q, s, 1.0) };
    return sc;
}

/* tan(r + n pi/2). */
TESS_FN float tess__tan_turned_f32(double r, uint32_t n)
{
    tess__wide_pair_f32 sc = tess__wide_sincos_f32(r);
    int                 odd = (int)(n & 1u);
    return (float)(tess__wide_pick_f32(odd, -sc.b, sc.a) / tess__wide_pick_f32(odd, sc.a, sc.b));
}

TESS_FN int tess__tan_slow_f32(float x) { return tess__trig_slow_f32(x); }

TESS_FN float tess__tan_fast_f32(float x)
{
    uint32_t n;
    double   r = tess__wide_trig_near_f32(x, &n);
    return tess__flip_f32(tess__tan_turned_f32(r, n), x);
}

TESS_FN float tess__tan_far_f32(float x)
{
    uint32_t n;
    double   r = tess__trig_far_f32(x, &n);
    return tess__finite_f32(x) ? tess__flip_f32(tess__tan_turned_f32(r, n), x) : tess__nan_f32();
}

TESS_FN float tess__tan_f32(float x) { return tess__tan_slow_f32(x) ? tess__tan_far_f32(x) : tess__tan_fast_f32(x); }

/* sin(r + n pi/2) / |x|. */
TESS_FN float tess__sinc_turned_f32(double r, uint32_t n, float x)
{
    tess__wide_pair_f32 sc = tess__wide_sincos_f32(r);
    double              y = tess__wide_pick_f32((int)(n & 1u), sc.b, sc.a);
    float               q = (float)(y / (double)__builtin_fabsf(x));
    return tess__f32_of_bits(tess__bits_of_f32(q) ^ ((n << 30) & 0x80000000u));
}

TESS_FN int tess__sinc_slow_f32(float x) { return tess__trig_slow_f32(x); }

/* sin(x) / x. */
TESS_FN float tess__sinc_fast_f32(float x)
{
    uint32_t n;
    double   r = tess__wide_trig_near_f32(x, &n);
    return tess__pick_f32(x == 0.0f, 1.0f, tess__sinc_turned_f32(r, n, x));
}

TESS_FN float tess__sinc_far_f32(float x)
{
    uint32_t n;
    double   r = tess__trig_far_f32(x, &n);
    return tess__finite_f32(x) ? tess__sinc_turned_f32(r, n, x) : 0.0f;
}

TESS_FN float tess__sinc_f32(float x)
{
    return tess__sinc_slow_f32(x) ? tess__sinc_far_f32(x) : tess__sinc_fast_f32(x);
}

/* exp(t) = b a + b: a = exp(r) - 1 with |r| <= ln2 / 2, b a power of two. For |t| < 700. */
TESS_FN tess__wide_pair_f32 tess__wide_exp_f32(double t)
{
    double k = __builtin_fma(t, 0x1.71547652b82fep0, 0x1.8p52);
    double r = __builtin_fma(k - 0x1.8p52, -0x1.62e42fefa39efp-1, t);
    /* 6.0e-11 */
    double rr = r * r;
    double q = tess__wide_quad_f32(r, rr, 0x1.0000004361b64p-1, 0x1.555554ae59158p-3, 0x1.555480039ee24p-5);
    double h = tess__wide_quad_f32(r, rr, 0x1.1111d7b11de3ap-7, 0x1.6d96979cc1916p-10, 0x1.9fd77cfd3a837p-13);
    q = __builtin_fma(h, rr * r, q);
    tess__wide_pair_f32 p = { __builtin_fma(rr, q, r), tess__f64_of_bits((tess__bits_of_f64(k) + 1023u) << 52) };
    return p;
}

/* a and b of u = 2^b (1 + a), with 1 + a in [sqrt 1/2, sqrt 2], for a normal u > 0. */
TESS_FN tess__wide_pair_f32 tess__wide_log_parts_f32(double u)
{
    const uint64_t      low = 0x3fe6a09e667f3bcdu; /* sqrt 1/2 */
    uint64_t            v = tess__bits_of_f64(u) + (0x3ff0000000000000u - low);
    tess__wide_pair_f32 p = { tess__f64_of_bits((v & 0xfffffffffffffu) + low) - 1.0,
                              tess__f64_of_bits(v >> 52 | 0x4330000000000000u) - (0x1p52 + 1023.0) };
    return p;
}

/* log(1 + f), -0.293 < f < 0.4143. */
TESS_FN double tess__wide_log_near_f32(double f)
{
    /* f + f^2 q: 2.2e-11 */
    double ff = f * f, fff = ff * f;
    double q = tess__wide_quad_f32(f, ff, 0x1.9ad8e619398d9p-4, -0x1.928c7a9eddcc9p-4, 0x1.b1516a5ba6e16p-5);
    double h = tess__wide_quad_f32(f, ff, -0x1.ffd6c5f6441ap-4, 0x1.c2e90c93ed41ap-4, -0x1.972264e767143p-4);
    q = __builtin_fma(q, fff, h);
    h = tess__wide_quad_f32(f, ff, 0x1.9999111545727p-3, -0x1.55570d3ddfc42p-3, 0x1.24abde2a120e1p-3);
    q = __builtin_fma(q, fff, h);
    h = tess__wide_quad_f32(f, ff, -0x1.00000002c561dp-1, 0x1.555555ce9693p-2, -0x1.fffff7122011dp-3);
    q = __builtin_fma(q, fff, h);
    return __builtin_fma(ff, q, f);
}

TESS_FN double tess__wide_log1p_f32(double t)
{
    tess__wide_pair_f32 p = tess__wide_log_parts_f32(1.0 + t);
    double              f = tess__wide_pick_f32(p.b == 0.0, t, p.a); /* the sum has lost digits of a small t */
    return __builtin_fma(p.b, 0x1.62e42fefa39efp-1, tess__wide_log_near_f32(f));
}

/* sinh in a and cosh in b, from 2^n and 2^-n and the even and odd parts of exp(r). For 0 <= t < 700. */
TESS_FN tess__wide_pair_f32 tess__wide_sinhcosh_f32(double t)
{
    double k = __builtin_fma(t, 0x1.71547652b82fep0, 0x1.8p52);
    double r = __builtin_fma(k - 0x1.8p52, -0x1.62e42fefa39efp-1, t), s = r * r;
    /* |r| < 0.3467, cosh(r): 4.8e-11, sinh(r): 5.5e-12 */
    double even = __builtin_fma(0x1.6d983c25381f8p-10, s, 0x1.55547de0ccfdep-5);
    even = __builtin_fma(even, s, 0x1.000000449e7b5p-1);
    even = __builtin_fma(even, s, 1.0);
    double odd = __builtin_fma(0x1.a1715c250da54p-13, s, 0x1.1110b0cce5582p-7);
    odd = __builtin_fma(odd, s, 0x1.5555557425519p-3);
    odd = __builtin_fma(odd, r * s, r);
    uint64_t            n = tess__bits_of_f64(k);
    double              up = tess__f64_of_bits((n + 1022u) << 52), down = tess__f64_of_bits((1022u - n) << 52);
    double              sh = up - down, ch = up + down;
    tess__wide_pair_f32 p = { __builtin_fma(even, sh, odd * ch), __builtin_fma(even, ch, odd * sh) };
    return p;
}

TESS_FN float tess__sinh_f32(float x)
{
    double t = (double)tess__cut_f32(__builtin_fabsf(x), 90.0f);
    return __builtin_copysignf((float)tess__wide_sinhcosh_f32(t).a, x);
}

TESS_FN float tess__cosh_f32(float x)
{
    double t = (double)tess__cut_f32(__builtin_fabsf(x), 90.0f);
    return (float)tess__wide_sinhcosh_f32(t).b;
}

/* An odd polynomial below 0.97, and 1 - 2 / (exp(2 a) + 1) from there on. */
TESS_FN float tess__tanh_f32(float x)
{
    float a = tess__cut_f32(__builtin_fabsf(x), 10.0f); /* 1, rounded, from 9.02 on */
    float z = a * a, zz = z * z, zzz = zz * z;
    /* tanh(a) = a + a^3 q, a < 0.976: 3.4e-9 */
    float q = tess__quad_f32(z, zz, 0x1.60d956p-6f, -0x1.07185cp-7f, 0x1.3689ep-9f);
    q = __builtin_fmaf(-0x1.8e82d6p-12f, zzz, q);
    q = __builtin_fmaf(q, zzz, tess__quad_f32(z, zz, -0x1.555542p-2f, 0x1.110cf2p-3f, -0x1.b98146p-5f));
    float low = __builtin_fmaf(q, a * z, a);
    float high = 1.0f - 2.0f / (tess__exp_fast_f32(a + a) + 1.0f);
    return __builtin_copysignf(tess__pick_f32(a < 0.97f, low, high), x);
}

TESS_FN float tess__asinh_f32(float x)
{
    float  a = __builtin_fabsf(x);
    double t = (double)a, s = t * t; /* exact */
    float  r = (float)tess__wide_log1p_f32(t + (__builtin_sqrt(1.0 + s) - 1.0));
    return __builtin_copysignf(tess__pick_f32(tess__finite_f32(x), r, a), x);
}

TESS_FN float tess__acosh_f32(float x)
{
    double t = (double)x - 1.0;
    float  r = (float)tess__wide_log1p_f32(t + __builtin_sqrt(__builtin_fma(t, t, t + t)));
    r = tess__pick_f32(x <= 0x1.fffffep127f, r, x);
    return tess__pick_f32(x >= 1.0f, r, tess__nan_f32());
}

TESS_FN float tess__atanh_f32(float x)
{
    float  a = __builtin_fabsf(x);
    double t = (double)a;
    float  r = (float)(0.5 * tess__wide_log1p_f32((t + t) / (1.0 - t)));
    float  edge = tess__pick_f32(a == 1.0f, tess__inf_f32(), tess__nan_f32());
    return __builtin_copysignf(tess__pick_f32(a < 1.0f, r, edge), x);
}

/* asin(s), 0 <= s <= 1/2, of s and s^2. */
TESS_FN double tess__wide_asin_f32(double s, double z)
{
    /* 1.7e-11 */
    double zz = z * z;
    double q = tess__wide_quad_f32(z, zz, 0x1.934b9ca5378d7p-6, 0x1.ea48f05f721c5p-8, 0x1.1c12537aa63eep-5);
    q = __builtin_fma(q, zz, __builtin_fma(0x1.ed54e80743104p-6, z, 0x1.6ddb25896263ap-5));
    q = __builtin_fma(q, zz, __builtin_fma(0x1.3332a7a5a3195p-4, z, 0x1.5555560af4e93p-3));
    return __builtin_fma(s * z, q, s);
}

TESS_FN float tess__asin_f32(float x)
{
    double a = (double)__builtin_fabsf(x);
    int    big = a > 0.5;
    double z = tess__wide_pick_f32(big, __builtin_fma(a, -0.5, 0.5), a * a);
    double p = tess__wide_asin_f32(tess__wide_pick_f32(big, __builtin_sqrt(z), a), z);
    return __builtin_copysignf((float)tess__wide_pick_f32(big, __builtin_fma(p, -2.0, 0x1.921fb54442d18p0), p), x);
}

TESS_FN float tess__acos_f32(float x)
{
    double t = (double)x, a = (double)__builtin_fabsf(x);
    int    big = a > 0.5;
    double z = tess__wide_pick_f32(big, __builtin_fma(a, -0.5, 0.5), a * a);
    double p = tess__wide_asin_f32(tess__wide_pick_f32(big, __builtin_sqrt(z), a), z);
    double far = tess__wide_pick_f32(t < 0.0, __builtin_fma(p, -2.0, 0x1.921fb54442d18p1), p + p);
    return (float)tess__wide_pick_f32(big, far, 0x1.921fb54442d18p0 - __builtin_copysign(p, t));
}

/* pi/2 + atan(-1/a) where a > 1. The leading terms, rounded, in hi, and all the rest in lo. */
TESS_FN float tess__atan_f32(float x)
{
    float a = __builtin_fabsf(x);
    int   steep = a > 1.0f;
    float num = tess__pick_f32(steep, -1.0f, a), den = tess__pick_f32(steep, a, 1.0f);
    float u = num / den, lost = __builtin_fmaf(-u, den, num) * -u; /* 1 / den is -u, or nothing is lost */
    lost = tess__pick_f32(a < 0x1p40f, lost, 0.0f);                /* infinity leaves NaN */
    float z = u * u, zz = z * z;
    /* atan(u) = u + u^3 q, |u| <= 1: 2.7e-9 */
    float q = tess__quad_f32(z, zz, -0x1.fe2526p-6f, 0x1.64f01cp-7f, -0x1.d4ee9ap-10f);
    q = __builtin_fmaf(q, zz * z, tess__quad_f32(z, zz, 0x1.c090fap-4f, -0x1.581a94p-4f, 0x1.da723p-5f));
    q = __builtin_fmaf(q, z, -0x1.2420d6p-3f);
    q = __builtin_fmaf(q, z, 0x1.9991e8p-3f);
    q = __builtin_fmaf(q, z, -0x1.55553ep-2f);
    float base = tess__pick_f32(steep, 0x1.921fb6p0f, 0.0f), hi = base + u;
    float lo = (u - (hi - base)) + tess__pick_f32(steep, -0x1.777a5cp-25f, 0.0f);
    lo = __builtin_fmaf(lost, __builtin_fmaf(z, -0.5f, 1.0f), lo);
    return __builtin_copysignf(hi + __builtin_fmaf(u * z, q, lo), x);
}

/* atan(y / x) for y and x not negative, not both 0 and not both infinite. */
TESS_FN double tess__wide_atan_f32(double y, double x)
{
    int    steep = y > x;
    double num = tess__wide_pick_f32(steep, x, y), den = tess__wide_pick_f32(steep, y, x);
    double u = num / den, z = u * u, zz = z * z, zzz = zz * z;
    /* 0 <= u <= 1: 2.8e-9 */
    double q = tess__wide_quad_f32(z, zz, -0x1.fd6ceb22f5558p-6, 0x1.6432ec81a2555p-7, -0x1.d3a8c02bb2deap-10);
    double h = tess__wide_quad_f32(z, zz, 0x1.c085b75373a8fp-4, -0x1.57fc31cf12da2p-4, 0x1.da10ac0d75fc8p-5);
    q = __builtin_fma(q, zzz, h);
    h = tess__wide_quad_f32(z, zz, -0x1.55553d5ae2dbfp-2, 0x1.9991c7703fc0fp-3, -0x1.241fa595f365ap-3);
    double a = __builtin_fma(__builtin_fma(q, zzz, h), u * z, u);
    return tess__wide_pick_f32(steep, 0x1.921fb54442d18p0 - a, a);
}

TESS_FN float tess__atan2_f32(float y, float x)
{
    double v = (double)__builtin_fabsf(y), u = (double)__builtin_fabsf(x);
    v = tess__wide_pick_f32(v > 0x1p500, 0x1p500, v); /* inf / inf becomes 1, and 0 / 0 becomes 0 */
    u = tess__wide_pick_f32(u > 0x1p500, 0x1p500, u) + 0x1p-500;
    double a = tess__wide_atan_f32(v, u);
    a = tess__wide_pick_f32(__builtin_copysign(1.0, (double)x) < 0.0, 0x1.921fb54442d18p1 - a, a);
    return __builtin_copysignf((float)a, y);
}

/* The squares are exact in double, so their sum is the same fused or not. */
TESS_FN float tess__hypot_f32(float x, float y)
{
    double a = (double)x, b = (double)y;
    float  r = (float)__builtin_sqrt(a * a + b * b);
    r = tess__pick_f32(__builtin_fabsf(x) == tess__inf_f32(), tess__inf_f32(), r);
    return tess__pick_f32(__builtin_fabsf(y) == tess__inf_f32(), tess__inf_f32(), r);
}

TESS_FN float tess__rsqrt_f32(float x) { return 1.0f / __builtin_sqrtf(x); }

/* y = x^(-1/3) from a third of the exponent and two steps on h = 1 - x y^3, then x y^2. */
TESS_FN float tess__cbrt_f32(float x)
{
    float  a = __builtin_fabsf(x);
    int    small = a < 0x1p-126f;
    float  big = tess__pick_f32(small, a * 0x1p24f, a);
    float  third = __builtin_fmaf((float)(int32_t)tess__bits_of_f32(big), -0x1.555556p-2f, 0x1.528p30f);
    float  g = tess__f32_of_bits((uint32_t)(int32_t)third);
    float  h = __builtin_fmaf(-big * g, g * g, 1.0f);
    float  c = __builtin_fmaf(__builtin_fmaf(0x1.61f9aep-3f, h, 0x1.c71c72p-3f), h, 0x1.555556p-2f);
    double t = (double)big, y = (double)__builtin_fmaf(g * h, c, g);
    double d = __builtin_fma(-t * y, y * y, 1.0);
    y = __builtin_fma(y * d, __builtin_fma(0x1.c71c71c71c71cp-3, d, 0x1.5555555555555p-2), y);
    float r = (float)(t * y * y * tess__wide_pick_f32(small, 0x1p-8, 1.0));
    int   keep = (a == 0.0f) | !tess__finite_f32(x);
    return __builtin_copysignf(tess__pick_f32(keep, a, r), x);
}

/* An odd polynomial below 1, and 1 - 2^q from there on. */
TESS_FN float tess__erf_f32(float x)
{
    float a = tess__cut_f32(__builtin_fabsf(x), 4.0f); /* 1, rounded, from 3.93 on */
    float z = a * a, az = a * z, zz = z * z, zzz = zz * z;
    /* erf(a) = a + a p, a <= 1: 1.5e-9 */
    float p = tess__quad_f32(z, zz, -0x1.b7f88cp-6f, 0x1.54017p-8f, -0x1.a3d7eap-11f);
    p = __builtin_fmaf(0x1.4916ep-14f, zzz, p);
    p = __builtin_fmaf(p, zzz, tess__quad_f32(z, zz, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2cf2p-4f));
    /* log2(1 - erf(a)), 1 <= a <= 4: 1.1e-8 of erf(a) */
    float q = __builtin_fmaf(-0x1.06751cp-15f, a, 0x1.4dd20ap-11f);
    q = __builtin_fmaf(q, az, tess__quad_f32(a, z, -0x1.405674p-3f, 0x1.29eccep-5f, -0x1.8d88c4p-8f));
    q = __builtin_fmaf(q, az, __builtin_fmaf(-0x1.d3bbfp-1f, z, 0x1.1c74fep-12f));
    q = __builtin_fmaf(-0x1.a12fe6p0f, a, q);
    float k = q + (0x1.8p23f + 127.0f), r = q - (k - (0x1.8p23f + 127.0f));
    float scale = tess__f32_of_bits(tess__bits_of_f32(k) << 23);
    float high = __builtin_fmaf(-tess__exp2_core_f32(r), r * scale, 1.0f - scale);
    return __builtin_copysignf(tess__pick_f32(a < 1.0f, __builtin_fmaf(p, a, a), high), x);
}

/* erfc(a) = exp(-a^2) q(t) with t = (a - 3) / (a + 3), and 2 less that for negative x. */
TESS_FN float tess__erfc_f32(float x)
{
    double a = (double)tess__cut_f32(__builtin_fabsf(x), 10.2f); /* 0, rounded, from 10.06 on */
    double t = (a - 3.0) / (a + 3.0);
    /* 0 <= a <= 10.2: 1.4e-9 */
    double tt = t * t, ttt = tt * t;
    double q = __builtin_fma(0x1.d50e87a480b1ep-15, t, 0x1.e487f7a12e261p-16);
    double h = tess__wide_quad_f32(t, tt, 0x1.17c3db35882aap-8, 0x1.773fcccb75bd3p-11, -0x1.37b9c5d73d09ep-11);
    q = __builtin_fma(q, ttt, h);
    h = tess__wide_quad_f32(t, tt, -0x1.336fe72b7362bp-3, 0x1.258b1aefef0a3p-4, -0x1.8facd2c881ceap-6);
    q = __builtin_fma(q, ttt, h);
    h = tess__wide_quad_f32(t, tt, 0x1.6e9827d50743ep-3, -0x1.4e102bddff8aap-2, 0x1.f6ff1fb2692cp-3);
    q = __builtin_fma(q, ttt, h);
    tess__wide_pair_f32 p = tess__wide_exp_f32(-a * a);
    double              e = __builtin_fma(p.a, p.b, p.b);
    return (float)tess__wide_pick_f32(x < 0.0f, __builtin_fma(-e, q, 2.0), e * q);
}

/* max + log1p(exp(-|a - b|)), in double for the sake of sums near 0. */
TESS_FN float tess__logaddexp_f32(float a, float b)
{
    float               top = tess__pick_f32((a > b) | (a != a), a, b), gap = __builtin_fabsf(a - b);
    float               far = tess__pick_f32(gap <= 0x1.fffffep127f, top + 0.0f, top); /* -0 stays beside -inf only */
    tess__wide_pair_f32 p = tess__wide_exp_f32(-__builtin_fabs((double)a - (double)b));
    double              t = __builtin_fma(p.a, p.b, p.b), tt = t * t, ttt = tt * t;
    /* log(1 + t) = t + t^2 q, 0 <= t <= 1: 8.6e-10 */
    double h = tess__wide_quad_f32(t, tt, -0x1.53ae2c71aa928p-4, 0x1.56ef8be43bfffp-5, -0x1.bce2d86da41f4p-7);
    double q = __builtin_fma(0x1.0e4dfe270879fp-9, ttt, h);
    h = tess__wide_quad_f32(t, tt, 0x1.977b4dbf038a4p-3, -0x1.4a3aaaec4bcfdp-3, 0x1.fe37ecdae71f8p-4);
    q = __builtin_fma(q, ttt, h);
    h = tess__wide_quad_f32(t, tt, -0x1.fffff71803cf3p-2, 0x1.555399197b1p-2, -0x1.ffc2f4a3ea769p-3);
    q = __builtin_fma(q, ttt, h);
    float r = (float)((double)top + __builtin_fma(tt, q, t));
    return tess__pick_f32(gap <= 200.0f, r, far); /* far, too, where the gap is NaN */
}

/* e and f of x = 2^e (1 + f), with 1 + f in [sqrt 1/2, sqrt 2], for a normal x > 0. */
TESS_FN float tess__pow_parts_f32(float x, float *e)
{
    uint32_t bits = tess__bits_of_f32(x), u = (bits - 0x3f3504f3u) & 0xff800000u;
    *e = (float)(int32_t)u * 0x1p-23f;
    return tess__f32_of_bits(bits - u) - 1.0f;
}

/* y log2(x) of the parts of x. With g near 1 / (f + 2), of floats, f / (f + 2) is f g less its error, to 2^-46: a
 * division of doubles takes much longer. */
TESS_FN double tess__wide_pow_log_f32(float f, float e, float y)
{
    double d = (double)f, g = (double)(1.0f / (f + 2.0f)), p = d * g;
    double s = __builtin_fma(__builtin_fma(-(d + 2.0), g, 1.0), p, p), z = s * s, zz = z * z;
    /* log2((1 + s) / (1 - s)) / s, |s| < 0.1716: 4.2e-12 */
    double q = __builtin_fma(0x1.ec709d1291a44p-1, z, 0x1.71547652bee21p1);
    double h = tess__wide_quad_f32(z, zz, 0x1.27778019d6accp-1, 0x1.a58d7055d49b2p-2, 0x1.5cea2f3d4167p-2);
    return (double)y * __builtin_fma(__builtin_fma(h, zz, q), s, (double)e);
}

/* The integer n nearest to t, and t - n. */
TESS_FN float tess__pow_split_f32(double t, uint32_t *n)
{
    double k = t + 0x1.8p52;
    *n = (uint32_t)tess__bits_of_f64(k);
    return (float)(t - (k - 0x1.8p52));
}

/* x not a positive normal number, or the result, by a rough bound of its logarithm, perhaps not one. */
TESS_FN int tess__pow_slow_f32(float x, float y)
{
    float e;
    (void)tess__pow_parts_f32(x, &e);
    float most = (__builtin_fabsf(e) + 1.0f) * y;
    return (tess__bits_of_f32(x) - 0x800000u >= 0x7f000000u) | !(__builtin_fabsf(most) <= 125.0f);
}

TESS_FN float tess__pow_fast_f32(float x, float y)
{
    uint32_t n;
    float    e, f = tess__pow_parts_f32(x, &e);
    float    r = tess__pow_split_f32(tess__wide_pow_log_f32(f, e, y), &n);
    float    scale = tess__f32_of_bits((n + 127u) << 23);
    return __builtin_fmaf(tess__exp2_core_f32(r), r, 1.0f) * scale;
}

/* |x|^y, also where it is 0, infinite or NaN. */
TESS_FN float tess__pow_size_f32(float a, float y)
{
    int   small = a < 0x1p-126f;
    float e, f = tess__pow_parts_f32(tess__pick_f32(small, a * 0x1p23f, a), &e);
    e -= tess__pick_f32(small, 23.0f, 0.0f);
    e = tess__pick_f32(a == 0.0f, -tess__inf_f32(), e);
    e = tess__pick_f32(a <= 0x1.fffffep127f, e, a);
    double   t = tess__wide_pow_log_f32(f, e, y);
    float    near = (float)t, far = tess__pick_f32(near < 0.0f, 0.0f, near * tess__inf_f32());
    uint32_t n;
    float    r = tess__pow_split_f32(t, &n);
    n += 254u;
    uint32_t half = n >> 1;
    r = __builtin_fmaf(tess__exp2_core_f32(r), r, 1.0f) * tess__f32_of_bits(half << 23);
    r *= tess__f32_of_bits((n - half) << 23);
    return tess__pick_f32(__builtin_fabsf(near) < 200.0f, r, far);
}

/* What is 1, or NaN for want of a real result, becomes so by another x or y, before the long way. */
TESS_FN float tess__pow_f32(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y), c = tess__pick_f32(b > 0x1p24f, 0x1p24f, b);
    float rest = __builtin_fabsf(c - ((c + 0x1p24f) - 0x1p24f)); /* 0: y is even, 1: odd */
    int   odd = rest == 1.0f, none = (x < 0.0f) & (a <= 0x1.fffffep127f) & (rest != 0.0f) & !odd;
    float v = tess__pick_f32(x == 1.0f, 0.0f, tess__cut_f32(y, 0x1p32f)); /* cut: 0 or infinite just the same */
    v = tess__pick_f32(none, tess__nan_f32(), v);
    float r = tess__pow_size_f32(tess__pick_f32(y == 0.0f, 1.0f, a), v);
    return tess__flip_f32(r, tess__pick_f32(odd, x, 0.0f));
}

/* The mantissa of a finite a > 0 as an integer, and its exponent, 0 for the smallest numbers. */
TESS_FN uint32_t tess__mantissa_f32(float a, int *e)
{
    uint32_t bits = tess__bits_of_f32(a), m = bits & 0x7fffffu;
    int      stored = (int)(bits >> 23);
    *e = stored > 0 ? stored - 1 : 0;
    return stored > 0 ? m | 0x800000u : m;
}

/* Exact: long division of the mantissas, 40 bits at a time. */
TESS_FN float tess__fmod_f32(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    if (!(a <= 0x1.fffffep127f) || !(b > 0.0f)) return tess__nan_f32();
    if (a < b) return x;
    int      ea, eb;
    uint64_t r = tess__mantissa_f32(a, &ea), m = tess__mantissa_f32(b, &eb);
    int      n = ea - eb;
    for (; n > 40; n -= 40) r = (r << 40) % m;
    r = (r << n) % m;
    double unit = tess__f64_of_bits((uint64_t)(eb + 1023 - 149) << 52);
    return __builtin_copysignf((float)((double)r * unit), x);
}

/* It has a shorter way in f64; here the whole function is fast. */
TESS_FN int   tess__logaddexp_slow_f32(float a, float b) { return (void)a, (void)b, 0; }
TESS_FN float tess__logaddexp_fast_f32(float a, float b) { return tess__logaddexp_f32(a, b); }

#endif
