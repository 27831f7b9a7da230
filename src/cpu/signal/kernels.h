/* Table of the kernels of signal processing. */
#ifndef TESS_CPU_SIGNAL_KERNELS_H
#define TESS_CPU_SIGNAL_KERNELS_H

#include <stdbool.h>

#include "cpu/row_kernel.h"

/* Neighbouring columns of a row of coefficients, all of them within the shells: see ops/shells.op.h. */
typedef struct tess__shell_run {
    const void   *lhs, *rhs; /* contiguous complex numbers, at the first column; rhs is not read by powers */
    const double *x;         /* component of the frequency vector along W, of each column */
    const double *weight;    /* how often each column counts */
    int64_t       first;     /* index of the first column */
    double        z, y;      /* components of the row */
    int64_t       shells;
    int64_t       cones; /* 0: no cones */
    const double *axes;  /* of the cones: (z, y, x) */
    double        cosine;
    bool          nearest;
} tess__shell_run;

/* Adds n columns to TESS__SHELL_LANES tables, `stride` numbers apart, of {cones, shells + 1, sums}. */
typedef void tess__shells_fn(double *tables, int64_t stride, const tess__shell_run *run, int64_t n);

/* Of c32 and c64. */
typedef struct tess__signal_kernels {
    tess__shells_fn *shell_pairs[2];  /* filled by kernels_shells.c */
    tess__shells_fn *shell_powers[2]; /* the same */
} tess__signal_kernels;

#endif
