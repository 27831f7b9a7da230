/* Register allocation by linear scan, over the live ranges of values. */
#include "lang/codegen/codegen.h"

/* ---- Lives ---- */

int32_t tess__holder(const assignment *a, int32_t v)
{
    const value *all = a->all->v;
    if (all[v].kind == VALUE_AFTER) v = all[v].args[0];
    while (all[v].same != v) {
        v = all[v].same;
        if (all[v].kind == VALUE_AFTER) v = all[v].args[0];
    }
    return v;
}

bool tess__has_register(const value *v) { return !v->single && v->kind != VALUE_SET && !tess__has_no_result(v); }

void tess__find_ends(assignment *a)
{
    int32_t open[MAX_DEPTH], depth = 0;
    for (int32_t p = 0; p < a->n; p++) {
        const value *v = tess__value_at(a, p);
        a->end_of[p] = -1;
        if (v->kind == TESS__DO_LOOP) open[depth++] = p;
        if (v->kind == TESS__DO_END) a->end_of[open[--depth]] = p;
    }
}

/* Used at p, within loops that begin at `open`: what was there before a loop must last until the loop ends. */
static void touch(assignment *a, int32_t number, int32_t p, const int32_t *open, int depth)
{
    value  *v = &a->all->v[tess__holder(a, number)];
    int32_t last = p;
    if (v->first < 0) v->first = p;
    for (int k = depth - 1; k >= 0 && v->first < open[k]; k--) last = a->end_of[open[k]];
    if (last > v->last) v->last = last;
}

/* The same for what is read of a cell before it is set again; kept in `first` of the cell's SET is its start. */
void tess__find_lives(assignment *a)
{
    int32_t open[MAX_DEPTH];
    int     depth = 0;
    for (int32_t p = 0; p < a->n; p++) a->all->v[a->order[p]].first = p;
    for (int32_t p = 0; p < a->n; p++) {
        value *v = tess__value_at(a, p);
        if (v->kind == VALUE_SET) {
            value *cell = &a->all->v[v->args[0]];
            if (cell->first < 0) cell->first = p;
        }
        if (v->last < p) v->last = p;
        for (int k = 0; k < v->n_args; k++) touch(a, v->args[k], p, open, depth);
        if (v->kind == TESS__DO_LOOP) open[depth++] = p;
        if (v->kind == TESS__DO_END) depth--;
    }
}

/* ---- Registers ---- */

tess_status tess__too_many(const assignment *a, const value *v, const char *what, int64_t most)
{
    TESS__VALUES_WRONG(a->all, v->span, "more than %lld %s, which is the limit; split the operator", (long long)most,
                       what);
    return a->all->status;
}

static void release_dead(assignment *a, int32_t p, const value *only_for)
{
    for (int32_t k = 0; k < a->n_active;) {
        const int32_t number = a->active[k];
        const value  *v = &a->all->v[number];
        const int     size = tess__class_of(v->to);
        bool          dead = v->last < p;
        if (!dead && v->last == p && only_for && only_for->in_place && size == tess__class_of(only_for->to))
            for (int i = 0; i < only_for->n_args; i++) dead |= tess__holder(a, only_for->args[i]) == number;
        if (dead) {
            a->free_at[size][a->n_free[size]++] = a->register_of[number];
            a->active[k] = a->active[--a->n_active];
        } else {
            k++;
        }
    }
}

static tess_status give_register(assignment *a, int32_t number, int64_t most)
{
    const value *v = &a->all->v[number];
    const int    size = tess__class_of(v->to);
    if (a->n_active >= most) return tess__too_many(a, v, "values are needed at once (max_registers)", most);
    if (a->n_free[size]) {
        a->register_of[number] = a->free_at[size][--a->n_free[size]];
    } else {
        if (a->n_made[size] >= TESS__MAX_REGISTERS)
            return tess__too_many(a, v, "values of one size are needed at once", TESS__MAX_REGISTERS);
        a->register_of[number] = a->n_made[size]++;
    }
    a->active[a->n_active++] = number;
    return TESS_OK;
}

tess_status tess__give_registers(assignment *a, int64_t max_registers)
{
    const int64_t most = max_registers < TESS__MAX_REGISTERS ? max_registers : TESS__MAX_REGISTERS;
    for (int32_t k = 0; k < a->all->n; k++) a->register_of[k] = -1;
    for (int32_t p = a->block; p < a->n; p++) {
        const value *v = tess__value_at(a, p);
        if (!v->used) continue;
        const int32_t number = tess__holder(a, v->kind == VALUE_SET ? v->args[0] : a->order[p]);
        const value  *held = &a->all->v[number];
        if (!tess__has_register(held) || a->register_of[number] >= 0) continue;
        release_dead(a, p, tess__moves_along(held) ? NULL : v);
        TESS_TRY(give_register(a, number, most));
    }
    return TESS_OK;
}
