/* Comments inside tables of STAR documents: each stands before or behind a row, and goes where the row goes. */
#include "core/device/memory.h"
#include "io/file/grow.h"
#include "io/text/star.h"

tess_status tess__star_add_comment(tess_star_table *t, int64_t row, bool behind, const char *text)
{
    TESS_TRY(tess__grow("star", &t->comments, t->n_comments, 1, &t->comment_capacity, sizeof *t->comments));
    t->comments[t->n_comments++] = (tess__star_comment){ row, behind, text };
    return TESS_OK;
}

/* The first comment of this row or a later one, by bisection. */
static int64_t find_first(const tess__star_comments *from, int64_t row)
{
    int64_t low = 0, high = from->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (from->comments[middle].row < row) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The comments of row `row`, as those of row `as`. */
static tess_status add_of_row(tess_star_table *t, int64_t as, const tess__star_comments *from, int64_t row)
{
    for (int64_t i = find_first(from, row); i < from->n && from->comments[i].row == row; i++)
        TESS_TRY(tess__star_add_comment(t, as, from->comments[i].behind, from->comments[i].text));
    return TESS_OK;
}

tess_status tess__star_add_comments(tess_star_table *t, int64_t first, const tess__star_comments *from,
                                    const int64_t *rows, int64_t n)
{
    if (from->n == 0) return TESS_OK;
    if (first == 0) TESS_TRY(add_of_row(t, -1, from, -1));
    for (int64_t i = 0; i < n; i++) TESS_TRY(add_of_row(t, first + i, from, rows ? rows[i] : i));
    TESS_TRY(add_of_row(t, first + n, from, from->n_rows));
    return TESS_OK;
}

void tess__star_drop_comments(tess_star_table *t, int64_t column)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < t->n_comments; i++) {
        tess__star_comment c = t->comments[i];
        if (c.row == column) continue;
        c.row -= c.row > column;
        t->comments[kept++] = c;
    }
    t->n_comments = kept;
}
