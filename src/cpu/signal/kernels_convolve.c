/* Direct convolution kernels: rows of sums with weights. Built once per instruction set.
 *
 * Sums are chains of fused operations everywhere; processors of the x86 family that have none call a function for each.
 */
#include "cpu/signal/kernels.h"
#include "cpu/template.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { BYTES = 64 };
#elif defined(__AVX__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

/* Anywhere in memory they have other names: sums of those types would not be kept in registers. */
typedef float  vf32 __attribute__((vector_size(BYTES)));
typedef double vf64 __attribute__((vector_size(BYTES)));
typedef float  uf32 __attribute__((vector_size(BYTES), aligned(4), may_alias));
typedef double uf64 __attribute__((vector_size(BYTES), aligned(8), may_alias));

/* sums += x w */
#if defined(__AVX512F__)
#define ADD_F32(sums, x, w) _mm512_fmadd_ps(x, _mm512_set1_ps(w), sums)
#define ADD_F64(sums, x, w) _mm512_fmadd_pd(x, _mm512_set1_pd(w), sums)
#elif defined(__FMA__)
#define ADD_F32(sums, x, w) _mm256_fmadd_ps(x, _mm256_set1_ps(w), sums)
#define ADD_F64(sums, x, w) _mm256_fmadd_pd(x, _mm256_set1_pd(w), sums)
#elif defined(__aarch64__)
#define ADD_F32(sums, x, w) vfmaq_n_f32(sums, x, w)
#define ADD_F64(sums, x, w) vfmaq_n_f64(sums, x, w)
#else
static inline vf32 add_f32(vf32 sums, vf32 x, float w)
{
    for (int i = 0; i < BYTES / 4; i++) sums[i] = __builtin_fmaf(x[i], w, sums[i]);
    return sums;
}
static inline vf64 add_f64(vf64 sums, vf64 x, double w)
{
    for (int i = 0; i < BYTES / 8; i++) sums[i] = __builtin_fma(x[i], w, sums[i]);
    return sums;
}
#define ADD_F32(sums, x, w) add_f32(sums, x, w)
#define ADD_F64(sums, x, w) add_f64(sums, x, w)
#endif

#define T float
#define V vf32
#define U uf32
#define ADD ADD_F32
#define FUSE __builtin_fmaf
#define SUFFIX f32
#include "cpu/signal/convolve.c.inc"
#define T double
#define V vf64
#define U uf64
#define ADD ADD_F64
#define FUSE __builtin_fma
#define SUFFIX f64
#include "cpu/signal/convolve.c.inc"

void TESS__FILL_KERNELS(signal, convolve)(tess__signal_kernels *kernels);

void TESS__FILL_KERNELS(signal, convolve)(tess__signal_kernels *kernels)
{
    kernels->convolve[0] = convolve_f32;
    kernels->convolve[1] = convolve_f64;
    kernels->convolve_complex[0] = convolve_complex_f32;
    kernels->convolve_complex[1] = convolve_complex_f64;
}
