/* Loop-nest planning: walks several arrays together in the fewest, longest rows that visit the same elements. */
#ifndef TESS_CORE_ARRAY_PLAN_H
#define TESS_CORE_ARRAY_PLAN_H

#include "tessera/array.h"

enum { TESS__MAX_OPERANDS = 24 };

/* Nested loops over all operands, outermost first; operand 0 is the output. Plain data: it can be copied into a queue.
 * Only the first n_dims and n_operands entries are set. */
typedef struct tess__loop {
    int          n_dims; /* 1 to 4; an inner dimension is the last */
    int          n_operands;
    int64_t      n; /* elements of the domain */
    int64_t      shape[4];
    int64_t      stride[TESS__MAX_OPERANDS][4]; /* in elements */
    int64_t      size[TESS__MAX_OPERANDS];      /* bytes of an element */
    char        *data[TESS__MAX_OPERANDS];      /* of the first element in this order */
    tess_buffer *buffer[TESS__MAX_OPERANDS];    /* storage to keep alive, or NULL */
} tess__loop;

/* For work without regard to order: drop dimensions of size 1, reverse those the output walks backwards, sort by
 * the output's strides (ties by the inputs'), merge neighbours that are contiguous for all. Operands have the
 * domain's sizes, or 1 where they are broadcast. Allocates nothing and cannot fail. */
void tess__plan(tess__loop *loop, tess_shape domain, const tess_array *const *operands, int n_operands);

/* The same for arrays that are known to be a row of n elements (tess__row_of). */
void tess__plan_row(tess__loop *loop, int64_t n, const tess_array *out, const tess_array *const *inputs, int n_inputs);

/* For work in b, d, h, w order: drop and merge dimensions alone. */
void tess__plan_in_order(tess__loop *loop, tess_shape domain, const tess_array *const *operands, int n_operands);

#endif
