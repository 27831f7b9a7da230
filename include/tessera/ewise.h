/* Element-wise operations: arithmetic, comparisons, logic, rounding, functions, complex numbers.
 *
 * `out` may be exactly an input, or zeroed: then it is allocated with the shape to which the inputs broadcast. Inputs
 * may have any strides and different dtypes, and may be numbers: tess_mul(&out, &image, &tess_num(2.5)), see
 * tessera/scalar.h.
 *
 * Inputs are converted to a common dtype, as in NumPy (tess_dtype_promote); f16 and c16 are computed as f32 and c32 and
 * rounded at the end. If an operation does not support a type, it is converted: bool counts as u8, and for functions
 * such as sqrt, bool and integers of up to 16 bits become f32, wider ones f64. The result has that dtype, with three
 * exceptions. Comparisons and tests give bool; abs, abs2, real, imag and arg of complex numbers give their real type;
 * complex, complex_polar and cis give the complex type. An allocated `out` may be larger than the inputs, which
 * broadcast to it, and may have another dtype: then the result is converted as in tess_cast.
 *
 * Integers wrap on overflow. Floating-point results are bit-identical on every processor, except for the sign and
 * payload of a NaN; functions of real numbers are within 1.5 ulp in f32 and 2 ulp in f64 (docs/math.md), with the
 * special values of C's Annex F.
 *
 * A complex number multiplied or divided by a real one is (re r, im r) or (re / r, im / r), each rounded once: mul, div
 * and true_div do not convert the real operand to complex. So an infinite or NaN part does not affect the other part,
 * and zeros have the signs of these products. NumPy converts the real operand, and gives NaN where an infinite part
 * meets the imaginary 0.
 *
 * Complex numbers have no order: comparisons other than equality, and minima and maxima, are errors. So are functions
 * without a complex form.
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
/** x / y; for integers truncated towards 0, and 0 where y is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_div(tess_array *out, const tess_array *x, const tess_array *y);
/** x / y, in floating point, also for integers. */
TESS_API TESS_MUST_CHECK tess_status tess_true_div(tess_array *out, const tess_array *x, const tess_array *y);
/** x / y rounded down; for integers 0 where y is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_floor_div(tess_array *out, const tess_array *x, const tess_array *y);
/** Remainder of x / y, with the sign of x; for integers 0 where y is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_mod(tess_array *out, const tess_array *x, const tess_array *y);
/** Remainder of x / y, with the sign of y; for integers 0 where y is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_floor_mod(tess_array *out, const tess_array *x, const tess_array *y);
/** x / y, but 0 where |y| is below the epsilon of the computation type. */
TESS_API TESS_MUST_CHECK tess_status tess_div_safe(tess_array *out, const tess_array *x, const tess_array *y);
/** x to the power y; integers wrap, and 1 / x^|y| is truncated to an integer. */
TESS_API TESS_MUST_CHECK tess_status tess_pow(tess_array *out, const tess_array *x, const tess_array *y);
/** (x - y)^2. */
TESS_API TESS_MUST_CHECK tess_status tess_square_diff(tess_array *out, const tess_array *x, const tess_array *y);
/** x times the complex conjugate of y. */
TESS_API TESS_MUST_CHECK tess_status tess_mul_conj(tess_array *out, const tess_array *x, const tess_array *y);
/** x * y + z. For f32 and f64 rounded once; for complex numbers, with real operands converted to complex, bit-identical
 *  to tess_mul followed by tess_add. */
TESS_API TESS_MUST_CHECK tess_status tess_fma(tess_array *out, const tess_array *x, const tess_array *y,
                                              const tess_array *z);
/** (x - y) / z, but 0 where z is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_shift_scale(tess_array *out, const tess_array *x, const tess_array *y,
                                                      const tess_array *z);
/** -x. */
TESS_API TESS_MUST_CHECK tess_status tess_neg(tess_array *out, const tess_array *x);
/** Magnitude; the lowest signed integer is unchanged. */
TESS_API TESS_MUST_CHECK tess_status tess_abs(tess_array *out, const tess_array *x);
/** Square of the magnitude. */
TESS_API TESS_MUST_CHECK tess_status tess_abs2(tess_array *out, const tess_array *x);
/** Sign: -1, 0 or 1, and NaN for NaN; for complex numbers z / |z|, and 0 at 0. */
TESS_API TESS_MUST_CHECK tess_status tess_sign(tess_array *out, const tess_array *x);
/** x^2. */
TESS_API TESS_MUST_CHECK tess_status tess_square(tess_array *out, const tess_array *x);
/** 1 / x. */
TESS_API TESS_MUST_CHECK tess_status tess_reciprocal(tess_array *out, const tess_array *x);

/* ---- Extremes and choice ----------------------------------------------------------------------------------------- */

/** Selects x where the condition is not 0, and y elsewhere. x and y may have any dtype: numbers are promoted, compound
 *  dtypes must be equal. */
TESS_API TESS_MUST_CHECK tess_status tess_where(tess_array *out, const tess_array *condition, const tess_array *x,
                                                const tess_array *y);
/** The smaller of x and y; NaN if one is NaN; y if they are equal. */
TESS_API TESS_MUST_CHECK tess_status tess_minimum(tess_array *out, const tess_array *x, const tess_array *y);
/** The larger of x and y; NaN if one is NaN; y if they are equal. */
TESS_API TESS_MUST_CHECK tess_status tess_maximum(tess_array *out, const tess_array *x, const tess_array *y);
/** The smaller of x and y; the other if one is NaN; -0 is below 0. */
TESS_API TESS_MUST_CHECK tess_status tess_fmin(tess_array *out, const tess_array *x, const tess_array *y);
/** The larger of x and y; the other if one is NaN; -0 is below 0. */
TESS_API TESS_MUST_CHECK tess_status tess_fmax(tess_array *out, const tess_array *x, const tess_array *y);
/** Clamps x to at least y and at most z; if y exceeds z, z takes precedence: clamp(5, 4, 2) is 2. A NaN in x stays NaN;
 *  a NaN limit is ignored: clamp(5, NaN, 2) is 2. */
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
/** Tests whether x is NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_is_nan(tess_array *out, const tess_array *x);
/** Tests whether x is infinite. */
TESS_API TESS_MUST_CHECK tess_status tess_is_inf(tess_array *out, const tess_array *x);
/** Tests whether x is neither infinite nor NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_is_finite(tess_array *out, const tess_array *x);
/** Tests whether the sign of x is negative, also for -0 and NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_signbit(tess_array *out, const tess_array *x);

typedef struct tess_isclose_opts {
    double   rtol;        /* maximum difference relative to |y| [1e-5, if all three are 0] */
    double   atol;        /* maximum absolute difference, added to that [1e-8, if all three are 0; TESS_ZERO: 0] */
    int32_t  ulps;        /* alternative tolerance in units in the last place, at most 2^30 [0] */
    int32_t  equal_nan;   /* 1: two NaNs are close [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_isclose_opts;

/** Tests whether x and y are equal within tolerances: |x - y| <= atol + rtol |y|, or |x - y| <= ulps units in the last
 *  place of the larger of |x| and |y|, in the common dtype of x and y (for integers, units of 1).
 *
 *  A tolerance of 0 is not applied; if all three are 0, NumPy's are used. An infinity is close only to itself. A NaN is
 *  close to nothing, or, with equal_nan, to a NaN; a complex number with an infinity or NaN in either part counts as
 *  that. Computed in f64, with magnitudes of complex numbers; integers beyond 2^53 are rounded first. `out` is bool. */
TESS_API TESS_MUST_CHECK tess_status tess_isclose(tess_array *out, const tess_array *x, const tess_array *y,
                                                  const tess_isclose_opts *opts);
/** Tests whether all elements of x and y are equal within tolerances, as in tess_isclose; true for empty arrays.
 *  Synchronises with the device. */
TESS_API TESS_MUST_CHECK tess_status tess_allclose(bool *result, const tess_array *x, const tess_array *y,
                                                   const tess_isclose_opts *opts);

/* ---- Logical and bitwise ----------------------------------------------------------------------------------------- */

/** Tests whether both are nonzero. A complex number is nonzero if either part is. */
TESS_API TESS_MUST_CHECK tess_status tess_logical_and(tess_array *out, const tess_array *x, const tess_array *y);
/** Tests whether at least one is nonzero. */
TESS_API TESS_MUST_CHECK tess_status tess_logical_or(tess_array *out, const tess_array *x, const tess_array *y);
/** Tests whether exactly one is nonzero. */
TESS_API TESS_MUST_CHECK tess_status tess_logical_xor(tess_array *out, const tess_array *x, const tess_array *y);
/** Tests whether x is 0. */
TESS_API TESS_MUST_CHECK tess_status tess_logical_not(tess_array *out, const tess_array *x);
/** Bits set in both. */
TESS_API TESS_MUST_CHECK tess_status tess_bit_and(tess_array *out, const tess_array *x, const tess_array *y);
/** Bits set in at least one. */
TESS_API TESS_MUST_CHECK tess_status tess_bit_or(tess_array *out, const tess_array *x, const tess_array *y);
/** Bits set in exactly one. */
TESS_API TESS_MUST_CHECK tess_status tess_bit_xor(tess_array *out, const tess_array *x, const tess_array *y);
/** Complement of every bit; for bool, logical not. */
TESS_API TESS_MUST_CHECK tess_status tess_bit_not(tess_array *out, const tess_array *x);
/** x times 2^y; y is taken modulo the number of bits. */
TESS_API TESS_MUST_CHECK tess_status tess_shift_left(tess_array *out, const tess_array *x, const tess_array *y);
/** x / 2^y, rounded down; y is taken modulo the number of bits. */
TESS_API TESS_MUST_CHECK tess_status tess_shift_right(tess_array *out, const tess_array *x, const tess_array *y);

/* ---- Rounding ---------------------------------------------------------------------------------------------------- */

/** Rounds down to an integer. */
TESS_API TESS_MUST_CHECK tess_status tess_floor(tess_array *out, const tess_array *x);
/** Rounds up to an integer. */
TESS_API TESS_MUST_CHECK tess_status tess_ceil(tess_array *out, const tess_array *x);
/** Rounds towards 0 to an integer. */
TESS_API TESS_MUST_CHECK tess_status tess_trunc(tess_array *out, const tess_array *x);
/** Rounds to the nearest integer, halves away from 0. */
TESS_API TESS_MUST_CHECK tess_status tess_round(tess_array *out, const tess_array *x);
/** Rounds to the nearest integer, halves to even. */
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
/** e^x - 1, accurate near 0. */
TESS_API TESS_MUST_CHECK tess_status tess_expm1(tess_array *out, const tess_array *x);
/** Natural logarithm. */
TESS_API TESS_MUST_CHECK tess_status tess_log(tess_array *out, const tess_array *x);
/** Logarithm to base 2. */
TESS_API TESS_MUST_CHECK tess_status tess_log2(tess_array *out, const tess_array *x);
/** Logarithm to base 10. */
TESS_API TESS_MUST_CHECK tess_status tess_log10(tess_array *out, const tess_array *x);
/** log(1 + x), accurate near 0. */
TESS_API TESS_MUST_CHECK tess_status tess_log1p(tess_array *out, const tess_array *x);
/** log(e^x + e^y), without overflow. */
TESS_API TESS_MUST_CHECK tess_status tess_logaddexp(tess_array *out, const tess_array *x, const tess_array *y);
/** Square root of x^2 + y^2, without overflow. */
TESS_API TESS_MUST_CHECK tess_status tess_hypot(tess_array *out, const tess_array *x, const tess_array *y);

/* ---- Trigonometric and others ------------------------------------------------------------------------------------ */

/** Sine of x in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_sin(tess_array *out, const tess_array *x);
/** Cosine of x in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_cos(tess_array *out, const tess_array *x);
/** Tangent of x in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_tan(tess_array *out, const tess_array *x);
/** sin(x) / x, and 1 at 0; unlike NumPy's sinc, without a factor of pi. */
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
/** Complementary error function, 1 - erf(x), accurate where it is small. */
TESS_API TESS_MUST_CHECK tess_status tess_erfc(tess_array *out, const tess_array *x);
/** Converts degrees to radians. */
TESS_API TESS_MUST_CHECK tess_status tess_deg2rad(tess_array *out, const tess_array *x);
/** Converts radians to degrees. */
TESS_API TESS_MUST_CHECK tess_status tess_rad2deg(tess_array *out, const tess_array *x);
/** Magnitude of x with the sign of y. */
TESS_API TESS_MUST_CHECK tess_status tess_copysign(tess_array *out, const tess_array *x, const tess_array *y);

/* ---- Complex numbers, as functions of real ones ------------------------------------------------------------------ */

/** Real part. */
TESS_API TESS_MUST_CHECK tess_status tess_real(tess_array *out, const tess_array *x);
/** Imaginary part; 0 for a real number. */
TESS_API TESS_MUST_CHECK tess_status tess_imag(tess_array *out, const tess_array *x);
/** Complex conjugate. */
TESS_API TESS_MUST_CHECK tess_status tess_conj(tess_array *out, const tess_array *x);
/** Phase angle in radians; for a real number 0, or pi if it is negative. */
TESS_API TESS_MUST_CHECK tess_status tess_arg(tess_array *out, const tess_array *x);
/** Complex number with real part x and imaginary part y. */
TESS_API TESS_MUST_CHECK tess_status tess_complex(tess_array *out, const tess_array *x, const tess_array *y);
/** Complex number with magnitude x and angle y, in radians. */
TESS_API TESS_MUST_CHECK tess_status tess_complex_polar(tess_array *out, const tess_array *x, const tess_array *y);
/** cos(x) + i sin(x). */
TESS_API TESS_MUST_CHECK tess_status tess_cis(tess_array *out, const tess_array *x);

TESS_END_C

#endif
