/* Binary search in sorted rows, and histogram bins. Built once per instruction set. */
#include "cpu/index/kernels.h"
#include "cpu/template.h"

/* Searches that are interleaved, so that their memory accesses overlap. */
enum { LANES = 8 };
#if defined(__clang__)
#define UNROLLED_LANES _Pragma("clang loop unroll(full)")
#else
#define UNROLLED_LANES _Pragma("GCC unroll 8")
#endif

#define T int32_t
#define SUFFIX i32
#define IS_FLOAT 0
#include "cpu/index/search.c.inc"
#define T uint32_t
#define SUFFIX u32
#define IS_FLOAT 0
#include "cpu/index/search.c.inc"
#define T int64_t
#define SUFFIX i64
#define IS_FLOAT 0
#include "cpu/index/search.c.inc"
#define T uint64_t
#define SUFFIX u64
#define IS_FLOAT 0
#include "cpu/index/search.c.inc"
/* ---- Bins ---- */

#if defined(__AVX512F__)
#include <immintrin.h>

/* Edges by gather instructions; gcc 12 would emit 16 scalar loads. */
static int64_t gather_f32(int32_t *bin, const float *x, int64_t n, const float *next)
{
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i   at = _mm512_loadu_si512(bin + i);
        const __mmask16 reached =
            _mm512_cmp_ps_mask(_mm512_loadu_ps(x + i), _mm512_i32gather_ps(at, next, 4), _CMP_GE_OQ);
        _mm512_storeu_si512(bin + i, _mm512_mask_add_epi32(at, reached, at, _mm512_set1_epi32(1)));
    }
    return i;
}

static int64_t gather_f64(int32_t *bin, const double *x, int64_t n, const double *next)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256i  at = _mm256_loadu_si256((const __m256i *)(const void *)(bin + i));
        const __mmask8 reached =
            _mm512_cmp_pd_mask(_mm512_loadu_pd(x + i), _mm512_i32gather_pd(at, next, 8), _CMP_GE_OQ);
        _mm256_storeu_si256((__m256i *)(void *)(bin + i), _mm256_mask_add_epi32(at, reached, at, _mm256_set1_epi32(1)));
    }
    return i;
}
#define CORRECT_f32 gather_f32
#define CORRECT_f64 gather_f64
#else
#define CORRECT_f32(bin, x, n, next) 0
#define CORRECT_f64(bin, x, n, next) 0
#endif

#define T float
#define SUFFIX f32
#define IS_FLOAT 1
#define CORRECT CORRECT_f32
#include "cpu/index/search.c.inc"
#define T double
#define SUFFIX f64
#define IS_FLOAT 1
#define CORRECT CORRECT_f64
#include "cpu/index/search.c.inc"

void TESS__FILL_KERNELS(index, search)(tess__index_kernels *kernels)
{
    kernels->search[TESS_I32] = search_i32;
    kernels->search[TESS_U32] = search_u32;
    kernels->search[TESS_I64] = search_i64;
    kernels->search[TESS_U64] = search_u64;
    kernels->search[TESS_F32] = search_f32;
    kernels->search[TESS_F64] = search_f64;
    kernels->bins[TESS_F32] = bins_f32;
    kernels->bins[TESS_F64] = bins_f64;
}
