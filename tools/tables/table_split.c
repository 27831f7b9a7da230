/* A file for each value of a column of a table. */
#include "tables/table_split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files/file_name.h"
#include "files/outputs/output.h"
#include "files/star_file.h"

int table_form(const char *path)
{
    if (ends_with_any_case(path, ".json")) return TESS_STAR_JSON;
    if (ends_with_any_case(path, ".csv")) return TESS_STAR_CSV;
    return ends_with_any_case(path, ".tsv") || ends_with_any_case(path, ".txt") ? TESS_STAR_TSV : 0;
}

tess_status table_document_write(const job *j, const char *path, const tess_star *star, const tess_star_table *rows)
{
    const int32_t overwrite = job_has(j, "force");
    const int     form = table_form(path);
    if (form) return tess_star_write_table(path, rows, &(tess_star_table_opts){ .overwrite = overwrite, .form = form });
    return star_file_write(path, star, j);
}

/* {value} of a pattern, or before its ending _ and the value, whose slashes and blanks become underscores. */
static tess_status name_of_part(char name[4096], const char *pattern, const char *value)
{
    char  safe[400];
    char *at = strstr(pattern, "{value}");
    (void)snprintf(safe, sizeof safe, "%s", value[0] ? value : "empty");
    for (char *c = safe; *c; c++)
        if (*c == '/' || (unsigned char)*c <= ' ') *c = '_';
    const size_t before = at ? (size_t)(at - pattern) : name_end(pattern);
    const char  *behind = at ? at + 7 : pattern + before;
    const int    n = snprintf(name, 4096, "%.*s%s%s%s", (int)before, pattern, at ? "" : "_", safe, behind);
    TESS_CHECK(n > 0 && n < 4096, TESS_EARG, "-o: the names would be too long");
    return TESS_OK;
}

/* All tables of a document, one of them with n rows alone. */
static tess_status write_part(const job *j, const char *path, const tess_star *star, const tess_star_table *rows,
                              const int64_t *chosen, int64_t n)
{
    tess_star       *part = NULL;
    tess_star_table *copy = NULL, *copied_rows = NULL;
    tess_status      status = TESS_OK;
    TESS_TRY(tess_star_new(&part));
    for (int64_t i = 0; i < tess_star_count(star) && status == TESS_OK; i++) {
        const tess_star_table *t = tess_star_at(star, i);
        status = tess_star_copy(&copy, part, t, t == rows ? chosen : NULL, n);
        if (t == rows) copied_rows = copy;
    }
    if (status == TESS_OK) status = table_document_write(j, path, part, copied_rows);
    tess_star_free(part);
    return status;
}

/* From row `first` of the sorted order, rows with the same value. */
static int64_t count_alike(const tess_star_table *t, int64_t column, const int64_t *order, int64_t first)
{
    const int64_t rows = tess_star_rows(t);
    int64_t       n = 1;
    while (first + n < rows &&
           strcmp(tess_star_value(t, order[first], column), tess_star_value(t, order[first + n], column)) == 0)
        n++;
    return n;
}

typedef struct keyed {
    const char *text;
    int64_t     row;
} keyed;

static int by_text_and_row(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    const int    order = strcmp(x->text, y->text);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Before anything is written: may each of the files be, and is none of them that of two values? `names` has a text for
 * each value, to be freed. */
static tess_status check_parts(job *j, const tess_star_table *t, int64_t column, const int64_t *order, keyed *names,
                               int64_t *n_names)
{
    char name[4096];
    for (int64_t first = 0, n; first < tess_star_rows(t); first += n) {
        n = count_alike(t, column, order, first);
        TESS_TRY(name_of_part(name, job_text(j, "output", ""), tess_star_value(t, order[first], column)));
        TESS_TRY(output_check_name(j, "-o", name));
        if (job_has(j, "dry-run")) (void)printf("would write %s (%lld rows)\n", name, (long long)n);
        char *copy = strdup(name);
        TESS_CHECK(copy, TESS_ENOMEM, "star: no memory for the names of files");
        names[(*n_names)++] = (keyed){ copy, first };
    }
    qsort(names, (size_t)*n_names, sizeof *names, by_text_and_row);
    for (int64_t i = 1; i < *n_names; i++)
        TESS_CHECK(strcmp(names[i - 1].text, names[i].text) != 0, TESS_EARG,
                   "star: two values of --split give the same file, %s", names[i].text);
    return TESS_OK;
}

static tess_status write_parts(const job *j, const tess_star *star, const tess_star_table *t, int64_t column,
                               const int64_t *order)
{
    char name[4096];
    for (int64_t first = 0, n; first < tess_star_rows(t); first += n) {
        n = count_alike(t, column, order, first);
        TESS_TRY(name_of_part(name, job_text(j, "output", ""), tess_star_value(t, order[first], column)));
        TESS_TRY(write_part(j, name, star, t, order + first, n));
    }
    return TESS_OK;
}

tess_status table_split(job *j, const tess_star *star, const tess_star_table *t)
{
    const char   *label = job_text(j, "split", "");
    const int64_t column = tess_star_column(t, label), n = tess_star_rows(t);
    TESS_CHECK(column >= 0, TESS_EFORMAT, "star: --split is %s; table %s has no such column", label, tess_star_name(t));
    TESS_CHECK(job_has(j, "output"), TESS_EARG, "star: --split needs -o, as 'part_{value}.star'");
    TESS_CHECK(!tess_star_is_pairs(t), TESS_EARG, "star: --split needs a loop, but table %s holds pairs",
               tess_star_name(t));
    keyed      *keys = malloc((size_t)(n + 1) * sizeof *keys);
    int64_t    *order = malloc((size_t)(n + 1) * sizeof *order);
    tess_status status = TESS_OK;
    if (keys && order) {
        for (int64_t r = 0; r < n; r++) keys[r] = (keyed){ tess_star_value(t, r, column), r };
        qsort(keys, (size_t)n, sizeof *keys, by_text_and_row);
        for (int64_t r = 0; r < n; r++) order[r] = keys[r].row;
        int64_t n_names = 0;
        status = check_parts(j, t, column, order, keys, &n_names);
        for (int64_t i = 0; i < n_names; i++) free((void *)(uintptr_t)keys[i].text);
        if (status == TESS_OK && !job_has(j, "dry-run")) status = write_parts(j, star, t, column, order);
    }
    const bool enough = keys && order;
    free(keys);
    free(order);
    TESS_CHECK(enough, TESS_ENOMEM, "star: no memory for %lld rows", (long long)n);
    return status;
}
