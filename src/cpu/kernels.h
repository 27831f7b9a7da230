/* The table of CPU kernels: one per instruction set, filled by kernels.c, which is built once for each.
 *
 * A row kernel walks one row of each operand. p[k] is the address of the row's first element of operand k (0 is the
 * output), s[k] its stride in elements. Kernels cannot fail, and operands are disjoint or exactly the same.
 */
#ifndef TESS_CPU_KERNELS_H
#define TESS_CPU_KERNELS_H

#include "backend.h"
#include "cpu/transpose.h"
#include "tessera/dtype.h"

typedef void tess__row_fn(char *const *p, const int64_t *s, int64_t n, const void *param);

/* Index of the first element of `a` that is not the same number as in `b`, NaN being the same as NaN; n if none. */
typedef int64_t tess__differ_fn(const void *a, const void *b, int64_t n);

typedef void tess__transpose_fn(const tess__transpose *t, int64_t first_tile, int64_t last_tile);

/* Element sizes with kernels of their own: 1, 2, 4, 8, 16 bytes; any other is the last, with the size in param. */
enum { TESS__SIZE_CLASSES = 6, TESS__ANY_SIZE = 5 };

/* 0 to 4 for 1 to 16 bytes, else TESS__ANY_SIZE. */
static inline int tess__size_class(int64_t size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : size == 16 ? 4 : TESS__ANY_SIZE;
}

/* Real types, the ones that cast kernels are for, come first among the dtypes. */
enum { TESS__REALS = TESS_F64 + 1 };

enum { TESS__CLAMP, TESS__WRAP, TESS__CAST_MODES };
enum { TESS__ABS, TESS__POWER, TESS__PARTS };

typedef struct tess__kernels {
    tess__row_fn       *copy[TESS__SIZE_CLASSES]; /* param: tess__element, its size alone, for TESS__ANY_SIZE */
    tess__row_fn       *fill[TESS__SIZE_CLASSES]; /* param: tess__element; operand 0 only */
    tess__row_fn       *cast[TESS__CAST_MODES][TESS__REALS][TESS__REALS]; /* [mode][from][to] */
    tess__row_fn       *part[TESS__PARTS][3];                             /* of c16, c32, c64, to f64 */
    tess__differ_fn    *differ[TESS__REALS];
    tess__transpose_fn *transpose[TESS__ANY_SIZE]; /* by size class */
} tess__kernels;

#endif
