/* Approximate equality in texts: isclose is rewritten as the comparisons that tess_isclose makes, in f64 or c64. */
#include "backend.h"
#include "lang/check/check.h"

/* isclose(x, y) or isclose(x, y, rtol, atol): where they stand in the untyped tree. An argument is checked anew each
 * time it is used, since a tree has each node once; equal values are computed once all the same. */
typedef struct closeness {
    tess__checker *c;
    tess__bytes    span;
    int32_t        argument[4]; /* 0: the default */
    int32_t        wide;        /* the type of x and y here */
    bool           scales;      /* their difference may overflow */
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

static tess__typed number(closeness *k, double value)
{
    const int32_t node = tess__build_node(&k->c->b, TESS__NUMBER, k->span);
    k->c->b.nodes[node].type = TESS_F64;
    k->c->b.nodes[node].value.f[0] = value;
    return (tess__typed){ .node = node, .is = { true, 0 } };
}

/* x or y. */
static tess__typed operand(closeness *k, int i)
{
    tess__typed v = tess__converted(k->c, tess__check_expression(k->c, k->argument[i]), k->wide);
    v.literal.length = 0;
    return v;
}

static tess__typed tolerance(closeness *k, int i, double preset)
{
    if (!k->argument[i]) return number(k, preset);
    tess__typed v = tess__check_expression(k->c, k->argument[i]);
    if (v.node && tess__is_complex(tess__type_of(k->c, v)))
        TESS__WRONG(k->c, k->c->untyped->nodes[k->argument[i]].span,
                    "%s of 'isclose' has type %s; a real number is needed", i == 2 ? "rtol" : "atol",
                    tess__type_name(tess__type_of(k->c, v)));
    else v = tess__converted(k->c, v, TESS_F64);
    v.literal.length = 0;
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
static tess__typed fit(closeness *k)
{
    const tess__typed largest = apply(k, TESS__OP_fmax, magnitude(k, 0), magnitude(k, 1));
    const tess__typed large = apply(k, TESS__OP_greater, largest, number(k, 0x1p900));
    return tess__check_select(k->c, k->span, large, number(k, 0x1p-200), number(k, 1));
}

static tess__typed scaled(closeness *k, tess__typed v) { return k->scales ? apply(k, TESS__OP_mul, v, fit(k)) : v; }

static tess__typed is_near(closeness *k)
{
    const tess__typed apart = apply(k, TESS__OP_sub, scaled(k, operand(k, 0)), scaled(k, operand(k, 1)));
    const tess__typed length = apply1(k, TESS__OP_abs, scaled(k, operand(k, 1)));
    const tess__typed relative = apply(k, TESS__OP_mul, tolerance(k, 2, 1e-5), length);
    const tess__typed allowed = apply(k, TESS__OP_add, scaled(k, tolerance(k, 3, 1e-8)), relative);
    return apply(k, TESS__OP_less_equal, apply1(k, TESS__OP_abs, apart), allowed);
}

static tess__typed are_finite(closeness *k)
{
    const tess__typed x = apply1(k, TESS__OP_is_finite, operand(k, 0));
    return apply(k, TESS__OP_logical_and, x, apply1(k, TESS__OP_is_finite, operand(k, 1)));
}

tess__typed tess__check_isclose(tess__checker *c, int32_t untyped, int n)
{
    closeness k = { .c = c, .span = c->untyped->nodes[untyped].span, .wide = TESS_F64 };
    int32_t   at = c->untyped->nodes[untyped].first;
    for (int i = 0; i < n; i++, at = c->untyped->nodes[at].next) k.argument[i] = at;
    for (int i = 0; i < 2; i++) {
        const tess__typed v = tess__check_expression(c, k.argument[i]);
        const int32_t     type = tess__type_of(c, v);
        if (tess__is_complex(type)) k.wide = TESS_C64;
        k.scales |= (type == TESS_F64 || type == TESS_C64) && !v.literal.length;
    }
    if (c->b.source->status != TESS_OK) return (tess__typed){ .node = 0 };
    const tess__typed same = apply(&k, TESS__OP_equal, operand(&k, 0), operand(&k, 1));
    const tess__typed near = apply(&k, TESS__OP_logical_and, are_finite(&k), is_near(&k));
    return apply(&k, TESS__OP_logical_or, same, near);
}
