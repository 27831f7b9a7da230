/* Approximate equality in texts: isclose is a function of the typed tree, made of the comparisons that tess_isclose
 * makes, in f64 or c64. As arguments of a function x and y are checked and computed once, however often they are used,
 * so that isclose within isclose stays linear. */
#include "backend.h"
#include "lang/check/check.h"

/* Variables of the function: its parameters, and a local. */
enum { X, Y, RTOL, ATOL, N_ARGUMENTS, FIT = N_ARGUMENTS, N_VARIABLES };

typedef struct closeness {
    tess__checker *c;
    tess__bytes    span;
    int32_t        first;  /* of the variables */
    int32_t        wide;   /* the type of x and y */
    bool           scales; /* their difference may overflow */
} closeness;

static tess__typed apply(closeness *k, int32_t op, tess__typed x, tess__typed y)
{
    tess__typed values[2] = { x, y };
    return tess__check_operator(k->c, op, false, k->span, values, 2);
}

static tess__typed apply1(closeness *k, int32_t op, tess__typed x)
{
    return tess__check_operator(k->c, op, false, k->span, &x, 1);
}

static tess__typed leaf(closeness *k, int32_t kind, int32_t type)
{
    const int32_t node = tess__build_node(&k->c->b, kind, k->span);
    k->c->b.nodes[node].type = type;
    return (tess__typed){ .node = node, .is = { true, 0 } };
}

static tess__typed number(closeness *k, double value)
{
    const tess__typed v = leaf(k, TESS__NUMBER, TESS_F64);
    k->c->b.nodes[v.node].value.f[0] = value;
    return v;
}

static tess__typed operand(closeness *k, int i)
{
    const tess__typed v = leaf(k, TESS__NAME, k->c->b.variables[k->first + i].type);
    k->c->b.nodes[v.node].op = k->first + i;
    return v;
}

/* The larger part of a number: without the overflow that its length might have. */
static tess__typed magnitude(closeness *k, int i)
{
    if (!tess__is_complex(k->wide)) return apply1(k, TESS__OP_abs, operand(k, i));
    const tess__typed re = apply1(k, TESS__OP_abs, apply1(k, TESS__OP_real, operand(k, i)));
    return apply(k, TESS__OP_fmax, re, apply1(k, TESS__OP_abs, apply1(k, TESS__OP_imag, operand(k, i))));
}

/* What numbers so large that their difference might overflow are scaled by: exact. */
static tess__typed fitting(closeness *k)
{
    const tess__typed largest = apply(k, TESS__OP_fmax, magnitude(k, X), magnitude(k, Y));
    const tess__typed large = apply(k, TESS__OP_greater, largest, number(k, 0x1p900));
    return tess__check_select(k->c, k->span, large, number(k, 0x1p-200), number(k, 1));
}

static tess__typed scaled(closeness *k, int i)
{
    return k->scales ? apply(k, TESS__OP_mul, operand(k, i), operand(k, FIT)) : operand(k, i);
}

static tess__typed is_near(closeness *k)
{
    const tess__typed apart = apply(k, TESS__OP_sub, scaled(k, X), scaled(k, Y));
    const tess__typed length = apply1(k, TESS__OP_abs, scaled(k, Y));
    const tess__typed relative = apply(k, TESS__OP_mul, operand(k, RTOL), length);
    const tess__typed allowed = apply(k, TESS__OP_add, scaled(k, ATOL), relative);
    return apply(k, TESS__OP_less_equal, apply1(k, TESS__OP_abs, apart), allowed);
}

static tess__typed are_finite(closeness *k)
{
    const tess__typed x = apply1(k, TESS__OP_is_finite, operand(k, X));
    return apply(k, TESS__OP_logical_and, x, apply1(k, TESS__OP_is_finite, operand(k, Y)));
}

static tess__typed is_close(closeness *k)
{
    const tess__typed same = apply(k, TESS__OP_equal, operand(k, X), operand(k, Y));
    const tess__typed near = apply(k, TESS__OP_logical_and, are_finite(k), is_near(k));
    return apply(k, TESS__OP_logical_or, same, near);
}

/* ---- The function ---- */

static int32_t statement(closeness *k, int32_t kind, int32_t variable, tess__typed value)
{
    const int32_t node = tess__build_node(&k->c->b, kind, k->span);
    k->c->b.nodes[node].op = variable, k->c->b.nodes[node].first = value.node;
    return node;
}

/* Its statements: the first of them. */
static int32_t build_body(closeness *k)
{
    tess__list list = { 0, 0 };
    if (k->scales) tess__append(&k->c->b, &list, statement(k, TESS__ASSIGN, k->first + FIT, fitting(k)));
    tess__append(&k->c->b, &list, statement(k, TESS__RETURN, 0, is_close(k)));
    return list.first;
}

/* Build the function, and find out how large it is; -1 with no memory. */
static int32_t build_function(closeness *k, tess__profile *profile)
{
    tess__builder      *b = &k->c->b;
    const tess__profile outer = k->c->now;
    const int32_t       nodes = b->n_nodes;
    k->first = b->n_variables;
    for (int i = 0; i < N_VARIABLES; i++) {
        const int32_t variable = tess__build_variable(b, k->span);
        if (variable < 0) return -1;
        b->variables[variable].type = i <= Y ? k->wide : TESS_F64;
    }
    k->c->now = (tess__profile){ .trips = 1 };
    const int32_t body = build_body(k), f = tess__build_function(b, k->span);
    *profile = k->c->now;
    profile->size = b->n_nodes - nodes;
    k->c->now = outer;
    if (f < 0) return -1;
    b->functions[f] =
        (tess__function){ .name = k->span, .type = TESS_BOOL, .first = k->first, .count = N_ARGUMENTS, .body = body };
    return f;
}

static tess__typed call(closeness *k, const tess__typed *arguments)
{
    tess__checker *c = k->c;
    int32_t       *function = &c->isclose[k->wide == TESS_C64][k->scales];
    tess__profile *profile = &c->isclose_profile[k->wide == TESS_C64][k->scales];
    tess__list     list = { 0, 0 };
    if (*function < 0) *function = build_function(k, profile);
    tess__check_inlined(c, k->span, profile);
    if (c->b.source->status != TESS_OK) return (tess__typed){ .node = 0 };
    tess__typed out = leaf(k, TESS__USER, TESS_BOOL);
    for (int i = 0; i < N_ARGUMENTS; i++) {
        out.is.uniform &= arguments[i].is.uniform, out.is.needs |= arguments[i].is.needs;
        tess__append(&c->b, &list, arguments[i].node);
    }
    c->b.nodes[out.node].op = *function, c->b.nodes[out.node].first = list.first;
    return out;
}

/* ---- Arguments ---- */

static void check_tolerance(closeness *k, int i, tess__typed v, int32_t untyped)
{
    const int32_t type = tess__type_of(k->c, v);
    if (v.node && tess__is_complex(type))
        TESS__WRONG(k->c, k->c->untyped->nodes[untyped].span, "%s of 'isclose' has type %s; a real number is needed",
                    i == RTOL ? "rtol" : "atol", tess__type_name(type));
}

/* The type of x and y. */
static void note_type(closeness *k, tess__typed v)
{
    const int32_t type = tess__type_of(k->c, v);
    if (tess__is_complex(type)) k->wide = TESS_C64;
    k->scales |= (type == TESS_F64 || type == TESS_C64) && !v.literal.length;
}

tess__typed tess__check_isclose(tess__checker *c, int32_t untyped, int n)
{
    closeness   k = { .c = c, .span = c->untyped->nodes[untyped].span, .wide = TESS_F64 };
    int32_t     at = c->untyped->nodes[untyped].first;
    tess__typed arguments[N_ARGUMENTS];
    for (int i = 0; i < n; i++, at = c->untyped->nodes[at].next) {
        arguments[i] = tess__check_expression(c, at);
        if (i <= Y) note_type(&k, arguments[i]);
        else check_tolerance(&k, i, arguments[i], at);
    }
    if (c->b.source->status != TESS_OK) return (tess__typed){ .node = 0 };
    if (n <= RTOL) arguments[RTOL] = number(&k, 1e-5), arguments[ATOL] = number(&k, 1e-8);
    for (int i = 0; i < N_ARGUMENTS; i++) arguments[i] = tess__converted(c, arguments[i], i <= Y ? k.wide : TESS_F64);
    return call(&k, arguments);
}
