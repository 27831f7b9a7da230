/* Code printer: an operator as CUDA device code, with lists of its parameters and functions for one element, for the
 * combination of two accumulator states, and for a result. */
#include "lang/print/print_device.h"

#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"
#include "lang/ir/monoid.h"
#include "lang/print/print_c.h"
#include "lang/print/print_loops.h"

#define PUT(...) tess__write(&p->w, __VA_ARGS__)

/* ---- Functions of the text ---- */

static void put_function(tess__c_printer *p, int32_t index)
{
    const tess__function *f = &p->tree->functions[index];
    const bool            counts = tess__loop_guard_counters(p->tree, index) > 0;
    PUT("TESS_FN %s %s_f%d(%s", tess__c_held(f->type), p->name, (int)index,
        counts ? "loop_guard &guard, uint32_t *trips" : "");
    for (int32_t i = 0; i < f->count; i++)
        PUT("%s%s v%d", i || counts ? ", " : "", tess__c_held(p->tree->variables[f->first + i].type),
            (int)(f->first + i));
    PUT(")\n{\n");
    p->counters = 0;
    tess__c_use_variables(p, f->body);
    tess__c_locals(p, f->first + f->count, 1);
    tess__c_statements(p, f->body, 1);
    PUT("}\n\n");
}

/* The number of a scatter among those to the same array. */
static int statement_number(const tess__tree *tree, const tess__node *scatter)
{
    int n = 0;
    for (const tess__node *node = tree->nodes + 1; node < scatter; node++)
        n += node->kind == TESS__SCATTER && node->op == scatter->op;
    return n;
}

static void put_scatter(tess__c_printer *p, const tess__node *node, int indent)
{
    const int32_t type = p->tree->params[node->op].type;
    const int     in = 4 * indent;
    int32_t       at = node->first;
    PUT("%*s{\n", in, "");
    for (int i = 0; i < 4; i++, at = p->tree->nodes[at].next) {
        PUT("%*s    const int64_t a%d = ", in, "", i);
        tess__c_expression(p, at);
        PUT(";\n");
    }
    PUT("%*s    const %s e = ", in, "", tess__c_held(type));
    tess__c_expression(p, at);
    PUT(";\n%*s    w%d.add_by<%d>(a0, a1, a2, a3, e);\n%*s}\n", in, "", (int)node->op, statement_number(p->tree, node),
        in, "");
}

static const tess__c_dialect dialect = { .put_scatter = put_scatter,
                                         .put_for = tess__loop_guard_for,
                                         .put_call = tess__loop_guard_call };

/* ---- Parameters ---- */

static bool has_role(const tess__tree *tree, int32_t k, int32_t role) { return tree->params[k].role == role; }

/* "#define NAME(X) X(0, float) X(2, tess_f16)": parameters of one or two roles. */
static void put_list(tess__c_printer *p, const char *name, int32_t role, int32_t second)
{
    PUT("#define %s(X)", name);
    for (int32_t k = 0; k < p->tree->n_params; k++)
        if (has_role(p->tree, k, role) || has_role(p->tree, k, second))
            PUT(" X(%d, %s)", (int)k, tess__c_stored(p->tree->params[k].type));
    PUT("\n");
}

/* How many statements add to an array; at least 1, of which the code may be without. */
static int additions_to(const tess__tree *tree, int32_t param)
{
    int n = 0;
    for (int32_t i = 1; i < tree->n_nodes; i++) n += tree->nodes[i].kind == TESS__SCATTER && tree->nodes[i].op == param;
    return n ? n : 1;
}

static void put_scatters(tess__c_printer *p)
{
    PUT("#define SCATTERS(X)");
    for (int32_t k = 0; k < p->tree->n_params; k++)
        if (has_role(p->tree, k, TESS__PARAM_SCATTER))
            PUT(" X(%d, %d, %d)", (int)k, (int)p->tree->params[k].type, additions_to(p->tree, k));
    PUT("\n");
}

static void put_structs(tess__c_printer *p)
{
    const tess__tree *tree = p->tree;
    PUT("\nstruct operands {\n    uint8_t none;\n");
    for (int32_t k = 0; k < tree->n_params; k++)
        if (tree->params[k].role <= TESS__PARAM_INOUT)
            PUT("    %s p%d;\n", tess__c_stored(tree->params[k].type), (int)k);
    PUT("};\n\nstruct state {\n");
    for (int32_t k = 0; k < tree->n_params; k++)
        if (has_role(tree, k, TESS__PARAM_ACC))
            PUT("    alignas(16) %s a%d;\n", tess__c_stored(tess__c_lane(&tree->params[k])), (int)k);
    PUT("};\n\n");
}

/* What lies outside a view. */
static void put_outside(tess__c_printer *p, int32_t k)
{
    const tess__param *param = &p->tree->params[k];
    PUT("    w%d.value = ", (int)k);
    if (param->fill) {
        PUT("*(const %s *)tile->operand[%d].value;\n", tess__c_stored(param->type), (int)param->fill - 1);
        return;
    }
    PUT("%s", tess__c_store(param->type));
    tess__c_number(p, param->type, param->value);
    PUT(");\n");
}

/* Views and scatters as the statements name them. */
static void put_windows(tess__c_printer *p)
{
    for (int32_t k = 0; k < p->tree->n_params; k++) {
        const tess__param *param = &p->tree->params[k];
        const char        *name = tess_dtype_name(param->type);
        const int          n = (int)k;
        if (param->role == TESS__PARAM_VIEW)
            PUT("    tess_view_%s w%d = tess__view_%s((const void *)tile->operand[%d].data, "
                "tile->operand[%d].stride, tile->operand[%d].shape, %d, %d, fault);\n",
                name, n, name, n, n, n, (int)param->border, n);
        if (param->role == TESS__PARAM_VIEW && param->border == TESS_BORDER_VALUE) put_outside(p, k);
        if (param->role == TESS__PARAM_SCATTER)
            PUT("    SCATTER_WINDOW(%d, %d, %d)\n", n, (int)param->type, additions_to(p->tree, k));
    }
}

/* "*(const double *)...": bytes of a struct of the call, which lie behind the operands. */
static void put_of_struct(tess__c_printer *p, int32_t at, const char *load, const char *stored)
{
    PUT("%s*(const %s *)((const char *)&tile->operand[%d] + %d))", load, stored, (int)p->tree->n_params, (int)at);
}

/* The value of a parameter when a part begins. */
static void put_first_value(tess__c_printer *p, int32_t k, bool other, int part)
{
    const tess__param *param = &p->tree->params[k];
    const int          n = (int)k;
    const char        *load = tess__c_load(param->type);
    if (param->role == TESS__PARAM_VAL)
        PUT("%s*(const %s *)tile->operand[%d].value)", load, tess__c_stored(param->type), n);
    else if (param->role == TESS__PARAM_IN || param->role == TESS__PARAM_INOUT) PUT("%sx.p%d)", load, n);
    else if (param->role == TESS__PARAM_OUT) tess__c_zero(p, param->type);
    else if (part == TESS__C_POST) {
        const char *close = tess__c_convert(p, tess__c_lane(param), param->type);
        PUT("%ss.a%d)%s", tess__c_load(tess__c_lane(param)), n, close);
    } else if (part == TESS__C_BODY && tess__c_is_combined(param))
        PUT("tess__no_%s_%s()", tess__monoid_names[param->monoid], tess_dtype_name(param->type));
    else PUT("%s%s.a%d)", load, other ? "o" : "s", n);
}

/* Where `value`, its variable, is stored when the part is done. */
static void put_last_value(tess__c_printer *p, int32_t k, int part, const char *value)
{
    const tess__param *param = &p->tree->params[k];
    const int          n = (int)k;
    const char        *store = tess__c_store(param->type);
    if ((param->role == TESS__PARAM_OUT || param->role == TESS__PARAM_INOUT) && part == TESS__C_BODY)
        PUT("    x.p%d = %s%s);\n", n, store, value);
    else if (param->role == TESS__PARAM_OUT && part == TESS__C_POST)
        PUT("    *result<%s>(tile, %d, at) = %s%s);\n", tess__c_stored(param->type), n, store, value);
    if (param->role != TESS__PARAM_ACC || part == TESS__C_POST) return;
    if (part == TESS__C_BODY && tess__c_is_combined(param))
        PUT("    s.a%d = tess__%s_%s(s.a%d, %s);\n", n, tess__monoid_names[param->monoid], tess_dtype_name(param->type),
            n, value);
    else PUT("    s.a%d = %s%s);\n", n, store, value);
}

/* ---- Parts ---- */

/* A part of the tree, between the braces of its function. */
static void put_statements(tess__c_printer *p, int32_t block, int part)
{
    const tess__tree *tree = p->tree;
    char              name[16];
    tess__loop_guard_start(p, tree->nodes[block].first);
    tess__c_use_variables(p, tree->nodes[block].first);
    for (int32_t v = 0; v < tree->n_variables; v++) {
        if (!tess__c_is_seen(p, v, part)) continue;
        const tess__variable *of = &tree->variables[v];
        const tess__param    *param = &tree->params[of->param];
        PUT("    %s v%d = ", tess__c_held(of->type), (int)v);
        if (tess__is_struct(param->type))
            put_of_struct(p, param->at + of->offset, tess__c_load(of->type), tess__c_stored(of->type));
        else put_first_value(p, of->param, of->other, part);
        PUT(";\n");
    }
    tess__c_locals(p, 0, 1);
    tess__c_statements(p, tree->nodes[block].first, 1);
    for (int32_t v = 0; v < tree->n_variables; v++) {
        if (!tess__c_is_seen(p, v, part) || tree->variables[v].other) continue;
        (void)snprintf(name, sizeof name, "v%d", (int)v);
        put_last_value(p, tree->variables[v].param, part, name);
    }
}

/* Is a parameter an argument of the user function for a part? */
static bool is_argument(const tess__tree *tree, int32_t k, int part)
{
    const tess__param *param = &tree->params[k];
    if (param->role == TESS__PARAM_VAL) return true;
    if (param->role == TESS__PARAM_ACC) return part != TESS__C_JOIN || param->monoid == TESS__MONOID_NONE;
    if (param->role == TESS__PARAM_VIEW || param->role == TESS__PARAM_SCATTER) return part == TESS__C_BODY;
    return tess__c_is_row(tree, k, part);
}

/* The name of a struct, ended by 0; `name` has 64 bytes. */
static const char *struct_name(const tess__tree *tree, int32_t type, char *name)
{
    const tess__bytes span = tree->structs[type - TESS__STRUCT_TYPE].name;
    (void)snprintf(name, 64, "%.*s", (int)span.length, tree->text + span.at);
    return name;
}

/* A value that is a struct, as an argument of the user function. */
static void put_struct_value(tess__c_printer *p, int32_t k)
{
    const tess__param *param = &p->tree->params[k];
    char               name[64];
    PUT("    const %s v%d = ", struct_name(p->tree, param->type, name), (int)k);
    put_of_struct(p, param->at, "(", name);
    PUT(";\n");
}

/* A part by a call of the user function. */
static void put_entry(tess__c_printer *p, const tess__device_code *code, int part)
{
    static const char *const suffixes[] = { "", "_join", "_post" };
    const tess__tree        *tree = p->tree;
    char                     name[16];
    for (int32_t k = 0; k < tree->n_params; k++) {
        const int32_t role = tree->params[k].role;
        if (!is_argument(tree, k, part) || role == TESS__PARAM_VIEW || role == TESS__PARAM_SCATTER) continue;
        if (tess__is_struct(tree->params[k].type)) {
            put_struct_value(p, k);
            continue;
        }
        for (int other = 0; other <= (part == TESS__C_JOIN && role == TESS__PARAM_ACC); other++) {
            PUT("    %s %s%d = ", tess__c_held(tree->params[k].type), other ? "o" : "v", (int)k);
            put_first_value(p, k, other, part);
            PUT(";\n");
        }
    }
    const char *comma = part == TESS__C_POST ? ", " : part == TESS__C_BODY && code->indexed ? ", " : "";
    PUT("    %s%s(%s", code->entry, suffixes[part],
        part == TESS__C_POST ? "tess__c_count"
        : *comma             ? "ib, id, ih, iw"
                             : "");
    for (int32_t k = 0; k < tree->n_params; k++) {
        if (!is_argument(tree, k, part)) continue;
        const int32_t role = tree->params[k].role;
        PUT("%s%s%d", comma, role == TESS__PARAM_VIEW ? "&w" : role == TESS__PARAM_SCATTER ? "w" : "v", (int)k);
        comma = ", ";
        if (part == TESS__C_JOIN && role == TESS__PARAM_ACC) PUT(", o%d", (int)k);
    }
    PUT(");\n");
    for (int32_t k = 0; k < tree->n_params; k++) {
        (void)snprintf(name, sizeof name, "v%d", (int)k);
        if (is_argument(tree, k, part)) put_last_value(p, k, part, name);
    }
}

static void put_body(tess__c_printer *p, const tess__device_code *code)
{
    PUT("static __device__ __forceinline__ void body(const tess__gpu_op *tile, int64_t ib, int64_t id, int64_t ih, "
        "int64_t iw, operands &x, state &s, tess_fault *fault, scatter_to *copies)\n{\n");
    put_windows(p);
    if (code->entry) put_entry(p, code, TESS__C_BODY);
    else put_statements(p, p->tree->body, TESS__C_BODY);
    PUT("}\n\n");
}

/* ---- Accumulators ---- */

/* A state before anything is combined into it. */
static void put_start(tess__c_printer *p)
{
    PUT("static __device__ void start(state &s)\n{\n");
    for (int32_t k = 0; k < p->tree->n_params; k++) {
        if (!has_role(p->tree, k, TESS__PARAM_ACC)) continue;
        const int32_t lane = tess__c_lane(&p->tree->params[k]);
        PUT("    s.a%d = %s", (int)k, tess__c_store(lane));
        tess__c_number(p, lane, tess__monoid_start(&p->tree->params[k]));
        PUT(");\n");
    }
    PUT("}\n\n");
}

/* The monoid of an accumulator, of its lane and `y`. */
static void put_monoid(tess__c_printer *p, int32_t k, const char *y)
{
    const tess__param *param = &p->tree->params[k];
    const int32_t      lane = tess__c_lane(param);
    char               x[48];
    (void)snprintf(x, sizeof x, "%ss.a%d)", tess__c_load(lane), (int)k);
    PUT("    s.a%d = %s", (int)k, tess__c_store(lane));
    tess__c_combined(p, tess__monoid_operator(param->monoid), lane, x, y);
    PUT(");\n");
}

/* The combination of two accumulator states. */
static void put_combine(tess__c_printer *p, const tess__device_code *code)
{
    char y[48];
    PUT("static __device__ void combine(const tess__gpu_op *tile, state &s, const state &o, tess_fault *fault)\n{\n");
    for (int32_t k = 0; k < p->tree->n_params; k++) {
        if (!has_role(p->tree, k, TESS__PARAM_ACC) || p->tree->params[k].monoid == TESS__MONOID_NONE) continue;
        (void)snprintf(y, sizeof y, "%so.a%d)", tess__c_load(tess__c_lane(&p->tree->params[k])), (int)k);
        put_monoid(p, k, y);
    }
    if (code->entry && code->joins) put_entry(p, code, TESS__C_JOIN);
    else if (p->tree->join) put_statements(p, p->tree->join, TESS__C_JOIN);
    PUT("}\n\n");
}

/* Constants that are combined in once. */
static void put_constants(tess__c_printer *p)
{
    for (int32_t k = 0; k < p->tree->n_params; k++) {
        const tess__param *param = &p->tree->params[k];
        if (param->role != TESS__PARAM_ACC || param->monoid == TESS__MONOID_NONE || !param->given) continue;
        PUT("    const %s c%d = ", tess__c_held(tess__c_lane(param)), (int)k);
        tess__c_number(p, tess__c_lane(param), param->value);
        PUT(";\n");
        char y[16];
        (void)snprintf(y, sizeof y, "c%d", (int)k);
        put_monoid(p, k, y);
    }
}

/* The outputs are the accumulators, in order. */
static void put_copies(tess__c_printer *p)
{
    char    name[16];
    int32_t out = 0;
    for (int32_t k = 0; k < p->tree->n_params; k++) {
        if (!has_role(p->tree, k, TESS__PARAM_ACC)) continue;
        while (out < p->tree->n_params && !has_role(p->tree, out, TESS__PARAM_OUT)) out++;
        if (out == p->tree->n_params) return;
        PUT("    const %s r%d = ", tess__c_held(p->tree->params[k].type), (int)k);
        put_first_value(p, k, false, TESS__C_POST);
        PUT(";\n");
        (void)snprintf(name, sizeof name, "r%d", (int)k);
        put_last_value(p, out++, TESS__C_POST, name);
    }
}

/* The results of a state. */
static void put_finish(tess__c_printer *p, const tess__device_code *code)
{
    PUT("static __device__ void finish(const tess__gpu_op *tile, state s, const int64_t *at, tess_fault *fault)\n{\n");
    put_constants(p);
    if (code->entry && code->posts) put_entry(p, code, TESS__C_POST);
    else if (p->tree->post) put_statements(p, p->tree->post, TESS__C_POST);
    else put_copies(p);
    PUT("}\n\n");
}

/* ---- All of it ---- */

static bool has_kind(const tess__tree *tree, int32_t kind)
{
    for (int32_t i = 1; i < tree->n_nodes; i++)
        if (tree->nodes[i].kind == kind) return true;
    return false;
}

static bool has_any(const tess__tree *tree, int32_t role)
{
    for (int32_t k = 0; k < tree->n_params; k++)
        if (has_role(tree, k, role)) return true;
    return false;
}

bool tess__device_faults(const tess__tree *tree)
{
    for (int32_t k = 0; k < tree->n_params; k++)
        if (has_role(tree, k, TESS__PARAM_VIEW) && tree->params[k].border == TESS__BORDER_FAULT) return true;
    return tess__loop_guard_needed(tree);
}

/* The types whose operators are called, as bits: others need not be compiled. */
static uint32_t computed_types(const tess__tree *tree)
{
    uint32_t types = 0;
    for (int32_t i = 1; i < tree->n_nodes; i++)
        if (tree->nodes[i].kind == TESS__OPERATOR) types |= 1u << tree->nodes[i].computed;
    for (int32_t k = 0; k < tree->n_params; k++) {
        const tess__param *param = &tree->params[k];
        if (param->role != TESS__PARAM_ACC || param->monoid == TESS__MONOID_NONE) continue;
        const int32_t op = tess__monoid_operator(param->monoid);
        types |= 1u << tess__c_computed(op, param->type) | 1u << tess__c_computed(op, tess__c_lane(param));
    }
    return types;
}

static void put_types(tess__c_printer *p, const tess__device_code *code)
{
    if (code->entry) return;
    PUT("#define TESS_ONLY\n");
    for (uint32_t left = computed_types(p->tree); left; left &= left - 1) {
        const int32_t type = __builtin_ctz(left);
        PUT("#define TESS_WITH_%s\n", type == TESS_BOOL ? "b8" : tess_dtype_name(type));
    }
}

/* The definition of a struct, for user functions. */
static void put_definition(tess__c_printer *p, const tess__struct *s, int32_t first)
{
    const tess__variable *members = &p->tree->variables[first];
    const char           *text = p->tree->text;
    PUT("struct %.*s {\n", (int)s->name.length, text + s->name.at);
    for (int32_t i = 0, n; i < s->count; i += n) {
        for (n = 1; i + n < s->count && members[i + n].name.at == members[i].name.at;) n++;
        PUT("    %s %.*s", tess__c_stored(members[i].type), (int)members[i].name.length, text + members[i].name.at);
        if (n > 1) PUT("[%d]", (int)n);
        PUT(";\n");
    }
    PUT("};\nstatic_assert(sizeof(%.*s) == %d, \"the layout of the host\");\n", (int)s->name.length, text + s->name.at,
        (int)s->size);
}

/* Those of all parameters, each once. */
static void put_definitions(tess__c_printer *p)
{
    const tess__tree *tree = p->tree;
    uint32_t          defined = 0;
    for (int32_t v = 0; v < tree->n_variables; v++) {
        const int32_t type = tree->variables[v].is_first, i = type - TESS__STRUCT_TYPE;
        if (!type || defined >> i & 1) continue;
        put_definition(p, &tree->structs[i], v);
        defined |= 1u << i;
    }
}

static void put_head(tess__c_printer *p, const tess__device_code *code)
{
    const tess__tree *tree = p->tree;
    put_types(p, code);
    PUT("#define TESS__GPU_PARAMS %d\n#define TESS__GPU_STRUCTS %d\n#define FAULTS %d\n", (int)tree->n_params,
        (int)tree->struct_bytes, code->faults);
    PUT("#define MAX_TRIPS %lld\n", (long long)code->max_trips);
    put_list(p, "READS", TESS__PARAM_IN, TESS__PARAM_INOUT);
    put_list(p, "WRITES", TESS__PARAM_INOUT, TESS__PARAM_OUT);
    put_scatters(p);
    PUT("#include \"cuda/op/op.cu.h\"\n");
    if (has_any(tree, TESS__PARAM_ACC)) PUT("#include \"tessera/op_lane.h\"\n");
    if (has_any(tree, TESS__PARAM_VIEW)) PUT("#include \"tessera/math/interp.op.h\"\n");
    if (has_kind(tree, TESS__RANDOM)) PUT("#include \"tessera/math/random.op.h\"\n");
    if (code->entry) {
        PUT("#include \"tessera/op_view.h\"\n");
        put_definitions(p);
        tess__write_bytes(&p->w, code->source, strlen(code->source));
        PUT("\n");
    }
    put_structs(p);
}

void tess__print_device(tess__writer *w, const tess__device_code *code, bool body)
{
    const tess__tree *tree = code->tree;
    tess__c_printer printer = { .tree = tree, .name = "op", .dialect = &dialect, .w = *w }, *const p = &printer;
    p->used = tess__alloc((size_t)tree->n_variables + 1);
    if (!p->used) {
        w->failed = true;
        return;
    }
    put_head(p, code);
    for (int32_t i = 0; i < tree->n_functions; i++) put_function(p, i);
    if (body) put_body(p, code);
    if (has_any(tree, TESS__PARAM_ACC)) {
        put_start(p);
        put_combine(p, code);
        put_finish(p, code);
    }
    tess__free(p->used);
    *w = p->w;
}
