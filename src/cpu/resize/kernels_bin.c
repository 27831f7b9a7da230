/* Binning kernels: sums and means of blocks. Built once per instruction set. */
#include <string.h>

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

#define T float
#define S float
#define SUFFIX quads
#define USUAL 1
#include "cpu/resize/bin.c.inc"

/* ---- Fused ---- */

#define begin_none(o, rows, n_rows, n, factor, scale, prefetch) 0
#if defined(__aarch64__)
#include "cpu/resize/bin_neon.c.inc"
#define begin_f32 neon_f32
#define begin_f64 neon_f64
#define begin_quads neon_quads
#define begin_i8 neon_s8
#define begin_i16 neon_s16
#define begin_u8 neon_u8
#define begin_u16 neon_u16
#elif defined(__AVX512BW__) && defined(__AVX512DQ__)
#include "cpu/resize/bin_avx512.c.inc"
#define begin_f32 wide_f32
#define begin_f64 wide_f64
#define begin_quads wide_quads
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
#define begin_quads begin_none
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

/* ---- Two rows of two f32 numbers ---- */

typedef uint32_t words __attribute__((vector_size(16)));
typedef uint32_t stored_words __attribute__((vector_size(16), aligned(4), may_alias));

/* Adding 1 to the largest exponent, that of infinities and NaN, reaches the sign. */
#define MARKED(bits) (((bits)&0x7fffffffu) + 0x00800000u)

static bool are_finite(const float *x, int64_t n)
{
    words    seen[4] = { { 0 }, { 0 }, { 0 }, { 0 } };
    uint32_t any = 0, bits;
    int64_t  i = 0;
    for (; i + 16 <= n; i += 16) {
        UNROLL_ALL
        for (int k = 0; k < 4; k++) seen[k] |= MARKED(*(const stored_words *)(x + i + 4 * k));
    }
    const words all = seen[0] | seen[1] | seen[2] | seen[3];
    for (int k = 0; k < 4; k++) any |= all[k];
    for (; i < n; i++) {
        memcpy(&bits, x + i, sizeof bits);
        any |= MARKED(bits);
    }
    return !(any >> 31);
}

/* Results that are not finite once more, from sums of f64. */
static void again_in_f64(float *o, const char *const *rows, int n_rows, int64_t n, int64_t factor, double scale)
{
    enum { BLOCK = 64 };
    if (are_finite(o, n)) return;
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        if (are_finite(o + i, m)) continue;
        const char   *at[TESS__BIN_ROWS] = { rows[0] };
        float         wide[BLOCK];
        for (int r = 0; r < n_rows; r++) at[r] = rows[r] + i * factor * (int64_t)sizeof(float);
        means_f32[n_rows - 1][factor - 1](wide, at, m, scale, 0);
        for (int64_t j = 0; j < m; j++)
            if (!are_finite(o + i + j, 1)) o[i + j] = wide[j];
    }
}

#define quad_of(sum, scale, exact) ((exact) ? (sum) * (float)(scale) : (sum) / (float)(scale))
#define T float
#define S float
#define R float
#define SUFFIX quads
#define RESULT quad_of
#define BEGIN begin_quads
#define AGAIN again_in_f64
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
    kernels->bin_quads = bin_quads;
    kernels->bin_direct_quads = bin_direct_quads;
}
