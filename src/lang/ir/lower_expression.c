/* Lowering of expressions to SSA values; functions are inlined. */
#include "lang/ir/lower.h"

#include "backend.h"
#include "core/device/memory.h"

enum { MAX_VISITS = 1 << 18 };

int32_t tess__lower_arguments(lowering *l, const tess__node *node, int32_t *args, int max)
{
    int n = 0;
    for (int32_t c = node->first; c && n < max; c = tess__lower_node(l, c)->next)
        args[n++] = tess__lower_expression(l, c);
    return n;
}

/* If x is the last index plus a uniform value: that value, so that a row can be read as it lies. Else -1. */
static int32_t shift_of(lowering *l, int32_t x)
{
    if (l->all.status != TESS_OK) return -1;
    const value v = l->all.v[x];
    if (v.kind == TESS__DO_IOTA && v.type == TESS_I64)
        return tess__lower_constant(l, TESS_I64, &(tess__constant){ .i = 0 });
    if (v.kind != TESS__DO_OPERATOR || v.type != TESS_I64 || (v.op != TESS__OP_add && v.op != TESS__OP_sub)) return -1;
    const bool first = l->all.v[v.args[0]].uniform, second = l->all.v[v.args[1]].uniform;
    if (first == second || (first && v.op == TESS__OP_sub)) return -1;
    const int32_t inner = shift_of(l, v.args[first ? 1 : 0]), added = v.args[first ? 0 : 1];
    if (inner < 0) return -1;
    return tess__lower_operation(l, v.op, TESS_I64, TESS_I64, 2, (int32_t[]){ inner, added });
}

static bool all_uniform(const lowering *l, const int32_t *args, int n)
{
    bool all = true;
    for (int k = 0; k < n; k++) all &= l->all.v[args[k]].uniform;
    return all;
}

static int32_t read_view(lowering *l, const tess__node *node)
{
    const tess__param *view = &l->tree->params[node->op];
    value              like = { .kind = TESS__DO_AT,
                                .type = (uint8_t)node->type,
                                .to = (uint8_t)node->type,
                                .op = (int16_t)node->op,
                                .uniform = true };
    like.n_args = (uint8_t)tess__lower_arguments(l, node, like.args, 4);
    if (l->all.status != TESS_OK) return 0;
    const bool    error = view->border == TESS__BORDER_FAULT;
    const int32_t here = error ? tess__lower_live(l) : -1;
    if (here >= 0) like.args[like.n_args++] = here;
    else if (!tess__is_spectrum(view->border) && all_uniform(l, like.args, 3) && !l->all.v[like.args[3]].uniform) {
        const int32_t shift = shift_of(l, like.args[3]);
        if (shift >= 0) {
            like.kind = TESS__DO_ROW;
            like.args[3] = shift;
            like.uniform = false;
        }
    }
    return tess__value(&l->all, &like, error);
}

static int32_t interpolate(lowering *l, const tess__node *node)
{
    value      like = { .kind = TESS__DO_INTERP,
                        .type = (uint8_t)node->type,
                        .to = (uint8_t)node->type,
                        .op = (int16_t)node->op,
                        .uniform = true,
                        .step = node->value.i + (node->computed == TESS_F64 ? TESS__INTERP_F64 : 0) };
    const bool error = l->tree->params[node->op].border == TESS__BORDER_FAULT;
    like.n_args = (uint8_t)tess__lower_arguments(l, node, like.args, 4);
    const int32_t here = error ? tess__lower_live(l) : -1;
    if (here >= 0) like.args[like.n_args++] = here;
    return tess__value(&l->all, &like, error);
}

static int32_t call_function(lowering *l, const tess__node *node)
{
    const tess__function *f = &l->tree->functions[node->op];
    enum { ON_STACK = 64 };
    int32_t   args[ON_STACK], *given = args, result = 0;
    const int n = f->count;
    if (n > ON_STACK) {
        given = tess__alloc((size_t)n * sizeof *given);
        if (!given) {
            tess__values_fail(&l->all, tess__no_program_memory(l->tree, (size_t)n * sizeof *given));
            return 0;
        }
    }
    (void)tess__lower_arguments(l, node, given, n);
    for (int k = 0; k < n; k++) l->now[f->first + k] = given[k];
    if (given != args) tess__free(given);
    /* Its variables are its own: elements that have left an iteration outside need not keep them. */
    const int32_t outer = l->gate, mask = l->mask, skipped = l->skipped;
    l->gate = tess__lower_gate(l);
    l->mask = l->skipped = -1;
    for (int32_t s = f->body; s && l->all.status == TESS_OK; s = tess__lower_node(l, s)->next) {
        if (tess__lower_node(l, s)->kind == TESS__RETURN) {
            result = tess__lower_expression(l, tess__lower_node(l, s)->first);
            break;
        }
        tess__lower_statements(l, s);
    }
    l->gate = outer;
    l->mask = mask;
    l->skipped = skipped;
    return result;
}

/* An expression that is evaluated only where the condition holds. */
static int32_t expression_where(lowering *l, int32_t condition, int32_t n)
{
    const int32_t outer = l->mask;
    l->mask = tess__lower_both(l, outer, condition);
    const int32_t x = tess__lower_expression(l, n);
    l->mask = outer;
    return x;
}

static int32_t selection(lowering *l, const tess__node *node)
{
    const int32_t first = tess__lower_node(l, node->first)->next, condition = tess__lower_expression(l, node->first);
    const int32_t yes = expression_where(l, condition, first);
    const int32_t no = expression_where(l, tess__lower_not(l, condition), tess__lower_node(l, first)->next);
    return tess__lower_choice(l, node->type, condition, yes, no);
}

/* x && y and x || y: y is evaluated where x does not decide. */
static int32_t connected(lowering *l, const tess__node *node)
{
    const int32_t x = tess__lower_expression(l, node->first);
    const int32_t open = node->op == TESS__OP_logical_and ? x : tess__lower_not(l, x);
    return tess__lower_logical(l, node->op, x, expression_where(l, open, tess__lower_node(l, node->first)->next));
}

static bool connects(const tess__node *node)
{
    return node->computed == TESS_BOOL && (node->op == TESS__OP_logical_and || node->op == TESS__OP_logical_or);
}

static int32_t value_of(lowering *l, const tess__node *node)
{
    int32_t args[TESS__MAX_ARGS];
    switch (node->kind) {
    case TESS__NUMBER: return tess__lower_constant(l, node->type, &node->value);
    case TESS__NAME:
        if (l->now[node->op] >= 0) return l->now[node->op];
        return tess__lower_constant(l, node->type,
                                    &(tess__constant){ .f = { 0, 0 } }); /* the checker lets none through */
    case TESS__INDEX:
        if (node->op == 3) return tess__lower_load(l, TESS__DO_IOTA, 0, TESS_I64, false);
        return tess__lower_leaf(l, VALUE_INDEX, 0, node->op, TESS_I64);
    case TESS__SHAPE: return tess__lower_leaf(l, VALUE_SHAPE, node->op, node->value.i, TESS_I64);
    case TESS__SIZE: return tess__lower_leaf(l, VALUE_SIZE, 0, node->value.i, TESS_I64);
    case TESS__COUNT: return tess__lower_leaf(l, VALUE_COUNT, 0, 0, TESS_I64);
    case TESS__OPERATOR: {
        if (connects(node)) return connected(l, node);
        const int count = tess__lower_arguments(l, node, args, 3);
        return tess__lower_operator(l, node->op, node->computed, node->type, count, args);
    }
    case TESS__CONVERT: {
        const int32_t x = tess__lower_expression(l, node->first);
        return tess__lower_cast(l, x, tess__lower_node(l, node->first)->type, node->type);
    }
    case TESS__SELECT: return selection(l, node);
    case TESS__AT: return read_view(l, node);
    case TESS__INTERP: return interpolate(l, node);
    case TESS__RANDOM:
        (void)tess__lower_arguments(l, node, args, 2);
        return tess__value(&l->all,
                           &(value){ .kind = TESS__DO_RANDOM,
                                     .type = TESS_F32,
                                     .to = TESS_F32,
                                     .uniform = true,
                                     .n_args = 2,
                                     .args = { args[0], args[1] } },
                           false);
    default: return call_function(l, node);
    }
}

bool tess__lower_visit(lowering *l, const tess__node *node)
{
    l->all.at = node->span;
    if (++l->visits > MAX_VISITS)
        TESS__VALUES_WRONG(&l->all, node->span,
                           "more than %d nodes after inlining functions, which is the limit; split the operator",
                           MAX_VISITS);
    return l->all.status == TESS_OK;
}

int32_t tess__lower_expression(lowering *l, int32_t n)
{
    const tess__bytes outer = l->all.at;
    const int32_t     x = tess__lower_visit(l, tess__lower_node(l, n)) ? value_of(l, tess__lower_node(l, n)) : 0;
    l->all.at = outer;
    return x;
}
