/* Joining STAR tables by a column: a hash join, with a table of open addressing over the texts of one of them. */
#include <inttypes.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/memory.h"
#include "io/text/star.h"

/* Which row of `with` has a text in its column. */
typedef struct lookup {
    const tess_star_table *with;
    int64_t                column;
    int64_t               *slots; /* rows, or -1 */
    uint64_t               mask;  /* slots - 1 */
} lookup;

/* FNV-1a. */
static uint64_t hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3;
    return h ^ h >> 29;
}

static const char *key_of(const lookup *l, int64_t row) { return l->with->cells[row * l->with->n_columns + l->column]; }

/* The slot of a text: that of its row, or the free one where it belongs. */
static int64_t *find_slot(const lookup *l, const char *text)
{
    uint64_t at = hash(text) & l->mask;
    while (l->slots[at] >= 0 && strcmp(key_of(l, l->slots[at]), text) != 0) at = (at + 1) & l->mask;
    return &l->slots[at];
}

static tess_status fill_lookup(lookup *l)
{
    for (int64_t r = 0; r < l->with->n_rows; r++) {
        char     location[160];
        int64_t *slot = find_slot(l, key_of(l, r));
        TESS_CHECK(*slot < 0, TESS_EFORMAT,
                   "star_join: %s: %.60s is \"%.60s\", as in an earlier row: keys must be unique",
                   tess__star_location(location, l->with, r), l->with->labels[l->column], key_of(l, r));
        *slot = r;
    }
    return TESS_OK;
}

/* To be freed, also when it fails. */
static tess_status make_lookup(lookup *l, const tess_star_table *with, const char *label)
{
    uint64_t slots = 16;
    *l = (lookup){ .with = with, .column = tess_star_column(with, label) };
    if (l->column < 0) return tess__star_missing("star_join", with, label);
    while (slots < 2 * (uint64_t)with->n_rows) slots *= 2;
    l->slots = tess__alloc(slots * sizeof *l->slots);
    l->mask = slots - 1;
    TESS_CHECK(l->slots, TESS_ENOMEM, "star_join: no memory for %" PRId64 " rows", with->n_rows);
    memset(l->slots, -1, slots * sizeof *l->slots);
    TESS_TRY(fill_lookup(l));
    return TESS_OK;
}

/* Keep the rows that have a partner; `partners` become those of the rows that are left. `rows` has as many numbers. */
static tess_status keep_matched(tess_star_table *t, const lookup *l, const char *label, int64_t *rows,
                                int64_t *partners)
{
    const int64_t column = tess_star_column(t, label);
    int64_t       n = 0;
    for (int64_t r = 0; r < t->n_rows; r++) {
        const int64_t partner = *find_slot(l, t->cells[r * t->n_columns + column]);
        if (partner < 0) continue;
        rows[n] = r;
        partners[n++] = partner;
    }
    if (n < t->n_rows) TESS_TRY(tess_star_select(t, rows, n));
    return TESS_OK;
}

/* Add a column of `with`. Its texts are copied once: `copies` has one for each of its rows. */
static tess_status add_column(tess_star_table *t, const tess_star_table *with, int64_t column, const int64_t *partners,
                              char **copies)
{
    TESS_TRY(tess_star_add_column(t, with->labels[column], ""));
    memset(copies, 0, (size_t)with->n_rows * sizeof *copies);
    for (int64_t r = 0; r < t->n_rows; r++) {
        char      **copy = &copies[partners[r]];
        const char *text = with->cells[partners[r] * with->n_columns + column];
        if (!*copy) TESS_TRY(tess__star_keep_text(copy, t->star, text, (int64_t)strlen(text)));
        t->cells[(r + 1) * t->n_columns - 1] = *copy;
    }
    return TESS_OK;
}

static tess_status join(tess_star_table *t, const lookup *l, const char *label)
{
    const int64_t n = t->n_rows;
    int64_t      *rows = tess__alloc((size_t)(2 * n + 1) * sizeof *rows);
    char        **copies = tess__alloc((size_t)(l->with->n_rows + 1) * sizeof *copies);
    const bool    enough = rows && copies;
    tess_status   status = enough ? keep_matched(t, l, label, rows, rows + n) : TESS_OK;
    for (int64_t k = 0; enough && status == TESS_OK && k < l->with->n_columns; k++)
        if (tess_star_column(t, l->with->labels[k]) < 0) status = add_column(t, l->with, k, rows + n, copies);
    tess__free(rows);
    tess__free(copies);
    TESS_CHECK(enough, TESS_ENOMEM, "star_join: no memory for %" PRId64 " rows", n);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess_star_join(int64_t *n_dropped, tess_star_table *table, const tess_star_table *with, const char *label)
{
    lookup l;
    TESS_TRY(tess__check_pointer("star_join", "table", table));
    TESS_TRY(tess__check_pointer("star_join", "with", with));
    TESS_TRY(tess__check_pointer("star_join", "label", label));
    TESS_CHECK(table != with, TESS_EARG, "star_join: `table` and `with` are the same table: data_%.60s", table->name);
    TESS_CHECK(!table->pairs, TESS_EARG, "star_join: data_%.60s holds pairs, which form a single row", table->name);
    if (tess_star_column(table, label) < 0) return tess__star_missing("star_join", table, label);
    const int64_t n = table->n_rows;
    tess_status   status = make_lookup(&l, with, label);
    if (status == TESS_OK) status = join(table, &l, label);
    tess__free(l.slots);
    TESS_TRY(status);
    if (n_dropped) *n_dropped = n - table->n_rows;
    return TESS_OK;
}
