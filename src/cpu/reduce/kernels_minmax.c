/* Minimum, maximum, argmin and argmax. Built once per instruction set. */
#include <string.h>

#include "cpu/reduce/kernels.h"
#include "cpu/template.h"

#if defined(__aarch64__)
#include <arm_neon.h>

/* The processor's own minimum and maximum put -0 below +0 and give NaN for NaN. */
#define HAND(name, T, V, K, LOAD, MIN, MAX, DUP, REDUCE_MIN, REDUCE_MAX, MIN_KEY, MAX_KEY)                             \
    static inline K name##_key(T x)                                                                                    \
    {                                                                                                                  \
        K bits;                                                                                                        \
        memcpy(&bits, &x, sizeof bits);                                                                                \
        return bits ^ ((bits >> (8 * sizeof bits - 1)) & (MAX_KEY));                                                   \
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
        *low = l != l ? (MIN_KEY) : name##_key(l);                                                                     \
        *high = h != h ? (MAX_KEY) : name##_key(h);                                                                    \
    }
HAND(hand_f32, float, float32x4_t, int32_t, vld1q_f32, vminq_f32, vmaxq_f32, vdupq_n_f32, vminvq_f32, vmaxvq_f32,
     INT32_MIN, INT32_MAX)
HAND(hand_f64, double, float64x2_t, int64_t, vld1q_f64, vminq_f64, vmaxq_f64, vdupq_n_f64, vminvq_f64, vmaxvq_f64,
     INT64_MIN, INT64_MAX)
#endif

#if defined(__AVX512DQ__)
#include <immintrin.h>

#define EACH(v, n) _Pragma("GCC unroll 8") for (int v = 0; v < (n); v++)

/* By the processor's own minimum and maximum, which treat -0 and +0 as equal and ignore NaNs: where zero is the result,
 * the signs are searched for, and NaNs are detected on the way. False if there is a NaN. `split`: pairs of vectors from
 * four parts of the elements, interleaved, which is best from memory; otherwise consecutive vectors, which is best in
 * cache. Either way the accumulators are independent. */
#define FAST(name, T, V, K, F, MASK, LIKE)                                                                             \
    static inline bool name##_has(const K *x, int64_t n, K bits)                                                       \
    {                                                                                                                  \
        K found = 0;                                                                                                   \
        for (int64_t i = 0; i < n; i++) found |= x[i] == bits;                                                         \
        return found != 0;                                                                                             \
    }                                                                                                                  \
    static inline K name##_key(T x)                                                                                    \
    {                                                                                                                  \
        K bits;                                                                                                        \
        memcpy(&bits, &x, sizeof bits);                                                                                \
        return bits ^ ((bits >> (8 * sizeof bits - 1)) & ~((K)1 << (8 * sizeof bits - 1)));                            \
    }                                                                                                                  \
    static inline bool name(const K *keys, int64_t n, K *low, K *high, bool want_low, bool want_high, bool split)      \
    {                                                                                                                  \
        enum { N = 64 / sizeof(T), AT_ONCE = 8 };                                                                      \
        const T      *x = (const T *)(const void *)keys, infinity = (T)__builtin_inf();                                \
        const int64_t rounds = n / (AT_ONCE * N), stride = (split ? 2 * rounds : 2) * N,                               \
                      step = split ? 2 * N : AT_ONCE * N;                                                              \
        const V above = F(set1)(infinity), below = F(set1)(-infinity);                                                 \
        V       a[AT_ONCE], b[AT_ONCE];                                                                                \
        MASK    number[AT_ONCE / 2];                                                                                   \
        EACH (v, AT_ONCE) a[v] = above, b[v] = below;                                                                  \
        EACH (v, AT_ONCE / 2) number[v] = (MASK)-1;                                                                    \
        for (int64_t r = 0; r < rounds; r++) {                                                                         \
            EACH (v, AT_ONCE / 2) {                                                                                    \
                const V u = F(loadu)(x + r * step + v * stride), w = F(loadu)(x + r * step + v * stride + N);          \
                if (want_low) a[2 * v] = F(min)(u, a[2 * v]), a[2 * v + 1] = F(min)(w, a[2 * v + 1]);                  \
                if (want_high) b[2 * v] = F(max)(u, b[2 * v]), b[2 * v + 1] = F(max)(w, b[2 * v + 1]);                 \
                number[v] = LIKE(number[v], u, w, _CMP_ORD_Q);                                                         \
            }                                                                                                          \
        }                                                                                                              \
        for (int64_t i = rounds * AT_ONCE * N; i < n; i += N) {                                                        \
            const MASK there = (MASK)(n - i >= N ? -1 : (1 << (n - i)) - 1);                                           \
            const V    u = F(mask_loadu)(above, there, x + i);                                                         \
            a[0] = F(min)(u, a[0]);                                                                                    \
            b[0] = F(max)(F(mask_loadu)(below, there, x + i), b[0]);                                                   \
            number[0] = LIKE(number[0], u, u, _CMP_ORD_Q);                                                             \
        }                                                                                                              \
        if ((MASK)(number[0] & number[1] & number[2] & number[3]) != (MASK)-1) return false;                           \
        for (int h = AT_ONCE / 2; h > 0; h /= 2)                                                                       \
            EACH (v, h) a[v] = F(min)(a[v], a[v + h]), b[v] = F(max)(b[v], b[v + h]);                                  \
        const T l = F(reduce_min)(a[0]), h = F(reduce_max)(b[0]);                                                      \
        const K minus_zero = (K)1 << (8 * sizeof(K) - 1);                                                              \
        *low = !want_low ? 0 : l == 0 ? (name##_has(keys, n, minus_zero) ? -1 : 0) : name##_key(l);                    \
        *high = !want_high ? 0 : h == 0 ? (name##_has(keys, n, 0) ? 0 : -1) : name##_key(h);                           \
        return true;                                                                                                   \
    }
#define F32(name) _mm512_##name##_ps
#define F64(name) _mm512_##name##_pd
FAST(fast_f32, float, __m512, int32_t, F32, __mmask16, _mm512_mask_cmp_ps_mask)
FAST(fast_f64, double, __m512d, int64_t, F64, __mmask8, _mm512_mask_cmp_pd_mask)
#endif

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
#if defined(__aarch64__)
#define HAND_MINMAX(x, ...) hand_f32((const float *)(x), __VA_ARGS__)
#elif defined(__AVX512DQ__)
#define FAST_MINMAX fast_f32
#endif
#define SUFFIX f32
#include "cpu/reduce/minmax.c.inc"
#define T int64_t
#define MIN INT64_MIN
#define MAX INT64_MAX
#define KEY(x) ((x) ^ ((x) >> 63 & INT64_MAX))
#define KEY_INF 0x7ff0000000000000
#if defined(__aarch64__)
#define HAND_MINMAX(x, ...) hand_f64((const double *)(x), __VA_ARGS__)
#elif defined(__AVX512DQ__)
#define FAST_MINMAX fast_f64
#endif
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
