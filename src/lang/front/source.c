/* Diagnostics: line and column of an error in a text, its message, and the line with a caret. */
#include "lang/front/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/check/error.h"
#include "lang/front/lex.h"
#include "lang/front/utf8.h"

enum { TAB = 8, SHOWN = 100, BEFORE = 60, CAPACITY = 512 };

/* ---- Columns ---- */

/* Where the line begins that holds byte `at`, and its number. Each fragment of a macro is line 1. */
static int32_t line_of(const tess__source *s, int32_t at, int *number)
{
    int32_t start = 0;
    *number = 1;
    for (int32_t i = 0; i < at; i++)
        if (s->text[i] == '\n') start = i + 1, *number += !s->macro;
    return start;
}

/* The character at `at`, and the columns that it takes from column `column` on. */
static int32_t step(const tess__source *s, int32_t at, int column, int *width)
{
    int32_t       code;
    const int32_t n = tess__utf8(s->text + at, s->length - at, &code);
    *width = code == '\t' ? TAB - column % TAB : tess__utf8_width(code);
    return n;
}

static int columns(const tess__source *s, int32_t from, int32_t to, int column)
{
    int width;
    while (from < to) from += step(s, from, column, &width), column += width;
    return column;
}

/* ---- The excerpt ---- */

typedef struct excerpt {
    char text[CAPACITY];
    int  used;
} excerpt;

static void put(excerpt *e, const char *bytes, int n)
{
    if (e->used + n >= CAPACITY) return;
    memcpy(e->text + e->used, bytes, (size_t)n);
    e->used += n;
    e->text[e->used] = '\0';
}

/* Columns `from` to `to` of the line that begins at `start`; what cannot be shown as it is becomes a question mark. */
static void show_line(const tess__source *s, int32_t start, int from, int to, excerpt *e)
{
    int column = 0;
    for (int32_t at = start; at < s->length && s->text[at] != '\n' && column < to;) {
        int                 width;
        const unsigned char c = (unsigned char)s->text[at];
        const int32_t       n = step(s, at, column, &width);
        if (column >= from) {
            if (c == '\t') put(e, "        ", width);
            else if (c < ' ' || c == 127 || (n == 1 && c > 127)) put(e, "?", 1);
            else put(e, s->text + at, n);
        }
        column += width, at += n;
    }
}

static void show_marks(int at, int length, excerpt *e)
{
    for (int i = 0; i < at; i++) put(e, " ", 1);
    put(e, "^", 1);
    for (int i = 1; i < length; i++) put(e, "~", 1);
}

static int32_t first_of_line(const tess__source *s, int32_t start, int32_t max)
{
    while (start < max && (s->text[start] == ' ' || s->text[start] == '\t')) start++;
    return start;
}

/* ---- The label ---- */

/* The name behind the word "op". */
static tess__bytes name_of(const tess__source *s)
{
    tess__source quiet = *s;
    tess__lexer  lexer = { &quiet, 0 };
    tess__token  token, next;
    quiet.status = TESS_EPARSE;
    for (tess__lex(&lexer, &token); token.kind != TESS__TOKEN_END; token = next) {
        tess__lex(&lexer, &next);
        if (token.kind == TESS__TOKEN_NAME && next.kind == TESS__TOKEN_NAME && token.span.length == 2 &&
            memcmp(s->text + token.span.at, "op", 2) == 0)
            return next.span;
    }
    return (tess__bytes){ 0, 0 };
}

void tess__complain(tess__source *s, tess__bytes where, const char *format, ...)
{
    if (s->status != TESS_OK) return;
    s->status = TESS_EPARSE;
    char    message[400] = "";
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);

    int           number;
    const int32_t start = line_of(s, where.at, &number);
    int32_t       end = where.at + where.length;
    for (int32_t i = where.at; i < end; i++)
        if (s->text[i] == '\n') end = i;
    const int at = columns(s, start, where.at, 0), beyond = columns(s, where.at, end, at);
    const int length = beyond > at ? beyond - at : 1;

    const tess__bytes name = s->label ? (tess__bytes){ 0, 0 } : name_of(s);
    const char       *label = s->label ? s->label : name.length ? s->text + name.at : "text";
    (void)tess__fail(TESS_EPARSE, __FILE__, __LINE__, __func__, "%.*s:%d:%d: %s", name.length ? tess__shown(name) : 200,
                     label, number, at + 1, message);

    int from = columns(s, start, first_of_line(s, start, where.at), 0);
    if (at - from > SHOWN - 10) from = at - BEFORE;
    excerpt   line = { "", 0 }, marks = { "", 0 };
    const int cut = length < SHOWN ? length : SHOWN;
    show_line(s, start, from, from + SHOWN > at + cut ? from + SHOWN : at + cut, &line);
    show_marks(at - from, cut, &marks);
    tess__error_excerpt(number, at + 1, length, line.text, marks.text);
}

void tess__no_memory(tess__source *s, size_t size)
{
    if (s->status != TESS_OK) return;
    s->status = tess__fail(TESS_ENOMEM, __FILE__, __LINE__, __func__, "op_parse: no memory for %zu bytes", size);
}
