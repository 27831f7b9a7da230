/* Sums, dot products and variances of adjacent columns of floats, row by row. Built once per instruction set. */
#include "cpu/reduce/kernels.h"
#include "cpu/reduce/variance.h"
#include "cpu/reduce/vector.h"
#include "cpu/template.h"

enum {
    GROUP = 64, /* rows that are added one after the other */
    BATCH = TESS__SUM_BATCH,
    ROW_BATCH = 8, /* more, a power of 2 from each other, would evict each other from the cache */
};

/* What is added up: numbers, in batches or not, or products; or with numbers, or their distances from a pivot, their
 * squares. */
enum { SUMS, BATCHES, PRODUCTS, SQUARES, DISTANCES };

/* The sums of the columns of a block, */
typedef struct moments {
    double *sum, *squares;
} moments;

/* and of two vectors of columns. */
typedef struct column_lanes {
    vf64 sum[2], squares[2], pivot[2];
} column_lanes;

/* The kernels' workspace: sums of a block, of one group of its rows, and those computed again; rows of fewer columns
 * than two vectors have, copied; and the rows of each input. */
typedef struct workspace {
    double      *to[2], *group[2], *again[2], *pivot;
    char        *copies[2];
    const void **x, **y;
} workspace;

_Static_assert(2 * 2 * VECTOR_BYTES <= TESS__ROW_BYTES, "the workspace holds copies of two vectors of both inputs");

static workspace workspace_of(const tess__columns *in)
{
    const int64_t m = tess__padded_columns(in->columns), copies = in->n * 2 * VECTOR_BYTES;
    double *const d = in->workspace;
    char *const   c = (char *)(d + TESS__COLUMN_ARRAYS * m);
    void *const   rows = c + 2 * copies;
    return (
        workspace){ { d, d + m }, { d + 2 * m, d + 3 * m },   { d + 4 * m, d + 5 * m }, d + 6 * m, { c, c + copies },
                    rows,         (const void **)rows + in->n };
}

static inline bool is_finite(double x) { return x - x == 0; }

/* The same of n numbers, a multiple of two vectors. */
static inline bool are_finite(const double *x, int64_t n)
{
    vf64 off[2] = { splat(0), splat(0) };
    for (int64_t i = 0; i < n; i += (int64_t)2 * WIDTH) {
        vf64 a, b;
        load2_f64(x + i, &a, &b);
        off[0] += a - a;
        off[1] += b - b;
    }
    return are_all((vtruth)(off[0] + off[1] == splat(0)));
}

/* The pairwise sum of BATCH numbers, or fewer, in f32. */
static inline TESS_ALWAYS_INLINE double sum_of_batch(const float *x, int64_t n)
{
    float a[BATCH];
    UNROLLED for (int i = 0; i < BATCH; i++) a[i] = i < n ? x[i] : -0.0F;
    UNROLLED for (int h = 1; h < BATCH; h *= 2) UNROLLED for (int i = 0; i < BATCH; i += 2 * h) a[i] += a[i + h];
    return (double)a[0];
}

/* The same of rows, two vectors of columns from column c on, added to sums. */
static inline TESS_ALWAYS_INLINE void add_batch(vf64 *sum, const float *const *row, int64_t c, int64_t n)
{
    vfull a[BATCH];
    vf64  low, high;
    UNROLLED for (int i = 0; i < BATCH; i++)
    {
        if (i < n) memcpy(&a[i], row[i] + c, sizeof a[i]);
        else a[i] = -0.0F - (vfull){ 0 };
    }
    UNROLLED for (int h = 1; h < BATCH; h *= 2) UNROLLED for (int i = 0; i < BATCH; i += 2 * h) a[i] += a[i + h];
    widen(a[0], &low, &high);
    sum[0] += low;
    sum[1] += high;
}

#define T float
#define LOAD2 load2_f32
#define SUFFIX f32
#define ADD_PRODUCT add_exact_product
#define BATCHED 1
#define ADD_BATCH add_batch
#define SUM_OF_BATCH sum_of_batch
#define VAR_BITS TESS__VAR_BITS_F32
#include "cpu/reduce/columns.c.inc"
#define T double
#define LOAD2 load2_f64
#define SUFFIX f64
#define ADD_PRODUCT(sum, a, b) ((sum) + (a) * (b))
#define ADD_BATCH(sum, rows, c, n) ((void)0)
#define SUM_OF_BATCH(x, n) 0
#define VAR_BITS TESS__VAR_BITS_F64
#include "cpu/reduce/columns.c.inc"

void TESS__FILL_KERNELS(reduce, columns)(tess__reduce_kernels *k);

void TESS__FILL_KERNELS(reduce, columns)(tess__reduce_kernels *k)
{
    fill_columns_f32(k, TESS_F32);
    fill_columns_f64(k, TESS_F64);
}
