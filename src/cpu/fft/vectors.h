/* SIMD vectors of REAL, of REAL_SIZE bytes, for the FFT kernels. */
#ifndef TESS_CPU_FFT_VECTORS_H
#define TESS_CPU_FFT_VECTORS_H

#include <stdint.h>

#include "cpu/template.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define BYTES 64
enum { VECTORS = 1 }; /* of a real part of a block's element */
#elif defined(__AVX__)
#define BYTES 32
enum { VECTORS = 2 };
#else
#define BYTES 16
enum { VECTORS = 2 };
#endif
#define WIDTH (BYTES / REAL_SIZE)
enum { LANES = VECTORS * WIDTH, ELEMENT = 2 * LANES }; /* transforms of a block, reals of an element */
enum { PAIRS = WIDTH / 2 };                            /* complex numbers of a vector */

typedef REAL vec __attribute__((vector_size(BYTES)));
typedef REAL vec_anywhere __attribute__((vector_size(BYTES), aligned(REAL_SIZE), may_alias));

#define INLINE static inline TESS_ALWAYS_INLINE
#define TABLE static const double
#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#if REAL_SIZE == 4
typedef int32_t mask __attribute__((vector_size(BYTES)));
#else
typedef int64_t mask __attribute__((vector_size(BYTES)));
#endif
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (mask){ __VA_ARGS__ })
#endif

/* Elements of two vectors: every second one, or interleaved; those of one from behind. */
#if WIDTH == 2
#define EVEN 0, 2
#define ODD 1, 3
#define LOW 0, 2
#define HIGH 1, 3
#define REVERSED 1, 0
#elif WIDTH == 4
#define EVEN 0, 2, 4, 6
#define ODD 1, 3, 5, 7
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#define REVERSED 3, 2, 1, 0
#elif WIDTH == 8
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD 1, 3, 5, 7, 9, 11, 13, 15
#define LOW 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
#define REVERSED 7, 6, 5, 4, 3, 2, 1, 0
#else
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define REVERSED 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#endif

/* Complex numbers of two vectors, interleaved. */
#if WIDTH == 4
#define PAIRS_LOW 0, 1, 4, 5
#define PAIRS_HIGH 2, 3, 6, 7
#elif WIDTH == 8
#define PAIRS_LOW 0, 1, 8, 9, 2, 3, 10, 11
#define PAIRS_HIGH 4, 5, 12, 13, 6, 7, 14, 15
#elif WIDTH == 16
#define PAIRS_LOW 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23
#define PAIRS_HIGH 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31
#endif

/* EVEN to HIGH within 16-byte lanes, which is one instruction everywhere; deinterleaved and interleaved again, all is
 * in its first order. The order of lanes means nothing. */
#if WIDTH == 8 && REAL_SIZE == 4
#define NEAR_EVEN 0, 2, 8, 10, 4, 6, 12, 14
#define NEAR_ODD 1, 3, 9, 11, 5, 7, 13, 15
#define NEAR_LOW 0, 8, 1, 9, 4, 12, 5, 13
#define NEAR_HIGH 2, 10, 3, 11, 6, 14, 7, 15
#elif WIDTH == 16
#define NEAR_EVEN 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30
#define NEAR_ODD 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31
#define NEAR_LOW 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define NEAR_HIGH 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#elif WIDTH == 4 && REAL_SIZE == 8
#define NEAR_EVEN 0, 4, 2, 6
#define NEAR_ODD 1, 5, 3, 7
#define NEAR_LOW 0, 4, 2, 6
#define NEAR_HIGH 1, 5, 3, 7
#elif WIDTH == 8
#define NEAR_EVEN 0, 8, 2, 10, 4, 12, 6, 14
#define NEAR_ODD 1, 9, 3, 11, 5, 13, 7, 15
#define NEAR_LOW 0, 8, 2, 10, 4, 12, 6, 14
#define NEAR_HIGH 1, 9, 3, 11, 5, 13, 7, 15
#else
#define NEAR_EVEN EVEN
#define NEAR_ODD ODD
#define NEAR_LOW LOW
#define NEAR_HIGH HIGH
#endif

/* Products with one number: x s, c + x s, c - x s; fused where the processor can. */
#if defined(__aarch64__) && REAL_SIZE == 4
#define TIMES(x, s) vmulq_n_f32(x, s)
#define PLUS_TIMES(c, x, s) vfmaq_n_f32(c, x, s)
#define LESS_TIMES(c, x, s) vfmsq_n_f32(c, x, s)
#elif defined(__aarch64__)
#define TIMES(x, s) vmulq_n_f64(x, s)
#define PLUS_TIMES(c, x, s) vfmaq_n_f64(c, x, s)
#define LESS_TIMES(c, x, s) vfmsq_n_f64(c, x, s)
#elif defined(__AVX512F__) && REAL_SIZE == 4
#define TIMES(x, s) _mm512_mul_ps(x, _mm512_set1_ps(s))
#define PLUS_TIMES(c, x, s) _mm512_fmadd_ps(x, _mm512_set1_ps(s), c)
#define LESS_TIMES(c, x, s) _mm512_fnmadd_ps(x, _mm512_set1_ps(s), c)
#elif defined(__AVX512F__)
#define TIMES(x, s) _mm512_mul_pd(x, _mm512_set1_pd(s))
#define PLUS_TIMES(c, x, s) _mm512_fmadd_pd(x, _mm512_set1_pd(s), c)
#define LESS_TIMES(c, x, s) _mm512_fnmadd_pd(x, _mm512_set1_pd(s), c)
#elif defined(__FMA__) && REAL_SIZE == 4
#define TIMES(x, s) _mm256_mul_ps(x, _mm256_set1_ps(s))
#define PLUS_TIMES(c, x, s) _mm256_fmadd_ps(x, _mm256_set1_ps(s), c)
#define LESS_TIMES(c, x, s) _mm256_fnmadd_ps(x, _mm256_set1_ps(s), c)
#elif defined(__FMA__)
#define TIMES(x, s) _mm256_mul_pd(x, _mm256_set1_pd(s))
#define PLUS_TIMES(c, x, s) _mm256_fmadd_pd(x, _mm256_set1_pd(s), c)
#define LESS_TIMES(c, x, s) _mm256_fnmadd_pd(x, _mm256_set1_pd(s), c)
#else
#define TIMES(x, s) ((x) * (s))
#define PLUS_TIMES(c, x, s) ((c) + (x) * (s))
#define LESS_TIMES(c, x, s) ((c) - (x) * (s))
#endif

/* Products of two vectors: c + x y, c - x y; fused where the processor can. */
#if defined(__aarch64__) && REAL_SIZE == 4
#define PLUS_PRODUCT(c, x, y) vfmaq_f32(c, x, y)
#define LESS_PRODUCT(c, x, y) vfmsq_f32(c, x, y)
#elif defined(__aarch64__)
#define PLUS_PRODUCT(c, x, y) vfmaq_f64(c, x, y)
#define LESS_PRODUCT(c, x, y) vfmsq_f64(c, x, y)
#elif defined(__AVX512F__) && REAL_SIZE == 4
#define PLUS_PRODUCT(c, x, y) _mm512_fmadd_ps(x, y, c)
#define LESS_PRODUCT(c, x, y) _mm512_fnmadd_ps(x, y, c)
#elif defined(__AVX512F__)
#define PLUS_PRODUCT(c, x, y) _mm512_fmadd_pd(x, y, c)
#define LESS_PRODUCT(c, x, y) _mm512_fnmadd_pd(x, y, c)
#elif defined(__FMA__) && REAL_SIZE == 4
#define PLUS_PRODUCT(c, x, y) _mm256_fmadd_ps(x, y, c)
#define LESS_PRODUCT(c, x, y) _mm256_fnmadd_ps(x, y, c)
#elif defined(__FMA__)
#define PLUS_PRODUCT(c, x, y) _mm256_fmadd_pd(x, y, c)
#define LESS_PRODUCT(c, x, y) _mm256_fnmadd_pd(x, y, c)
#else
#define PLUS_PRODUCT(c, x, y) ((c) + (x) * (y))
#define LESS_PRODUCT(c, x, y) ((c) - (x) * (y))
#endif

INLINE vec  get(const void *p) { return *(const vec_anywhere *)p; }
INLINE void put(void *p, vec x) { *(vec_anywhere *)p = x; }

/* Rotate (re, im) by the twiddle factor (wr, wi); formulas/butterflies.op.h wants it too. */
INLINE void rotate(vec *re, vec *im, REAL wr, REAL wi)
{
    const vec r = *re, i = *im;
    *re = LESS_TIMES(TIMES(r, wr), i, wi);
    *im = PLUS_TIMES(TIMES(r, wi), i, wr);
}

#endif
