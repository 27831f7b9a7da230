/* GEMM and GEMV microkernels: a tile of the result in registers. Built once per instruction set.
 *
 * Each element of a tile is one chain of fused multiplications and additions, in the order of the depth, so its bits do
 * not depend on the size of tiles and vectors. Processors of the x86 family without fused operations round twice.
 */
#include <string.h>

#include "cpu/linalg/kernels.h"
#include "cpu/template.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- Vectors ---- */

#if defined(__AVX512F__)
enum { BYTES = 64, REAL_ROWS = 12, F32_VECTORS = 2, F64_VECTORS = 2 };
#elif defined(__AVX__)
enum { BYTES = 32, REAL_ROWS = 6, F32_VECTORS = 2, F64_VECTORS = 2 };
#elif defined(__aarch64__)
enum { BYTES = 16, REAL_ROWS = 8, F32_VECTORS = 2, F64_VECTORS = 3 };
#else
enum { BYTES = 16, REAL_ROWS = 6, F32_VECTORS = 2, F64_VECTORS = 2 };
#endif

/* Anywhere in memory they have other names: sums of those types would not be kept in registers. */
typedef float  vf32 __attribute__((vector_size(BYTES)));
typedef double vf64 __attribute__((vector_size(BYTES)));
typedef float  uf32 __attribute__((vector_size(BYTES), aligned(4), may_alias));
typedef double uf64 __attribute__((vector_size(BYTES), aligned(8), may_alias));

/* The chains of GEMV, of which every instruction set has as many. */
typedef float  chains_f32 __attribute__((vector_size(16)));
typedef double chains_f64 __attribute__((vector_size(16)));
typedef float  stored_f32 __attribute__((vector_size(16), aligned(4), may_alias));
typedef double stored_f64 __attribute__((vector_size(16), aligned(8), may_alias));

/* Factor i of a step: from a vector where an instruction takes one of its elements, else from memory. */
#if defined(__aarch64__)
#define LOADED(i) factors[(i) / lanes][(i) % lanes]
#else
#define LOADED(i) a[i]
#endif

/* sums += b s */
#if defined(__AVX512F__)
#define ADD_F32(sums, b, s) _mm512_fmadd_ps(b, _mm512_set1_ps(s), sums)
#define ADD_F64(sums, b, s) _mm512_fmadd_pd(b, _mm512_set1_pd(s), sums)
#elif defined(__FMA__)
#define ADD_F32(sums, b, s) _mm256_fmadd_ps(b, _mm256_set1_ps(s), sums)
#define ADD_F64(sums, b, s) _mm256_fmadd_pd(b, _mm256_set1_pd(s), sums)
#elif defined(__aarch64__)
#define ADD_F32(sums, b, s) vfmaq_n_f32(sums, b, s)
#define ADD_F64(sums, b, s) vfmaq_n_f64(sums, b, s)
#else
#define ADD_F32(sums, b, s) ((sums) + (b) * (s))
#define ADD_F64(sums, b, s) ((sums) + (b) * (s))
#endif

/* sums += x y, of chains. */
#if defined(__FMA__)
#define ADD_CHAINS_F32(sums, x, y) _mm_fmadd_ps(x, y, sums)
#define ADD_CHAINS_F64(sums, x, y) _mm_fmadd_pd(x, y, sums)
#elif defined(__aarch64__)
#define ADD_CHAINS_F32(sums, x, y) vfmaq_f32(sums, x, y)
#define ADD_CHAINS_F64(sums, x, y) vfmaq_f64(sums, x, y)
#else
#define ADD_CHAINS_F32(sums, x, y) ((sums) + (x) * (y))
#define ADD_CHAINS_F64(sums, x, y) ((sums) + (x) * (y))
#endif

/* The two of each pair exchanged. */
#define PAIRS(x, y) x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y
#if defined(__AVX512F__)
#define EXCHANGE_F32(v) ((vf32)_mm512_permute_ps(v, 0xb1))
#define EXCHANGE_F64(v) ((vf64)_mm512_permute_pd(v, 0x55))
#elif defined(__AVX__)
#define EXCHANGE_F32(v) ((vf32)_mm256_permute_ps(v, 0xb1))
#define EXCHANGE_F64(v) ((vf64)_mm256_permute_pd(v, 0x5))
#elif defined(__aarch64__)
#define EXCHANGE_F32(v) vrev64q_f32(v)
#define EXCHANGE_F64(v) vextq_f64(v, v, 1)
#else
#define EXCHANGE_F32(v) ((vf32)_mm_shuffle_ps(v, v, 0xb1))
#define EXCHANGE_F64(v) ((vf64)_mm_shuffle_pd(v, v, 1))
#endif

/* The first n numbers of a vector. */
#if defined(__AVX512F__)
#define MASK_OF(n) ((1u << (n)) - 1)
#define LOAD_PART_F32(from, mask) _mm512_maskz_loadu_ps((__mmask16)(mask), from)
#define LOAD_PART_F64(from, mask) _mm512_maskz_loadu_pd((__mmask8)(mask), from)
#define LOAD_PART_U64(from, mask) ((vu64)_mm512_maskz_loadu_epi64((__mmask8)(mask), from))
#define STORE_PART_F32(to, mask, v) _mm512_mask_storeu_ps(to, (__mmask16)(mask), v)
#define STORE_PART_F64(to, mask, v) _mm512_mask_storeu_pd(to, (__mmask8)(mask), v)
#define STORE_PART_U64(to, mask, v) _mm512_mask_storeu_epi64(to, (__mmask8)(mask), (__m512i)(v))
#endif

#if defined(__aarch64__)
/* Transpose a square of as many vectors as they have elements. */
static inline void transpose_f32(vf32 *x)
{
    const vf32 even[2] = { vzip1q_f32(x[0], x[2]), vzip1q_f32(x[1], x[3]) };
    const vf32 odd[2] = { vzip2q_f32(x[0], x[2]), vzip2q_f32(x[1], x[3]) };
    x[0] = vzip1q_f32(even[0], even[1]);
    x[1] = vzip2q_f32(even[0], even[1]);
    x[2] = vzip1q_f32(odd[0], odd[1]);
    x[3] = vzip2q_f32(odd[0], odd[1]);
}

static inline void transpose_f64(vf64 *x)
{
    const vf64 first = vzip1q_f64(x[0], x[1]);
    x[1] = vzip2q_f64(x[0], x[1]);
    x[0] = first;
}
#define HAVE_TRANSPOSE
#endif

/* Steps one after the other: mixed by the compiler, with copies between registers, they take longer. */
#if defined(__aarch64__)
#define BY_LANE
#define KEEP_ORDER(x, y) __asm__("" : "+w"(x), "+w"(y))
#endif

/* The same of single numbers. */
#if defined(__FMA__) || defined(__aarch64__)
enum { FUSED = 1 };
#define FUSE_F32(x, y, sum) __builtin_fmaf(x, y, sum)
#define FUSE_F64(x, y, sum) __builtin_fma(x, y, sum)
#else
enum { FUSED = 0 };
#define FUSE_F32(x, y, sum) ((sum) + (x) * (y))
#define FUSE_F64(x, y, sum) ((sum) + (x) * (y))
#endif

/* What becomes of the sums of a tile. */
enum { SUMS, SCALED, ADDED };

/* ---- Prefetch of the next product ---- */

/* Prefetched a little with every tile, so that it does not have to be waited for. That of large tiles is more than the
 * processor has fill buffers for, and is prefetched between their steps. */
#if defined(__AVX512F__)
#define PREFETCH_BETWEEN_STEPS true
#else
#define PREFETCH_BETWEEN_STEPS false
#endif

/* What is prefetched with one tile: `step` bytes from each matrix for a step along the depth, some every few steps. */
typedef struct next_tile {
    const char *from[3];
    int64_t     step[3], every;
} next_tile;

static inline TESS_ALWAYS_INLINE next_tile next_tile_of(const tess__matmul_unpacked *p, const void *const at[3],
                                                        int64_t tile)
{
    next_tile f = { .every = p->every };
    for (int x = 0; x < 3; x++) {
        f.from[x] = (const char *)((uintptr_t)at[x] + (uintptr_t)(p->next[x] + tile * p->prefetch[x] * 64));
        f.step[x] = p->step[x];
    }
    return f;
}

static inline TESS_ALWAYS_INLINE void prefetch_all(const next_tile *f, const tess__matmul_unpacked *p)
{
    for (int x = 0; x < 3; x++)
        for (int64_t i = 0; i < p->prefetch[x]; i++) __builtin_prefetch(f->from[x] + i * 64, 0, 2);
}

/* ---- Real numbers ---- */

#define T float
#define PARTS 1
#define ROWS REAL_ROWS
#define VECTORS F32_VECTORS
#define V vf32
#define U uf32
#define AT LOADED
#define SUFFIX f32
#define CHAINS_V chains_f32
#define CHAINS_U stored_f32
#define ADD_CHAINS ADD_CHAINS_F32
#define ADD ADD_F32
#define FUSE FUSE_F32
#define FACTOR(x) ((float)(x))
#ifdef LOAD_PART_F32
#define LOAD_PART LOAD_PART_F32
#define STORE_PART STORE_PART_F32
#endif
#include "cpu/linalg/matmul.c.inc"

#define T double
#define PARTS 1
#define ROWS REAL_ROWS
#define VECTORS F64_VECTORS
#define V vf64
#define U uf64
#define AT LOADED
#define SUFFIX f64
#define CHAINS_V chains_f64
#define CHAINS_U stored_f64
#define ADD_CHAINS ADD_CHAINS_F64
#define ADD ADD_F64
#define FUSE FUSE_F64
#define FACTOR(x) (x)
#ifdef LOAD_PART_F64
#define LOAD_PART LOAD_PART_F64
#define STORE_PART STORE_PART_F64
#endif
#include "cpu/linalg/matmul.c.inc"

#undef HAVE_TRANSPOSE

/* ---- Complex numbers ---- */

#define T float
#define PARTS 2
#define ROWS REAL_ROWS
#define VECTORS F32_VECTORS
#define V vf32
#define U uf32
#define AT LOADED
#define SUFFIX c32
#define ADD ADD_F32
#define FUSE FUSE_F32
#define FACTOR(x) ((float)(x))
#define EXCHANGE EXCHANGE_F32
#ifdef LOAD_PART_F32
#define LOAD_PART LOAD_PART_F32
#define STORE_PART STORE_PART_F32
#endif
#include "cpu/linalg/matmul.c.inc"

#define T double
#define PARTS 2
#define ROWS REAL_ROWS
#define VECTORS F64_VECTORS
#define V vf64
#define U uf64
#define AT LOADED
#define SUFFIX c64
#define ADD ADD_F64
#define FUSE FUSE_F64
#define FACTOR(x) (x)
#define EXCHANGE EXCHANGE_F64
#ifdef LOAD_PART_F64
#define LOAD_PART LOAD_PART_F64
#define STORE_PART STORE_PART_F64
#endif
#include "cpu/linalg/matmul.c.inc"

#undef BY_LANE

/* ---- Integers, which wrap ---- */

#if defined(__AVX512DQ__)
typedef uint64_t vu64 __attribute__((vector_size(BYTES)));
typedef uint64_t uu64 __attribute__((vector_size(BYTES), aligned(8), may_alias));
typedef uint64_t chains_u64 __attribute__((vector_size(16)));
typedef uint64_t stored_u64 __attribute__((vector_size(16), aligned(8), may_alias));
#else
typedef uint64_t vu64, uu64, chains_u64, stored_u64; /* there is no product of vectors */
#endif
#define ADD_U64(sums, b, s) ((sums) + (b) * (s))

#define T uint64_t
#define PARTS 1
#define ROWS 4
#define VECTORS 3
#define V vu64
#define U uu64
#define AT(i) a[i]
#define SUFFIX u64
#define CHAINS_V chains_u64
#define CHAINS_U stored_u64
#define ADD_CHAINS ADD_U64
#define ADD ADD_U64
#define FUSE(x, y, sum) ADD_U64(sum, x, y)
#define FACTOR(x) ((uint64_t)(int64_t)(x))
#ifdef LOAD_PART_U64
#define LOAD_PART LOAD_PART_U64
#define STORE_PART STORE_PART_U64
#endif
#include "cpu/linalg/matmul.c.inc"

void TESS__FILL_KERNELS(linalg, matmul)(tess__linalg_kernels *k);

void TESS__FILL_KERNELS(linalg, matmul)(tess__linalg_kernels *k)
{
    k->matmul[TESS_F32] = &matmul_f32;
    k->matmul[TESS_F64] = &matmul_f64;
    k->matmul[TESS_C32] = &matmul_c32;
    k->matmul[TESS_C64] = &matmul_c64;
    k->matmul[TESS_I64] = k->matmul[TESS_U64] = &matmul_u64;
}
