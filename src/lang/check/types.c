/* Type promotion: the common type of operands, and the conversions to it. */
#include "backend.h"
#include "core/dtype.h"
#include "lang/check/check.h"
#include "lang/front/lex.h"

/* ---- Kinds of types ---- */

int32_t tess__bind(const tess__checker *c, int32_t type) { return type < 0 ? c->letters[-1 - type] : type; }

bool tess__is_integer(int32_t type) { return type >= TESS_BOOL && type <= TESS_U64; }
bool tess__is_real(int32_t type) { return type >= TESS_F16 && type <= TESS_F64; }
bool tess__is_complex(int32_t type) { return type >= TESS_C16 && type <= TESS_C64; }
bool tess__is_unsigned(int32_t type) { return type == TESS_BOOL || (type >= TESS_U8 && type <= TESS_U64); }

int32_t tess__promoted(int32_t type)
{
    switch (type) {
    case TESS_BOOL:
    case TESS_I8:
    case TESS_I16:
    case TESS_U8:
    case TESS_U16: return TESS_I32;
    case TESS_F16: return TESS_F32;
    case TESS_C16: return TESS_C32;
    default: return type;
    }
}

/* Of two promoted types. */
static int32_t common_type(int32_t a, int32_t b)
{
    if (a == b) return a;
    const bool wide = a == TESS_F64 || b == TESS_F64 || a == TESS_C64 || b == TESS_C64;
    if (tess__is_complex(a) || tess__is_complex(b)) return wide ? TESS_C64 : TESS_C32;
    if (tess__is_real(a) || tess__is_real(b)) return wide ? TESS_F64 : TESS_F32;
    if (a == TESS_U64 || b == TESS_U64) return TESS_U64;
    if (a == TESS_I64 || b == TESS_I64) return TESS_I64;
    return TESS_U32;
}

/* ---- Conversions ---- */

tess__typed tess__converted(tess__checker *c, tess__typed v, int32_t type)
{
    const tess__node from = c->b.nodes[v.node];
    if (from.type == type || v.node == 0) return v;
    v.literal.length = 0;
    if (from.kind == TESS__NUMBER) {
        tess__node *number = &c->b.nodes[v.node];
        number->value = tess__constant_as(from.value, from.type, type);
        number->type = type, number->computed = 0;
        return v;
    }
    const int32_t node = tess__build_node(&c->b, TESS__CONVERT, from.span);
    c->b.nodes[node].type = type, c->b.nodes[node].first = v.node;
    c->now.cost += 0.1;
    v.node = node;
    return v;
}

tess__typed tess__assigned(tess__checker *c, tess__typed v, int32_t type, const char *what, tess__bytes name)
{
    const tess__node *node = &c->b.nodes[v.node];
    if (tess__is_complex(node->type) && !tess__is_complex(type))
        TESS__WRONG(c, node->span, "value is %s, but %s '%.*s' is %s; use real(..), imag(..) or abs(..)",
                    tess__type_name(node->type), what, TESS__SHOW(c, name), tess__type_name(type));
    else if (node->kind == TESS__NUMBER && node->computed == TESS__WEAK_INTEGER && tess__is_integer(type) &&
             !tess__constant_fits(node->value, node->type, type))
        TESS__WRONG(c, node->span,
                    "literal does not fit %s '%.*s', which is %s; convert it explicitly if intended: (%s)(..)", what,
                    TESS__SHOW(c, name), tess__type_name(type), tess__type_name(type));
    return tess__converted(c, v, type);
}

tess__typed tess__truth(tess__checker *c, tess__typed v)
{
    const tess__node *node = &c->b.nodes[v.node];
    if (tess__is_complex(node->type))
        TESS__WRONG(c, node->span, "a condition cannot be %s; compare it: z != 0", tess__type_name(node->type));
    return tess__converted(c, v, TESS_BOOL);
}

/* ---- Common types ---- */

static int32_t weakness(const tess__checker *c, tess__typed v)
{
    const tess__node *node = &c->b.nodes[v.node];
    return node->kind == TESS__NUMBER ? node->computed : 0;
}

/* The type of a weak number next to a strong one. */
static int32_t weak_type(const tess__checker *c, tess__typed v, int32_t strong)
{
    const tess__node *node = &c->b.nodes[v.node];
    if (!tess__is_integer(strong)) return tess__dtypes[strong].real;
    if (node->computed == TESS__WEAK_INTEGER && tess__constant_fits(node->value, node->type, strong)) return strong;
    return node->type;
}

/* A literal without a suffix next to f32 would make everything f64, which is hardly ever meant. */
static void check_literals(tess__checker *c, const tess__typed *values, int n)
{
    bool single = false;
    for (int i = 0; i < n; i++) {
        const int32_t type = tess__type_of(c, values[i]);
        single |= type == TESS_F16 || type == TESS_F32 || type == TESS_C16 || type == TESS_C32;
    }
    for (int i = 0; i < n && single; i++) {
        const tess__bytes span = values[i].literal;
        const char       *text = tess__text_at(c, span);
        bool              real = false;
        for (int32_t k = 0; k < span.length; k++) real |= text[k] == '.' || (text[k] | 32) == 'e';
        if (span.length && tess__is_letter(*text))
            TESS__WRONG(c, span, "'%.*s' is f64 here and would promote the whole expression to f64; write (f32)%.*s",
                        TESS__SHOW(c, span), TESS__SHOW(c, span));
        else if (span.length)
            TESS__WRONG(c, span, "literal is f64 and would promote the whole expression to f64; write %.*s%s",
                        TESS__SHOW(c, span), real ? "f" : ".0f");
    }
}

int32_t tess__meet(tess__checker *c, tess__typed *values, int n)
{
    int32_t strong = 0;
    check_literals(c, values, n);
    for (int i = 0; i < n; i++) {
        const int32_t type = tess__promoted(tess__type_of(c, values[i]));
        if (!weakness(c, values[i])) strong = strong ? common_type(strong, type) : type;
    }
    int32_t type = strong;
    for (int i = 0; i < n; i++)
        if (weakness(c, values[i])) {
            const int32_t weak = strong ? weak_type(c, values[i], strong) : tess__type_of(c, values[i]);
            type = type ? common_type(type, weak) : weak;
        }
    return type;
}

/* ---- Operators ---- */

static float cost_of(int32_t op, int32_t computed)
{
    const float cost = tess__is_complex(computed) ? tess__complex_rows[op].cost : tess__operator_rows[op].cost;
    const bool  wide = computed == TESS_F64 || computed == TESS_C64 || computed == TESS_I64 || computed == TESS_U64;
    return wide ? 2 * cost : cost;
}

/* The literal that makes the values f64, if literals alone do. */
static tess__bytes find_literal(const tess__checker *c, const tess__typed *values, int n)
{
    tess__bytes found = { 0, 0 };
    for (int i = 0; i < n; i++) {
        if (!values[i].literal.length && !weakness(c, values[i])) return (tess__bytes){ 0, 0 };
        if (!found.length) found = values[i].literal;
    }
    return found.length ? found : c->b.nodes[values[0].node].span;
}

/* The result of weak literals alone is weak. */
static int32_t common_weakness(const tess__checker *c, const tess__typed *values, int n)
{
    int32_t common = 0;
    for (int i = 0; i < n; i++) {
        const int32_t weak = weakness(c, values[i]);
        if (!weak) return 0;
        if (weak > common) common = weak;
    }
    return common;
}

/* Its operands have types of their own, and were converted. */
static bool is_by_real(int32_t op) { return op == TESS__OP_mul_real || op == TESS__OP_div_real; }

tess__typed tess__typed_operator(tess__checker *c, int32_t op, int32_t computed, int32_t type, tess__bytes span,
                                 const tess__typed *values, int n)
{
    tess__typed   out = { .is = { true, 0 } };
    tess__list    list = { 0, 0 };
    const int32_t weak = type == TESS_BOOL ? 0 : common_weakness(c, values, n);
    if (type == TESS_F64) out.literal = find_literal(c, values, n);
    for (int i = 0; i < n; i++) {
        const tess__typed v = is_by_real(op) ? values[i] : tess__converted(c, values[i], computed);
        out.is.uniform &= v.is.uniform, out.is.needs |= v.is.needs;
        tess__append(&c->b, &list, v.node);
    }
    out.node = tess__build_node(&c->b, TESS__OPERATOR, span);
    tess__node *node = &c->b.nodes[out.node];
    node->op = op, node->computed = computed, node->type = type, node->first = list.first;
    if (out.node == 0 || !tess__fold(c, out.node)) {
        c->now.cost += (double)cost_of(op, computed);
        return out;
    }
    c->b.nodes[out.node].computed = weak;
    if (weak) out.literal.length = 0;
    return out;
}
