/* Lowering of statements to SSA values; ifs become selects (if-conversion). */
#include "lang/ir/lower.h"

#include <string.h>

#include "backend.h"
#include "core/dtype.h"
#include "core/device/memory.h"
#include "lang/ir/monoid.h"

/* Elements that have left the iteration of a loop keep their values. */
static void assign(lowering *l, int32_t variable, int32_t x)
{
    const int32_t before = l->now[variable];
    if (l->skipped >= 0 && before >= 0)
        x = tess__lower_choice(l, l->tree->variables[variable].type, l->skipped, before, x);
    l->now[variable] = x;
}

/* The type that is computed in: half precision is for storage only; all others have kernels for each operator here. */
static tess_dtype computed_in(tess_dtype type)
{
    return type == TESS_F16 ? TESS_F32 : type == TESS_C16 ? TESS_C32 : type;
}

static void accumulate(lowering *l, const tess__node *node)
{
    const tess__param *p = &l->tree->params[node->op];
    const int32_t      variable = tess__variable_of(l->tree, node->op);
    int32_t            x = tess__lower_expression(l, node->first);
    const int32_t      so_far = l->now[variable];
    const bool         complex = tess_dtype_kind(p->type) == TESS_KIND_COMPLEX; /* 1 is not neutral for infinite ones */
    const bool nothing_yet = so_far == tess__lower_neutral(l, p) && !(complex && p->monoid == TESS__MONOID_PROD);
    if (!nothing_yet || p->monoid >= TESS__MONOID_ANY) {
        const bool       truth = p->monoid >= TESS__MONOID_ANY;
        const tess_dtype in = truth ? TESS_BOOL : computed_in(p->type);
        const int32_t    args[2] = { tess__lower_cast(l, so_far, p->type, in), tess__lower_cast(l, x, p->type, in) };
        x = tess__lower_cast(l, tess__lower_operation(l, tess__monoid_operator(p->monoid), in, in, 2, args), in,
                             p->type);
    }
    assign(l, variable, x);
}

static void scatter(lowering *l, const tess__node *node)
{
    value like = { .kind = TESS__DO_SCATTER, .type = (uint8_t)l->tree->params[node->op].type, .op = (int16_t)node->op };
    like.n_args = (uint8_t)tess__lower_arguments(l, node, like.args, 5);
    const int32_t here = tess__lower_live(l);
    if (here >= 0) like.args[like.n_args++] = here;
    if (l->n_scatters == TESS__MAX_ADDITIONS) tess__lower_scatters(l);
    like.span = l->all.at;
    l->scatters[l->n_scatters++] = like;
}

void tess__lower_scatters(lowering *l)
{
    const tess__bytes at = l->all.at;
    for (int32_t k = 0; k < l->n_scatters; k++) {
        l->all.at = l->scatters[k].span;
        (void)tess__value(&l->all, &l->scatters[k], true);
    }
    l->all.at = at;
    l->n_scatters = 0;
}

int32_t tess__lower_save(lowering *l)
{
    const int32_t n = l->tree->n_variables, at = l->n_saved;
    if (at + n > l->saved_capacity) {
        const int32_t capacity = 2 * (at + n) + 64;
        int32_t      *memory = tess__alloc((size_t)capacity * sizeof *memory);
        if (!memory) {
            tess__values_fail(&l->all, tess__no_program_memory(l->tree, (size_t)capacity * sizeof *memory));
            return 0;
        }
        if (at) memcpy(memory, l->saved, (size_t)at * sizeof *memory);
        tess__free(l->saved);
        l->saved = memory;
        l->saved_capacity = capacity;
    }
    memcpy(l->saved + at, l->now, (size_t)n * sizeof *l->now);
    l->n_saved += n;
    return at;
}

/* If-conversion: both branches are computed; the condition selects between what they leave in a variable. */
static void if_statement(lowering *l, const tess__node *node)
{
    const int32_t n = l->tree->n_variables, outer = l->mask;
    const int32_t condition = tess__lower_expression(l, node->first);
    const int32_t then = tess__lower_node(l, node->first)->next, other = tess__lower_node(l, then)->next;
    const int32_t before = tess__lower_save(l);
    if (l->all.status != TESS_OK) return;
    l->mask = outer < 0 ? condition : tess__lower_logical(l, TESS__OP_logical_and, outer, condition);
    tess__lower_statements(l, then);
    const int32_t after = tess__lower_save(l);
    if (l->all.status != TESS_OK) return;
    memcpy(l->now, l->saved + before, (size_t)n * sizeof *l->now);
    if (other) {
        const int32_t not_so = tess__lower_not(l, condition);
        l->mask = outer < 0 ? not_so : tess__lower_logical(l, TESS__OP_logical_and, outer, not_so);
        tess__lower_statements(l, other);
        if (l->all.status != TESS_OK) return;
    }
    for (int32_t k = 0; k < n; k++) {
        const int32_t yes = l->saved[after + k], no = l->now[k];
        if (yes >= 0 && no >= 0) l->now[k] = tess__lower_choice(l, l->tree->variables[k].type, condition, yes, no);
        else if (no < 0) l->now[k] = yes;
    }
    l->mask = outer;
    l->n_saved = before;
}

static void continue_statement(lowering *l)
{
    int32_t here = tess__lower_live(l);
    if (here < 0) here = tess__lower_constant(l, TESS_BOOL, &(tess__constant){ .u = 1 });
    l->skipped = l->skipped < 0 ? here : tess__lower_logical(l, TESS__OP_logical_or, l->skipped, here);
}

static void statement(lowering *l, const tess__node *node)
{
    const tess__bytes outer = l->all.at;
    if (!tess__lower_visit(l, node)) return;
    switch (node->kind) {
    case TESS__ASSIGN: assign(l, node->op, tess__lower_expression(l, node->first)); break;
    case TESS__ACCUMULATE: accumulate(l, node); break;
    case TESS__SCATTER: scatter(l, node); break;
    case TESS__IF: if_statement(l, node); break;
    case TESS__FOR: tess__lower_for(l, node); break;
    case TESS__CONTINUE: continue_statement(l); break;
    default:
        for (int32_t s = node->first; s; s = tess__lower_node(l, s)->next) statement(l, tess__lower_node(l, s));
        break;
    }
    l->all.at = outer;
}

void tess__lower_statements(lowering *l, int32_t n) { statement(l, tess__lower_node(l, n)); }
