/* Table of the element-wise kernels, and of those that combine elements into lanes. */
#ifndef TESS_CPU_EWISE_KERNELS_H
#define TESS_CPU_EWISE_KERNELS_H

#include "cpu/row_kernel.h"
#include "requests/ewise.h"

/* Element i is combined into lane i % TESS__ROW_LANES, which is TESS_ROW_LANES. Strides are 0 or 1. */
typedef void tess__lanes_fn(void *lanes, const void *x, int64_t sx, int64_t n);
enum { TESS__ROW_LANES = 16 };
enum {
    TESS__STEP_add, /* of f32 into lanes of f64; so is the product */
    TESS__STEP_mul,
    TESS__STEP_fmin,
    TESS__STEP_fmax,
    TESS__STEP_logical_or,
    TESS__STEP_logical_and,
    TESS__STEPS
};

/* Filled by kernels_f32.c, kernels_f64.c, kernels_complex.c and kernels_integer.c. */
typedef struct tess__ewise_kernels {
    tess__row_fn   *op[TESS__ALL_OPS][TESS_SCALAR_DTYPE_COUNT];  /* NULL: not computed in that dtype */
    tess__lanes_fn *lanes[TESS__STEPS][TESS_SCALAR_DTYPE_COUNT]; /* by the dtype of the elements */
} tess__ewise_kernels;

#endif
