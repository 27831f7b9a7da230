/* Code printer: loops as device code, with loop guards. */
#include "lang/print/print_loops.h"

#define PUT(...) tess__write(&p->w, __VA_ARGS__)

bool tess__loop_guard_needed(const tess__tree *tree)
{
    for (int32_t i = 1; i < tree->n_nodes; i++) {
        const tess__node *node = &tree->nodes[i];
        if (node->kind != TESS__FOR) continue;
        if (tree->nodes[node->first].kind != TESS__NUMBER) return true;
        if (tree->nodes[tree->nodes[node->first].next].kind != TESS__NUMBER) return true;
    }
    return false;
}

/* Loops of a list of statements, and of the functions it calls. The checker has limited their number when inlined. */
static int32_t count_loops(const tess__tree *tree, int32_t k)
{
    int32_t n = 0;
    for (; k; k = tree->nodes[k].next) {
        const tess__node *node = &tree->nodes[k];
        n += node->kind == TESS__FOR;
        n += node->kind == TESS__USER ? count_loops(tree, tree->functions[node->op].body) : 0;
        n += count_loops(tree, node->first);
    }
    return n;
}

int32_t tess__loop_guard_counters(const tess__tree *tree, int32_t function)
{
    return tess__loop_guard_needed(tree) ? count_loops(tree, tree->functions[function].body) : 0;
}

void tess__loop_guard_start(tess__c_printer *p, int32_t first)
{
    const int32_t n = tess__loop_guard_needed(p->tree) ? count_loops(p->tree, first) : 0;
    p->counters = 0;
    if (n) PUT("    loop_guard guard = { fault, false };\n    uint32_t trips[%d] = { 0 };\n", (int)n);
}

void tess__loop_guard_for(tess__c_printer *p, const tess__node *node, int indent)
{
    const tess__node *nodes = p->tree->nodes;
    const int         v = (int)node->op;
    const int32_t     to = nodes[node->first].next;
    if (!tess__loop_guard_needed(p->tree)) {
        tess__c_for(p, node, indent);
        return;
    }
    PUT("%*sconst int64_t b%d = ", 4 * indent, "", v);
    tess__c_expression(p, node->first);
    PUT(", e%d = ", v);
    tess__c_expression(p, to);
    PUT(";\n%*sfor (uint32_t n%d = guard.take(trips[%d], b%d, e%d, %lld, %d), t%d = (uint32_t)b%d; n%d > 0; "
        "n%d--, t%d += %llu) {\n",
        4 * indent, "", v, (int)p->counters++, v, v, (long long)node->value.i, node->computed != 0, v, v, v, v, v,
        (unsigned long long)(uint32_t)node->value.i);
    PUT("%*sv%d = (int32_t)t%d;\n", 4 * indent + 4, "", v, v);
    tess__c_statements(p, nodes[nodes[to].next].first, indent + 1);
    PUT("%*s}\n", 4 * indent, "");
}

void tess__loop_guard_call(tess__c_printer *p, int32_t function)
{
    const int32_t n = tess__loop_guard_counters(p->tree, function);
    if (n) PUT("guard, trips + %d%s", (int)p->counters, p->tree->functions[function].count ? ", " : "");
    p->counters += n;
}
