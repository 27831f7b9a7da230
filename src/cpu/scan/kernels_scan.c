/* Scans (cumulative sum, product, minimum, maximum). Built once per instruction set. */
#include <float.h>
#include <string.h>

#include "cpu/scan/kernels.h"
#include "cpu/template.h"

/* ---- Sums of floats ---- */

typedef float  v2f32 __attribute__((vector_size(8)));
typedef double v2f64 __attribute__((vector_size(16)));

/* The first elements, and the second elements, of two vectors. */
#if defined(__clang__)
#define EVENS(p, q) __builtin_shufflevector(p, q, 0, 2)
#define ODDS(p, q) __builtin_shufflevector(p, q, 1, 3)
#else
typedef int64_t v2i64 __attribute__((vector_size(16)));
#define EVENS(p, q) __builtin_shuffle(p, q, (v2i64){ 0, 2 })
#define ODDS(p, q) __builtin_shuffle(p, q, (v2i64){ 1, 3 })
#endif

/* c where s is finite, else 0; by bits, since compilers do not vectorise a selection by comparison of floats. */
static inline double if_finite(double s, double c)
{
    int64_t bits[2];
    memcpy(&bits[0], &s, sizeof s);
    memcpy(&bits[1], &c, sizeof c);
    bits[1] &= -(int64_t)((bits[0] & INT64_MAX) < INT64_C(0x7ff0000000000000));
    memcpy(&c, &bits[1], sizeof c);
    return c;
}

#define T float
#define SUFFIX f32
#define COMPENSATED 0
#include "cpu/scan/sum.c.inc"

#define T double
#define SUFFIX f64
#define COMPENSATED 1
#include "cpu/scan/sum.c.inc"

/* ---- Sums of integers, products ---- */

static inline uint64_t zero(void) { return 0; }
static inline uint64_t one(void) { return 1; }
static inline uint64_t same(uint64_t x) { return x; }
static inline uint64_t add(uint64_t s, uint64_t x) { return s + x; }
static inline uint64_t multiply(uint64_t s, uint64_t x) { return s * x; }

#define T uint64_t
#define S uint64_t
#define NAME sum_u64
#define START zero
#define LOAD same
#define STORE same
#define JOIN add
#include "cpu/scan/sequential.c.inc"

#define T uint64_t
#define S uint64_t
#define NAME prod_u64
#define START one
#define LOAD same
#define STORE same
#define JOIN multiply
#include "cpu/scan/sequential.c.inc"

static inline double unit(void) { return 1; }
static inline double widen(float x) { return (double)x; }
static inline float  narrow(double x) { return (float)x; }
static inline double keep(double x) { return x; }
static inline double times(double s, double x) { return s * x; }

#define T float
#define S double
#define NAME prod_f32
#define START unit
#define LOAD widen
#define STORE narrow
#define JOIN times
#include "cpu/scan/sequential.c.inc"

#define T double
#define S double
#define NAME prod_f64
#define START unit
#define LOAD keep
#define STORE keep
#define JOIN times
#include "cpu/scan/sequential.c.inc"

/* The state starts as the first factor itself: multiplied by 1 + 0i, an infinite part would become NaN. */
typedef struct running_complex {
    double re, im, begun;
} running_complex;
typedef struct c32 {
    float re, im;
} c32;
typedef struct c64 {
    double re, im;
} c64;

static inline running_complex nothing(void) { return (running_complex){ 1, 0, 0 }; }
static inline running_complex load_c32(c32 x) { return (running_complex){ (double)x.re, (double)x.im, 1 }; }
static inline running_complex load_c64(c64 x) { return (running_complex){ x.re, x.im, 1 }; }
static inline c32             store_c32(running_complex s) { return (c32){ (float)s.re, (float)s.im }; }
static inline c64             store_c64(running_complex s) { return (c64){ s.re, s.im }; }
/* As in tess_mul; without the explicit fma, gcc 12 contracts one of two rounded products on some processors. */
static inline running_complex times_complex(running_complex s, running_complex x)
{
    const running_complex product = { __builtin_fma(s.re, x.re, -(s.im * x.im)), __builtin_fma(s.re, x.im, s.im * x.re),
                                      1 };
    return s.begun != 0 ? product : x;
}

#define T c32
#define S running_complex
#define NAME prod_c32
#define START nothing
#define LOAD load_c32
#define STORE store_c32
#define JOIN times_complex
#include "cpu/scan/sequential.c.inc"

#define T c64
#define S running_complex
#define NAME prod_c64
#define START nothing
#define LOAD load_c64
#define STORE store_c64
#define JOIN times_complex
#include "cpu/scan/sequential.c.inc"

/* ---- Minima and maxima ---- */

#define K int8_t
#define SUFFIX i8
#define MIN INT8_MIN
#define MAX INT8_MAX
#define INFINITE 0
#define QUIET_NAN 0
#include "cpu/scan/minmax.c.inc"

#define K int16_t
#define SUFFIX i16
#define MIN INT16_MIN
#define MAX INT16_MAX
#define INFINITE 0
#define QUIET_NAN 0
#include "cpu/scan/minmax.c.inc"

#define K int32_t
#define SUFFIX i32
#define MIN INT32_MIN
#define MAX INT32_MAX
#define INFINITE 0
#define QUIET_NAN 0
#include "cpu/scan/minmax.c.inc"

#define K int64_t
#define SUFFIX i64
#define MIN INT64_MIN
#define MAX INT64_MAX
#define INFINITE 0
#define QUIET_NAN 0
#include "cpu/scan/minmax.c.inc"

#define K uint8_t
#define SUFFIX u8
#define MIN 0
#define MAX UINT8_MAX
#define INFINITE 0
#define QUIET_NAN 0
#include "cpu/scan/minmax.c.inc"

#define K uint16_t
#define SUFFIX u16
#define MIN 0
#define MAX UINT16_MAX
#define INFINITE 0
#define QUIET_NAN 0
#include "cpu/scan/minmax.c.inc"

#define K uint32_t
#define SUFFIX u32
#define MIN 0
#define MAX UINT32_MAX
#define INFINITE 0
#define QUIET_NAN 0
#include "cpu/scan/minmax.c.inc"

#define K uint64_t
#define SUFFIX u64
#define MIN 0
#define MAX UINT64_MAX
#define INFINITE 0
#define QUIET_NAN 0
#include "cpu/scan/minmax.c.inc"

#define K int16_t
#define SUFFIX f16
#define MIN INT16_MIN
#define MAX INT16_MAX
#define INFINITE 0x7c00
#define QUIET_NAN 0x7e00
#include "cpu/scan/minmax.c.inc"

#define K int32_t
#define SUFFIX f32
#define MIN INT32_MIN
#define MAX INT32_MAX
#define INFINITE 0x7f800000
#define QUIET_NAN 0x7fc00000
#include "cpu/scan/minmax.c.inc"

#define K int64_t
#define SUFFIX f64
#define MIN INT64_MIN
#define MAX INT64_MAX
#define INFINITE INT64_C(0x7ff0000000000000)
#define QUIET_NAN INT64_C(0x7ff8000000000000)
#include "cpu/scan/minmax.c.inc"

#define MINMAX(dtype, suffix)                                                                                          \
    k->op[TESS__SCAN_MIN][dtype] = &scan_min_##suffix, k->op[TESS__SCAN_MAX][dtype] = &scan_max_##suffix

void TESS__FILL_KERNELS(scan, scan)(tess__scan_kernels *k);

void TESS__FILL_KERNELS(scan, scan)(tess__scan_kernels *k)
{
    const tess__scan_kernel **sum = k->op[TESS__SCAN_SUM], **prod = k->op[TESS__SCAN_PROD];
    sum[TESS_F32] = &scan_sum_f32, sum[TESS_F64] = &scan_sum_f64;
    sum[TESS_I64] = sum[TESS_U64] = &scan_sum_u64;
    prod[TESS_F32] = &scan_prod_f32, prod[TESS_F64] = &scan_prod_f64;
    prod[TESS_C32] = &scan_prod_c32, prod[TESS_C64] = &scan_prod_c64;
    prod[TESS_I64] = prod[TESS_U64] = &scan_prod_u64;
    MINMAX(TESS_BOOL, u8);
    MINMAX(TESS_I8, i8);
    MINMAX(TESS_I16, i16);
    MINMAX(TESS_I32, i32);
    MINMAX(TESS_I64, i64);
    MINMAX(TESS_U8, u8);
    MINMAX(TESS_U16, u16);
    MINMAX(TESS_U32, u32);
    MINMAX(TESS_U64, u64);
    MINMAX(TESS_F16, f16);
    MINMAX(TESS_F32, f32);
    MINMAX(TESS_F64, f64);
}
