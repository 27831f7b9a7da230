/* Elementary functions of doubles, without branches so that a loop over them vectorises, and with the same bits on
 * every instruction set: only IEEE operations and explicit fma.
 *
 * There are two versions of exp, expm1, log, log1p, logaddexp, pow, sin, cos, tan and sinc. tess__NAME_fast_f64 is
 * faster and correct where tess__NAME_slow_f64 is 0; tess__NAME_f64 is correct everywhere and has the same bits there.
 * The latter has a branch for sin, cos, tan and sinc, whose huge arguments need a long computation. fmod loops. All
 * others are complete and without branches.
 *
 * Errors, in units in the last place of the result, are at most 1.3 unless a comment says otherwise.
 */
#ifndef TESSERA_MATH_F64_OP_H
#define TESSERA_MATH_F64_OP_H

#include "tessera/math/fn.h"

/* An unevaluated sum; lo is small beside hi. */
typedef struct tess__two_f64 {
    double hi, lo;
} tess__two_f64;

/* yes ? a : b, as operations on bits: a compiler that keeps floating-point traps in order turns a conditional into a
 * branch, and then does not vectorise. */
TESS_FN double tess__pick_f64(int yes, double a, double b)
{
    const uint64_t mask = yes ? ~(uint64_t)0 : 0; /* written as -yes, gcc 12 fails on SVE */
    return tess__f64_of_bits((tess__bits_of_f64(a) & mask) | (tess__bits_of_f64(b) & ~mask));
}

TESS_FN double tess__flip_f64(double x, uint64_t sign) { return tess__f64_of_bits(tess__bits_of_f64(x) ^ sign); }

TESS_FN uint64_t tess__sign_f64(double x) { return tess__bits_of_f64(x) & 0x8000000000000000; }

/* The sign, the exponent and four more bits of x, enough for a predicate. Being so narrow, they make a vectorised loop
 * work on four vectors of x side by side, which hides latency. */
TESS_FN uint16_t tess__top_f64(double x) { return (uint16_t)(tess__bits_of_f64(x) >> 48); }

/* A product that the compiler cannot fuse with a sum that follows. */
TESS_FN double tess__product_f64(double a, double b) { return __builtin_fma(a, b, 0.0); }

TESS_FN tess__two_f64 tess__two_f64_of(double hi, double lo)
{
    tess__two_f64 two;
    two.hi = hi;
    two.lo = lo;
    return two;
}

/* a + b where a is 0 or no smaller than b in magnitude, or a power of two and b > 0. */
TESS_FN tess__two_f64 tess__fast_sum_f64(double a, double b)
{
    const double sum = a + b;
    return tess__two_f64_of(sum, b - (sum - a));
}

/* a / b, with one division. */
TESS_FN tess__two_f64 tess__ratio_f64(tess__two_f64 a, tess__two_f64 b)
{
    const double inverse = 1.0 / b.hi, q = tess__product_f64(a.hi, inverse);
    const double rest = __builtin_fma(-q, b.lo, __builtin_fma(-q, b.hi, a.hi) + a.lo);
    return tess__two_f64_of(q, tess__product_f64(inverse, rest));
}

/* c0 + c1 x + c2 x^2 + c3 x^3, with x2 = x^2. */
TESS_FN double tess__cubic_f64(double x, double x2, double c0, double c1, double c2, double c3)
{
    return __builtin_fma(x2, __builtin_fma(x, c3, c2), __builtin_fma(x, c1, c0));
}

/* Coefficients of e^r for |r| <= ln(2)/2 from r^2 on; error 2^-56. */
#define TESS__EXP_2_F64 0x1.0000000000001p-1
#define TESS__EXP_3_F64 0x1.555555555554dp-3
#define TESS__EXP_4_F64 0x1.5555555553cd1p-5
#define TESS__EXP_5_F64 0x1.11111111144d5p-7
#define TESS__EXP_6_F64 0x1.6c16c178b047fp-10
#define TESS__EXP_7_F64 0x1.a01a018c397ddp-13
#define TESS__EXP_8_F64 0x1.a019b89fe8ee9p-16
#define TESS__EXP_9_F64 0x1.71de59d4710c4p-19
#define TESS__EXP_10_F64 0x1.2891f308d4dp-22
#define TESS__EXP_11_F64 0x1.aeac3249ab71ap-26

/* (e^r - 1 - r) / r^2. */
TESS_FN double tess__exp_tail_f64(double r, double r2)
{
    const double r4 = r2 * r2;
    const double a = tess__cubic_f64(r, r2, TESS__EXP_2_F64, TESS__EXP_3_F64, TESS__EXP_4_F64, TESS__EXP_5_F64);
    const double b = tess__cubic_f64(r, r2, TESS__EXP_6_F64, TESS__EXP_7_F64, TESS__EXP_8_F64, TESS__EXP_9_F64);
    const double c = __builtin_fma(r, TESS__EXP_11_F64, TESS__EXP_10_F64);
    return __builtin_fma(r4, __builtin_fma(r4, c, b), a);
}

/* e^r - 1, grouped for speed; its error is a few tenths of an ulp of e^r. */
TESS_FN double tess__exp_less_one_f64(double r)
{
    const double r2 = r * r, r4 = r2 * r2;
    const double a = __builtin_fma(r2, __builtin_fma(r, TESS__EXP_3_F64, TESS__EXP_2_F64), r);
    const double b = tess__cubic_f64(r, r2, TESS__EXP_4_F64, TESS__EXP_5_F64, TESS__EXP_6_F64, TESS__EXP_7_F64);
    const double c = tess__cubic_f64(r, r2, TESS__EXP_8_F64, TESS__EXP_9_F64, TESS__EXP_10_F64, TESS__EXP_11_F64);
    return __builtin_fma(r4, __builtin_fma(r4, c, b), a);
}

/* e^(r + r_lo) for |r| <= ln(2)/2 and r_lo below an ulp of r. */
TESS_FN tess__two_f64 tess__exp_two_f64(double r, double r_lo)
{
    const double        r2 = r * r;
    const tess__two_f64 s = tess__fast_sum_f64(1.0, r);
    return tess__two_f64_of(s.hi, s.lo + __builtin_fma(r2, tess__exp_tail_f64(r, r2), __builtin_fma(r, r_lo, r_lo)));
}

/* Added to n, brings n + 2046 to the low bits. */
#define TESS__SHIFT_F64 0x1.80000000007fep52

/* y 2^n for |n| <= 1100, with `shifted` = n + TESS__SHIFT_F64. In two steps, each with a factor in range, so that a
 * subnormal result is rounded once. */
TESS_FN double tess__scale_f64(double y, double shifted)
{
    const uint64_t n = tess__bits_of_f64(shifted), half = n >> 1;
    return y * tess__f64_of_bits(half << 52) * tess__f64_of_bits((n - half) << 52);
}

TESS_FN double tess__clamp_f64(double x, double low, double high)
{
    const double y = tess__pick_f64(x < low, low, x);
    return tess__pick_f64(x > high, high, y);
}

#define TESS__LN2_F64 0x1.62e42fefa39efp-1
#define TESS__LN2_LO_F64 0x1.abc9e3b39803fp-56
#define TESS__LOG2E_F64 0x1.71547652b82fep0

/* e^y / 2^n - 1, and through `shifted` n + shift, where shift is 1.5 2^52 or a little more; |y| <= 760. */
TESS_FN double tess__exp_part_f64(double y, double shift, double *shifted)
{
    *shifted = __builtin_fma(y, TESS__LOG2E_F64, shift);
    const double n = *shifted - shift;
    const double r = __builtin_fma(-n, TESS__LN2_LO_F64, __builtin_fma(-n, TESS__LN2_F64, y));
    return tess__exp_less_one_f64(r);
}

/* 1 where e^x, or the powers of two on the way to it, may leave the range of normal numbers: unless |x| < 704. */
TESS_FN int tess__exp_slow_f64(double x) { return (tess__top_f64(x) & 0x7fff) >= 0x4086; }

TESS_FN double tess__exp_fast_f64(double x)
{
    double       shifted;
    const double y = tess__exp_part_f64(x, 0x1.80000000003ffp52, &shifted);
    const double power = tess__f64_of_bits(tess__bits_of_f64(shifted) << 52);
    return __builtin_fma(power, y, power);
}

TESS_FN double tess__exp_f64(double x)
{
    double       shifted;
    const double y = tess__exp_part_f64(tess__clamp_f64(x, -746.0, 710.0), TESS__SHIFT_F64, &shifted);
    return tess__scale_f64(1.0 + y, shifted);
}

TESS_FN double tess__exp2_f64(double x)
{
    const double        y = tess__clamp_f64(x, -1080.0, 1030.0);
    const double        shifted = y + TESS__SHIFT_F64, f = y - (shifted - TESS__SHIFT_F64);
    const double        r = tess__product_f64(f, TESS__LN2_F64);
    const double        r_lo = __builtin_fma(f, TESS__LN2_LO_F64, __builtin_fma(f, TESS__LN2_F64, -r));
    const tess__two_f64 e = tess__exp_two_f64(r, r_lo);
    return tess__scale_f64(e.hi + e.lo, shifted);
}

TESS_FN double tess__exp10_f64(double x)
{
    const double        ln10 = 0x1.26bb1bbb55516p1, ln10_lo = -0x1.f48ad494ea3e9p-53;
    const double        y = tess__clamp_f64(x, -330.0, 310.0);
    const double        shifted = __builtin_fma(y, 0x1.a934f0979a371p1, TESS__SHIFT_F64), n = shifted - TESS__SHIFT_F64;
    const double        f = __builtin_fma(-n, 0x1.34413509f79ffp-2, y), g = __builtin_fma(n, 0x1.9dc1da994fd21p-59, f);
    const double        g_lo = __builtin_fma(n, 0x1.9dc1da994fd21p-59, f - g);
    const double        r = tess__product_f64(g, ln10);
    const double        r_lo = __builtin_fma(g_lo, ln10, __builtin_fma(g, ln10_lo, __builtin_fma(g, ln10, -r)));
    const tess__two_f64 e = tess__exp_two_f64(r, r_lo);
    return tess__scale_f64(e.hi + e.lo, shifted);
}

/* e^x - 1 = (2^n - 1) + 2^n (e^r - 1), all times `one`; shift is 1.5 2^52 plus the exponent of `one` with its bias. */
TESS_FN tess__two_f64 tess__expm1_two_f64(double x, double shift, double one)
{
    const double shifted = __builtin_fma(x, TESS__LOG2E_F64, shift), n = shifted - shift;
    const double power = tess__f64_of_bits(tess__bits_of_f64(shifted) << 52);
    const double f = __builtin_fma(-n, TESS__LN2_F64, x), r = __builtin_fma(-n, TESS__LN2_LO_F64, f), r2 = r * r;
    const double tail = __builtin_fma(r2, tess__exp_tail_f64(r, r2), -n * TESS__LN2_LO_F64), whole = power - one;
    const double sum = __builtin_fma(power, f, whole), rest = __builtin_fma(power, f, whole - sum);
    return tess__two_f64_of(sum, __builtin_fma(power, tail, rest));
}

TESS_FN int tess__expm1_slow_f64(double x) { return tess__exp_slow_f64(x); }

/* Error at most 1.5, as that of the complete one. */
TESS_FN double tess__expm1_fast_f64(double x)
{
    const tess__two_f64 y = tess__expm1_two_f64(x, 0x1.80000000003ffp52, 1.0);
    return __builtin_copysign(y.hi + y.lo, x);
}

TESS_FN double tess__expm1_f64(double x)
{
    const tess__two_f64 y = tess__expm1_two_f64(tess__clamp_f64(x, -45.0, 710.0), 0x1.80000000003fep52, 0.5);
    return tess__pick_f64(__builtin_fabs(x) < 0x1p-54, x, 2.0 * (y.hi + y.lo));
}

/* x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), f without error; 2 + f; and k 2^52 as a number and as an integer,
 * which is what an exponent adds to the bits of a double. */
typedef struct tess__split_f64 {
    double   k, f, f2;
    uint64_t exponent;
} tess__split_f64;

#define TESS__SPLIT_F64 0x3fe6a09e667f3bcd /* the bits of sqrt(1/2) */

/* For normal x > 0 and less = 0, or for x 2^54 and less = 54 2^52. Where vectors of 64-bit integers are not converted
 * to doubles in one instruction, k goes through the last bits of a large number. */
TESS_FN tess__split_f64 tess__split_normal_f64(double x, double less)
{
    tess__split_f64 split;
    const uint64_t  bits = tess__bits_of_f64(x);
#if defined(__aarch64__)
    split.exponent = (bits - TESS__SPLIT_F64) & 0xfff0000000000000;
    split.k = (double)(int64_t)split.exponent - less;
    const double m = tess__f64_of_bits(bits - split.exponent);
#else
    const uint64_t biased = bits + (0x3ff0000000000000 - TESS__SPLIT_F64);
    split.exponent = (biased & 0xfff0000000000000) - 0x3ff0000000000000;
    split.k = tess__f64_of_bits(biased >> 52 | 0x4670000000000000) - (0x1p104 + 0x3ffp52) - less;
    const double m = tess__f64_of_bits((biased & 0x000fffffffffffff) + TESS__SPLIT_F64);
#endif
    split.f = m - 1.0;
    split.f2 = m + 1.0;
    return split;
}

/* For finite x > 0. */
TESS_FN tess__split_f64 tess__split_f64_of(double x)
{
    const int subnormal = x < 0x1p-1022;
    return tess__split_normal_f64(x * tess__pick_f64(subnormal, 0x1p54, 1.0), tess__pick_f64(subnormal, 0x36p52, 0.0));
}

/* Two numbers whose product is f - ln(1 + f). */
typedef struct tess__factors_f64 {
    double a, b;
} tess__factors_f64;

/* s = f / (2 + f) and f - R(s^2), for 1 + f in [sqrt(1/2), sqrt(2)] and f2 = 2 + f; error of R 2^-54.6. */
TESS_FN tess__factors_f64 tess__log_less_f64(double f, double f2)
{
    const double      s = f / f2, z = s * s, z2 = z * z;
    const double      a = __builtin_fma(z, 0x1.277a4247345bap-3, 0x1.3a5236d66a0e7p-3);
    const double      b = __builtin_fma(z, 0x1.746013301a93cp-3, 0x1.c71c6c76b3ff2p-3);
    const double      c = __builtin_fma(z, 0x1.249249264df32p-2, 0x1.999999999969dp-2);
    const double      d = __builtin_fma(z2, __builtin_fma(z2, a, b), c);
    tess__factors_f64 less;
    less.a = s;
    less.b = __builtin_fma(-z2, d, __builtin_fma(-z, 0x1.5555555555555p-1, f));
    return less;
}

#define TESS__LN2_SHORT_F64 0x1.62e42fefa38p-53 /* for k 2^52; an integer up to 2048 times it is exact */
#define TESS__LN2_REST_F64 0x1.ef35793c7673p-97

/* ln(2^(k / 2^52) (1 + f)), f2 = 2 + f; error at most 1.5. */
TESS_FN double tess__log_part_f64(double k, double f, double f2)
{
    const tess__factors_f64 less = tess__log_less_f64(f, f2);
    return __builtin_fma(k, TESS__LN2_F64 * 0x1p-52, __builtin_fma(-less.a, less.b, f));
}

TESS_FN tess__two_f64 tess__log_two_f64(double k, double f)
{
    const tess__factors_f64 less = tess__log_less_f64(f, 2.0 + f);
    const double hi = __builtin_fma(k, TESS__LN2_SHORT_F64, f), rest = f - __builtin_fma(-k, TESS__LN2_SHORT_F64, hi);
    return tess__two_f64_of(hi, rest + __builtin_fma(-less.a, less.b, k * TESS__LN2_REST_F64));
}

/* ln(1 + f). */
TESS_FN tess__two_f64 tess__log_near_f64(double f)
{
    const tess__factors_f64 less = tess__log_less_f64(f, 2.0 + f);
    return tess__fast_sum_f64(f, -tess__product_f64(less.a, less.b));
}

/* The logarithm of x given y, which is right for a positive finite x. */
TESS_FN double tess__log_ends_f64(double x, double y)
{
    const double low = tess__pick_f64(x == 0.0, -__builtin_inf(), __builtin_nan(""));
    const double z = tess__pick_f64(x > 0.0, y, low);
    return tess__pick_f64(x == __builtin_inf(), x, z);
}

/* 1 where x is not a normal positive number, or close to the ends of these: not from 2^-1021 to 2^1022. */
TESS_FN int tess__log_slow_f64(double x) { return (uint16_t)(tess__top_f64(x) - 0x20) >= 0x7fd0 - 0x20; }

TESS_FN double tess__log_fast_f64(double x)
{
    const tess__split_f64 s = tess__split_normal_f64(x, 0.0);
    return tess__log_part_f64(s.k, s.f, s.f2);
}

TESS_FN double tess__log_f64(double x)
{
    const tess__split_f64 s = tess__split_f64_of(x);
    return tess__log_ends_f64(x, tess__log_part_f64(s.k, s.f, s.f2));
}

TESS_FN double tess__log2_f64(double x)
{
    const double          log2e_lo = 0x1.777d0ffda0d24p-56;
    const tess__split_f64 s = tess__split_f64_of(x);
    const tess__two_f64   y = tess__log_near_f64(s.f);
    const double          k = s.k * 0x1p-52, hi = __builtin_fma(y.hi, TESS__LOG2E_F64, k);
    const double          lo = __builtin_fma(y.hi, TESS__LOG2E_F64, k - hi);
    return tess__log_ends_f64(x, hi + __builtin_fma(y.hi, log2e_lo, __builtin_fma(y.lo, TESS__LOG2E_F64, lo)));
}

TESS_FN double tess__log10_f64(double x)
{
    const double          log10e = 0x1.bcb7b1526e50ep-2, log10e_lo = 0x1.95355baaafad3p-57;
    const double          log10_2 = 0x1.34413509f78p-54, log10_2_lo = 0x1.fef311f12b358p-98; /* k log10_2 is exact */
    const tess__split_f64 s = tess__split_f64_of(x);
    const tess__two_f64   y = tess__log_near_f64(s.f);
    const double          whole = s.k * log10_2;
    const double          hi = __builtin_fma(y.hi, log10e, whole);
    const double          lo = __builtin_fma(y.hi, log10e, __builtin_fma(s.k, log10_2, -hi));
    const double          rest = __builtin_fma(y.hi, log10e_lo, __builtin_fma(y.lo, log10e, lo));
    return tess__log_ends_f64(x, hi + __builtin_fma(s.k, log10_2_lo, rest));
}

/* ln(x + x_lo) for normal x > 0, |x_lo| at most an ulp of x. */
TESS_FN tess__two_f64 tess__log_of_two_f64(double x, double x_lo)
{
    const tess__split_f64 s = tess__split_normal_f64(x, 0.0);
    const double          scale = tess__f64_of_bits(0x3ff0000000000000 - s.exponent);
    const double          f = __builtin_fma(x_lo, scale, s.f), f_lo = __builtin_fma(x_lo, scale, s.f - f);
    const tess__two_f64   y = tess__log_two_f64(s.k, f);
    return tess__two_f64_of(y.hi, y.lo + __builtin_fma(-f, f_lo, f_lo));
}

/* 1 where x is not in (-1, 2^1000). */
TESS_FN int tess__log1p_slow_f64(double x) { return (uint16_t)(tess__top_f64(1.0 + x) - 1) >= 0x7e70 - 1; }

/* ln(u + u_lo p), where p is a power of two and `one` its bits, |u_lo p| at most an ulp of u: f takes up what the
 * rounding of u left over. That has an error too, so ln(2) is in two parts here. Error at most 1.5. */
TESS_FN double tess__log1p_part_f64(double u, double u_lo, uint64_t one)
{
    const tess__split_f64   s = tess__split_normal_f64(u, 0.0);
    const double            f = __builtin_fma(u_lo, tess__f64_of_bits(one - s.exponent), s.f);
    const tess__factors_f64 less = tess__log_less_f64(f, 2.0 + f);
    return __builtin_fma(s.k, TESS__LN2_SHORT_F64, f - __builtin_fma(less.a, less.b, s.k * -TESS__LN2_REST_F64));
}

TESS_FN double tess__log1p_fast_f64(double x)
{
    const double u = 1.0 + x;
    return __builtin_copysign(tess__log1p_part_f64(u, x - (u - 1.0), 0x3ff0000000000000), x);
}

TESS_FN double tess__log1p_f64(double x)
{
    const double u = 1.0 + x, y = tess__log1p_part_f64(u, 0.5 * (x - (u - 1.0)), 0x4000000000000000);
    return tess__log_ends_f64(u, tess__pick_f64(__builtin_fabs(x) < 0x1p-54, x, y));
}

/* The larger of two numbers, and the smaller less it. */
typedef struct tess__apart_f64 {
    double d, d_lo, high;
} tess__apart_f64;

/* d_lo is right where low, the smaller, has the larger magnitude: elsewhere it does not matter. Of a NaN only d is
 * right. Where there are instructions for fmax and fmin as C defines them, they are shorter. */
TESS_FN tess__apart_f64 tess__apart_f64_of(double a, double b)
{
#if defined(__aarch64__)
    const double high = __builtin_fmax(a, b), low = __builtin_fmin(a, b);
#else
    const double high = tess__pick_f64(a > b, a, b), low = tess__pick_f64(a > b, b, a);
#endif
    tess__apart_f64 apart;
    apart.d = -__builtin_fabs(a - b);
    apart.d_lo = (low - apart.d) - high;
    apart.high = high;
    return apart;
}

/* e^(y + y_lo) times 2^m for -746 <= y <= 0, y_lo small beside it; shift is 1.5 2^52 + 1023 + m. */
TESS_FN tess__two_f64 tess__exp_down_f64(double y, double y_lo, double shift)
{
    const double shifted = __builtin_fma(y, TESS__LOG2E_F64, shift), n = shifted - shift;
    const double r = __builtin_fma(-n, TESS__LN2_F64, y) + __builtin_fma(-n, TESS__LN2_LO_F64, y_lo);
    const double e = tess__exp_less_one_f64(r), power = tess__f64_of_bits(tess__bits_of_f64(shifted) << 52);
    const double t = __builtin_fma(power, e, power);
    return tess__two_f64_of(t, __builtin_fma(power, e, power - t));
}

/* high + ln(1 + t), 0 <= t <= 1: ln(1 + t) = t - s (t - s^2 P(s^2)) with s = t / (2 + t); error of that 2^-57 of it.
 * Where high and ln(1 + t) cancel, t is the larger, and nothing of its sum with high is lost. What t.lo adds is between
 * t.lo and half of it. The products join the sum one by one, the smallest first: the shortest way
 * from s with one large rounding. */
TESS_FN double tess__add_log1p_f64(double high, tess__two_f64 t)
{
    const double s = t.hi / (2.0 + t.hi), z = s * s, z2 = z * z, z4 = z2 * z2;
    const double a =
        tess__cubic_f64(z, z2, 0x1.5555555555555p-1, 0x1.999999999a27cp-2, 0x1.24924923df843p-2, 0x1.c71c726c171afp-3);
    const double b =
        tess__cubic_f64(z, z2, 0x1.745cf154e858p-3, 0x1.3b18a6cd11a3ep-3, 0x1.10acf6187626fp-3, 0x1.eb8a175c66bdap-4);
    const double        c = __builtin_fma(z, 0x1.4afd63d03d427p-3, 0x1.688edd078a774p-4);
    const tess__two_f64 sum = tess__fast_sum_f64(t.hi, high);
    const double        sz = s * z, small = __builtin_fma(sz, a, __builtin_fma(t.lo, 0.75, sum.lo));
    return sum.hi + __builtin_fma(-s, t.hi, __builtin_fma(sz * z4, __builtin_fma(z4, c, b), small));
}

/* 1 where a or b is not finite, or they are so far apart that e^-|a - b| may not be a normal number. */
TESS_FN int tess__logaddexp_slow_f64(double a, double b) { return tess__exp_slow_f64(tess__apart_f64_of(a, b).d); }

/* ln(e^a + e^b); error at most 2 ulps of the larger of max(a, b) and the result. */
TESS_FN double tess__logaddexp_fast_f64(double a, double b)
{
    const tess__apart_f64 apart = tess__apart_f64_of(a, b);
    return tess__add_log1p_f64(apart.high, tess__exp_down_f64(apart.d, apart.d_lo, 0x1.80000000003ffp52));
}

/* The power is scaled with 64 binades to spare, and to its own size in a second step, which rounds a subnormal once. */
TESS_FN double tess__logaddexp_f64(double a, double b)
{
    const tess__apart_f64 apart = tess__apart_f64_of(a, b);
    const tess__two_f64   e = tess__exp_down_f64(apart.d, apart.d_lo, 0x1.8p52 + 1023 + 64);
    const int             near = apart.d > -746.0, wrong = (a != a) | (b != b);
    const double t = tess__pick_f64(near, e.hi * 0x1p-64, 0.0), t_lo = tess__pick_f64(near, e.lo * 0x1p-64, 0.0);
    const double sum = tess__add_log1p_f64(apart.high, tess__two_f64_of(t, t_lo));
    const int    end = (a == -__builtin_inf()) | (b == -__builtin_inf()) | (apart.high == __builtin_inf());
    const double at_end = tess__pick_f64(wrong, __builtin_nan(""), apart.high);
    return tess__pick_f64(wrong | end, at_end, sum);
}

/* x = quadrant pi/2 + hi + lo, |hi| <= pi/4 but for rounding. */
typedef struct tess__angle_f64 {
    double   hi, lo;
    uint64_t quadrant;
} tess__angle_f64;

#define TESS__PIO2_F64 0x1.921fb54442d18p0
#define TESS__PIO2_LO_F64 0x1.1a62633145c07p-54
#define TESS__1_PI_F64 0x1.45f306dc9c883p-2

/* For |x| <= 2^22: pi/2 in three parts, of which n times the first two leaves no error. */
TESS_FN tess__angle_f64 tess__reduce_f64(double x)
{
    const double    shifted = __builtin_fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52), n = shifted - 0x1.8p52;
    const double    r = __builtin_fma(-n, TESS__PIO2_F64, x);
    tess__angle_f64 a;
    a.hi = __builtin_fma(-n, 0x1.1a62633p-54, r);
    a.lo = __builtin_fma(-n, 0x1.45c06e0e68948p-86, __builtin_fma(-n, 0x1.1a62633p-54, r - a.hi));
    a.quadrant = tess__bits_of_f64(shifted);
    return a;
}

/* The upper half of a product. */
TESS_FN uint64_t tess__mul_high_u64(uint64_t a, uint64_t b)
{
    const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffff);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* The integer mantissa of x times those 192 bits of 2/pi that matter modulo 4 quadrants, for finite |x| > 2^22: upper
 * words first, the quadrant in the top two bits and its fraction after it. */
TESS_FN void tess__quadrants_f64(double x, uint64_t p[3])
{
    static const uint64_t two_over_pi[20] = {
        /* after 64 zeros */
        0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
        0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
        0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
        0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab
    };
    const uint64_t  bits = tess__bits_of_f64(x), mantissa = (bits & 0x000fffffffffffff) | 0x0010000000000000;
    const uint64_t  first = (bits >> 52 & 0x7ff) - 1013, shift = first % 64;
    const uint64_t *w = two_over_pi + first / 64;
    const uint64_t  w0 = w[0] << shift | w[1] >> 1 >> (63 - shift);
    const uint64_t  w1 = w[1] << shift | w[2] >> 1 >> (63 - shift);
    const uint64_t  w2 = w[2] << shift | w[3] >> 1 >> (63 - shift);
    const uint64_t  c2 = tess__mul_high_u64(w2, mantissa);
    p[2] = w2 * mantissa;
    p[1] = w1 * mantissa + c2;
    p[0] = w0 * mantissa + tess__mul_high_u64(w1, mantissa) + (p[1] < c2);
}

/* For |x| > 2^22. */
TESS_FN tess__angle_f64 tess__reduce_huge_f64(double x)
{
    const int finite = __builtin_fabs(x) < __builtin_inf();
    uint64_t  p[3];
    tess__quadrants_f64(finite ? x : 0x1p23, p);
    const uint64_t      above = p[0] >> 61 & 1, turn = -above; /* a fraction above one half is taken less 1 */
    const uint64_t      high = (p[0] << 2 | p[1] >> 62) ^ turn, low = (p[1] << 2 | p[2] >> 62) ^ turn;
    const uint64_t      zeros = (uint64_t)__builtin_clzll(high | 1);
    const uint64_t      top = high << zeros | low >> 1 >> (63 - zeros), next = low << zeros;
    const double        scale = tess__f64_of_bits((1023 - 53 - zeros) << 52);
    const double        f = (double)(top >> 11) * scale;
    const double        f_lo = (double)((top & 0x7ff) << 42 | next >> 22) * (scale * 0x1p-53);
    const double        g = tess__product_f64(f, TESS__PIO2_F64), g_lo = __builtin_fma(f, TESS__PIO2_F64, -g);
    const tess__two_f64 r =
        tess__fast_sum_f64(g, __builtin_fma(f, TESS__PIO2_LO_F64, __builtin_fma(f_lo, TESS__PIO2_F64, g_lo)));
    const uint64_t  sign = tess__sign_f64(x) ^ (above << 63), quadrant = (p[0] >> 62) + above;
    tess__angle_f64 a;
    a.hi = finite ? tess__flip_f64(r.hi, sign) : __builtin_nan("");
    a.lo = tess__flip_f64(r.lo, sign);
    a.quadrant = x < 0.0 ? -quadrant : quadrant;
    return a;
}

/* sin(hi + lo). Polynomial for (sin r - r) / r^3, |r| <= pi/4; error of r^2 times it 2^-56. */
TESS_FN tess__two_f64 tess__sin_two_f64(double r, double r_lo)
{
    const double z = r * r, z2 = z * z;
    const double a = tess__cubic_f64(z, z2, -0x1.5555555555555p-3, 0x1.1111111110c78p-7, -0x1.a01a019e9e16ep-13,
                                     0x1.71de37ad7fd05p-19);
    const double b = __builtin_fma(z, 0x1.5e0fdbacf9db9p-33, -0x1.ae601c62e787cp-26);
    return tess__two_f64_of(r, __builtin_fma(r * z, __builtin_fma(z2 * z2, b, a), r_lo));
}

/* cos(hi + lo). Polynomial for (cos r - 1 + r^2/2) / r^4, |r| <= pi/4; error of r^4 times it 2^-60. */
TESS_FN tess__two_f64 tess__cos_two_f64(double r, double r_lo)
{
    const double z = r * r, z2 = z * z, half = 0.5 * r;
    const double a = tess__cubic_f64(z, z2, 0x1.5555555555555p-5, -0x1.6c16c16c168c7p-10, 0x1.a01a019f3748ap-16,
                                     -0x1.27e4fa017dd66p-22);
    const double b = __builtin_fma(z, -0x1.90724d2e44196p-37, 0x1.1eeb563bda84ep-29);
    const double hi = __builtin_fma(-half, r, 1.0);
    const double lo = __builtin_fma(-r, r_lo, __builtin_fma(-half, r, 1.0 - hi));
    return tess__two_f64_of(hi, __builtin_fma(z2, __builtin_fma(z2 * z2, b, a), lo));
}

/* sin(a + turn pi/2). */
TESS_FN double tess__sin_of_f64(tess__angle_f64 a, uint64_t turn)
{
    const uint64_t      quadrant = a.quadrant + turn;
    const tess__two_f64 s = tess__sin_two_f64(a.hi, a.lo), c = tess__cos_two_f64(a.hi, a.lo);
    const double        y = tess__pick_f64((quadrant & 1) != 0, c.hi + c.lo, s.hi + s.lo);
    return tess__flip_f64(y, (quadrant & 2) << 62);
}

TESS_FN double tess__tan_of_f64(tess__angle_f64 a)
{
    const int           odd = (a.quadrant & 1) != 0;
    const tess__two_f64 s = tess__sin_two_f64(a.hi, a.lo), c = tess__cos_two_f64(a.hi, a.lo);
    const tess__two_f64 sn = tess__fast_sum_f64(s.hi, s.lo), cn = tess__fast_sum_f64(c.hi, c.lo);
    const double        num = tess__pick_f64(odd, -cn.hi, sn.hi), num_lo = tess__pick_f64(odd, -cn.lo, sn.lo);
    const double        den = tess__pick_f64(odd, sn.hi, cn.hi), den_lo = tess__pick_f64(odd, sn.lo, cn.lo);
    const tess__two_f64 q = tess__ratio_f64(tess__two_f64_of(num, num_lo), tess__two_f64_of(den, den_lo));
    return q.hi + q.lo;
}

TESS_FN int tess__sin_slow_f64(double x) { return !(__builtin_fabs(x) <= 0x1p22); }
TESS_FN int tess__cos_slow_f64(double x) { return tess__sin_slow_f64(x); }
TESS_FN int tess__tan_slow_f64(double x) { return tess__sin_slow_f64(x); }
TESS_FN int tess__sinc_slow_f64(double x) { return tess__sin_slow_f64(x); }

/* sin(x - m pi) for |x| <= 2^22 and m the nearest number to x / pi with that or a half as its fraction. Polynomial for
 * (sin r - r) / r^3, |r| <= pi/2; error of r^2 times it 2^-60. Its first term is taken by itself for the rounding.
 * Error at most 1.5. */
TESS_FN double tess__sin_wide_f64(double x, double m)
{
    const double r1 = __builtin_fma(-m, 2.0 * TESS__PIO2_F64, x), r2 = __builtin_fma(-m, 2.0 * TESS__PIO2_LO_F64, r1);
    const double r = __builtin_fma(-m, -0x1.f1976b7ed8fbcp-109, r2), z = r * r, z2 = z * z;
    const double a = tess__cubic_f64(z, z2, 0x1.11111111110b9p-7, -0x1.a01a01a01353dp-13, 0x1.71de3a51c2b04p-19,
                                     -0x1.ae64545b07c73p-26);
    const double b =
        __builtin_fma(z2, 0x1.871ce8d18d2bap-49, __builtin_fma(z, -0x1.ae39cea3d05e1p-41, 0x1.6123aaace9c02p-33));
    const double factor = __builtin_fma(z, -0x1.5555555555555p-3, z2 * __builtin_fma(z2 * z2, b, a));
    return __builtin_fma(r, factor, r);
}

TESS_FN double tess__sin_fast_f64(double x)
{
    const double shifted = __builtin_fma(x, TESS__1_PI_F64, 0x1.8p52);
    const double y = tess__sin_wide_f64(x, shifted - 0x1.8p52);
    return tess__pick_f64(x == 0.0, x, tess__flip_f64(y, tess__bits_of_f64(shifted) << 63));
}

/* As the sine of x less an odd number of pi/2. */
TESS_FN double tess__cos_fast_f64(double x)
{
    const double shift = 0x1.8p52 + 1, shifted = __builtin_fma(x, TESS__1_PI_F64, -0.5) + shift;
    const double y = tess__sin_wide_f64(x, shifted - shift + 0.5);
    return tess__flip_f64(y, tess__bits_of_f64(shifted) << 63);
}

TESS_FN double tess__tan_fast_f64(double x)
{
    return tess__pick_f64(x == 0.0, x, tess__tan_of_f64(tess__reduce_f64(x)));
}

TESS_FN double tess__sin_f64(double x)
{
    return tess__sin_slow_f64(x) ? tess__sin_of_f64(tess__reduce_huge_f64(x), 0) : tess__sin_fast_f64(x);
}

TESS_FN double tess__cos_f64(double x)
{
    return tess__cos_slow_f64(x) ? tess__sin_of_f64(tess__reduce_huge_f64(x), 1) : tess__cos_fast_f64(x);
}

TESS_FN double tess__tan_f64(double x)
{
    return tess__tan_slow_f64(x) ? tess__tan_of_f64(tess__reduce_huge_f64(x)) : tess__tan_fast_f64(x);
}

/* sin(x) / x, where a is x less its quadrants. */
TESS_FN double tess__sinc_of_f64(double x, tess__angle_f64 a)
{
    const tess__two_f64 s = tess__sin_two_f64(a.hi, a.lo), c = tess__cos_two_f64(a.hi, a.lo);
    const int           odd = (a.quadrant & 1) != 0;
    const tess__two_f64 y = tess__fast_sum_f64(tess__pick_f64(odd, c.hi, s.hi), tess__pick_f64(odd, c.lo, s.lo));
    const tess__two_f64 q = tess__ratio_f64(y, tess__two_f64_of(x, 0.0));
    return tess__flip_f64(q.hi + q.lo, (a.quadrant & 2) << 62);
}

TESS_FN double tess__sinc_fast_f64(double x)
{
    return tess__pick_f64(__builtin_fabs(x) < 0x1p-28, 1.0, tess__sinc_of_f64(x, tess__reduce_f64(x)));
}

TESS_FN double tess__sinc_f64(double x)
{
    if (!tess__sinc_slow_f64(x)) { return tess__sinc_fast_f64(x); }
    return __builtin_fabs(x) == __builtin_inf() ? 0.0 : tess__sinc_of_f64(x, tess__reduce_huge_f64(x));
}

/* base pi/4 + q + q_lo, base from 0 to 4, without the error of the sum. */
TESS_FN double tess__add_quarters_f64(double base, double q, double q_lo)
{
    const double        quarter = 0.5 * TESS__PIO2_F64, quarter_lo = 0.5 * TESS__PIO2_LO_F64;
    const double        whole = tess__product_f64(base, quarter);
    const double        whole_lo = __builtin_fma(base, quarter_lo, __builtin_fma(base, quarter, -whole));
    const tess__two_f64 sum = tess__fast_sum_f64(whole, q);
    return sum.hi + (sum.lo + (whole_lo + q_lo));
}

/* (atan q - q) / q, z = q^2 <= 1; error 2^-55. */
TESS_FN double tess__atan_tail_f64(double z)
{
    const double z2 = z * z, z4 = z2 * z2, z8 = z4 * z4;
    const double a =
        tess__cubic_f64(z, z2, -0x1.5555555555555p-2, 0x1.9999999999719p-3, -0x1.249249247c0a5p-3, 0x1.c71c71bd70d5p-4);
    const double b = tess__cubic_f64(z, z2, -0x1.745d162a1a753p-4, 0x1.3b139d58cab34p-4, -0x1.111022ca13b27p-4,
                                     0x1.e1d2187283e51p-5);
    const double c = tess__cubic_f64(z, z2, -0x1.aec5c62b39503p-5, 0x1.8444a4f2a9a7fp-5, -0x1.5d73d5e370a77p-5,
                                     0x1.3427c871545a3p-5);
    const double d = tess__cubic_f64(z, z2, -0x1.01f2b61fc561dp-5, 0x1.88d53cc11291cp-6, -0x1.032a7b84a7b0dp-6,
                                     0x1.193dea5bb03edp-7);
    const double e = tess__cubic_f64(z, z2, -0x1.d987b2d3608e1p-9, 0x1.1e9367c5e96a8p-10, -0x1.b82ec3bc68163p-13,
                                     0x1.40855eb3e3937p-16);
    return z * __builtin_fma(z8, __builtin_fma(z8, e, __builtin_fma(z4, d, c)), __builtin_fma(z4, b, a));
}

/* Error at most 1.4. */
TESS_FN double tess__atan_f64(double x)
{
    const double a = __builtin_fabs(x);
    const int    steep = a > 1.0;
    const double q = tess__pick_f64(steep, -1.0, a) / tess__pick_f64(steep, a, 1.0);
    const double tail = __builtin_fma(q, tess__atan_tail_f64(q * q), tess__pick_f64(steep, TESS__PIO2_LO_F64, 0.0));
    const double y = tess__pick_f64(steep, TESS__PIO2_F64, 0.0) + (q + tail);
    return __builtin_copysign(y, x);
}

/* The angle in the first half quadrant, then taken from pi/2 or pi as the larger of the arguments and the sign of x
 * tell. The quotient needs no scaling: it is at most 1, and where it is subnormal, so is the angle. Error at most
 * 1.5. */
TESS_FN double tess__atan2_f64(double y, double x)
{
    const double a = __builtin_fabs(y), b = __builtin_fabs(x);
    const int    steep = a > b, left = tess__sign_f64(x) != 0;
    const double minor = tess__pick_f64(steep, b, a), large = tess__pick_f64(steep, a, b);
    const double equal = tess__pick_f64(large == 0.0, 0.0, 1.0);
    const double up = tess__pick_f64(minor == large, equal, minor / large);
    const double q = tess__pick_f64(steep != left, -up, up);
    const double base = tess__pick_f64(steep, TESS__PIO2_F64, tess__pick_f64(left, 2.0 * TESS__PIO2_F64, 0.0));
    const double base_lo = tess__pick_f64(steep, TESS__PIO2_LO_F64, tess__pick_f64(left, 2.0 * TESS__PIO2_LO_F64, 0.0));
    return __builtin_copysign(base + (q + __builtin_fma(q, tess__atan_tail_f64(q * q), base_lo)), y);
}

/* (asin s - s) / s^3, z = s^2 <= 1/4; error of z times it 2^-58. */
TESS_FN double tess__asin_tail_f64(double z)
{
    const double z2 = z * z, z4 = z2 * z2;
    const double a =
        tess__cubic_f64(z, z2, 0x1.5555555555556p-3, 0x1.3333333332da2p-4, 0x1.6db6db6e485fcp-5, 0x1.f1c71c11df56dp-6);
    const double b =
        tess__cubic_f64(z, z2, 0x1.6e8bb3750cd34p-6, 0x1.1c4d112f1061dp-6, 0x1.c9d30a80122c8p-7, 0x1.780104cff5ce2p-7);
    const double c =
        tess__cubic_f64(z, z2, 0x1.532a7f630046ep-7, 0x1.5e29b1997fc9dp-8, 0x1.2204d764d54f2p-6, -0x1.f58b0a9311a55p-7);
    return __builtin_fma(z4, __builtin_fma(z4, __builtin_fma(z4, 0x1.dc17abeee322dp-6, c), b), a);
}

/* asin(a) for 0 <= a <= 1/2, above it asin(sqrt((1 - a) / 2)). */
TESS_FN tess__two_f64 tess__asin_two_f64(double a)
{
    const int    big = a > 0.5;
    const double z = tess__pick_f64(big, 0.5 * (1.0 - a), a * a), root = __builtin_sqrt(z);
    const double s = tess__pick_f64(big, root, a);
    const double rest = __builtin_fma(-root, root, z) / (root + root);
    const double s_lo = tess__pick_f64(big & (root > 0.0), rest, 0.0);
    return tess__two_f64_of(s, __builtin_fma(s * z, tess__asin_tail_f64(z), s_lo));
}

TESS_FN double tess__asin_f64(double x)
{
    const double        a = __builtin_fabs(x), factor = tess__pick_f64(a > 0.5, -2.0, 1.0);
    const tess__two_f64 s = tess__asin_two_f64(a);
    const double        base = tess__pick_f64(a > 0.5, 2.0, 0.0);
    const double        y = tess__add_quarters_f64(base, factor * s.hi, factor * s.lo);
    return tess__pick_f64(a < 0x1p-28, x, __builtin_copysign(y, x));
}

TESS_FN double tess__acos_f64(double x)
{
    const double        a = __builtin_fabs(x);
    const tess__two_f64 s = tess__asin_two_f64(a);
    const int           big = a > 0.5, left = x < 0.0;
    const double        factor = tess__pick_f64(big, 2.0, 1.0) * tess__pick_f64(big == left, -1.0, 1.0);
    const double        base = tess__pick_f64(big, tess__pick_f64(left, 4.0, 0.0), 2.0);
    return tess__add_quarters_f64(base, factor * s.hi, factor * s.lo);
}

/* sinh and cosh of x >= 0, halved, from a = n ln2 + r and the sums and differences of 2^n and 2^-n. */
typedef struct tess__hyperbolic_f64 {
    tess__two_f64 sinh, cosh;
} tess__hyperbolic_f64;

/* a + b r + c, where |a| >= |b r| and c is small. */
TESS_FN tess__two_f64 tess__linear_f64(double a, double b, double r, double c)
{
    const double hi = __builtin_fma(b, r, a);
    return tess__two_f64_of(hi, __builtin_fma(b, r, a - hi) + c);
}

/* Polynomials for (sinh r - r) / r^3 and (cosh r - 1 - r^2/2) / r^4, |r| <= ln(2)/2; errors of r^2 and r^4 times them
 * 2^-60 and 2^-66. */
TESS_FN tess__hyperbolic_f64 tess__hyperbolic_f64_of(double x)
{
    const double         shift = 0x1.80000000003fdp52; /* brings n + 1021 to the low bits */
    const double         shifted = __builtin_fma(x, TESS__LOG2E_F64, shift), n = shifted - shift;
    const double         f = __builtin_fma(-n, TESS__LN2_F64, x), r = __builtin_fma(-n, TESS__LN2_LO_F64, f);
    const double         r_lo = __builtin_fma(-n, TESS__LN2_LO_F64, f - r);
    const double         z = r * r, z2 = z * z;
    const double         a = tess__cubic_f64(z, z2, 0x1.5555555555556p-3, 0x1.1111111110704p-7, 0x1.a01a01a9088b3p-13,
                                             0x1.71de0a2307eb7p-19);
    const double         b = tess__cubic_f64(z, z2, 0x1.5555555555555p-5, 0x1.6c16c16c16d9cp-10, 0x1.a01a01a1ce993p-16,
                                             0x1.27e4e958ead1fp-22);
    const double         odd = __builtin_fma(r * z, __builtin_fma(z2 * z2, 0x1.af3f4523f7c8ap-26, a), r_lo);
    const double         even = __builtin_fma(z, 0.5, z2 * __builtin_fma(z2 * z2, 0x1.1f593f6c8e612p-29, b));
    const uint64_t       bits = tess__bits_of_f64(shifted);
    const double         up = tess__f64_of_bits(bits << 52);
    const double         down = tess__pick_f64(n < 100.0, tess__f64_of_bits((2042 - bits) << 52), 0.0);
    const tess__two_f64  sum = tess__fast_sum_f64(up, down), diff = tess__fast_sum_f64(up, -down);
    tess__hyperbolic_f64 y;
    y.sinh = tess__linear_f64(diff.hi, sum.hi, r, __builtin_fma(sum.hi, odd, __builtin_fma(diff.hi, even, diff.lo)));
    y.cosh = tess__linear_f64(sum.hi, diff.hi, r, __builtin_fma(diff.hi, odd, __builtin_fma(sum.hi, even, sum.lo)));
    return y;
}

TESS_FN double tess__sinh_f64(double x)
{
    const double        a = __builtin_fabs(x);
    const tess__two_f64 s = tess__hyperbolic_f64_of(tess__pick_f64(a > 710.6, 710.6, a)).sinh;
    return tess__pick_f64(a < 0x1p-28, x, __builtin_copysign(2.0 * (s.hi + s.lo), x));
}

TESS_FN double tess__cosh_f64(double x)
{
    const double        a = __builtin_fabs(x);
    const tess__two_f64 c = tess__hyperbolic_f64_of(tess__pick_f64(a > 710.6, 710.6, a)).cosh;
    return 2.0 * (c.hi + c.lo);
}

/* From e^(2 x) - 1. */
TESS_FN double tess__tanh_f64(double x)
{
    const double        a = __builtin_fabs(x), b = tess__pick_f64(a > 20.0, 20.0, a);
    const tess__two_f64 e = tess__expm1_two_f64(b + b, 0x1.80000000003ffp52, 1.0);
    const tess__two_f64 num = tess__fast_sum_f64(e.hi, e.lo), den = tess__fast_sum_f64(2.0, num.hi);
    const tess__two_f64 q = tess__ratio_f64(num, tess__two_f64_of(den.hi, den.lo + num.lo));
    return __builtin_copysign(q.hi + q.lo, x);
}

/* The root of s.hi + s.lo. */
TESS_FN tess__two_f64 tess__sqrt_two_f64(tess__two_f64 s)
{
    const double root = __builtin_sqrt(s.hi);
    const double rest = (__builtin_fma(-root, root, s.hi) + s.lo) / (root + root);
    return tess__two_f64_of(root, tess__pick_f64(root > 0.0, rest, 0.0));
}

/* ln(a + b + lo), a >= b >= 0 and lo of the size of their rounding; where x >= 2^28, ln(2 x). */
TESS_FN double tess__log_sum_f64(double a, double b, double lo, double x)
{
    const int           large = x >= 0x1p28;
    const tess__two_f64 u = tess__fast_sum_f64(a, b), v = tess__fast_sum_f64(u.hi, u.lo + lo);
    const double        w = tess__pick_f64(large, 0.5 * x, v.hi), w_lo = tess__pick_f64(large, 0.0, v.lo);
    const tess__two_f64 y = tess__log_of_two_f64(w, w_lo);
    const double        z = y.hi + (y.lo + tess__pick_f64(large, 2.0 * TESS__LN2_F64, 0.0));
    return tess__pick_f64(x == __builtin_inf(), x, z);
}

/* ln(x + sqrt(x^2 + 1)). */
TESS_FN double tess__asinh_f64(double x)
{
    const double        a = __builtin_fabs(x), b = tess__pick_f64(a < 0x1p28, a, 1.0);
    const double        square = tess__product_f64(b, b), square_lo = __builtin_fma(b, b, -square);
    const tess__two_f64 sum = tess__fast_sum_f64(1.0, square);
    const tess__two_f64 root = tess__sqrt_two_f64(tess__two_f64_of(sum.hi, sum.lo + square_lo));
    const double        y = tess__log_sum_f64(root.hi, b, root.lo, a);
    return tess__pick_f64((a < 0x1p-28) | (x != x), x, __builtin_copysign(y, x));
}

/* ln(x + sqrt(x^2 - 1)). */
TESS_FN double tess__acosh_f64(double x)
{
    const double        b = tess__pick_f64(x < 0x1p28, x, 1.0);
    const double        square = tess__product_f64(b, b), square_lo = __builtin_fma(b, b, -square);
    const tess__two_f64 less = tess__fast_sum_f64(square, -1.0);
    const tess__two_f64 root = tess__sqrt_two_f64(tess__fast_sum_f64(less.hi, less.lo + square_lo));
    return tess__pick_f64(x >= 1.0, tess__log_sum_f64(b, root.hi, root.lo, x), __builtin_nan(""));
}

/* ln(1 + 2 x / (1 - x)) / 2. */
TESS_FN double tess__atanh_f64(double x)
{
    const double        a = __builtin_fabs(x);
    const tess__two_f64 den = tess__fast_sum_f64(1.0, -a);
    const tess__two_f64 q = tess__ratio_f64(tess__two_f64_of(a + a, 0.0), den);
    const tess__two_f64 one = tess__fast_sum_f64(1.0, q.hi), u = tess__fast_sum_f64(one.hi, one.lo + q.lo);
    const tess__two_f64 y = tess__log_of_two_f64(u.hi, u.lo);
    const double        z = tess__pick_f64(a == 1.0, __builtin_inf(), 0.5 * (y.hi + y.lo));
    const double        w = tess__pick_f64(a < 0x1p-28, x, __builtin_copysign(z, x));
    return tess__pick_f64(a > 1.0, __builtin_nan(""), w);
}

/* ln(2^k (1 + f)) to some 2^-66 of itself: with s = f / (2 + f), ln(1 + f) = 2 s + s^3 (2/3 + s^2 Q(s^2)).
 * |s| <= 0.172; error of s^4 Q 2^-68. */
TESS_FN tess__two_f64 tess__log_fine_f64(tess__split_f64 p)
{
    const double        third = 0x1.5555555555555p-1, third_lo = 0x1.5555555555555p-55;
    const double        ln2 = TESS__LN2_SHORT_F64, ln2_lo = TESS__LN2_REST_F64;
    const tess__two_f64 den = tess__fast_sum_f64(2.0, p.f);
    const tess__two_f64 q = tess__ratio_f64(tess__two_f64_of(p.f, 0.0), den);
    const double        s = q.hi, s_lo = q.lo;
    const double        z = s * s, z_lo = __builtin_fma(s + s, s_lo, __builtin_fma(s, s, -z));
    const double        z2 = z * z;
    const double        a =
        tess__cubic_f64(z, z2, 0x1.999999999999ap-2, 0x1.24924924922f9p-2, 0x1.c71c71c74dccdp-3, 0x1.745d173bde8e4p-3);
    const double b =
        tess__cubic_f64(z, z2, 0x1.3b13aa2bd20e1p-3, 0x1.11153ec6b273dp-3, 0x1.e01ceebb0aad3p-4, 0x1.da83b52169012p-4);
    const double tail = __builtin_fma(z2 * z2, b, a);
    const double w = __builtin_fma(z, tail, third);
    const double w_lo = __builtin_fma(z, tail, third - w) + __builtin_fma(z_lo, tail, third_lo);
    const double v = z * w, v_lo = __builtin_fma(z, w_lo, __builtin_fma(z_lo, w, __builtin_fma(z, w, -v)));
    const double g = __builtin_fma(s, v, s + s);
    const double g_lo = __builtin_fma(s, v_lo, __builtin_fma(s_lo, v, __builtin_fma(s, v, s + s - g) + (s_lo + s_lo)));
    const double hi = __builtin_fma(p.k, ln2, g), rest = g - __builtin_fma(-p.k, ln2, hi);
    return tess__two_f64_of(hi, __builtin_fma(p.k, ln2_lo, rest) + g_lo);
}

/* e^(y l), |y| <= 2^65. The leading part of the exponent does not wait for the rest, which is below 2^-20 where the
 * result is neither 0 nor infinite. */
TESS_FN double tess__pow_of_log_f64(tess__two_f64 l, double y)
{
    const double        e = y * l.hi, e_lo = __builtin_fma(y, l.lo, __builtin_fma(y, l.hi, -e));
    const double        p = tess__clamp_f64(e, -750.0, 715.0), p_lo = tess__clamp_f64(e_lo, -0x1p-20, 0x1p-20);
    const double        shifted = __builtin_fma(p, TESS__LOG2E_F64, TESS__SHIFT_F64), n = shifted - TESS__SHIFT_F64;
    const double        f = __builtin_fma(-n, TESS__LN2_F64, p), f_lo = __builtin_fma(-n, TESS__LN2_LO_F64, p_lo);
    const tess__two_f64 r = tess__exp_two_f64(f, 0.0);
    return tess__scale_f64(r.hi + __builtin_fma(r.hi + r.lo, f_lo, r.lo), shifted);
}

/* 1 where the logarithm of x needs the slow path or y is far too large, from 2^65 on. */
TESS_FN int tess__pow_slow_f64(double x, double y)
{
    return tess__log_slow_f64(x) | ((tess__top_f64(y) & 0x7fff) >= 0x4400);
}

TESS_FN double tess__pow_fast_f64(double x, double y)
{
    return tess__pow_of_log_f64(tess__log_fine_f64(tess__split_normal_f64(x, 0.0)), y);
}

TESS_FN double tess__pow_f64(double x, double y)
{
    const double        inf = __builtin_inf(), nan = __builtin_nan("");
    const double        a = __builtin_fabs(x), b = __builtin_fabs(y);
    const double        half = 0.5 * b;
    const int           whole = (b >= 0x1p52) | ((b + 0x1p52) - 0x1p52 == b);
    const int           even = (half >= 0x1p52) | ((half + 0x1p52) - 0x1p52 == half), odd = whole & !even;
    const int           end = (a == 0.0) | (a == inf), negative = tess__sign_f64(x) != 0;
    const tess__two_f64 l = tess__log_fine_f64(tess__split_f64_of(a));
    const double        r = tess__pow_of_log_f64(l, tess__clamp_f64(y, -0x1p65, 0x1p65));
    const double        at_end = tess__pick_f64((a == 0.0) == (y < 0.0), inf, 0.0);
    const double        size = tess__pick_f64(end, at_end, r);
    const double        z = tess__pick_f64(negative & odd, -size, size);
    const int           wrong = (negative & !whole & !end) | (x != x) | (y != y);
    return tess__pick_f64((x == 1.0) | (y == 0.0), 1.0, tess__pick_f64(wrong, nan, z));
}

/* sqrt(x^2 + y^2), scaled by a power of two so that the squares stay in range, and corrected by what their rounding and
 * that of the root left over. */
TESS_FN double tess__hypot_f64(double x, double y)
{
    const double inf = __builtin_inf(), a = __builtin_fabs(x), b = __builtin_fabs(y);
    const double large = tess__pick_f64(a > b, a, b), minor = tess__pick_f64(a > b, b, a);
    const int    too_large = large > 0x1p500, tiny = large < 0x1p-400;
    const double scale = tess__pick_f64(too_large, 0x1p-600, tess__pick_f64(tiny, 0x1p600, 1.0));
    const double back = tess__pick_f64(too_large, 0x1p600, tess__pick_f64(tiny, 0x1p-600, 1.0));
    const double u = large * scale, v = minor * scale, u2 = u * u;
    const double root = __builtin_sqrt(__builtin_fma(v, v, u2));
    const double excess = __builtin_fma(-v, v, __builtin_fma(root, root, -u2)) - __builtin_fma(u, u, -u2);
    const double better = root - excess / (root + root);
    const double r = tess__pick_f64(root > 0.0, better, root) * back;
    const double z = tess__pick_f64((x != x) | (y != y), __builtin_nan(""), r);
    return tess__pick_f64((a == inf) | (b == inf), inf, z);
}

/* From z near 1 / cbrt(x), guessed by the bits of x: twice z (1 + e/3 + 2/9 e^2 ..) with e = 1 - x z^3, then y = x z^2
 * less its error. */
TESS_FN double tess__cbrt_f64(double x)
{
    const double a = __builtin_fabs(x);
    const int    tiny = a < 0x1p-900;
    const double b = a * tess__pick_f64(tiny, 0x1p300, 1.0);
    const double top = tess__f64_of_bits(tess__bits_of_f64(b) >> 32 | 0x4330000000000000) - 0x1p52;
    const double guess = __builtin_fma(top, -1.0 / 3.0, 0x1p52 + 1430200000.0);
    const double z0 = tess__f64_of_bits(tess__bits_of_f64(guess) << 32);
    const double e0 = __builtin_fma(-(b * z0), z0 * z0, 1.0);
    const double p0 = tess__cubic_f64(e0, e0 * e0, 1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0, 35.0 / 243.0);
    const double z1 = __builtin_fma(z0 * e0, p0, z0);
    const double e1 = __builtin_fma(-(b * z1), z1 * z1, 1.0);
    const double z = __builtin_fma(z1 * e1, __builtin_fma(e1, 2.0 / 9.0, 1.0 / 3.0), z1);
    const double z2 = z * z, y = tess__product_f64(b, z2), y2 = y * y, y2_lo = __builtin_fma(y, y, -y2);
    const double rest = __builtin_fma(-y2_lo, y, __builtin_fma(-y2, y, b));
    const double root = __builtin_fma(rest, z2 * (1.0 / 3.0), y) * tess__pick_f64(tiny, 0x1p-100, 1.0);
    return tess__pick_f64((a > 0.0) & (a < __builtin_inf()), __builtin_copysign(root, x), x + x);
}

/* 1 / sqrt(x), both steps rounded: error at most 1.5. */
TESS_FN double tess__rsqrt_f64(double x) { return 1.0 / __builtin_sqrt(x); }

/* erf(x) / x - 1 for |x| <= 7/8, z = x^2; error 2^-56. */
TESS_FN double tess__erf_near_f64(double z)
{
    const double z2 = z * z, z4 = z2 * z2;
    const double a = tess__cubic_f64(z, z2, 0x1.06eba8214db69p-3, -0x1.812746b0379ffp-2, 0x1.ce2f21a0437c8p-4,
                                     -0x1.b82ce312b2a7cp-6);
    const double b = tess__cubic_f64(z, z2, 0x1.565bcd1351456p-8, -0x1.c02db4a44d30ep-11, 0x1.f9a3320fe2751p-14,
                                     -0x1.f4d27f291d2d6p-17);
    const double c = tess__cubic_f64(z, z2, 0x1.b9dcf48c9cb57p-20, -0x1.5e9c8ce253e52p-23, 0x1.ebf7db59681e5p-27,
                                     -0x1.f4d7dc9dc4399p-31);
    return __builtin_fma(z4, __builtin_fma(z4, c, b), a);
}

/* c + t p. */
TESS_FN tess__two_f64 tess__step_f64(tess__two_f64 p, double t, double c, double c_lo)
{
    const double hi = __builtin_fma(t, p.hi, c);
    return tess__two_f64_of(hi, __builtin_fma(t, p.lo, __builtin_fma(t, p.hi, c - hi) + c_lo));
}

/* (x + 4) e^(x^2) erfc(x) for 1/2 <= x <= 28 as a polynomial in t = (x - 4) / (x + 4); relative error 2^-58. */
TESS_FN tess__two_f64 tess__erfc_poly_f64(double t)
{
    const double t2 = t * t, t4 = t2 * t2, t8 = t4 * t4;
    const double a = tess__cubic_f64(t, t2, 0x1.52cac237105adp-2, -0x1.645fd8a4bcac1p-3, 0x1.38dbd2c8c5debp-4,
                                     -0x1.b00c052bdb9d7p-6);
    const double b = tess__cubic_f64(t, t2, 0x1.908f473baad74p-8, -0x1.269b5305e9175p-12, -0x1.dd285054219c8p-12,
                                     0x1.72cdb211a3816p-13);
    const double c = tess__cubic_f64(t, t2, -0x1.e7cf3c99d275dp-19, -0x1.3c6ff32e7f357p-16, 0x1.3ae393e42bf1cp-18,
                                     0x1.7e73e1eac6e94p-20);
    const double d = tess__cubic_f64(t, t2, -0x1.c3f4b81f8dda5p-21, -0x1.478bd7c73491fp-24, 0x1.fe8862efb8b25p-24,
                                     0x1.7a890d88d03a6p-30);
    const double e = __builtin_fma(t4, __builtin_fma(t4, -0x1.99d5c63937c15p-27, d), c);
    const tess__two_f64 p4 = tess__two_f64_of(__builtin_fma(t8, e, __builtin_fma(t4, b, a)), 0.0);
    const tess__two_f64 p3 = tess__step_f64(p4, t, -0x1.14eacb1ad032dp-1, 0x1.7670a6ec5548cp-55);
    const tess__two_f64 p2 = tess__step_f64(p3, t, 0x1.8be202d26c6fdp-1, 0x1.ab46659e993f7p-55);
    const tess__two_f64 p1 = tess__step_f64(p2, t, -0x1.f3fe31ecb49bfp-1, -0x1.581aad25b09c5p-55);
    return tess__step_f64(p1, t, 0x1.18932bf08e154p+0, 0x1.13823d87c97edp-54);
}

/* erfc(x) for 1/2 <= x <= 28. */
TESS_FN double tess__erfc_far_f64(double x)
{
    const tess__two_f64 den = tess__fast_sum_f64(4.0, x);
    const double        inverse = 1.0 / den.hi;
    const double        inverse_lo = inverse * __builtin_fma(-inverse, den.lo, __builtin_fma(-inverse, den.hi, 1.0));
    const double        t = __builtin_fma(-8.0, inverse, 1.0);
    const double        t_lo = __builtin_fma(-8.0, inverse_lo, __builtin_fma(-8.0, inverse, 1.0 - t));
    const double slope = tess__cubic_f64(t, t * t, -0.945, 1.488, -2.123, 1.708); /* of the polynomial, roughly */
    const tess__two_f64 g = tess__erfc_poly_f64(t);
    const double        g_lo = __builtin_fma(t_lo, slope, g.lo), w = g.hi * inverse;
    const double w_lo = __builtin_fma(g_lo, inverse, __builtin_fma(g.hi, inverse_lo, __builtin_fma(g.hi, inverse, -w)));
    const double square = x * x, square_lo = __builtin_fma(x, x, -square);
    const double shifted = __builtin_fma(-square, TESS__LOG2E_F64, TESS__SHIFT_F64), n = shifted - TESS__SHIFT_F64;
    const double f = __builtin_fma(-n, TESS__LN2_F64, -square);
    const tess__two_f64 r = tess__fast_sum_f64(f, __builtin_fma(-n, TESS__LN2_LO_F64, -square_lo));
    const tess__two_f64 e = tess__exp_two_f64(r.hi, r.lo), h = tess__fast_sum_f64(e.hi, e.lo);
    const double        y = __builtin_fma(w, h.hi, __builtin_fma(w, h.lo, w_lo * h.hi));
    return tess__scale_f64(y, shifted);
}

/* -ln erfc(a) as a polynomial in v = a - 27/32, 27/32 <= a <= 6; error of erfc from it 2^-57. The constant term comes
 * last, for the rounding near v = 0. */
TESS_FN double tess__erfc_log_f64(double v)
{
    const double v2 = v * v, v4 = v2 * v2, v8 = v4 * v4;
    const double a =
        tess__cubic_f64(v, v2, 0x1.30793aeac1987p+1, 0x1.a4e76e80e097ep-1, 0x1.8bf0a9752a57fp-5, -0x1.7e1d5b60cfef7p-7);
    const double b = tess__cubic_f64(v, v2, 0x1.1dc8c110cd4dfp-9, -0x1.878f49bccef53p-13, -0x1.23c0d217dc4c1p-14,
                                     0x1.67a3a59994e2dp-15);
    const double c = tess__cubic_f64(v, v2, -0x1.aca6c2e670a8dp-17, 0x1.06c915657054dp-19, 0x1.09dda8d0d798bp-22,
                                     -0x1.33a932fefd9aap-22);
    const double d = tess__cubic_f64(v, v2, 0x1.dab1ae7985b1p-24, -0x1.e01cf98bbdf0cp-26, 0x1.54f04afa31451p-28,
                                     -0x1.49ffdfa69dd58p-31);
    const double e = __builtin_fma(v, -0x1.b017e84011b65p-40, 0x1.884729e51db25p-35);
    const double f = __builtin_fma(v8, __builtin_fma(v8, e, __builtin_fma(v4, d, c)), __builtin_fma(v4, b, a));
    return __builtin_fma(v, f, 0x1.752ae57da8eb9p+0);
}

TESS_FN double tess__erf_f64(double x)
{
    const double a = __builtin_fabs(x);
    const double inner = __builtin_fma(a, tess__erf_near_f64(a * a), a);
    const double l = tess__erfc_log_f64(tess__clamp_f64(a, 0.84375, 6.0) - 0.84375);
    const double outer = 1.0 - tess__exp_fast_f64(-l);
    return __builtin_copysign(tess__pick_f64(a > 0.84375, outer, inner), x);
}

TESS_FN double tess__erfc_f64(double x)
{
    const double        a = __builtin_fabs(x);
    const tess__two_f64 one = tess__fast_sum_f64(1.0, -tess__clamp_f64(x, -1.0, 1.0));
    const double        inner = one.hi + __builtin_fma(-x, tess__erf_near_f64(x * x), one.lo);
    const double        outer = tess__erfc_far_f64(tess__clamp_f64(a, 0.5, 28.0));
    const double        y = tess__pick_f64(x < 0.0, 2.0 - outer, outer);
    return tess__pick_f64(a > 0.5, y, inner);
}

/* The remainder of x / y with the sign of x, exact, as in C. */
TESS_FN double tess__fmod_f64(double x, double y)
{
    const double a = __builtin_fabs(x), b = __builtin_fabs(y);
    if (!(a < __builtin_inf()) || !(b > 0.0)) { return __builtin_nan(""); }
    if (a < b) { return x; }
    const uint64_t ia = tess__bits_of_f64(a), ib = tess__bits_of_f64(b), lead = 0x0010000000000000;
    const uint64_t ea = ia < lead ? 1 : ia >> 52, eb = ib < lead ? 1 : ib >> 52;
    const uint64_t n = ib < lead ? ib : (ib & (lead - 1)) | lead;
    uint64_t       m = (ia < lead ? ia : (ia & (lead - 1)) | lead) % n;
    for (uint64_t left = ea - eb; left > 0 && m > 0;) {
        const uint64_t step = left < 11 ? left : 11;
        m = (m << step) % n;
        left -= step;
    }
    return __builtin_copysign((double)m * (tess__f64_of_bits(eb << 52) * 0x1p-52), x);
}

#undef TESS__EXP_2_F64
#undef TESS__EXP_3_F64
#undef TESS__EXP_4_F64
#undef TESS__EXP_5_F64
#undef TESS__EXP_6_F64
#undef TESS__EXP_7_F64
#undef TESS__EXP_8_F64
#undef TESS__EXP_9_F64
#undef TESS__EXP_10_F64
#undef TESS__EXP_11_F64
#undef TESS__SHIFT_F64
#undef TESS__SPLIT_F64
#undef TESS__LN2_F64
#undef TESS__LN2_LO_F64
#undef TESS__LOG2E_F64
#undef TESS__LN2_SHORT_F64
#undef TESS__LN2_REST_F64
#undef TESS__PIO2_F64
#undef TESS__PIO2_LO_F64
#undef TESS__1_PI_F64

#endif
