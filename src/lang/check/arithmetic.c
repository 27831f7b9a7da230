/* Type checking of operators: the type that operands are promoted to, and the type of the result. */
#include "backend.h"
#include "core/dtype.h"
#include "lang/check/check.h"
#include "lang/front/lex.h"

/* ---- Comparison ---- */

/* Small integers are compared as they are, which gives the same as in i32. */
static int32_t small_type(const tess__checker *c, const tess__typed *values)
{
    int32_t type = 0;
    for (int i = 0; i < 2; i++) {
        const tess__node *node = &c->b.nodes[values[i].node];
        if (!tess__is_integer(node->type)) return 0;
        if (node->kind == TESS__NUMBER && node->computed == TESS__WEAK_INTEGER) continue;
        if (type && node->type != type) return 0;
        type = node->type;
    }
    if (!type || tess__promoted(type) == type || type == TESS_BOOL) return type == TESS_BOOL ? TESS_BOOL : 0;
    for (int i = 0; i < 2; i++) {
        const tess__node *node = &c->b.nodes[values[i].node];
        if (node->kind == TESS__NUMBER && !tess__constant_fits(node->value, node->type, type)) return 0;
    }
    return type;
}

/* Both bools, or one and a literal 0 or 1. */
static bool bools_fit(const tess__checker *c, const tess__typed *values)
{
    for (int i = 0; i < 2; i++) {
        const tess__node *node = &c->b.nodes[values[i].node];
        if (node->type != TESS_BOOL && (node->kind != TESS__NUMBER || node->value.u > 1)) return false;
    }
    return true;
}

static void check_signs(tess__checker *c, tess__bytes span, const tess__typed *values)
{
    int32_t types[2];
    for (int i = 0; i < 2; i++) {
        const tess__node *node = &c->b.nodes[values[i].node];
        types[i] = tess__promoted(node->type);
        if (!tess__is_integer(types[i])) return;
        if (node->kind == TESS__NUMBER && !tess__is_unsigned(types[i]) && node->value.i >= 0) return;
    }
    if (tess__is_unsigned(types[0]) != tess__is_unsigned(types[1]))
        TESS__WRONG(c, span, "comparison of %s and %s, only one of which is signed; convert one of them",
                    tess__type_name(types[0]), tess__type_name(types[1]));
}

static tess__typed check_compare(tess__checker *c, int32_t op, tess__bytes span, tess__typed *values)
{
    int32_t type = small_type(c, values);
    if (type == TESS_BOOL && !bools_fit(c, values)) type = 0;
    if (!type) {
        check_signs(c, span, values);
        type = tess__meet(c, values, 2);
    }
    if (tess__is_complex(type) && tess__complex_rows[op].result == TESS__GIVES_NOTHING)
        TESS__WRONG(c, span, "complex numbers have no order; compare abs(..) or real(..)");
    return tess__typed_operator(c, op, type, TESS_BOOL, span, values, 2);
}

/* ---- All others ---- */

static bool all_bool(const tess__checker *c, const tess__typed *values, int n)
{
    for (int i = 0; i < n; i++)
        if (tess__type_of(c, values[i]) != TESS_BOOL) return false;
    return true;
}

static void reject(tess__checker *c, int32_t op, tess__bytes span, const tess__typed *values, int n, bool complex)
{
    for (int i = 0; i < n; i++) {
        const int32_t type = tess__type_of(c, values[i]);
        if (complex ? !tess__is_complex(type) : tess__is_integer(type)) continue;
        TESS__WRONG(c, span,
                    complex ? "'%.*s' does not take complex numbers, and this is %s"
                            : "'%.*s' takes integers only, and this is %s",
                    TESS__SHOW(c, span), tess__type_name(type));
    }
    TESS__WRONG(c, span, "'%s' is not defined for these types", tess__operator_rows[op].name);
}

/* Shifts keep the type of what is shifted; the count is taken modulo its bits, so any type holds it. */
static tess__typed check_shift(tess__checker *c, int32_t op, tess__bytes span, const tess__typed *values)
{
    const int32_t type = tess__promoted(tess__type_of(c, values[0]));
    if (!tess__is_integer(type) || !tess__is_integer(tess__type_of(c, values[1])))
        reject(c, op, span, values, 2, false);
    return tess__typed_operator(c, op, type, type, span, values, 2);
}

/* A product or quotient with one real operand leaves that real, as tess_mul and tess_div do; else no operator. */
static int32_t real_operator(const tess__checker *c, int32_t op, tess__typed *values, int n)
{
    if (n != 2) return -1;
    const bool first = tess__is_complex(tess__type_of(c, values[0]));
    const bool second = tess__is_complex(tess__type_of(c, values[1]));
    const bool divides = op == TESS__OP_div || op == TESS__OP_true_div;
    if (first == second || (divides ? second : op != TESS__OP_mul)) return -1;
    if (second) {
        const tess__typed factor = values[0];
        values[0] = values[1], values[1] = factor;
    }
    return divides ? TESS__OP_div_real : TESS__OP_mul_real;
}

static tess__typed check_complex(tess__checker *c, int32_t op, int32_t type, tess__bytes span, tess__typed *values,
                                 int n)
{
    const int32_t by_real = real_operator(c, op, values, n);
    if (by_real >= 0) {
        values[0] = tess__converted(c, values[0], type);
        values[1] = tess__converted(c, values[1], (int32_t)tess__dtypes[type].real);
        return tess__typed_operator(c, by_real, type, type, span, values, 2);
    }
    const int32_t gives = tess__complex_rows[op].result;
    if (gives == TESS__GIVES_NOTHING) reject(c, op, span, values, n, true);
    const int32_t result = gives == TESS__GIVES_BOOL   ? TESS_BOOL
                           : gives == TESS__GIVES_REAL ? (int32_t)tess__dtypes[type].real
                                                       : type;
    return tess__typed_operator(c, op, type, result, span, values, n);
}

static void note_slow_path(tess__checker *c, int32_t op)
{
    if (op == TESS__OP_sin || op == TESS__OP_cos || op == TESS__OP_tan || op == TESS__OP_sinc)
        c->now.uses |= TESS__HAS_SLOW_PATH;
}

tess__typed tess__check_operator(tess__checker *c, int32_t op, bool real_only, tess__bytes span, tess__typed *values,
                                 int n)
{
    const tess__operator_row *row = &tess__operator_rows[op];
    if (row->types == TESS__IN_TRUTH) {
        for (int i = 0; i < n; i++) values[i] = tess__truth(c, values[i]);
        return tess__typed_operator(c, op, TESS_BOOL, TESS_BOOL, span, values, n);
    }
    if (op >= TESS__OP_equal && op <= TESS__OP_greater_equal) return check_compare(c, op, span, values);
    if (op == TESS__OP_shift_left || op == TESS__OP_shift_right) return check_shift(c, op, span, values);
    if (row->types == TESS__IN_BITS && n == 2 && all_bool(c, values, n))
        return tess__typed_operator(c, op, TESS_BOOL, TESS_BOOL, span, values, n);
    int32_t type = tess__meet(c, values, n);
    if (c->b.source->status != TESS_OK) return (tess__typed){ .node = 0 };
    note_slow_path(c, op);
    if (tess__is_complex(type)) return check_complex(c, op, type, span, values, n);
    const bool integer = tess__is_integer(type);
    if ((row->types == TESS__IN_INTEGER || row->types == TESS__IN_BITS) && !integer)
        reject(c, op, span, values, n, false);
    if (integer && (real_only || row->types == TESS__IN_FLOAT)) type = TESS_F64;
    const int32_t result = row->result == TESS__GIVES_BOOL            ? TESS_BOOL
                           : row->result == TESS__GIVES_MAKES_COMPLEX ? tess_dtype_complex(type)
                                                                      : type;
    return tess__typed_operator(c, op, type, result, span, values, n);
}
