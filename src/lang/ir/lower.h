/* Lowering of a typed syntax tree to SSA values: the state, and the functions that the files share. */
#ifndef TESS_LANG_IR_LOWER_H
#define TESS_LANG_IR_LOWER_H

#include "lang/ir/values.h"

typedef struct lowering {
    values            all;
    const tess__tree *tree;
    int               part;
    uint32_t          still; /* inputs that are the same for all elements of a row, as bits */
    int32_t          *now;   /* of each variable: its value, or -1 */
    int32_t          *saved; /* a stack of copies of `now`, one for each nested if */
    int32_t           n_saved, saved_capacity;
    const bool       *varies;  /* of each variable: see uniform.h; NULL: there is no loop */
    int32_t           gate;    /* a uniform condition without which this function is not called; -1: none */
    int32_t           mask;    /* elements for which the ifs around hold; -1: all */
    int32_t           skipped; /* elements that have left this iteration; -1: none */
    int32_t           visits;
    int32_t           n_scatters; /* that are still to be emitted */
    value             scatters[TESS__MAX_ADDITIONS];
} lowering;

static inline const tess__node *tess__lower_node(const lowering *l, int32_t n) { return &l->tree->nodes[n]; }

static inline bool tess__is_kind(const lowering *l, int32_t v, int kind)
{
    return l->all.v && l->all.v[v].kind == kind;
}

/* Count one more node; false if the limit is reached, or something else went wrong. */
bool tess__lower_visit(lowering *l, const tess__node *node);

/* ---- Values (lower_value.c) ---- */

int32_t tess__lower_constant(lowering *l, tess_dtype type, const tess__constant *c);
int32_t tess__lower_neutral(lowering *l, const tess__param *p);
/* Elements of a parameter, or `other` lanes of an accumulator. */
int32_t tess__lower_load(lowering *l, int kind, int param, tess_dtype type, bool other);
/* A VALUE_ that is not computed. */
int32_t tess__lower_leaf(lowering *l, int kind, int op, int64_t axis, tess_dtype type);
int32_t tess__lower_operation(lowering *l, int op, tess_dtype computed, tess_dtype type, int n, const int32_t *args);
/* x x as a square, which reads one operand, and the square of a difference fused. The bits are the same. */
int32_t tess__lower_operator(lowering *l, int op, tess_dtype computed, tess_dtype type, int n, const int32_t *args);
int32_t tess__lower_cast(lowering *l, int32_t x, tess_dtype from, tess_dtype to);
int32_t tess__lower_choice(lowering *l, tess_dtype type, int32_t condition, int32_t yes, int32_t no);
int32_t tess__lower_not(lowering *l, int32_t x);
int32_t tess__lower_logical(lowering *l, int op, int32_t x, int32_t y);
/* x and y, each of which may be -1 for true. */
int32_t tess__lower_both(lowering *l, int32_t x, int32_t y);
/* The mask of the elements for which this statement of the operator or function is reached; -1: all. */
int32_t tess__lower_live(lowering *l);
/* The same for inlined functions, as far as it is uniform. */
int32_t tess__lower_gate(lowering *l);

/* ---- Expressions and statements ---- */

int32_t tess__lower_expression(lowering *l, int32_t n);
/* The children of a node, at most `max` of them; how many there are. */
int32_t tess__lower_arguments(lowering *l, const tess__node *node, int32_t *args, int max);
/* Emit the scatters that have been lowered. They are kept back until a loop begins or ends, so that they stand one
 * after the other: the machine then adds element by element, as compiled code does. */
void tess__lower_scatters(lowering *l);
/* A block, or a statement. */
void tess__lower_statements(lowering *l, int32_t n);
/* Push a copy of the variables on the stack; the index of its first. */
int32_t tess__lower_save(lowering *l);
void    tess__lower_for(lowering *l, const tess__node *node);

#endif
