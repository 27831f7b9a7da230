/* Type checking of an operator: parameters, functions and blocks, from the untyped tree to the typed one. */
#include "core/dtype.h"
#include "core/device/memory.h"
#include "lang/check/check.h"

#include <string.h>

/* ---- Parameters ---- */

static void check_accumulator(tess__checker *c, const tess__param *param)
{
    const int32_t type = tess__bind(c, param->type);
    const int32_t m = param->monoid;
    if ((m == TESS__MONOID_ANY || m == TESS__MONOID_ALL) && type != TESS_BOOL)
        TESS__WRONG(c, param->name, "accumulator '%.*s' is '%s' and must be bool, not %s", TESS__SHOW(c, param->name),
                    tess__monoid_names[m], tess__type_name(type));
    if ((m == TESS__MONOID_MIN || m == TESS__MONOID_MAX) && tess__is_complex(type))
        TESS__WRONG(c, param->name, "complex numbers have no order; '%.*s' cannot be '%s'", TESS__SHOW(c, param->name),
                    tess__monoid_names[m]);
    if ((m == TESS__MONOID_SUM || m == TESS__MONOID_PROD) && type == TESS_BOOL)
        TESS__WRONG(c, param->name, "accumulator '%.*s' is '%s' of bool; use an integer type, or any or all",
                    TESS__SHOW(c, param->name), tess__monoid_names[m]);
    if (m == TESS__MONOID_NONE && !param->given)
        TESS__WRONG(c, param->name,
                    "accumulator '%.*s' has no monoid and needs an initial value: = ..; or write acc sum ..",
                    TESS__SHOW(c, param->name));
    if (m == TESS__MONOID_NONE && !c->untyped->join && !c->untyped->joined)
        TESS__WRONG(c, param->name,
                    "accumulator '%.*s' has no monoid and needs a join { .. } block; or write acc sum ..",
                    TESS__SHOW(c, param->name));
}

/* The name of a val as what lies outside a view. */
static bool check_fill(tess__checker *c, const tess__param *untyped, tess__param *param)
{
    const char       *text = c->untyped->text;
    const tess__node *node = &c->untyped->nodes[untyped->given];
    if (untyped->role != TESS__PARAM_VIEW || node->kind != TESS__IDENTIFIER) return false;
    for (int32_t k = 0; k < c->untyped->n_params; k++) {
        const tess__param *val = &c->untyped->params[k];
        if (val->role != TESS__PARAM_VAL || !tess__span_is(text, node->span, text + val->name.at, val->name.length))
            continue;
        if (tess__bind(c, val->type) != param->type)
            TESS__WRONG(c, node->span,
                        "'%.*s' is %s and the view '%.*s' is %s; the value outside a view must have its type",
                        TESS__SHOW(c, node->span), tess__type_name(tess__bind(c, val->type)),
                        TESS__SHOW(c, untyped->name), tess__type_name(param->type));
        param->fill = k + 1;
        param->given = 1;
        return true;
    }
    return false;
}

/* The value behind "=". */
static void check_initial(tess__checker *c, const tess__param *untyped, tess__param *param)
{
    if (untyped->role == TESS__PARAM_VIEW && untyped->border == TESS_BORDER_VALUE && !untyped->given)
        TESS__WRONG(c, untyped->name,
                    "view '%.*s' has the border 'value' and needs that value: = 0, or the name of a val",
                    TESS__SHOW(c, untyped->name));
    if (!untyped->given || check_fill(c, untyped, param)) return;
    c->part = TESS__WITHIN_CONSTANT;
    tess__typed v = tess__check_expression(c, untyped->given);
    if (v.node && c->b.nodes[v.node].kind != TESS__NUMBER)
        TESS__WRONG(c, c->b.nodes[v.node].span, "the value of '%.*s' must be a constant", TESS__SHOW(c, untyped->name));
    v = tess__assigned(c, v, param->type, "value of", untyped->name);
    param->given = 1;
    param->value = c->b.nodes[v.node].value;
}

/* Views and scatters have no value; all other parameters are variables. */
static void declare_param(tess__checker *c, int32_t k)
{
    const tess__param *param = &c->untyped->params[k];
    const bool         array = param->role == TESS__PARAM_VIEW || param->role == TESS__PARAM_SCATTER;
    tess__named       *entry = tess__scope_find(c, param->name, true);
    if (!entry) return;
    if (entry->variable >= 0 || entry->param >= 0) {
        TESS__WRONG(c, param->name, "two parameters are called '%.*s'", TESS__SHOW(c, param->name));
        return;
    }
    if (array) {
        entry->param = k;
        return;
    }
    entry->assigned = false;
    const int32_t         type = tess__bind(c, param->type);
    const tess__knowledge is = { param->role == TESS__PARAM_VAL, 0 };
    const int32_t         first = tess__is_struct(type) ? tess__declare_struct(c, param->name, type, is)
                                                        : tess__declare(c, param->name, type, is);
    if (first < 0) return;
    for (int32_t v = first; v < c->b.n_variables; v++) {
        c->b.variables[v].param = k;
        c->b.variables[v].constant = param->role == TESS__PARAM_IN || param->role == TESS__PARAM_VAL;
    }
    c->variables[k] = first;
}

static void check_roles(tess__checker *c)
{
    int outputs = 0;
    for (int32_t k = 0; k < c->untyped->n_params; k++) {
        const tess__param *param = &c->untyped->params[k];
        const int32_t      role = param->role;
        outputs += role == TESS__PARAM_OUT || role == TESS__PARAM_INOUT || role == TESS__PARAM_SCATTER;
        if (c->reduces && (role == TESS__PARAM_INOUT || role == TESS__PARAM_SCATTER))
            TESS__WRONG(c, param->name, "a reduction cannot have '%s'; its results are 'out'", tess__role_names[role]);
        if (role == TESS__PARAM_SCATTER && tess__bind(c, param->type) == TESS_BOOL)
            TESS__WRONG(c, param->name, "a scatter accumulates sums and cannot be bool");
        if (role == TESS__PARAM_ACC) check_accumulator(c, param);
    }
    if (outputs == 0)
        TESS__WRONG(c, c->untyped->name, "operator '%.*s' has no output; it needs out, inout or scatter",
                    TESS__SHOW(c, c->untyped->name));
}

/* Without post, accumulators are copied to the outputs in order, as they are. */
static void check_copies(tess__checker *c)
{
    int32_t at = 0;
    for (int32_t k = 0; k < c->untyped->n_params; k++) {
        const tess__param *out = &c->untyped->params[k];
        if (out->role != TESS__PARAM_OUT) continue;
        while (at < c->untyped->n_params && c->untyped->params[at].role != TESS__PARAM_ACC) at++;
        if (at == c->untyped->n_params) {
            TESS__WRONG(c, out->name, "output '%.*s' has no accumulator to copy from; assign it in post { .. }",
                        TESS__SHOW(c, out->name));
            return;
        }
        const tess__param *acc = &c->untyped->params[at++];
        const int32_t      from = tess__bind(c, acc->type), to = tess__bind(c, out->type);
        if (from != to)
            TESS__WRONG(c, out->name, "accumulator '%.*s' is %s and output '%.*s' is %s; convert it in post { .. }",
                        TESS__SHOW(c, acc->name), tess__type_name(from), TESS__SHOW(c, out->name), tess__type_name(to));
    }
    for (; at < c->untyped->n_params; at++)
        if (c->untyped->params[at].role == TESS__PARAM_ACC)
            TESS__WRONG(c, c->untyped->params[at].name,
                        "accumulator '%.*s' has no output; add one, or a post { .. } block",
                        TESS__SHOW(c, c->untyped->params[at].name));
}

/* ---- Functions ---- */

static void check_function(tess__checker *c, int32_t index)
{
    const tess__function *untyped = &c->untyped->functions[index];
    bool                  prefixed;
    tess__named          *entry = tess__scope_find(c, untyped->name, true);
    if (!entry) return;
    if (entry->function >= 0 || tess__builtin_named(c->untyped->text, untyped->name, &prefixed)) {
        TESS__WRONG(c, untyped->name, "function '%.*s' already exists%s", TESS__SHOW(c, untyped->name),
                    entry->function >= 0 ? "" : " in the language");
        return;
    }
    const int32_t first = c->b.n_variables;
    c->part = TESS__WITHIN_FUNCTION, c->function = index;
    c->now = (tess__profile){ .trips = 1 };
    for (int32_t i = 0; i < untyped->count; i++) {
        const tess__variable *param = &c->untyped->variables[untyped->first + i];
        const int32_t         type = tess__bind(c, param->type);
        const tess__knowledge is = { true, 1u << i };
        if (tess__is_struct(type)) (void)tess__declare_struct(c, param->name, type, is);
        else (void)tess__declare(c, param->name, type, is);
    }
    const int32_t count = c->b.n_variables - first; /* a struct is several */
    const int32_t body = tess__check_block(c, untyped->body);
    const int32_t f = tess__build_function(&c->b, untyped->name); /* after those of the language that it calls */
    if (f < 0) return;
    c->b.functions[f].type = tess__bind(c, untyped->type);
    c->b.functions[f].first = first, c->b.functions[f].count = count;
    c->b.functions[f].body = c->b.nodes[body].first;
    c->profiles[index] = c->now;
    c->profiles[index].typed = f;
    for (int32_t i = 0; i < untyped->count; i++) {
        tess__named *param = tess__scope_find(c, c->untyped->variables[untyped->first + i].name, false);
        if (param) param->variable = -1;
    }
    entry = tess__scope_find(c, untyped->name, true);
    if (entry) entry->function = index;
}

/* ---- Parts ---- */

static bool seen(int32_t role, int32_t monoid, bool reduces, int32_t part)
{
    switch (role) {
    case TESS__PARAM_VAL: return true;
    case TESS__PARAM_ACC: return part != TESS__WITHIN_JOIN || monoid == TESS__MONOID_NONE;
    case TESS__PARAM_OUT: return part == (reduces ? TESS__WITHIN_POST : TESS__WITHIN_BODY);
    default: return part == TESS__WITHIN_BODY;
    }
}

/* Which parameters are in scope in a part. */
static void open_part(tess__checker *c, int32_t part)
{
    tess__scope_clear(c);
    for (int32_t k = 0; k < c->untyped->n_params; k++) {
        const tess__param *param = &c->untyped->params[k];
        tess__named       *entry = tess__scope_find(c, param->name, true);
        const bool         array = param->role == TESS__PARAM_VIEW || param->role == TESS__PARAM_SCATTER;
        if (!entry || !seen(param->role, param->monoid, c->reduces, part)) continue;
        if (array) entry->param = k;
        else entry->variable = c->variables[k];
    }
    c->part = part;
    c->function = -1;
    c->assigned = 0;
    c->around = 1;
}

/* "s_other" is not declared in the text: its variable is created where join uses it. */
static void declare_others(tess__checker *c)
{
    const char *text = c->untyped->text;
    for (int32_t i = 1; i < c->untyped->n_nodes; i++) {
        const tess__node *node = &c->untyped->nodes[i];
        if (node->kind != TESS__IDENTIFIER && node->kind != TESS__ASSIGN) continue;
        for (int32_t k = 0; k < c->untyped->n_params; k++) {
            const tess__param *param = &c->untyped->params[k];
            const int32_t      n = param->name.length;
            if (param->role != TESS__PARAM_ACC || param->monoid || c->others[k] >= 0) continue;
            if (node->span.length != n + 6 || memcmp(text + node->span.at, text + param->name.at, (size_t)n) != 0 ||
                memcmp(text + node->span.at + n, "_other", 6) != 0)
                continue;
            const int32_t v = tess__declare(c, node->span, tess__bind(c, param->type), (tess__knowledge){ false, 0 });
            if (v < 0) return;
            c->b.variables[v].param = k, c->b.variables[v].other = true;
            c->others[k] = v;
        }
    }
}

static bool is_ever_assigned(const tess__checker *c, tess__bytes name)
{
    const char *text = c->untyped->text;
    for (int32_t i = 1; i < c->untyped->n_nodes; i++)
        if (c->untyped->nodes[i].kind == TESS__ASSIGN &&
            tess__span_is(text, c->untyped->nodes[i].span, text + name.at, name.length))
            return true;
    return false;
}

static void check_outputs(tess__checker *c)
{
    const char *where = c->part == TESS__WITHIN_POST ? " of post" : "";
    for (int32_t k = 0; k < c->untyped->n_params && c->b.source->status == TESS_OK; k++) {
        const tess__param *param = &c->untyped->params[k];
        if (param->role != TESS__PARAM_OUT || c->assigned >> k & 1) continue;
        if (is_ever_assigned(c, param->name))
            TESS__WRONG(c, param->name, "output '%.*s' is not assigned on every path%s; give it a value first",
                        TESS__SHOW(c, param->name), where);
        else TESS__WRONG(c, param->name, "output '%.*s' is never assigned", TESS__SHOW(c, param->name));
    }
}

static int32_t check_part(tess__checker *c, int32_t untyped, int32_t part)
{
    if (!untyped || c->b.source->status != TESS_OK) return 0;
    open_part(c, part);
    if (part == TESS__WITHIN_JOIN) declare_others(c);
    const int32_t block = tess__check_block(c, untyped);
    if (part == (c->reduces ? TESS__WITHIN_POST : TESS__WITHIN_BODY)) check_outputs(c);
    return block;
}

static void check_parts(tess__checker *c)
{
    const tess__tree *untyped = c->untyped;
    bool              has_state = false; /* an accumulator without a monoid */
    for (int32_t k = 0; k < untyped->n_params; k++)
        has_state |= untyped->params[k].role == TESS__PARAM_ACC && untyped->params[k].monoid == TESS__MONOID_NONE;
    if (untyped->post && !c->reduces)
        TESS__WRONG(c, untyped->nodes[untyped->post].span, "post is for reductions, and there is no acc");
    if (untyped->join && !has_state)
        TESS__WRONG(c, untyped->nodes[untyped->join].span,
                    "join is for accumulators without a monoid, and there are none");
    if (c->reduces && !untyped->post && !untyped->posted) check_copies(c);
    c->now = (tess__profile){ .trips = 1 };
    const int32_t body = check_part(c, untyped->body, TESS__WITHIN_BODY);
    c->b.head.cost = (float)c->now.cost;
    c->b.head.body = body;
    c->b.head.join = check_part(c, untyped->join, TESS__WITHIN_JOIN);
    c->b.head.post = check_part(c, untyped->post, TESS__WITHIN_POST);
    c->b.head.uses = c->now.uses;
    c->b.head.indexed = (c->now.uses & (TESS__USES_INDEX | TESS__USES_SIZE)) != 0;
    for (int32_t k = 0; k < untyped->n_params; k++)
        c->b.head.indexed |=
            untyped->params[k].role == TESS__PARAM_VIEW || untyped->params[k].role == TESS__PARAM_SCATTER;
}

/* ---- The operator ---- */

static void start(tess__checker *c, tess__source *source, const tess__tree *untyped, const tess_dtype *letters,
                  const tess_op_parse_opts *limits)
{
    tess__build_start(&c->b, source);
    c->untyped = untyped, c->letters = letters, c->limits = limits;
    tess__scope_start(&c->scope);
    c->knowledge = c->few_knowledge;
    c->knowledge_capacity = sizeof c->few_knowledge / sizeof *c->few_knowledge;
    c->profiles = c->few_profiles;
    c->part = TESS__WITHIN_BODY, c->function = -1, c->reduces = false, c->assigned = 0, c->around = 1, c->depth = 0;
    c->now = (tess__profile){ .trips = 1 };
    for (int i = 0; i < 4; i++) c->isclose[i / 2][i % 2] = -1;
    for (int32_t k = 0; k < TESS__MAX_PARAMS; k++) c->variables[k] = c->others[k] = -1;
    const size_t profiles = (size_t)untyped->n_functions * sizeof *c->profiles;
    if (profiles <= sizeof c->few_profiles) return;
    c->profiles = tess__alloc(profiles);
    if (!c->profiles) tess__no_memory(source, profiles);
}

/* Names that are assigned somewhere: their variables count as varying. */
static void note_assigned(tess__checker *c)
{
    for (int32_t i = 1; i < c->untyped->n_nodes; i++) {
        if (c->untyped->nodes[i].kind != TESS__ASSIGN) continue;
        tess__named *entry = tess__scope_find(c, c->untyped->nodes[i].span, true);
        if (!entry) return;
        entry->assigned = true;
    }
}

static void check_all(tess__checker *c)
{
    const tess__tree *untyped = c->untyped;
    c->b.head.name = untyped->name;
    c->b.head.n_params = untyped->n_params;
    c->b.head.n_structs = untyped->n_structs;
    c->b.head.struct_bytes = untyped->struct_bytes;
    memcpy(c->b.head.structs, untyped->structs, sizeof c->b.head.structs);
    for (int32_t k = 0; k < untyped->n_params; k++) {
        c->b.head.params[k] = untyped->params[k];
        c->b.head.params[k].type = tess__bind(c, untyped->params[k].type);
        c->reduces |= untyped->params[k].role == TESS__PARAM_ACC;
    }
    note_assigned(c);
    for (int32_t k = 0; k < untyped->n_params; k++) check_initial(c, &untyped->params[k], &c->b.head.params[k]);
    for (int32_t i = 0; i < untyped->n_functions && c->b.source->status == TESS_OK; i++) check_function(c, i);
    c->part = TESS__WITHIN_BODY;
    for (int32_t k = 0; k < untyped->n_params; k++) declare_param(c, k);
    check_roles(c);
    if (c->b.source->status == TESS_OK) check_parts(c);
}

tess_status tess__tree_check(tess__tree **out, const tess__tree *untyped, const tess_dtype letters[TESS__LETTERS],
                             const tess_op_parse_opts *limits)
{
    for (int i = 0; untyped->letters && i < TESS__LETTERS; i++)
        TESS_CHECK(!letters || letters[i] == 0 || (letters[i] > 0 && letters[i] < TESS_SCALAR_DTYPE_COUNT), TESS_EDTYPE,
                   "%s: %s is bound to %s; a real or complex type is needed", untyped->label, tess__type_name(-1 - i),
                   tess_dtype_name(letters[i]));
    static const tess_dtype all_f32[TESS__LETTERS] = { TESS_F32, TESS_F32, TESS_F32 };
    tess__source            source = tess__source_of(untyped);
    tess__checker           c;
    start(&c, &source, untyped, letters ? letters : all_f32, limits ? limits : &tess__parse_defaults);
    if (source.status == TESS_OK) check_all(&c);
    tess__scope_free(&c.scope);
    if (c.knowledge != c.few_knowledge) tess__free(c.knowledge);
    if (c.profiles != c.few_profiles) tess__free(c.profiles);
    return tess__build_finish(out, &c.b);
}
