/* Dead-code elimination, and the linear order of the values that are left. */
#include "lang/codegen/codegen.h"

static bool has_effect(const assignment *a, const value *v)
{
    if (tess__has_no_result(v)) return true;
    switch (v->kind) {
    case TESS__DO_ROW:
    case TESS__DO_AT:
    case TESS__DO_INTERP: return a->all->tree->params[v->op].border == TESS__BORDER_FAULT;
    default: return false;
    }
}

static bool use(assignment *a, int32_t number)
{
    value *v = &a->all->v[number];
    bool   changed = !v->used;
    v->used = true;
    if (v->kind == VALUE_AFTER) changed |= use(a, v->args[0]);
    return changed;
}

/* From the end backwards, again as long as the variables of loops make something new needed. */
static void find_used(assignment *a)
{
    for (bool again = true; again;) {
        again = false;
        for (int32_t p = a->n - 1; p >= 0; p--) {
            value     *v = tess__value_at(a, p);
            const bool set = v->kind == VALUE_SET;
            if (!v->used && !has_effect(a, v) && !(set && a->all->v[v->args[0]].used)) continue;
            v->used = true;
            for (int k = set; k < v->n_args; k++) again |= use(a, v->args[k]);
        }
    }
}

static void append_list(assignment *a, const list *l)
{
    for (int32_t v = l->first; v >= 0; v = a->all->v[v].next) a->order[a->n++] = v;
}

void tess__drop_unused(assignment *a)
{
    const int32_t n = a->n, row = a->row, block = a->block;
    a->n = 0;
    for (int32_t p = 0; p <= n; p++) {
        if (p == row) a->row = a->n;
        if (p == block) a->block = a->n;
        if (p < n && a->all->v[a->order[p]].used) a->order[a->n++] = a->order[p];
    }
}

void tess__order_values(assignment *a)
{
    a->n = 0;
    append_list(a, &a->all->lists[LEVEL_TILE]);
    a->row = a->n;
    append_list(a, &a->all->lists[LEVEL_ROW]);
    a->block = a->n;
    append_list(a, &a->all->lists[LEVEL_BLOCK]);
    find_used(a);
    tess__drop_unused(a);
}
