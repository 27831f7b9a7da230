/* Reduction kernels: their types, accumulator states and table. */
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

/* Reduces n contiguous elements, from number `first` on, to a new state, or, where order does not matter, adds them to
 * the state. Slot k of it is s[k * step]. `y` is a second input, or NULL. */
typedef void tess__reduce_fn(const void *x, const void *y, int64_t n, int64_t first, tess__slot *s, int64_t step);

/* The sums of `chunks` whole chunks. */
typedef void tess__sums_fn(const void *x, const void *y, int64_t chunks, double *sums);

/* The same for adjacent columns, in n rows; slot k of column c is s[k * step + c]. */
typedef void tess__columns_fn(const char *const *rows, int64_t n, int64_t columns, tess__slot *s, int64_t step);

/* Epilogue of columns: divides the sum of a column, or of its squared distances from the mean, by the divisor, and
 * then, if `root`, takes the root. The means of variances go to `means`, unless that is NULL. `nt`: results that are
 * whole cache lines are written by non-temporal stores, and tess__stores_done must follow. */
typedef struct tess__column_epilogue {
    double divisor;
    bool   root, nt;
    void  *means;
} tess__column_epilogue;

/* The results of columns of at most TESS__CHUNK rows, in the dtype of the elements. */
typedef void tess__column_results_fn(const char *const *rows, int64_t n, int64_t columns, void *out,
                                     const tess__column_epilogue *end);

/* e = exp(x - shift). */
typedef void tess__exponentials_fn(double *e, const double *x, int64_t n, double shift);

/* Elements of a chunk: the order of additions is fixed within it, and chunks are added in a binary tree. */
enum { TESS__CHUNK = 1024 };

/* Prefetch distance in bytes, for kernels whose later elements are needed soon. On x86, where they read several nt
 * interleaved, the prefetch is into L1; elsewhere it is farther than hardware prefetchers reach, and near enough that
 * lines stay in L2. */
#if defined(__x86_64__)
enum { TESS__PREFETCH_DISTANCE = 2048, TESS__PREFETCH_DISTANCE_L1 = true };
#else
enum { TESS__PREFETCH_DISTANCE = 16384, TESS__PREFETCH_DISTANCE_L1 = false };
#endif

/* Reduction kernels, with the slots of their states. */
enum {
    TESS__RK_SUM,         /* sum; of complex numbers, two */
    TESS__RK_SUM_ABS,     /* sum of magnitudes */
    TESS__RK_SUM_SQUARES, /* sum of squares */
    TESS__RK_DOT,         /* sum of products of x and y */
    TESS__RK_COMPENSATED, /* sums, then their rounding errors */
    TESS__RK_PROD,        /* product; of complex numbers, two */
    TESS__RK_VAR,         /* see reduce/variance.h */
    TESS__RK_COLUMN_SUM,  /* SUM and VAR in the order for columns */
    TESS__RK_COLUMN_VAR,
    TESS__RK_MIN, /* keys of the smallest and largest: see reduce/minmax.c.inc */
    TESS__RK_MAX,
    TESS__RK_MINMAX,
    TESS__RK_ARGMIN, /* rank, smaller is better; index, -1 for none */
    TESS__RK_ARGMAX,
    TESS__RK_ARGMIN_SKIP, /* without NaNs */
    TESS__RK_ARGMAX_SKIP,
    TESS__RK_NONZERO, /* number */
    TESS__RKS
};

/* Filled by kernels_sum.c, kernels_columns.c, kernels_minmax.c and kernels_exp.c. By TESS__RK_ and dtype. */
typedef struct tess__reduce_kernels {
    tess__reduce_fn         *fn[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];       /* NULL: the elements are converted first */
    tess__reduce_fn         *prefetch[TESS__RKS][TESS_SCALAR_DTYPE_COUNT]; /* fn with prefetch; NULL: there is none */
    tess__sums_fn           *sums[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];     /* NULL: there is none */
    tess__sums_fn           *far_sums[TESS__RKS][TESS_SCALAR_DTYPE_COUNT]; /* the same for data outside the caches */
    tess__columns_fn        *columns[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];
    tess__column_results_fn *column_results[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];
    tess__exponentials_fn   *exponentials;
} tess__reduce_kernels;

#endif
