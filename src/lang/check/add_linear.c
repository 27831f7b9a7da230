/* Linear split of what is added to a scatter: add_linear(s, b, d, h, x, e) becomes two additions, to the bins below and
 * above the position x, in the typed tree. tessera/op_view.h does the same for compiled bodies. */
#include "backend.h"
#include "lang/check/check.h"
#include "lang/front/lex.h"

typedef struct split {
    tess__checker *c;
    tess__bytes    span;
    int32_t        untyped;         /* the first of the arguments: b */
    int32_t        param, type;     /* the scatter */
    int32_t        x, low, part, e; /* variables: the position, the bin below, what goes above, what is added */
} split;

/* ---- Nodes ---- */

static tess__typed leaf(split *s, int32_t kind, int32_t type, int32_t op)
{
    const int32_t node = tess__build_node(&s->c->b, kind, s->span);
    s->c->b.nodes[node].type = type, s->c->b.nodes[node].op = op;
    return (tess__typed){ .node = node };
}

static tess__typed variable(split *s, int32_t v) { return leaf(s, TESS__NAME, s->c->b.variables[v].type, v); }

static tess__typed number(split *s, int32_t type, int value)
{
    const tess__typed v = leaf(s, TESS__NUMBER, type, 0);
    if (type == TESS_I64) s->c->b.nodes[v.node].value.i = value;
    else s->c->b.nodes[v.node].value.f[0] = value;
    return v;
}

static tess__typed apply(split *s, int32_t op, tess__typed x, tess__typed y)
{
    tess__typed values[2] = { x, y };
    return tess__check_operator(s->c, op, false, s->span, values, 2);
}

static int32_t statement(split *s, int32_t kind, int32_t op, int32_t first)
{
    const int32_t node = tess__build_node(&s->c->b, kind, s->span);
    s->c->b.nodes[node].op = op, s->c->b.nodes[node].first = first;
    return node;
}

/* A variable without a name, and the statement that sets it. */
static int32_t set(split *s, tess__list *list, tess__typed value)
{
    const int32_t v = tess__build_variable(&s->c->b, s->span);
    if (v < 0) return 0;
    s->c->b.variables[v].type = tess__type_of(s->c, value);
    tess__append(&s->c->b, list, statement(s, TESS__ASSIGN, v, value.node));
    return v;
}

static int32_t when(split *s, tess__typed condition, int32_t statements)
{
    tess__list list = { 0, 0 };
    tess__append(&s->c->b, &list, condition.node);
    tess__append(&s->c->b, &list, statement(s, TESS__BLOCK, 0, statements));
    return statement(s, TESS__IF, 0, list.first);
}

/* ---- The split ---- */

/* The position, in f64. */
static tess__typed position(split *s)
{
    const tess__node *nodes = s->c->untyped->nodes;
    const int32_t     x = nodes[nodes[nodes[s->untyped].next].next].next;
    const tess__typed v = tess__check_expression(s->c, x);
    if (v.node && tess__is_complex(tess__type_of(s->c, v)))
        TESS__WRONG(s->c, nodes[x].span, "position has type %s; it must be a real number",
                    tess__type_name(tess__type_of(s->c, v)));
    return tess__converted(s->c, v, TESS_F64);
}

static tess__typed added(split *s)
{
    const tess__node *nodes = s->c->untyped->nodes;
    int32_t           k = s->untyped;
    for (int i = 0; i < 4; i++) k = nodes[k].next;
    return tess__assigned(s->c, tess__check_expression(s->c, k), tess__promoted(s->type), "scatter", s->span);
}

/* One addition, `above` or below. */
static int32_t add(split *s, bool above)
{
    tess__list  list = { 0, 0 };
    tess__typed bin = tess__converted(s->c, variable(s, s->low), TESS_I64), share = variable(s, s->part);
    int32_t     k = s->untyped;
    for (int i = 0; i < 3; i++, k = s->c->untyped->nodes[k].next)
        tess__append(&s->c->b, &list, tess__index_checked(s->c, tess__check_expression(s->c, k)).node);
    if (above) bin = apply(s, TESS__OP_add, bin, number(s, TESS_I64, 1));
    else share = apply(s, TESS__OP_sub, number(s, s->c->b.variables[s->part].type, 1), share);
    const tess__typed e = tess__check_binary(s->c, TESS__MARK1('*'), s->span, variable(s, s->e), share);
    tess__append(&s->c->b, &list, bin.node);
    tess__append(&s->c->b, &list, tess__converted(s->c, e, s->type).node);
    s->c->now.cost += 2;
    return statement(s, TESS__SCATTER, s->param, list.first);
}

/* Between one bin before the first and the last: neither for NaN. */
static tess__typed is_near(split *s)
{
    const tess__typed size = leaf(s, TESS__SHAPE, TESS_I64, s->param);
    s->c->b.nodes[size.node].value.i = 3;
    const tess__typed least = apply(s, TESS__OP_greater_equal, variable(s, s->x), number(s, TESS_F64, -1));
    const tess__typed below = apply(s, TESS__OP_less, variable(s, s->x), tess__converted(s->c, size, TESS_F64));
    return apply(s, TESS__OP_logical_and, least, below);
}

static bool can_split(tess__checker *c, tess__bytes span, int32_t param, int32_t type)
{
    if (c->untyped->params[param].role == TESS__PARAM_VIEW)
        TESS__WRONG(c, span, "'%.*s' is a view, which is read-only; declare it 'scatter %s %.*s' to add to it",
                    TESS__SHOW(c, span), tess__type_name(c->untyped->params[param].type), TESS__SHOW(c, span));
    else if (tess__is_integer(type))
        TESS__WRONG(c, span,
                    "'%.*s' is a scatter of %s; add_linear divides values and needs f16, f32, f64, c16, c32 or c64",
                    TESS__SHOW(c, span), tess__type_name(type));
    return c->b.source->status == TESS_OK;
}

void tess__check_add_linear(tess__checker *c, int32_t untyped, tess__list *list)
{
    const tess__node *node = &c->untyped->nodes[untyped];
    split             s = { .c = c, .span = node->span, .untyped = node->first };
    tess__list        within = { 0, 0 };
    s.param = tess__check_view(c, node->span, true);
    if (s.param < 0) return;
    s.type = tess__bind(c, c->untyped->params[s.param].type);
    if (!can_split(c, node->span, s.param, s.type)) return;
    const int32_t wide = tess__promoted(s.type);
    c->now.uses |= TESS__USES_INDEX | TESS__USES_SIZE;
    s.x = set(&s, list, position(&s));
    s.low = set(&s, &within,
                tess__check_operator(c, TESS__OP_floor, false, s.span, (tess__typed[]){ variable(&s, s.x) }, 1));
    s.part = set(&s, &within,
                 tess__converted(c, apply(&s, TESS__OP_sub, variable(&s, s.x), variable(&s, s.low)),
                                 wide == TESS_F64 || wide == TESS_C64 ? TESS_F64 : TESS_F32));
    s.e = set(&s, &within, added(&s));
    tess__append(&c->b, &within, add(&s, false));
    const tess__typed any =
        apply(&s, TESS__OP_not_equal, variable(&s, s.part), number(&s, c->b.variables[s.part].type, 0));
    tess__append(&c->b, &within, when(&s, any, add(&s, true)));
    tess__append(&c->b, list, when(&s, is_near(&s), within.first));
}
