/* Loop nests of reductions: the kept axes in any order, the reduced ones in theirs or, where it does not matter, in any
 * too. */
#ifndef TESS_CPU_REDUCE_PLAN_PLAN_H
#define TESS_CPU_REDUCE_PLAN_PLAN_H

#include "backend.h"
#include "cpu/reduce/kernels.h"

/* Operands: the inputs, then output k of item i at TESS__OUT + 2 * i + k. */
enum { TESS__OUT = 2, TESS__OPERANDS = TESS__OUT + 2 * TESS__MAX_REDUCTIONS };

/* Fewest columns summed in the order of columns, unless reductions are short. */
enum { TESS__MIN_COLUMNS = 8 };

/* Nested axes, outermost first: sizes and strides in elements, 0 of operands that are not there. */
typedef struct tess__nest {
    int     n_dims; /* at least 1 */
    int64_t n;      /* product of the sizes */
    int64_t size[4];
    int64_t in[TESS__OPERANDS][4];
} tess__nest;

typedef struct tess__reduce_plan {
    tess__nest kept, reduced;
    char      *data[TESS__OPERANDS]; /* of each operand's first element in this order; NULL: not there, or not wanted */
    int64_t    size[TESS__OPERANDS]; /* bytes of an element */
    int64_t    inner_run;            /* numbers after which a new chunk begins in any case */
} tess__reduce_plan;

/* True if neighbours along the innermost axis belong to different results. Shape and axes alone decide. */
bool tess__has_columns(const tess__reduce *work);

/* True if numbers are added in the summation order of columns: they are columns, or few. */
bool tess__is_columnar(const tess__reduce *work);

/* `any_order`: results do not depend on the order of the numbers. */
void tess__plan_reduction(tess__reduce_plan *plan, const tess__reduce *work, bool any_order);

#endif
