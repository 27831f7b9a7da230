/* Cast kernels of every real type to every other, and complex magnitudes. Built once per instruction set. */
#include <string.h>

#include "cpu/convert/cast_types.h"
#include "cpu/convert/kernels.h"
#include "formulas/convert.op.h"
#include "tessera/math/f64.op.h"

/* ---- Conversions: every real type to every other ---- */

/* For #if: is a short name this one? */
#define DTYPE_IS_F16(t) (CAT(RANK_, t) == 9)
#define DTYPE_IS_F64(t) (CAT(RANK_, t) == 11)
#define RANK_b8 0
#define RANK_i8 1
#define RANK_i16 2
#define RANK_i32 3
#define RANK_i64 4
#define RANK_u8 5
#define RANK_u16 6
#define RANK_u32 7
#define RANK_u64 8
#define RANK_f16 9
#define RANK_f32 10
#define RANK_f64 11

#define S b8
#include "cpu/convert/casts_from.c.inc"
#define S i8
#include "cpu/convert/casts_from.c.inc"
#define S i16
#include "cpu/convert/casts_from.c.inc"
#define S i32
#include "cpu/convert/casts_from.c.inc"
#define S i64
#include "cpu/convert/casts_from.c.inc"
#define S u8
#include "cpu/convert/casts_from.c.inc"
#define S u16
#include "cpu/convert/casts_from.c.inc"
#define S u32
#include "cpu/convert/casts_from.c.inc"
#define S u64
#include "cpu/convert/casts_from.c.inc"
#define S f16
#include "cpu/convert/casts_from.c.inc"
#define S f32
#include "cpu/convert/casts_from.c.inc"
#define S f64
#include "cpu/convert/casts_from.c.inc"

/* Kernels by intrinsics, where a measurement showed that it pays; they replace the generic ones. */
#if defined(__aarch64__)
#include "cpu/convert/cast_neon.c.inc"
#elif defined(__F16C__)
#include "cpu/convert/cast_f16c.c.inc"
#else
static void fill_hand_casts(tess__convert_kernels *k) { (void)k; }
#endif

static void fill_casts(tess__convert_kernels *k)
{
    fill_casts_from_b8(k);
    fill_casts_from_i8(k);
    fill_casts_from_i16(k);
    fill_casts_from_i32(k);
    fill_casts_from_i64(k);
    fill_casts_from_u8(k);
    fill_casts_from_u16(k);
    fill_casts_from_u32(k);
    fill_casts_from_u64(k);
    fill_casts_from_f16(k);
    fill_casts_from_f32(k);
    fill_casts_from_f64(k);
    fill_hand_casts(k);
}

/* ---- Complex to real ---- */

static inline double sum_of_squares(double re, double im) { return re * re + im * im; }

#define SUFFIX c16
#define C uint16_t
#define LOAD_PART(x) ((double)half_load(x))
#include "cpu/convert/magnitude.c.inc"
#define SUFFIX c32
#define C float
#define LOAD_PART(x) ((double)(x))
#include "cpu/convert/magnitude.c.inc"
#define SUFFIX c64
#define C double
#define LOAD_PART(x) (x)
#include "cpu/convert/magnitude.c.inc"

static void fill_parts(tess__convert_kernels *k)
{
    k->part[TESS__ABS][0] = abs_c16, k->part[TESS__ABS][1] = abs_c32, k->part[TESS__ABS][2] = abs_c64;
    k->part[TESS__POWER][0] = power_c16, k->part[TESS__POWER][1] = power_c32, k->part[TESS__POWER][2] = power_c64;
}

void TESS__FILL_KERNELS(convert, cast)(tess__convert_kernels *k);

void TESS__FILL_KERNELS(convert, cast)(tess__convert_kernels *k)
{
    fill_casts(k);
    fill_parts(k);
}
