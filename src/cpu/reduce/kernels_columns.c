/* Sums, variances, minima and maxima of adjacent columns of floats, row by row. Built once per instruction set. */
#include <math.h>

#include "cpu/memory/nt_store.h"
#include "cpu/reduce/kernels.h"
#include "cpu/reduce/variance.h"
#include "cpu/reduce/vector.h"
#include "cpu/template.h"
#include "tessera/math/fn.h"

enum {
    GROUP = 64,          /* rows that are added one after the other */
    COLUMN_BLOCK = 512,  /* columns of a block: their sums stay in cache, and memory is read in long runs */
    SHORT_ROWS = 16,     /* up to which each row is one stream through all blocks, which can be narrow */
    NARROW_BYTES = 1024, /* of a row */
    ROW_BATCH = 8,       /* more, a power of 2 from each other, would evict each other from the cache */
    MAX_VECTORS = 8,     /* of results that are computed in registers */
    PREFETCH_BYTES = 512 /* prefetch distance in each of them */
};

/* What is added up: sums, alone or of products; and with sums those of squares, or of distances and their squares. */
enum { SUMS, PRODUCTS, SQUARES, DISTANCES };

/* Of the columns of a block: sums of elements, and sums of distances from the pivot and of their squares. */
typedef struct moments {
    double *sum, *s1, *s2;
} moments;

/* The same of two vectors of columns. */
typedef struct column_lanes {
    vf64 sum[2], s1[2], s2[2], pivot[2];
} column_lanes;

/* The kernels' workspace: moments of a block, of one group of its rows, and those computed again. */
typedef struct workspace {
    const void *x[TESS__CHUNK], *y[TESS__CHUNK];
    double      to[3][COLUMN_BLOCK], group[3][COLUMN_BLOCK], again[3][COLUMN_BLOCK];
    double      pivot[COLUMN_BLOCK], mean[COLUMN_BLOCK];
} workspace;

_Static_assert(sizeof(workspace) <= TESS__COLUMNS_WORKSPACE, "callers provide as much");
_Static_assert(2 * COLUMN_BLOCK >= TESS__CHUNK, "two arrays hold a column");

#define STORE_TWO(to, a, b) (*(vf64_in_memory *)(to) = (a), *(vf64_in_memory *)((to) + WIDTH) = (b))

/* Canonical NaN: the sign and payload of NaNs of sums depend on the processor. */
static inline double canonical_nan(double x) { return x == x ? x : (double)NAN; }

/* If so, a product with the inverse is the quotient, bit for bit. */
static inline bool is_power_of_2(double x) { return x >= 1 && x <= 0x1p52 && ((int64_t)x & ((int64_t)x - 1)) == 0; }

/* True if results of this many bytes are whole cache lines. */
static inline bool are_lines(const void *out, size_t bytes) { return (uintptr_t)out % 64 == 0 && bytes % 64 == 0; }

/* tess__pivot_of, of finite means. */
static inline vf64 pivots_of(vf64 mean, vf64 first)
{
    return chosen((vtruth)(magnitudes(mean - first) > splat(0x1p-40) * magnitudes(first)), mean, first);
}

_Static_assert(TESS__AT_ONCE == VECTOR_BYTES, "a vector is written at once");

static inline void put_vector(void *to, const void *vector, bool nt)
{
    if (nt && (uintptr_t)to % VECTOR_BYTES == 0) tess__nt_store_line(to, vector);
    else memcpy(to, vector, VECTOR_BYTES);
}

static inline void put2_f32(float *to, vf64 low, vf64 high, bool nt)
{
    const vfull x = narrow(low, high);
    put_vector(to, &x, nt);
}

static inline void put2_f64(double *to, vf64 low, vf64 high, bool nt)
{
    put_vector(to, &low, nt);
    put_vector(to + WIDTH, &high, nt);
}

/* Division by one divisor. */
typedef struct division {
    double divisor, inverse;
    bool   by_product; /* by the inverse, which gives the same bits */
} division;

static inline division division_by(double x) { return (division){ x, 1 / x, is_power_of_2(x) }; }

static inline vf64 divided(vf64 x, const division *by)
{
    return by->by_product ? x * splat(by->inverse) : x / splat(by->divisor);
}

#define T float
#define LOAD2 load2_f32
#define PUT2 put2_f32
#define SUFFIX f32
#define ADD_PRODUCT add_exact_product
#define VAR_BITS TESS__VAR_BITS_F32
#include "cpu/reduce/columns.c.inc"
#define T double
#define LOAD2 load2_f64
#define PUT2 put2_f64
#define SUFFIX f64
#define ADD_PRODUCT(sum, a, b) ((sum) + (a) * (b))
#define VAR_BITS TESS__VAR_BITS_F64
#include "cpu/reduce/columns.c.inc"

#define T float
#define K int32_t
#define MAX INT32_MAX
#define SUFFIX f32
#if defined(__aarch64__)
#define V float32x4_t
#define LOADV vld1q_f32
#define STOREV vst1q_f32
#define SPLAT vdupq_n_f32
#define LOWER vminq_f32
#define HIGHER vmaxq_f32
#endif
#include "cpu/reduce/columns_minmax.c.inc"
#define T double
#define K int64_t
#define MAX INT64_MAX
#define SUFFIX f64
#if defined(__aarch64__)
#define V float64x2_t
#define LOADV vld1q_f64
#define STOREV vst1q_f64
#define SPLAT vdupq_n_f64
#define LOWER vminq_f64
#define HIGHER vmaxq_f64
#endif
#include "cpu/reduce/columns_minmax.c.inc"

void TESS__FILL_KERNELS(reduce, columns)(tess__reduce_kernels *k);

void TESS__FILL_KERNELS(reduce, columns)(tess__reduce_kernels *k)
{
    fill_columns_f32(k, TESS_F32);
    fill_columns_f64(k, TESS_F64);
    fill_column_minmax_f32(k, TESS_F32);
    fill_column_minmax_f64(k, TESS_F64);
}
