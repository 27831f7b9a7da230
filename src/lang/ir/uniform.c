/* Uniformity analysis: the variables that may differ between the elements of a row, by fixed-point iteration. */
#include "lang/ir/uniform.h"

#include <string.h>

typedef struct analysis {
    const tess__tree *tree;
    bool             *varies;
    bool              changed;
} analysis;

static bool expression_varies(analysis *s, int32_t n);

static void mark_varying(analysis *s, int32_t variable, bool varies)
{
    if (!varies || s->varies[variable]) return;
    s->varies[variable] = true;
    s->changed = true;
}

/* Parameters of a function vary if an argument of any call does. Its body is analysed on its own; its result varies if
 * any argument does, for it sees nothing else. */
static bool call_varies(analysis *s, const tess__node *node)
{
    const tess__function *f = &s->tree->functions[node->op];
    bool                  any = false;
    int32_t               k = 0;
    for (int32_t c = node->first; c; c = s->tree->nodes[c].next, k++) {
        const bool varies = expression_varies(s, c);
        if (k < f->count) mark_varying(s, f->first + k, varies);
        any |= varies;
    }
    return any;
}

static bool expression_varies(analysis *s, int32_t n)
{
    const tess__node *node = &s->tree->nodes[n];
    if (node->kind == TESS__NAME) return s->varies[node->op];
    if (node->kind == TESS__INDEX) return node->op == 3;
    if (node->kind == TESS__USER) return call_varies(s, node);
    bool any = false;
    for (int32_t c = node->first; c; c = s->tree->nodes[c].next) any |= expression_varies(s, c);
    return any;
}

/* Can only some elements leave this iteration? Then the control flow of the whole loop is divergent. */
static bool leaves_for_some(analysis *s, int32_t first, bool divergent)
{
    for (int32_t n = first; n; n = s->tree->nodes[n].next) {
        const tess__node *node = &s->tree->nodes[n];
        if (node->kind == TESS__CONTINUE && divergent) return true;
        if (node->kind == TESS__IF) {
            const bool condition = expression_varies(s, node->first);
            if (leaves_for_some(s, s->tree->nodes[node->first].next, divergent || condition)) return true;
        }
        if (node->kind == TESS__BLOCK && leaves_for_some(s, node->first, divergent)) return true;
    }
    return false;
}

static void visit_statements(analysis *s, int32_t first, bool divergent)
{
    for (int32_t n = first; n; n = s->tree->nodes[n].next) {
        const tess__node *node = &s->tree->nodes[n];
        switch (node->kind) {
        case TESS__ASSIGN: mark_varying(s, node->op, expression_varies(s, node->first) || divergent); break;
        case TESS__ACCUMULATE:
            mark_varying(s, tess__variable_of(s->tree, node->op), expression_varies(s, node->first) || divergent);
            break;
        case TESS__RETURN: (void)expression_varies(s, node->first); break; /* it may call others */
        case TESS__IF: {
            const bool condition = expression_varies(s, node->first);
            visit_statements(s, s->tree->nodes[node->first].next, divergent || condition);
            break;
        }
        case TESS__FOR: {
            const int32_t body = s->tree->nodes[s->tree->nodes[node->first].next].next;
            visit_statements(s, body, divergent || leaves_for_some(s, body, divergent));
            break;
        }
        case TESS__BLOCK: visit_statements(s, node->first, divergent); break;
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

void tess__find_varying(const tess__tree *tree, int32_t block, uint32_t still, bool *varies)
{
    analysis s = { tree, varies, has_loops(tree) };
    for (int32_t k = 0; k < tree->n_variables; k++) {
        const int32_t param = tree->variables[k].param;
        const int32_t role = param < 0 ? TESS__PARAM_OUT : tree->params[param].role;
        varies[k] = (role == TESS__PARAM_IN && !(still >> param & 1)) || role == TESS__PARAM_INOUT ||
                    (role == TESS__PARAM_ACC && !(block == tree->body && tree->params[param].monoid));
    }
    while (s.changed) { /* at most once for each variable */
        s.changed = false;
        visit_statements(&s, block, false);
        for (int32_t f = 0; f < tree->n_functions; f++) visit_statements(&s, tree->functions[f].body, false);
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
