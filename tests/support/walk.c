/* A walk over a tree for each element. Numbers are computed by the row kernels, one at a time. */
#include "support/walk.h"

#include <math.h>
#include <string.h>

#include "backend.h"
#include "cpu/convert/convert.h"
#include "cpu/isa.h"
#include "lang/ir/values.h"
#include "tessera/math/interp.op.h"
#include "tessera/math/random.op.h"

enum { VARIABLES = 1024 };

typedef union cell {
    _Alignas(16) unsigned char bytes[16];
    int64_t  i;
    uint64_t u;
    uint8_t  b;
    int32_t  i32;
    float    f;
} cell;

typedef struct walker {
    const tess__tree *tree;
    const tess_tile  *tile;
    int64_t           position[4];
    cell              variable[VARIABLES];
    bool              left; /* this turn of the loop */
} walker;

static cell value_of(walker *w, int32_t n);

static const tess__node *at(const walker *w, int32_t n) { return &w->tree->nodes[n]; }

static cell constant(tess_dtype type, tess__constant c)
{
    cell            x = { { 0 } };
    const tess_kind kind = tess_dtype_kind(type);
    const bool      real = kind == TESS_KIND_FLOAT;
    tess_dtype      from = real ? TESS_F64 : kind == TESS_KIND_COMPLEX ? TESS_C64 : TESS_U64;
    cell            y = { { 0 } };
    memcpy(&y, &c, 16);
    if (from == TESS_U64 && type == TESS_BOOL) {
        x.b = c.u != 0;
        return x;
    }
    const tess__conversion k = tess__conversion_of(from, type, TESS__WRAP, TESS_PART_ABS);
    k.row((char *[]){ (char *)&x, (char *)&y }, (int64_t[]){ 1, 1 }, 1, &k);
    return x;
}

static cell converted(cell x, tess_dtype from, tess_dtype to)
{
    cell       y = { { 0 } };
    const bool real = tess_dtype_kind(from) == TESS_KIND_FLOAT;
    if (from == to) return x;
    const tess__conversion k = tess__conversion_of(from, to, real ? TESS__CLAMP : TESS__WRAP, TESS_PART_ABS);
    k.row((char *[]){ (char *)&y, (char *)&x }, (int64_t[]){ 1, 1 }, 1, &k);
    return y;
}

static cell operated(int op, tess_dtype type, cell *x)
{
    cell y = { { 0 } };
    tess__cpu_kernels()->ewise.op[op][type]((char *[]){ (char *)&y, (char *)&x[0], (char *)&x[1], (char *)&x[2] },
                                            (int64_t[]){ 1, 1, 1, 1 }, 1, NULL);
    return y;
}

/* What lies outside a view with the border value. */
static void outside_of(const walker *w, int32_t k, unsigned char bytes[16])
{
    const tess__param *p = &w->tree->params[k];
    memset(bytes, 0, 16);
    if (p->border != TESS_BORDER_VALUE) return;
    if (p->fill) memcpy(bytes, (const char *)w->tile->val + 16 * (p->fill - 1), 16);
    else tess__constant_bytes(bytes, p->type, &p->value);
}

static cell read_view(const walker *w, const tess__node *node, const cell *x)
{
    const tess__param *p = &w->tree->params[node->op];
    const tess_tile   *t = w->tile;
    cell               y = { { 0 } };
    unsigned char      outside[16];
    outside_of(w, node->op, outside);
#define READ(NAME, name, T, REAL)                                                                                      \
    if (p->type == TESS_##NAME) {                                                                                      \
        tess_view_##name v = tess__view_##name(t->ptr[node->op], t->stride[node->op], t->shape[node->op], p->border,   \
                                               node->op, t->fault);                                                    \
        memcpy(&v.value, outside, sizeof v.value);                                                                     \
        const T found = tess__at_##name(&v, x[0].i, x[1].i, x[2].i, x[3].i);                                           \
        memcpy(&y, &found, sizeof found);                                                                              \
    }
    TESS_SCALAR_DTYPES(READ)
#undef READ
    return y;
}

static cell interpolated(const walker *w, const tess__node *node, const cell *x)
{
    const tess_tile *t = w->tile;
    cell             y = { { 0 } };
    tess__frame      view = {
             .data = t->ptr[node->op], .border = w->tree->params[node->op].border, .number = node->op, .fault = t->fault
    };
    memcpy(view.stride, t->stride[node->op], sizeof view.stride);
    memcpy(view.shape, t->shape[node->op], sizeof view.shape);
    outside_of(w, node->op, view.value);
    const void *const p[5] = { &x[0], &x[1], &x[2], &x[3], NULL };
    tess__cpu_kernels()->op.interp[node->computed == TESS_F64][node->type](&y, &view, (int32_t)node->value.i, p,
                                                                           (int64_t[5]){ 0 }, 1);
    return y;
}

static void run_list(walker *w, int32_t first);

static cell call(walker *w, const tess__node *node)
{
    const tess__function *f = &w->tree->functions[node->op];
    cell                  given[16];
    int                   n = 0;
    int32_t               last = f->body;
    for (int32_t c = node->first; c; c = at(w, c)->next) given[n++] = value_of(w, c);
    memcpy(&w->variable[f->first], given, (size_t)n * sizeof *given);
    run_list(w, f->body);
    while (at(w, last)->kind != TESS__RETURN) last = at(w, last)->next;
    return value_of(w, at(w, last)->first);
}

static bool connects(const tess__node *node)
{
    return node->kind == TESS__OPERATOR && node->computed == TESS_BOOL &&
           (node->op == TESS__OP_logical_and || node->op == TESS__OP_logical_or);
}

/* c ? x : y, x && y, x || y: what is not needed is not looked at. */
static cell decided(walker *w, const tess__node *node)
{
    const int32_t second = at(w, node->first)->next;
    const cell    x = value_of(w, node->first);
    if (node->kind == TESS__SELECT) return value_of(w, x.b ? second : at(w, second)->next);
    return x.b == (node->op == TESS__OP_logical_or) ? x : value_of(w, second);
}

static cell value_of(walker *w, int32_t n)
{
    const tess__node *node = at(w, n);
    cell              x[4] = { { { 0 } } }, y = { { 0 } };
    int               count = 0;
    if (node->kind == TESS__USER) return call(w, node);
    if (node->kind == TESS__SELECT || connects(node)) return decided(w, node);
    for (int32_t c = node->first; c && count < 4; c = at(w, c)->next) x[count++] = value_of(w, c);
    switch (node->kind) {
    case TESS__NUMBER: return constant(node->type, node->value);
    case TESS__NAME: return w->variable[node->op];
    case TESS__INDEX: y.i = w->position[node->op]; return y;
    case TESS__SHAPE: y.i = w->tile->shape[node->op][node->value.i]; return y;
    case TESS__SIZE: y.i = w->tile->size[node->value.i]; return y;
    case TESS__COUNT: y.i = w->tile->count; return y;
    case TESS__OPERATOR: return operated(node->op, node->computed, x);
    case TESS__CONVERT: return converted(x[0], at(w, node->first)->type, node->type);
    case TESS__AT: return read_view(w, node, x);
    case TESS__INTERP: return interpolated(w, node, x);
    default: y.f = tess__unit_f32(tess__random_u32(x[0].u, 0, x[1].u, 0)); return y;
    }
}

static int operator_of(int monoid)
{
    static const int op[] = {
        0, TESS__OP_add, TESS__OP_mul, TESS__OP_fmin, TESS__OP_fmax, TESS__OP_logical_or, TESS__OP_logical_and
    };
    return op[monoid];
}

static cell combined(int monoid, tess_dtype type, cell a, cell b)
{
    const tess_dtype in = type == TESS_F16 ? TESS_F32 : type == TESS_C16 ? TESS_C32 : type;
    cell             x[3] = { converted(a, type, in), converted(b, type, in) };
    return converted(operated(operator_of(monoid), in, x), in, type);
}

static int32_t variable_of(const tess__tree *tree, int param, bool other)
{
    for (int32_t k = 0; k < tree->n_variables; k++)
        if (tree->variables[k].param == param && tree->variables[k].other == other) return k;
    return 0;
}

static void scatter(walker *w, const tess__node *node)
{
    const tess_tile *t = w->tile;
    const tess_dtype type = w->tree->params[node->op].type;
    cell             x[5];
    int              n = 0;
    for (int32_t c = node->first; c; c = at(w, c)->next) x[n++] = value_of(w, c);
    int64_t offset = 0;
    for (int k = 0; k < 4; k++) {
        if (x[k].i < 0 || x[k].i >= t->shape[node->op][k]) return;
        offset += x[k].i * t->stride[node->op][k];
    }
    const size_t size = tess_dtype_size(type);
    char        *to = (char *)t->ptr[node->op] + offset * (int64_t)size;
    cell         old = { { 0 } };
    memcpy(&old, to, size);
    old = combined(TESS__MONOID_SUM, type, old, x[4]);
    memcpy(to, &old, size);
}

static void run_for(walker *w, const tess__node *node)
{
    const int32_t second = at(w, node->first)->next;
    const int64_t from = value_of(w, node->first).i, to = value_of(w, second).i;
    for (int64_t i = from; node->computed ? i <= to : i < to; i += node->value.i) {
        w->variable[node->op].i32 = (int32_t)i;
        w->left = false;
        run_list(w, at(w, second)->next);
    }
    w->left = false;
}

static void run_list(walker *w, int32_t first)
{
    for (int32_t n = first; n && !w->left; n = at(w, n)->next) {
        const tess__node *node = at(w, n);
        switch (node->kind) {
        case TESS__ASSIGN: w->variable[node->op] = value_of(w, node->first); break;
        case TESS__ACCUMULATE: {
            const tess__param *p = &w->tree->params[node->op];
            cell              *sum = &w->variable[variable_of(w->tree, node->op, false)];
            *sum = combined(p->monoid, p->type, *sum, value_of(w, node->first));
            break;
        }
        case TESS__SCATTER: scatter(w, node); break;
        case TESS__IF: {
            const int32_t then = at(w, node->first)->next, other = at(w, then)->next;
            if (value_of(w, node->first).b) run_list(w, at(w, then)->first);
            else if (other) run_list(w, at(w, other)->kind == TESS__BLOCK ? at(w, other)->first : other);
            break;
        }
        case TESS__FOR: run_for(w, node); break;
        case TESS__CONTINUE: w->left = true; break;
        case TESS__BLOCK: run_list(w, node->first); break;
        default: break;
        }
    }
}

/* ---- Elements ---- */

static cell neutral(const tess__param *p)
{
    const tess_kind kind = tess_dtype_kind(p->type);
    const bool      real = kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX;
    const int       bits = 8 * (int)tess_dtype_size(p->type);
    tess__constant  c = { .f = { 0, 0 } };
    if (real) {
        if (p->monoid == TESS__MONOID_SUM) c.f[0] = c.f[1] = -0.0;
        else c.f[0] = p->monoid == TESS__MONOID_PROD ? 1 : (double)INFINITY * (p->monoid == TESS__MONOID_MIN ? 1 : -1);
    } else if (p->monoid == TESS__MONOID_PROD || p->monoid == TESS__MONOID_ALL) {
        c.u = 1;
    } else if (p->monoid == TESS__MONOID_MIN) {
        c.u = kind == TESS_KIND_INT ? ((uint64_t)1 << (bits - 1)) - 1 : UINT64_MAX;
    } else if (p->monoid == TESS__MONOID_MAX && kind == TESS_KIND_INT) {
        c.u = (uint64_t)1 << (bits - 1);
    }
    return constant(p->type, c);
}

static char *element(const walker *w, int k)
{
    int64_t offset = 0;
    for (int d = 0; d < 4; d++) offset += w->position[d] * w->tile->stride[k][d];
    return (char *)w->tile->ptr[k] + offset * (int64_t)tess_dtype_size(w->tree->params[k].type);
}

static tess_dtype lane_type(const tess__param *p)
{
    return tess_lane_dtype(p->type, p->monoid == TESS__MONOID_SUM || p->monoid == TESS__MONOID_PROD);
}

static void start(walker *w, bool body, int64_t lane)
{
    for (int k = 0; k < w->tree->n_variables; k++) {
        const tess__variable *v = &w->tree->variables[k];
        if (v->param < 0) continue;
        const tess__param *p = &w->tree->params[v->param];
        const size_t       size = tess_dtype_size(p->type);
        if (p->role == TESS__PARAM_VAL) memcpy(&w->variable[k], (const char *)w->tile->val + 16 * v->param, size);
        if (p->role == TESS__PARAM_ACC && body && p->monoid) w->variable[k] = neutral(p);
        else if (p->role == TESS__PARAM_ACC)
            memcpy(&w->variable[k],
                   (const char *)(v->other ? w->tile->other : w->tile->acc)[v->param] + lane * (int64_t)size, size);
        if (body && (p->role == TESS__PARAM_IN || p->role == TESS__PARAM_INOUT))
            memcpy(&w->variable[k], element(w, v->param), size);
    }
}

/* Then outputs are made after the body. */
static bool reduces(const tess__tree *tree)
{
    for (int k = 0; k < tree->n_params; k++)
        if (tree->params[k].role == TESS__PARAM_ACC) return true;
    return false;
}

static void finish(walker *w, bool body, bool post, int64_t lane)
{
    for (int k = 0; k < w->tree->n_variables; k++) {
        const tess__variable *v = &w->tree->variables[k];
        if (v->param < 0 || v->other) continue;
        const tess__param *p = &w->tree->params[v->param];
        const size_t       size = tess_dtype_size(p->type);
        if (p->role == TESS__PARAM_ACC && !post) {
            const tess_dtype type = body ? lane_type(p) : (tess_dtype)p->type;
            const size_t     width = tess_dtype_size(type);
            char            *to = (char *)w->tile->acc[v->param] + lane * (int64_t)width;
            cell             x = converted(w->variable[k], p->type, type), old = { { 0 } };
            memcpy(&old, to, width);
            if (body && p->monoid) x = combined(p->monoid, type, old, x);
            memcpy(to, &x, width);
        }
        if (post ? p->role == TESS__PARAM_OUT
                 : body && ((p->role == TESS__PARAM_OUT && !reduces(w->tree)) || p->role == TESS__PARAM_INOUT))
            memcpy(element(w, v->param), &w->variable[k], size);
    }
}

void walk_tile(const tess__tree *tree, int32_t block, const tess_tile *tile)
{
    walker         w = { .tree = tree, .tile = tile };
    const int64_t *o = tile->origin, *e = tile->extent;
    const bool     body = block == tree->body;
    for (w.position[0] = o[0]; w.position[0] < o[0] + e[0]; w.position[0]++)
        for (w.position[1] = o[1]; w.position[1] < o[1] + e[1]; w.position[1]++)
            for (w.position[2] = o[2]; w.position[2] < o[2] + e[2]; w.position[2]++)
                for (w.position[3] = o[3]; w.position[3] < o[3] + e[3]; w.position[3]++) {
                    const int64_t i = w.position[3] - o[3], lane = body ? i % tile->lanes : i;
                    start(&w, body, lane);
                    run_list(&w, at(&w, block)->first);
                    finish(&w, body, block == tree->post && !body, lane);
                }
}
