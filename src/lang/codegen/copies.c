/* Copy coalescing: results computed directly in the register of a loop variable, or in the output. */
#include "lang/codegen/codegen.h"

#include "core/dtype.h"

/* ---- Variables of loops ---- */

/* The last place where a cell is read, other than to be set, and not by way of what comes after its loop. */
static int32_t last_read(const assignment *a, int32_t cell, int32_t from, int32_t to)
{
    int32_t last = -1, outer_end = -1;
    for (int32_t p = from; p < to; p++) {
        const value *v = tess__value_at(a, p);
        if (v->kind == TESS__DO_LOOP && outer_end < p) outer_end = a->end_of[p];
        for (int k = v->kind == VALUE_SET; k < v->n_args; k++)
            if (v->args[k] == cell) last = outer_end > p ? outer_end : p;
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

/* The end of a turn sets `cell` to x: x can be computed there at once if nobody reads the cell after it. */
static void join_with_cell(assignment *a, value *set, int32_t p, int32_t loop_at)
{
    const int32_t cell = set->args[0], number = set->args[1];
    value        *c = &a->all->v[cell], *x = &a->all->v[number];
    if (c->single || x->single || x->same != number || tess_dtype_size(c->type) != tess_dtype_size(x->to)) return;
    if (tess__computes_anywhere(x) && x->loop == set->loop && x->first > loop_at) {
        const int32_t read = last_read(a, cell, loop_at + 1, p);
        if (read > x->first || (read == x->first && !x->in_place)) return;
        x->same = cell;
        set->used = false;
        return;
    }
    if (x->kind != VALUE_AFTER) return;
    const int32_t inner = x->args[0];
    if (a->all->v[inner].same != inner) return;
    for (int32_t q = loop_at + 1; q < p; q++) { /* the inner one starts as the outer one, which is not read later */
        value *start = tess__value_at(a, q);
        if (start->kind != VALUE_SET || start->args[0] != inner) continue;
        if (start->args[1] != cell || last_read(a, cell, loop_at + 1, p) > q) return;
        a->all->v[inner].same = cell;
        start->used = set->used = false;
        return;
    }
}

void tess__join_cells(assignment *a)
{
    int32_t open[MAX_DEPTH];
    int     depth = 0;
    for (int32_t p = 0; p < a->n; p++) {
        value *v = tess__value_at(a, p);
        if (v->kind == TESS__DO_LOOP) open[depth++] = p;
        if (v->kind == TESS__DO_END) depth--;
        if (v->kind == VALUE_SET && depth && a->order[open[depth - 1]] == a->all->v[v->args[0]].loop)
            join_with_cell(a, v, p, open[depth - 1]);
    }
}

/* ---- Outputs ---- */

/* A result can go straight to its output if no input is read after it: the output may be one of them. */
void tess__aim_stores(assignment *a)
{
    int32_t last_load = -1, stores = 0;
    for (int32_t p = a->block; p < a->n; p++) {
        const value *v = tess__value_at(a, p);
        if (v->kind == TESS__DO_LOAD && v->last > last_load) last_load = v->last;
        stores += v->kind == TESS__DO_STORE;
    }
    for (int32_t p = a->block; p < a->n; p++) {
        value *store = tess__value_at(a, p);
        if (store->kind != TESS__DO_STORE && store->kind != TESS__DO_SET_LANES) continue;
        value *x = &a->all->v[store->args[0]];
        if (x->kind == TESS__DO_LANES) x->step = 1; /* they may be set before they are read */
        if (store->kind != TESS__DO_STORE) continue;
        if (x->kind == TESS__DO_LOAD && stores > 1) x->flag = true;
        if (!tess__computes_anywhere(x) || x->single || x->level != LEVEL_BLOCK || x->same != store->args[0] || x->flag)
            continue;
        if (last_load > x->first || (last_load == x->first && !x->in_place)) continue;
        x->flag = true; /* plain values have no other use for it */
        x->next = store->op;
    }
}

bool tess__moves_along(const value *v)
{
    return v->kind == TESS__DO_LOAD || v->kind == TESS__DO_LANES || v->kind == TESS__DO_ROW ||
           (tess__computes_anywhere(v) && v->flag);
}
