/* Static trip-count check: loops of a call that are certain to exceed max_trips are an error before anything runs. All
 * others are counted as they run. */
#include <inttypes.h>
#include <string.h>

#include "ops/op/op.h"

typedef struct bounds {
    const tess__op_call *work;
    const tess__tree    *tree;
    int64_t              max;
} bounds;

/* The integer of a value; others are unknown. */
static bool number_of(int64_t *out, const void *value, int32_t type)
{
    switch (type) {
    case TESS_I8: *out = *(const int8_t *)value; return true;
    case TESS_U8: *out = *(const uint8_t *)value; return true;
    case TESS_I16: *out = *(const int16_t *)value; return true;
    case TESS_U16: *out = *(const uint16_t *)value; return true;
    case TESS_I32: *out = *(const int32_t *)value; return true;
    case TESS_U32: *out = *(const uint32_t *)value; return true;
    case TESS_I64: *out = *(const int64_t *)value; return true;
    default: return false;
    }
}

static bool of_variable(const bounds *b, int64_t *out, int32_t number)
{
    const tess__variable *v = &b->tree->variables[number];
    if (v->param < 0 || b->tree->params[v->param].role != TESS__PARAM_VAL) return false;
    const tess__param *p = &b->tree->params[v->param];
    const void        *value =
        tess__is_struct(p->type) ? b->work->structs + p->at + v->offset : b->work->param[v->param].value;
    return number_of(out, value, v->type);
}

/* A bound that is a constant, a value, a shape or a size, as i64. */
static bool of_bound(const bounds *b, int64_t *out, int32_t at)
{
    const tess__node *node = &b->tree->nodes[at];
    switch (node->kind) {
    case TESS__NUMBER: *out = node->value.i; return node->type == TESS_I64;
    case TESS__NAME: return of_variable(b, out, node->op);
    case TESS__SIZE: *out = b->work->domain.dim[node->value.i]; return true;
    case TESS__SHAPE: *out = b->work->param[node->op].array.shape.dim[node->value.i]; return true;
    case TESS__CONVERT: return node->type == TESS_I64 && of_bound(b, out, node->first);
    default: return false;
    }
}

static bool is_open(const tess__tree *tree, int32_t at)
{
    const tess__node *node = &tree->nodes[at];
    if (node->kind == TESS__NAME || node->kind == TESS__SHAPE || node->kind == TESS__SIZE) return true;
    return node->kind == TESS__CONVERT && is_open(tree, node->first);
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

static tess_status check_list(const bounds *b, int32_t first, uint64_t trips);

/* A loop in `trips` iterations of those around it. One of unknown length is not checked, nor what is in it. */
static tess_status check_loop(const bounds *b, const tess__node *node, uint64_t trips)
{
    const int32_t second = b->tree->nodes[node->first].next;
    const bool    inclusive = node->computed != 0;
    int64_t       from, to;
    if (!of_bound(b, &from, node->first) || !of_bound(b, &to, second)) return TESS_OK;
    if (inclusive ? from > to : from >= to) return TESS_OK;
    const uint64_t span = (uint64_t)to - (uint64_t)from - !inclusive, left = span / (uint64_t)node->value.i;
    uint64_t       all;
    if (left == UINT64_MAX || __builtin_mul_overflow(trips, left + 1, &all)) all = UINT64_MAX;
    TESS_CHECK(all <= (uint64_t)b->max, TESS_ERANGE,
               "%s: with these values and shapes, loop %.*s runs %" PRIu64 " times per element; max_trips is %" PRId64,
               b->work->name, (int)b->tree->variables[node->op].name.length,
               b->tree->text + b->tree->variables[node->op].name.at, all, b->max);
    return check_list(b, b->tree->nodes[second].next, all);
}

/* What is under a condition, or behind one with a `continue`, may not be reached. */
static tess_status check_list(const bounds *b, int32_t first, uint64_t trips)
{
    for (int32_t at = first; at; at = b->tree->nodes[at].next) {
        const tess__node *node = &b->tree->nodes[at];
        if (node->kind == TESS__IF && trips > 1) break;
        if (node->kind == TESS__FOR) TESS_TRY(check_loop(b, node, trips));
        else if (node->kind == TESS__BLOCK) TESS_TRY(check_list(b, node->first, trips));
    }
    return TESS_OK;
}

tess_status tess__check_trips(const tess__op_call *work, int64_t max)
{
    const bounds b = { work, work->op->tree, max };
    TESS_TRY(check_list(&b, b.tree->body, 1));
    TESS_TRY(check_list(&b, b.tree->join, 1));
    TESS_TRY(check_list(&b, b.tree->post, 1));
    return TESS_OK;
}
