/* Recursive-descent parser: statements and blocks. */
#include "lang/front/parser.h"

static int32_t read_statement(tess__parser *p);

int32_t tess__read_statements(tess__parser *p, int32_t until, tess__bytes span)
{
    const int32_t block = tess__add(p, TESS__BLOCK, span);
    tess__list    list = { 0, 0 };
    while (p->token.kind != TESS__TOKEN_END && !(until && tess__is_mark(p, until)))
        tess__append(&p->b, &list, read_statement(p));
    p->b.nodes[block].first = list.first;
    return block;
}

int32_t tess__read_block(tess__parser *p)
{
    const tess__bytes open = tess__here(p);
    if (p->b.source->macro && !tess__is_mark(p, TESS__MARK1('{'))) {
        const int32_t block = tess__add(p, TESS__BLOCK, open), statement = tess__enter(p) ? read_statement(p) : 0;
        p->nesting--;
        p->b.nodes[block].first = statement;
        return block;
    }
    if (!tess__expect(p, TESS__MARK1('{'), "; a body must be a block") || !tess__enter(p)) return 0;
    const int32_t block = tess__read_statements(p, TESS__MARK1('}'), open);
    p->nesting--;
    if (p->token.kind == TESS__TOKEN_END) tess__wrong(p, open, "'{' is not closed: '}' is missing");
    else tess__advance(p);
    return block;
}

/* ---- Declarations and assignments ---- */

/* A statement with one expression, which ends with a semicolon. */
static int32_t read_value(tess__parser *p, int32_t statement)
{
    const int32_t value = tess__read_expression(p);
    (void)tess__expect(p, TESS__MARK1(';'), "");
    p->b.nodes[statement].first = value;
    return statement;
}

static int32_t read_declaration(tess__parser *p)
{
    const int32_t     type = tess__read_type(p);
    const char       *text = p->b.source->text;
    const tess__bytes name = tess__new_name(p, "a variable");
    if (tess__is_mark(p, TESS__MARK1(';')) || tess__is_mark(p, TESS__MARK1(',')))
        tess__wrong(p, name, "'%.*s' needs an initial value: %s %.*s = ..;", tess__shown(name), text + name.at,
                    tess__type_name(type), tess__shown(name), text + name.at);
    if (tess__is_mark(p, TESS__MARK1('[')))
        tess__wrong(p, p->token.span, "there are no arrays in the operator language");
    if (!tess__expect(p, TESS__MARK1('='), "")) return 0;
    const int32_t node = tess__add(p, TESS__DECLARE, name);
    p->b.nodes[node].type = type;
    return read_value(p, node);
}

static bool is_assignment(const tess__parser *p)
{
    if (p->token.kind != TESS__TOKEN_MARK) return false;
    switch (p->token.mark) {
    case TESS__MARK1('='):
    case TESS__MARK2('+', '='):
    case TESS__MARK2('-', '='):
    case TESS__MARK2('*', '='):
    case TESS__MARK2('/', '='):
    case TESS__MARK2('&', '='):
    case TESS__MARK2('|', '='): return true;
    default: return false;
    }
}

static void reject_assignment(tess__parser *p, tess__bytes name)
{
    const char *text = p->b.source->text + name.at;
    const int   n = tess__shown(name);
    if (p->token.kind == TESS__TOKEN_MARK && p->token.mark >> 16)
        tess__wrong(p, p->token.span, "%s is not part of the operator language; write %.*s = %.*s %c%c ..",
                    tess__found(p).text, n, text, n, text, p->token.mark & 0xff, p->token.mark & 0xff);
    else if (p->token.kind == TESS__TOKEN_MARK && (p->token.mark >> 8 & 0xff) == '=' &&
             p->token.mark != TESS__MARK2('=', '='))
        tess__wrong(p, p->token.span, "%s is not part of the operator language; write %.*s = %.*s %c ..",
                    tess__found(p).text, n, text, n, text, p->token.mark & 0xff);
    else if (tess__is_mark(p, TESS__MARK2('+', '+')) || tess__is_mark(p, TESS__MARK2('-', '-')))
        tess__wrong(p, p->token.span, "%s is allowed only in the step of a for loop; write %.*s %c= 1",
                    tess__found(p).text, n, text, p->token.mark & 0xff);
    else if (tess__is_mark(p, TESS__MARK1('.')))
        tess__wrong(p, name, "a member of a struct cannot be assigned; declare a variable");
    else if (tess__is_mark(p, TESS__MARK1('(')))
        tess__wrong(p, name, "a call does nothing by itself; assign its value to something");
    else if (p->token.kind == TESS__TOKEN_NAME) { /* "float32 n" */
        const int32_t type = tess__c_type_named(p->b.source->text, name);
        tess__guess   guess = tess__guess_start(p->b.source->text, name);
        tess__guess_offer_types(&guess);
        if (tess__struct_named(p, name))
            tess__wrong(p, name, "'%.*s' is a struct; only val and the parameters of functions can be one", n, text);
        else if (type) tess__wrong(p, name, "unknown type '%.*s'; write %s", n, text, tess__type_name(type));
        else tess__wrong(p, name, "unknown type '%.*s'%s", n, text, tess__guess_hint(&guess).text);
    } else tess__wrong(p, tess__here(p), "expected an assignment to '%.*s', found %s", n, text, tess__found(p).text);
}

/* "at(v, b, d, h, w) += x" in a macro, "v[b,d,h,w] += x" in a text. */
static int32_t read_scatter(tess__parser *p, tess__bytes name)
{
    const char *text = p->b.source->text;
    const bool  call = tess__is_mark(p, TESS__MARK1('('));
    if (!call && p->b.source->macro) {
        tess__wrong(p, p->token.span,
                    "'%.*s[..]' means something else in C; in a macro write tess_at(%.*s, b, d, h, w)",
                    tess__shown(name), text + name.at, tess__shown(name), text + name.at);
        return 0;
    }
    const int32_t close = call ? TESS__MARK1(')') : TESS__MARK1(']');
    tess__list    list = { 0, 0 };
    tess__bytes   target = name;
    int           n = 0;
    tess__advance(p);
    if (call) {
        target = tess__new_name(p, "a scatter");
        (void)tess__expect(p, TESS__MARK1(','), "; an element is written tess_at(v, b, d, h, w)");
    }
    do {
        tess__append(&p->b, &list, tess__read_expression(p));
        n++;
    } while (tess__accept(p, TESS__MARK1(',')));
    (void)tess__expect(p, close, "");
    if (n != 4)
        tess__wrong(p, target, "'%.*s' has %d indices here; an element needs four", tess__shown(target),
                    text + target.at, n);
    const tess__token mark = p->token;
    if (!is_assignment(p)) {
        if (p->b.source->status == TESS_OK)
            tess__wrong(p, tess__here(p), "expected '+=', found %s", tess__found(p).text);
        return 0;
    }
    tess__advance(p);
    const int32_t node = tess__add(p, TESS__SCATTER, target);
    tess__append(&p->b, &list, tess__read_expression(p));
    (void)tess__expect(p, TESS__MARK1(';'), "");
    p->b.nodes[node].op = mark.mark;
    p->b.nodes[node].first = list.first;
    return node;
}

/* "add_linear(s, b, d, h, x, e);" */
static int32_t read_add_linear(tess__parser *p)
{
    const char *text = p->b.source->text;
    tess__list  list = { 0, 0 };
    int         n = 0;
    tess__advance(p);
    const tess__bytes target = tess__new_name(p, "a scatter");
    const int32_t     node = tess__add(p, TESS__ADD_LINEAR, target);
    for (; tess__accept(p, TESS__MARK1(',')); n++) tess__append(&p->b, &list, tess__read_expression(p));
    (void)tess__expect(p, TESS__MARK1(')'), "");
    if (n != 5)
        tess__wrong(p, target,
                    "add_linear has %d arguments after '%.*s'; it needs five: b, d, h, a position and a value", n,
                    tess__shown(target), text + target.at);
    (void)tess__expect(p, TESS__MARK1(';'), "; add_linear is a statement");
    p->b.nodes[node].first = list.first;
    return node;
}

static int32_t read_assignment(tess__parser *p)
{
    const tess__bytes name = p->token.span;
    const char       *text = p->b.source->text;
    tess__advance(p);
    if (tess__is_mark(p, TESS__MARK1('[')) ||
        (tess__is_mark(p, TESS__MARK1('(')) && (TESS__IS(text, name, "at") || TESS__IS(text, name, "tess_at"))))
        return read_scatter(p, name);
    if (tess__is_mark(p, TESS__MARK1('(')) &&
        (TESS__IS(text, name, "add_linear") || TESS__IS(text, name, "tessm_add_linear")))
        return read_add_linear(p);
    if (!is_assignment(p)) {
        reject_assignment(p, name);
        return 0;
    }
    const int32_t node = tess__add(p, TESS__ASSIGN, name);
    p->b.nodes[node].op = p->token.mark;
    tess__advance(p);
    return read_value(p, node);
}

/* ---- Control ---- */

static int32_t read_if(tess__parser *p)
{
    const int32_t node = tess__add(p, TESS__IF, p->token.span);
    tess__list    list = { 0, 0 };
    tess__advance(p);
    if (!tess__enter(p)) return 0;
    (void)tess__expect(p, TESS__MARK1('('), "");
    tess__append(&p->b, &list, tess__read_expression(p));
    (void)tess__expect(p, TESS__MARK1(')'), "");
    tess__append(&p->b, &list, tess__read_block(p));
    const tess__bytes word = p->token.span;
    if (TESS__AT_KEYWORD(p, "else")) {
        tess__advance(p);
        if (TESS__AT_KEYWORD(p, "if")) {
            const int32_t block = tess__add(p, TESS__BLOCK, word);
            tess__append(&p->b, &list, block);
            const int32_t inner = read_if(p);
            p->b.nodes[block].first = inner;
        } else {
            tess__append(&p->b, &list, tess__read_block(p));
        }
    }
    p->nesting--;
    p->b.nodes[node].first = list.first;
    return node;
}

/* The counter again, in the condition and in the step. */
static void read_counter(tess__parser *p, tess__bytes name)
{
    const char *text = p->b.source->text;
    if (p->token.kind == TESS__TOKEN_NAME && tess__span_is(text, p->token.span, text + name.at, name.length))
        tess__advance(p);
    else
        tess__wrong(p, tess__here(p), "expected the counter '%.*s', found %s", tess__shown(name), text + name.at,
                    tess__found(p).text);
}

static int64_t read_step(tess__parser *p, tess__bytes name)
{
    if (tess__accept(p, TESS__MARK2('+', '+'))) {
        read_counter(p, name);
        return 1;
    }
    read_counter(p, name);
    if (tess__accept(p, TESS__MARK2('+', '+'))) return 1;
    if (!tess__accept(p, TESS__MARK2('+', '='))) {
        tess__wrong(p, tess__here(p), "expected ++ or +=, found %s; a counter increases by a constant",
                    tess__found(p).text);
        return 1;
    }
    const tess__token t = p->token;
    const bool        good = t.kind == TESS__TOKEN_NUMBER && t.type == TESS_I32 && t.value.i >= 1;
    if (!good)
        tess__wrong(p, tess__here(p), "the step must be an integer literal of at least 1, found %s",
                    tess__found(p).text);
    else tess__advance(p);
    return good ? t.value.i : 1;
}

static int32_t read_for(tess__parser *p)
{
    tess__list list = { 0, 0 };
    tess__advance(p);
    (void)tess__expect(p, TESS__MARK1('('), "");
    const tess__bytes type_span = tess__here(p);
    const int32_t     type = tess__read_type(p);
    if (type && type != TESS_I32)
        tess__wrong(p, type_span, "the counter of a for loop is i32, not %s", tess__type_name(type));
    const tess__bytes name = tess__new_name(p, "a counter");
    (void)tess__expect(p, TESS__MARK1('='), "");
    const int32_t node = tess__add(p, TESS__FOR, name);
    p->b.nodes[node].type = TESS_I32;
    tess__append(&p->b, &list, tess__read_expression(p));
    (void)tess__expect(p, TESS__MARK1(';'), "");
    read_counter(p, name);
    const bool with = tess__is_mark(p, TESS__MARK2('<', '='));
    if (with || tess__is_mark(p, TESS__MARK1('<'))) tess__advance(p);
    else
        tess__wrong(p, tess__here(p), "expected < or <=, found %s; a counter increases to a bound",
                    tess__found(p).text);
    tess__append(&p->b, &list, tess__read_expression(p));
    (void)tess__expect(p, TESS__MARK1(';'), "");
    const int64_t step = read_step(p, name);
    (void)tess__expect(p, TESS__MARK1(')'), "");
    p->loops++;
    tess__append(&p->b, &list, tess__read_block(p));
    p->loops--;
    p->b.nodes[node].first = list.first, p->b.nodes[node].value.i = step, p->b.nodes[node].computed = with;
    return node;
}

static int32_t read_continue(tess__parser *p)
{
    const int32_t node = tess__add(p, TESS__CONTINUE, p->token.span);
    if (p->loops == 0) tess__wrong(p, p->token.span, "'continue' is allowed only inside a for loop");
    else tess__advance(p);
    (void)tess__expect(p, TESS__MARK1(';'), "");
    return node;
}

static int32_t read_return(tess__parser *p)
{
    if (!p->function) {
        tess__wrong(p, p->token.span, "an operator does not return a value; assign to its outputs");
        return 0;
    }
    const int32_t node = tess__add(p, TESS__RETURN, p->token.span);
    tess__advance(p);
    if (tess__is_mark(p, TESS__MARK1(';')))
        tess__wrong(p, p->token.span, "expected a value, found ';'; a function must return one");
    return read_value(p, node);
}

static void reject_statement(tess__parser *p)
{
    const tess__bytes span = p->token.span;
    const char       *text = p->b.source->text + span.at;
    if (tess__is_mark(p, TESS__MARK1('{')))
        tess__wrong(p, span, "expected a statement, found '{'; a block must belong to if, else or for");
    else if (tess__is_mark(p, TESS__MARK1(';'))) tess__wrong(p, span, "expected a statement, found ';'");
    else if (TESS__AT_KEYWORD(p, "else")) tess__wrong(p, span, "'else' without a preceding if");
    else if (p->token.kind == TESS__TOKEN_NAME)
        tess__wrong(p, span, "'%.*s' is not part of the operator language%s", tess__shown(span), text,
                    TESS__AT_KEYWORD(p, "const") ? "; leave it out" : "");
    else tess__wrong(p, tess__here(p), "expected a statement, found %s", tess__found(p).text);
}

static int32_t read_statement(tess__parser *p)
{
    const char *text = p->b.source->text;
    if (p->token.kind == TESS__TOKEN_NAME && !tess__is_foreign(text, p->token.span) && !TESS__AT_KEYWORD(p, "else")) {
        if (TESS__AT_KEYWORD(p, "if")) return read_if(p);
        if (TESS__AT_KEYWORD(p, "for")) return read_for(p);
        if (TESS__AT_KEYWORD(p, "continue")) return read_continue(p);
        if (TESS__AT_KEYWORD(p, "return")) return read_return(p);
        if (tess__at_type(p)) return read_declaration(p);
        return read_assignment(p);
    }
    reject_statement(p);
    return 0;
}
