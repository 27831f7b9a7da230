/* Reduction kernels: their two types, accumulator states and table. */
#ifndef TESS_CPU_REDUCE_KERNELS_H
#define TESS_CPU_REDUCE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "tessera/dtype.h"

/* A slot, 8 bytes, of an accumulator state. */
typedef union tess__slot {
    double   f;
    int64_t  i;
    uint64_t u;
} tess__slot;

/* Elements of a chunk: the order of additions is fixed within it, and chunks are added in a binary tree. */
enum { TESS__CHUNK = 1024 };

/* n contiguous elements, from number `first` on, of one result, in chunks of `chunk` elements. `y` is a second input,
 * or NULL. `prefetch`: what follows in memory is read next, and is not in a cache. */
typedef struct tess__chunks {
    const void *x, *y;
    int64_t     n, first, chunk;
    bool        prefetch;
} tess__chunks;

/* Reduces each chunk to a new state, slot k of chunk c being s[k * step + c]; or, where order does not matter, adds all
 * elements to one state. */
typedef void tess__chunks_fn(const tess__chunks *in, tess__slot *s, int64_t step);

/* Adjacent columns of at most TESS__CHUNK rows; with two inputs rows n to 2 n - 1 are of the second. The workspace has
 * tess__columns_workspace bytes. */
typedef struct tess__columns {
    const char *const *rows;
    int64_t            n, columns;
    void              *workspace;
    bool               prefetch; /* as above, in each row or in the following ones */
    bool               merges;   /* states are merged with others; otherwise slots that the epilogue reads suffice */
} tess__columns;

/* New states of columns, slot k of column c being s[k * step + c]. */
typedef void tess__columns_fn(const tess__columns *in, tess__slot *s, int64_t step);

/* Most numbers of a result of short reductions: whatever the layout, they are added in the order of columns, and
 * variances of f64 are computed from distances. Bits depend on it. */
enum { TESS__SHORT = 32 };

/* Numbers that are added in f32 before they are widened. Bits depend on it, too. */
enum { TESS__SUM_BATCH = 4 };

/* Where results of short reductions go, contiguous and of the dtype of the elements. A sum, or a variance's sum of
 * squares, is divided by the divisor. */
typedef struct tess__short_output {
    void  *to;
    double divisor;
    bool   root; /* deviations, not variances */
    bool   nt;   /* by non-temporal stores; tess__stores_done has to come */
} tess__short_output;

/* Results straight from columns of 2 to TESS__SHORT rows. False if the states of columns are needed: there are too few
 * columns or too many rows for this kernel, or a result is NaN, or a sum or variance not finite or out of scale. Some
 * results may be written then, too. */
typedef bool tess__short_fn(const tess__columns *in, const tess__short_output *out);

/* Columns that are reduced at the same time: memory is read in long runs, and their sums stay in the cache. */
enum { TESS__COLUMN_BLOCK = 4096 };

/* The workspace of columns: so many arrays of doubles, each of the columns of a block in whole vectors; bytes for each
 * row of both inputs, and for pointers to both. */
enum { TESS__COLUMN_ARRAYS = 7, TESS__ROW_BYTES = 256 };

static inline int64_t tess__padded_columns(int64_t columns)
{
    return ((columns < TESS__COLUMN_BLOCK ? columns : TESS__COLUMN_BLOCK) + 31) / 32 * 32;
}

static inline int64_t tess__columns_workspace(int64_t n, int64_t columns)
{
    return TESS__COLUMN_ARRAYS * 8 * tess__padded_columns(columns) + n * TESS__ROW_BYTES +
           2 * n * (int64_t)sizeof(void *);
}

/* Prefetch distance in bytes, for kernels whose later elements are needed soon. On x86, where they read several streams
 * interleaved, the prefetch is into L1; elsewhere it is farther than hardware prefetchers reach, and near enough that
 * lines stay in L2. */
#if defined(__x86_64__)
enum { TESS__PREFETCH_DISTANCE = 2048, TESS__PREFETCH_DISTANCE_L1 = true, TESS__STREAMS = 4 };
#else
enum { TESS__PREFETCH_DISTANCE = 16384, TESS__PREFETCH_DISTANCE_L1 = false, TESS__STREAMS = 1 };
#endif

/* The order in which n consecutive chunks are read: several streams interleaved. x86 reads memory faster so. */
static inline int64_t tess__interleaved(int64_t i, int64_t n)
{
    const int64_t each = n / TESS__STREAMS;
    return i < each * TESS__STREAMS ? i % TESS__STREAMS * each + i / TESS__STREAMS : i;
}

/* Reduction kernels, with the slots of their states. */
enum {
    TESS__RK_SUM,      /* sum; of complex numbers, two */
    TESS__RK_SUM_ABS,  /* sum of magnitudes */
    TESS__RK_NORM,     /* sum of squares over 4^exponent, exponent */
    TESS__RK_DOT,      /* sum of products of x and y */
    TESS__RK_WEIGHTED, /* sums of products with weights and of weights; complex: real part, weights, imaginary part */
    TESS__RK_COMPENSATED, /* sums, then their rounding errors */
    TESS__RK_PROD,        /* product; of complex numbers, two */
    TESS__RK_VAR,         /* see reduce/variance.h; of complex numbers, two of them */
    TESS__RK_LOGSUMEXP,   /* largest, sum of exponentials of distances from it */
    TESS__RK_COLUMN_SUM,  /* SUM and VAR in the order for columns */
    TESS__RK_COLUMN_VAR,
    TESS__RK_BATCHED_SUM, /* the same with sums of a few elements in f32, for results in f32 */
    TESS__RK_MIN,         /* the smallest and largest: integers, those of u64 less 2^63, or floats as doubles */
    TESS__RK_MAX,
    TESS__RK_MINMAX,
    TESS__RK_ARGMIN, /* rank, smaller is better; index, -1 for none */
    TESS__RK_ARGMAX,
    TESS__RK_ARGMIN_SKIP, /* without NaNs */
    TESS__RK_ARGMAX_SKIP,
    TESS__RK_NONZERO, /* number */
    TESS__RKS
};

typedef struct tess__reduce_kernel {
    tess__chunks_fn  *chunks;  /* NULL: the elements are converted first */
    tess__columns_fn *columns; /* NULL: there is none */
} tess__reduce_kernel;

typedef struct tess__method tess__method;

/* States of n results, slot k of result i at slot[k * step + i], and the numbers in each, step 0 or 1. */
typedef struct tess__results {
    tess__slot    *slot;
    int64_t        step, n;
    const int64_t *counts;
    int            count_step;
} tess__results;

/* Epilogue: output `which` of results from their states, in the dtype method->wide or, where that is f64, as f32. */
typedef void tess__epilogue_fn(const tess__method *m, int which, const tess__results *from, void *to, bool f32);

enum {
    TESS__E_INTEGER,
    TESS__E_ANY,
    TESS__E_ALL,
    TESS__E_INDEX,
    TESS__E_MINMAX,
    TESS__E_EXTREME,
    TESS__E_MAGNITUDE,
    TESS__E_SUM, /* as they are, or method->empty */
    TESS__E_COMPLEX_SUM,
    TESS__E_MEAN,
    TESS__E_COMPLEX_MEAN,
    TESS__E_SIGNED_MEAN,
    TESS__E_UNSIGNED_MEAN,
    TESS__E_COMPENSATED,
    TESS__E_COMPLEX_COMPENSATED,
    TESS__E_COMPENSATED_MEAN,
    TESS__E_COMPLEX_COMPENSATED_MEAN,
    TESS__E_NORM,
    TESS__E_RMSD,
    TESS__E_LOGSUMEXP,
    TESS__E_WEIGHTED,
    TESS__E_COMPLEX_WEIGHTED,
    TESS__E_VAR,
    TESS__E_COMPLEX_VAR,
    TESS__ES
};

/* Filled by kernels_*.c. By TESS__RK_ and dtype, and by TESS__E_. */
typedef struct tess__reduce_kernels {
    tess__reduce_kernel of[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];
    tess__short_fn     *shorts[TESS__RKS][TESS_SCALAR_DTYPE_COUNT]; /* NULL: there is none */
    tess__epilogue_fn  *epilogue[TESS__ES];
} tess__reduce_kernels;

#endif
