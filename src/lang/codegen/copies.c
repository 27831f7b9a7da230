/* Copy coalescing: results computed directly in the register of a loop variable, or in the output. */
#include "lang/codegen/codegen.h"

#include "core/dtype.h"

/* ---- Loop variables ---- */

/* The last position where a loop variable is read, other than to be set, and not through its VALUE_AFTER. */
static int32_t last_read(const codegen *g, int32_t variable, int32_t from, int32_t to)
{
    int32_t last = -1, outer_end = -1;
    for (int32_t p = from; p < to; p++) {
        const value *v = tess__value_at(g, p);
        if (v->kind == TESS__DO_LOOP && outer_end < p) outer_end = g->end_of[p];
        for (int k = v->kind == VALUE_SET; k < v->n_args; k++)
            if (v->args[k] == variable) last = outer_end > p ? outer_end : p;
    }
    return last;
}

bool tess__computes_anywhere(const value *v)
{
    switch (v->kind) {
    case TESS__DO_OPERATOR:
    case TESS__DO_FUSED:
    case TESS__DO_CAST:
    case TESS__DO_CONVERT:
    case TESS__DO_SELECT:
    case TESS__DO_COPY:
    case TESS__DO_IOTA:
    case TESS__DO_AT:
    case TESS__DO_INTERP:
    case TESS__DO_RANDOM: return true;
    default: return false;
    }
}

/* The end of an iteration sets `variable` to x: x can be computed in its register if nobody reads it later. */
static void coalesce_set(codegen *g, value *set, int32_t p, int32_t loop_at)
{
    const int32_t variable = set->args[0], number = set->args[1];
    value        *c = &g->all->v[variable], *x = &g->all->v[number];
    if (c->uniform || x->uniform || x->same != number || tess_dtype_size(c->type) != tess_dtype_size(x->to)) return;
    if (tess__computes_anywhere(x) && x->loop == set->loop && x->first > loop_at) {
        const int32_t read = last_read(g, variable, loop_at + 1, p);
        if (read > x->first || (read == x->first && !x->in_place)) return;
        x->same = variable;
        set->used = false;
        return;
    }
    if (x->kind != VALUE_AFTER) return;
    const int32_t inner = x->args[0];
    if (g->all->v[inner].same != inner) return;
    for (int32_t q = loop_at + 1; q < p; q++) { /* the inner one starts as the outer one, which is not read later */
        value *start = tess__value_at(g, q);
        if (start->kind != VALUE_SET || start->args[0] != inner) continue;
        if (start->args[1] != variable || last_read(g, variable, loop_at + 1, p) > q) return;
        g->all->v[inner].same = variable;
        start->used = set->used = false;
        return;
    }
}

void tess__coalesce_loop_variables(codegen *g)
{
    int32_t open[MAX_DEPTH];
    int     depth = 0;
    for (int32_t p = 0; p < g->n; p++) {
        value *v = tess__value_at(g, p);
        if (v->kind == TESS__DO_LOOP) open[depth++] = p;
        if (v->kind == TESS__DO_END) depth--;
        if (v->kind == VALUE_SET && depth && g->order[open[depth - 1]] == g->all->v[v->args[0]].loop)
            coalesce_set(g, v, p, open[depth - 1]);
    }
}

/* ---- Outputs ---- */

/* A result can go straight to its output if no input is read after it: the output may be one of them. */
void tess__aim_stores(codegen *g)
{
    int32_t last_load = -1, stores = 0;
    for (int32_t p = g->block; p < g->n; p++) {
        const value *v = tess__value_at(g, p);
        if (v->kind == TESS__DO_LOAD && v->last > last_load) last_load = v->last;
        stores += v->kind == TESS__DO_STORE;
    }
    for (int32_t p = g->block; p < g->n; p++) {
        value *store = tess__value_at(g, p);
        if (store->kind != TESS__DO_STORE && store->kind != TESS__DO_SET_LANES) continue;
        value *x = &g->all->v[store->args[0]];
        if (x->kind == TESS__DO_LANES) x->step = 1; /* they may be set before they are read */
        if (store->kind != TESS__DO_STORE) continue;
        if (x->kind == TESS__DO_LOAD && stores > 1) x->flag = true;
        if (!tess__computes_anywhere(x) || x->uniform || x->level != LEVEL_BLOCK || x->same != store->args[0] ||
            x->flag)
            continue;
        if (last_load > x->first || (last_load == x->first && !x->in_place)) continue;
        x->flag = true; /* these kinds have no other use for it */
        x->next = store->op;
    }
}

bool tess__moves_along(const value *v)
{
    return v->kind == TESS__DO_LOAD || v->kind == TESS__DO_LANES || v->kind == TESS__DO_ROW ||
           (tess__computes_anywhere(v) && v->flag);
}
