/* Type checking of statements: assignments, accumulations, scatters, conditions, loops. */
#include "backend.h"
#include "lang/check/check.h"
#include "lang/front/lex.h"

enum { GUESSED_TRIPS = 8 };

static const tess__param *param_of(const tess__checker *c, int32_t variable)
{
    const int32_t k = c->b.variables[variable].param;
    return k < 0 ? NULL : &c->untyped->params[k];
}

static int32_t statement(tess__checker *c, int32_t kind, tess__bytes span, int32_t op, int32_t first)
{
    const int32_t node = tess__build_node(&c->b, kind, span);
    c->b.nodes[node].op = op, c->b.nodes[node].first = first;
    return node;
}

/* "+=" without its "=". */
static int32_t mark_of(int32_t mark) { return mark & 0xff; }

/* ---- Accumulators with a monoid ---- */

/* The text between the accumulator and the value, for messages. */
static const struct {
    const char *start, *end;
} how[] = { { "", "" },       { " += ..", "" }, { " *= ..", "" }, { " = min(", ", ..)" }, { " = max(", ", ..)" },
            { " |= ..", "" }, { " &= ..", "" } };

/* Is it the accumulator itself? */
static bool is_name(const tess__checker *c, int32_t untyped, tess__bytes name)
{
    const tess__node *node = &c->untyped->nodes[untyped];
    return node->kind == TESS__IDENTIFIER &&
           tess__span_is(c->untyped->text, node->span, c->untyped->text + name.at, name.length);
}

/* Does a function of this name, or an operator, combine as the monoid does? */
static bool combines(const tess__checker *c, const tess__node *value, int32_t monoid)
{
    bool prefixed;
    if (value->kind == TESS__CALL) {
        const tess__builtin *f = tess__builtin_named(c->untyped->text, value->span, &prefixed);
        if (!f || f->kind != TESS__FN_OPERATOR) return false;
        return (monoid == TESS__MONOID_MIN && f->op == TESS__OP_fmin) ||
               (monoid == TESS__MONOID_MAX && f->op == TESS__OP_fmax);
    }
    if (value->kind != TESS__BINARY) return false;
    switch (monoid) {
    case TESS__MONOID_SUM: return value->op == '+';
    case TESS__MONOID_PROD: return value->op == '*';
    case TESS__MONOID_ANY: return value->op == '|' || value->op == TESS__MARK2('|', '|');
    case TESS__MONOID_ALL: return value->op == '&' || value->op == TESS__MARK2('&', '&');
    default: return false;
    }
}

/* The value x of "s = s + x" or "s = max(x, s)"; 0 if it is not of that form. */
static int32_t other_operand(const tess__checker *c, const tess__node *untyped, int32_t monoid)
{
    const tess__node *nodes = c->untyped->nodes, *value = &nodes[untyped->first];
    if (!combines(c, value, monoid)) return 0;
    const int32_t first = value->first, second = first ? nodes[first].next : 0;
    if (!second || nodes[second].next) return 0;
    return is_name(c, first, untyped->span) ? second : is_name(c, second, untyped->span) ? first : 0;
}

static int32_t check_accumulation(tess__checker *c, const tess__node *untyped, int32_t variable)
{
    static const int32_t marks[] = { 0, '+', '*', 0, 0, '|', '&' };
    const tess__param   *param = param_of(c, variable);
    const int32_t        mark = untyped->op == '=' ? 0 : mark_of(untyped->op);
    const int32_t        value = untyped->op == '='             ? other_operand(c, untyped, param->monoid)
                                 : mark == marks[param->monoid] ? untyped->first
                                                                : 0;
    if (value == 0) {
        const char       *end = how[param->monoid].end;
        const tess__bytes again = { untyped->span.at, *end ? untyped->span.length : 0 };
        TESS__WRONG(c, untyped->span, "accumulator '%.*s' is '%s': change it only by %.*s%s%.*s%s",
                    TESS__SHOW(c, untyped->span), tess__monoid_names[param->monoid], TESS__SHOW(c, untyped->span),
                    how[param->monoid].start, TESS__SHOW(c, again), end);
        return 0;
    }
    tess__typed v = tess__check_expression(c, value);
    v = tess__assigned(c, v, c->b.variables[variable].type, "accumulator", untyped->span);
    c->now.cost += 0.2;
    return statement(c, TESS__ACCUMULATE, untyped->span, c->b.variables[variable].param, v.node);
}

/* ---- Assignments ---- */

static bool check_target(tess__checker *c, tess__bytes name, int32_t variable)
{
    const tess__variable *v = &c->b.variables[variable];
    const tess__param    *param = param_of(c, variable);
    if (v->other)
        TESS__WRONG(c, name, "'%.*s' is read-only; join combines it into the accumulator itself", TESS__SHOW(c, name));
    else if (param && (param->role == TESS__PARAM_IN || param->role == TESS__PARAM_VAL))
        TESS__WRONG(c, name, "'%.*s' is '%s' and cannot be assigned%s", TESS__SHOW(c, name),
                    tess__role_names[param->role],
                    param->role == TESS__PARAM_IN ? "; declare it inout, or use a variable" : "; use a variable");
    else if (param && param->role == TESS__PARAM_ACC && c->part == TESS__WITHIN_POST)
        TESS__WRONG(c, name, "accumulator '%.*s' cannot be assigned in post; use a variable", TESS__SHOW(c, name));
    else if (v->is_first) TESS__WRONG(c, name, "'%.*s' is a struct, which is read-only", TESS__SHOW(c, name));
    else if (v->constant)
        TESS__WRONG(c, name, "'%.*s' is the counter of a for loop and cannot be assigned", TESS__SHOW(c, name));
    else return true;
    return false;
}

static void unknown_target(tess__checker *c, tess__bytes name, const tess__named *entry)
{
    static const char *const axes[] = { "b", "d", "h", "w", NULL };
    if (entry && entry->param >= 0 && c->untyped->params[entry->param].role == TESS__PARAM_VIEW)
        TESS__WRONG(c, name, "'%.*s' is a view, which is read-only", TESS__SHOW(c, name));
    else if (entry && entry->param >= 0)
        TESS__WRONG(c, name, "'%.*s' is a scatter; add to an element of it: %.*s[b,d,h,w] += ..", TESS__SHOW(c, name),
                    TESS__SHOW(c, name));
    else if (c->part == TESS__WITHIN_BODY && tess__keyword_index(c->untyped->text, name, axes) >= 0)
        TESS__WRONG(c, name, "index '%.*s' cannot be assigned", TESS__SHOW(c, name));
    else tess__unknown_name(c, name);
}

static int32_t check_assignment(tess__checker *c, const tess__node *untyped)
{
    const tess__named *entry = tess__scope_find(c, untyped->span, false);
    if (!entry || entry->variable < 0) {
        unknown_target(c, untyped->span, entry);
        return 0;
    }
    const int32_t      variable = entry->variable;
    const tess__param *param = param_of(c, variable);
    if (!check_target(c, untyped->span, variable)) return 0;
    if (param && param->role == TESS__PARAM_ACC && param->monoid && c->part == TESS__WITHIN_BODY)
        return check_accumulation(c, untyped, variable);
    tess__typed v = { .node = 0 };
    if (untyped->op != '=') {
        /* A compound assignment reads the variable first. */
        const bool unread =
            param && param->role == TESS__PARAM_OUT && !(c->assigned >> c->b.variables[variable].param & 1);
        if (unread)
            TESS__WRONG(c, untyped->span,
                        "output '%.*s' is read before it is assigned; declare it inout to read it first",
                        TESS__SHOW(c, untyped->span));
        const int32_t name = tess__build_node(&c->b, TESS__NAME, untyped->span);
        c->b.nodes[name].op = variable, c->b.nodes[name].type = c->b.variables[variable].type;
        const tess__typed right = tess__check_expression(c, untyped->first);
        v = tess__check_binary(c, mark_of(untyped->op), untyped->span, (tess__typed){ .node = name }, right);
    } else {
        v = tess__check_expression(c, untyped->first);
    }
    if (c->b.source->status != TESS_OK) return 0;
    v = tess__assigned(c, v, c->b.variables[variable].type, param ? tess__role_names[param->role] : "variable",
                       untyped->span);
    if (param) c->assigned |= 1u << c->b.variables[variable].param;
    return statement(c, TESS__ASSIGN, untyped->span, variable, v.node);
}

static int32_t check_declaration(tess__checker *c, const tess__node *untyped)
{
    const tess__typed v = tess__check_expression(c, untyped->first);
    const int32_t     type = tess__bind(c, untyped->type);
    if (c->b.source->status != TESS_OK) return 0;
    const tess__typed as = tess__assigned(c, v, type, "variable", untyped->span);
    const int32_t     variable = tess__declare(c, untyped->span, type, v.is);
    return variable < 0 ? 0 : statement(c, TESS__ASSIGN, untyped->span, variable, as.node);
}

static int32_t check_scatter(tess__checker *c, int32_t untyped)
{
    const tess__node *node = &c->untyped->nodes[untyped];
    const int32_t     param = tess__check_view(c, node->span, true);
    if (param < 0) return 0;
    if (c->untyped->params[param].role == TESS__PARAM_VIEW)
        TESS__WRONG(c, node->span, "'%.*s' is a view, which is read-only; declare it 'scatter %s %.*s' to add to it",
                    TESS__SHOW(c, node->span), tess__type_name(c->untyped->params[param].type),
                    TESS__SHOW(c, node->span));
    if (node->op != TESS__MARK2('+', '='))
        TESS__WRONG(c, node->span, "a scatter can only be added to: %.*s[..] += ..", TESS__SHOW(c, node->span));
    tess__list    list = { 0, 0 };
    const int32_t out = tess__check_indices(c, untyped, TESS__SCATTER, param, &list);
    int32_t       k = node->first;
    for (int i = 0; i < 4; i++) k = c->untyped->nodes[k].next;
    const int32_t type = tess__bind(c, c->untyped->params[param].type);
    tess__append(&c->b, &list, tess__assigned(c, tess__check_expression(c, k), type, "scatter", node->span).node);
    c->now.cost += 2;
    return out;
}

/* ---- Conditions and loops ---- */

static int32_t check_if(tess__checker *c, const tess__node *untyped)
{
    const tess__node *nodes = c->untyped->nodes;
    const int32_t     yes = nodes[untyped->first].next, no = nodes[yes].next;
    tess__list        list = { 0, 0 };
    tess__append(&c->b, &list, tess__truth(c, tess__check_expression(c, untyped->first)).node);
    const uint32_t before = c->assigned;
    tess__append(&c->b, &list, tess__check_block(c, yes));
    const uint32_t after = c->assigned;
    c->assigned = before;
    if (no) tess__append(&c->b, &list, tess__check_block(c, no));
    c->assigned &= after;
    return statement(c, TESS__IF, untyped->span, 0, list.first);
}

static tess__typed check_bound(tess__checker *c, int32_t untyped)
{
    const tess__typed v = tess__check_expression(c, untyped);
    const tess__node *node = &c->b.nodes[v.node];
    if (v.node && !tess__is_integer(node->type))
        TESS__WRONG(c, node->span, "bound has type %s; the bounds of a for loop must be integers",
                    tess__type_name(node->type));
    else if (v.node && !v.is.uniform)
        TESS__WRONG(
            c, node->span,
            "bound differs between elements of a row; use only constants, val, b, d, h, size(), shape(), counters");
    else if (v.node && node->kind == TESS__NUMBER && !tess__constant_fits(node->value, node->type, TESS_I32))
        TESS__WRONG(c, node->span, "bound must lie in %d to %d; the counter of a for loop is i32", INT32_MIN,
                    INT32_MAX);
    c->now.bounds |= v.is.needs;
    return tess__converted(c, v, TESS_I64);
}

/* The trip count of a loop with constant bounds; else -1. */
static int64_t count_trips(const tess__checker *c, const tess__node *untyped, int32_t from, int32_t to)
{
    const tess__node *first = &c->b.nodes[from], *last = &c->b.nodes[to];
    if (first->kind != TESS__NUMBER || last->kind != TESS__NUMBER) return -1;
    int64_t distance;
    if (__builtin_sub_overflow(last->value.i, first->value.i, &distance)) return INT64_MAX;
    if (untyped->computed == 0) distance--;
    return distance < 0 ? 0 : distance / untyped->value.i + 1;
}

static void check_trips(tess__checker *c, const tess__node *untyped, int64_t trips)
{
    int64_t all;
    if (__builtin_mul_overflow(c->around, trips < 0 ? 1 : trips, &all)) all = INT64_MAX;
    if (all > c->limits->max_trips)
        TESS__WRONG(c, untyped->span, "nested loops run %lld times; at most %lld are allowed", (long long)all,
                    (long long)c->limits->max_trips);
    c->around = all;
    if (all > c->now.trips) c->now.trips = all;
}

static int32_t check_for(tess__checker *c, const tess__node *untyped)
{
    const tess__node     *nodes = c->untyped->nodes;
    const int32_t         to = nodes[untyped->first].next, body = nodes[to].next;
    const tess__typed     first = check_bound(c, untyped->first), last = check_bound(c, to);
    const int64_t         trips = count_trips(c, untyped, first.node, last.node), around = c->around;
    const tess__knowledge is = { first.is.uniform && last.is.uniform, first.is.needs | last.is.needs };
    const int32_t         variable = tess__declare(c, untyped->span, TESS_I32, is);
    if (variable < 0) return 0;
    c->b.variables[variable].constant = true;
    c->knowledge[variable].uniform = is.uniform;
    check_trips(c, untyped, trips);
    const double   cost = c->now.cost;
    const uint32_t assigned = c->assigned;
    tess__list     list = { 0, 0 };
    tess__append(&c->b, &list, first.node);
    tess__append(&c->b, &list, last.node);
    tess__append(&c->b, &list, tess__check_block(c, body));
    c->assigned = assigned;
    c->around = around;
    c->now.cost = cost + (c->now.cost - cost + 0.5) * (double)(trips < 0 ? GUESSED_TRIPS : trips);
    tess__scope_find(c, untyped->span, true)->variable = -1;
    const int32_t node = statement(c, TESS__FOR, untyped->span, variable, list.first);
    c->b.nodes[node].value.i = untyped->value.i, c->b.nodes[node].computed = untyped->computed;
    return node;
}

static int32_t check_return(tess__checker *c, const tess__node *untyped)
{
    const tess__function *f = &c->untyped->functions[c->function];
    tess__typed           v = tess__check_expression(c, untyped->first);
    c->now.result = v.is;
    v = tess__assigned(c, v, tess__bind(c, f->type), "the result of", f->name);
    return statement(c, TESS__RETURN, untyped->span, 0, v.node);
}

static int32_t check_statement(tess__checker *c, int32_t untyped)
{
    const tess__node *node = &c->untyped->nodes[untyped];
    c->now.size++;
    switch (node->kind) {
    case TESS__DECLARE: return check_declaration(c, node);
    case TESS__ASSIGN: return check_assignment(c, node);
    case TESS__SCATTER: return check_scatter(c, untyped);
    case TESS__IF: return check_if(c, node);
    case TESS__FOR: return check_for(c, node);
    case TESS__RETURN: return check_return(c, node);
    default: c->assigned = ~0u; return statement(c, TESS__CONTINUE, node->span, 0, 0);
    }
}

int32_t tess__check_block(tess__checker *c, int32_t untyped)
{
    const int32_t first_variable = c->b.n_variables;
    tess__list    list = { 0, 0 };
    for (int32_t k = c->untyped->nodes[untyped].first; k && c->b.source->status == TESS_OK;
         k = c->untyped->nodes[k].next) {
        if (list.last && c->b.nodes[list.last].kind == TESS__CONTINUE)
            TESS__WRONG(c, c->untyped->nodes[k].span, "this is never reached after 'continue'");
        if (c->untyped->nodes[k].kind == TESS__ADD_LINEAR) tess__check_add_linear(c, k, &list);
        else tess__append(&c->b, &list, check_statement(c, k));
    }
    /* The scope of the block ends. */
    for (int32_t v = first_variable; v < c->b.n_variables && c->b.source->status == TESS_OK; v++) {
        tess__named *entry = tess__scope_find(c, c->b.variables[v].name, false);
        if (entry && entry->variable == v) entry->variable = -1;
    }
    return statement(c, TESS__BLOCK, c->untyped->nodes[untyped].span, 0, list.first);
}
