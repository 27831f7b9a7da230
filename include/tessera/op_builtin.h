/* The element-wise functions of tessera/ewise.h as operators: tess_call(TESS_OP_ADD, &x, &y, &z) gives what
 * tess_add(&z, &x, &y) does. Inputs may be numbers, which take on the dtype of the arrays. */
#ifndef TESSERA_OP_BUILTIN_H
#define TESSERA_OP_BUILTIN_H

#include "tessera/base.h"

TESS_BEGIN_C

typedef struct tess_op tess_op;

/* Every one: NAME, name. Made of src/ops/ewise/ewise.def by scripts/op_builtin. */
#define TESS_BUILTIN_OPS(X)                                                                                            \
    X(ADD, add)                                                                                                        \
    X(SUB, sub)                                                                                                        \
    X(MUL, mul)                                                                                                        \
    X(DIV, div)                                                                                                        \
    X(TRUE_DIV, true_div)                                                                                              \
    X(FLOOR_DIV, floor_div)                                                                                            \
    X(MOD, mod)                                                                                                        \
    X(FLOOR_MOD, floor_mod)                                                                                            \
    X(DIV_SAFE, div_safe)                                                                                              \
    X(POW, pow)                                                                                                        \
    X(SQUARE_DIFF, square_diff)                                                                                        \
    X(MUL_CONJ, mul_conj)                                                                                              \
    X(FMA, fma)                                                                                                        \
    X(SHIFT_SCALE, shift_scale)                                                                                        \
    X(NEG, neg)                                                                                                        \
    X(ABS, abs)                                                                                                        \
    X(ABS2, abs2)                                                                                                      \
    X(SIGN, sign)                                                                                                      \
    X(SQUARE, square)                                                                                                  \
    X(RECIPROCAL, reciprocal)                                                                                          \
    X(MINIMUM, minimum)                                                                                                \
    X(MAXIMUM, maximum)                                                                                                \
    X(FMIN, fmin)                                                                                                      \
    X(FMAX, fmax)                                                                                                      \
    X(CLAMP, clamp)                                                                                                    \
    X(EQUAL, equal)                                                                                                    \
    X(NOT_EQUAL, not_equal)                                                                                            \
    X(LESS, less)                                                                                                      \
    X(LESS_EQUAL, less_equal)                                                                                          \
    X(GREATER, greater)                                                                                                \
    X(GREATER_EQUAL, greater_equal)                                                                                    \
    X(IS_NAN, is_nan)                                                                                                  \
    X(IS_INF, is_inf)                                                                                                  \
    X(IS_FINITE, is_finite)                                                                                            \
    X(SIGNBIT, signbit)                                                                                                \
    X(LOGICAL_AND, logical_and)                                                                                        \
    X(LOGICAL_OR, logical_or)                                                                                          \
    X(LOGICAL_XOR, logical_xor)                                                                                        \
    X(LOGICAL_NOT, logical_not)                                                                                        \
    X(BIT_AND, bit_and)                                                                                                \
    X(BIT_OR, bit_or)                                                                                                  \
    X(BIT_XOR, bit_xor)                                                                                                \
    X(BIT_NOT, bit_not)                                                                                                \
    X(SHIFT_LEFT, shift_left)                                                                                          \
    X(SHIFT_RIGHT, shift_right)                                                                                        \
    X(FLOOR, floor)                                                                                                    \
    X(CEIL, ceil)                                                                                                      \
    X(TRUNC, trunc)                                                                                                    \
    X(ROUND, round)                                                                                                    \
    X(RINT, rint)                                                                                                      \
    X(SQRT, sqrt)                                                                                                      \
    X(RSQRT, rsqrt)                                                                                                    \
    X(CBRT, cbrt)                                                                                                      \
    X(EXP, exp)                                                                                                        \
    X(EXP2, exp2)                                                                                                      \
    X(EXP10, exp10)                                                                                                    \
    X(EXPM1, expm1)                                                                                                    \
    X(LOG, log)                                                                                                        \
    X(LOG2, log2)                                                                                                      \
    X(LOG10, log10)                                                                                                    \
    X(LOG1P, log1p)                                                                                                    \
    X(LOGADDEXP, logaddexp)                                                                                            \
    X(HYPOT, hypot)                                                                                                    \
    X(SIN, sin)                                                                                                        \
    X(COS, cos)                                                                                                        \
    X(TAN, tan)                                                                                                        \
    X(SINC, sinc)                                                                                                      \
    X(ASIN, asin)                                                                                                      \
    X(ACOS, acos)                                                                                                      \
    X(ATAN, atan)                                                                                                      \
    X(ATAN2, atan2)                                                                                                    \
    X(SINH, sinh)                                                                                                      \
    X(COSH, cosh)                                                                                                      \
    X(TANH, tanh)                                                                                                      \
    X(ASINH, asinh)                                                                                                    \
    X(ACOSH, acosh)                                                                                                    \
    X(ATANH, atanh)                                                                                                    \
    X(ERF, erf)                                                                                                        \
    X(ERFC, erfc)                                                                                                      \
    X(DEG2RAD, deg2rad)                                                                                                \
    X(RAD2DEG, rad2deg)                                                                                                \
    X(COPYSIGN, copysign)                                                                                              \
    X(REAL, real)                                                                                                      \
    X(IMAG, imag)                                                                                                      \
    X(CONJ, conj)                                                                                                      \
    X(ARG, arg)                                                                                                        \
    X(COMPLEX, complex)                                                                                                \
    X(COMPLEX_POLAR, complex_polar)                                                                                    \
    X(CIS, cis)

#define TESS_BUILTIN_OP_(NAME, name) TESS_API extern const tess_op *const TESS_OP_##NAME;
TESS_BUILTIN_OPS(TESS_BUILTIN_OP_)
#undef TESS_BUILTIN_OP_

TESS_END_C

#endif
