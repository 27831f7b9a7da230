/* Binning kernels: sums and means of blocks. Built once per instruction set. */
#include "cpu/memory/nt_store.h"
#include "cpu/resize/kernels.h"
#include "cpu/template.h"

#define T float
#define S double
#define SUFFIX f32
#define USUAL 1
#include "cpu/resize/bin.c.inc"
#define T double
#define S double
#define SUFFIX f64
#define USUAL 1
#include "cpu/resize/bin.c.inc"

#define T int8_t
#define S int64_t
#define SUFFIX i8
#define USUAL 0
#include "cpu/resize/bin.c.inc"
#define T int16_t
#define S int64_t
#define SUFFIX i16
#define USUAL 0
#include "cpu/resize/bin.c.inc"
#define T int32_t
#define S int64_t
#define SUFFIX i32
#define USUAL 1
#include "cpu/resize/bin.c.inc"
#define T uint8_t
#define S uint64_t
#define SUFFIX u8
#define USUAL 0
#include "cpu/resize/bin.c.inc"
#define T uint16_t
#define S uint64_t
#define SUFFIX u16
#define USUAL 0
#include "cpu/resize/bin.c.inc"
#define T uint32_t
#define S uint64_t
#define SUFFIX u32
#define USUAL 1
#include "cpu/resize/bin.c.inc"
#define T uint64_t
#define S uint64_t
#define SUFFIX u64
#define USUAL 1
#include "cpu/resize/bin.c.inc"

#define T int8_t
#define S int32_t
#define SUFFIX narrow_i8
#define USUAL 1
#include "cpu/resize/bin.c.inc"
#define T int16_t
#define S int32_t
#define SUFFIX narrow_i16
#define USUAL 1
#include "cpu/resize/bin.c.inc"
#define T uint8_t
#define S uint32_t
#define SUFFIX narrow_u8
#define USUAL 1
#include "cpu/resize/bin.c.inc"
#define T uint16_t
#define S uint32_t
#define SUFFIX narrow_u16
#define USUAL 1
#include "cpu/resize/bin.c.inc"

/* ---- Fused ---- */

#define begin_none(o, rows, n_rows, n, factor, scale, prefetch) 0
#if defined(__aarch64__)
#include "cpu/resize/bin_neon.c.inc"
#define begin_f32 neon_f32
#define begin_f64 neon_f64
#define begin_i8 neon_s8
#define begin_i16 neon_s16
#define begin_u8 neon_u8
#define begin_u16 neon_u16
#elif defined(__AVX512BW__) && defined(__AVX512DQ__)
#include "cpu/resize/bin_avx512.c.inc"
#define begin_f32 wide_f32
#define begin_f64 wide_f64
#define begin_i8 wide_i8
#define begin_i16 wide_i16
#define begin_u8 wide_u8
#define begin_u16 wide_u16
#define begin_sum_i8 wide_sum_i8
#define begin_sum_i16 wide_sum_i16
#define begin_sum_u8 wide_sum_u8
#define begin_sum_u16 wide_sum_u16
#else
#define begin_f32 begin_none
#define begin_f64 begin_none
#define begin_i8 begin_none
#define begin_i16 begin_none
#define begin_u8 begin_none
#define begin_u16 begin_none
#endif
#if !defined(begin_sum_i8)
#define begin_sum_i8 begin_none
#define begin_sum_i16 begin_none
#define begin_sum_u8 begin_none
#define begin_sum_u16 begin_none
#endif

/* Results computed at a time where non-temporal stores write them, of one row and of each of two halves; and the
 * prefetch distance of the halves, in bytes. */
enum { NT_BLOCK = 64, HALF_BLOCK = 32, HALF_PREFETCH = 384 };

/* Times `scale` where that is exact, else divided by it. */
#define mean_of(sum, scale, exact) ((exact) ? (double)(sum) * (scale) : (double)(sum) / (scale))
#define sum_of(sum, scale, exact) (sum)

#define T float
#define S double
#define R float
#define SUFFIX f32
#define RESULT mean_of
#define BEGIN begin_f32
#include "cpu/resize/bin_fused.c.inc"
#define T double
#define S double
#define R double
#define SUFFIX f64
#define RESULT mean_of
#define BEGIN begin_f64
#include "cpu/resize/bin_fused.c.inc"
#define T int8_t
#define S int16_t
#define R double
#define SUFFIX i8
#define RESULT mean_of
#define BEGIN begin_i8
#include "cpu/resize/bin_fused.c.inc"
#define T int16_t
#define S int32_t
#define R double
#define SUFFIX i16
#define RESULT mean_of
#define BEGIN begin_i16
#include "cpu/resize/bin_fused.c.inc"
#define T uint8_t
#define S uint16_t
#define R double
#define SUFFIX u8
#define RESULT mean_of
#define BEGIN begin_u8
#include "cpu/resize/bin_fused.c.inc"
#define T uint16_t
#define S uint32_t
#define R double
#define SUFFIX u16
#define RESULT mean_of
#define BEGIN begin_u16
#include "cpu/resize/bin_fused.c.inc"
#define T int8_t
#define S int16_t
#define R int64_t
#define SUFFIX sum_i8
#define RESULT sum_of
#define BEGIN begin_sum_i8
#include "cpu/resize/bin_fused.c.inc"
#define T int16_t
#define S int32_t
#define R int64_t
#define SUFFIX sum_i16
#define RESULT sum_of
#define BEGIN begin_sum_i16
#include "cpu/resize/bin_fused.c.inc"
#define T uint8_t
#define S uint16_t
#define R uint64_t
#define SUFFIX sum_u8
#define RESULT sum_of
#define BEGIN begin_sum_u8
#include "cpu/resize/bin_fused.c.inc"
#define T uint16_t
#define S uint32_t
#define R uint64_t
#define SUFFIX sum_u16
#define RESULT sum_of
#define BEGIN begin_sum_u16
#include "cpu/resize/bin_fused.c.inc"

void TESS__FILL_KERNELS(resize, bin)(tess__resize_kernels *kernels);

void TESS__FILL_KERNELS(resize, bin)(tess__resize_kernels *kernels)
{
    kernels->bin[TESS_F32] = bin_f32;
    kernels->bin[TESS_F64] = bin_f64;
    kernels->bin[TESS_I8] = bin_i8;
    kernels->bin[TESS_I16] = bin_i16;
    kernels->bin[TESS_I32] = bin_i32;
    kernels->bin[TESS_U8] = kernels->bin[TESS_BOOL] = bin_u8;
    kernels->bin[TESS_U16] = bin_u16;
    kernels->bin[TESS_U32] = bin_u32;
    kernels->bin[TESS_I64] = kernels->bin[TESS_U64] = bin_u64;
    kernels->bin_narrow[TESS_I8] = bin_narrow_i8;
    kernels->bin_narrow[TESS_I16] = bin_narrow_i16;
    kernels->bin_narrow[TESS_U8] = kernels->bin_narrow[TESS_BOOL] = bin_narrow_u8;
    kernels->bin_narrow[TESS_U16] = bin_narrow_u16;
    kernels->bin_direct[TESS_F32] = bin_direct_f32;
    kernels->bin_direct[TESS_F64] = bin_direct_f64;
    kernels->bin_direct[TESS_I8] = bin_direct_i8;
    kernels->bin_direct[TESS_I16] = bin_direct_i16;
    kernels->bin_direct[TESS_U8] = kernels->bin_direct[TESS_BOOL] = bin_direct_u8;
    kernels->bin_direct[TESS_U16] = bin_direct_u16;
    kernels->bin_direct_sum[TESS_I8] = bin_direct_sum_i8;
    kernels->bin_direct_sum[TESS_I16] = bin_direct_sum_i16;
    kernels->bin_direct_sum[TESS_U8] = kernels->bin_direct_sum[TESS_BOOL] = bin_direct_sum_u8;
    kernels->bin_direct_sum[TESS_U16] = bin_direct_sum_u16;
}
