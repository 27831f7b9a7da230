/* Code printer: statements as C. */
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "lang/ir/monoid.h"
#include "lang/print/print_c.h"

#define PUT(...) tess__write(&p->w, __VA_ARGS__)

static void put_accumulate(tess__c_printer *p, const tess__node *node, int indent)
{
    const tess__param *param = &p->tree->params[node->op];
    const int          v = (int)tess__variable_of(p->tree, node->op), in = 4 * indent;
    char               name[16];
    (void)snprintf(name, sizeof name, "v%d", v);
    PUT("%*s{\n%*s    const %s e = ", in, "", in, "", tess__c_held(param->type));
    tess__c_expression(p, node->first);
    PUT(";\n%*s    v%d = ", in, "", v);
    tess__c_combined(p, tess__monoid_operator(param->monoid), param->type, name, "e");
    PUT(";\n%*s}\n", in, "");
}

static void put_if(tess__c_printer *p, const tess__node *node, int indent)
{
    const tess__node *nodes = p->tree->nodes;
    const int32_t     yes = nodes[node->first].next, no = nodes[yes].next;
    PUT("%*sif (", 4 * indent, "");
    tess__c_expression(p, node->first);
    PUT(") {\n");
    tess__c_statements(p, nodes[yes].first, indent + 1);
    if (no) {
        PUT("%*s} else {\n", 4 * indent, "");
        tess__c_statements(p, nodes[no].first, indent + 1);
    }
    PUT("%*s}\n", 4 * indent, "");
}

void tess__c_for(tess__c_printer *p, const tess__node *node, int indent)
{
    const tess__node *nodes = p->tree->nodes;
    const int         v = (int)node->op;
    const int32_t     to = nodes[node->first].next;
    PUT("%*sfor (int64_t t%d = ", 4 * indent, "", v);
    tess__c_expression(p, node->first);
    PUT(", e%d = ", v);
    tess__c_expression(p, to);
    PUT("; t%d %s e%d; t%d += %d) {\n", v, node->computed ? "<=" : "<", v, v, (int)node->value.i);
    PUT("%*sv%d = (int32_t)t%d;\n", 4 * indent + 4, "", v, v);
    tess__c_statements(p, nodes[nodes[to].next].first, indent + 1);
    PUT("%*s}\n", 4 * indent, "");
}

void tess__c_statements(tess__c_printer *p, int32_t k, int indent)
{
    for (; k; k = p->tree->nodes[k].next) {
        const tess__node *node = &p->tree->nodes[k];
        switch (node->kind) {
        case TESS__IF: put_if(p, node, indent); break;
        case TESS__FOR: p->dialect->put_for(p, node, indent); break;
        case TESS__SCATTER: p->dialect->put_scatter(p, node, indent); break;
        case TESS__ACCUMULATE: put_accumulate(p, node, indent); break;
        case TESS__CONTINUE: PUT("%*scontinue;\n", 4 * indent, ""); break;
        default:
            if (node->kind == TESS__RETURN) PUT("%*sreturn ", 4 * indent, "");
            else PUT("%*sv%d = ", 4 * indent, "", (int)node->op);
            tess__c_expression(p, node->first);
            PUT(";\n");
        }
    }
}

static void note_variables(tess__c_printer *p, int32_t k)
{
    for (; k; k = p->tree->nodes[k].next) {
        const tess__node *node = &p->tree->nodes[k];
        if (node->kind == TESS__NAME || node->kind == TESS__ASSIGN || node->kind == TESS__FOR) p->used[node->op] = true;
        if (node->kind == TESS__ACCUMULATE) p->used[tess__variable_of(p->tree, node->op)] = true;
        note_variables(p, node->first);
    }
}

void tess__c_use_variables(tess__c_printer *p, int32_t first)
{
    memset(p->used, 0, (size_t)p->tree->n_variables);
    note_variables(p, first);
}

void tess__c_locals(tess__c_printer *p, int32_t from, int indent)
{
    for (int32_t v = from; v < p->tree->n_variables; v++) {
        if (!p->used[v] || p->tree->variables[v].param >= 0) continue;
        PUT("%*s%s v%d = ", 4 * indent, "", tess__c_held(p->tree->variables[v].type), (int)v);
        tess__c_zero(p, p->tree->variables[v].type);
        PUT(";\n");
    }
}
