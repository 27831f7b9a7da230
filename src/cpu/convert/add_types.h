/* Addition of two stored reals, by the short names of cpu/convert/cast_types.h: integers wrap, bools are or-ed. */
#ifndef TESS_CPU_CONVERT_ADD_TYPES_H
#define TESS_CPU_CONVERT_ADD_TYPES_H

#include "cpu/convert/cast_types.h"

#define ADD(t, a, b) CAT(ADD_, t)(a, b)
#define ADD_b8(a, b) ((uint8_t)((a) != 0 || (b) != 0))
#define ADD_i8(a, b) ((int8_t)((a) + (b)))
#define ADD_i16(a, b) ((int16_t)((a) + (b)))
#define ADD_i32(a, b) ((int32_t)((uint32_t)(a) + (uint32_t)(b)))
#define ADD_i64(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
#define ADD_u8(a, b) ((uint8_t)((a) + (b)))
#define ADD_u16(a, b) ((uint16_t)((a) + (b)))
#define ADD_u32(a, b) ((a) + (b))
#define ADD_u64(a, b) ((a) + (b))
#define ADD_f16(a, b) half_store(half_load(a) + half_load(b))
#define ADD_f32(a, b) ((a) + (b))
#define ADD_f64(a, b) ((a) + (b))

#define ALL_REALS(X) X(b8) X(i8) X(i16) X(i32) X(i64) X(u8) X(u16) X(u32) X(u64) X(f16) X(f32) X(f64)

#endif
