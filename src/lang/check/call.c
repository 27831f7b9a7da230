/* Type checking of calls: built-in functions, and functions that the text defines. */
#include <string.h>

#include "backend.h"
#include "lang/check/check.h"

static tess__typed nothing(void) { return (tess__typed){ .node = 0 }; }

static int count_arguments(const tess__checker *c, int32_t untyped)
{
    int n = 0;
    for (int32_t k = c->untyped->nodes[untyped].first; k; k = c->untyped->nodes[k].next) n++;
    return n;
}

/* The values of at most `max` arguments from `k` on. */
static int check_arguments(tess__checker *c, int32_t k, tess__typed *values, int max)
{
    int n = 0;
    for (; k && n < max; k = c->untyped->nodes[k].next) values[n++] = tess__check_expression(c, k);
    return n;
}

/* ---- Functions of the text ---- */

void tess__check_inlined(tess__checker *c, tess__bytes name, const tess__profile *p)
{
    int64_t trips;
    if (__builtin_mul_overflow(c->around, p->trips, &trips)) trips = INT64_MAX;
    c->now.cost += p->cost, c->now.uses |= p->uses;
    c->now.size += p->size;
    if (c->now.size > c->limits->max_nodes)
        TESS__WRONG(c, name, "more than %lld nodes after inlining functions, which is the limit",
                    (long long)c->limits->max_nodes);
    if (trips > c->limits->max_trips)
        TESS__WRONG(c, name, "nested loops run %lld times, including those of '%.*s'; at most %lld are allowed",
                    (long long)trips, TESS__SHOW(c, name), (long long)c->limits->max_trips);
    int64_t inner;
    if (__builtin_mul_overflow(c->around, p->trips, &inner) || inner > c->now.trips) c->now.trips = trips;
}

/* Functions are inlined, and the inlined tree is walked by recursion. */
static void check_depth(tess__checker *c, tess__bytes name, const tess__profile *p)
{
    const int64_t nesting = c->limits->max_nesting < TESS__MAX_NESTING ? c->limits->max_nesting : TESS__MAX_NESTING;
    const int64_t max = nesting * TESS__DEPTH_PER_NESTING;
    if (c->depth + p->depth > c->now.depth) c->now.depth = c->depth + p->depth;
    if (p->calls + 1 > c->now.calls) c->now.calls = p->calls + 1;
    if (c->now.calls > TESS__MAX_CALLS)
        TESS__WRONG(c, name, "calls are nested %d deep, including those of '%.*s'; at most %d are allowed",
                    (int)c->now.calls, TESS__SHOW(c, name), (int)TESS__MAX_CALLS);
    if (c->now.depth > max)
        TESS__WRONG(c, name, "%d nested operators, including those of '%.*s'; at most %lld are allowed",
                    (int)c->now.depth, TESS__SHOW(c, name), (long long)max);
}

static tess__typed call_function(tess__checker *c, int32_t untyped, int32_t index)
{
    const tess__node      call = c->untyped->nodes[untyped];
    const tess__function *f = &c->untyped->functions[index];
    const tess__profile   profile = c->profiles[index];
    const int             n = count_arguments(c, untyped);
    tess__list            list = { 0, 0 };
    tess__typed           out = { .is = { profile.result.uniform, 0 } };
    if (n != f->count) {
        TESS__WRONG(c, call.span, "'%.*s' has %d argument%s here; it needs %d", TESS__SHOW(c, call.span), n,
                    n == 1 ? "" : "s", (int)f->count);
        return nothing();
    }
    int32_t k = call.first;
    for (int32_t i = 0; i < f->count; i++, k = c->untyped->nodes[k].next) {
        const tess__variable *param = &c->untyped->variables[f->first + i];
        tess__typed           v = { .node = 0 };
        if (tess__is_struct(param->type)) tess__check_struct_argument(c, k, param->type, &v.is, &list);
        else v = tess__check_expression(c, k);
        if (profile.bounds >> i & 1) {
            if (v.node && !v.is.uniform)
                TESS__WRONG(
                    c, c->b.nodes[v.node].span,
                    "'%.*s' bounds a for loop in '%.*s' and must be the same for all elements of a row; use only "
                    "constants, val, b, d, h, size(), shape(), counters",
                    TESS__SHOW(c, param->name), TESS__SHOW(c, call.span));
            c->now.bounds |= v.is.needs;
        }
        if (profile.result.needs >> i & 1) out.is.uniform &= v.is.uniform, out.is.needs |= v.is.needs;
        if (tess__is_struct(param->type)) continue;
        const tess__typed as = tess__assigned(c, v, tess__bind(c, param->type), "parameter", param->name);
        tess__append(&c->b, &list, as.node);
    }
    tess__check_inlined(c, call.span, &profile);
    check_depth(c, call.span, &profile);
    out.node = tess__build_node(&c->b, TESS__USER, call.span);
    tess__node *node = &c->b.nodes[out.node];
    node->op = profile.typed, node->type = tess__bind(c, f->type), node->first = list.first;
    return out;
}

/* ---- Functions of the language that are no operators ---- */

/* The name of a view as first argument. */
static int32_t view_argument(tess__checker *c, int32_t untyped, bool scatter)
{
    const tess__node *call = &c->untyped->nodes[untyped], *first = &c->untyped->nodes[call->first];
    if (first->kind == TESS__IDENTIFIER) return tess__check_view(c, first->span, scatter);
    TESS__WRONG(c, first->span, "the first argument of '%.*s' must be the name of a view", TESS__SHOW(c, call->span));
    return -1;
}

/* An axis: a constant from 0 to 3. */
static int64_t axis_argument(tess__checker *c, int32_t k)
{
    const tess__typed v = tess__check_expression(c, k);
    const tess__node *node = &c->b.nodes[v.node];
    const bool        good =
        node->kind == TESS__NUMBER && tess__is_integer(node->type) && node->value.i >= 0 && node->value.i <= 3;
    if (v.node && !good)
        TESS__WRONG(c, c->untyped->nodes[k].span, "an axis must be a constant from 0 to 3, for b, d, h and w");
    return good ? node->value.i : 0;
}

static tess__typed call_shape(tess__checker *c, int32_t untyped, bool of_view)
{
    const tess__node  *call = &c->untyped->nodes[untyped], *first = &c->untyped->nodes[call->first];
    const tess__named *entry = first->kind == TESS__IDENTIFIER ? tess__scope_find(c, first->span, false) : NULL;
    if (of_view && entry && entry->variable >= 0) {
        TESS__WRONG(c, first->span,
                    "'%.*s' is not a view or scatter; element-wise arrays have the shape of the domain: size(k)",
                    TESS__SHOW(c, first->span));
        return nothing();
    }
    const int32_t view = of_view ? view_argument(c, untyped, true) : 0;
    if (view < 0) return nothing();
    if (c->part == TESS__WITHIN_FUNCTION || c->part == TESS__WITHIN_JOIN || c->part == TESS__WITHIN_CONSTANT) {
        TESS__WRONG(c, call->span, "'%.*s' is known only in the operator, not in %s", TESS__SHOW(c, call->span),
                    c->part == TESS__WITHIN_JOIN       ? "join"
                    : c->part == TESS__WITHIN_FUNCTION ? "a function; pass it"
                                                       : "a constant");
        return nothing();
    }
    const int64_t axis = axis_argument(c, of_view ? c->untyped->nodes[call->first].next : call->first);
    const int32_t node = tess__build_node(&c->b, of_view ? TESS__SHAPE : TESS__SIZE, call->span);
    c->b.nodes[node].type = TESS_I64, c->b.nodes[node].op = view, c->b.nodes[node].value.i = axis;
    c->now.uses |= TESS__USES_SIZE;
    return (tess__typed){ .node = node, .is = { true, 0 } };
}

/* Beside other operations: what it takes to read and to sum up a window. */
static int32_t interp_cost(int32_t method)
{
    static const int32_t costs[] = {
#define TESS__INTERP(name, NAME, short_name, taps, cost, help) [TESS_INTERP_##NAME] = cost,
#include "tessera/math/interps.def"
    };
    return costs[method];
}

static tess__typed call_interp(tess__checker *c, int32_t untyped, int32_t which)
{
    const tess__node *call = &c->untyped->nodes[untyped];
    const int32_t     view = view_argument(c, untyped, false);
    if (view < 0) return nothing();
    const int32_t type = tess__bind(c, c->untyped->params[view].type);
    if (type != TESS_F32 && type != TESS_F64 && type != TESS_C32 && type != TESS_C64)
        TESS__WRONG(c, call->span, "'%.*s' needs a view of f32, f64, c32 or c64, and '%.*s' is %s",
                    TESS__SHOW(c, call->span), TESS__SHOW(c, c->untyped->nodes[call->first].span),
                    tess__type_name(type));
    const int   whole = tess__interp_is_volume(which) ? 1 : 2; /* leading arguments that are integer indices */
    tess__typed values[4];
    (void)check_arguments(c, c->untyped->nodes[call->first].next, values, 4);
    if (c->b.source->status != TESS_OK) return nothing();
    bool wide = true;
    for (int i = 0; i < 4; i++) {
        const int32_t t = tess__type_of(c, values[i]);
        if (tess__is_complex(t) || (i < whole && !tess__is_integer(t)))
            TESS__WRONG(c, c->b.nodes[values[i].node].span, "argument %d of '%.*s' has type %s; %s is needed", i + 2,
                        TESS__SHOW(c, call->span), tess__type_name(t), i < whole ? "an integer" : "a real number");
        if (i >= whole && (t == TESS_F32 || t == TESS_F16)) wide = false;
    }
    for (int i = whole; i < 4; i++) wide |= tess__type_of(c, values[i]) == TESS_F64 && !values[i].literal.length;
    tess__list list = { 0, 0 };
    for (int i = 0; i < 4; i++) {
        const int32_t as = i < whole ? TESS_I64 : wide ? TESS_F64 : TESS_F32;
        tess__append(&c->b, &list, tess__converted(c, values[i], as).node);
    }
    const int32_t node = tess__build_node(&c->b, TESS__INTERP, call->span);
    tess__node   *n = &c->b.nodes[node];
    n->op = view, n->type = type, n->computed = wide ? TESS_F64 : TESS_F32, n->value.i = which, n->first = list.first;
    c->now.uses |= TESS__USES_INDEX;
    c->now.cost += interp_cost(tess__interp_method(which));
    return (tess__typed){ .node = node };
}

static tess__typed call_random(tess__checker *c, int32_t untyped)
{
    const tess__node *call = &c->untyped->nodes[untyped];
    tess__typed       values[2], out = { .is = { true, 0 } };
    tess__list        list = { 0, 0 };
    const int         n = check_arguments(c, call->first, values, 2);
    for (int i = 0; i < n; i++) {
        const int32_t t = tess__type_of(c, values[i]);
        if (values[i].node && !tess__is_integer(t))
            TESS__WRONG(c, c->b.nodes[values[i].node].span, "%s of '%.*s' has type %s; an integer is needed",
                        i == 0 ? "the seed" : "the counter", TESS__SHOW(c, call->span), tess__type_name(t));
        out.is.uniform &= values[i].is.uniform, out.is.needs |= values[i].is.needs;
        tess__append(&c->b, &list, tess__converted(c, values[i], TESS_U64).node);
    }
    out.node = tess__build_node(&c->b, TESS__RANDOM, call->span);
    c->b.nodes[out.node].type = TESS_F32, c->b.nodes[out.node].first = list.first;
    c->now.cost += 10;
    return out;
}

/* ---- By name ---- */

static tess__typed call_builtin(tess__checker *c, int32_t untyped, const tess__builtin *f, bool prefixed)
{
    const tess__node *call = &c->untyped->nodes[untyped];
    const int         n = count_arguments(c, untyped);
    const bool        close = f->kind == TESS__FN_ISCLOSE;
    if (n != f->inputs && !(close && n == 4)) {
        TESS__WRONG(c, call->span, "'%.*s' has %d argument%s here; it needs %d%s", TESS__SHOW(c, call->span), n,
                    n == 1 ? "" : "s", (int)f->inputs, close ? ", or 4: x, y, rtol, atol" : "");
        return nothing();
    }
    switch (f->kind) {
    case TESS__FN_ISCLOSE: return tess__check_isclose(c, untyped, n);
    case TESS__FN_INTERP: return call_interp(c, untyped, f->op);
    case TESS__FN_RANDOM: return call_random(c, untyped);
    case TESS__FN_SHAPE: return call_shape(c, untyped, true);
    case TESS__FN_SIZE: return call_shape(c, untyped, false);
    case TESS__FN_AT: /* the parser has made others TESS__ELEMENT */
        TESS__WRONG(c, call->span, "'%.*s' is not a function; elements are written v[b,d,h,w] or at(v, b, d, h, w)",
                    TESS__SHOW(c, call->span));
        return nothing();
    default: break;
    }
    tess__typed values[3];
    (void)check_arguments(c, call->first, values, 3);
    if (c->b.source->status != TESS_OK) return nothing();
    if (f->kind == TESS__FN_SELECT) return tess__check_select(c, call->span, values[0], values[1], values[2]);
    return tess__check_operator(c, f->op, prefixed && tess__is_real_only(f->op), call->span, values, n);
}

/* A function that is not defined, or not yet. */
static void unknown_function(tess__checker *c, tess__bytes name)
{
    const char        *text = c->untyped->text;
    const tess__named *entry = tess__scope_find(c, name, false);
    for (int32_t i = 0; i < c->untyped->n_functions; i++) {
        const tess__function *f = &c->untyped->functions[i];
        if (!tess__span_is(text, name, text + f->name.at, f->name.length)) continue;
        if (i == c->function)
            TESS__WRONG(c, name, "'%.*s' calls itself; recursion is not allowed", TESS__SHOW(c, name));
        else
            TESS__WRONG(c, name, "'%.*s' is defined below; define functions before those that call them",
                        TESS__SHOW(c, name));
        return;
    }
    if (entry && (entry->variable >= 0 || entry->param >= 0)) {
        TESS__WRONG(c, name, "'%.*s' is not a function%s", TESS__SHOW(c, name),
                    entry->param >= 0 ? "; elements are written v[b,d,h,w]" : "");
        return;
    }
    const bool        prefixed = name.length > 6 && memcmp(text + name.at, "tessm_", 6) == 0;
    const tess__bytes bare = prefixed ? (tess__bytes){ name.at + 6, name.length - 6 } : name;
    tess__guess       guess = tess__guess_start(text, bare);
    for (int32_t i = 0; i < c->untyped->n_functions; i++)
        tess__guess_offer(&guess, text + c->untyped->functions[i].name.at, c->untyped->functions[i].name.length);
    tess__guess_offer_builtins(&guess);
    TESS__WRONG(c, name, "unknown function '%.*s'%s", TESS__SHOW(c, name), tess__guess_hint(&guess).text);
}

tess__typed tess__check_call(tess__checker *c, int32_t untyped)
{
    const tess__bytes    name = c->untyped->nodes[untyped].span;
    bool                 prefixed;
    const tess__named   *entry = tess__scope_find(c, name, false);
    const tess__builtin *builtin = tess__builtin_named(c->untyped->text, name, &prefixed);
    if (entry && entry->function >= 0) return call_function(c, untyped, entry->function);
    if (builtin) return call_builtin(c, untyped, builtin, prefixed);
    unknown_function(c, name);
    return nothing();
}
