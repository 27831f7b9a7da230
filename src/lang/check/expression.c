/* Type checking of expressions: names, elements of views, operators, conditional expressions. */
#include "backend.h"
#include "lang/check/check.h"
#include "lang/front/lex.h"

static tess__typed nothing(void) { return (tess__typed){ .node = 0 }; }

static tess__typed leaf(tess__checker *c, int32_t kind, int32_t type, tess__bytes span, tess__knowledge is)
{
    const int32_t node = tess__build_node(&c->b, kind, span);
    c->b.nodes[node].type = type;
    return (tess__typed){ .node = node, .is = is };
}

/* ---- Names ---- */

/* The index b, d, h or w; false if it is none of them, or not available here. */
static bool check_index(tess__checker *c, tess__bytes name, tess__typed *out)
{
    static const char *const axes[] = { "b", "d", "h", "w", NULL };
    const int32_t axis = c->part == TESS__WITHIN_BODY ? tess__keyword_index(c->untyped->text, name, axes) : -1;
    if (axis < 0) return false;
    c->now.uses |= TESS__USES_INDEX;
    *out = leaf(c, TESS__INDEX, TESS_I64, name, (tess__knowledge){ axis < 3, 0 });
    c->b.nodes[out->node].op = axis;
    return true;
}

/* May the value be read here? */
static void check_read(tess__checker *c, tess__bytes name, const tess__variable *variable)
{
    if (variable->param < 0) return;
    const tess__param *param = &c->untyped->params[variable->param];
    if (param->role == TESS__PARAM_OUT && !(c->assigned >> variable->param & 1))
        TESS__WRONG(c, name, "output '%.*s' is read before it is assigned; declare it inout to read it first",
                    TESS__SHOW(c, name));
    if (param->role == TESS__PARAM_ACC && param->monoid != TESS__MONOID_NONE && c->part == TESS__WITHIN_BODY)
        TESS__WRONG(c, name, "accumulator '%.*s' cannot be read during the reduction; its value is known in post",
                    TESS__SHOW(c, name));
}

static tess__typed check_name(tess__checker *c, tess__bytes name)
{
    tess__typed        out;
    const tess__named *entry = tess__scope_find(c, name, false);
    if (entry && entry->variable >= 0) {
        const tess__variable variable = c->b.variables[entry->variable];
        check_read(c, name, &variable);
        if (variable.is_first)
            TESS__WRONG(c, name, "'%.*s' is a struct; name a member of it: %.*s.%.*s", TESS__SHOW(c, name),
                        TESS__SHOW(c, name), TESS__SHOW(c, tess__first_member(c, variable.is_first)));
        out = leaf(c, TESS__NAME, variable.type, name, c->knowledge[entry->variable]);
        c->b.nodes[out.node].op = entry->variable;
        return out;
    }
    if (entry && entry->param >= 0) {
        const bool view = c->untyped->params[entry->param].role == TESS__PARAM_VIEW;
        TESS__WRONG(c, name,
                    view ? "'%.*s' is a view; read an element of it: %.*s[b,d,h,w]"
                         : "'%.*s' is a scatter, which can only be added to: %.*s[b,d,h,w] += ..",
                    TESS__SHOW(c, name), TESS__SHOW(c, name));
        return nothing();
    }
    if (check_index(c, name, &out)) return out;
    if (c->part == TESS__WITHIN_POST && TESS__IS(c->untyped->text, name, "count"))
        return leaf(c, TESS__COUNT, TESS_I64, name, (tess__knowledge){ true, 0 });
    tess__unknown_name(c, name);
    return nothing();
}

/* ---- Elements ---- */

int32_t tess__check_view(tess__checker *c, tess__bytes name, bool scatter)
{
    const tess__named *entry = tess__scope_find(c, name, false);
    if (entry && entry->param >= 0) {
        if (scatter || c->untyped->params[entry->param].role == TESS__PARAM_VIEW) return entry->param;
        TESS__WRONG(c, name, "'%.*s' is a scatter, which cannot be read; declare a view for that", TESS__SHOW(c, name));
        return -1;
    }
    if (!entry || entry->variable < 0) {
        tess__unknown_name(c, name);
        return -1;
    }
    const int32_t      k = c->b.variables[entry->variable].param;
    const tess__param *param = k < 0 ? NULL : &c->untyped->params[k];
    if (param && param->role == TESS__PARAM_IN)
        TESS__WRONG(c, name, "'%.*s' is an element-wise 'in' value, not a view; declare it 'view %s %.*s' to index it",
                    TESS__SHOW(c, name), tess__type_name(param->type), TESS__SHOW(c, name));
    else
        TESS__WRONG(c, name, "'%.*s' is %s, not a view, and has no elements", TESS__SHOW(c, name),
                    !param                           ? "a variable"
                    : param->role == TESS__PARAM_VAL ? "a single value"
                                                     : "an element-wise value");
    return -1;
}

tess__typed tess__index_checked(tess__checker *c, tess__typed v)
{
    const tess__node *node = &c->b.nodes[v.node];
    if (v.node && !tess__is_integer(node->type))
        TESS__WRONG(c, node->span, "index has type %s; indices must be integers%s", tess__type_name(node->type),
                    tess__is_real(node->type) ? " (use (i32)floor(..))" : "");
    return tess__converted(c, v, TESS_I64);
}

int32_t tess__check_indices(tess__checker *c, int32_t untyped, int32_t kind, int32_t param, tess__list *list)
{
    const tess__node *nodes = c->untyped->nodes;
    int32_t           k = nodes[untyped].first;
    for (int i = 0; i < 4; i++, k = nodes[k].next)
        tess__append(&c->b, list, tess__index_checked(c, tess__check_expression(c, k)).node);
    const int32_t node = tess__build_node(&c->b, kind, nodes[untyped].span);
    c->b.nodes[node].op = param, c->b.nodes[node].first = list->first;
    c->now.uses |= TESS__USES_INDEX;
    return node;
}

static tess__typed check_element(tess__checker *c, int32_t untyped)
{
    const tess__bytes name = c->untyped->nodes[untyped].span;
    const int32_t     param = tess__check_view(c, name, false);
    if (param < 0) return nothing();
    tess__list    list = { 0, 0 };
    const int32_t node = tess__check_indices(c, untyped, TESS__AT, param, &list);
    c->b.nodes[node].type = tess__bind(c, c->untyped->params[param].type);
    c->now.cost += 1;
    return (tess__typed){ .node = node };
}

/* ---- Operators ---- */

static int32_t binary_op(int32_t mark)
{
    switch (mark) {
    case TESS__MARK1('+'): return TESS__OP_add;
    case TESS__MARK1('-'): return TESS__OP_sub;
    case TESS__MARK1('*'): return TESS__OP_mul;
    case TESS__MARK1('/'): return TESS__OP_div;
    case TESS__MARK1('%'): return TESS__OP_mod;
    case TESS__MARK1('&'): return TESS__OP_bit_and;
    case TESS__MARK1('|'): return TESS__OP_bit_or;
    case TESS__MARK1('^'): return TESS__OP_bit_xor;
    case TESS__MARK1('<'): return TESS__OP_less;
    case TESS__MARK1('>'): return TESS__OP_greater;
    case TESS__MARK2('<', '='): return TESS__OP_less_equal;
    case TESS__MARK2('>', '='): return TESS__OP_greater_equal;
    case TESS__MARK2('=', '='): return TESS__OP_equal;
    case TESS__MARK2('!', '='): return TESS__OP_not_equal;
    case TESS__MARK2('<', '<'): return TESS__OP_shift_left;
    case TESS__MARK2('>', '>'): return TESS__OP_shift_right;
    case TESS__MARK2('&', '&'): return TESS__OP_logical_and;
    default: return TESS__OP_logical_or;
    }
}

tess__typed tess__check_binary(tess__checker *c, int32_t mark, tess__bytes span, tess__typed left, tess__typed right)
{
    tess__typed   values[2] = { left, right };
    const int32_t op = binary_op(mark);
    if (op == TESS__OP_mod)
        for (int i = 0; i < 2; i++)
            if (values[i].node && !tess__is_integer(tess__type_of(c, values[i])))
                TESS__WRONG(c, span, "'%%' takes integers only, and this is %s; use fmod(x, y)",
                            tess__type_name(tess__type_of(c, values[i])));
    if ((op == TESS__OP_bit_xor) && !tess__is_integer(tess__type_of(c, left)) && left.node)
        TESS__WRONG(c, span, "'^' is bitwise and takes integers only, and this is %s; use pow(x, y)",
                    tess__type_name(tess__type_of(c, left)));
    if (c->b.source->status != TESS_OK) return nothing();
    return tess__check_operator(c, op, false, span, values, 2);
}

static tess__typed check_unary(tess__checker *c, int32_t untyped)
{
    const tess__node *node = &c->untyped->nodes[untyped];
    tess__typed       v = tess__check_expression(c, node->first);
    if (c->b.source->status != TESS_OK) return nothing();
    switch (node->op) {
    case '-': return tess__check_operator(c, TESS__OP_neg, false, node->span, &v, 1);
    case '!': return tess__check_operator(c, TESS__OP_logical_not, false, node->span, &v, 1);
    case '~': return tess__check_operator(c, TESS__OP_bit_not, false, node->span, &v, 1);
    default: return tess__converted(c, v, tess__promoted(tess__type_of(c, v)));
    }
}

tess__typed tess__check_select(tess__checker *c, tess__bytes span, tess__typed condition, tess__typed yes,
                               tess__typed no)
{
    tess__typed values[2] = { yes, no };
    condition = tess__truth(c, condition);
    const int32_t first = tess__type_of(c, yes);
    const int32_t type = first == tess__type_of(c, no) ? first : tess__meet(c, values, 2);
    if (c->b.source->status != TESS_OK) return nothing();
    tess__list list = { 0, 0 };
    tess__append(&c->b, &list, condition.node);
    for (int i = 0; i < 2; i++) tess__append(&c->b, &list, tess__converted(c, values[i], type).node);
    tess__typed out = leaf(c, TESS__SELECT, type, span, condition.is);
    for (int i = 0; i < 2; i++) {
        out.is.uniform &= values[i].is.uniform, out.is.needs |= values[i].is.needs;
        if (type == TESS_F64 && yes.literal.length && no.literal.length) out.literal = yes.literal;
    }
    c->b.nodes[out.node].first = list.first;
    c->now.cost += 0.1;
    return out;
}

static tess__typed check_choice(tess__checker *c, int32_t untyped)
{
    const tess__node *nodes = c->untyped->nodes;
    const int32_t     condition = nodes[untyped].first, yes = nodes[condition].next, no = nodes[yes].next;
    const tess__typed v = tess__check_expression(c, condition), y = tess__check_expression(c, yes);
    return tess__check_select(c, nodes[untyped].span, v, y, tess__check_expression(c, no));
}

static tess__typed check_number(tess__checker *c, const tess__node *untyped)
{
    tess__typed out = leaf(c, TESS__NUMBER, untyped->type, untyped->span, (tess__knowledge){ true, 0 });
    c->b.nodes[out.node].value = untyped->value;
    c->b.nodes[out.node].computed = untyped->computed;
    if (untyped->type == TESS_F64 && untyped->computed == 0) out.literal = untyped->span;
    return out;
}

static tess__typed check_conversion(tess__checker *c, const tess__node *untyped)
{
    tess__typed   v = tess__check_expression(c, untyped->first);
    const int32_t type = tess__bind(c, untyped->type);
    if (v.node && tess__is_complex(tess__type_of(c, v)) && !tess__is_complex(type))
        TESS__WRONG(c, untyped->span,
                    "a complex number does not convert to %s implicitly; use real(..), imag(..) or abs(..)",
                    tess__type_name(type));
    v = tess__converted(c, v, type);
    v.literal.length = 0;
    if (c->b.nodes[v.node].kind == TESS__NUMBER) c->b.nodes[v.node].computed = 0;
    return v;
}

static tess__typed check_by_kind(tess__checker *c, int32_t untyped)
{
    const tess__node *node = &c->untyped->nodes[untyped];
    switch (node->kind) {
    case TESS__NUMBER: return check_number(c, node);
    case TESS__IDENTIFIER: return check_name(c, node->span);
    case TESS__UNARY: return check_unary(c, untyped);
    case TESS__BINARY: {
        const tess__typed left = tess__check_expression(c, node->first);
        return tess__check_binary(c, node->op, node->span, left,
                                  tess__check_expression(c, c->untyped->nodes[node->first].next));
    }
    case TESS__CONVERT: return check_conversion(c, node);
    case TESS__SELECT: return check_choice(c, untyped);
    case TESS__ELEMENT: return check_element(c, untyped);
    case TESS__MEMBER: return tess__check_member(c, untyped);
    default: return tess__check_call(c, untyped);
    }
}

tess__typed tess__check_expression(tess__checker *c, int32_t untyped)
{
    c->now.size++;
    if (c->b.source->status != TESS_OK) return nothing();
    if (++c->depth > c->now.depth) c->now.depth = c->depth;
    const tess__typed out = check_by_kind(c, untyped);
    c->depth--;
    return out;
}
