/* Lowering of loops to SSA values: loop variables take the part of phi functions. */
#include "lang/ir/lower.h"

#include <string.h>

#include "lang/ir/uniform.h"

/* The variables that a loop assigns become loop variables: set before it, and at the end of each iteration. */
static void open_loop_variables(lowering *l, const tess__node *node, int32_t loop_variables, int32_t from, int32_t to)
{
    const tess__tree *tree = l->tree;
    memset(l->saved + loop_variables, 0, (size_t)tree->n_variables * sizeof *l->saved);
    tess__mark_assigned(tree, node->first, l->saved + loop_variables);
    for (int32_t k = 0; k < tree->n_variables; k++) {
        const int32_t before = l->now[k];
        if (!l->saved[loop_variables + k] || before < 0) {
            l->saved[loop_variables + k] = -1;
            continue;
        }
        const bool    uniform = !l->varies[k] && l->all.v[before].uniform;
        const value   like = { .kind = VALUE_LOOP_VARIABLE,
                               .type = (uint8_t)tree->variables[k].type,
                               .to = (uint8_t)tree->variables[k].type,
                               .uniform = uniform };
        const int32_t variable = tess__value(&l->all, &like, true);
        (void)tess__value(
            &l->all,
            &(value){
                .kind = VALUE_SET, .type = like.type, .uniform = uniform, .n_args = 2, .args = { variable, before } },
            true);
        l->saved[loop_variables + k] = variable;
    }
    const int32_t loop = tess__loop_open(&l->all, from, to, node->value.i, node->computed != 0);
    if (l->all.status != TESS_OK) return;
    for (int32_t k = 0; k < tree->n_variables; k++) {
        const int32_t variable = l->saved[loop_variables + k];
        if (variable < 0) continue;
        l->all.v[variable].level = (int16_t)l->all.level;
        l->all.v[variable].loop = loop;
        l->now[k] = variable;
    }
    const value counter = {
        .kind = VALUE_COUNTER, .type = TESS_I32, .to = TESS_I32, .uniform = true, .n_args = 1, .args = { loop }
    };
    l->now[node->op] = tess__value(&l->all, &counter, true);
}

static void close_loop_variables(lowering *l, int32_t loop_variables)
{
    const int32_t n = l->tree->n_variables;
    for (int32_t k = 0; k < n && l->all.status == TESS_OK; k++) { /* one set to another needs a copy */
        const int32_t variable = l->saved[loop_variables + k], last = l->now[k];
        if (variable < 0 || last == variable || l->all.v[last].kind != VALUE_LOOP_VARIABLE) continue;
        const value *v = &l->all.v[last];
        l->now[k] = tess__value(&l->all,
                                &(value){ .kind = TESS__DO_COPY,
                                          .type = v->type,
                                          .to = v->type,
                                          .uniform = v->uniform,
                                          .n_args = 1,
                                          .args = { last } },
                                true);
    }
    for (int32_t k = 0; k < n && l->all.status == TESS_OK; k++) {
        const int32_t variable = l->saved[loop_variables + k];
        if (variable < 0 || l->now[k] == variable) continue;
        if (l->all.v[variable].uniform && !l->all.v[l->now[k]].uniform) { /* uniform.c would have missed something */
            const tess__bytes name = l->tree->variables[k].name;
            TESS__VALUES_WRONG(
                &l->all, name,
                "'%.*s' becomes different between elements in a loop; assign such a value before the loop",
                tess__shown(name), l->tree->text + name.at);
            return;
        }
        (void)tess__value(&l->all,
                          &(value){ .kind = VALUE_SET,
                                    .type = l->all.v[variable].type,
                                    .uniform = l->all.v[variable].uniform,
                                    .n_args = 2,
                                    .args = { variable, l->now[k] } },
                          true);
    }
    tess__loop_close(&l->all);
    for (int32_t k = 0; k < n && l->all.status == TESS_OK; k++) {
        const int32_t variable = l->saved[loop_variables + k];
        if (variable < 0 && l->now[k] >= 0 && l->all.v[l->now[k]].level > l->all.level)
            l->now[k] = -1; /* out of scope */
        if (variable < 0) continue;
        l->now[k] = tess__value(&l->all,
                                &(value){ .kind = VALUE_AFTER,
                                          .type = l->all.v[variable].type,
                                          .to = l->all.v[variable].to,
                                          .uniform = l->all.v[variable].uniform,
                                          .n_args = 1,
                                          .args = { variable } },
                                true);
    }
}

/* The end of a loop that is not run where a uniform condition forbids it. */
static int32_t reached(lowering *l, int32_t to)
{
    const int32_t here = tess__lower_gate(l);
    if (here < 0) return to;
    return tess__lower_choice(l, TESS_I64, here, to,
                              tess__lower_constant(l, TESS_I64, &(tess__constant){ .i = INT64_MIN }));
}

void tess__lower_for(lowering *l, const tess__node *node)
{
    const int32_t from = tess__lower_expression(l, node->first);
    const int32_t second = tess__lower_node(l, node->first)->next, last = tess__lower_expression(l, second),
                  to = reached(l, last);
    const int32_t body = tess__lower_node(l, second)->next, skipped = l->skipped;
    const int32_t loop_variables = tess__lower_save(l);
    if (l->all.status != TESS_OK) return;
    if (!l->all.v[from].uniform || !l->all.v[to].uniform) { /* the checker lets none through */
        TESS__VALUES_WRONG(&l->all, tess__lower_node(l, l->all.v[from].uniform ? second : node->first)->span,
                           "bound of '%.*s' differs between elements of a row; all need the same number of iterations",
                           tess__shown(node->span), l->tree->text + node->span.at);
        return;
    }
    tess__lower_scatters(l);
    open_loop_variables(l, node, loop_variables, from, to);
    tess__lower_statements(l, body);
    tess__lower_scatters(l);
    if (l->all.status != TESS_OK) return;
    l->skipped = skipped;
    close_loop_variables(l, loop_variables);
    l->n_saved = loop_variables;
}
