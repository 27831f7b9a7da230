/* Results as tables: columns for people, --tsv, --json. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command/job.h"

typedef struct cell {
    char *text;  /* NULL: nothing there */
    char *json;  /* of an array; else NULL */
    char *brief; /* for people, a number with fewer digits; NULL: as `text` */
    bool  is_number;
    bool  is_finite; /* JSON has no NaN */
} cell;

struct table {
    FILE  *out;
    bool   json, tsv;
    int    digits; /* of numbers in columns for people */
    char **columns;
    int    n_columns;
    cell  *cells;  /* row by row; a row has as many as there were columns when it ended */
    int   *starts; /* of each row among the cells, and of the row being made */
    int   *sizes;
    int    n_rows, n_cells;
    bool   broken; /* no memory: told at the end */

    bool        shared; /* by the inputs of a verb that is run for each */
    const char *file;   /* the input whose rows are being made; NULL: none asked for it yet */
    int         kept_rows, kept_cells;
};

table *table_new(job *j, FILE *out)
{
    table *t = out == stdout ? j->table : NULL;
    if (t) {
        t->file = j->arguments[0];
        t->kept_rows = t->n_rows;
        t->kept_cells = t->n_cells;
        return t;
    }
    t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->out = out;
    t->json = job_has(j, "json");
    t->tsv = job_has(j, "tsv");
    t->digits = (int)job_integer(j, "digits", 6);
    return t;
}

void table_tabs(table *t)
{
    if (t) t->tsv = !t->json;
}

bool table_is_json(const table *t) { return t && t->json; }

/* Room for one more: true, or the table is broken. */
static bool grow(table *t, void *list, size_t n, size_t size)
{
    void *old, *more;
    if (n & (n - 1)) return true; /* grown to the next power of two before */
    memcpy(&old, list, sizeof old);
    more = realloc(old, (n ? 2 * n : 1) * size);
    if (!more) return t->broken = true, false;
    memcpy(list, &more, sizeof more);
    return true;
}

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static int find_column(table *t, const char *name)
{
    for (int i = 0; i < t->n_columns; i++)
        if (strcmp(t->columns[i], name) == 0) return i;
    if (!grow(t, &t->columns, (size_t)t->n_columns, sizeof *t->columns)) return -1;
    if (!(t->columns[t->n_columns] = copy_text(name))) return t->broken = true, -1;
    return t->n_columns++;
}

static int row_start(const table *t) { return t->n_rows ? t->starts[t->n_rows - 1] + t->sizes[t->n_rows - 1] : 0; }

static void put(table *t, const char *column, const char *text, bool is_number, bool is_finite)
{
    if (!t) return;
    const int start = row_start(t);
    if (t->shared && t->n_cells == start && strcmp(column, "file") != 0) put(t, "file", t->file, false, true);
    const int index = find_column(t, column);
    if (index < 0) return;
    while (t->n_cells <= start + index) {
        if (!grow(t, &t->cells, (size_t)t->n_cells, sizeof *t->cells)) return;
        t->cells[t->n_cells++] = (cell){ 0 };
    }
    cell *c = &t->cells[start + index];
    free(c->text);
    free(c->json);
    free(c->brief);
    *c = (cell){ .text = copy_text(text), .is_number = is_number, .is_finite = is_finite };
}

/* The cell that was put last in this column; NULL if there was no memory for it. */
static cell *cell_of(table *t, const char *column)
{
    const int place = t ? find_column(t, column) : -1;
    return place < 0 || row_start(t) + place >= t->n_cells ? NULL : &t->cells[row_start(t) + place];
}

/* The cell that was put last in this column gets a text of its own in JSON. */
static void put_json(table *t, const char *column, char *json)
{
    cell *c = cell_of(t, column);
    if (!c || !json) {
        free(json);
        if (t) t->broken = true;
        return;
    }
    c->json = json;
}

void table_number_as(table *t, const char *column, double value, tess_dtype dtype)
{
    char text[32], brief[32];
    put(t, column, number_text_as(text, value, dtype), true, isfinite(value));
    cell *c = cell_of(t, column);
    if (c && strcmp(text, number_text_digits(brief, value, dtype, t->digits)) != 0) c->brief = copy_text(brief);
}

void table_number(table *t, const char *column, double value) { table_number_as(t, column, value, TESS_F64); }

void table_integer(table *t, const char *column, int64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    put(t, column, text, true, true);
}

void table_text(table *t, const char *column, const char *value) { put(t, column, value, false, true); }

void table_null(table *t, const char *column) { put(t, column, "", true, false); }

/* JSON has no NaN and no infinity. */
static bool is_json_number(const char *text, size_t n)
{
    char        *end;
    const double value = strtod(text, &end);
    return n > 0 && strspn(text, "-0123456789") > 0 && end == text + n && isfinite(value);
}

void table_list(table *t, const char *column, const char *numbers)
{
    char  *json = NULL;
    size_t size;
    put(t, column, numbers, false, true);
    if (!t || !t->json) return;
    FILE *out = open_memstream(&json, &size);
    if (!out) {
        t->broken = true;
        return;
    }
    const bool any = strpbrk(numbers, " ,") || is_json_number(numbers, strlen(numbers)); /* else a word */
    (void)fputs(any ? "[" : "null", out);
    for (const char *at = numbers; any && *at; at += strspn(at, " ,")) {
        const size_t n = strcspn(at, " ,");
        const bool   finite = is_json_number(at, n);
        (void)fprintf(out, "%s%.*s", at == numbers ? "" : ", ", finite ? (int)n : 4, finite ? at : "null");
        at += n;
    }
    (void)fputs(any ? "]" : "", out);
    (void)fclose(out);
    put_json(t, column, json);
}

void table_texts(table *t, const char *column, const char *const *texts, int n, int more)
{
    char  *json = NULL;
    size_t size;
    table_integer(t, column, n + more);
    if (!t || !t->json) return;
    FILE *out = open_memstream(&json, &size);
    if (!out) {
        t->broken = true;
        return;
    }
    (void)fputc('[', out);
    for (int i = 0; i < n; i++) {
        (void)fputs(i ? ", " : "", out);
        char trimmed[1024];
        (void)snprintf(trimmed, sizeof trimmed, "%s", texts[i]);
        for (size_t k = strlen(trimmed); k > 0 && trimmed[k - 1] == ' '; k--) trimmed[k - 1] = 0;
        print_json_text(out, trimmed);
    }
    if (more > 0) (void)fprintf(out, "%s\"and %d more\"", n ? ", " : "", more);
    (void)fputc(']', out);
    (void)fclose(out);
    put_json(t, column, json);
}

void table_row(table *t)
{
    if (!t) return;
    const int start = row_start(t);
    if (!grow(t, &t->starts, (size_t)t->n_rows, sizeof *t->starts)) return;
    if (!grow(t, &t->sizes, (size_t)t->n_rows, sizeof *t->sizes)) return;
    t->starts[t->n_rows] = start;
    t->sizes[t->n_rows++] = t->n_cells - start;
}

static const cell *cell_at(const table *t, int row, int column)
{
    static const cell nothing;
    return column < t->sizes[row] ? &t->cells[t->starts[row] + column] : &nothing;
}

static void print_json(const table *t)
{
    (void)fputs("[", t->out);
    for (int r = 0; r < t->n_rows; r++) {
        const char *between = "";
        (void)fputs(r ? ",\n {" : "\n {", t->out);
        for (int c = 0; c < t->n_columns; c++) {
            const cell *x = cell_at(t, r, c);
            (void)fputs(between, t->out);
            print_json_text(t->out, t->columns[c]);
            (void)fputs(": ", t->out);
            if (!x->text || x->json) (void)fputs(x->json ? x->json : "null", t->out);
            else if (!x->is_number) print_json_text(t->out, x->text);
            else (void)fputs(x->is_finite ? x->text : "null", t->out);
            between = ", ";
        }
        (void)fputs("}", t->out);
    }
    (void)fputs(t->n_rows ? "\n]\n" : "]\n", t->out);
}

/* Tabs and line ends inside a text would make other columns of it. */
static void print_tsv_text(FILE *out, const char *text)
{
    while (*text) {
        const int n = (int)strcspn(text, "\t\n\r");
        print_clean(out, text, n);
        if (text[n]) (void)fputc(' ', out);
        text += n + (text[n] != '\0');
    }
}

static void print_tsv(const table *t)
{
    for (int r = -1; r < t->n_rows; r++)
        for (int c = 0; c < t->n_columns; c++) {
            const char *text = r < 0 ? t->columns[c] : cell_at(t, r, c)->text;
            print_tsv_text(t->out, text ? text : "");
            (void)fputc(c + 1 < t->n_columns ? '\t' : '\n', t->out);
        }
}

static const char *text_for_people(const cell *x) { return x->brief ? x->brief : x->text ? x->text : ""; }

static void print_columns(const table *t)
{
    int *width = calloc((size_t)t->n_columns + 1, sizeof *width);
    for (int c = 0; width && c < t->n_columns; c++) {
        width[c] = text_columns(t->columns[c]);
        for (int r = 0; r < t->n_rows; r++) {
            const char *text = text_for_people(cell_at(t, r, c));
            if (text_columns(text) > width[c]) width[c] = text_columns(text);
        }
    }
    for (int r = -1; width && r < t->n_rows; r++)
        for (int c = 0; c < t->n_columns; c++) {
            const cell *x = cell_at(t, r < 0 ? 0 : r, c);
            const char *text = r < 0 ? t->columns[c] : text_for_people(x);
            const int   space = width[c] - text_columns(text);
            const bool  last = c + 1 == t->n_columns;
            (void)fprintf(t->out, "%*s", x->is_number ? space : 0, "");
            print_clean(t->out, text, -1);
            (void)fprintf(t->out, "%*s%s", x->is_number || last ? 0 : space, "", last ? "\n" : "  ");
        }
    free(width);
}

static void free_cells(table *t, int from)
{
    for (int i = from; i < t->n_cells; i++) {
        free(t->cells[i].text);
        free(t->cells[i].json);
        free(t->cells[i].brief);
    }
    t->n_cells = from;
}

void table_share(job *j)
{
    j->table = table_new(j, stdout);
    if (j->table) j->table->shared = true;
}

void table_print_shared(job *j)
{
    table *t = j->table;
    if (!t) return;
    t->shared = false;
    if (t->file) table_end(t);
    else table_free(t);
    j->table = NULL;
}

void table_end(table *t)
{
    if (!t || t->shared) return;
    if (t->json) print_json(t);
    else if (t->n_rows == 0) (void)0;
    else if (t->tsv) print_tsv(t);
    else print_columns(t);
    table_free(t);
}

void table_free(table *t)
{
    if (!t) return;
    free_cells(t, t->shared ? t->kept_cells : 0);
    if (t->shared) {
        t->n_rows = t->kept_rows;
        return;
    }
    for (int i = 0; i < t->n_columns; i++) free(t->columns[i]);
    free(t->cells);
    free(t->columns);
    free(t->starts);
    free(t->sizes);
    free(t);
}
