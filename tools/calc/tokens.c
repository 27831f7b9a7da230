/* The words of an expression. */
#include "calc/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* Expressions that contain others grow by that; far beyond what anyone writes. */
enum { MAX_TOKENS = 100000 };

tess_status tokens_add(tokens *list, token t)
{
    TESS_CHECK(list->n < MAX_TOKENS, TESS_EPARSE, "the expression has more than %d words", MAX_TOKENS);
    if (list->n == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 32;
        token    *more = realloc(list->token, (size_t)capacity * sizeof *more);
        TESS_CHECK(more, TESS_ENOMEM, "calc: out of memory");
        list->token = more;
        list->capacity = capacity;
    }
    list->token[list->n++] = t;
    return TESS_OK;
}

tess_status tokens_add_part(tokens *list, const tokens *from, int first, int end)
{
    for (int i = first; i < end; ++i) TESS_TRY(tokens_add(list, from->token[i]));
    return TESS_OK;
}

void tokens_free(tokens *list)
{
    free(list->token);
    *list = (tokens){ 0 };
}

bool token_is(const token *t, const char *text)
{
    return (size_t)t->length == strlen(text) && memcmp(t->text, text, (size_t)t->length) == 0;
}

static bool is_letter(char c) { return isalpha((unsigned char)c) || c == '_'; }

/* Digits, a point, an exponent with its sign, and letters behind them: what does not make sense the language
 * rejects. */
static int number_length(const char *text)
{
    int n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '.' ||
           ((text[n] == '+' || text[n] == '-') && n > 0 && (text[n - 1] == 'e' || text[n - 1] == 'E') &&
            !(text[0] == '0' && (text[1] == 'x' || text[1] == 'X')))) {
        ++n;
    }
    return n;
}

static int symbol_length(const char *text)
{
    static const char *const twos[] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||" };
    for (size_t i = 0; i < sizeof twos / sizeof *twos; ++i) {
        if (strncmp(text, twos[i], 2) == 0) return 2;
    }
    return strchr("+-*/%()<>=!~&|^?:,;[]", *text) ? 1 : 0;
}

static int word_length(const char *text)
{
    int n = 0;
    while (is_letter(text[n]) || isdigit((unsigned char)text[n])) ++n;
    return n;
}

/* a**b, which is a power elsewhere. Names and numbers are shown as they stand; what is longer is not. */
static tess_status reject_power(const tokens *list, const char *behind, fault *f)
{
    const token *last = list->n > 0 ? &list->token[list->n - 1] : NULL;
    while (isspace((unsigned char)*behind)) ++behind;
    const int  n = is_letter(*behind) ? word_length(behind) : number_length(behind);
    const bool shows = n > 0 && n < 24 && last && last->kind != TOKEN_SYMBOL && last->length < 24;
    f->length = 2;
    TESS_FAIL(TESS_EPARSE, "'**' has no meaning in an expression; did you mean pow(%.*s, %.*s)?",
              shows ? last->length : 1, shows ? last->text : "x", shows ? n : 1, shows ? behind : "y");
}

/* What is put around the expression must not pair with its brackets. */
static tess_status check_brackets(const tokens *list, fault *f)
{
    int depth = 0;
    for (int i = 0; i < list->n; ++i) {
        *f = (fault){ list->token[i].at, 1 };
        depth += token_is(&list->token[i], "(") - token_is(&list->token[i], ")");
        TESS_CHECK(depth >= 0, TESS_EPARSE, "')' closes a bracket that was not opened");
    }
    for (int i = 0; i < list->n && depth > 0; ++i) {
        *f = (fault){ list->token[i].at, 1 };
        TESS_CHECK(!token_is(&list->token[i], "(") || tokens_close(list, i) < list->n, TESS_EPARSE,
                   "'(' is not closed");
    }
    return TESS_OK;
}

tess_status tokens_read(tokens *list, const char *text, fault *f)
{
    for (const char *c = text; *c;) {
        token t = { .text = c, .at = (int)(c - text) };
        if (isspace((unsigned char)*c)) {
            ++c;
            continue;
        }
        if (is_letter(*c) || (*c == '$' && is_letter(c[1]))) { /* $b: an index */
            t.kind = TOKEN_NAME;
            t.length = 1 + word_length(c + 1);
        } else if (isdigit((unsigned char)*c) || (*c == '.' && isdigit((unsigned char)c[1]))) {
            t.kind = TOKEN_NUMBER;
            t.length = number_length(c);
        } else {
            t.kind = TOKEN_SYMBOL;
            t.length = symbol_length(c);
        }
        f->at = t.at, f->length = t.length ? t.length : 1;
        TESS_CHECK(t.length > 0, TESS_EPARSE, "'%c' has no meaning in an expression",
                   isprint((unsigned char)*c) ? *c : '?');
        if (strncmp(c, "**", 2) == 0) return reject_power(list, c + 2, f);
        TESS_TRY(tokens_add(list, t));
        c += t.length;
    }
    return check_brackets(list, f);
}

int tokens_close(const tokens *list, int open)
{
    int depth = 0;
    for (int i = open; i < list->n; ++i) {
        if (token_is(&list->token[i], "(")) ++depth;
        else if (token_is(&list->token[i], ")") && --depth == 0) return i;
    }
    return list->n;
}

void fault_show(const char *text, const fault *f)
{
    const int length = (int)strcspn(text, "\n");
    if (f->at > length) return;
    (void)fprintf(stderr, "    %.*s\n    %*s^", length, text, f->at, "");
    for (int i = 1; i < f->length; ++i) (void)fputc('~', stderr);
    (void)fputc('\n', stderr);
}
