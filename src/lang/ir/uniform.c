/* Uniformity analysis: the variables that may differ between the elements of a row, by fixed-point iteration. */
#include "lang/ir/uniform.h"

#include <string.h>

typedef struct search {
    const tess__tree *tree;
    bool             *varies;
    bool              changed;
} search;

static bool expression_varies(search *s, int32_t n);

static void note(search *s, int32_t variable, bool varies)
{
    if (!varies || s->varies[variable]) return;
    s->varies[variable] = true;
    s->changed = true;
}

/* A function's parameters take all that is ever given to them. Its body is looked at on its own; what it returns varies
 * if anything that goes in does, for it sees nothing else. */
static bool call_varies(search *s, const tess__node *node)
{
    const tess__function *f = &s->tree->functions[node->op];
    bool                  any = false;
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

static void look_at(search *s, int32_t first, bool under)
{
    for (int32_t n = first; n; n = s->tree->nodes[n].next) {
        const tess__node *node = &s->tree->nodes[n];
        switch (node->kind) {
        case TESS__ASSIGN: note(s, node->op, expression_varies(s, node->first) || under); break;
        case TESS__ACCUMULATE:
            note(s, tess__variable_of(s->tree, node->op), expression_varies(s, node->first) || under);
            break;
        case TESS__RETURN: (void)expression_varies(s, node->first); break; /* it may call others */
        case TESS__IF: {
            const bool condition = expression_varies(s, node->first);
            look_at(s, s->tree->nodes[node->first].next, under || condition);
            break;
        }
        case TESS__FOR: {
            const int32_t body = s->tree->nodes[s->tree->nodes[node->first].next].next;
            look_at(s, body, under || leaves_for_some(s, body, under));
            break;
        }
        case TESS__BLOCK: look_at(s, node->first, under); break;
        default: break;
        }
    }
}

static bool has_loops(const tess__tree *tree)
{
    for (int32_t n = 1; n < tree->n_nodes; n++)
        if (tree->nodes[n].kind == TESS__FOR) return true;
    return false;
}

void tess__find_varying(const tess__tree *tree, int32_t block, bool *varies)
{
    search s = { tree, varies, has_loops(tree) };
    for (int32_t k = 0; k < tree->n_variables; k++) {
        const int32_t param = tree->variables[k].param;
        const int32_t role = param < 0 ? TESS__PARAM_OUT : tree->params[param].role;
        varies[k] = role == TESS__PARAM_IN || role == TESS__PARAM_INOUT ||
                    (role == TESS__PARAM_ACC && !(block == tree->body && tree->params[param].monoid));
    }
    while (s.changed) { /* at most once for each variable */
        s.changed = false;
        look_at(&s, block, false);
        for (int32_t f = 0; f < tree->n_functions; f++) look_at(&s, tree->functions[f].body, false);
    }
}

void tess__mark_assigned(const tess__tree *tree, int32_t first, int32_t *assigned)
{
    for (int32_t n = first; n; n = tree->nodes[n].next) {
        const tess__node *node = &tree->nodes[n];
        if (node->kind == TESS__ASSIGN) assigned[node->op] = 1;
        else if (node->kind == TESS__ACCUMULATE) assigned[tess__variable_of(tree, node->op)] = 1;
        else if (node->kind == TESS__IF || node->kind == TESS__FOR || node->kind == TESS__BLOCK)
            tess__mark_assigned(tree, node->first, assigned);
    }
}
