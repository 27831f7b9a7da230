/* Element types of operators by their names in parameter lists, and access to single elements. See
 * tessera/op_define.h. */
#ifndef TESSERA_OP_TYPE_H
#define TESSERA_OP_TYPE_H

#include "tessera/op_view.h"

/* bool may be a macro and expand to _Bool; therefore its names end in an underscore. */
/* clang-format off */
/* Name of the type. */
#define TESS__NAME_bool bool_
#define TESS__NAME__Bool bool_
#define TESS__NAME_i8 i8
#define TESS__NAME_i16 i16
#define TESS__NAME_i32 i32
#define TESS__NAME_i64 i64
#define TESS__NAME_u8 u8
#define TESS__NAME_u16 u16
#define TESS__NAME_u32 u32
#define TESS__NAME_u64 u64
#define TESS__NAME_f16 f16
#define TESS__NAME_f32 f32
#define TESS__NAME_f64 f64
#define TESS__NAME_c16 c16
#define TESS__NAME_c32 c32
#define TESS__NAME_c64 c64
#define TESS__NAME_int i32
#define TESS__NAME_float f32
#define TESS__NAME_double f64
/* Type of a value in a body. */
#define TESS__IN_BODY_bool bool
#define TESS__IN_BODY__Bool bool
#define TESS__IN_BODY_i8 int8_t
#define TESS__IN_BODY_i16 int16_t
#define TESS__IN_BODY_i32 int32_t
#define TESS__IN_BODY_i64 int64_t
#define TESS__IN_BODY_u8 uint8_t
#define TESS__IN_BODY_u16 uint16_t
#define TESS__IN_BODY_u32 uint32_t
#define TESS__IN_BODY_u64 uint64_t
#define TESS__IN_BODY_f16 float
#define TESS__IN_BODY_f32 float
#define TESS__IN_BODY_f64 double
#define TESS__IN_BODY_c16 tess_c32
#define TESS__IN_BODY_c32 tess_c32
#define TESS__IN_BODY_c64 tess_c64
#define TESS__IN_BODY_int int32_t
#define TESS__IN_BODY_float float
#define TESS__IN_BODY_double double
/* Type of an element in memory. */
#define TESS__STORED_bool uint8_t
#define TESS__STORED__Bool uint8_t
#define TESS__STORED_i8 int8_t
#define TESS__STORED_i16 int16_t
#define TESS__STORED_i32 int32_t
#define TESS__STORED_i64 int64_t
#define TESS__STORED_u8 uint8_t
#define TESS__STORED_u16 uint16_t
#define TESS__STORED_u32 uint32_t
#define TESS__STORED_u64 uint64_t
#define TESS__STORED_f16 tess_f16
#define TESS__STORED_f32 float
#define TESS__STORED_f64 double
#define TESS__STORED_c16 tess_c16
#define TESS__STORED_c32 tess_c32
#define TESS__STORED_c64 tess_c64
#define TESS__STORED_int int32_t
#define TESS__STORED_float float
#define TESS__STORED_double double
/* Type of an element in a block. */
#define TESS__HELD_bool uint8_t
#define TESS__HELD__Bool uint8_t
#define TESS__HELD_i8 int8_t
#define TESS__HELD_i16 int16_t
#define TESS__HELD_i32 int32_t
#define TESS__HELD_i64 int64_t
#define TESS__HELD_u8 uint8_t
#define TESS__HELD_u16 uint16_t
#define TESS__HELD_u32 uint32_t
#define TESS__HELD_u64 uint64_t
#define TESS__HELD_f16 float
#define TESS__HELD_f32 float
#define TESS__HELD_f64 double
#define TESS__HELD_c16 tess_c32
#define TESS__HELD_c32 tess_c32
#define TESS__HELD_c64 tess_c64
#define TESS__HELD_int int32_t
#define TESS__HELD_float float
#define TESS__HELD_double double
/* Type of a lane of sums and products. */
#define TESS__WIDE_bool uint8_t
#define TESS__WIDE__Bool uint8_t
#define TESS__WIDE_i8 int8_t
#define TESS__WIDE_i16 int16_t
#define TESS__WIDE_i32 int32_t
#define TESS__WIDE_i64 int64_t
#define TESS__WIDE_u8 uint8_t
#define TESS__WIDE_u16 uint16_t
#define TESS__WIDE_u32 uint32_t
#define TESS__WIDE_u64 uint64_t
#define TESS__WIDE_f16 double
#define TESS__WIDE_f32 double
#define TESS__WIDE_f64 double
#define TESS__WIDE_c16 tess_c64
#define TESS__WIDE_c32 tess_c64
#define TESS__WIDE_c64 tess_c64
#define TESS__WIDE_int int32_t
#define TESS__WIDE_float double
#define TESS__WIDE_double double
/* The dtype. */
#define TESS__DTYPE_bool TESS_BOOL
#define TESS__DTYPE__Bool TESS_BOOL
#define TESS__DTYPE_i8 TESS_I8
#define TESS__DTYPE_i16 TESS_I16
#define TESS__DTYPE_i32 TESS_I32
#define TESS__DTYPE_i64 TESS_I64
#define TESS__DTYPE_u8 TESS_U8
#define TESS__DTYPE_u16 TESS_U16
#define TESS__DTYPE_u32 TESS_U32
#define TESS__DTYPE_u64 TESS_U64
#define TESS__DTYPE_f16 TESS_F16
#define TESS__DTYPE_f32 TESS_F32
#define TESS__DTYPE_f64 TESS_F64
#define TESS__DTYPE_c16 TESS_C16
#define TESS__DTYPE_c32 TESS_C32
#define TESS__DTYPE_c64 TESS_C64
#define TESS__DTYPE_int TESS_I32
#define TESS__DTYPE_float TESS_F32
#define TESS__DTYPE_double TESS_F64
/* clang-format on */

typedef tess_view_bool    tess_view_bool_;
typedef tess_scatter_bool tess_scatter_bool_;

TESS_FN tess_view_bool tess__view_bool_(const void *data, const int64_t *stride, const int64_t *shape, int32_t border,
                                        int32_t number, tess_fault *fault)
{
    return tess__view_bool(data, stride, shape, border, number, fault);
}

TESS_FN tess_scatter_bool tess__scatter_bool_(void *data, const int64_t *stride, const int64_t *shape)
{
    return tess__scatter_bool(data, stride, shape);
}

/* Reads element i as a value, and writes a value to element i. */
#define TESS__GET_PUT(name, B, M, widen, narrow)                                                                       \
    TESS_FN B    tess__get_##name(const void *from, int64_t i) { return widen(((const M *)from)[i]); }                 \
    TESS_FN void tess__put_##name(void *to, int64_t i, B value) { ((M *)to)[i] = narrow(value); }
#define TESS__AS_IT_IS(x) (x)
#define TESS__NOT_ZERO(x) ((x) != 0)

TESS_FN float    tess__widen_f16_value(tess_f16 x) { return tess__f16_to_f32(x.bits); }
TESS_FN tess_f16 tess__narrow_f16_value(float x)
{
    tess_f16 half;
    half.bits = tess__f32_to_f16(x);
    return half;
}

TESS__GET_PUT(bool_, bool, uint8_t, TESS__NOT_ZERO, TESS__AS_IT_IS)
TESS__GET_PUT(i8, int8_t, int8_t, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(i16, int16_t, int16_t, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(i32, int32_t, int32_t, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(i64, int64_t, int64_t, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(u8, uint8_t, uint8_t, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(u16, uint16_t, uint16_t, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(u32, uint32_t, uint32_t, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(u64, uint64_t, uint64_t, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(f16, float, tess_f16, tess__widen_f16_value, tess__narrow_f16_value)
TESS__GET_PUT(f32, float, float, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(f64, double, double, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(c16, tess_c32, tess_c16, tess__c16_to_c32, tess__c32_to_c16)
TESS__GET_PUT(c32, tess_c32, tess_c32, TESS__AS_IT_IS, TESS__AS_IT_IS)
TESS__GET_PUT(c64, tess_c64, tess_c64, TESS__AS_IT_IS, TESS__AS_IT_IS)
#undef TESS__GET_PUT
#undef TESS__AS_IT_IS
#undef TESS__NOT_ZERO

#endif
