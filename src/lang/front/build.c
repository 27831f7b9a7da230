/* Tree builder: growing arrays of nodes, variables and functions, packed into one allocation at the end. */
#include "lang/front/build.h"

#include <string.h>

#include "core/device/memory.h"
#include "lang/front/parse.h"

void tess__build_start(tess__builder *b, tess__source *source)
{
    b->source = source;
    memset(&b->head, 0, sizeof b->head);
    b->nodes = b->few_nodes, b->variables = b->few_variables, b->functions = b->few_functions;
    b->n_nodes = 1, b->n_variables = b->n_functions = 0;
    b->node_capacity = sizeof b->few_nodes / sizeof *b->few_nodes;
    b->variable_capacity = sizeof b->few_variables / sizeof *b->few_variables;
    b->function_capacity = sizeof b->few_functions / sizeof *b->few_functions;
    memset(b->few_nodes, 0, sizeof *b->few_nodes);
}

/* Twice the capacity; false with no memory. */
static bool grow(tess__source *source, void **items, const void *few, int32_t *capacity, size_t size)
{
    const size_t bytes = 2 * (size_t)*capacity * size;
    void        *more = tess__alloc(bytes);
    if (!more) {
        tess__no_memory(source, bytes);
        return false;
    }
    memcpy(more, *items, bytes / 2);
    if (*items != few) tess__free(*items);
    *items = more;
    *capacity *= 2;
    return true;
}

int32_t tess__build_node(tess__builder *b, int32_t kind, tess__bytes span)
{
    void *items = b->nodes;
    if (b->n_nodes == b->node_capacity && !grow(b->source, &items, b->few_nodes, &b->node_capacity, sizeof *b->nodes))
        return 0;
    b->nodes = items;
    b->nodes[b->n_nodes] = (tess__node){ .kind = kind, .span = span };
    return b->n_nodes++;
}

int32_t tess__build_variable(tess__builder *b, tess__bytes name)
{
    void *items = b->variables;
    if (b->n_variables == b->variable_capacity &&
        !grow(b->source, &items, b->few_variables, &b->variable_capacity, sizeof *b->variables))
        return -1;
    b->variables = items;
    b->variables[b->n_variables] = (tess__variable){ .name = name, .param = -1 };
    return b->n_variables++;
}

int32_t tess__build_function(tess__builder *b, tess__bytes name)
{
    void *items = b->functions;
    if (b->n_functions == b->function_capacity &&
        !grow(b->source, &items, b->few_functions, &b->function_capacity, sizeof *b->functions))
        return -1;
    b->functions = items;
    b->functions[b->n_functions] = (tess__function){ .name = name };
    return b->n_functions++;
}

static void *take(char **at, const void *from, size_t size)
{
    void *to = *at;
    if (size) memcpy(to, from, size);
    *at += (size + 7) / 8 * 8;
    return to;
}

static void release(tess__builder *b)
{
    if (b->nodes != b->few_nodes) tess__free(b->nodes);
    if (b->variables != b->few_variables) tess__free(b->variables);
    if (b->functions != b->few_functions) tess__free(b->functions);
}

tess_status tess__build_finish(tess__tree **out, tess__builder *b)
{
    const tess__source *s = b->source;
    const size_t        nodes = (size_t)b->n_nodes * sizeof *b->nodes, text = (size_t)s->length;
    const size_t        variables = (size_t)b->n_variables * sizeof *b->variables;
    const size_t        functions = (size_t)b->n_functions * sizeof *b->functions;
    const char         *label = s->label ? s->label : s->text + b->head.name.at;
    const size_t        label_size = s->label ? strlen(s->label) : (size_t)b->head.name.length;
    const size_t size = sizeof(tess__tree) + nodes + variables + functions + text + label_size + 2 + (size_t)5 * 8;
    char        *memory = s->status == TESS_OK ? tess__alloc(size) : NULL;
    if (!memory) tess__no_memory(b->source, size);
    if (memory) {
        char       *at = memory;
        tess__tree *tree = take(&at, &b->head, sizeof b->head);
        tree->nodes = take(&at, b->nodes, nodes);
        tree->variables = take(&at, b->variables, variables);
        tree->functions = take(&at, b->functions, functions);
        tree->n_nodes = b->n_nodes, tree->n_variables = b->n_variables, tree->n_functions = b->n_functions;
        char *copy = memcpy(at, s->text, text);
        copy[text] = '\0';
        tree->text = copy, tree->length = s->length, tree->macro = s->macro;
        char *label_copy = memcpy(copy + text + 1, label, label_size);
        label_copy[label_size] = '\0';
        tree->label = label_copy;
        *out = tree;
    }
    release(b);
    return s->status;
}

void tess__tree_free(tess__tree *tree) { tess__free(tree); }
