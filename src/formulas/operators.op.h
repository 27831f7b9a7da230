/* Scalar functions of all element-wise operators: tess__do_NAME_TYPE(x, y), with the same results as the kernels.
 *
 * For C that is printed from operators. Signed overflow must wrap (-fwrapv) and products must not be contracted
 * (-ffp-contract=off), as in the kernels. bool is called b8.
 */
#ifndef TESS_FORMULAS_OPERATORS_OP_H
#define TESS_FORMULAS_OPERATORS_OP_H

#include "tessera/dtype.h"
#include "tessera/math.h"
#include "tessera/math/complex.op.h"
#include "tessera/math/f16.op.h"

/* All types, unless the includer defines TESS_ONLY, and TESS_WITH_f32 and so on for those that it needs: what is
 * compiled at run time has no time to waste. */
#ifndef TESS_ONLY
#define TESS_WITH_b8
#define TESS_WITH_i8
#define TESS_WITH_u8
#define TESS_WITH_i16
#define TESS_WITH_u16
#define TESS_WITH_i32
#define TESS_WITH_u32
#define TESS_WITH_i64
#define TESS_WITH_u64
#define TESS_WITH_f32
#define TESS_WITH_f64
#define TESS_WITH_c32
#define TESS_WITH_c64
#endif

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

#ifdef TESS_WITH_b8
#define T uint8_t
#define SUFFIX b8
#define T_BOOL 1
#define T_INT 0
#define T_UINT 0
#define T_FLOAT 0
#include "formulas/operators.op.inc"
#endif

#ifdef TESS_WITH_i8
#define T int8_t
#define U uint8_t
#define SUFFIX i8
#define T_BOOL 0
#define T_INT 1
#define T_UINT 0
#define T_FLOAT 0
#include "formulas/operators.op.inc"
#endif

#ifdef TESS_WITH_u8
#define T uint8_t
#define U uint8_t
#define SUFFIX u8
#define T_BOOL 0
#define T_INT 0
#define T_UINT 1
#define T_FLOAT 0
#include "formulas/operators.op.inc"
#endif

#ifdef TESS_WITH_i16
#define T int16_t
#define U uint16_t
#define SUFFIX i16
#define T_BOOL 0
#define T_INT 1
#define T_UINT 0
#define T_FLOAT 0
#include "formulas/operators.op.inc"
#endif

#ifdef TESS_WITH_u16
#define T uint16_t
#define U uint16_t
#define SUFFIX u16
#define T_BOOL 0
#define T_INT 0
#define T_UINT 1
#define T_FLOAT 0
#include "formulas/operators.op.inc"
#endif

#ifdef TESS_WITH_i32
#define T int32_t
#define U uint32_t
#define SUFFIX i32
#define T_BOOL 0
#define T_INT 1
#define T_UINT 0
#define T_FLOAT 0
#include "formulas/operators.op.inc"
#endif

#ifdef TESS_WITH_u32
#define T uint32_t
#define U uint32_t
#define SUFFIX u32
#define T_BOOL 0
#define T_INT 0
#define T_UINT 1
#define T_FLOAT 0
#include "formulas/operators.op.inc"
#endif

#ifdef TESS_WITH_i64
#define T int64_t
#define U uint64_t
#define SUFFIX i64
#define T_BOOL 0
#define T_INT 1
#define T_UINT 0
#define T_FLOAT 0
#include "formulas/operators.op.inc"
#endif

#ifdef TESS_WITH_u64
#define T uint64_t
#define U uint64_t
#define SUFFIX u64
#define T_BOOL 0
#define T_INT 0
#define T_UINT 1
#define T_FLOAT 0
#include "formulas/operators.op.inc"
#endif

#ifdef TESS_WITH_f32
#define T float
#define SUFFIX f32
#define C_SUFFIX c32
#define BUILTIN_SUFFIX f
#define T_EPSILON 0x1p-23f
#define T_BOOL 0
#define T_INT 0
#define T_UINT 0
#define T_FLOAT 1
#include "formulas/operators.op.inc"
#endif

#ifdef TESS_WITH_f64
#define T double
#define SUFFIX f64
#define C_SUFFIX c64
#define BUILTIN_SUFFIX
#define T_EPSILON 0x1p-52
#define T_BOOL 0
#define T_INT 0
#define T_UINT 0
#define T_FLOAT 1
#include "formulas/operators.op.inc"
#endif

/* ---- Complex numbers ---- */

#define RESULT_SAME COMPLEX_T
#define RESULT_REAL REAL_T
#define RESULT_BOOL uint8_t
#define M(name) CAT(tess__##name##_, SUFFIX)
#define COMPLEX1_SLOW(name, result, cost, function) COMPLEX1(name, result, cost, M(function)(x))

#ifdef TESS_WITH_c32
#define SUFFIX c32
#define COMPLEX_T tess_c32
#define REAL_T float
#include "formulas/complex_operators.op.inc"
#endif
#ifdef TESS_WITH_c64
#define SUFFIX c64
#define COMPLEX_T tess_c64
#define REAL_T double
#include "formulas/complex_operators.op.inc"
#endif
#undef COMPLEX1_SLOW
#undef M
#undef RESULT_SAME
#undef RESULT_REAL
#undef RESULT_BOOL

/* ---- Conversions ---- */

/* Reals to integers: clamped, NaN is 0. */
#define TESS__CLAMPED(name, T, min, max, over)                                                                         \
    TESS_FN T tess__clamped_##name(double x)                                                                           \
    {                                                                                                                  \
        return x != x ? (T)0 : x >= (over) ? (max) : x < (double)(min) ? (min) : (T)x;                                 \
    }
TESS__CLAMPED(i8, int8_t, INT8_MIN, INT8_MAX, 0x1p7)
TESS__CLAMPED(i16, int16_t, INT16_MIN, INT16_MAX, 0x1p15)
TESS__CLAMPED(i32, int32_t, INT32_MIN, INT32_MAX, 0x1p31)
TESS__CLAMPED(i64, int64_t, INT64_MIN, INT64_MAX, 0x1p63)
TESS__CLAMPED(u8, uint8_t, 0, UINT8_MAX, 0x1p8)
TESS__CLAMPED(u16, uint16_t, 0, UINT16_MAX, 0x1p16)
TESS__CLAMPED(u32, uint32_t, 0, UINT32_MAX, 0x1p32)
TESS__CLAMPED(u64, uint64_t, 0, UINT64_MAX, 0x1p64)
#undef TESS__CLAMPED

/* Half precision is held as float. */
TESS_FN float    tess__halved_f32(float x) { return tess__f16_to_f32(tess__f32_to_f16(x)); }
TESS_FN float    tess__halved_f64(double x) { return tess__f16_to_f32(tess__f64_to_f16(x)); }
TESS_FN tess_c32 tess__halved_c32(tess_c32 z)
{
    return tess__of_parts_c32(tess__halved_f32(z.re), tess__halved_f32(z.im));
}
TESS_FN tess_c32 tess__halved_c64(tess_c64 z)
{
    return tess__of_parts_c32(tess__halved_f64(z.re), tess__halved_f64(z.im));
}

/* Elements in memory as they are held, and back. */
TESS_FN uint8_t  tess__held_bool(uint8_t x) { return (uint8_t)(x != 0); }
TESS_FN float    tess__held_f16(tess_f16 x) { return tess__f16_to_f32(x.bits); }
TESS_FN tess_c32 tess__held_c16(tess_c16 z) { return tess__of_parts_c32(tess__held_f16(z.re), tess__held_f16(z.im)); }

TESS_FN tess_f16 tess__kept_f16(float x)
{
    tess_f16 half;
    half.bits = tess__f32_to_f16(x);
    return half;
}

TESS_FN tess_c16 tess__kept_c16(tess_c32 z)
{
    tess_c16 half;
    half.re = tess__kept_f16(z.re), half.im = tess__kept_f16(z.im);
    return half;
}

#undef CAT
#undef CAT_

#endif
