/* Delimiter-separated values, read as a STAR table: tabs, commas (RFC 4180) or blanks between fields. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "io/text/star.h"
#include "io/text/text.h"

typedef struct reader {
    tess_star_table *table;
    const char      *fn;
    const char      *path;
    int64_t          line; /* from 1 */
    char            *at;   /* in the line; NULL after its last field */
    char             separator;
} reader;

#define AT "%s: %s: line %" PRId64 ": "
#define AT_OF(r) (r)->fn, (r)->path, (r)->line

static bool is_space(char c) { return c == ' ' || c == '\r'; }

/* ---- Fields of a line ---- */

/* From behind the first quote: the text, where "" is one quote; r->at is behind the last one. */
static tess_status read_quoted(reader *r, char *from)
{
    char *to = from;
    for (char *c = from;; c++) {
        TESS_CHECK(*c, TESS_EFORMAT, AT "unterminated quote: \"%.60s", AT_OF(r), from);
        if (*c == '"' && *++c != '"') {
            r->at = c;
            break;
        }
        *to++ = *c;
    }
    while (is_space(*r->at) && *r->at != r->separator) r->at++;
    TESS_CHECK(*r->at == r->separator || !*r->at, TESS_EFORMAT, AT "\"%.40s\" follows a closing quote", AT_OF(r),
               r->at);
    const char behind = *r->at; /* `to` may be where it stands */
    *to = '\0';
    r->at = behind ? r->at + 1 : NULL;
    return TESS_OK;
}

/* The next field, ended by a zero byte, without blanks around it; NULL after the last. */
static tess_status next_field(reader *r, char **field)
{
    *field = NULL;
    if (!r->at) return TESS_OK;
    while (is_space(*r->at)) r->at++;
    if (r->separator == ' ' && !*r->at) return TESS_OK;
    *field = r->at;
    if (*r->at == '"') {
        ++*field;
        return read_quoted(r, *field);
    }
    char *end = r->at;
    while (*end && *end != r->separator) end++;
    r->at = *end ? end + 1 : NULL;
    while (end > *field && is_space(end[-1])) end--;
    *end = '\0';
    return TESS_OK;
}

static tess_status check_field(const reader *r, const char *field)
{
    TESS_CHECK(tess__star_quote(field, true), TESS_EFORMAT,
               AT "\"%.40s\" has both kinds of quotes before a space, which a STAR file cannot hold", AT_OF(r), field);
    return TESS_OK;
}

/* ---- Lines ---- */

/* A label of a field: with an underscore before it and no blanks in it. */
static tess_status add_label(reader *r, const char *field)
{
    tess_star_table *t = r->table;
    char             number[40], *label;
    (void)snprintf(number, sizeof number, "column%" PRId64, t->n_columns + 1);
    if (!field[field[0] == '_']) field = number; /* a label without a name */
    const int64_t n = (int64_t)strlen(field);
    TESS_TRY(tess__star_grow_columns(t));
    TESS_TRY(tess__star_keep_text(&label, t->star, field, n + 1));
    memmove(label + 1, field, (size_t)n + 1);
    label[0] = '_';
    if (field[0] == '_') memmove(label, label + 1, (size_t)n + 1);
    for (char *c = label; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 127) *c = '_';
    t->labels[t->n_columns++] = label;
    return TESS_OK;
}

static bool is_number(const char *field)
{
    double value;
    return tess__text_f64(&value, field, (int64_t)strlen(field));
}

/* Labels from a copy of the first line; *labels is false if that is a row of numbers. */
static tess_status read_labels(reader *r, char *line, bool *labels)
{
    char *field;
    *labels = false;
    for (r->at = line;;) {
        TESS_TRY(next_field(r, &field));
        if (!field) break;
        *labels |= !is_number(field);
        TESS_TRY(add_label(r, field));
    }
    for (int64_t k = 0; !*labels && k < r->table->n_columns; k++) {
        char      number[40], *copy;
        const int n = snprintf(number, sizeof number, "_column%" PRId64, k + 1);
        TESS_TRY(tess__star_keep_text(&copy, r->table->star, number, n));
        r->table->labels[k] = copy;
    }
    TESS_TRY(tess__star_check_labels(r->fn, r->table));
    return TESS_OK;
}

static tess_status read_row(reader *r, char *line)
{
    tess_star_table *t = r->table;
    char            *field;
    TESS_TRY(tess__star_grow_rows(t, 1));
    r->at = line;
    for (int64_t k = 0; k < t->n_columns; k++) {
        TESS_TRY(next_field(r, &field));
        TESS_CHECK(field, TESS_EFORMAT, AT "%" PRId64 " fields for %" PRId64 " columns: %.60s has none", AT_OF(r), k,
                   t->n_columns, t->labels[k]);
        TESS_TRY(check_field(r, field));
        t->cells[t->n_rows * t->n_columns + k] = field;
    }
    TESS_TRY(next_field(r, &field));
    TESS_CHECK(!field, TESS_EFORMAT, AT "more than %" PRId64 " fields: \"%.40s\" follows that of %.60s", AT_OF(r),
               t->n_columns, field, t->labels[t->n_columns - 1]);
    t->lines[t->n_rows++] = r->line;
    return TESS_OK;
}

/* The first line decides what separates fields, and holds labels or numbers. */
static tess_status read_first(reader *r, char *line)
{
    char *copy;
    bool  labels;
    r->separator = strchr(line, '\t') ? '\t' : strchr(line, ',') ? ',' : ' ';
    TESS_TRY(tess__star_keep_text(&copy, r->table->star, line, (int64_t)strlen(line)));
    TESS_TRY(read_labels(r, copy, &labels));
    if (!labels) TESS_TRY(read_row(r, line));
    return TESS_OK;
}

static tess_status read_lines(reader *r)
{
    for (char *line = r->table->star->text, *next; *line; line = next) {
        char *end = line + strcspn(line, "\n");
        next = *end ? end + 1 : end;
        *end = '\0';
        r->line++;
        const char *first = line;
        while (tess__is_blank(*first)) first++;
        if (!*first || line[0] == '#') continue;
        TESS_TRY(r->table->n_columns == 0 ? read_first(r, line) : read_row(r, line));
    }
    TESS_CHECK(r->table->n_columns > 0, TESS_EFORMAT, "%s: %s: the line with the column labels is missing", r->fn,
               r->path);
    return TESS_OK;
}

/* ---- The whole ---- */

/* Take over the text, which is freed also when this fails. */
static tess_status read_text(tess_star **star, char *text, const char *fn, const char *path, const char *name)
{
    const size_t n = strlen(path) + 1;
    tess_star   *s = NULL;
    reader       r = { .fn = fn, .path = path };
    tess_status  status = tess_star_new(&s);
    if (status != TESS_OK) tess__free(text);
    TESS_TRY(status);
    s->text = text;
    s->path = tess__alloc(n);
    if (s->path) {
        memcpy(s->path, path, n);
        status = tess_star_add(&r.table, s, name, false);
        if (status == TESS_OK) status = tess__error_under(read_lines(&r), fn);
    }
    const bool enough = s->path != NULL;
    if (status == TESS_OK && enough) *star = s;
    else tess_star_free(s);
    TESS_CHECK(enough, TESS_ENOMEM, "%s: %s: no memory for a document", fn, path);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess_star_read_table(tess_star **star, const char *path, const char *name)
{
    char   *text;
    int64_t n;
    TESS_TRY(tess__check_pointer("star_read_table", "star", star));
    TESS_TRY(tess__check_pointer("star_read_table", "name", name));
    TESS_TRY(tess__text_read(&text, &n, "star_read_table", path));
    TESS_TRY(read_text(star, text, "star_read_table", path, name));
    return TESS_OK;
}

tess_status tess_star_parse_table(tess_star **star, const char *text, int64_t n, const char *path, const char *name)
{
    char *copy;
    TESS_TRY(tess__check_pointer("star_parse_table", "star", star));
    TESS_TRY(tess__check_pointer("star_parse_table", "path", path));
    TESS_TRY(tess__check_pointer("star_parse_table", "name", name));
    TESS_TRY(tess__text_copy(&copy, "star_parse_table", path, text, n));
    TESS_TRY(read_text(star, copy, "star_parse_table", path, name));
    return TESS_OK;
}
