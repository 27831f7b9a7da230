/* Smallest and largest elements and their places. Built once per instruction set. */
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/template.h"

#if defined(__aarch64__)
#include <arm_neon.h>

/* The processor's own minimum and maximum put -0 below +0 and give NaN for NaN. */
#define HAND(name, T, V, K, LOAD, MIN, MAX, DUP, REDUCE_MIN, REDUCE_MAX, LEAST_KEY, MOST_KEY)                          \
    static inline K name##_key(T x)                                                                                    \
    {                                                                                                                  \
        K bits;                                                                                                        \
        memcpy(&bits, &x, sizeof bits);                                                                                \
        return bits ^ ((bits >> (8 * sizeof bits - 1)) & (MOST_KEY));                                                  \
    }                                                                                                                  \
    static inline void name(const T *x, int64_t n, K *low, K *high, bool want_low, bool want_high)                     \
    {                                                                                                                  \
        enum { N = 16 / sizeof(T), STEP = 4 * N };                                                                     \
        V       a[4], b[4];                                                                                            \
        int64_t i = 0;                                                                                                 \
        for (int v = 0; v < 4; v++) a[v] = DUP((T)__builtin_inf()), b[v] = DUP(-(T)__builtin_inf());                   \
        for (; i + STEP <= n; i += STEP) {                                                                             \
            _Pragma("GCC unroll 4") for (int v = 0; v < 4; v++)                                                        \
            {                                                                                                          \
                const V u = LOAD(x + i + v * N);                                                                       \
                if (want_low) a[v] = MIN(a[v], u);                                                                     \
                if (want_high) b[v] = MAX(b[v], u);                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        for (; i < n; i++) a[0] = MIN(a[0], DUP(x[i])), b[0] = MAX(b[0], DUP(x[i]));                                   \
        const T l = REDUCE_MIN(MIN(MIN(a[0], a[1]), MIN(a[2], a[3])));                                                 \
        const T h = REDUCE_MAX(MAX(MAX(b[0], b[1]), MAX(b[2], b[3])));                                                 \
        *low = l != l ? (LEAST_KEY) : name##_key(l);                                                                   \
        *high = h != h ? (MOST_KEY) : name##_key(h);                                                                   \
    }
HAND(hand_f32, float, float32x4_t, int32_t, vld1q_f32, vminq_f32, vmaxq_f32, vdupq_n_f32, vminvq_f32, vmaxvq_f32,
     INT32_MIN, INT32_MAX)
HAND(hand_f64, double, float64x2_t, int64_t, vld1q_f64, vminq_f64, vmaxq_f64, vdupq_n_f64, vminvq_f64, vmaxvq_f64,
     INT64_MIN, INT64_MAX)
#endif

/* Integers are their own keys; as words, unsigned ones of 64 bits are moved down by half their range. */
#define T uint8_t
#define K uint8_t
#define KEY(x) ((uint8_t)((x) != 0))
#define LEAST 0
#define MOST 1
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 0
#define SUFFIX b8
#include "cpu/reduce_minmax.c.inc"
#define T int8_t
#define K int8_t
#define KEY(x) (x)
#define LEAST INT8_MIN
#define MOST INT8_MAX
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 0
#define SUFFIX i8
#include "cpu/reduce_minmax.c.inc"
#define T int16_t
#define K int16_t
#define KEY(x) (x)
#define LEAST INT16_MIN
#define MOST INT16_MAX
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 0
#define SUFFIX i16
#include "cpu/reduce_minmax.c.inc"
#define T int32_t
#define K int32_t
#define KEY(x) (x)
#define LEAST INT32_MIN
#define MOST INT32_MAX
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 0
#define SUFFIX i32
#include "cpu/reduce_minmax.c.inc"
#define T int64_t
#define K int64_t
#define KEY(x) (x)
#define LEAST INT64_MIN
#define MOST INT64_MAX
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 0
#define SUFFIX i64
#include "cpu/reduce_minmax.c.inc"
#define T uint8_t
#define K uint8_t
#define KEY(x) (x)
#define LEAST 0
#define MOST UINT8_MAX
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 0
#define SUFFIX u8
#include "cpu/reduce_minmax.c.inc"
#define T uint16_t
#define K uint16_t
#define KEY(x) (x)
#define LEAST 0
#define MOST UINT16_MAX
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 0
#define SUFFIX u16
#include "cpu/reduce_minmax.c.inc"
#define T uint32_t
#define K uint32_t
#define KEY(x) (x)
#define LEAST 0
#define MOST UINT32_MAX
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 0
#define SUFFIX u32
#include "cpu/reduce_minmax.c.inc"
#define T uint64_t
#define K uint64_t
#define KEY(x) (x)
#define LEAST 0
#define MOST UINT64_MAX
#define WORD(k) ((int64_t)((k) ^ UINT64_C(1) << 63))
#define KEY_OF_WORD(w) ((K)(w) ^ UINT64_C(1) << 63)
#define IS_FLOAT 0
#define SUFFIX u64
#include "cpu/reduce_minmax.c.inc"

/* Floats are read as integers: negative ones have all other bits inverted. */
#define T int16_t
#define K int16_t
#define KEY(x) ((int16_t)((x) ^ ((x) >> 15 & INT16_MAX)))
#define LEAST INT16_MIN
#define MOST INT16_MAX
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 1
#define KEY_INF 0x7c00
#define SUFFIX f16
#include "cpu/reduce_minmax.c.inc"
#define T int32_t
#define K int32_t
#define KEY(x) ((x) ^ ((x) >> 31 & INT32_MAX))
#define LEAST INT32_MIN
#define MOST INT32_MAX
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 1
#define KEY_INF 0x7f800000
#define SUFFIX f32
#if defined(__aarch64__)
#define HAND_EXTREMES(x, ...) hand_f32((const float *)(x), __VA_ARGS__)
#endif
#include "cpu/reduce_minmax.c.inc"
#define T int64_t
#define K int64_t
#define KEY(x) ((x) ^ ((x) >> 63 & INT64_MAX))
#define LEAST INT64_MIN
#define MOST INT64_MAX
#define WORD(k) ((int64_t)(k))
#define KEY_OF_WORD(w) ((K)(w))
#define IS_FLOAT 1
#define KEY_INF 0x7ff0000000000000
#define SUFFIX f64
#if defined(__aarch64__)
#define HAND_EXTREMES(x, ...) hand_f64((const double *)(x), __VA_ARGS__)
#endif
#include "cpu/reduce_minmax.c.inc"

void TESS__FILL_KERNELS(reduce_extremes)(tess__kernels *k);

void TESS__FILL_KERNELS(reduce_extremes)(tess__kernels *k)
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
