/* STAR documents: tables, columns, rows. */
#include "io/text/star.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/memory.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "io/file/grow.h"
#include "io/text/text.h"

/* ---- Documents and their memory ---- */

tess_status tess_star_new(tess_star **star)
{
    TESS_TRY(tess__check_pointer("star_new", "star", star));
    tess_star *s = tess__alloc(sizeof *s);
    TESS_CHECK(s, TESS_ENOMEM, "star_new: no memory for a document");
    memset(s, 0, sizeof *s);
    *star = s;
    return TESS_OK;
}

static void free_table(tess_star_table *t)
{
    tess__free(t->labels);
    tess__free(t->cells);
    tess__free(t->lines);
    tess__free(t->comments);
    tess__free(t);
}

void tess_star_free(tess_star *star)
{
    if (!star) return;
    for (int64_t i = 0; i < star->n_tables; i++) free_table(star->tables[i]);
    for (tess__star_block *b = star->blocks, *next; b; b = next) {
        next = b->next;
        tess__free(b);
    }
    tess__free(star->tables);
    tess__free(star->text);
    tess__free(star->path);
    tess__free(star);
}

/* A copy of n bytes and a zero byte. */
tess_status tess__star_keep_text(char **copy, tess_star *star, const char *text, int64_t n)
{
    enum { BLOCK = 1 << 14 };
    tess__star_block *b = star->blocks;
    if (!b || b->size - b->used < n + 1) {
        const int64_t size = n + 1 > BLOCK ? n + 1 : BLOCK;
        b = tess__alloc(sizeof *b + (size_t)size);
        TESS_CHECK(b, TESS_ENOMEM, "star: no memory for %" PRId64 " bytes of text", size);
        *b = (tess__star_block){ star->blocks, 0, size };
        star->blocks = b;
    }
    *copy = b->bytes + b->used;
    if (n) memcpy(*copy, text, (size_t)n);
    (*copy)[n] = '\0';
    b->used += n + 1;
    return TESS_OK;
}

tess_status tess__star_append(tess_star_table **table, tess_star *star, char *name, bool pairs)
{
    enum { MAX_TABLES = 1 << 20 };
    TESS_CHECK(star->n_tables < MAX_TABLES, TESS_EUNSUPPORTED, "star: more than %d tables", MAX_TABLES);
    TESS_TRY(tess__grow("star", &star->tables, star->n_tables, 1, &star->table_capacity, sizeof *star->tables));
    tess_star_table *t = tess__alloc(sizeof *t);
    TESS_CHECK(t, TESS_ENOMEM, "star: no memory for a table");
    memset(t, 0, sizeof *t);
    t->star = star;
    t->name = name;
    t->pairs = pairs;
    star->tables[star->n_tables++] = t;
    *table = t;
    return TESS_OK;
}

void tess__star_drop_last(tess_star *star) { free_table(star->tables[--star->n_tables]); }

/* ---- Tables ---- */

int64_t tess_star_count(const tess_star *star) { return star ? star->n_tables : 0; }

tess_star_table *tess_star_at(const tess_star *star, int64_t i)
{
    return star && i >= 0 && i < star->n_tables ? star->tables[i] : NULL;
}

tess_star_table *tess_star_find(const tess_star *star, const char *name)
{
    for (int64_t i = 0; star && name && i < star->n_tables; i++)
        if (strcmp(star->tables[i]->name, name) == 0) return star->tables[i];
    return NULL;
}

bool tess__star_begins(const char *word, const char *keyword)
{
    for (; *keyword; word++, keyword++)
        if ((*word >= 'A' && *word <= 'Z' ? *word + ('a' - 'A') : *word) != *keyword) return false;
    return true;
}

tess_status tess__star_check_word(const char *fn, const char *arg, const char *word)
{
    TESS_TRY(tess__check_pointer(fn, arg, word));
    for (const char *c = word; *c; c++)
        TESS_CHECK((unsigned char)*c > ' ' && *c != 127, TESS_EARG, "%s: `%s` is \"%.60s\"; blanks are not allowed", fn,
                   arg, word);
    return TESS_OK;
}

tess_status tess_star_add(tess_star_table **table, tess_star *star, const char *name, bool pairs)
{
    char *copy;
    TESS_TRY(tess__check_pointer("star_add", "table", table));
    TESS_TRY(tess__check_pointer("star_add", "star", star));
    TESS_TRY(tess__star_check_word("star_add", "name", name));
    TESS_TRY(tess__star_keep_text(&copy, star, name, (int64_t)strlen(name)));
    TESS_TRY(tess__star_append(table, star, copy, pairs));
    const tess_status status = pairs ? tess__star_grow_rows(*table, 1) : TESS_OK;
    if (status != TESS_OK) tess__star_drop_last(star);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess_star_remove(tess_star *star, int64_t i)
{
    TESS_TRY(tess__check_pointer("star_remove", "star", star));
    TESS_CHECK(i >= 0 && i < star->n_tables, TESS_ERANGE,
               "star_remove: `i` is %" PRId64 "; there are %" PRId64 " tables", i, star->n_tables);
    const bool        began = !star->tables[i]->continues;
    tess_star_table **at = &star->tables[i];
    free_table(*at);
    memmove(at, at + 1, (size_t)(star->n_tables - i - 1) * sizeof *at);
    star->n_tables--;
    if (began && i < star->n_tables) star->tables[i]->continues = false; /* it gets the "data_" line */
    return TESS_OK;
}

const char *tess_star_name(const tess_star_table *table) { return table ? table->name : NULL; }

bool tess_star_is_pairs(const tess_star_table *table) { return table && table->pairs; }

int64_t tess_star_rows(const tess_star_table *table) { return table ? table->n_rows : 0; }

int64_t tess_star_columns(const tess_star_table *table) { return table ? table->n_columns : 0; }

const char *tess_star_label(const tess_star_table *table, int64_t column)
{
    return table && column >= 0 && column < table->n_columns ? table->labels[column] : NULL;
}

int64_t tess_star_column(const tess_star_table *table, const char *label)
{
    if (!table || !label) return -1;
    if (label[0] == '_') label++;
    for (int64_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->labels[i] + 1, label) == 0) return i;
    return -1;
}

int64_t tess_star_line(const tess_star_table *table, int64_t row)
{
    return table && row >= 0 && row < table->n_rows ? table->lines[row] : 0;
}

/* ---- Rows and columns ---- */

/* Rows are laid out anew for one more column; pairs are one row, which only grows. */
tess_status tess__star_grow_columns(tess_star_table *t)
{
    const int64_t columns = t->n_columns;
    TESS_TRY(tess__grow("star", &t->labels, columns, 1, &t->column_capacity, sizeof *t->labels));
    if (t->n_rows <= 1) {
        TESS_TRY(tess__grow("star", &t->cells, t->n_rows * columns, t->n_rows, &t->cell_capacity, sizeof *t->cells));
        return TESS_OK;
    }
    const char **wider = NULL;
    int64_t      capacity = 0;
    TESS_TRY(tess__grow("star", &wider, 0, t->n_rows * (columns + 1), &capacity, sizeof *wider));
    for (int64_t r = 0; r < t->n_rows && columns; r++)
        memcpy(wider + r * (columns + 1), t->cells + r * columns, (size_t)columns * sizeof *wider);
    tess__free(t->cells);
    t->cells = wider;
    t->cell_capacity = capacity;
    return TESS_OK;
}

tess_status tess__star_grow_rows(tess_star_table *t, int64_t n)
{
    int64_t n_cells;
    TESS_TRY(tess__grow("star", &t->lines, t->n_rows, n, &t->row_capacity, sizeof *t->lines));
    TESS_CHECK(!__builtin_mul_overflow(n, t->n_columns, &n_cells), TESS_ENOMEM,
               "star: no memory for the values of %" PRId64 " rows", n);
    TESS_TRY(tess__grow("star", &t->cells, t->n_rows * t->n_columns, n_cells, &t->cell_capacity, sizeof *t->cells));
    if (t->pairs && t->n_rows == 0) t->lines[t->n_rows++] = 0;
    return TESS_OK;
}

const char tess__star_zero[] = "0";

/* With its underscore, whether it was given or not. */
static tess_status keep_label(char **copy, tess_star *star, const char *label)
{
    if (label[0] == '_') label++;
    const int64_t n = (int64_t)strlen(label);
    TESS_TRY(tess__star_keep_text(copy, star, label, n + 1)); /* and a byte more: the zero byte */
    memmove(*copy + 1, *copy, (size_t)n + 1);
    (*copy)[0] = '_';
    return TESS_OK;
}

/* A label that can be given to a column of the table. */
static tess_status check_new_label(const char *fn, const tess_star_table *t, const char *label)
{
    TESS_TRY(tess__star_check_word(fn, "label", label));
    TESS_CHECK(label[label[0] == '_'], TESS_EARG, "%s: `label` is \"%s\"; expected a name", fn, label);
    TESS_CHECK(tess_star_column(t, label) < 0, TESS_EARG, "%s: label %.60s already exists", fn, label);
    return TESS_OK;
}

tess_status tess_star_add_column(tess_star_table *table, const char *label, const char *value)
{
    char *copy, *text = NULL;
    TESS_TRY(tess__check_pointer("star_add_column", "table", table));
    TESS_TRY(check_new_label("star_add_column", table, label));
    TESS_TRY(tess__check_pointer("star_add_column", "value", value));
    TESS_CHECK(tess__star_quote(value, true), TESS_EARG,
               "star_add_column: value of %.60s has a line break, or both kinds of quotes before a space", label);
    TESS_TRY(keep_label(&copy, table->star, label));
    TESS_TRY(tess__star_keep_text(&text, table->star, value, (int64_t)strlen(value)));
    TESS_TRY(tess__star_grow_columns(table));
    table->labels[table->n_columns++] = copy;
    for (int64_t r = 0; r < table->n_rows; r++) table->cells[(r + 1) * table->n_columns - 1] = text;
    return TESS_OK;
}

tess_status tess__star_missing(const char *fn, const tess_star_table *t, const char *label)
{
    TESS_FAIL(TESS_EFORMAT, "%s: %s: table data_%.60s has no column _%.60s", fn, t->star->path ? t->star->path : "star",
              t->name, label + (label[0] == '_'));
}

tess_status tess_star_remove_column(tess_star_table *table, const char *label)
{
    TESS_TRY(tess__check_pointer("star_remove_column", "table", table));
    TESS_TRY(tess__check_pointer("star_remove_column", "label", label));
    const int64_t gone = tess_star_column(table, label), n = table->n_columns;
    if (gone < 0) return tess__star_missing("star_remove_column", table, label);
    int64_t to = 0;
    for (int64_t i = 0; i < table->n_rows * n; i++)
        if (i % n != gone) table->cells[to++] = table->cells[i];
    memmove(&table->labels[gone], &table->labels[gone + 1], (size_t)(n - gone - 1) * sizeof *table->labels);
    table->n_columns--;
    if (table->pairs) tess__star_drop_comments(table, gone);
    return TESS_OK;
}

tess_status tess_star_rename_column(tess_star_table *table, const char *label, const char *to)
{
    char *copy;
    TESS_TRY(tess__check_pointer("star_rename_column", "table", table));
    TESS_TRY(tess__check_pointer("star_rename_column", "label", label));
    const int64_t column = tess_star_column(table, label);
    if (column < 0) return tess__star_missing("star_rename_column", table, label);
    TESS_TRY(tess__check_pointer("star_rename_column", "to", to));
    TESS_TRY(check_new_label("star_rename_column", table, to));
    TESS_TRY(keep_label(&copy, table->star, to));
    table->labels[column] = copy;
    return TESS_OK;
}

/* The column of each label, none of them twice. */
static tess_status find_columns(int64_t *columns, const tess_star_table *t, const char *const *labels, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        TESS_TRY(tess__check_pointer("star_select_columns", "labels", labels[i]));
        columns[i] = tess_star_column(t, labels[i]);
        if (columns[i] < 0) return tess__star_missing("star_select_columns", t, labels[i]);
        for (int64_t k = 0; k < i; k++)
            TESS_CHECK(columns[k] != columns[i], TESS_EARG, "star_select_columns: label %.60s is given twice",
                       labels[i]);
    }
    return TESS_OK;
}

/* Rows and labels are laid out anew. */
static tess_status take_columns(tess_star_table *t, const int64_t *columns, int64_t n)
{
    const char **labels = tess__alloc((size_t)(n + 1) * sizeof *labels);
    const char **cells = tess__alloc((size_t)(n * t->n_rows + 1) * sizeof *cells);
    if (!labels || !cells) {
        tess__free(labels);
        tess__free(cells);
        TESS_FAIL(TESS_ENOMEM, "star_select_columns: no memory for %" PRId64 " columns", n);
    }
    for (int64_t k = 0; k < n; k++) labels[k] = t->labels[columns[k]];
    for (int64_t r = 0; r < t->n_rows; r++)
        for (int64_t k = 0; k < n; k++) cells[r * n + k] = t->cells[r * t->n_columns + columns[k]];
    tess__free(t->labels);
    tess__free(t->cells);
    t->labels = labels;
    t->cells = cells;
    t->n_columns = t->column_capacity = n;
    t->cell_capacity = n * t->n_rows;
    return TESS_OK;
}

tess_status tess_star_select_columns(tess_star_table *table, const char *const *labels, int64_t n)
{
    TESS_TRY(tess__check_pointer("star_select_columns", "table", table));
    TESS_CHECK(n >= 0 && n <= table->n_columns, TESS_ERANGE,
               "star_select_columns: `n` is %" PRId64 "; data_%.60s has %" PRId64 " columns", n, table->name,
               table->n_columns);
    if (n) TESS_TRY(tess__check_pointer("star_select_columns", "labels", labels));
    TESS_CHECK(!table->pairs, TESS_EARG, "star_select_columns: data_%.60s holds pairs, not columns", table->name);
    int64_t *columns = tess__alloc((size_t)(n + 1) * sizeof *columns);
    TESS_CHECK(columns, TESS_ENOMEM, "star_select_columns: no memory for %" PRId64 " columns", n);
    tess_status status = find_columns(columns, table, labels, n);
    if (status == TESS_OK) status = take_columns(table, columns, n);
    tess__free(columns);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess_star_add_rows(tess_star_table *table, int64_t n)
{
    TESS_TRY(tess__check_pointer("star_add_rows", "table", table));
    TESS_CHECK(n >= 0, TESS_ERANGE, "star_add_rows: `n` is %" PRId64 "; expected 0 or more", n);
    TESS_CHECK(!table->pairs || n == 0, TESS_EARG, "star_add_rows: data_%.60s holds pairs, which form a single row",
               table->name);
    if (n == 0) return TESS_OK;
    TESS_TRY(tess__star_grow_rows(table, n));
    for (int64_t i = 0; i < n * table->n_columns; i++)
        table->cells[table->n_rows * table->n_columns + i] = tess__star_zero;
    memset(table->lines + table->n_rows, 0, (size_t)n * sizeof *table->lines);
    table->n_rows += n;
    return TESS_OK;
}

tess_status tess__star_check_row(const char *fn, const tess_star_table *t, int64_t row)
{
    TESS_CHECK(row >= 0 && row < t->n_rows, TESS_ERANGE, "%s: `row` is %" PRId64 "; data_%.60s has %" PRId64 " rows",
               fn, row, t->name, t->n_rows);
    return TESS_OK;
}

/* Comments go with their rows; if there is no memory for that they stay as they are. */
static tess_status select_comments(tess_star_table *t, const int64_t *rows, int64_t n)
{
    if (t->n_comments == 0 || t->pairs) return TESS_OK;
    tess_star_table           chosen = { .n_comments = 0 };
    const tess__star_comments all = { t->comments, t->n_comments, t->n_rows };
    const tess_status         status = tess__star_add_comments(&chosen, 0, &all, rows, n);
    tess__free(status == TESS_OK ? t->comments : chosen.comments);
    TESS_TRY(status);
    t->comments = chosen.comments;
    t->n_comments = chosen.n_comments;
    t->comment_capacity = chosen.comment_capacity;
    return TESS_OK;
}

tess_status tess_star_select(tess_star_table *table, const int64_t *rows, int64_t n)
{
    TESS_TRY(tess__check_pointer("star_select", "table", table));
    TESS_CHECK(n >= 0 && n < INT64_MAX / 16 / (table->n_columns + 1), TESS_ERANGE, "star_select: `n` is %" PRId64, n);
    if (n) TESS_TRY(tess__check_pointer("star_select", "rows", rows));
    TESS_CHECK(!table->pairs || n == 1, TESS_EARG, "star_select: data_%.60s holds pairs, which form a single row",
               table->name);
    for (int64_t i = 0; i < n; i++) TESS_TRY(tess__star_check_row("star_select", table, rows[i]));
    const int64_t columns = table->n_columns;
    const char  **cells = tess__alloc((size_t)(n * columns + 1) * sizeof *cells);
    int64_t      *lines = tess__alloc((size_t)(n + 1) * sizeof *lines);
    tess_status   status = cells && lines ? select_comments(table, rows, n) : TESS_ENOMEM;
    if (status != TESS_OK) {
        tess__free(cells);
        tess__free(lines);
        TESS_FAIL(TESS_ENOMEM, "star_select: no memory for %" PRId64 " rows", n);
    }
    for (int64_t i = 0; i < n; i++) {
        if (columns) memcpy(cells + i * columns, table->cells + rows[i] * columns, (size_t)columns * sizeof *cells);
        lines[i] = table->lines[rows[i]];
    }
    tess__free(table->cells);
    tess__free(table->lines);
    table->cells = cells;
    table->lines = lines;
    table->n_rows = table->row_capacity = n;
    table->cell_capacity = n * columns;
    return TESS_OK;
}
