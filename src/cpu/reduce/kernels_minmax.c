/* Minimum, maximum, argmin and argmax. Built once per instruction set. */
#include <math.h>
#include <string.h>

#include "cpu/reduce/plan/tree.h"
#include "cpu/reduce/vector.h"
#include "cpu/template.h"
#include "tessera/math/fn.h"

/* ---- Vectors of floats ----
 *
 * `lower` and `higher` of elements and the best so far are the processor's own minimum and maximum. ARM's put -0 below
 * +0 and give NaN for NaN (HONOURS_ZEROS). Those of x86 take zeros as equal and ignore a NaN in the first operand:
 * signs of 0 are searched for where 0 is the result, and `numbers` detects NaNs on the way. `lower_exactly` and
 * `higher_exactly` are as ARM's everywhere.
 */
#if defined(__aarch64__)
enum { HONOURS_ZEROS = true };
#define FLOATS(S, V, TRUTH, NUMBERS, P)                                                                                \
    typedef int8_t       truth_##S;                                                                                    \
    static inline V      lower_##S(V a, V b) { return vminq_##S(a, b); }                                               \
    static inline V      higher_##S(V a, V b) { return vmaxq_##S(a, b); }                                              \
    static inline V      lower_exactly_##S(V a, V b) { return vminq_##S(a, b); }                                       \
    static inline V      higher_exactly_##S(V a, V b) { return vmaxq_##S(a, b); }                                      \
    static inline int8_t numbers_##S(int8_t t, V a, V b) { return (void)a, (void)b, t; }
#else
enum { HONOURS_ZEROS = false };
#if defined(__AVX512F__)
#define LOWER(P) _mm512_min_##P(a, b)
#define HIGHER(P) _mm512_max_##P(a, b)
#elif defined(__AVX__)
#define LOWER(P) _mm256_min_##P(a, b)
#define HIGHER(P) _mm256_max_##P(a, b)
#elif defined(__SSE2__)
#define LOWER(P) _mm_min_##P(a, b)
#define HIGHER(P) _mm_max_##P(a, b)
#else
#define LOWER(P) (((vtruth)a & (vtruth)(a < b)) | ((vtruth)b & ~(vtruth)(a < b)))
#define HIGHER(P) (((vtruth)a & (vtruth)(a > b)) | ((vtruth)b & ~(vtruth)(a > b)))
#endif
/* Of two zeros, or a number and a NaN, either order of the operands gives another: the bits of both are -0, or NaN. */
#define FLOATS(S, V, TRUTH, NUMBERS, P)                                                                                \
    typedef TRUTH       truth_##S;                                                                                     \
    static inline V     lower_##S(V a, V b) { return (V)LOWER(P); }                                                    \
    static inline V     higher_##S(V a, V b) { return (V)HIGHER(P); }                                                  \
    static inline V     lower_exactly_##S(V a, V b) { return (V)((vtruth)lower_##S(a, b) | (vtruth)lower_##S(b, a)); } \
    static inline V     higher_exactly_##S(V a, V b) { return -lower_exactly_##S(-a, -b); }                            \
    static inline TRUTH numbers_##S(TRUTH t, V a, V b) { return (TRUTH)(t & NUMBERS); }
#endif

#if defined(__AVX512F__)
FLOATS(f32, vfull, __mmask16, _mm512_cmp_ps_mask(a, b, _CMP_ORD_Q), ps)
FLOATS(f64, vf64, __mmask8, _mm512_cmp_pd_mask(a, b, _CMP_ORD_Q), pd)
#else
FLOATS(f32, vfull, vtruth, (vtruth)((a == a) & (b == b)), ps)
FLOATS(f64, vf64, vtruth, (vtruth)((a == a) & (b == b)), pd)
#endif

/* Floats that keys stand for. */
static inline double value_of_f16(int16_t key)
{
    return (double)tess_f16_to_f32((tess_f16){ (uint16_t)(key ^ (key >> 15 & INT16_MAX)) });
}
static inline double value_of_f32(int32_t key)
{
    return (double)tess__f32_of_bits((uint32_t)(key ^ (key >> 31 & INT32_MAX)));
}
static inline double value_of_f64(int64_t key) { return tess__f64_of_bits((uint64_t)(key ^ (key >> 63 & INT64_MAX))); }

/* Integers are their own keys; in a slot, unsigned ones of 64 bits are shifted down by half their range. */
#define T uint8_t
#define MIN 0
#define MAX 1
#define KEY(x) ((uint8_t)((x) != 0))
#define SUFFIX b8
#include "cpu/reduce/minmax.c.inc"
#define T int8_t
#define MIN INT8_MIN
#define MAX INT8_MAX
#define SUFFIX i8
#include "cpu/reduce/minmax.c.inc"
#define T int16_t
#define MIN INT16_MIN
#define MAX INT16_MAX
#define SUFFIX i16
#include "cpu/reduce/minmax.c.inc"
#define T int32_t
#define MIN INT32_MIN
#define MAX INT32_MAX
#define SUFFIX i32
#include "cpu/reduce/minmax.c.inc"
#define T int64_t
#define MIN INT64_MIN
#define MAX INT64_MAX
#define SUFFIX i64
#include "cpu/reduce/minmax.c.inc"
#define T uint8_t
#define MIN 0
#define MAX UINT8_MAX
#define SUFFIX u8
#include "cpu/reduce/minmax.c.inc"
#define T uint16_t
#define MIN 0
#define MAX UINT16_MAX
#define SUFFIX u16
#include "cpu/reduce/minmax.c.inc"
#define T uint32_t
#define MIN 0
#define MAX UINT32_MAX
#define SUFFIX u32
#include "cpu/reduce/minmax.c.inc"
#define T uint64_t
#define MIN 0
#define MAX UINT64_MAX
#define WORD(k) ((int64_t)((k) ^ UINT64_C(1) << 63))
#define KEY_OF_WORD(w) ((K)(w) ^ UINT64_C(1) << 63)
#define SUFFIX u64
#include "cpu/reduce/minmax.c.inc"

/* Floats are read as integers: negative ones have all other bits inverted. */
#define T int16_t
#define MIN INT16_MIN
#define MAX INT16_MAX
#define KEY(x) ((int16_t)((x) ^ ((x) >> 15 & INT16_MAX)))
#define KEY_INF 0x7c00
#define SUFFIX f16
#include "cpu/reduce/minmax.c.inc"
#define T int32_t
#define MIN INT32_MIN
#define MAX INT32_MAX
#define KEY(x) ((x) ^ ((x) >> 31 & INT32_MAX))
#define KEY_INF 0x7f800000
#define F float
#define V vfull
#define SUFFIX f32
#include "cpu/reduce/minmax.c.inc"
#define T int64_t
#define MIN INT64_MIN
#define MAX INT64_MAX
#define KEY(x) ((x) ^ ((x) >> 63 & INT64_MAX))
#define KEY_INF 0x7ff0000000000000
#define F double
#define V vf64
#define SUFFIX f64
#include "cpu/reduce/minmax.c.inc"

void TESS__FILL_KERNELS(reduce, minmax)(tess__reduce_kernels *k);

void TESS__FILL_KERNELS(reduce, minmax)(tess__reduce_kernels *k)
{
    fill_minmax_b8(k, TESS_BOOL);
    fill_minmax_i8(k, TESS_I8);
    fill_minmax_i16(k, TESS_I16);
    fill_minmax_i32(k, TESS_I32);
    fill_minmax_i64(k, TESS_I64);
    fill_minmax_u8(k, TESS_U8);
    fill_minmax_u16(k, TESS_U16);
    fill_minmax_u32(k, TESS_U32);
    fill_minmax_u64(k, TESS_U64);
    fill_minmax_f16(k, TESS_F16);
    fill_minmax_f32(k, TESS_F32);
    fill_minmax_f64(k, TESS_F64);
}
