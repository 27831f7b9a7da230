/* A row of named values. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "command/row.h"

void row_start(row *r) { r->n = 0; }

static cell *add(row *r, const char *name, cell_kind kind)
{
    cell *c = &r->cells[r->n < MAX_CELLS ? r->n++ : MAX_CELLS - 1];
    memset(c, 0, sizeof *c);
    c->name = name;
    c->kind = kind;
    return c;
}

void row_number(row *r, const char *name, double value, tess_dtype dtype)
{
    cell *c = add(r, name, CELL_NUMBER);
    c->number = value;
    c->dtype = dtype;
}

void row_integer(row *r, const char *name, int64_t value) { add(r, name, CELL_INTEGER)->integer = value; }

void row_text(row *r, const char *name, const char *value)
{
    cell *c = add(r, name, CELL_TEXT);
    (void)snprintf(c->text, sizeof c->text, "%s", value);
}

void row_null(row *r, const char *name, const char *text)
{
    cell *c = add(r, name, CELL_NULL);
    (void)snprintf(c->text, sizeof c->text, "%s", text);
}

void row_list(row *r, const char *name, const char *value, bool split)
{
    cell *c = add(r, name, split ? CELL_SPLIT_LIST : CELL_LIST);
    (void)snprintf(c->text, sizeof c->text, "%s", value);
}

void row_texts(row *r, const char *name, const char *const *texts, int n, int more)
{
    cell     *c = add(r, name, CELL_TEXTS);
    const int most = (int)(sizeof c->texts / sizeof *c->texts);
    c->integer = n < most ? n : most;
    c->more = more + n - (int)c->integer;
    for (int i = 0; i < c->integer; i++) c->texts[i] = texts[i];
}

static const cell *find(const row *r, const char *name, size_t length)
{
    for (int i = 0; i < r->n; i++) {
        if (strlen(r->cells[i].name) == length && strncmp(r->cells[i].name, name, length) == 0) return &r->cells[i];
    }
    return NULL;
}

tess_status row_check_fields(const row *r, const char *fields)
{
    for (const char *at = fields;;) {
        size_t n = strcspn(at, ",");
        if (!find(r, at, n)) {
            char names[900] = "";
            for (int i = 0; i < r->n; i++) {
                size_t used = strlen(names);
                (void)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", r->cells[i].name);
            }
            TESS_FAIL(TESS_EARG, "--field: unknown field '%.*s'; known are %s", (int)n, at, names);
        }
        if (!at[n]) return TESS_OK;
        at += n + 1;
    }
}

static void print_cell(const cell *c, FILE *out)
{
    char text[32];
    if (c->kind == CELL_NUMBER)
        (void)fputs(isnan(c->number) ? "unknown" : number_text_as(text, c->number, c->dtype), out);
    else if (c->kind == CELL_INTEGER || c->kind == CELL_TEXTS)
        (void)fprintf(out, "%lld", (long long)(c->integer + c->more));
    else print_clean(out, c->text, -1);
}

void row_print_fields(const row *r, const char *fields, FILE *out)
{
    for (const char *at = fields;;) {
        size_t      n = strcspn(at, ",");
        const cell *c = find(r, at, n);
        if (c) print_cell(c, out);
        if (!at[n]) break;
        (void)fputc(' ', out);
        at += n + 1;
    }
    (void)fputc('\n', out);
}

static void put_cell(const cell *c, table *t, bool json)
{
    switch (c->kind) {
    case CELL_NUMBER: table_number_as(t, c->name, c->number, c->dtype); break;
    case CELL_INTEGER: table_integer(t, c->name, c->integer); break;
    case CELL_TEXT: table_text(t, c->name, c->text); break;
    case CELL_LIST: table_list(t, c->name, c->text); break;
    case CELL_SPLIT_LIST:
        if (json) table_list(t, c->name, c->text);
        break;
    case CELL_TEXTS: table_texts(t, c->name, c->texts, (int)c->integer, c->more); break;
    case CELL_NULL:
        if (json) table_null(t, c->name);
        else table_text(t, c->name, c->text);
        break;
    }
}

void row_to_table(const row *r, table *t)
{
    for (int i = 0; i < r->n; i++) put_cell(&r->cells[i], t, table_is_json(t));
    table_row(t);
}
