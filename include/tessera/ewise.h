/* Element-wise operations: arithmetic, comparisons, logic, rounding, functions, complex numbers.
 *
 * `out` may be exactly an input, or zeroed: then it is made with the shape that the inputs broadcast to. Inputs may be
 * of any strides and of different dtypes, and numbers may stand for them: tess_mul(&out, &image, &tess_num(2.5)), see
 * tessera/scalar.h.
 *
 * Inputs are brought to a common dtype, as in NumPy (tess_dtype_promote); f16 and c16 are computed with as f32 and c32
 * and rounded at the end. Where an operation needs other types, bool counts as u8, and, for functions such as sqrt,
 * bool and integers of up to 16 bits become f32, wider ones f64. The result has that dtype, except that comparisons and
 * questions give bool, abs, abs2, real, imag and arg of complex numbers their real type, and complex, complex_polar and
 * cis the complex one. An `out` that was made may be larger than the inputs, which broadcast to it, and of another
 * dtype: then the result is converted as in tess_cast.
 *
 * Integers wrap on overflow. Floating-point results are the same, bit for bit, on every processor, but for the sign and
 * payload of a NaN; functions of real numbers are within 1.5 ulp in f32 and 2 ulp in f64 (docs/math.md), with the
 * special values of C's Annex F.
 *
 * A complex number times a real one, or over a real one, is (re r, im r) or (re / r, im / r), each rounded once: the
 * real operand of mul, div and true_div is not widened. So an infinite or NaN part stays where it is, and zeros have
 * the signs of these products; NumPy widens, and has NaN where an infinite part meets the imaginary 0.
 *
 * Complex numbers have no order: comparisons but for equality, and extremes, are errors,
 * and so are the functions that have no complex form.
 */
#ifndef TESSERA_EWISE_H
#define TESSERA_EWISE_H

#include "tessera/array.h"
#include "tessera/scalar.h"

TESS_BEGIN_C

/* ---- Arithmetic -------------------------------------------------------------------------------------------------- */

/** x + y. */
TESS_API TESS_MUST_CHECK tess_status tess_add(tess_array *out, const tess_array *x, const tess_array *y);
/** x - y. */
TESS_API TESS_MUST_CHECK tess_status tess_sub(tess_array *out, const tess_array *x, const tess_array *y);
/** x * y. */
TESS_API TESS_MUST_CHECK tess_status tess_mul(tess_array *out, const tess_array *x, const tess_array *y);
/** x / y; of integers truncated towards 0, and 0 where y is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_div(tess_array *out, const tess_array *x, const tess_array *y);
/** x / y, in floating point also for integers. */
TESS_API TESS_MUST_CHECK tess_status tess_true_div(tess_array *out, const tess_array *x, const tess_array *y);
/** x / y rounded down; of integers 0 where y is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_floor_div(tess_array *out, const tess_array *x, const tess_array *y);
/** Rest of x / y, with the sign of x; of integers 0 where y is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_mod(tess_array *out, const tess_array *x, const tess_array *y);
/** Rest of x / y, with the sign of y; of integers 0 where y is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_floor_mod(tess_array *out, const tess_array *x, const tess_array *y);
/** x / y, but 0 where |y| is below the epsilon of the type computed in. */
TESS_API TESS_MUST_CHECK tess_status tess_div_safe(tess_array *out, const tess_array *x, const tess_array *y);
/** x to the power y; integers wrap, and 1 / x^|y| is truncated to an integer. */
TESS_API TESS_MUST_CHECK tess_status tess_pow(tess_array *out, const tess_array *x, const tess_array *y);
/** (x - y)^2. */
TESS_API TESS_MUST_CHECK tess_status tess_square_diff(tess_array *out, const tess_array *x, const tess_array *y);
/** x times the complex conjugate of y. */
TESS_API TESS_MUST_CHECK tess_status tess_mul_conj(tess_array *out, const tess_array *x, const tess_array *y);
/** x * y + z; of f32 and f64 rounded once, of complex numbers, a real one widened, with the bits of tess_mul and
 *  then tess_add. */
TESS_API TESS_MUST_CHECK tess_status tess_fma(tess_array *out, const tess_array *x, const tess_array *y,
                                              const tess_array *z);
/** (x - y) / z, but 0 where z is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_shift_scale(tess_array *out, const tess_array *x, const tess_array *y,
                                                      const tess_array *z);
/** -x. */
TESS_API TESS_MUST_CHECK tess_status tess_neg(tess_array *out, const tess_array *x);
/** Magnitude; the lowest signed integer stays itself. */
TESS_API TESS_MUST_CHECK tess_status tess_abs(tess_array *out, const tess_array *x);
/** Square of the magnitude. */
TESS_API TESS_MUST_CHECK tess_status tess_abs2(tess_array *out, const tess_array *x);
/** -1, 0 or 1; NaN of NaN; of complex z / |z|, 0 at 0. */
TESS_API TESS_MUST_CHECK tess_status tess_sign(tess_array *out, const tess_array *x);
/** x^2. */
TESS_API TESS_MUST_CHECK tess_status tess_square(tess_array *out, const tess_array *x);
/** 1 / x. */
TESS_API TESS_MUST_CHECK tess_status tess_reciprocal(tess_array *out, const tess_array *x);

/* ---- Extremes and choice ----------------------------------------------------------------------------------------- */

/** x where the condition is other than 0, y elsewhere. x and y may be of any dtype: numbers are promoted, compounds
 *  must be the same. */
TESS_API TESS_MUST_CHECK tess_status tess_where(tess_array *out, const tess_array *condition, const tess_array *x,
                                                const tess_array *y);
/** The smaller; NaN if one is NaN; of equal ones the second. */
TESS_API TESS_MUST_CHECK tess_status tess_minimum(tess_array *out, const tess_array *x, const tess_array *y);
/** The larger; NaN if one is NaN; of equal ones the second. */
TESS_API TESS_MUST_CHECK tess_status tess_maximum(tess_array *out, const tess_array *x, const tess_array *y);
/** The smaller; the other if one is NaN; -0 is below 0. */
TESS_API TESS_MUST_CHECK tess_status tess_fmin(tess_array *out, const tess_array *x, const tess_array *y);
/** The larger; the other if one is NaN; -0 is below 0. */
TESS_API TESS_MUST_CHECK tess_status tess_fmax(tess_array *out, const tess_array *x, const tess_array *y);
/** x, but at least y and, above all, at most z: clamp(5, 4, 2) is 2. An x that is NaN stays it; a limit that is NaN is
 *  none: clamp(5, NaN, 2) is 2. */
TESS_API TESS_MUST_CHECK tess_status tess_clamp(tess_array *out, const tess_array *x, const tess_array *y,
                                                const tess_array *z);

/* ---- Comparison -------------------------------------------------------------------------------------------------- */

/** x == y. */
TESS_API TESS_MUST_CHECK tess_status tess_equal(tess_array *out, const tess_array *x, const tess_array *y);
/** x != y. */
TESS_API TESS_MUST_CHECK tess_status tess_not_equal(tess_array *out, const tess_array *x, const tess_array *y);
/** x < y. */
TESS_API TESS_MUST_CHECK tess_status tess_less(tess_array *out, const tess_array *x, const tess_array *y);
/** x <= y. */
TESS_API TESS_MUST_CHECK tess_status tess_less_equal(tess_array *out, const tess_array *x, const tess_array *y);
/** x > y. */
TESS_API TESS_MUST_CHECK tess_status tess_greater(tess_array *out, const tess_array *x, const tess_array *y);
/** x >= y. */
TESS_API TESS_MUST_CHECK tess_status tess_greater_equal(tess_array *out, const tess_array *x, const tess_array *y);
/** Is x NaN? */
TESS_API TESS_MUST_CHECK tess_status tess_is_nan(tess_array *out, const tess_array *x);
/** Is x infinite? */
TESS_API TESS_MUST_CHECK tess_status tess_is_inf(tess_array *out, const tess_array *x);
/** Is x neither infinite nor NaN? */
TESS_API TESS_MUST_CHECK tess_status tess_is_finite(tess_array *out, const tess_array *x);
/** Is the sign of x negative, also of -0 and NaN? */
TESS_API TESS_MUST_CHECK tess_status tess_signbit(tess_array *out, const tess_array *x);

typedef struct tess_isclose_opts {
    double   rtol;        /* largest distance allowed, relative to |y| [1e-5, if all three are 0] */
    double   atol;        /* largest distance allowed, added to that [1e-8, if all three are 0; TESS_ZERO: 0] */
    int32_t  ulps;        /* or this many units in the last place, at most 2^30 [0] */
    int32_t  equal_nan;   /* 1: two NaNs are close [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_isclose_opts;

/** Are x and y equal within tolerances, as bool: |x - y| <= atol + rtol |y|, or |x - y| <= ulps units in the last place
 *  of the larger of |x| and |y|, in the dtype that x and y meet in (of integers 1). A tolerance that is left at 0 is
 *  none; with none at all they are NumPy's. An infinity is close to itself alone, a NaN to nothing, or, with equal_nan,
 *  to a NaN; a complex number that has either in a part counts as it. Computed in f64, with magnitudes of complex
 *  numbers; integers beyond 2^53 are rounded first. `out` is bool. */
TESS_API TESS_MUST_CHECK tess_status tess_isclose(tess_array *out, const tess_array *x, const tess_array *y,
                                                  const tess_isclose_opts *opts);
/** Are all of them? Of no elements: yes. Waits for the result. */
TESS_API TESS_MUST_CHECK tess_status tess_allclose(bool *result, const tess_array *x, const tess_array *y,
                                                   const tess_isclose_opts *opts);

/* ---- Logical and bitwise ----------------------------------------------------------------------------------------- */

/** Are both other than 0? A complex number is, where a part of it is. */
TESS_API TESS_MUST_CHECK tess_status tess_logical_and(tess_array *out, const tess_array *x, const tess_array *y);
/** Is one other than 0? */
TESS_API TESS_MUST_CHECK tess_status tess_logical_or(tess_array *out, const tess_array *x, const tess_array *y);
/** Is exactly one other than 0? */
TESS_API TESS_MUST_CHECK tess_status tess_logical_xor(tess_array *out, const tess_array *x, const tess_array *y);
/** Is x 0? */
TESS_API TESS_MUST_CHECK tess_status tess_logical_not(tess_array *out, const tess_array *x);
/** Bits that are set in both. */
TESS_API TESS_MUST_CHECK tess_status tess_bit_and(tess_array *out, const tess_array *x, const tess_array *y);
/** Bits that are set in one. */
TESS_API TESS_MUST_CHECK tess_status tess_bit_or(tess_array *out, const tess_array *x, const tess_array *y);
/** Bits that are set in exactly one. */
TESS_API TESS_MUST_CHECK tess_status tess_bit_xor(tess_array *out, const tess_array *x, const tess_array *y);
/** Every bit complemented; of bool, logical not. */
TESS_API TESS_MUST_CHECK tess_status tess_bit_not(tess_array *out, const tess_array *x);
/** x times 2^y; y is taken modulo the number of bits. */
TESS_API TESS_MUST_CHECK tess_status tess_shift_left(tess_array *out, const tess_array *x, const tess_array *y);
/** x over 2^y, rounded down; y is taken modulo the bits. */
TESS_API TESS_MUST_CHECK tess_status tess_shift_right(tess_array *out, const tess_array *x, const tess_array *y);

/* ---- Rounding ---------------------------------------------------------------------------------------------------- */

/** The next integer below. */
TESS_API TESS_MUST_CHECK tess_status tess_floor(tess_array *out, const tess_array *x);
/** The next integer above. */
TESS_API TESS_MUST_CHECK tess_status tess_ceil(tess_array *out, const tess_array *x);
/** The next integer towards 0. */
TESS_API TESS_MUST_CHECK tess_status tess_trunc(tess_array *out, const tess_array *x);
/** The nearest integer, halves away from 0. */
TESS_API TESS_MUST_CHECK tess_status tess_round(tess_array *out, const tess_array *x);
/** The nearest integer, halves to even. */
TESS_API TESS_MUST_CHECK tess_status tess_rint(tess_array *out, const tess_array *x);

/* ---- Roots, exponentials, logarithms ----------------------------------------------------------------------------- */

/** Square root. */
TESS_API TESS_MUST_CHECK tess_status tess_sqrt(tess_array *out, const tess_array *x);
/** 1 / square root. */
TESS_API TESS_MUST_CHECK tess_status tess_rsqrt(tess_array *out, const tess_array *x);
/** Cube root. */
TESS_API TESS_MUST_CHECK tess_status tess_cbrt(tess_array *out, const tess_array *x);
/** e^x. */
TESS_API TESS_MUST_CHECK tess_status tess_exp(tess_array *out, const tess_array *x);
/** 2^x. */
TESS_API TESS_MUST_CHECK tess_status tess_exp2(tess_array *out, const tess_array *x);
/** 10^x. */
TESS_API TESS_MUST_CHECK tess_status tess_exp10(tess_array *out, const tess_array *x);
/** e^x - 1, exact near 0. */
TESS_API TESS_MUST_CHECK tess_status tess_expm1(tess_array *out, const tess_array *x);
/** Natural logarithm. */
TESS_API TESS_MUST_CHECK tess_status tess_log(tess_array *out, const tess_array *x);
/** Logarithm to base 2. */
TESS_API TESS_MUST_CHECK tess_status tess_log2(tess_array *out, const tess_array *x);
/** Logarithm to base 10. */
TESS_API TESS_MUST_CHECK tess_status tess_log10(tess_array *out, const tess_array *x);
/** log(1 + x), exact near 0. */
TESS_API TESS_MUST_CHECK tess_status tess_log1p(tess_array *out, const tess_array *x);
/** log(e^x + e^y), without overflow. */
TESS_API TESS_MUST_CHECK tess_status tess_logaddexp(tess_array *out, const tess_array *x, const tess_array *y);
/** Root of x^2 + y^2, without overflow. */
TESS_API TESS_MUST_CHECK tess_status tess_hypot(tess_array *out, const tess_array *x, const tess_array *y);

/* ---- Trigonometric and others ------------------------------------------------------------------------------------ */

/** Sine of x in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_sin(tess_array *out, const tess_array *x);
/** Cosine of x in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_cos(tess_array *out, const tess_array *x);
/** Tangent of x in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_tan(tess_array *out, const tess_array *x);
/** sin(x) / x, 1 at 0: not NumPy's, which has pi in it. */
TESS_API TESS_MUST_CHECK tess_status tess_sinc(tess_array *out, const tess_array *x);
/** Inverse sine, in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_asin(tess_array *out, const tess_array *x);
/** Inverse cosine, in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_acos(tess_array *out, const tess_array *x);
/** Inverse tangent, in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_atan(tess_array *out, const tess_array *x);
/** Angle of the point with height x and width y, in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_atan2(tess_array *out, const tess_array *x, const tess_array *y);
/** Hyperbolic sine. */
TESS_API TESS_MUST_CHECK tess_status tess_sinh(tess_array *out, const tess_array *x);
/** Hyperbolic cosine. */
TESS_API TESS_MUST_CHECK tess_status tess_cosh(tess_array *out, const tess_array *x);
/** Hyperbolic tangent. */
TESS_API TESS_MUST_CHECK tess_status tess_tanh(tess_array *out, const tess_array *x);
/** Inverse hyperbolic sine. */
TESS_API TESS_MUST_CHECK tess_status tess_asinh(tess_array *out, const tess_array *x);
/** Inverse hyperbolic cosine. */
TESS_API TESS_MUST_CHECK tess_status tess_acosh(tess_array *out, const tess_array *x);
/** Inverse hyperbolic tangent. */
TESS_API TESS_MUST_CHECK tess_status tess_atanh(tess_array *out, const tess_array *x);
/** Error function. */
TESS_API TESS_MUST_CHECK tess_status tess_erf(tess_array *out, const tess_array *x);
/** 1 - error function, exact where it is small. */
TESS_API TESS_MUST_CHECK tess_status tess_erfc(tess_array *out, const tess_array *x);
/** Degrees to radians. */
TESS_API TESS_MUST_CHECK tess_status tess_deg2rad(tess_array *out, const tess_array *x);
/** Radians to degrees. */
TESS_API TESS_MUST_CHECK tess_status tess_rad2deg(tess_array *out, const tess_array *x);
/** Magnitude of x with the sign of y. */
TESS_API TESS_MUST_CHECK tess_status tess_copysign(tess_array *out, const tess_array *x, const tess_array *y);

/* ---- Complex numbers, as functions of real ones ------------------------------------------------------------------ */

/** Real part. */
TESS_API TESS_MUST_CHECK tess_status tess_real(tess_array *out, const tess_array *x);
/** Imaginary part; 0 of a real number. */
TESS_API TESS_MUST_CHECK tess_status tess_imag(tess_array *out, const tess_array *x);
/** Complex conjugate. */
TESS_API TESS_MUST_CHECK tess_status tess_conj(tess_array *out, const tess_array *x);
/** Angle in radians; of a real number 0, or pi if it is negative. */
TESS_API TESS_MUST_CHECK tess_status tess_arg(tess_array *out, const tess_array *x);
/** The complex number with parts x and y. */
TESS_API TESS_MUST_CHECK tess_status tess_complex(tess_array *out, const tess_array *x, const tess_array *y);
/** The complex number of magnitude x and angle y. */
TESS_API TESS_MUST_CHECK tess_status tess_complex_polar(tess_array *out, const tess_array *x, const tess_array *y);
/** cos(x) + i sin(x). */
TESS_API TESS_MUST_CHECK tess_status tess_cis(tess_array *out, const tess_array *x);

TESS_END_C

#endif
