/* Recursive-descent parser: token helpers (peek, take, expect) and their error messages. */
#include <stdarg.h>
#include <stdio.h>

#include "lang/front/parser.h"

void tess__advance(tess__parser *p)
{
    if (p->token.kind != TESS__TOKEN_END) p->end = p->token.span.at + p->token.span.length;
    tess__lex(&p->lexer, &p->token);
    if (p->b.source->status != TESS_OK) p->token.kind = TESS__TOKEN_END;
}

void tess__wrong(tess__parser *p, tess__bytes where, const char *format, ...)
{
    char    message[400] = "";
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tess__complain(p->b.source, where, "%s", message);
    p->token.kind = TESS__TOKEN_END;
    p->lexer.at = p->b.source->length;
}

tess__bytes tess__here(const tess__parser *p)
{
    return p->token.kind == TESS__TOKEN_END ? (tess__bytes){ p->end, 0 } : p->token.span;
}

tess__hint tess__found(const tess__parser *p)
{
    tess__hint found = { "the end of the text" };
    if (p->token.kind != TESS__TOKEN_END)
        (void)snprintf(found.text, sizeof found.text, "'%.*s'", tess__shown(p->token.span),
                       p->b.source->text + p->token.span.at);
    return found;
}

bool tess__accept(tess__parser *p, int32_t mark)
{
    if (!tess__is_mark(p, mark)) return false;
    tess__advance(p);
    return true;
}

/* A hint for a punctuator that is found instead. */
static const char *advice(const tess__parser *p, int32_t mark)
{
    if (p->token.kind != TESS__TOKEN_MARK) return "";
    switch (p->token.mark) {
    case TESS__MARK1('='):
        return mark == TESS__MARK1(';') ? "" : "; an assignment is a separate statement; use == to compare";
    case TESS__MARK2('+', '+'):
    case TESS__MARK2('-', '-'): return "; ++ is allowed only in the step of a for loop; write x += 1";
    case TESS__MARK1('.'): return "; only a parameter that is a struct has members: p.x";
    case TESS__MARK2('-', '>'): return "; there are no pointers; a member of a struct is p.x";
    case TESS__MARK1(','):
        return mark == TESS__MARK1(';') ? "; declare one name at a time" : "; there is no comma operator";
    default: return "";
    }
}

bool tess__expect(tess__parser *p, int32_t mark, const char *why)
{
    if (tess__accept(p, mark)) return true;
    const char text[3] = { (char)(mark & 0xff), (char)(mark >> 8 & 0xff), '\0' };
    const bool line_end =
        mark == TESS__MARK1(';') && (p->token.kind != TESS__TOKEN_MARK || tess__is_mark(p, TESS__MARK1('}')));
    /* A semicolon is missing where the statement ends, which may be lines before the next token. */
    const tess__bytes where = line_end ? (tess__bytes){ p->end, 0 } : tess__here(p);
    tess__wrong(p, where, "expected '%s', found %s%s", text, tess__found(p).text, *why ? why : advice(p, mark));
    return false;
}

/* Keywords that begin a construct, or are constants. */
static const char *const reserved[] = { "if",   "else",  "for", "continue", "return", "op", "fn",
                                        "true", "false", "pi",  "inf",      "nan",    NULL };

tess__bytes tess__new_name(tess__parser *p, const char *what)
{
    const char       *text = p->b.source->text;
    const tess__bytes span = p->token.span;
    if (p->token.kind != TESS__TOKEN_NAME) {
        tess__wrong(p, tess__here(p), "expected the name of %s, found %s", what, tess__found(p).text);
        return (tess__bytes){ 0, 0 };
    }
    if (tess__type_named(text, span))
        tess__wrong(p, span, "'%.*s' is a type and cannot be the name of %s", tess__shown(span), text + span.at, what);
    else if (tess__is_foreign(text, span) || tess__keyword_index(text, span, reserved) >= 0)
        tess__wrong(p, span, "'%.*s' is a reserved word and cannot be the name of %s", tess__shown(span),
                    text + span.at, what);
    else if (span.length > 63) tess__wrong(p, span, "name of %d characters; at most 63 are allowed", (int)span.length);
    else tess__advance(p);
    return span;
}

int32_t tess__at_type(const tess__parser *p)
{
    if (p->token.kind != TESS__TOKEN_NAME) return 0;
    const int32_t type = tess__type_named(p->b.source->text, p->token.span);
    return type || !p->b.source->macro ? type : tess__c_type_named(p->b.source->text, p->token.span);
}

/* Types of C that have another name here. */
static bool reject_c_type(tess__parser *p)
{
    const int32_t type = tess__c_type_named(p->b.source->text, p->token.span);
    if (type) tess__wrong(p, p->token.span, "unknown type %s; write %s", tess__found(p).text, tess__type_name(type));
    return type != 0;
}

/* `others`: what a type can be, for a name that is none. */
static int32_t read_type(tess__parser *p, const char *others)
{
    const char       *text = p->b.source->text;
    const tess__bytes span = p->token.span;
    const int32_t     type = tess__at_type(p);
    if (type) {
        tess__advance(p);
    } else if (p->token.kind == TESS__TOKEN_NAME && !reject_c_type(p)) {
        tess__guess guess = tess__guess_start(text, span);
        tess__guess_offer_types(&guess);
        const tess__hint hint = tess__guess_hint(&guess);
        if (tess__struct_named(p, span))
            tess__wrong(p, span, "'%.*s' is a struct; only val and the parameters of functions can be one",
                        tess__shown(span), text + span.at);
        else
            tess__wrong(p, span, "unknown type '%.*s'%s", tess__shown(span), text + span.at,
                        guess.best ? hint.text : others);
    } else if (p->b.source->status == TESS_OK) {
        tess__wrong(p, tess__here(p), "expected a type, found %s", tess__found(p).text);
    }
    return type;
}

int32_t tess__read_type(tess__parser *p)
{
    return read_type(p, "; expected bool, i32, u8, f32, c32 and so on, or T, U, V");
}

int32_t tess__read_type_or_struct(tess__parser *p)
{
    const int32_t type = p->token.kind == TESS__TOKEN_NAME ? tess__struct_named(p, p->token.span) : 0;
    if (!type)
        return read_type(p, p->b.source->macro ? "; expected bool, i32, f32 and so on, or a TESS_STRUCT"
                                               : "; expected bool, i32, f32, T and so on, or a struct defined above");
    tess__advance(p);
    return type;
}

bool tess__enter(tess__parser *p)
{
    if (++p->nesting <= p->limits->max_nesting) return true;
    tess__wrong(p, tess__here(p), "nested more than %lld levels deep, which is the limit",
                (long long)p->limits->max_nesting);
    return false;
}

int32_t tess__add(tess__parser *p, int32_t kind, tess__bytes span)
{
    if (p->b.n_nodes > p->limits->max_nodes) {
        tess__wrong(p, span, "more than %lld nodes in the syntax tree, which is the limit",
                    (long long)p->limits->max_nodes);
        return 0;
    }
    const int32_t node = tess__build_node(&p->b, kind, span);
    if (node == 0) p->token.kind = TESS__TOKEN_END, p->lexer.at = p->b.source->length;
    return node;
}
