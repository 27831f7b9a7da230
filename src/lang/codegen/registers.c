/* Register allocation by linear scan, over the live ranges of values. */
#include "lang/codegen/codegen.h"

/* ---- Live ranges ---- */

int32_t tess__holder(const codegen *g, int32_t v)
{
    const value *all = g->all->v;
    if (all[v].kind == VALUE_AFTER) v = all[v].args[0];
    while (all[v].same != v) {
        v = all[v].same;
        if (all[v].kind == VALUE_AFTER) v = all[v].args[0];
    }
    return v;
}

bool tess__has_register(const value *v) { return !v->uniform && v->kind != VALUE_SET && !tess__has_no_result(v); }

void tess__find_loop_ends(codegen *g)
{
    int32_t open[MAX_DEPTH], depth = 0;
    for (int32_t p = 0; p < g->n; p++) {
        const value *v = tess__value_at(g, p);
        g->end_of[p] = -1;
        if (v->kind == TESS__DO_LOOP) open[depth++] = p;
        if (v->kind == TESS__DO_END) g->end_of[open[--depth]] = p;
    }
}

/* Used at p, within loops that begin at `open`: a value from before a loop must live until the loop ends. */
static void extend_live_range(codegen *g, int32_t number, int32_t p, const int32_t *open, int depth)
{
    value  *v = &g->all->v[tess__holder(g, number)];
    int32_t last = p;
    if (v->first < 0) v->first = p;
    for (int k = depth - 1; k >= 0 && v->first < open[k]; k--) last = g->end_of[open[k]];
    if (last > v->last) v->last = last;
}

/* The live range of a loop variable begins at its first SET, before the loop. */
void tess__find_live_ranges(codegen *g)
{
    int32_t open[MAX_DEPTH];
    int     depth = 0;
    for (int32_t p = 0; p < g->n; p++) g->all->v[g->order[p]].first = p;
    for (int32_t p = 0; p < g->n; p++) {
        value *v = tess__value_at(g, p);
        if (v->kind == VALUE_SET) {
            value *variable = &g->all->v[v->args[0]];
            if (variable->first < 0) variable->first = p;
        }
        if (v->last < p) v->last = p;
        for (int k = 0; k < v->n_args; k++) extend_live_range(g, v->args[k], p, open, depth);
        if (v->kind == TESS__DO_LOOP) open[depth++] = p;
        if (v->kind == TESS__DO_END) depth--;
    }
}

/* ---- Registers ---- */

tess_status tess__too_many(const codegen *g, const value *v, const char *what, int64_t max)
{
    TESS__VALUES_WRONG(g->all, v->span, "more than %lld %s, which is the limit; split the operator", (long long)max,
                       what);
    return g->all->status;
}

static void release_dead(codegen *g, int32_t p, const value *only_for)
{
    for (int32_t k = 0; k < g->n_active;) {
        const int32_t number = g->active[k];
        const value  *v = &g->all->v[number];
        const int     size = tess__bucket_of(v->to);
        bool          dead = v->last < p;
        if (!dead && v->last == p && only_for && only_for->in_place && size == tess__bucket_of(only_for->to))
            for (int i = 0; i < only_for->n_args; i++) dead |= tess__holder(g, only_for->args[i]) == number;
        if (dead) {
            g->free_registers[size][g->n_free[size]++] = g->register_of[number];
            g->active[k] = g->active[--g->n_active];
        } else {
            k++;
        }
    }
}

static tess_status allocate_register(codegen *g, int32_t number, int64_t max)
{
    const value *v = &g->all->v[number];
    const int    size = tess__bucket_of(v->to);
    if (g->n_active >= max) return tess__too_many(g, v, "values alive at once (max_registers)", max);
    if (g->n_free[size]) {
        g->register_of[number] = g->free_registers[size][--g->n_free[size]];
    } else {
        if (g->n_registers[size] >= TESS__MAX_REGISTERS)
            return tess__too_many(g, v, "values of one size alive at once", TESS__MAX_REGISTERS);
        g->register_of[number] = g->n_registers[size]++;
    }
    g->active[g->n_active++] = number;
    return TESS_OK;
}

tess_status tess__allocate_registers(codegen *g, int64_t max_registers)
{
    const int64_t max = max_registers < TESS__MAX_REGISTERS ? max_registers : TESS__MAX_REGISTERS;
    for (int32_t k = 0; k < g->all->n; k++) g->register_of[k] = -1;
    for (int32_t p = g->block; p < g->n; p++) {
        const value *v = tess__value_at(g, p);
        if (!v->used) continue;
        const int32_t number = tess__holder(g, v->kind == VALUE_SET ? v->args[0] : g->order[p]);
        const value  *held = &g->all->v[number];
        if (!tess__has_register(held) || g->register_of[number] >= 0) continue;
        release_dead(g, p, tess__moves_along(held) ? NULL : v);
        TESS_TRY(allocate_register(g, number, max));
    }
    return TESS_OK;
}
