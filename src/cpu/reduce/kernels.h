/* The kernels of reductions. */
#ifndef TESS_CPU_REDUCE_KERNELS_H
#define TESS_CPU_REDUCE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "tessera/dtype.h"

/* A word of the state of a reduction. */
typedef union tess__slot {
    double   f;
    int64_t  i;
    uint64_t u;
} tess__slot;

/* n contiguous elements, from number `first` on, as a new state, or, where order does not matter, added to the state.
 * Word w of it is s[w * step]. `y` is a second input, or NULL. */
typedef void tess__reduce_fn(const void *x, const void *y, int64_t n, int64_t first, tess__slot *s, int64_t step);

/* The sums of so many whole chunks. */
typedef void tess__sums_fn(const void *x, const void *y, int64_t chunks, double *sums);

/* Elements as above, of columns that lie side by side, in n rows; word w of column c is s[w * step + c]. */
typedef void tess__columns_fn(const char *const *rows, int64_t n, int64_t columns, tess__slot *s, int64_t step);

/* How the sum of a column, or of its squared distances from the mean, becomes its result: over the divisor, and then,
 * if `root`, the root of that. The means of variances go to `means`, unless that is NULL. `streams`: results are
 * written past the caches where they are whole lines, and tess__stores_done has to come. `doubtful`, unless that is
 * NULL, is set if squares may have left the range of f64. */
typedef struct tess__column_end {
    double divisor;
    bool   root, streams;
    void  *means;
    bool  *doubtful;
} tess__column_end;

/* The results of columns of at most TESS__CHUNK rows, in the dtype of the elements. */
typedef void tess__column_results_fn(const char *const *rows, int64_t n, int64_t columns, void *out,
                                     const tess__column_end *end);

/* e = exp(x - shift). */
typedef void tess__exponentials_fn(double *e, const double *x, int64_t n, double shift);

/* Most elements whose sum is one chunk: the order of additions is fixed within it, and chunks are added in a tree. */
enum { TESS__CHUNK = 1024 };

/* Kernels that read ahead ask for the lines so many bytes behind their elements, which must be needed soon. On x86,
 * where they read at several places in turn, that is into the first level of the cache; elsewhere farther than
 * processors look by themselves, and near enough to stay in the second. */
#if defined(__x86_64__)
enum { TESS__PREFETCH_DISTANCE = 2048, TESS__PREFETCH_DISTANCE_L1 = true };
#else
enum { TESS__PREFETCH_DISTANCE = 16384, TESS__PREFETCH_DISTANCE_L1 = false };
#endif

/* Kernels of reductions, with the words of their states. */
enum {
    TESS__RK_SUM,         /* sum; of complex numbers, two */
    TESS__RK_SUM_ABS,     /* sum of magnitudes */
    TESS__RK_SUM_SQUARES, /* sum of squares */
    TESS__RK_DOT,         /* sum of products of x and y */
    TESS__RK_COMPENSATED, /* sums, then what rounding took from them */
    TESS__RK_PROD,        /* product; of complex numbers, two */
    TESS__RK_VAR,         /* sum, pivot, mean less the pivot, sum of squared distances from the mean, number */
    TESS__RK_COLUMN_SUM,  /* SUM and VAR in the order for columns */
    TESS__RK_COLUMN_VAR,
    TESS__RK_SINGLE_VAR, /* VAR of f32 for results that are not wider, in both orders */
    TESS__RK_SINGLE_COLUMN_VAR,
    TESS__RK_MIN, /* keys of the smallest and largest: see reduce/minmax.c.inc */
    TESS__RK_MAX,
    TESS__RK_MINMAX,
    TESS__RK_ARGMIN, /* rank, smaller is better; place, -1 for none */
    TESS__RK_ARGMAX,
    TESS__RK_ARGMIN_SKIP, /* without NaNs */
    TESS__RK_ARGMAX_SKIP,
    TESS__RK_NONZERO, /* number */
    TESS__RKS
};

/* Filled by kernels_sum.c, kernels_columns.c, kernels_minmax.c and kernels_exp.c. By TESS__RK_ and dtype. */
typedef struct tess__reduce_kernels {
    tess__reduce_fn         *fn[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];       /* NULL: the elements are converted first */
    tess__reduce_fn         *prefetch[TESS__RKS][TESS_SCALAR_DTYPE_COUNT]; /* fn, reading ahead; NULL: there is none */
    tess__sums_fn           *sums[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];     /* NULL: there is none */
    tess__sums_fn           *far_sums[TESS__RKS][TESS_SCALAR_DTYPE_COUNT]; /* from memory; the same */
    tess__columns_fn        *columns[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];
    tess__column_results_fn *column_results[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];
    tess__exponentials_fn   *exponentials;
} tess__reduce_kernels;

#endif
