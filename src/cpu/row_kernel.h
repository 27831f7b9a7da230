/* Row kernels: the function type of most kernels, and the indices of the families' tables of kernels.
 *
 * A row kernel walks one row of each operand. p[k] is the address of the row's first element of operand k (0 is the
 * output), s[k] its stride in elements. Kernels cannot fail, and operands are disjoint or exactly the same.
 */
#ifndef TESS_CPU_ROW_KERNEL_H
#define TESS_CPU_ROW_KERNEL_H

#include <stdint.h>

#include "tessera/dtype.h"

typedef void tess__row_fn(char *const *p, const int64_t *s, int64_t n, const void *param);

/* Element sizes with kernels of their own: 1, 2, 4, 8, 16 bytes; any other is the last, with the size in param. */
enum { TESS__SIZE_CLASSES = 6, TESS__ANY_SIZE = 5 };

/* 0 to 4 for 1 to 16 bytes, else TESS__ANY_SIZE. */
static inline int tess__size_class(int64_t size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : size == 16 ? 4 : TESS__ANY_SIZE;
}

/* Real types, the ones that cast kernels are for, come first among the dtypes. */
enum { TESS__REALS = TESS_F64 + 1 };

#endif
