/* Element-wise operators of bool and the integers. Built once per instruction set. */
#include "cpu/ewise/operators.h"

#define T uint8_t
#define SUFFIX b8
#define DTYPE TESS_BOOL
#define T_BOOL 1
#define T_INT 0
#define T_UINT 0
#define T_FLOAT 0
#include "cpu/ewise/operators.c.inc"

#define T int8_t
#define U uint8_t
#define SUFFIX i8
#define DTYPE TESS_I8
#define T_BOOL 0
#define T_INT 1
#define T_UINT 0
#define T_FLOAT 0
#include "cpu/ewise/operators.c.inc"

#define T uint8_t
#define U uint8_t
#define SUFFIX u8
#define DTYPE TESS_U8
#define SIGNED_DTYPE TESS_I8
#define T_BOOL 0
#define T_INT 0
#define T_UINT 1
#define T_FLOAT 0
#include "cpu/ewise/operators.c.inc"

#define T int16_t
#define U uint16_t
#define SUFFIX i16
#define DTYPE TESS_I16
#define T_BOOL 0
#define T_INT 1
#define T_UINT 0
#define T_FLOAT 0
#include "cpu/ewise/operators.c.inc"

#define T uint16_t
#define U uint16_t
#define SUFFIX u16
#define DTYPE TESS_U16
#define SIGNED_DTYPE TESS_I16
#define T_BOOL 0
#define T_INT 0
#define T_UINT 1
#define T_FLOAT 0
#include "cpu/ewise/operators.c.inc"

#define T int32_t
#define U uint32_t
#define SUFFIX i32
#define DTYPE TESS_I32
#define T_BOOL 0
#define T_INT 1
#define T_UINT 0
#define T_FLOAT 0
#include "cpu/ewise/operators.c.inc"

#define T uint32_t
#define U uint32_t
#define SUFFIX u32
#define DTYPE TESS_U32
#define SIGNED_DTYPE TESS_I32
#define T_BOOL 0
#define T_INT 0
#define T_UINT 1
#define T_FLOAT 0
#include "cpu/ewise/operators.c.inc"

#define T int64_t
#define U uint64_t
#define SUFFIX i64
#define DTYPE TESS_I64
#define T_BOOL 0
#define T_INT 1
#define T_UINT 0
#define T_FLOAT 0
#include "cpu/ewise/operators.c.inc"

#define T uint64_t
#define U uint64_t
#define SUFFIX u64
#define DTYPE TESS_U64
#define SIGNED_DTYPE TESS_I64
#define T_BOOL 0
#define T_INT 0
#define T_UINT 1
#define T_FLOAT 0
#include "cpu/ewise/operators.c.inc"

void TESS__FILL_KERNELS(ewise, integer)(tess__ewise_kernels *k);

void TESS__FILL_KERNELS(ewise, integer)(tess__ewise_kernels *k)
{
    fill_operators_b8(k);
    fill_operators_i8(k);
    fill_operators_u8(k);
    fill_operators_i16(k);
    fill_operators_u16(k);
    fill_operators_i32(k);
    fill_operators_u32(k);
    fill_operators_i64(k);
    fill_operators_u64(k);
}
