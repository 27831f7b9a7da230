/* Steps of `tessera star`. */
#include "tables/table_steps.h"

#include <stdlib.h>
#include <string.h>

#include "files/star_file.h"
#include "measure/number_table.h"
#include "tables/column_formula.h"
#include "tables/mdoc_table.h"

/* ---- Tables ---- */

/* With `as_is`, fields of cryoSPARC's files keep their names; else they get RELION's labels. */
static tess_status table_read_as(tess_star **star, const char *path, const char *name, bool as_is)
{
    if (is_mdoc(path)) return mdoc_table_read(star, path);
    if (is_number_table(path)) return tess_star_read_table(star, path, name);
    return as_is ? tess_star_read(star, path) : tess_star_read_relion(star, path);
}

tess_status table_read(tess_star **star, const job *j, const char *path)
{
    return table_read_as(star, path, job_text(j, "table", "table"), true);
}

/* "optics, particles" in `list`. */
static void list_tables(char *list, size_t size, const tess_star *star)
{
    list[0] = 0;
    for (int64_t i = 0; i < tess_star_count(star); i++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, size - used, "%s%s", i ? ", " : "", tess_star_name(tess_star_at(star, i)));
    }
}

tess_status table_find(tess_star_table **found, const job *j, const tess_star *star, const char *path)
{
    char        list[400];
    const char *name = job_text(j, "table", NULL);
    if (name && strncmp(name, "data_", 5) == 0) name += 5;
    *found = name ? tess_star_find(star, name) : NULL;
    list_tables(list, sizeof list, star);
    TESS_CHECK(*found || !name, TESS_EARG, VERB ": --table is %s; %s has %s", name, path, list[0] ? list : "no tables");
    for (int64_t i = 0; !*found && i < tess_star_count(star); i++) {
        tess_star_table *t = tess_star_at(star, i);
        if (!tess_star_is_pairs(t) && strcmp(tess_star_name(t), "optics") != 0) *found = t;
    }
    if (!*found) *found = tess_star_at(star, 0);
    TESS_CHECK(*found, TESS_EFORMAT, VERB ": %s has no tables", path);
    return TESS_OK;
}

bool next_name(const char **list, char name[100])
{
    if (!**list) return false;
    const size_t n = strcspn(*list, ",");
    (void)snprintf(name, 100, "%.*s", n < 99 ? (int)n : 99, *list);
    *list += n + ((*list)[n] == ',');
    return true;
}

/* ---- Expressions ---- */

static tess_status compute(table_steps *s, tess_array *values, const char *text)
{
    s->expression = text;
    return column_formula(values, s->table, text, s->job->device, &s->wrong);
}

/* Rows where a value is not 0; NaN counts as 0. */
static tess_status keep_where(table_steps *s, const char *text)
{
    tess_array  values = { 0 };
    int64_t     kept = 0, *rows;
    tess_status status = TESS_OK;
    TESS_TRY(compute(s, &values, text));
    const int64_t n = tess_star_rows(s->table);
    const double *value = values.data;
    rows = malloc((size_t)(n + 1) * sizeof *rows);
    for (int64_t r = 0; rows && r < n; r++)
        if (value[r] < 0 || value[r] > 0) rows[kept++] = r;
    if (rows && kept < n) status = tess_star_select(s->table, rows, kept);
    const bool enough = rows != NULL;
    free(rows);
    tess_release(&values);
    TESS_CHECK(enough, TESS_ENOMEM, VERB ": no memory for %lld rows", (long long)n);
    job_detail(s->job, "--where '%s' keeps %lld of %lld rows", text, (long long)kept, (long long)n);
    return status;
}

/* NAME=EXPRESSION, or NAME="TEXT" for all rows. */
static tess_status set_column(table_steps *s, const char *text)
{
    char         name[100];
    const size_t n = strcspn(text, "=");
    TESS_CHECK(n > 0 && n < sizeof name && text[n] == '=' && text[n + 1] && text[n + 1] != '=', TESS_EARG,
               VERB ": --set is \"%s\"; NAME=EXPRESSION is needed", text);
    (void)snprintf(name, sizeof name, "%.*s", (int)n, text);
    const char  *value = text + n + 1;
    const size_t length = strlen(value);
    tess_array   values = { 0 };
    if (value[0] == '"' && length > 1 && strchr(value + 1, '"') == value + length - 1) {
        char *plain = strdup(value + 1);
        TESS_CHECK(plain, TESS_ENOMEM, VERB ": no memory for a text");
        plain[length - 2] = 0;
        tess_status status = TESS_OK;
        if (tess_star_column(s->table, name) < 0) status = tess_star_add_column(s->table, name, plain);
        else
            for (int64_t r = 0; r < tess_star_rows(s->table) && status == TESS_OK; r++)
                status = tess_star_set(s->table, r, name, plain);
        free(plain);
        return status;
    }
    TESS_TRY(compute(s, &values, value));
    const tess_status status = tess_star_set_numbers(s->table, name, &values);
    tess_release(&values);
    return status;
}

/* ---- Rows ---- */

static tess_status keep_rows(table_steps *s)
{
    int64_t *rows = NULL, n = 0;
    TESS_TRY(job_slices(s->job, "rows", tess_star_rows(s->table), &rows, &n));
    const tess_status status = tess_star_select(s->table, rows, n);
    free(rows);
    return status;
}

/* By several columns, the last one first; NAME:down is from large to small. */
static tess_status sort_by(table_steps *s, const char *list)
{
    static const char down[] = ":down";
    char              name[100];
    const char       *end = list + strlen(list);
    while (end > list) {
        const char *from = end;
        while (from > list && from[-1] != ',') from--;
        (void)snprintf(name, sizeof name, "%.*s", (int)(end - from < 99 ? end - from : 99), from);
        const size_t n = strlen(name), m = sizeof down - 1;
        const bool   falling = n > m && strcmp(name + n - m, down) == 0;
        if (falling) name[n - m] = 0;
        TESS_TRY(tess_star_sort(s->table, name, falling));
        end = from > list ? from - 1 : list;
    }
    return TESS_OK;
}

/* Columns of the other file that are here already stay as they are: say so. */
static void tell_kept(table_steps *s, const tess_star_table *with, const char *by, const char *path)
{
    char   list[400] = "";
    size_t used = 0;
    for (int64_t k = 0; k < tess_star_columns(with); k++) {
        const char *label = tess_star_label(with, k);
        if (strcmp(label + 1, by + (by[0] == '_')) == 0 || tess_star_column(s->table, label) < 0) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", label + 1);
        if (used >= sizeof list) used = sizeof list - 1;
    }
    if (used) job_note(s->job, "%s: existing columns are kept (--drop them first to replace them): %s", path, list);
}

/* The first table of a document that has the column. */
static tess_star_table *table_with(const tess_star *star, const char *column)
{
    for (int64_t i = 0; i < tess_star_count(star); i++)
        if (tess_star_column(tess_star_at(star, i), column) >= 0) return tess_star_at(star, i);
    return NULL;
}

static tess_status join_table(table_steps *s, const tess_star *other, const char *path)
{
    const char     *by = job_text(s->job, "by", NULL);
    int64_t         dropped = 0;
    const long long before = (long long)tess_star_rows(s->table);
    TESS_CHECK(by, TESS_EARG, VERB ": --join needs --by COLUMN, a column of both files");
    tess_star_table *with = table_with(other, by);
    TESS_CHECK(with, TESS_EFORMAT, VERB ": %s has no column %s", path, by);
    tell_kept(s, with, by, path);
    TESS_TRY(tess_star_join(&dropped, s->table, with, by));
    if (dropped)
        job_note(s->job, "%lld of %lld rows have no match in %s and are dropped", (long long)dropped, before, path);
    return TESS_OK;
}

static tess_status join_file(table_steps *s, const char *path)
{
    tess_star *other = NULL;
    TESS_TRY(table_read_as(&other, path, "table", s->is_cryosparc));
    const tess_status status = join_table(s, other, path);
    tess_star_free(other);
    return status;
}

/* ---- Columns ---- */

static tess_status keep_columns(table_steps *s, const char *list)
{
    enum { MAX_NAMES = 1000 };
    char(*names)[100] = malloc(MAX_NAMES * sizeof *names);
    const char **labels = malloc(MAX_NAMES * sizeof *labels);
    int64_t      n = 0;
    tess_status  status = TESS_OK;
    while (names && labels && n < MAX_NAMES && next_name(&list, names[n])) labels[n] = names[n], n++;
    if (names && labels) status = tess_star_select_columns(s->table, labels, n);
    const bool enough = names && labels;
    free(names);
    free(labels);
    TESS_CHECK(enough, TESS_ENOMEM, VERB ": no memory for the names of columns");
    return status;
}

static tess_status drop_columns(table_steps *s, const char *list)
{
    char name[100];
    while (next_name(&list, name)) TESS_TRY(tess_star_remove_column(s->table, name));
    return TESS_OK;
}

static tess_status rename_column(table_steps *s, const char *text)
{
    char         name[100];
    const size_t n = strcspn(text, "=");
    TESS_CHECK(n > 0 && n < sizeof name && text[n] == '=' && text[n + 1], TESS_EARG,
               VERB ": --rename is \"%s\"; OLD=NEW is needed", text);
    (void)snprintf(name, sizeof name, "%.*s", (int)n, text);
    return tess_star_rename_column(s->table, name, text + n + 1);
}

/* ---- All ---- */

static tess_status run_step(table_steps *s, const char *name, const char *value)
{
    if (strcmp(name, "where") == 0) return keep_where(s, value);
    if (strcmp(name, "set") == 0) return set_column(s, value);
    if (strcmp(name, "rows") == 0) return keep_rows(s);
    if (strcmp(name, "sort") == 0) return sort_by(s, value);
    if (strcmp(name, "join") == 0) return join_file(s, value);
    if (strcmp(name, "columns") == 0) return keep_columns(s, value);
    if (strcmp(name, "drop") == 0) return drop_columns(s, value);
    if (strcmp(name, "rename") == 0) return rename_column(s, value);
    return TESS_OK;
}

tess_status table_steps_run(table_steps *s)
{
    const char *name, *value;
    for (int i = 0; job_option(s->job, i, &name, &value); i++) TESS_TRY(run_step(s, name, value));
    return TESS_OK;
}
