/* Binary tree of partial states: chunks are merged by their number, whatever thread adds them (binary_counter.h). */
#ifndef TESS_CPU_REDUCE_PLAN_TREE_H
#define TESS_CPU_REDUCE_PLAN_TREE_H

#include <math.h>

#include "cpu/reduce/binary_counter.h"
#include "cpu/reduce/kernels.h"
#include "requests/reduce.h"

enum { TESS__STATE_SLOTS = 11 }; /* most slots of a state, with the count of numbers that are not NaN */

/* The lower and the higher of two numbers, of -0 and +0 in this order; NaN if either is. */
static inline double tess__lowest(double a, double b)
{
    if (a == b) return signbit(a) ? a : b;
    return a < b || a != a ? a : b;
}

static inline double tess__highest(double a, double b) { return -tess__lowest(-a, -b); }

/* Merges b, the states of the range that follows, into a, for n results: slot k of result i is a[k * step + i]. */
typedef void tess__merge_fn(tess__slot *a, const tess__slot *b, int64_t step, int64_t n);

tess__merge_fn tess__merge_sum, tess__merge_sum2, tess__merge_sum3; /* one, two or three sums of doubles */
tess__merge_fn tess__merge_compensated, tess__merge_compensated2;   /* sums and their rounding errors */
tess__merge_fn tess__merge_product, tess__merge_complex_product;
tess__merge_fn tess__merge_var, tess__merge_complex_var;   /* see variance.h */
tess__merge_fn tess__merge_norm;                           /* sum of squares over 4^exponent, exponent */
tess__merge_fn tess__merge_logsumexp;                      /* largest, sum of exponentials */
tess__merge_fn tess__merge_count, tess__merge_int_product; /* integers, wrapping */
tess__merge_fn tess__merge_minmax, tess__merge_extremes;   /* of integers, of doubles */
tess__merge_fn tess__merge_index;

/* No operator. */
enum { TESS__MAP_NONE = -1 };

/* How one reduction of one dtype is computed. */
struct tess__method {
    int                 op;      /* a TESS__R_ */
    tess_dtype          read[2]; /* dtypes that the inputs are converted to */
    tess_dtype          mapped;  /* dtype that the kernel reads */
    tess_dtype          wide[2]; /* dtype of each output before it is converted */
    int                 map;     /* operator, TESS__OP_, applied to elements after conversion */
    tess__reduce_kernel kernel;
    tess__short_fn     *shorts; /* the kernel of short reductions, or NULL */
    int                 slots;
    bool                ordered; /* the kernel writes new states; otherwise it adds to one */
    tess__slot          neutral[TESS__STATE_SLOTS];
    tess__merge_fn     *merge;
    tess__epilogue_fn  *epilogue;
    double              empty; /* result of no numbers */
    int                 ddof;
    double              cost; /* estimated nanoseconds an element, beyond reading it */
};

/* A reduction whose states a tree holds, from slot `base` on. */
typedef struct tess__tree_item {
    tess__method method;
    int          base;
    bool         counts; /* a further slot counts numbers */
} tess__tree_item;

/* Of `columns` neighbouring results. Where order does not matter, elements are added to level 0, unless
 * `adds_states`: what is added are states. */
typedef struct tess__tree {
    const tess__tree_item *item;
    int                    n_items, slots;
    bool                   adds_states;
    tess__slot            *slot; /* level after level */
    int64_t                columns;
    tess__binary_counter   counter;
} tess__tree;

void tess__tree_begin(tess__tree *t, int64_t columns);

/* Where the next chunk's state of an item goes: slot k of column c is at [k * columns + c]. */
tess__slot *tess__tree_slot(const tess__tree *t, int item);

/* The slots have been filled. */
void tess__tree_push(tess__tree *t);

/* The states of n chunks of one item and column: slot k of chunk c is s[k * n + c]. */
void tess__tree_add(tess__tree *t, const tess__slot *s, int64_t n);

/* Merges all; the states are then at level 0. */
void tess__tree_end(tess__tree *t);

#endif
