/* Table of the conversion kernels: between dtypes, and between byte orders. */
#ifndef TESS_CPU_CONVERT_KERNELS_H
#define TESS_CPU_CONVERT_KERNELS_H

#include "cpu/row_kernel.h"

/* Index of the first element of `a` that is not the same number as in `b`, NaN being the same as NaN; n if none. */
typedef int64_t tess__differ_fn(const void *a, const void *b, int64_t n);

enum { TESS__CLAMP, TESS__WRAP, TESS__CAST_MODES };
enum { TESS__ABS, TESS__POWER, TESS__PARTS };

/* Filled by kernels_cast.c and kernels_byteswap.c. */
typedef struct tess__convert_kernels {
    tess__row_fn    *cast[TESS__CAST_MODES][TESS__REALS][TESS__REALS]; /* [mode][from][to] */
    tess__row_fn    *part[TESS__PARTS][3];                             /* of c16, c32, c64, to f64 */
    tess__row_fn    *swap[TESS__SIZE_CLASSES]; /* operand 0 only; NULL but for 2, 4 and 8 bytes */
    tess__differ_fn *differ[TESS__REALS];
} tess__convert_kernels;

#endif
