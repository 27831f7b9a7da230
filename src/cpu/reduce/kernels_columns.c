/* Sums, variances, minima and maxima of adjacent columns of floats, row by row. Built once per instruction set.
 */
#include <math.h>

#include "cpu/memory/nt_store.h"
#include "cpu/reduce/kernels.h"
#include "cpu/reduce/variance.h"
#include "cpu/reduce/vector.h"
#include "cpu/template.h"
#include "tessera/math/fn.h"

enum {
    GROUP = 64,          /* rows that are added one after the other */
    COLUMN_BLOCK = 2048, /* columns of a block: their sums stay in cache, and memory is read in long runs */
    VAR_BLOCK = 512,     /* the same for squares, whose states need more of the stack */
    SHORT_ROWS = 16,     /* up to which each row is one stream through all blocks, which can be narrow */
    NARROW_BYTES = 1024, /* of a row */
    ROW_BATCH = 8,       /* more, a power of 2 from each other, would evict each other from the cache */
    PREFETCH_BYTES = 512 /* prefetch distance in each of them */
};

#define STORE_TWO(to, a, b) (*(vf64_in_memory *)(to) = (a), *(vf64_in_memory *)((to) + WIDTH) = (b))

/* Canonical NaN: the sign and payload of NaNs of sums depend on the processor. */
static inline double canonical_nan(double x) { return x == x ? x : (double)NAN; }

/* If so, a product with the inverse is the quotient, bit for bit. */
static inline bool is_power_of_2(double x) { return x >= 1 && x <= 0x1p52 && ((int64_t)x & ((int64_t)x - 1)) == 0; }

/* True if results of this many bytes are whole cache lines. */
static inline bool are_lines(const void *out, size_t bytes) { return (uintptr_t)out % 64 == 0 && bytes % 64 == 0; }

/* A mask: lanes of a vector that are all ones are true. */
typedef int64_t vtruth __attribute__((vector_size(VECTOR_BYTES)));

static inline vtruth all_true(void) { return (vtruth)(splat(0) == splat(0)); }

static inline bool are_all(vtruth x)
{
    int64_t all = -1;
    UNROLLED for (int j = 0; j < WIDTH; j++) all &= x[j];
    return all == -1;
}

static inline vf64 chosen(vtruth which, vf64 yes, vf64 no)
{
    return (vf64)(((vtruth)yes & which) | ((vtruth)no & ~which));
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

/* Epilogue of variances from sums and squares. */
typedef struct variance_epilogue {
    division over_number, over_divisor;
    bool     root, nt;
} variance_epilogue;

static void roots_of(double *x, int64_t m, double divisor)
{
    const double factor = 1 / divisor;
    if (is_power_of_2(divisor)) {
        TESS_IVDEP for (int64_t c = 0; c < m; c++) x[c] = sqrt(x[c] * factor);
    } else {
        TESS_IVDEP for (int64_t c = 0; c < m; c++) x[c] = sqrt(x[c] / divisor);
    }
}

#define T float
#define LOAD2 load2_f32
#define PUT2 put2_f32
#define SUFFIX f32
#define ADD_PRODUCT add_exact_product
#define VAR_BITS TESS__VAR_BITS_F32
#include "cpu/reduce/columns_sum.c.inc"
#include "cpu/reduce/columns_variance.c.inc"

#define T double
#define LOAD2 load2_f64
#define PUT2 put2_f64
#define SUFFIX f64
#define ADD_PRODUCT(sum, a, b) ((sum) + (a) * (b))
#define VAR_BITS TESS__VAR_BITS_F64
#include "cpu/reduce/columns_sum.c.inc"
#include "cpu/reduce/columns_variance.c.inc"

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
    fill_column_variances_f32(k, TESS_F32);
    fill_column_variances_f64(k, TESS_F64);
    fill_column_minmax_f32(k, TESS_F32);
    fill_column_minmax_f64(k, TESS_F64);
}
