/* Recursive-descent parser: expressions, by precedence climbing. */
#include "lang/front/parser.h"
#include "tessera/constants.h"

/* A node, and the depth of the operators under it: trees are walked by recursion. */
typedef struct parsed {
    int32_t node, depth;
} parsed;

static parsed read_conditional(tess__parser *p);

static void add_child(tess__parser *p, parsed *parent, tess__list *list, parsed child)
{
    tess__append(&p->b, list, child.node);
    p->b.nodes[parent->node].first = list->first;
    if (parent->depth <= child.depth) parent->depth = child.depth + 1;
    if (parent->depth > p->limits->max_nesting * TESS__DEPTH_PER_NESTING)
        tess__wrong(p, p->b.nodes[parent->node].span, "more than %lld nested operators, which is the limit",
                    (long long)p->limits->max_nesting * TESS__DEPTH_PER_NESTING);
}

static parsed leaf(tess__parser *p, int32_t kind, tess__bytes span) { return (parsed){ tess__add(p, kind, span), 0 }; }

/* ---- Primary expressions ---- */

static parsed read_number(tess__parser *p)
{
    const tess__token t = p->token;
    const parsed      m = leaf(p, TESS__NUMBER, t.span);
    tess__node       *node = &p->b.nodes[m.node];
    node->type = t.type, node->computed = t.weak, node->value = t.value;
    tess__advance(p);
    return m;
}

/* true, false, pi, inf, nan; false if it is none. */
static bool read_constant(tess__parser *p, parsed *m)
{
    static const struct {
        const char *name;
        int32_t     type, weak;
        double      value;
    } constants[] = { { "true", TESS_BOOL, 0, 1 },
                      { "false", TESS_BOOL, 0, 0 },
                      { "pi", TESS_F64, TESS__WEAK_REAL, TESS_PI },
                      { "inf", TESS_F64, TESS__WEAK_REAL, __builtin_inf() },
                      { "nan", TESS_F64, TESS__WEAK_REAL, __builtin_nan("") } };
    static const char *const names[] = { "true", "false", "pi", "inf", "nan", NULL };
    const int32_t            i = tess__keyword_index(p->b.source->text, p->token.span, names);
    if (i < 0) return false;
    *m = leaf(p, TESS__NUMBER, p->token.span);
    tess__node *node = &p->b.nodes[m->node];
    node->type = constants[i].type, node->computed = constants[i].weak;
    if (node->type == TESS_BOOL) node->value.u = constants[i].value != 0;
    else node->value.f[0] = constants[i].value;
    tess__advance(p);
    return true;
}

/* Expressions up to a closing bracket, as children; how many. */
static int read_arguments(tess__parser *p, parsed *parent, tess__list *list, int32_t close)
{
    int n = 0;
    if (tess__accept(p, close)) return 0;
    do {
        add_child(p, parent, list, read_conditional(p));
        n++;
    } while (tess__accept(p, TESS__MARK1(',')));
    (void)tess__expect(p, close, "");
    return n;
}

static parsed read_element(tess__parser *p, tess__bytes name)
{
    const char       *text = p->b.source->text;
    const tess__bytes bracket = p->token.span;
    if (p->b.source->macro) {
        tess__wrong(p, bracket, "'%.*s[..]' means something else in C; in a macro write tess_at(%.*s, b, d, h, w)",
                    tess__shown(name), text + name.at, tess__shown(name), text + name.at);
        return (parsed){ 0, 0 };
    }
    tess__advance(p);
    parsed     m = leaf(p, TESS__ELEMENT, name);
    tess__list list = { 0, 0 };
    if (!tess__enter(p)) return m;
    const int n = read_arguments(p, &m, &list, TESS__MARK1(']'));
    p->nesting--;
    if (n != 4)
        tess__wrong(p, name, "'%.*s' has %d indices here; an element needs four: %.*s[b,d,h,w]", tess__shown(name),
                    text + name.at, n, tess__shown(name), text + name.at);
    return m;
}

/* at(v, …) is v[…]. */
static parsed element_of_call(tess__parser *p, parsed call, int n)
{
    tess__node       *node = &p->b.nodes[call.node];
    const tess__node *view = &p->b.nodes[node->first];
    const char       *text = p->b.source->text;
    if (n != 5)
        tess__wrong(p, node->span, "'%.*s' has %d arguments; it needs a view and four indices", tess__shown(node->span),
                    text + node->span.at, n);
    else if (view->kind != TESS__IDENTIFIER)
        tess__wrong(p, view->span, "the first argument of '%.*s' must be the name of a view", tess__shown(node->span),
                    text + node->span.at);
    node->kind = TESS__ELEMENT;
    node->span = view->span;
    node->first = view->next;
    return call;
}

static parsed read_call(tess__parser *p, tess__bytes name)
{
    parsed     m = leaf(p, TESS__CALL, name);
    tess__list list = { 0, 0 };
    tess__advance(p);
    if (!tess__enter(p)) return m;
    const int n = read_arguments(p, &m, &list, TESS__MARK1(')'));
    p->nesting--;
    if (p->b.source->status != TESS_OK) return m;
    const char *text = p->b.source->text;
    return TESS__IS(text, name, "at") || TESS__IS(text, name, "tess_at") ? element_of_call(p, m, n) : m;
}

/* The index of an element of an array in a struct is a number: p.m[2]. */
static int64_t read_member_index(tess__parser *p)
{
    const tess__token t = p->token;
    const bool        good = t.kind == TESS__TOKEN_NUMBER && t.type == TESS_I32 && t.value.i >= 0;
    if (!good) tess__wrong(p, tess__here(p), "an index into an array of a struct must be a number, as in p.m[2]");
    else tess__advance(p);
    (void)tess__expect(p, TESS__MARK1(']'), "");
    return good ? t.value.i : 0;
}

/* p.x and p.m[2], of a struct. */
static parsed read_member(tess__parser *p, tess__bytes name)
{
    const parsed of = leaf(p, TESS__IDENTIFIER, name);
    tess__list   list = { 0, 0 };
    tess__advance(p);
    const tess__bytes span = p->token.span;
    if (p->token.kind != TESS__TOKEN_NAME) {
        tess__wrong(p, tess__here(p), "expected the name of a member, found %s", tess__found(p).text);
        return of;
    }
    tess__advance(p);
    parsed m = leaf(p, TESS__MEMBER, span);
    add_child(p, &m, &list, of);
    p->b.nodes[m.node].value.i = tess__accept(p, TESS__MARK1('[')) ? read_member_index(p) : -1;
    return m;
}

static void reject_type(tess__parser *p, tess__bytes span, int32_t type)
{
    const char *name = tess__type_name(type);
    tess__wrong(p, span, "'%.*s' is a type; a conversion is written (%s)(..)", tess__shown(span),
                p->b.source->text + span.at, name);
}

static parsed read_name(tess__parser *p)
{
    const char       *text = p->b.source->text;
    const tess__bytes span = p->token.span;
    parsed            m = { 0, 0 };
    if (read_constant(p, &m)) return m;
    const int32_t type = tess__at_type(p);
    if (type) {
        reject_type(p, span, type);
        return m;
    }
    if (tess__is_foreign(text, span)) {
        tess__wrong(p, span, "'%.*s' is not part of the operator language", tess__shown(span), text + span.at);
        return m;
    }
    tess__advance(p);
    if (tess__is_mark(p, TESS__MARK1('('))) return read_call(p, span);
    if (tess__is_mark(p, TESS__MARK1('['))) return read_element(p, span);
    if (tess__is_mark(p, TESS__MARK1('.'))) return read_member(p, span);
    return leaf(p, TESS__IDENTIFIER, span);
}

static parsed read_unary(tess__parser *p);

/* A conversion or something in parentheses. */
static parsed read_parentheses(tess__parser *p)
{
    parsed m = { 0, 0 };
    tess__advance(p);
    const tess__bytes span = p->token.span;
    const int32_t     type = tess__at_type(p);
    if (!tess__enter(p)) return m;
    if (type) {
        tess__list list = { 0, 0 };
        tess__advance(p);
        if (tess__is_mark(p, TESS__MARK1('*')))
            tess__wrong(p, p->token.span, "there are no pointers in the operator language");
        (void)tess__expect(p, TESS__MARK1(')'), "; a conversion is written (f32)x");
        m = leaf(p, TESS__CONVERT, span);
        p->b.nodes[m.node].type = type;
        add_child(p, &m, &list, read_unary(p));
    } else {
        m = read_conditional(p);
        (void)tess__expect(p, TESS__MARK1(')'), "");
    }
    p->nesting--;
    return m;
}

static parsed read_primary(tess__parser *p)
{
    if (p->token.kind == TESS__TOKEN_NUMBER) return read_number(p);
    if (p->token.kind == TESS__TOKEN_NAME) return read_name(p);
    if (tess__is_mark(p, TESS__MARK1('('))) return read_parentheses(p);
    if (tess__is_mark(p, TESS__MARK2('+', '+')) || tess__is_mark(p, TESS__MARK2('-', '-')))
        tess__wrong(p, tess__here(p),
                    "%s is allowed only in the step of a for loop; write x += 1 as a separate statement",
                    tess__found(p).text);
    else tess__wrong(p, tess__here(p), "expected a value, found %s", tess__found(p).text);
    return (parsed){ 0, 0 };
}

/* ---- Operators ---- */

static parsed read_unary(tess__parser *p)
{
    const tess__token t = p->token;
    if (t.kind != TESS__TOKEN_MARK || (t.mark != '-' && t.mark != '+' && t.mark != '!' && t.mark != '~')) {
        if (t.kind == TESS__TOKEN_MARK && (t.mark == '*' || t.mark == '&'))
            tess__wrong(p, t.span, "expected a value, found '%c'; there are no pointers in the operator language",
                        t.mark);
        return read_primary(p);
    }
    parsed     m = leaf(p, TESS__UNARY, t.span);
    tess__list list = { 0, 0 };
    p->b.nodes[m.node].op = t.mark;
    tess__advance(p);
    if (!tess__enter(p)) return m;
    add_child(p, &m, &list, read_unary(p));
    p->nesting--;
    return m;
}

/* a**b, which is a power elsewhere. Names and numbers are shown as they stand; what is longer is not. */
static void reject_power(tess__parser *p, parsed left, tess__bytes star)
{
    const char       *text = p->b.source->text;
    const tess__node *node = &p->b.nodes[left.node];
    const bool        short_left = node->kind == TESS__IDENTIFIER || node->kind == TESS__NUMBER;
    const tess__bytes base = node->span;
    const tess__bytes both = { star.at, p->token.span.at + p->token.span.length - star.at };
    tess__advance(p);
    const bool        short_right = p->token.kind == TESS__TOKEN_NAME || p->token.kind == TESS__TOKEN_NUMBER;
    const tess__bytes power = p->token.span;
    const bool        shows = short_left && short_right;
    tess__wrong(p, both, "'**' is not part of the operator language; did you mean pow(%.*s, %.*s)?",
                shows ? tess__shown(base) : 1, shows ? text + base.at : "x", shows ? tess__shown(power) : 1,
                shows ? text + power.at : "y");
}

static int level_of(const tess__token *t) { return t->kind == TESS__TOKEN_MARK ? tess__precedence(t->mark) : 0; }

static parsed read_binary(tess__parser *p, int min_level)
{
    parsed left = read_unary(p);
    for (int level = level_of(&p->token); level >= min_level; level = level_of(&p->token)) {
        const tess__token t = p->token;
        tess__list        list = { 0, 0 };
        parsed            m = leaf(p, TESS__BINARY, t.span);
        p->b.nodes[m.node].op = t.mark;
        tess__advance(p);
        const bool next = p->token.span.at == t.span.at + 1;
        if (t.mark == '*' && next && tess__is_mark(p, TESS__MARK1('*'))) {
            reject_power(p, left, t.span);
            return left;
        }
        add_child(p, &m, &list, left);
        add_child(p, &m, &list, read_binary(p, level + 1));
        left = m;
    }
    return left;
}

static parsed read_conditional(tess__parser *p)
{
    parsed m = read_binary(p, 1);
    if (!tess__is_mark(p, TESS__MARK1('?'))) return m;
    tess__list list = { 0, 0 };
    parsed     choice = leaf(p, TESS__SELECT, p->token.span);
    tess__advance(p);
    if (!tess__enter(p)) return choice;
    add_child(p, &choice, &list, m);
    add_child(p, &choice, &list, read_conditional(p));
    (void)tess__expect(p, TESS__MARK1(':'), "; a choice is written condition ? a : b");
    add_child(p, &choice, &list, read_conditional(p));
    p->nesting--;
    return choice;
}

int32_t tess__read_expression(tess__parser *p)
{
    const int32_t nesting = p->nesting;
    const parsed  m = read_conditional(p);
    p->nesting = nesting;
    return m.node;
}
