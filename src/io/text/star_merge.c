/* Tables of several STAR documents in one: copies, rows added to rows, and optics groups under new numbers. */
#include <inttypes.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/memory.h"
#include "io/text/star.h"

/* A text in a document: that of the other one where it is the same. */
static tess_status take_text(const char **text, tess_star *star, const tess_star *from, const char *of)
{
    char *copy;
    *text = of;
    if (star == from) return TESS_OK;
    TESS_TRY(tess__star_keep_text(&copy, star, of, (int64_t)strlen(of)));
    *text = copy;
    return TESS_OK;
}

/* Comments of rows that were added from `first` on, with texts of this document. */
static tess_status take_comments(tess_star_table *t, int64_t first, const tess_star_table *from, const int64_t *rows,
                                 int64_t n)
{
    const tess__star_comments all = { from->comments, from->n_comments, from->pairs ? from->n_columns : from->n_rows };
    const int64_t             before = t->n_comments;
    TESS_TRY(tess__star_add_comments(t, first, &all, rows, n));
    for (int64_t i = before; i < t->n_comments; i++)
        TESS_TRY(take_text(&t->comments[i].text, t->star, from->star, t->comments[i].text));
    return TESS_OK;
}

/* ---- Rows ---- */

/* Add rows, all if `rows` is NULL; columns[k] is the one of `from` that column k is. */
static tess_status add_rows(tess_star_table *t, const tess_star_table *from, const int64_t *columns,
                            const int64_t *rows, int64_t n)
{
    const int64_t first = t->pairs ? 0 : t->n_rows, width = t->n_columns;
    TESS_TRY(tess__star_grow_rows(t, n));
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = rows ? rows[i] : i;
        for (int64_t k = 0; k < width; k++)
            TESS_TRY(take_text(&t->cells[(first + i) * width + k], t->star, from->star,
                               from->cells[row * from->n_columns + columns[k]]));
        t->lines[first + i] = 0;
    }
    t->n_rows = first + n;
    TESS_TRY(take_comments(t, first, from, t->pairs ? NULL : rows, t->pairs ? width : n));
    return TESS_OK;
}

/* The column of `from` for each one here; both have the same. */
static tess_status match_columns(int64_t *columns, const tess_star_table *t, const tess_star_table *from)
{
    for (int64_t k = 0; k < from->n_columns; k++)
        if (tess_star_column(t, from->labels[k]) < 0) return tess__star_missing("star_append", t, from->labels[k]);
    for (int64_t k = 0; k < t->n_columns; k++) {
        columns[k] = tess_star_column(from, t->labels[k]);
        if (columns[k] < 0) return tess__star_missing("star_append", from, t->labels[k]);
    }
    return TESS_OK;
}

tess_status tess_star_append(tess_star_table *table, const tess_star_table *from)
{
    TESS_TRY(tess__check_pointer("star_append", "table", table));
    TESS_TRY(tess__check_pointer("star_append", "from", from));
    TESS_CHECK(table != from, TESS_EARG, "star_append: `table` and `from` are the same table: data_%.60s", table->name);
    TESS_CHECK(!table->pairs && !from->pairs, TESS_EARG, "star_append: data_%.60s holds pairs, which form a single row",
               table->pairs ? table->name : from->name);
    int64_t *columns = tess__alloc((size_t)(table->n_columns + 1) * sizeof *columns);
    TESS_CHECK(columns, TESS_ENOMEM, "star_append: no memory for %" PRId64 " columns", table->n_columns);
    tess_status status = match_columns(columns, table, from);
    if (status == TESS_OK) status = add_rows(table, from, columns, NULL, from->n_rows);
    tess__free(columns);
    TESS_TRY(status);
    return TESS_OK;
}

/* ---- Copies ---- */

static tess_status copy_labels(tess_star_table *t, const tess_star_table *from, int64_t *columns)
{
    for (int64_t k = 0; k < from->n_columns; k++) {
        TESS_TRY(tess__star_grow_columns(t));
        TESS_TRY(take_text(&t->labels[k], t->star, from->star, from->labels[k]));
        t->n_columns++;
        columns[k] = k;
    }
    return TESS_OK;
}

static tess_status fill_copy(tess_star_table *t, const tess_star_table *from, const int64_t *rows, int64_t n)
{
    if (from->comment)
        TESS_TRY(tess__star_keep_text(&t->comment, t->star, from->comment, (int64_t)strlen(from->comment)));
    int64_t *columns = tess__alloc((size_t)(from->n_columns + 1) * sizeof *columns);
    TESS_CHECK(columns, TESS_ENOMEM, "star_copy: no memory for %" PRId64 " columns", from->n_columns);
    tess_status status = copy_labels(t, from, columns);
    if (status == TESS_OK) status = add_rows(t, from, columns, rows, n);
    tess__free(columns);
    return status;
}

tess_status tess_star_copy(tess_star_table **copy, tess_star *star, const tess_star_table *table, const int64_t *rows,
                           int64_t n)
{
    char *name;
    TESS_TRY(tess__check_pointer("star_copy", "copy", copy));
    TESS_TRY(tess__check_pointer("star_copy", "star", star));
    TESS_TRY(tess__check_pointer("star_copy", "table", table));
    TESS_CHECK(!table->pairs || !rows, TESS_EARG, "star_copy: data_%.60s holds pairs: rows must be `NULL`",
               table->name);
    for (int64_t i = 0; rows && i < n; i++)
        TESS_CHECK(rows[i] >= 0 && rows[i] < table->n_rows, TESS_ERANGE,
                   "star_copy: `row` is %" PRId64 "; data_%.60s has %" PRId64 " rows", rows[i], table->name,
                   table->n_rows);
    TESS_TRY(tess__star_keep_text(&name, star, table->name, (int64_t)strlen(table->name)));
    TESS_TRY(tess__star_append(copy, star, name, table->pairs));
    const tess_status status = fill_copy(*copy, table, rows, rows ? n : table->n_rows);
    if (status != TESS_OK) tess__star_drop_last(star);
    TESS_TRY(status);
    const tess_star_table *before = star->n_tables > 1 ? star->tables[star->n_tables - 2] : NULL;
    (*copy)->continues = table->continues && before && strcmp(before->name, name) == 0;
    return TESS_OK;
}

/* ---- Optics groups ---- */

static const char group_label[] = "rlnOpticsGroup";

/* Numbers of the groups of the other document, and what they are here. */
typedef struct group {
    int64_t from, to;
} group;

/* Has row `a` of `t` what row `b` of `from` has, but for the number of the group? */
static bool same_group(const tess_star_table *t, int64_t a, const tess_star_table *from, int64_t b)
{
    for (int64_t k = 0; k < t->n_columns; k++) {
        const int64_t other = tess_star_column(from, t->labels[k]);
        if (strcmp(t->labels[k] + 1, group_label) == 0) continue;
        if (other < 0 || strcmp(t->cells[a * t->n_columns + k], from->cells[b * from->n_columns + other]) != 0)
            return false;
    }
    return true;
}

/* Group `row` of the other document: the number of the same one here, or of one that is added. */
static tess_status add_group(group *g, tess_star_table *optics, const tess_star_table *from, int64_t row)
{
    int64_t number, largest = 0;
    TESS_TRY(tess_star_get_i64(&g->from, from, row, group_label));
    for (int64_t r = 0; r < optics->n_rows; r++) {
        TESS_TRY(tess_star_get_i64(&number, optics, r, group_label));
        g->to = number;
        if (same_group(optics, r, from, row)) return TESS_OK;
        largest = number > largest ? number : largest;
    }
    int64_t *columns = tess__alloc((size_t)(optics->n_columns + 1) * sizeof *columns);
    TESS_CHECK(columns, TESS_ENOMEM, "star_merge: no memory for %" PRId64 " columns", optics->n_columns);
    tess_status status = match_columns(columns, optics, from);
    if (status == TESS_OK) status = add_rows(optics, from, columns, &row, 1);
    tess__free(columns);
    TESS_TRY(status);
    g->to = largest + 1;
    TESS_TRY(tess_star_set_i64(optics, optics->n_rows - 1, group_label, g->to));
    return TESS_OK;
}

/* Rows from `first` on came from the other document: the groups that they refer to get their numbers here. */
static tess_status renumber(tess_star_table *t, int64_t first, const group *groups, int64_t n,
                            const tess_star_table *from)
{
    const int64_t column = tess_star_column(t, group_label);
    for (int64_t r = first; column >= 0 && n > 0 && r < t->n_rows; r++) {
        int64_t number, i = 0;
        char    location[160];
        TESS_TRY(tess_star_get_i64(&number, from, r - first, group_label));
        while (i < n && groups[i].from != number) i++;
        TESS_CHECK(i < n, TESS_EFORMAT, "star_merge: %s: optics group %" PRId64 " is not in data_optics",
                   tess__star_location(location, from, r - first), number);
        if (groups[i].to != number) TESS_TRY(tess_star_set_i64(t, r, group_label, groups[i].to));
    }
    return TESS_OK;
}

/* ---- Documents ---- */

static tess_star_table *find_alike(const tess_star *star, const tess_star_table *like)
{
    for (int64_t i = 0; i < star->n_tables; i++)
        if (strcmp(star->tables[i]->name, like->name) == 0 && star->tables[i]->pairs == like->pairs)
            return star->tables[i];
    return NULL;
}

static tess_status merge_table(tess_star *star, const tess_star_table *from, const group *groups, int64_t n)
{
    tess_star_table *t = find_alike(star, from);
    const int64_t    first = t ? t->n_rows : 0;
    if (t && t->pairs) return TESS_OK;
    if (t) TESS_TRY(tess_star_append(t, from));
    else TESS_TRY(tess_star_copy(&t, star, from, NULL, 0));
    if (!t->pairs) TESS_TRY(renumber(t, first, groups, n, from));
    return TESS_OK;
}

static tess_status merge(tess_star *star, const tess_star *from, const tess_star_table *their_optics, group *groups)
{
    tess_star_table *optics = their_optics ? find_alike(star, their_optics) : NULL;
    const int64_t    n = optics ? their_optics->n_rows : 0;
    for (int64_t i = 0; i < n; i++) TESS_TRY(add_group(&groups[i], optics, their_optics, i));
    for (int64_t i = 0; i < from->n_tables; i++)
        if (!optics || from->tables[i] != their_optics) TESS_TRY(merge_table(star, from->tables[i], groups, n));
    return TESS_OK;
}

tess_status tess_star_merge(tess_star *star, const tess_star *from)
{
    TESS_TRY(tess__check_pointer("star_merge", "star", star));
    TESS_TRY(tess__check_pointer("star_merge", "from", from));
    TESS_CHECK(star != from, TESS_EARG, "star_merge: `star` and `from` are the same document");
    const tess_star_table *optics = tess_star_find(from, "optics");
    if (optics && (optics->pairs || tess_star_column(optics, group_label) < 0)) optics = NULL;
    const int64_t n = optics ? optics->n_rows : 0;
    group        *groups = tess__alloc((size_t)(n + 1) * sizeof *groups);
    TESS_CHECK(groups, TESS_ENOMEM, "star_merge: no memory for %" PRId64 " optics groups", n);
    const tess_status status = merge(star, from, optics, groups);
    tess__free(groups);
    TESS_TRY(status);
    return TESS_OK;
}
