/* Dead-code elimination, and the linear order of the values that are left. */
#include "lang/codegen/codegen.h"

static bool has_effect(const codegen *g, const value *v)
{
    if (tess__has_no_result(v)) return true;
    switch (v->kind) {
    case TESS__DO_ROW:
    case TESS__DO_AT:
    case TESS__DO_INTERP: return g->all->tree->params[v->op].border == TESS__BORDER_FAULT;
    default: return false;
    }
}

static bool use(codegen *g, int32_t number)
{
    value *v = &g->all->v[number];
    bool   changed = !v->used;
    v->used = true;
    if (v->kind == VALUE_AFTER) changed |= use(g, v->args[0]);
    return changed;
}

/* Mark from the end backwards, repeated until loop variables make no other value used. */
static void find_used(codegen *g)
{
    for (bool again = true; again;) {
        again = false;
        for (int32_t p = g->n - 1; p >= 0; p--) {
            value     *v = tess__value_at(g, p);
            const bool set = v->kind == VALUE_SET;
            if (!v->used && !has_effect(g, v) && !(set && g->all->v[v->args[0]].used)) continue;
            v->used = true;
            for (int k = set; k < v->n_args; k++) again |= use(g, v->args[k]);
        }
    }
}

static void append_list(codegen *g, const list *l)
{
    for (int32_t v = l->first; v >= 0; v = g->all->v[v].next) g->order[g->n++] = v;
}

void tess__drop_unused(codegen *g)
{
    const int32_t n = g->n, row = g->row, block = g->block;
    g->n = 0;
    for (int32_t p = 0; p <= n; p++) {
        if (p == row) g->row = g->n;
        if (p == block) g->block = g->n;
        if (p < n && g->all->v[g->order[p]].used) g->order[g->n++] = g->order[p];
    }
}

void tess__order_values(codegen *g)
{
    g->n = 0;
    append_list(g, &g->all->lists[LEVEL_TILE]);
    g->row = g->n;
    append_list(g, &g->all->lists[LEVEL_ROW]);
    g->block = g->n;
    append_list(g, &g->all->lists[LEVEL_BLOCK]);
    find_used(g);
    tess__drop_unused(g);
}
