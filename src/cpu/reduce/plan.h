/* Loop nests of reductions: the kept axes in any order, the reduced ones in theirs or, where it does not matter, in any
 * too. */
#ifndef TESS_CPU_REDUCE_PLAN_H
#define TESS_CPU_REDUCE_PLAN_H

#include "backend.h"

enum { TESS__MAX_RESULTS = 2 * TESS__MAX_REDUCTIONS };

/* Fewest columns summed in the order of columns; most numbers of a result that always are (short reductions). */
enum { TESS__MIN_COLUMNS = 8, TESS__SHORT = 32 };

/* Nested axes, outermost first: sizes and strides in elements. */
typedef struct tess__nest {
    int     n_dims; /* at least 1 */
    int64_t n;      /* product of the sizes */
    int64_t size[4];
    int64_t in[2][4];
} tess__nest;

typedef struct tess__reduce_plan {
    tess__nest  kept, reduced;
    const char *data[2];                  /* of each input's first element in this order */
    int64_t     size[2];                  /* bytes of an element */
    char       *out[TESS__MAX_RESULTS];   /* of item i, output k at [2 * i + k]; NULL: not wanted */
    int64_t     so[TESS__MAX_RESULTS][4]; /* strides along the kept axes */
    int64_t     inner_run;                /* numbers after which a new chunk begins in any case */
} tess__reduce_plan;

/* True if neighbours along the innermost axis belong to different results. Shape and axes alone decide. */
bool tess__has_columns(const tess__reduce *work);

/* True if numbers are added in the summation order of columns: they are columns, or few. */
bool tess__is_columnar(const tess__reduce *work);

/* `any_order`: results do not depend on the order of the numbers. */
void tess__plan_reduction(tess__reduce_plan *plan, const tess__reduce *work, bool any_order);

#endif
