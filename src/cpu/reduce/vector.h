/* SIMD vectors of doubles, as wide as the instruction set has them, for sums whose order is fixed.
 *
 * A chunk's element i belongs to lane i % LANES: WIDTH lanes are one vector, VECTORS of them hold all. Which registers
 * that takes differs, the additions and their order do not.
 */
#ifndef TESS_CPU_REDUCE_VECTOR_H
#define TESS_CPU_REDUCE_VECTOR_H

#include <stdint.h>
#include <string.h>

#include "cpu/memory/nt_store.h"
#include "cpu/reduce/kernels.h"
#include "cpu/template.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

/* Loops over the chunks of a kernel's input: number c has n elements from element `at` on. */
#define EACH_CHUNK(in, c, at, n)                                                                                       \
    for (int64_t i_ = 0, c, at, n;                                                                                     \
         i_ * (in)->chunk < (in)->n && (c = tess__interleaved(i_, (in)->n / (in)->chunk), at = c * (in)->chunk,        \
                                       n = (in)->n - at < (in)->chunk ? (in)->n - at : (in)->chunk, true);             \
         i_++)

typedef double vf64 __attribute__((vector_size(VECTOR_BYTES)));
typedef vf64   vf64_in_memory __attribute__((aligned(8), may_alias));
typedef float  vf32 __attribute__((vector_size(VECTOR_BYTES / 2)));

enum { LANES = 32, WIDTH = VECTOR_BYTES / 8, VECTORS = LANES / WIDTH };

#define UNROLLED _Pragma("GCC unroll 16")

/* gcc 12 moves all widenings before all additions, which then wait for each other: this keeps the order. */
#if defined(__aarch64__) && !defined(__clang__)
#define KEEP_ORDER(v) __asm__ volatile("" : "+w"(v))
#else
#define KEEP_ORDER(v) ((void)0)
#endif

static inline vf64 splat(double x) { return x - (vf64){ 0 }; }

/* n vectors, n a constant, one by one: an array of them that is copied as a whole would be kept in memory. */
#define STORE_VECTORS(to, from, n)                                                                                     \
    UNROLLED for (int v_ = 0; v_ < (n); v_++) * (vf64_in_memory *)((to) + v_ * WIDTH) = (from)[v_]

/* One vector; where `nt` says so and it is aligned, by a non-temporal store. */
static inline TESS_UNUSED void put_vector(void *to, const void *vector, bool nt)
{
    if (nt && (uintptr_t)to % VECTOR_BYTES == 0) tess__nt_store_line(to, vector);
    else memcpy(to, vector, VECTOR_BYTES);
}

_Static_assert(TESS__AT_ONCE == VECTOR_BYTES, "a vector is stored at a time");

/* Lanes start at -0, the neutral element of addition. */
static inline TESS_ALWAYS_INLINE void clear_lanes(vf64 *lane)
{
    UNROLLED for (int v = 0; v < VECTORS; v++) lane[v] = splat(-0.0);
}

/* Interleaved chunks, as far as registers hold their lanes; more of them, from memory, keep the hardware prefetcher
 * active in each. */
#if VECTOR_BYTES == 64
#define INTERLEAVE 2
#define FAR_INTERLEAVE 4
#define MAX_INTERLEAVE 4
#else
#define MAX_INTERLEAVE 1
#endif

/* Floats as doubles, in one instruction: gcc 12 compiles __builtin_convertvector to five. */
static inline vf64 as_doubles(vf32 x)
{
#if defined(__AVX512F__)
    return _mm512_cvtps_pd(x);
#elif defined(__AVX__)
    return _mm256_cvtps_pd(x);
#else
    return __builtin_convertvector(x, vf64);
#endif
}

/* Two neighbouring vectors. */
static inline void load2_f64(const double *x, vf64 *low, vf64 *high)
{
    memcpy(low, x, sizeof *low);
    memcpy(high, x + WIDTH, sizeof *high);
}

static inline void load2_f32(const float *x, vf64 *low, vf64 *high)
{
#if defined(__aarch64__)
    float32x4_t both = vld1q_f32(x);
    KEEP_ORDER(both);
    *low = vcvt_f64_f32(vget_low_f32(both));
    *high = vcvt_high_f64_f32(both);
#else
    vf32 a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, x + WIDTH, sizeof b);
    *low = as_doubles(a);
    *high = as_doubles(b);
#endif
}

/* Prefetches the cache lines of `size` bytes: into L1, or into L2, where more of them stay until they are
 * needed. */
static inline TESS_ALWAYS_INLINE void prefetch_lines(const void *x, const int size, const bool near)
{
    UNROLLED for (int line = 0; line < size; line += 64)
    {
        if (near) __builtin_prefetch((const char *)x + line);
        else __builtin_prefetch((const char *)x + line, 0, 2);
    }
}

/* The same TESS__PREFETCH_DISTANCE further on. */
static inline TESS_ALWAYS_INLINE void prefetch_later(const void *x, const int size)
{
    prefetch_lines((const char *)x + TESS__PREFETCH_DISTANCE, size, TESS__PREFETCH_DISTANCE_L1);
}

/* Floats in a whole vector, */
typedef float vfull __attribute__((vector_size(VECTOR_BYTES)));

/* and as doubles. */
static inline void widen(vfull x, vf64 *low, vf64 *high)
{
#if defined(__aarch64__)
    *low = vcvt_f64_f32(vget_low_f32(x));
    *high = vcvt_high_f64_f32(x);
#elif defined(__AVX512DQ__)
    *low = _mm512_cvtps_pd(_mm512_castps512_ps256(x));
    *high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
#else
    vf32 half[2];
    memcpy(half, &x, sizeof x);
    *low = as_doubles(half[0]);
    *high = as_doubles(half[1]);
#endif
}

/* Two vectors of doubles as floats. */
static inline TESS_UNUSED vfull narrow(vf64 low, vf64 high)
{
#if defined(__aarch64__)
    return vcvt_high_f32_f64(vcvt_f32_f64(low), high);
#elif defined(__AVX512DQ__)
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
#else
    vfull      out;
    const vf32 half[2] = { __builtin_convertvector(low, vf32), __builtin_convertvector(high, vf32) };
    memcpy(&out, half, sizeof out);
    return out;
#endif
}

static inline TESS_UNUSED vf64 roots(vf64 x)
{
#if defined(__aarch64__)
    return vsqrtq_f64(x);
#elif defined(__AVX512F__)
    return _mm512_sqrt_pd(x);
#elif defined(__AVX__)
    return _mm256_sqrt_pd(x);
#elif defined(__SSE2__)
    return _mm_sqrt_pd(x);
#else
    UNROLLED for (int j = 0; j < WIDTH; j++) x[j] = __builtin_sqrt(x[j]);
    return x;
#endif
}

static inline vf64 magnitudes(vf64 x)
{
    typedef int64_t vi64 __attribute__((vector_size(VECTOR_BYTES)));
    return (vf64)((vi64)x & INT64_MAX);
}

/* A mask: lanes of a vector that are all ones are true. */
typedef int64_t vtruth __attribute__((vector_size(VECTOR_BYTES)));

/* Of lanes of 32 bits, too. */
static inline TESS_UNUSED bool are_all(vtruth x)
{
#if defined(__AVX512DQ__)
    return _mm512_movepi32_mask((__m512i)x) == 0xffff;
#elif defined(__AVX__)
    return _mm256_movemask_ps((__m256)x) == 0xff;
#else
    int64_t all = -1;
    UNROLLED for (int j = 0; j < WIDTH; j++) all &= x[j];
    return all == -1;
#endif
}

/* sum + a b, where the product is exact in a double: whether it is rounded in between makes no difference. */
static inline vf64 add_exact_product(vf64 sum, vf64 a, vf64 b)
{
#if defined(__aarch64__)
    return vfmaq_f64(sum, a, b);
#elif defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, sum);
#elif defined(__FMA__)
    return _mm256_fmadd_pd(a, b, sum);
#else
    return sum + a * b;
#endif
}

/* Tree sum of LANES / 2 lanes, by halves: l += l + 8, then + 4, … */
static inline double fold_half(const vf64 *lane)
{
    vf64   half[VECTORS / 2];
    double last[WIDTH];
    UNROLLED for (int v = 0; v < VECTORS / 2; v++) half[v] = lane[v];
    UNROLLED for (int h = VECTORS / 4; h > 0; h /= 2) { UNROLLED for (int v = 0; v < h; v++) half[v] += half[v + h]; }
    UNROLLED for (int j = 0; j < WIDTH; j++) last[j] = half[0][j];
    UNROLLED for (int h = WIDTH / 2; h > 0; h /= 2) { UNROLLED for (int j = 0; j < h; j++) last[j] += last[j + h]; }
    return last[0];
}

/* All lanes: l += l + 16, then as above. */
static inline double fold_lanes(const vf64 *lane)
{
    vf64 half[VECTORS / 2];
    UNROLLED for (int v = 0; v < VECTORS / 2; v++) half[v] = lane[v] + lane[v + VECTORS / 2];
    return fold_half(half);
}

/* Adds LANES / 2 numbers in memory to half of the lanes. */
static inline void add_half(vf64 *lane, const double *term)
{
    UNROLLED for (int v = 0; v < VECTORS / 2; v++) lane[v] += *(const vf64_in_memory *)(term + v * WIDTH);
}

/* Adds n numbers, at most LANES, to the first lanes; -0 is added to the others, which changes no sum. */
static inline void add_last(vf64 *lane, const double *term, int64_t n)
{
    UNROLLED for (int v = 0; v < VECTORS; v++)
    {
        if (v * WIDTH < n) lane[v] += *(const vf64_in_memory *)(term + v * WIDTH);
    }
}

#endif
