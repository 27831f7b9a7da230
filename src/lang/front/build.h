/* Tree builder: growing arrays of nodes, variables and functions, packed into one allocation at the end. */
#ifndef TESS_LANG_FRONT_BUILD_H
#define TESS_LANG_FRONT_BUILD_H

#include "lang/front/source.h"

/* Small trees grow in the builder itself. Nothing points into it that is kept. */
typedef struct tess__builder {
    tess__source   *source;
    tess__tree      head; /* all but nodes, variables and functions */
    tess__node     *nodes;
    tess__variable *variables;
    tess__function *functions;
    int32_t         n_nodes, n_variables, n_functions;
    int32_t         node_capacity, variable_capacity, function_capacity;
    tess__node      few_nodes[80];
    tess__variable  few_variables[24];
    tess__function  few_functions[4];
} tess__builder;

void tess__build_start(tess__builder *b, tess__source *source);

/* A new node, variable or function, zeroed but for its span; 0 or -1 with no memory, which the source then says. */
int32_t tess__build_node(tess__builder *b, int32_t kind, tess__bytes span);
int32_t tess__build_variable(tess__builder *b, tess__bytes name);
int32_t tess__build_function(tess__builder *b, tess__bytes name);

/* A linked list of nodes. */
typedef struct tess__list {
    int32_t first, last;
} tess__list;

static inline void tess__append(tess__builder *b, tess__list *list, int32_t node)
{
    if (node == 0) return;
    if (list->last) b->nodes[list->last].next = node;
    else list->first = node;
    list->last = node;
}

/* The tree as one allocation, with a copy of its text; or the source's error. The builder is freed either way. */
tess_status tess__build_finish(tess__tree **out, tess__builder *b);

#endif
