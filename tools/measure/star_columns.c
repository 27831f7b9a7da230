/* Columns of numbers of a table of a STAR file. */
#include "measure/star_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tessera/star.h"

/* ---- Which table ---- */

/* The first block of a file often has no name but "data_". */
static const char *name_of(const tess_star_table *rows)
{
    const char *name = tess_star_name(rows);
    return name[0] ? name : "data_";
}

static void tell_tables(job *j, const char *path, const tess_star *star)
{
    for (int64_t i = 0; i < tess_star_count(star); i++) {
        const tess_star_table *rows = tess_star_at(star, i);
        char                   list[1600] = "";
        for (int64_t k = 0; k < tess_star_columns(rows); k++) {
            const size_t used = strlen(list);
            (void)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", tess_star_label(rows, k) + 1);
        }
        job_note(j, "%s: table %s, %lld row%s: %s", path, name_of(rows), (long long)tess_star_rows(rows),
                 tess_star_rows(rows) == 1 ? "" : "s", list);
    }
}

/* "general, fsc, guinier" in `list`. */
static void table_names(char *list, size_t size, const tess_star *star)
{
    list[0] = 0;
    for (int64_t i = 0; i < tess_star_count(star); i++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, size - used, "%s%s", i ? ", " : "", name_of(tess_star_at(star, i)));
    }
}

/* A label with or without its underscore, or a number from 1; -1 if there is none. */
static int64_t column_named(const tess_star_table *rows, const char *name)
{
    const int64_t column = tess_star_column(rows, name);
    char         *end;
    const long    number = strtol(name, &end, 10);
    if (column >= 0 || end == name || *end) return column;
    return number >= 1 && number <= tess_star_columns(rows) ? number - 1 : -1;
}

/* The first of the names with commas between them that is no column; false if all are. */
static bool find_missing(const tess_star_table *rows, const char *names, char name[100])
{
    for (const char *at = names; *at;) {
        const size_t n = strcspn(at, ",");
        (void)snprintf(name, 100, "%.*s", n < 99 ? (int)n : 99, at);
        if (column_named(rows, name) < 0) return true;
        at += n + (at[n] == ',');
    }
    return false;
}

/* Rows with all columns of --x and --y; where neither is given, two columns in all. Else what is wrong in `why`. */
static bool has_wanted(const tess_star_table *rows, const star_wanted *wanted, char *why, size_t size)
{
    char            missing[100];
    const long long n = (long long)tess_star_columns(rows);
    why[0] = 0;
    if (tess_star_is_pairs(rows))
        (void)snprintf(why, size, "table %s has pairs of names and values, no columns", name_of(rows));
    else if (tess_star_rows(rows) == 0) (void)snprintf(why, size, "table %s has no rows", name_of(rows));
    else if (find_missing(rows, wanted->x ? wanted->x : "", missing) ||
             find_missing(rows, wanted->y ? wanted->y : "", missing))
        (void)snprintf(why, size, "table %s has no column %s", name_of(rows), missing);
    else if (!wanted->x && !wanted->y && n != 2)
        (void)snprintf(why, size, "table %s has %lld column%s; name those to draw with --x and --y", name_of(rows), n,
                       n == 1 ? "" : "s");
    return why[0] == 0;
}

static const tess_star_table *table_named(const tess_star *star, const char *name)
{
    const char            *bare = strncmp(name, "data_", 5) == 0 ? name + 5 : name;
    const tess_star_table *rows = tess_star_find(star, name);
    return rows ? rows : tess_star_find(star, bare);
}

static const tess_star_table *only_table(const tess_star *star, const star_wanted *w, char *why, size_t size)
{
    const tess_star_table *found = NULL;
    int                    n = 0;
    for (int64_t i = 0; i < tess_star_count(star); i++) {
        if (!has_wanted(tess_star_at(star, i), w, why, size)) continue;
        found = tess_star_at(star, i);
        n++;
    }
    if (n > 1) (void)snprintf(why, size, "%d tables have such columns; name one with --table", n);
    else if (!w->x && !w->y)
        (void)snprintf(why, size, "no table has just two columns; name those to draw with --x and --y");
    else
        (void)snprintf(why, size, "no table has rows with %s%s%s", w->x ? w->x : "", w->x && w->y ? " and " : "",
                       w->y ? w->y : "");
    return n == 1 ? found : NULL;
}

/* The table, or NULL with what is wrong in `why`. */
static const tess_star_table *choose_table(const tess_star *star, const star_wanted *w, char *why, size_t size)
{
    if (!w->table) return only_table(star, w, why, size);
    const tess_star_table *found = table_named(star, w->table);
    if (!found) (void)snprintf(why, size, "no such table: %s", w->table);
    return found && has_wanted(found, w, why, size) ? found : NULL;
}

/* ---- Its numbers ---- */

static void read_values(columns *c, const tess_star_table *rows, int k)
{
    for (int64_t i = 0; i < c->n_rows; i++) {
        const char  *text = tess_star_value(rows, i, k);
        char        *end;
        const double value = strtod(text, &end);
        c->values[k][i] = end != text && *end == 0 ? value : (double)NAN; /* names of images are in such tables too */
    }
}

/* The names of the columns, one behind the other. */
static bool copy_names(columns *c, const tess_star_table *rows)
{
    size_t size = 1;
    for (int k = 0; k < c->n; k++) size += strlen(tess_star_label(rows, k));
    char *at = c->text = malloc(size);
    for (int k = 0; at && k < c->n; k++) {
        c->names[k] = strcpy(at, tess_star_label(rows, k) + 1);
        at += strlen(at) + 1;
    }
    return c->text != NULL;
}

static tess_status copy_columns(columns *c, const char *path, const tess_star_table *rows)
{
    const int n = (int)tess_star_columns(rows);
    c->names = calloc((size_t)n, sizeof *c->names);
    c->values = calloc((size_t)n, sizeof *c->values);
    bool enough = c->names && c->values;
    if (enough) c->n = n, c->n_rows = tess_star_rows(rows);
    enough = enough && copy_names(c, rows);
    for (int k = 0; k < c->n && enough; k++) {
        c->values[k] = malloc(sizeof(double) * (size_t)c->n_rows);
        enough = c->values[k] != NULL;
        if (enough) read_values(c, rows, k);
    }
    TESS_CHECK(enough, TESS_ENOMEM, "%s: no memory for %d columns of %lld rows", path, n,
               (long long)tess_star_rows(rows));
    return TESS_OK;
}

tess_status columns_read_star(columns *c, job *j, const char *path, const star_wanted *wanted)
{
    tess_star *star = NULL;
    char       why[240] = "", names[200] = "";
    *c = (columns){ .text = NULL };
    TESS_TRY(tess_star_read(&star, path));
    const tess_star_table *rows = choose_table(star, wanted, why, sizeof why);
    tess_status            status = TESS_OK;
    if (rows) status = copy_columns(c, path, rows);
    if (!rows) tell_tables(j, path, star);
    if (!rows) table_names(names, sizeof names, star);
    tess_star_free(star);
    if (status != TESS_OK) columns_free(c);
    TESS_CHECK(rows, TESS_EARG, VERB ": %s: %s; its tables: %s", path, why, names);
    return status;
}
