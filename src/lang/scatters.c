/* Static analysis of scatters: where the statements that add stand, and whether batches stay apart. */
#include "lang/scatters.h"

static bool is_own_batch(const tess__tree *tree, const tess__node *scatter)
{
    const tess__node *index = &tree->nodes[scatter->first];
    return index->kind == TESS__INDEX && index->op == 0;
}

static void look_at(tess__scatters *s, const tess__tree *tree, int32_t statement, bool in_loop)
{
    const tess__node *node = &tree->nodes[statement];
    if (node->kind == TESS__SCATTER) {
        s->added[node->op]++;
        s->in_loops |= in_loop;
        if (!is_own_batch(tree, node)) s->batched &= ~(1u << node->op);
    }
    if (node->kind != TESS__BLOCK && node->kind != TESS__IF && node->kind != TESS__FOR) return;
    for (int32_t k = node->first; k; k = tree->nodes[k].next) look_at(s, tree, k, in_loop || node->kind == TESS__FOR);
}

tess__scatters tess__scatters_of(const tess__tree *tree)
{
    tess__scatters s = { .batched = 0 };
    if (!tree->body) return s;
    for (int32_t k = 0; k < tree->n_params; k++)
        if (tree->params[k].role == TESS__PARAM_SCATTER) s.batched |= 1u << k;
    look_at(&s, tree, tree->body, false);
    return s;
}
