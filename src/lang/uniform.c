/* Variables by what is assigned to them: whether it differs from element to element, and in which loops. */
#include "lang/uniform.h"

#include <string.h>

typedef struct search {
    const tess__tree *tree;
    bool             *varies;
    bool              changed;
    bool              along; /* something uses the last index */
} search;

static bool expression_varies(search *s, int32_t n);
static bool list_varies(search *s, int32_t first, bool under);

static void note(search *s, int32_t variable, bool varies)
{
    if (!varies || s->varies[variable]) return;
    s->varies[variable] = true;
    s->changed = true;
}

/* A function's parameters take all that is ever given to them. Its body is looked at on its own; what it returns varies
 * if anything that goes in does, or if there is anything else in the tree that a function could have it from. */
static bool call_varies(search *s, const tess__node *node)
{
    const tess__function *f = &s->tree->functions[node->op];
    bool                  any = s->along;
    int32_t               k = 0;
    for (int32_t c = node->first; c; c = s->tree->nodes[c].next, k++) {
        const bool varies = expression_varies(s, c);
        if (k < f->count) note(s, f->first + k, varies);
        any |= varies;
    }
    return any;
}

static bool expression_varies(search *s, int32_t n)
{
    const tess__node *node = &s->tree->nodes[n];
    if (node->kind == TESS__NAME) return s->varies[node->op];
    if (node->kind == TESS__INDEX) return node->op == 3;
    if (node->kind == TESS__USER) return call_varies(s, node);
    bool any = false;
    for (int32_t c = node->first; c; c = s->tree->nodes[c].next) any |= expression_varies(s, c);
    return any;
}

static int32_t accumulator(const tess__tree *tree, int32_t param)
{
    for (int32_t k = 0; k < tree->n_variables; k++)
        if (tree->variables[k].param == param && !tree->variables[k].other) return k;
    return 0;
}

/* Is there a way out of this turn that only some elements take? Then all that the loop does is under a condition. */
static bool leaves_for_some(search *s, int32_t first, bool under)
{
    for (int32_t n = first; n; n = s->tree->nodes[n].next) {
        const tess__node *node = &s->tree->nodes[n];
        if (node->kind == TESS__CONTINUE && under) return true;
        if (node->kind == TESS__IF) {
            const bool condition = expression_varies(s, node->first);
            if (leaves_for_some(s, s->tree->nodes[node->first].next, under || condition)) return true;
        }
        if (node->kind == TESS__BLOCK && leaves_for_some(s, node->first, under)) return true;
    }
    return false;
}

/* Statements; whether the last of them, a return, gives something that varies. */
static bool list_varies(search *s, int32_t first, bool under)
{
    bool result = false;
    for (int32_t n = first; n; n = s->tree->nodes[n].next) {
        const tess__node *node = &s->tree->nodes[n];
        switch (node->kind) {
        case TESS__ASSIGN: note(s, node->op, expression_varies(s, node->first) || under); break;
        case TESS__ACCUMULATE:
            note(s, accumulator(s->tree, node->op), expression_varies(s, node->first) || under);
            break;
        case TESS__RETURN: result = expression_varies(s, node->first); break;
        case TESS__IF: {
            const bool condition = expression_varies(s, node->first);
            (void)list_varies(s, s->tree->nodes[node->first].next, under || condition);
            break;
        }
        case TESS__FOR: {
            const int32_t body = s->tree->nodes[s->tree->nodes[node->first].next].next;
            (void)list_varies(s, body, under || leaves_for_some(s, body, under));
            break;
        }
        case TESS__BLOCK: (void)list_varies(s, node->first, under); break;
        default: break;
        }
    }
    return result;
}

static bool has_node(const tess__tree *tree, int kind, int32_t op)
{
    for (int32_t n = 1; n < tree->n_nodes; n++)
        if (tree->nodes[n].kind == kind && (op < 0 || tree->nodes[n].op == op)) return true;
    return false;
}

void tess__find_varying(const tess__tree *tree, int32_t block, bool *varies)
{
    search s = { tree, varies, has_node(tree, TESS__FOR, -1), has_node(tree, TESS__INDEX, 3) };
    for (int32_t k = 0; k < tree->n_variables; k++) {
        const int32_t param = tree->variables[k].param;
        const int32_t role = param < 0 ? TESS__PARAM_OUT : tree->params[param].role;
        varies[k] = role == TESS__PARAM_IN || role == TESS__PARAM_INOUT ||
                    (role == TESS__PARAM_ACC && !(block == tree->body && tree->params[param].monoid));
    }
    while (s.changed) { /* at most once for each variable */
        s.changed = false;
        (void)list_varies(&s, block, false);
        for (int32_t f = 0; f < tree->n_functions; f++) (void)list_varies(&s, tree->functions[f].body, false);
    }
}

void tess__mark_assigned(const tess__tree *tree, int32_t first, int32_t *assigned)
{
    for (int32_t n = first; n; n = tree->nodes[n].next) {
        const tess__node *node = &tree->nodes[n];
        if (node->kind == TESS__ASSIGN) assigned[node->op] = 1;
        else if (node->kind == TESS__ACCUMULATE) assigned[accumulator(tree, node->op)] = 1;
        else if (node->kind == TESS__IF || node->kind == TESS__FOR || node->kind == TESS__BLOCK)
            tess__mark_assigned(tree, node->first, assigned);
    }
}
