/* A tree with types as C for the CPU: what loops over tiles and elements add to the statements that the library prints
 * for GPUs. */
#include "support/print_c.h"

#include "backend.h"
#include "core/device/memory.h"
#include "lang/print/print_c.h"

#define PUT(...) tess__write(&p->w, __VA_ARGS__)

static const char *const part_names[] = { "body", "join", "post" };

/* ---- Statements ---- */

static void put_scatter(tess__c_printer *p, const tess__node *node, int indent)
{
    const tess__node *nodes = p->tree->nodes;
    const int         k = (int)node->op, in = 4 * indent;
    const int32_t     type = p->tree->params[k].type;
    int32_t           at = node->first;
    PUT("%*s{\n", in, "");
    for (int i = 0; i < 4; i++, at = nodes[at].next) {
        PUT("%*s    const int64_t a%d = ", in, "", i);
        tess__c_expression(p, at);
        PUT(";\n");
    }
    PUT("%*s    const %s e = ", in, "", tess__c_held(type));
    tess__c_expression(p, at);
    PUT(";\n%*s    const int64_t *n = tile->shape[%d], *s = tile->stride[%d];\n", in, "", k, k);
    PUT("%*s    if (a0 >= 0 && a0 < n[0] && a1 >= 0 && a1 < n[1] && a2 >= 0 && a2 < n[2] && a3 >= 0 && a3 < n[3]) {\n",
        in, "");
    PUT("%*s        %s *q = (%s *)tile->ptr[%d] + (a0 * s[0] + a1 * s[1] + a2 * s[2] + a3 * s[3]);\n", in, "",
        tess__c_stored(type), tess__c_stored(type), k);
    PUT("%*s        const %s o = %s*q);\n", in, "", tess__c_held(type), tess__c_load(type));
    PUT("%*s        *q = %s", in, "", tess__c_store(type));
    tess__c_combined(p, TESS__OP_add, type, "o", "e");
    PUT(");\n%*s    }\n%*s}\n", in, "", in, "");
}

static const tess__c_dialect dialect = { .put_scatter = put_scatter, .put_for = tess__c_for };

/* ---- Functions ---- */

static void put_function(tess__c_printer *p, int32_t index)
{
    const tess__function *f = &p->tree->functions[index];
    PUT("static inline %s %s_f%d(", tess__c_held(f->type), p->name, (int)index);
    for (int32_t i = 0; i < f->count; i++)
        PUT("%s%s v%d", i ? ", " : "", tess__c_held(p->tree->variables[f->first + i].type), (int)(f->first + i));
    PUT(f->count ? ")\n{\n" : "void)\n{\n");
    tess__c_use_variables(p, f->body);
    tess__c_locals(p, f->first + f->count, 1);
    tess__c_statements(p, f->body, 1);
    PUT("}\n\n");
}

/* ---- Parameters around the body of one element ---- */

/* The first value of a parameter's variable, in the loop over elements. */
static void put_first_value(tess__c_printer *p, int32_t v, int part)
{
    const tess__variable *variable = &p->tree->variables[v];
    const int             k = (int)variable->param;
    const tess__param    *param = &p->tree->params[k];
    const char           *load = tess__c_load(variable->type);
    PUT("        %s v%d = ", tess__c_held(variable->type), (int)v);
    if (tess__is_struct(param->type))
        PUT("%s*(const %s *)(*(const char *const *)((const char *)tile->val + %d) + %d))", load,
            tess__c_stored(variable->type), 16 * k, (int)variable->offset);
    else if (param->role == TESS__PARAM_VAL)
        PUT("%s*(const %s *)((const char *)tile->val + %d))", load, tess__c_stored(param->type), 16 * k);
    else if (param->role == TESS__PARAM_IN || param->role == TESS__PARAM_INOUT) PUT("%sp%d[i * s%d])", load, k, k);
    else if (tess__c_is_combined(param) && part == TESS__C_BODY)
        PUT("tess__no_%s_%s()", tess__monoid_names[param->monoid], tess_dtype_name(param->type));
    else if (param->role == TESS__PARAM_ACC)
        PUT("%s((const %s *)tile->%s[%d])[i%s])", load, tess__c_stored(param->type), variable->other ? "other" : "acc",
            k, part == TESS__C_BODY ? " % tile->lanes" : "");
    else tess__c_zero(p, param->type);
    PUT(";\n");
}

/* What becomes of it when the body is done. */
static void put_last_value(tess__c_printer *p, int32_t v, int part)
{
    const tess__variable *variable = &p->tree->variables[v];
    const int             k = (int)variable->param;
    const tess__param    *param = &p->tree->params[k];
    if (param->role == TESS__PARAM_OUT || param->role == TESS__PARAM_INOUT)
        PUT("        p%d[i * s%d] = %sv%d);\n", k, k, tess__c_store(param->type), (int)v);
    if (param->role != TESS__PARAM_ACC || variable->other || part == TESS__C_POST) return;
    const char *const lane = tess__c_stored(tess__c_lane(param));
    PUT("        %s *l%d = (%s *)tile->acc[%d] + i%s;\n", lane, k, lane, k,
        part == TESS__C_BODY ? " % tile->lanes" : "");
    if (tess__c_is_combined(param))
        PUT("        *l%d = tess__%s_%s(*l%d, v%d);\n", k, tess__monoid_names[param->monoid],
            tess_dtype_name(param->type), k, (int)v);
    else PUT("        *l%d = %sv%d);\n", k, tess__c_store(param->type), (int)v);
}

/* ---- Rows and tiles ---- */

static void put_row(tess__c_printer *p, int32_t block, int part)
{
    const tess__tree *tree = p->tree;
    PUT("static inline void %s_%s_row(const tess_tile *tile, int64_t ib, int64_t id, int64_t ih", p->name,
        part_names[part]);
    for (int32_t k = 0; k < tree->n_params; k++)
        if (tess__c_is_row(tree, k, part)) PUT(", int64_t s%d", (int)k);
    PUT(")\n{\n    (void)ib, (void)id, (void)ih;\n");
    for (int32_t k = 0; k < tree->n_params; k++) {
        const tess__param *param = &tree->params[k];
        if (param->role == TESS__PARAM_VAL) continue;
        const char *stored = tess__c_stored(param->type), *name = tess_dtype_name(param->type);
        const int   n = (int)k;
        if (tess__c_is_row(tree, k, part))
            PUT("    %s *p%d = (%s *)tile->ptr[%d] + (ib * tile->stride[%d][0] + id * tile->stride[%d][1] + ih * "
                "tile->stride[%d][2] + tile->origin[3] * s%d);\n",
                stored, n, stored, n, n, n, n, n);
        if (param->role == TESS__PARAM_VIEW && part == TESS__C_BODY)
            PUT("    tess_view_%s w%d = tess__view_%s(tile->ptr[%d], tile->stride[%d], tile->shape[%d], %d, %d, "
                "tile->fault);\n",
                name, n, name, n, n, n, (int)param->border, n);
        if (param->role == TESS__PARAM_VIEW && part == TESS__C_BODY && param->fill)
            PUT("    w%d.value = ((const %s *)((const char *)tile->val + %d))[0];\n", n, stored,
                16 * (param->fill - 1));
        else if (param->role == TESS__PARAM_VIEW && part == TESS__C_BODY && param->border == TESS_BORDER_VALUE) {
            PUT("    w%d.value = %s", n, tess__c_store(param->type));
            tess__c_number(p, param->type, param->value);
            PUT(");\n");
        }
    }
    PUT("    for (int64_t i = 0; i < tile->extent[3]; i++) {\n");
    PUT("        const int64_t iw = tile->origin[3] + i;\n        (void)iw;\n");
    tess__c_use_variables(p, tree->nodes[block].first);
    for (int32_t v = 0; v < tree->n_variables; v++)
        if (tess__c_is_seen(p, v, part)) put_first_value(p, v, part);
    tess__c_locals(p, 0, 2);
    tess__c_statements(p, tree->nodes[block].first, 2);
    for (int32_t v = 0; v < tree->n_variables; v++)
        if (tess__c_is_seen(p, v, part)) put_last_value(p, v, part);
    PUT("    }\n}\n\n");
}

static void put_call(tess__c_printer *p, int part, bool contiguous)
{
    PUT("%s_%s_row(tile, b, d, h", p->name, part_names[part]);
    for (int32_t k = 0; k < p->tree->n_params; k++)
        if (tess__c_is_row(p->tree, k, part)) contiguous ? PUT(", 1") : PUT(", tile->stride[%d][3]", (int)k);
    PUT(");\n");
}

/* Contiguous rows have a loop of their own. */
static void put_part(tess__c_printer *p, int32_t block, int part)
{
    uint32_t rows = 0;
    if (!block) return;
    put_row(p, block, part);
    for (int32_t k = 0; k < p->tree->n_params; k++) rows |= tess__c_is_row(p->tree, k, part) ? 1u << k : 0;
    PUT("void %s_%s(const tess_tile *tile);\n\nvoid %s_%s(const tess_tile *tile)\n{\n", p->name, part_names[part],
        p->name, part_names[part]);
    PUT("    const int contiguous = (tile->contig & %uu) == %uu;\n", rows, rows);
    PUT("    for (int64_t b = tile->origin[0]; b < tile->origin[0] + tile->extent[0]; b++)\n"
        "        for (int64_t d = tile->origin[1]; d < tile->origin[1] + tile->extent[1]; d++)\n"
        "            for (int64_t h = tile->origin[2]; h < tile->origin[2] + tile->extent[2]; h++)\n"
        "                if (contiguous) ");
    put_call(p, part, true);
    PUT("                else ");
    put_call(p, part, false);
    PUT("}\n\n");
}

tess_status print_c(char **out, const tess__tree *tree, const char *name)
{
    tess__c_printer printer = { .tree = tree, .name = name, .dialect = &dialect }, *const p = &printer;
    p->used = tess__alloc((size_t)tree->n_variables + 1);
    TESS_CHECK(p->used, TESS_ENOMEM, "print_c: no memory for %d bytes", (int)tree->n_variables + 1);
    PUT("/* Printed from an operator; to be compiled with -fwrapv and -ffp-contract=off. */\n"
        "#include \"tessera/op.h\"\n#include \"tessera/op_lane.h\"\n#include \"tessera/math/interp.op.h\"\n"
        "#include \"tessera/math/random.op.h\"\n#include \"formulas/operators.op.h\"\n\n");
    PUT("#define tess__c_shape(k, axis) (tile->shape[k][axis])\n#define tess__c_size(axis) (tile->size[axis])\n"
        "#define tess__c_count (tile->count)\n");
    PUT("#define tess__c_random(seed, counter) tess__unit_f32(tess__random_u32(seed, 0, counter, 0))\n\n");
    for (int32_t i = 0; i < tree->n_functions; i++) put_function(p, i);
    put_part(p, tree->body, TESS__C_BODY);
    put_part(p, tree->join, TESS__C_JOIN);
    put_part(p, tree->post, TESS__C_POST);
    tess__free(p->used);
    return tess__write_finish(&p->w, out);
}
