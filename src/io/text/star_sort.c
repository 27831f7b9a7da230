/* Sorting the rows of a STAR table by a column: a stable merge sort of row numbers. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/memory.h"
#include "io/text/star.h"
#include "io/text/text.h"

typedef struct keys {
    const tess_star_table *table;
    int64_t                column;
    double                *numbers; /* NULL: texts */
    bool                   descending;
} keys;

/* Must row b go before row a, which stands before it? NaN is after all numbers in both directions. */
static bool goes_before(const keys *k, int64_t b, int64_t a)
{
    if (k->numbers) {
        const double x = k->numbers[a], y = k->numbers[b];
        if (isnan(x) || isnan(y)) return isnan(x) && !isnan(y);
        return k->descending ? y > x : y < x;
    }
    const char *const *cells = k->table->cells;
    const int64_t      n = k->table->n_columns;
    const int          order = strcmp(cells[b * n + k->column], cells[a * n + k->column]);
    return k->descending ? order > 0 : order < 0;
}

/* from[low, middle) and from[middle, high) are sorted; `to` becomes all of them. */
static void merge_runs(const keys *k, int64_t *to, const int64_t *from, int64_t low, int64_t middle, int64_t high)
{
    int64_t left = low, right = middle;
    for (int64_t i = low; i < high; i++) {
        const bool take_right = left == middle || (right < high && goes_before(k, from[right], from[left]));
        to[i] = from[take_right ? right++ : left++];
    }
}

/* Runs of 1, 2, 4, … rows, from one half of `rows` to the other. Where the sorted rows are. */
static const int64_t *sort_rows(const keys *k, int64_t *rows, int64_t n)
{
    int64_t *from = rows, *to = rows + n;
    for (int64_t i = 0; i < n; i++) from[i] = i;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t low = 0; low < n; low += 2 * run) {
            const int64_t middle = low + run < n ? low + run : n, high = middle + run < n ? middle + run : n;
            merge_runs(k, to, from, low, middle, high);
        }
        int64_t *other = from;
        from = to;
        to = other;
    }
    return from;
}

/* The column as numbers; false where one is none. */
static bool read_numbers(double *numbers, const tess_star_table *t, int64_t column)
{
    for (int64_t r = 0; r < t->n_rows; r++) {
        const char *text = t->cells[r * t->n_columns + column];
        if (!tess__text_f64(&numbers[r], text, (int64_t)strlen(text))) return false;
    }
    return true;
}

tess_status tess_star_sort(tess_star_table *table, const char *label, bool descending)
{
    TESS_TRY(tess__check_pointer("star_sort", "table", table));
    TESS_TRY(tess__check_pointer("star_sort", "label", label));
    const int64_t column = tess_star_column(table, label), n = table->n_rows;
    if (column < 0) return tess__star_missing("star_sort", table, label);
    double     *numbers = tess__alloc((size_t)(n + 1) * sizeof *numbers);
    int64_t    *rows = tess__alloc((size_t)(2 * n + 1) * sizeof *rows);
    tess_status status = TESS_ENOMEM;
    if (numbers && rows) {
        keys k = { table, column, numbers, descending };
        if (!read_numbers(numbers, table, column)) k.numbers = NULL;
        status = tess_star_select(table, sort_rows(&k, rows, n), n);
    }
    const bool enough = numbers && rows;
    tess__free(numbers);
    tess__free(rows);
    TESS_CHECK(enough, TESS_ENOMEM, "star_sort: no memory for %" PRId64 " rows", n);
    TESS_TRY(status);
    return TESS_OK;
}
