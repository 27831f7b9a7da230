/* Lowering of a typed syntax tree to SSA values: parameters become loads, outputs and accumulators become stores. */
#include "lang/ir/lower.h"

#include "core/dtype.h"
#include "core/device/memory.h"
#include "lang/ir/monoid.h"
#include "lang/ir/uniform.h"

static void start_variables(lowering *l)
{
    for (int32_t k = 0; k < l->tree->n_variables; k++) {
        const tess__variable *variable = &l->tree->variables[k];
        const tess__param    *p = variable->param < 0 ? NULL : &l->tree->params[variable->param];
        l->now[k] = -1;
        if (!p) continue;
        l->all.at = p->name;
        const bool    body = l->part == TESS__PART_BODY;
        const int64_t member = tess__is_struct(p->type) ? 1 + variable->offset : 0;
        if (p->role == TESS__PARAM_VAL)
            l->now[k] = tess__lower_leaf(l, VALUE_VAL, variable->param, member, variable->type);
        else if (body && p->role == TESS__PARAM_IN && l->still >> variable->param & 1)
            l->now[k] = tess__lower_leaf(l, TESS__DO_LOAD, variable->param, 0, p->type);
        else if (body && (p->role == TESS__PARAM_IN || p->role == TESS__PARAM_INOUT))
            l->now[k] = tess__lower_load(l, TESS__DO_LOAD, variable->param, p->type, false);
        else if (p->role == TESS__PARAM_ACC)
            l->now[k] = body && p->monoid
                            ? tess__lower_neutral(l, p)
                            : tess__lower_load(l, TESS__DO_LANES, variable->param, p->type, variable->other);
    }
}

/* Combine into the lanes: f32 by kernels that widen, others converted first. */
static void store_accumulator(lowering *l, int param, int32_t x)
{
    const tess__param *p = &l->tree->params[param];
    const bool         wide = p->monoid == TESS__MONOID_SUM || p->monoid == TESS__MONOID_PROD;
    const tess_dtype   lanes = tess_lane_dtype(p->type, wide);
    value              like = { .kind = TESS__DO_SET_LANES,
                                .type = (uint8_t)p->type,
                                .to = (uint8_t)lanes,
                                .op = (int16_t)param,
                                .n_args = 1,
                                .args = { x } };
    if (l->part == TESS__PART_BODY && p->monoid) {
        if (x == tess__lower_neutral(l, p) && tess_dtype_kind(p->type) != TESS_KIND_COMPLEX) return;
        const tess_dtype in = p->type == TESS_F32 || lanes == TESS_F16 ? TESS_F32 : lanes;
        like.kind = TESS__DO_COMBINE;
        like.step = tess__monoid_operator(p->monoid);
        like.args[0] = tess__lower_cast(l, x, p->type, in);
        like.type = (uint8_t)in;
    } else if (tess__is_kind(l, x, TESS__DO_LANES) && l->all.v[x].op == param && !l->all.v[x].flag) {
        return;
    }
    (void)tess__value(&l->all, &like, true);
}

static void store_output(lowering *l, int32_t number)
{
    const tess__variable *variable = &l->tree->variables[number];
    const int32_t         x = l->now[number];
    if (l->all.status != TESS_OK || (tess__is_kind(l, x, TESS__DO_LOAD) && l->all.v[x].op == variable->param)) return;
    (void)tess__value(&l->all,
                      &(value){ .kind = TESS__DO_STORE,
                                .type = (uint8_t)variable->type,
                                .op = (int16_t)variable->param,
                                .n_args = 1,
                                .args = { x } },
                      true);
}

/* Lanes are set last: values that are stored or combined before may be read from the lanes in place. */
static void store_results(lowering *l)
{
    for (int last = 0; last < 2; last++)
        for (int32_t k = 0; k < l->tree->n_variables; k++) {
            const tess__variable *variable = &l->tree->variables[k];
            if (variable->param < 0 || variable->other || l->now[k] < 0) continue;
            const tess__param *p = &l->tree->params[variable->param];
            const bool         sets = p->role == TESS__PARAM_ACC && !(l->part == TESS__PART_BODY && p->monoid);
            if (sets != (last == 1)) continue;
            l->all.at = p->name;
            if (p->role == TESS__PARAM_OUT || p->role == TESS__PARAM_INOUT) store_output(l, k);
            else if (p->role == TESS__PARAM_ACC && l->part != TESS__PART_POST)
                store_accumulator(l, variable->param, l->now[k]);
        }
}

static tess_status lower_part(lowering *l, tess__program **out, int32_t block, const tess_op_parse_opts *limits)
{
    start_variables(l);
    if (l->all.status == TESS_OK) tess__lower_statements(l, block);
    tess__lower_scatters(l);
    if (l->all.status == TESS_OK) store_results(l);
    if (l->all.status != TESS_OK) return l->all.status;
    return tess__codegen(out, &l->all, l->part, limits);
}

static tess_status make(tess__program **out, const tess__tree *tree, int part, uint32_t still,
                        const tess_op_parse_opts *limits)
{
    const int32_t block = part == TESS__PART_BODY ? tree->body : part == TESS__PART_JOIN ? tree->join : tree->post;
    const size_t  n = (size_t)tree->n_variables + 1;
    TESS_CHECK(block > 0, TESS_EARG, "operator: has no such part");
    const size_t size = sizeof(lowering) + n * (sizeof(int32_t) + sizeof(bool));
    lowering    *l = tess__alloc(size);
    if (!l) return tess__no_program_memory(tree, size);
    bool *varies = (bool *)((int32_t *)(void *)(l + 1) + n);
    l->tree = tree;
    l->part = part;
    l->still = still;
    l->now = (int32_t *)(void *)(l + 1);
    l->saved = NULL;
    l->n_saved = l->saved_capacity = l->visits = l->n_scatters = 0;
    l->gate = l->mask = l->skipped = -1;
    l->varies = varies;
    tess__find_varying(tree, block, still, varies);
    tess__values_start(&l->all, tree);
    const tess_status status = lower_part(l, out, block, limits);
    tess__values_free(&l->all);
    tess__free(l->saved);
    tess__free(l);
    return status;
}

tess_status tess__program_make(tess__program **out, const tess__tree *tree, int part, const tess_op_parse_opts *limits)
{
    return make(out, tree, part, 0, limits);
}

tess_status tess__program_make_still(tess__program **out, const tess__tree *tree, uint32_t still,
                                     const tess_op_parse_opts *limits)
{
    return make(out, tree, TESS__PART_BODY, still, limits);
}
