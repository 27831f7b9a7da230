/* A tree with types as values: functions in line, ifs as selections, loops with the variables that they change. */
#include <string.h>

#include "backend.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "lang/monoid.h"
#include "lang/uniform.h"
#include "lang/values.h"
#include "tessera/math/f16.op.h"

enum { MAX_VISITS = 1 << 18 };

typedef struct lowering {
    values            all;
    const tess__tree *tree;
    int               part;
    int32_t          *now;   /* of each variable: its value, or -1 */
    int32_t          *saved; /* room for copies of `now`, one for each nested if */
    int32_t           n_saved, saved_room;
    const bool       *varies;  /* of each variable: see uniform.h; NULL: there is no loop */
    int32_t           gate;    /* a single condition without which this function is not called; -1: none */
    int32_t           mask;    /* elements that are here, as far as ifs decide; -1: all */
    int32_t           skipped; /* elements that have left this turn of the loop; -1: none */
    int32_t           visits;
} lowering;

static const tess__node *node_at(const lowering *l, int32_t n) { return &l->tree->nodes[n]; }

static int32_t expression(lowering *l, int32_t n);
static void    statements(lowering *l, int32_t n);

/* One more node; false if that is too many, or something else went wrong. */
static bool visit(lowering *l, const tess__node *node)
{
    l->all.at = node->span;
    if (++l->visits > MAX_VISITS)
        TESS__VALUES_WRONG(&l->all, node->span,
                           "more than %d nodes once functions stand where they are called, which is the limit; "
                           "split the operator",
                           MAX_VISITS);
    return l->all.status == TESS_OK;
}

/* ---- Constants ---- */

static void constant_bytes(unsigned char *bytes, tess_dtype type, const tess__constant *c)
{
    const float f[2] = { (float)c->f[0], (float)c->f[1] };
    switch (type) {
    case TESS_BOOL: bytes[0] = c->u != 0; break;
    case TESS_F16: memcpy(bytes, &(uint16_t){ tess__f64_to_f16(c->f[0]) }, 2); break;
    case TESS_F32: memcpy(bytes, f, 4); break;
    case TESS_F64: memcpy(bytes, c->f, 8); break;
    case TESS_C16: memcpy(bytes, (uint16_t[2]){ tess__f64_to_f16(c->f[0]), tess__f64_to_f16(c->f[1]) }, 4); break;
    case TESS_C32: memcpy(bytes, f, 8); break;
    case TESS_C64: memcpy(bytes, c->f, 16); break;
    case TESS_I8:
    case TESS_U8: bytes[0] = (uint8_t)c->u; break;
    case TESS_I16:
    case TESS_U16: memcpy(bytes, &(uint16_t){ (uint16_t)c->u }, 2); break;
    case TESS_I32:
    case TESS_U32: memcpy(bytes, &(uint32_t){ (uint32_t)c->u }, 4); break;
    default: memcpy(bytes, &c->u, 8); break;
    }
}

static int32_t constant(lowering *l, tess_dtype type, const tess__constant *c)
{
    unsigned char bytes[16] = { 0 };
    constant_bytes(bytes, type, c);
    return tess__value_constant(&l->all, type, bytes);
}

static int32_t neutral(lowering *l, const tess__param *p)
{
    const tess__constant c = tess__monoid_neutral(p->monoid, p->type);
    return constant(l, p->type, &c);
}

/* ---- Small values ---- */

static bool is_kind(const lowering *l, int32_t v, int kind) { return l->all.v && l->all.v[v].kind == kind; }

static int32_t operation(lowering *l, int op, tess_dtype computed, tess_dtype type, int n, const int32_t *args)
{
    value like = { .kind = TESS__DO_OPERATOR,
                   .type = (uint8_t)computed,
                   .to = (uint8_t)type,
                   .op = (int16_t)op,
                   .single = true,
                   .n_args = (uint8_t)n,
                   .in_place = true };
    memcpy(like.args, args, (size_t)n * sizeof *args);
    return tess__value(&l->all, &like, false);
}

/* x x as a square, which reads one operand, and the square of a difference in one go. The bits are the same. */
static int32_t operator_of(lowering *l, int op, tess_dtype computed, tess_dtype type, int n, const int32_t *args)
{
    if (op == TESS__OP_mul && args[0] == args[1] && tess_dtype_kind(computed) != TESS_KIND_COMPLEX && l->all.v) {
        const value d = l->all.v[args[0]];
        if (d.kind == TESS__DO_OPERATOR && d.op == TESS__OP_sub && d.type == computed)
            return operation(l, TESS__OP_square_diff, computed, type, 2, d.args);
        return operation(l, TESS__OP_square, computed, type, 1, args);
    }
    return operation(l, op, computed, type, n, args);
}

static int32_t cast(lowering *l, int32_t x, tess_dtype from, tess_dtype to)
{
    if (from == to || l->all.status != TESS_OK) return x;
    const bool complex = tess_dtype_kind(from) == TESS_KIND_COMPLEX || tess_dtype_kind(to) == TESS_KIND_COMPLEX;
    const bool counts = to == TESS_I32 || to == TESS_F32 || to == TESS_F64;
    if (is_kind(l, x, TESS__DO_IOTA) && from == TESS_I64 && counts)
        return tess__value(&l->all, &(value){ .kind = TESS__DO_IOTA, .type = (uint8_t)to, .to = (uint8_t)to }, false);
    return tess__value(&l->all,
                       &(value){ .kind = complex ? TESS__DO_CONVERT : TESS__DO_CAST,
                                 .type = (uint8_t)from,
                                 .to = (uint8_t)to,
                                 .single = true,
                                 .n_args = 1,
                                 .args = { x },
                                 .in_place = tess_dtype_size(from) == tess_dtype_size(to) },
                       false);
}

static int32_t chosen(lowering *l, tess_dtype type, int32_t condition, int32_t yes, int32_t no)
{
    if (yes == no) return yes;
    return tess__value(&l->all,
                       &(value){ .kind = TESS__DO_SELECT,
                                 .type = (uint8_t)type,
                                 .to = (uint8_t)type,
                                 .single = true,
                                 .n_args = 3,
                                 .args = { condition, yes, no },
                                 .in_place = true },
                       false);
}

static int32_t logical_not(lowering *l, int32_t x)
{
    return operation(l, TESS__OP_logical_not, TESS_BOOL, TESS_BOOL, 1, (int32_t[]){ x });
}

static int32_t logical(lowering *l, int op, int32_t x, int32_t y)
{
    return operation(l, op, TESS_BOOL, TESS_BOOL, 2, (int32_t[]){ x, y });
}

static int32_t both(lowering *l, int32_t x, int32_t y)
{
    return x < 0 ? y : y < 0 ? x : logical(l, TESS__OP_logical_and, x, y);
}

/* The elements for which this place of the operator or function is reached; -1: all. */
static int32_t live(lowering *l) { return both(l, l->mask, l->skipped < 0 ? -1 : logical_not(l, l->skipped)); }

/* The same of functions within others, as far as it is one condition for all elements. */
static int32_t gate(lowering *l)
{
    const int32_t here = live(l);
    return here >= 0 && l->all.status == TESS_OK && l->all.v[here].single ? both(l, l->gate, here) : l->gate;
}

/* ---- Expressions ---- */

static int32_t load(lowering *l, int kind, int param, tess_dtype type, bool other)
{
    return tess__value(
        &l->all,
        &(value){
            .kind = (uint8_t)kind, .type = (uint8_t)type, .to = (uint8_t)type, .op = (int16_t)param, .flag = other },
        false);
}

static int32_t leaf(lowering *l, int kind, int op, int64_t axis, tess_dtype type)
{
    return tess__value(&l->all,
                       &(value){ .kind = (uint8_t)kind,
                                 .type = (uint8_t)type,
                                 .to = (uint8_t)type,
                                 .op = (int16_t)op,
                                 .step = axis,
                                 .single = true },
                       false);
}

static int32_t arguments(lowering *l, const tess__node *node, int32_t *args, int most)
{
    int n = 0;
    for (int32_t c = node->first; c && n < most; c = node_at(l, c)->next) args[n++] = expression(l, c);
    return n;
}

/* What is added to the last index in x, as a single value: then a row can be read as it lies. -1 if x is no such. */
static int32_t shift_of(lowering *l, int32_t x)
{
    if (l->all.status != TESS_OK) return -1;
    const value v = l->all.v[x];
    if (v.kind == TESS__DO_IOTA && v.type == TESS_I64) return constant(l, TESS_I64, &(tess__constant){ .i = 0 });
    if (v.kind != TESS__DO_OPERATOR || v.type != TESS_I64 || (v.op != TESS__OP_add && v.op != TESS__OP_sub)) return -1;
    const bool first = l->all.v[v.args[0]].single, second = l->all.v[v.args[1]].single;
    if (first == second || (first && v.op == TESS__OP_sub)) return -1;
    const int32_t inner = shift_of(l, v.args[first ? 1 : 0]), added = v.args[first ? 0 : 1];
    if (inner < 0) return -1;
    return operation(l, v.op, TESS_I64, TESS_I64, 2, (int32_t[]){ inner, added });
}

static bool all_single(const lowering *l, const int32_t *args, int n)
{
    bool all = true;
    for (int k = 0; k < n; k++) all &= l->all.v[args[k]].single;
    return all;
}

static int32_t read_view(lowering *l, const tess__node *node)
{
    const tess__param *view = &l->tree->params[node->op];
    value              like = { .kind = TESS__DO_AT,
                                .type = (uint8_t)node->type,
                                .to = (uint8_t)node->type,
                                .op = (int16_t)node->op,
                                .single = true };
    like.n_args = (uint8_t)arguments(l, node, like.args, 4);
    if (l->all.status != TESS_OK) return 0;
    const bool    error = view->border == TESS__BORDER_FAULT;
    const int32_t here = error ? live(l) : -1;
    if (here >= 0) like.args[like.n_args++] = here;
    else if (all_single(l, like.args, 3) && !l->all.v[like.args[3]].single) {
        const int32_t shift = shift_of(l, like.args[3]);
        if (shift >= 0) {
            like.kind = TESS__DO_ROW;
            like.args[3] = shift;
            like.single = false;
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
                        .single = true,
                        .step = node->value.i + (node->computed == TESS_F64 ? TESS__INTERP_F64 : 0) };
    const bool error = l->tree->params[node->op].border == TESS__BORDER_FAULT;
    like.n_args = (uint8_t)arguments(l, node, like.args, 4);
    const int32_t here = error ? live(l) : -1;
    if (here >= 0) like.args[like.n_args++] = here;
    return tess__value(&l->all, &like, error);
}

static int32_t call_function(lowering *l, const tess__node *node)
{
    const tess__function *f = &l->tree->functions[node->op];
    enum { MOST = 64 };
    int32_t   args[MOST], *given = args, result = 0;
    const int n = f->count;
    if (n > MOST) {
        given = tess__alloc((size_t)n * sizeof *given);
        if (!given) {
            tess__values_fail(&l->all, tess__no_program_memory(l->tree, (size_t)n * sizeof *given));
            return 0;
        }
    }
    (void)arguments(l, node, given, n);
    for (int k = 0; k < n; k++) l->now[f->first + k] = given[k];
    if (given != args) tess__free(given);
    /* Its variables are its own: elements that have left the turn of a loop outside need not keep them. */
    const int32_t outer = l->gate, mask = l->mask, skipped = l->skipped;
    l->gate = gate(l);
    l->mask = l->skipped = -1;
    for (int32_t s = f->body; s && l->all.status == TESS_OK; s = node_at(l, s)->next) {
        if (node_at(l, s)->kind == TESS__RETURN) {
            result = expression(l, node_at(l, s)->first);
            break;
        }
        statements(l, s);
    }
    l->gate = outer;
    l->mask = mask;
    l->skipped = skipped;
    return result;
}

/* An expression that is reached where the condition holds. */
static int32_t expression_where(lowering *l, int32_t condition, int32_t n)
{
    const int32_t outer = l->mask;
    l->mask = both(l, outer, condition);
    const int32_t x = expression(l, n);
    l->mask = outer;
    return x;
}

static int32_t selection(lowering *l, const tess__node *node)
{
    const int32_t first = node_at(l, node->first)->next, condition = expression(l, node->first);
    const int32_t yes = expression_where(l, condition, first);
    const int32_t no = expression_where(l, logical_not(l, condition), node_at(l, first)->next);
    return chosen(l, node->type, condition, yes, no);
}

/* x && y and x || y: y is reached where x does not decide. */
static int32_t connected(lowering *l, const tess__node *node)
{
    const int32_t x = expression(l, node->first);
    const int32_t open = node->op == TESS__OP_logical_and ? x : logical_not(l, x);
    return logical(l, node->op, x, expression_where(l, open, node_at(l, node->first)->next));
}

static bool connects(const tess__node *node)
{
    return node->computed == TESS_BOOL && (node->op == TESS__OP_logical_and || node->op == TESS__OP_logical_or);
}

static int32_t value_of(lowering *l, const tess__node *node)
{
    int32_t args[TESS__MAX_ARGS];
    switch (node->kind) {
    case TESS__NUMBER: return constant(l, node->type, &node->value);
    case TESS__NAME:
        if (l->now[node->op] >= 0) return l->now[node->op];
        return constant(l, node->type, &(tess__constant){ .f = { 0, 0 } }); /* the checker lets none through */
    case TESS__INDEX:
        if (node->op == 3) return load(l, TESS__DO_IOTA, 0, TESS_I64, false);
        return leaf(l, VALUE_INDEX, 0, node->op, TESS_I64);
    case TESS__SHAPE: return leaf(l, VALUE_SHAPE, node->op, node->value.i, TESS_I64);
    case TESS__SIZE: return leaf(l, VALUE_SIZE, 0, node->value.i, TESS_I64);
    case TESS__COUNT: return leaf(l, VALUE_COUNT, 0, 0, TESS_I64);
    case TESS__OPERATOR: {
        if (connects(node)) return connected(l, node);
        const int count = arguments(l, node, args, 3);
        return operator_of(l, node->op, node->computed, node->type, count, args);
    }
    case TESS__CONVERT: {
        const int32_t x = expression(l, node->first);
        return cast(l, x, node_at(l, node->first)->type, node->type);
    }
    case TESS__SELECT: return selection(l, node);
    case TESS__AT: return read_view(l, node);
    case TESS__INTERP: return interpolate(l, node);
    case TESS__RANDOM:
        (void)arguments(l, node, args, 2);
        return tess__value(&l->all,
                           &(value){ .kind = TESS__DO_RANDOM,
                                     .type = TESS_F32,
                                     .to = TESS_F32,
                                     .single = true,
                                     .n_args = 2,
                                     .args = { args[0], args[1] } },
                           false);
    default: return call_function(l, node);
    }
}

static int32_t expression(lowering *l, int32_t n)
{
    const tess__bytes outer = l->all.at;
    const int32_t     x = visit(l, node_at(l, n)) ? value_of(l, node_at(l, n)) : 0;
    l->all.at = outer;
    return x;
}

/* ---- Statements ---- */

/* Elements that have left the turn of a loop keep what they have. */
static void assign(lowering *l, int32_t variable, int32_t x)
{
    const int32_t before = l->now[variable];
    if (l->skipped >= 0 && before >= 0) x = chosen(l, l->tree->variables[variable].type, l->skipped, before, x);
    l->now[variable] = x;
}

/* The type whose kernel computes: half precision is stored only, and all others have one for each operator here. */
static tess_dtype computed_in(tess_dtype type)
{
    return type == TESS_F16 ? TESS_F32 : type == TESS_C16 ? TESS_C32 : type;
}

static void accumulate(lowering *l, const tess__node *node)
{
    const tess__param *p = &l->tree->params[node->op];
    const int32_t      variable = tess__variable_of(l->tree, node->op);
    int32_t            x = expression(l, node->first);
    const int32_t      so_far = l->now[variable];
    const bool         complex = tess_dtype_kind(p->type) == TESS_KIND_COMPLEX; /* 1 is not neutral for infinite ones */
    const bool         nothing_yet = so_far == neutral(l, p) && !(complex && p->monoid == TESS__MONOID_PROD);
    if (!nothing_yet || p->monoid >= TESS__MONOID_ANY) {
        const bool       truth = p->monoid >= TESS__MONOID_ANY;
        const tess_dtype in = truth ? TESS_BOOL : computed_in(p->type);
        const int32_t    args[2] = { cast(l, so_far, p->type, in), cast(l, x, p->type, in) };
        x = cast(l, operation(l, tess__monoid_operator(p->monoid), in, in, 2, args), in, p->type);
    }
    assign(l, variable, x);
}

static void scatter(lowering *l, const tess__node *node)
{
    value like = { .kind = TESS__DO_SCATTER, .type = (uint8_t)l->tree->params[node->op].type, .op = (int16_t)node->op };
    like.n_args = (uint8_t)arguments(l, node, like.args, 5);
    const int32_t here = live(l);
    if (here >= 0) like.args[like.n_args++] = here;
    (void)tess__value(&l->all, &like, true);
}

/* Room for one more copy of the variables; the number of the first. */
static int32_t save(lowering *l)
{
    const int32_t n = l->tree->n_variables, at = l->n_saved;
    if (at + n > l->saved_room) {
        const int32_t room = 2 * (at + n) + 64;
        int32_t      *memory = tess__alloc((size_t)room * sizeof *memory);
        if (!memory) {
            tess__values_fail(&l->all, tess__no_program_memory(l->tree, (size_t)room * sizeof *memory));
            return 0;
        }
        if (at) memcpy(memory, l->saved, (size_t)at * sizeof *memory);
        tess__free(l->saved);
        l->saved = memory;
        l->saved_room = room;
    }
    memcpy(l->saved + at, l->now, (size_t)n * sizeof *l->now);
    l->n_saved += n;
    return at;
}

/* Both sides are computed; where they leave a variable different, the condition chooses. */
static void if_statement(lowering *l, const tess__node *node)
{
    const int32_t n = l->tree->n_variables, outer = l->mask;
    const int32_t condition = expression(l, node->first);
    const int32_t then = node_at(l, node->first)->next, other = node_at(l, then)->next;
    const int32_t before = save(l);
    if (l->all.status != TESS_OK) return;
    l->mask = outer < 0 ? condition : logical(l, TESS__OP_logical_and, outer, condition);
    statements(l, then);
    const int32_t after = save(l);
    if (l->all.status != TESS_OK) return;
    memcpy(l->now, l->saved + before, (size_t)n * sizeof *l->now);
    if (other) {
        const int32_t not_so = logical_not(l, condition);
        l->mask = outer < 0 ? not_so : logical(l, TESS__OP_logical_and, outer, not_so);
        statements(l, other);
        if (l->all.status != TESS_OK) return;
    }
    for (int32_t k = 0; k < n; k++) {
        const int32_t yes = l->saved[after + k], no = l->now[k];
        if (yes >= 0 && no >= 0) l->now[k] = chosen(l, l->tree->variables[k].type, condition, yes, no);
        else if (no < 0) l->now[k] = yes;
    }
    l->mask = outer;
    l->n_saved = before;
}

/* The variables that a loop changes live in cells: set before it, and at the end of each turn. */
static void open_cells(lowering *l, const tess__node *node, int32_t cells, int32_t from, int32_t to)
{
    const tess__tree *tree = l->tree;
    memset(l->saved + cells, 0, (size_t)tree->n_variables * sizeof *l->saved);
    tess__mark_assigned(tree, node->first, l->saved + cells);
    for (int32_t k = 0; k < tree->n_variables; k++) {
        const int32_t before = l->now[k];
        if (!l->saved[cells + k] || before < 0) {
            l->saved[cells + k] = -1;
            continue;
        }
        const bool    single = !l->varies[k] && l->all.v[before].single;
        const value   like = { .kind = VALUE_CELL,
                               .type = (uint8_t)tree->variables[k].type,
                               .to = (uint8_t)tree->variables[k].type,
                               .single = single };
        const int32_t cell = tess__value(&l->all, &like, true);
        (void)tess__value(
            &l->all,
            &(value){ .kind = VALUE_SET, .type = like.type, .single = single, .n_args = 2, .args = { cell, before } },
            true);
        l->saved[cells + k] = cell;
    }
    const int32_t loop = tess__loop_open(&l->all, from, to, node->value.i, node->computed != 0);
    if (l->all.status != TESS_OK) return;
    for (int32_t k = 0; k < tree->n_variables; k++) {
        const int32_t cell = l->saved[cells + k];
        if (cell < 0) continue;
        l->all.v[cell].level = (int16_t)l->all.level;
        l->all.v[cell].loop = loop;
        l->now[k] = cell;
    }
    const value counter = {
        .kind = VALUE_COUNTER, .type = TESS_I32, .to = TESS_I32, .single = true, .n_args = 1, .args = { loop }
    };
    l->now[node->op] = tess__value(&l->all, &counter, true);
}

static void close_cells(lowering *l, int32_t cells)
{
    const int32_t n = l->tree->n_variables;
    for (int32_t k = 0; k < n && l->all.status == TESS_OK; k++) { /* what one cell gets from another must wait */
        const int32_t cell = l->saved[cells + k], last = l->now[k];
        if (cell < 0 || last == cell || l->all.v[last].kind != VALUE_CELL) continue;
        const value *v = &l->all.v[last];
        l->now[k] = tess__value(&l->all,
                                &(value){ .kind = TESS__DO_COPY,
                                          .type = v->type,
                                          .to = v->type,
                                          .single = v->single,
                                          .n_args = 1,
                                          .args = { last } },
                                true);
    }
    for (int32_t k = 0; k < n && l->all.status == TESS_OK; k++) {
        const int32_t cell = l->saved[cells + k];
        if (cell < 0 || l->now[k] == cell) continue;
        if (l->all.v[cell].single && !l->all.v[l->now[k]].single) { /* uniform.c would have missed something */
            const tess__bytes name = l->tree->variables[k].name;
            TESS__VALUES_WRONG(&l->all, name,
                               "'%.*s' becomes different between elements in a loop; give it such a value before the "
                               "loop",
                               tess__shown(name), l->tree->text + name.at);
            return;
        }
        (void)tess__value(&l->all,
                          &(value){ .kind = VALUE_SET,
                                    .type = l->all.v[cell].type,
                                    .single = l->all.v[cell].single,
                                    .n_args = 2,
                                    .args = { cell, l->now[k] } },
                          true);
    }
    tess__loop_close(&l->all);
    for (int32_t k = 0; k < n && l->all.status == TESS_OK; k++) {
        const int32_t cell = l->saved[cells + k];
        if (cell < 0 && l->now[k] >= 0 && l->all.v[l->now[k]].level > l->all.level) l->now[k] = -1; /* out of scope */
        if (cell < 0) continue;
        l->now[k] = tess__value(&l->all,
                                &(value){ .kind = VALUE_AFTER,
                                          .type = l->all.v[cell].type,
                                          .to = l->all.v[cell].to,
                                          .single = l->all.v[cell].single,
                                          .n_args = 1,
                                          .args = { cell } },
                                true);
    }
}

/* The end of a loop that is not run where a single condition forbids it. */
static int32_t reached(lowering *l, int32_t to)
{
    const int32_t here = gate(l);
    if (here < 0) return to;
    return chosen(l, TESS_I64, here, to, constant(l, TESS_I64, &(tess__constant){ .i = INT64_MIN }));
}

static void for_statement(lowering *l, const tess__node *node)
{
    const int32_t from = expression(l, node->first);
    const int32_t second = node_at(l, node->first)->next, last = expression(l, second), to = reached(l, last);
    const int32_t body = node_at(l, second)->next, skipped = l->skipped;
    const int32_t cells = save(l);
    if (l->all.status != TESS_OK) return;
    if (!l->all.v[from].single || !l->all.v[to].single) { /* the checker lets none through */
        TESS__VALUES_WRONG(&l->all, node_at(l, l->all.v[from].single ? second : node->first)->span,
                           "bound of '%.*s' differs between elements of a row; all of them take the same turns",
                           tess__shown(node->span), l->tree->text + node->span.at);
        return;
    }
    open_cells(l, node, cells, from, to);
    statements(l, body);
    if (l->all.status != TESS_OK) return;
    l->skipped = skipped;
    close_cells(l, cells);
    l->n_saved = cells;
}

static void continue_statement(lowering *l)
{
    int32_t here = live(l);
    if (here < 0) here = constant(l, TESS_BOOL, &(tess__constant){ .u = 1 });
    l->skipped = l->skipped < 0 ? here : logical(l, TESS__OP_logical_or, l->skipped, here);
}

static void statement(lowering *l, const tess__node *node)
{
    const tess__bytes outer = l->all.at;
    if (!visit(l, node)) return;
    switch (node->kind) {
    case TESS__ASSIGN: assign(l, node->op, expression(l, node->first)); break;
    case TESS__ACCUMULATE: accumulate(l, node); break;
    case TESS__SCATTER: scatter(l, node); break;
    case TESS__IF: if_statement(l, node); break;
    case TESS__FOR: for_statement(l, node); break;
    case TESS__CONTINUE: continue_statement(l); break;
    default:
        for (int32_t s = node->first; s; s = node_at(l, s)->next) statement(l, node_at(l, s));
        break;
    }
    l->all.at = outer;
}

static void statements(lowering *l, int32_t n) { statement(l, node_at(l, n)); }

/* ---- Beginning and end ---- */

static void start_variables(lowering *l)
{
    for (int32_t k = 0; k < l->tree->n_variables; k++) {
        const tess__variable *variable = &l->tree->variables[k];
        const tess__param    *p = variable->param < 0 ? NULL : &l->tree->params[variable->param];
        l->now[k] = -1;
        if (!p) continue;
        l->all.at = p->name;
        const bool body = l->part == TESS__PART_BODY;
        if (p->role == TESS__PARAM_VAL) l->now[k] = leaf(l, VALUE_VAL, variable->param, 0, p->type);
        else if (body && (p->role == TESS__PARAM_IN || p->role == TESS__PARAM_INOUT))
            l->now[k] = load(l, TESS__DO_LOAD, variable->param, p->type, false);
        else if (p->role == TESS__PARAM_ACC)
            l->now[k] =
                body && p->monoid ? neutral(l, p) : load(l, TESS__DO_LANES, variable->param, p->type, variable->other);
    }
}

/* To the lanes: of f32 by kernels that widen, of others converted first. */
static void finish_accumulator(lowering *l, int param, int32_t x)
{
    const tess__param *p = &l->tree->params[param];
    const bool         wide = p->monoid == TESS__MONOID_SUM || p->monoid == TESS__MONOID_PROD;
    const tess_dtype   lanes = tess_lane_dtype(p->type, wide);
    value              like = { .kind = TESS__DO_SET_LANES,
                                .type = (uint8_t)p->type,
                                .to = (uint8_t)lanes,
                                .op = (int16_t)param,
                                .n_args = 1,
                                .args = { x } };
    if (l->part == TESS__PART_BODY && p->monoid) {
        if (x == neutral(l, p) && tess_dtype_kind(p->type) != TESS_KIND_COMPLEX) return;
        const tess_dtype in = p->type == TESS_F32 || lanes == TESS_F16 ? TESS_F32 : lanes;
        like.kind = TESS__DO_COMBINE;
        like.step = tess__monoid_operator(p->monoid);
        like.args[0] = cast(l, x, p->type, in);
        like.type = (uint8_t)in;
    } else if (is_kind(l, x, TESS__DO_LANES) && l->all.v[x].op == param && !l->all.v[x].flag) {
        return;
    }
    (void)tess__value(&l->all, &like, true);
}

static void finish_output(lowering *l, int32_t number)
{
    const tess__variable *variable = &l->tree->variables[number];
    const int32_t         x = l->now[number];
    if (l->all.status != TESS_OK || (is_kind(l, x, TESS__DO_LOAD) && l->all.v[x].op == variable->param)) return;
    (void)tess__value(&l->all,
                      &(value){ .kind = TESS__DO_STORE,
                                .type = (uint8_t)variable->type,
                                .op = (int16_t)variable->param,
                                .n_args = 1,
                                .args = { x } },
                      true);
}

/* Lanes that are set come last: what is stored or combined into others may be read from them where they lie. */
static void finish_variables(lowering *l)
{
    for (int last = 0; last < 2; last++)
        for (int32_t k = 0; k < l->tree->n_variables; k++) {
            const tess__variable *variable = &l->tree->variables[k];
            if (variable->param < 0 || variable->other || l->now[k] < 0) continue;
            const tess__param *p = &l->tree->params[variable->param];
            const bool         sets = p->role == TESS__PARAM_ACC && !(l->part == TESS__PART_BODY && p->monoid);
            if (sets != (last == 1)) continue;
            l->all.at = p->name;
            if (p->role == TESS__PARAM_OUT || p->role == TESS__PARAM_INOUT) finish_output(l, k);
            else if (p->role == TESS__PARAM_ACC && l->part != TESS__PART_POST)
                finish_accumulator(l, variable->param, l->now[k]);
        }
}

static tess_status lower_part(lowering *l, tess__program **out, int32_t block, const tess_op_parse_opts *limits)
{
    start_variables(l);
    if (l->all.status == TESS_OK) statements(l, block);
    if (l->all.status == TESS_OK) finish_variables(l);
    if (l->all.status != TESS_OK) return l->all.status;
    return tess__assign(out, &l->all, l->part, limits);
}

tess_status tess__program_make(tess__program **out, const tess__tree *tree, int part, const tess_op_parse_opts *limits)
{
    const int32_t block = part == TESS__PART_BODY ? tree->body : part == TESS__PART_JOIN ? tree->join : tree->post;
    const size_t  n = (size_t)tree->n_variables + 1;
    TESS_CHECK(block > 0, TESS_EARG, "operator: has no such part");
    const size_t size = sizeof(lowering) + n * (sizeof(int32_t) + sizeof(bool));
    lowering    *l = tess__alloc(size);
    if (!l) return tess__no_program_memory(tree, size);
    bool *varies = (bool *)((int32_t *)(void *)(l + 1) + n);
    l->tree = tree;
    l->part = part;
    l->now = (int32_t *)(void *)(l + 1);
    l->saved = NULL;
    l->n_saved = l->saved_room = l->visits = 0;
    l->gate = l->mask = l->skipped = -1;
    l->varies = varies;
    tess__find_varying(tree, block, varies);
    tess__values_start(&l->all, tree);
    const tess_status status = lower_part(l, out, block, limits);
    tess__values_free(&l->all);
    tess__free(l->saved);
    tess__free(l);
    return status;
}
