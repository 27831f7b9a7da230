/* Table of the binning kernels. */
#ifndef TESS_CPU_RESIZE_KERNELS_H
#define TESS_CPU_RESIZE_KERNELS_H

#include <stdbool.h>

#include "cpu/row_kernel.h"

/* Rows that are added to sums, one after the other: of each row, `factor` neighbours go into a sum, from left to right.
 * Sums of floats are f64; of integers i64 or u64, or, in `narrow`, i32 or u32. `start`: there are no sums yet. */
typedef void tess__bin_fn(void *sums, const char *const *rows, int n_rows, int64_t n, int64_t factor, bool start);

/* What goes into each of some neighbouring results: `factor` neighbours of each row. */
typedef struct tess__bin_block {
    const char *const *rows;
    int                n_rows;
    int64_t            factor;
} tess__bin_block;

/* The same for 1, 2 or 4 rows and neighbours, or 1 or 3 of both, that are whole blocks: results are sums divided by
 * `divisor`, in f64 or, of f32, rounded to that; or sums of integers, as i64 or u64. `prefetch`: the distance in
 * bytes of what each row may prefetch; 0: none.
 * `nt`: results are written by non-temporal stores, and tess__stores_done has to come. */
typedef void tess__bin_direct_fn(void *out, const tess__bin_block *in, int64_t n, double divisor, int64_t prefetch,
                                 bool nt);

/* Maximum of rows in a batch. */
enum { TESS__BIN_ROWS = 4 };

/* Filled by kernels_bin.c. */
typedef struct tess__resize_kernels {
    tess__bin_fn        *bin[TESS__REALS];            /* NULL: the elements are converted first */
    tess__bin_fn        *bin_narrow[TESS__REALS];     /* of integers of up to 16 bits */
    tess__bin_direct_fn *bin_direct[TESS__REALS];     /* NULL: not fused */
    tess__bin_direct_fn *bin_direct_sum[TESS__REALS]; /* of integers: i64 or u64; the same */
    tess__bin_fn        *bin_quads;                   /* of f32, with sums of f32 */
    tess__bin_direct_fn *bin_direct_quads;            /* the same, or in f64 where those are not finite */
} tess__resize_kernels;

#endif
