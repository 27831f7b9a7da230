/* How often loops of an operator run, from the values and shapes of a call: bounds by interval arithmetic. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/check.h"
#include "ops/op.h"

/* The numbers a value can have. In double: what counts are bounds, and those of interest are small. */
typedef struct range {
    double low, high;
} range;

typedef struct bounds {
    const tess__op_call *work;
    const tess__tree    *tree;
    int64_t              most;
    range                counter[64]; /* of the loops around, with their variables */
    int32_t              variable[64];
    int                  depth;
} bounds;

/* All numbers of a type: what is known of a value that is not looked into. */
static range all_of(int32_t type)
{
    switch (type) {
    case TESS_BOOL: return (range){ 0, 1 };
    case TESS_I8: return (range){ -128, 127 };
    case TESS_I16: return (range){ -32768, 32767 };
    case TESS_I32: return (range){ INT32_MIN, INT32_MAX };
    case TESS_U8: return (range){ 0, 255 };
    case TESS_U16: return (range){ 0, 65535 };
    case TESS_U32: return (range){ 0, UINT32_MAX };
    case TESS_U64: return (range){ 0, 0x1p64 };
    case TESS_I64: return (range){ -0x1p63, 0x1p63 };
    default: return (range){ -INFINITY, INFINITY };
    }
}

/* What leaves its type may have wrapped to anything. */
static range within(range r, int32_t type)
{
    const range all = all_of(type);
    return r.low >= all.low && r.high <= all.high ? r : all;
}

static range exactly(double x) { return (range){ x, x }; }

static double number_of(const void *value, int32_t type)
{
    double x = 0;
    if (tess_dtype_kind(type) == TESS_KIND_COMPLEX) return NAN;
    switch (type) {
    case TESS_BOOL:
    case TESS_U8: return *(const uint8_t *)value;
    case TESS_I8: return *(const int8_t *)value;
    case TESS_I16: return *(const int16_t *)value;
    case TESS_U16: return *(const uint16_t *)value;
    case TESS_I32: return *(const int32_t *)value;
    case TESS_U32: return *(const uint32_t *)value;
    case TESS_I64: return (double)*(const int64_t *)value;
    case TESS_U64: return (double)*(const uint64_t *)value;
    case TESS_F16: return (double)tess_f16_to_f32(*(const tess_f16 *)value);
    case TESS_F32: return (double)*(const float *)value;
    default: memcpy(&x, value, sizeof x); return x;
    }
}

static range of_variable(const bounds *b, int32_t number, int32_t type)
{
    for (int i = b->depth - 1; i >= 0; i--)
        if (b->variable[i] == number) return b->counter[i];
    const tess__variable *v = &b->tree->variables[number];
    if (v->param < 0 || b->tree->params[v->param].role != TESS__PARAM_VAL) return all_of(type);
    const double x = number_of(b->work->param[v->param].value, type);
    return x == x ? exactly(x) : all_of(type);
}

static range product(range x, range y)
{
    const double p[4] = { x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high };
    range        r = { p[0], p[0] };
    for (int i = 1; i < 4; i++) {
        r.low = p[i] < r.low ? p[i] : r.low;
        r.high = p[i] > r.high ? p[i] : r.high;
    }
    return r;
}

/* Division cuts off towards 0, and by 0 gives 0: no result is larger than what is divided. */
static range quotient(range x, range y)
{
    const double most = fmax(fabs(x.low), fabs(x.high));
    if (y.low == y.high && y.low > 0) return (range){ trunc(x.low / y.low), trunc(x.high / y.low) };
    return (range){ x.low < 0 || y.low < 0 ? -most : 0, most };
}

static range of_node(const bounds *b, int32_t at);

static range of_operator(const bounds *b, const tess__node *node)
{
    const range x = of_node(b, node->first);
    const range y = node->first && b->tree->nodes[node->first].next ? of_node(b, b->tree->nodes[node->first].next) : x;
    if (tess_dtype_kind(node->type) == TESS_KIND_FLOAT) return all_of(node->type);
    switch (node->op) {
    case TESS__OP_add: return (range){ x.low + y.low, x.high + y.high };
    case TESS__OP_sub: return (range){ x.low - y.high, x.high - y.low };
    case TESS__OP_mul: return product(x, y);
    case TESS__OP_div: return quotient(x, y);
    case TESS__OP_neg: return (range){ -x.high, -x.low };
    case TESS__OP_fmin:
    case TESS__OP_minimum: return (range){ fmin(x.low, y.low), fmin(x.high, y.high) };
    case TESS__OP_fmax:
    case TESS__OP_maximum: return (range){ fmax(x.low, y.low), fmax(x.high, y.high) };
    case TESS__OP_mod:
        if (x.low >= 0 && y.low >= 0) return (range){ 0, fmin(x.high, fmax(y.high - 1, 0)) };
        return all_of(node->type);
    case TESS__OP_shift_left:
        if (y.low == y.high && y.low >= 0 && y.low < 63) return product(x, exactly(ldexp(1, (int)y.low)));
        return all_of(node->type);
    case TESS__OP_shift_right:
        if (y.low == y.high && y.low >= 0 && y.low < 63)
            return (range){ floor(ldexp(x.low, -(int)y.low)), floor(ldexp(x.high, -(int)y.low)) };
        return all_of(node->type);
    default: return all_of(node->type);
    }
}

static range of_conversion(const bounds *b, const tess__node *node)
{
    const range     x = of_node(b, node->first), all = all_of(node->type);
    const tess_kind from = tess_dtype_kind(b->tree->nodes[node->first].type);
    if (from != TESS_KIND_FLOAT || tess_dtype_kind(node->type) == TESS_KIND_FLOAT) return x;
    const range cut = { trunc(x.low), trunc(x.high) };
    return (range){ fmin(fmax(cut.low, all.low), all.high), fmin(fmax(cut.high, all.low), all.high) };
}

static range of_number(const tess__node *node)
{
    switch (tess_dtype_kind(node->type)) {
    case TESS_KIND_INT: return exactly((double)node->value.i);
    case TESS_KIND_UINT:
    case TESS_KIND_BOOL: return exactly((double)node->value.u);
    case TESS_KIND_FLOAT: return exactly(node->value.f[0]);
    default: return all_of(node->type);
    }
}

static range of_node(const bounds *b, int32_t at)
{
    const tess__node *node = &b->tree->nodes[at];
    switch (node->kind) {
    case TESS__NUMBER: return of_number(node);
    case TESS__NAME: return of_variable(b, node->op, node->type);
    case TESS__INDEX: return (range){ 0, fmax((double)b->work->domain.dim[node->op] - 1, 0) };
    case TESS__SIZE: return exactly((double)b->work->domain.dim[node->value.i]);
    case TESS__SHAPE: return exactly((double)b->work->param[node->op].array.shape.dim[node->value.i]);
    case TESS__OPERATOR: return within(of_operator(b, node), node->type);
    case TESS__CONVERT: return within(of_conversion(b, node), node->type);
    default: return all_of(node->type);
    }
}

static bool is_open(const tess__tree *tree, int32_t at)
{
    const tess__node *node = &tree->nodes[at];
    if (node->kind == TESS__NAME || node->kind == TESS__INDEX || node->kind == TESS__SHAPE || node->kind == TESS__SIZE)
        return true;
    for (int32_t child = node->first; child; child = tree->nodes[child].next)
        if (is_open(tree, child)) return true;
    return false;
}

bool tess__has_open_trips(const tess__tree *tree)
{
    for (int32_t i = 1; i < tree->n_nodes; i++) {
        const tess__node *node = &tree->nodes[i];
        if (node->kind == TESS__FOR && (is_open(tree, node->first) || is_open(tree, tree->nodes[node->first].next)))
            return true;
    }
    return false;
}

static tess_status check_list(bounds *b, int32_t first, double trips);

/* A loop in `trips` runs of those around it. */
static tess_status check_loop(bounds *b, const tess__node *node, double trips)
{
    const int32_t to = b->tree->nodes[node->first].next;
    const range   start = of_node(b, node->first), end = of_node(b, to);
    const double  last = node->computed ? end.high : end.high - 1;
    const double  n = last < start.low ? 0 : floor((last - start.low) / (double)node->value.i) + 1;
    TESS_CHECK(trips * n <= (double)b->most, TESS_ERANGE,
               "%s: with these values and shapes, loop %.*s may run %.0f times for an element; max_trips is %" PRId64,
               b->work->name, (int)b->tree->variables[node->op].name.length,
               b->tree->text + b->tree->variables[node->op].name.at, trips * n, b->most);
    TESS_CHECK(b->depth < 64, TESS_ERANGE, "%s: loops are nested more than 64 deep", b->work->name);
    b->variable[b->depth] = node->op;
    b->counter[b->depth++] = (range){ start.low, fmax(last, start.low) };
    TESS_TRY(check_list(b, b->tree->nodes[to].next, trips * fmax(n, 1)));
    b->depth--;
    return TESS_OK;
}

static tess_status check_list(bounds *b, int32_t first, double trips)
{
    for (int32_t at = first; at; at = b->tree->nodes[at].next) {
        const tess__node *node = &b->tree->nodes[at];
        if (node->kind == TESS__FOR) TESS_TRY(check_loop(b, node, trips));
        else if (node->kind == TESS__IF || node->kind == TESS__BLOCK) TESS_TRY(check_list(b, node->first, trips));
    }
    return TESS_OK;
}

tess_status tess__check_trips(const tess__op_call *work, int64_t most)
{
    bounds b;
    b.work = work;
    b.tree = work->op->tree;
    b.most = most;
    b.depth = 0;
    TESS_TRY(check_list(&b, b.tree->body, 1));
    TESS_TRY(check_list(&b, b.tree->join, 1));
    TESS_TRY(check_list(&b, b.tree->post, 1));
    for (int i = 0; i < b.tree->n_functions; i++) TESS_TRY(check_list(&b, b.tree->functions[i].body, 1));
    return TESS_OK;
}
