/* Every CPU kernel. The build compiles this file once per instruction set, with its flags and its name in TESS_ISA. */
#include "cpu/kernels.h"

#include <string.h>

#include "cpu/cast_types.h"
#include "ops/complex.op.h"
#include "ops/convert.op.h"

/* Promise: iterations do not depend on each other, since operands are disjoint or exactly the same. */
#if defined(__clang__)
#define TESS_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define TESS_IVDEP _Pragma("GCC ivdep")
#endif

/* ---- Moving and setting elements, by their size ---- */

/* Elements need only the alignment of their reals: a c16 of four bytes may lie at any even address. */
typedef uint8_t bytes1;
typedef uint16_t __attribute__((aligned(1))) bytes2;
typedef uint32_t __attribute__((aligned(1))) bytes4;
typedef uint64_t __attribute__((aligned(1))) bytes8;
typedef struct __attribute__((packed)) bytes16 {
    uint64_t low, high;
} bytes16;

#define T bytes1
#define SUFFIX 1
#include "cpu/copy.c.inc"
#define T bytes2
#define SUFFIX 2
#include "cpu/copy.c.inc"
#define T bytes4
#define SUFFIX 4
#include "cpu/copy.c.inc"
#define T bytes8
#define SUFFIX 8
#include "cpu/copy.c.inc"
#define T bytes16
#define SUFFIX 16
#include "cpu/copy.c.inc"

static void copy_any(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const int64_t size = ((const tess__element *)param)->size;
    const int64_t so = s[0] * size, sa = s[1] * size;
    if (so == size && sa == size) memcpy(p[0], p[1], (size_t)(n * size));
    else
        for (int64_t i = 0; i < n; i++) memcpy(p[0] + i * so, p[1] + i * sa, (size_t)size);
}

static void fill_any(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const tess__element *element = param;
    for (int64_t i = 0; i < n; i++) memcpy(p[0] + i * s[0] * element->size, element->bytes, (size_t)element->size);
}

#define SIZE 1
#include "cpu/transpose.c.inc"
#define SIZE 2
#include "cpu/transpose.c.inc"
#define SIZE 4
#include "cpu/transpose.c.inc"
#define SIZE 8
#include "cpu/transpose.c.inc"
#define SIZE 16
#include "cpu/transpose.c.inc"

static void fill_moves(tess__kernels *k)
{
    k->copy[0] = copy_1, k->fill[0] = fill_1, k->transpose[0] = transpose_1;
    k->copy[1] = copy_2, k->fill[1] = fill_2, k->transpose[1] = transpose_2;
    k->copy[2] = copy_4, k->fill[2] = fill_4, k->transpose[2] = transpose_4;
    k->copy[3] = copy_8, k->fill[3] = fill_8, k->transpose[3] = transpose_8;
    k->copy[4] = copy_16, k->fill[4] = fill_16, k->transpose[4] = transpose_16;
    k->copy[TESS__ANY_SIZE] = copy_any, k->fill[TESS__ANY_SIZE] = fill_any;
}

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
#include "cpu/casts_from.c.inc"
#define S i8
#include "cpu/casts_from.c.inc"
#define S i16
#include "cpu/casts_from.c.inc"
#define S i32
#include "cpu/casts_from.c.inc"
#define S i64
#include "cpu/casts_from.c.inc"
#define S u8
#include "cpu/casts_from.c.inc"
#define S u16
#include "cpu/casts_from.c.inc"
#define S u32
#include "cpu/casts_from.c.inc"
#define S u64
#include "cpu/casts_from.c.inc"
#define S f16
#include "cpu/casts_from.c.inc"
#define S f32
#include "cpu/casts_from.c.inc"
#define S f64
#include "cpu/casts_from.c.inc"

/* Rows by hand, where a measurement showed that it pays; they take the place of the plain ones. */
#if defined(__aarch64__)
#include "cpu/cast_neon.c.inc"
#elif defined(__F16C__)
#include "cpu/cast_f16c.c.inc"
#else
static void fill_hand_casts(tess__kernels *k) { (void)k; }
#endif

static void fill_casts(tess__kernels *k)
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

#define SUFFIX c16
#define C uint16_t
#define LOAD_PART(x) ((double)half_load(x))
#include "cpu/part.c.inc"
#define SUFFIX c32
#define C float
#define LOAD_PART(x) ((double)(x))
#include "cpu/part.c.inc"
#define SUFFIX c64
#define C double
#define LOAD_PART(x) (x)
#include "cpu/part.c.inc"

static void fill_parts(tess__kernels *k)
{
    k->part[TESS__ABS][0] = abs_c16, k->part[TESS__ABS][1] = abs_c32, k->part[TESS__ABS][2] = abs_c64;
    k->part[TESS__POWER][0] = power_c16, k->part[TESS__POWER][1] = power_c32, k->part[TESS__POWER][2] = power_c64;
}

void CAT(tess__kernels_, TESS_ISA)(tess__kernels *k);

void CAT(tess__kernels_, TESS_ISA)(tess__kernels *k)
{
    fill_moves(k);
    fill_casts(k);
    fill_parts(k);
}
