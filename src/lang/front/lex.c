/* Lexical analysis: the text of an operator as tokens (names, numbers, operators and punctuation). */
#include "lang/front/lex.h"

#include <string.h>

#include "lang/front/utf8.h"

static bool begins(const tess__source *s, int32_t at, const char *mark)
{
    return at + 1 < s->length && s->text[at] == mark[0] && s->text[at + 1] == mark[1];
}

/* Skip whitespace and comments. */
static void skip(tess__lexer *l)
{
    tess__source *s = l->source;
    while (l->at < s->length) {
        const char c = s->text[l->at];
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            l->at++;
        } else if (begins(s, l->at, "//")) {
            while (l->at < s->length && s->text[l->at] != '\n') l->at++;
        } else if (begins(s, l->at, "/*")) {
            const int32_t start = l->at;
            for (l->at += 2; !begins(s, l->at, "*/"); l->at++)
                if (l->at >= s->length) {
                    l->at = s->length;
                    tess__complain(s, (tess__bytes){ start, 2 }, "comment is not closed: */ is missing");
                    return;
                }
            l->at += 2;
        } else {
            return;
        }
    }
}

/* The end of a number, valid or not: "1.5e-3f", "0x1p-3", "12abc". */
static int32_t number_length(const tess__source *s, int32_t at)
{
    const int32_t start = at;
    const bool    hex = at + 1 < s->length && s->text[at] == '0' && (s->text[at + 1] | 32) == 'x';
    for (; at < s->length; at++) {
        const char c = s->text[at], before = at > start ? (char)(s->text[at - 1] | 32) : ' ';
        const bool sign = (c == '+' || c == '-') && before == (hex ? 'p' : 'e');
        if (!tess__is_letter(c) && !tess__is_digit(c) && c != '.' && !sign) break;
    }
    return at - start;
}

/* Operators and punctuation of more than one character (maximal munch); all others have one. */
static int mark_length(const char *text, int32_t n)
{
    static const char pairs[][3] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
                                     "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "->" };
    if (n >= 3 && (memcmp(text, "<<=", 3) == 0 || memcmp(text, ">>=", 3) == 0)) return 3;
    for (size_t i = 0; n >= 2 && i < sizeof pairs / sizeof *pairs; i++)
        if (text[0] == pairs[i][0] && text[1] == pairs[i][1]) return 2;
    return 1;
}

static void reject_character(tess__source *s, int32_t at)
{
    int32_t           code;
    const char        c = s->text[at];
    const int32_t     n = tess__utf8(s->text + at, s->length - at, &code);
    const tess__bytes where = { at, n };
    if (c == '"' || c == '\'') tess__complain(s, where, "strings and characters are not part of the operator language");
    else if (c == '#') tess__complain(s, where, "there is no preprocessor in the operator language");
    else if (code < ' ' || code == 127)
        tess__complain(s, where, "byte 0x%02x is not part of the operator language", (unsigned)(unsigned char)c);
    else tess__complain(s, where, "'%.*s' is not part of the operator language", (int)n, s->text + at);
}

static void lex_mark(tess__lexer *l, tess__token *t)
{
    const tess__source *s = l->source;
    const char         *text = s->text + l->at;
    if (*text == '\0' || !strchr("+-*/%=<>!&|^~?:;,.(){}[]", *text)) {
        reject_character(l->source, l->at);
        return;
    }
    const int n = mark_length(text, s->length - l->at);
    t->kind = TESS__TOKEN_MARK;
    t->mark = text[0] | (n > 1 ? text[1] << 8 : 0) | (n > 2 ? text[2] << 16 : 0);
    t->span.length = n;
}

void tess__lex(tess__lexer *l, tess__token *t)
{
    tess__source *s = l->source;
    skip(l);
    t->kind = TESS__TOKEN_END;
    t->mark = 0;
    t->span = (tess__bytes){ l->at, 0 };
    if (l->at >= s->length) return;
    const char c = s->text[l->at], next = l->at + 1 < s->length ? s->text[l->at + 1] : ' ';
    if (tess__is_letter(c)) {
        int32_t end = l->at + 1;
        while (end < s->length && (tess__is_letter(s->text[end]) || tess__is_digit(s->text[end]))) end++;
        t->kind = TESS__TOKEN_NAME;
        t->span.length = end - l->at;
    } else if (tess__is_digit(c) || (c == '.' && tess__is_digit(next))) {
        t->kind = TESS__TOKEN_NUMBER;
        t->span.length = number_length(s, l->at);
        tess__lex_number(s, t);
    } else {
        lex_mark(l, t);
    }
    l->at += t->span.length;
}

int tess__precedence(int32_t mark)
{
    switch (mark) {
    case TESS__MARK2('|', '|'): return 1;
    case TESS__MARK2('&', '&'): return 2;
    case TESS__MARK1('|'): return 3;
    case TESS__MARK1('^'): return 4;
    case TESS__MARK1('&'): return 5;
    case TESS__MARK2('=', '='):
    case TESS__MARK2('!', '='): return 6;
    case TESS__MARK1('<'):
    case TESS__MARK1('>'):
    case TESS__MARK2('<', '='):
    case TESS__MARK2('>', '='): return 7;
    case TESS__MARK2('<', '<'):
    case TESS__MARK2('>', '>'): return 8;
    case TESS__MARK1('+'):
    case TESS__MARK1('-'): return 9;
    case TESS__MARK1('*'):
    case TESS__MARK1('/'):
    case TESS__MARK1('%'): return 10;
    default: return 0;
    }
}
