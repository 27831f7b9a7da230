/* Type traits of each real type for the cast kernels, by its short name: bool is b8, since `bool` is a macro.
 *
 * TYPE(i8) is the stored type, VALUE(f16) the type that is computed with, CLASS(i8) one of the numbers below.
 */
#ifndef TESS_CPU_CONVERT_CAST_TYPES_H
#define TESS_CPU_CONVERT_CAST_TYPES_H

#include <stdint.h>

#include "cpu/template.h"
#include "tessera/math/f16.op.h"

#define CAT4_(a, b, c, d) a##_##b##_##c##d
#define CAT4(a, b, c, d) CAT4_(a, b, c, d)

#define CLASS_BOOL 0
#define CLASS_INTEGER 1
#define CLASS_FLOAT 2

#define CLASS(t) CAT(CLASS_, t)
#define CLASS_b8 CLASS_BOOL
#define CLASS_i8 CLASS_INTEGER
#define CLASS_i16 CLASS_INTEGER
#define CLASS_i32 CLASS_INTEGER
#define CLASS_i64 CLASS_INTEGER
#define CLASS_u8 CLASS_INTEGER
#define CLASS_u16 CLASS_INTEGER
#define CLASS_u32 CLASS_INTEGER
#define CLASS_u64 CLASS_INTEGER
#define CLASS_f16 CLASS_FLOAT
#define CLASS_f32 CLASS_FLOAT
#define CLASS_f64 CLASS_FLOAT

#define TYPE(t) CAT(TYPE_, t)
#define TYPE_b8 uint8_t
#define TYPE_i8 int8_t
#define TYPE_i16 int16_t
#define TYPE_i32 int32_t
#define TYPE_i64 int64_t
#define TYPE_u8 uint8_t
#define TYPE_u16 uint16_t
#define TYPE_u32 uint32_t
#define TYPE_u64 uint64_t
#define TYPE_f16 uint16_t
#define TYPE_f32 float
#define TYPE_f64 double

#define DTYPE(t) CAT(DTYPE_, t)
#define DTYPE_b8 TESS_BOOL
#define DTYPE_i8 TESS_I8
#define DTYPE_i16 TESS_I16
#define DTYPE_i32 TESS_I32
#define DTYPE_i64 TESS_I64
#define DTYPE_u8 TESS_U8
#define DTYPE_u16 TESS_U16
#define DTYPE_u32 TESS_U32
#define DTYPE_u64 TESS_U64
#define DTYPE_f16 TESS_F16
#define DTYPE_f32 TESS_F32
#define DTYPE_f64 TESS_F64

/* The number that is stored: half precision is computed with as float, a bool is 0 or 1 whatever its byte. */
#define VALUE(t) CAT(VALUE_, t)
#define VALUE_b8 uint8_t
#define VALUE_i8 int8_t
#define VALUE_i16 int16_t
#define VALUE_i32 int32_t
#define VALUE_i64 int64_t
#define VALUE_u8 uint8_t
#define VALUE_u16 uint16_t
#define VALUE_u32 uint32_t
#define VALUE_u64 uint64_t
#define VALUE_f16 float
#define VALUE_f32 float
#define VALUE_f64 double

#define LOAD(t, x) CAT(LOAD_, t)(x)
#define LOAD_b8(x) ((uint8_t)((x) != 0))
#define LOAD_i8(x) (x)
#define LOAD_i16(x) (x)
#define LOAD_i32(x) (x)
#define LOAD_i64(x) (x)
#define LOAD_u8(x) (x)
#define LOAD_u16(x) (x)
#define LOAD_u32(x) (x)
#define LOAD_u64(x) (x)
#define LOAD_f16(x) half_load(x)
#define LOAD_f32(x) (x)
#define LOAD_f64(x) (x)

/* Half precision by the hardware where the language has a type for it whose conversions agree bit for bit. */
#if defined(__aarch64__) && defined(__ARM_FP16_FORMAT_IEEE)
static inline float half_load(uint16_t bits)
{
    __fp16 half;
    memcpy(&half, &bits, sizeof half);
    return (float)half;
}

static inline uint16_t half_store(float x)
{
    const __fp16 half = (__fp16)x;
    uint16_t     bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}
#else
static inline float    half_load(uint16_t bits) { return tess__f16_to_f32(bits); }
static inline uint16_t half_store(float x) { return tess__f32_to_f16(x); }
#endif

/* Limits of the integers. */
#define MIN(t) CAT(MIN_, t)
#define MIN_i8 INT8_MIN
#define MIN_i16 INT16_MIN
#define MIN_i32 INT32_MIN
#define MIN_i64 INT64_MIN
#define MIN_u8 0
#define MIN_u16 0
#define MIN_u32 0
#define MIN_u64 0

#define MAX(t) CAT(MAX_, t)
#define MAX_i8 INT8_MAX
#define MAX_i16 INT16_MAX
#define MAX_i32 INT32_MAX
#define MAX_i64 INT64_MAX
#define MAX_u8 UINT8_MAX
#define MAX_u16 UINT16_MAX
#define MAX_u32 UINT32_MAX
#define MAX_u64 UINT64_MAX

/* The largest float or double that is not above the integer's largest value. */
#define MAX_IN(float_type, t) CAT(CAT(MAX_IN_, float_type), CAT(_, t))
#define MAX_IN_f16_i32 0x1.fffffep30f
#define MAX_IN_f16_i64 0x1.fffffep62f
#define MAX_IN_f16_u32 0x1.fffffep31f
#define MAX_IN_f16_u64 0x1.fffffep63f
#define MAX_IN_f32_i32 0x1.fffffep30f
#define MAX_IN_f32_i64 0x1.fffffep62f
#define MAX_IN_f32_u32 0x1.fffffep31f
#define MAX_IN_f32_u64 0x1.fffffep63f
#define MAX_IN_f64_i32 2147483647.0
#define MAX_IN_f64_i64 0x1.fffffffffffffp62
#define MAX_IN_f64_u32 4294967295.0
#define MAX_IN_f64_u64 0x1.fffffffffffffp63

/* Integers of fewer than 32 bits, to which floats go through int32. */
#define NARROW(t) CAT(NARROW_, t)
#define NARROW_i8 1
#define NARROW_i16 1
#define NARROW_i32 0
#define NARROW_i64 0
#define NARROW_u8 1
#define NARROW_u16 1
#define NARROW_u32 0
#define NARROW_u64 0

#define i32_of(t, x) CAT(i32_of_, t)(x)
#define i32_of_f16(x) i32_of_f32(x)

static inline int32_t i32_of_f32(float x)
{
    const float min = -0x1p31f, max = MAX_IN_f32_i32;
    float       y = x >= min ? x : x < min ? min : 0;
    y = y <= max ? y : max;
    return x > max ? INT32_MAX : (int32_t)y;
}

static inline int32_t i32_of_f64(double x)
{
    const double min = -0x1p31, max = MAX_IN_f64_i32;
    const double y = x >= min ? x : x < min ? min : 0;
    return (int32_t)(y <= max ? y : max);
}

#endif
