/* STAR writer: columns are numbered anew and aligned. */
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "io/text/star.h"
#include "io/text/cryosparc/cs.h"
#include "io/text/text.h"

static const tess_arg_info args[] = {
    TESS__NEED(TESS_ARG_PATH, "path", "name of the file"),
    TESS__NEED(TESS_ARG_OBJECT, "star", "the document"),
    TESS__FLAG(tess_star_opts, overwrite, "overwrite an existing file"),
};
const tess_function_info tess__info_star_write =
    TESS__INFO_OPTS("star_write", "star", "Write a STAR document to a file.", args, tess_star_opts);

enum { WIDEST = 32 /* columns are padded to their longest value, but not beyond this */ };

/* ---- Quotes ---- */

/* Would it close a word in these quotes before its end? */
static bool closes(const char *value, char quote)
{
    for (; *value; value++)
        if (*value == quote && tess__is_blank(value[1])) return true;
    return false;
}

char tess__star_quote(const char *value, bool first)
{
    bool blank = value[0] == '\0';
    for (const char *c = value; *c; c++) {
        if (*c == '\n') return 0;
        blank |= tess__is_blank(*c);
    }
    const bool special = value[0] && strchr("'\"#;", value[0]);
    const bool keyword =
        first && (value[0] == '_' || tess__star_begins(value, "data_") || tess__star_begins(value, "loop_"));
    if (!blank && !special && !keyword) return ' ';
    return !closes(value, '"') ? '"' : !closes(value, '\'') ? '\'' : '\0';
}

/* ---- Lines ---- */

static tess_status put_padding(tess__text_out *out, int64_t n)
{
    static const char blanks[WIDEST + 1] = "                                ";
    if (n > 0) TESS_TRY(tess__text_put(out, blanks, n < WIDEST ? n : WIDEST));
    return TESS_OK;
}

/* A value, as wide as its column. */
static tess_status put_value(tess__text_out *out, const char *value, bool first, int64_t width)
{
    const char    quote = tess__star_quote(value, first);
    const int64_t n = (int64_t)strlen(value) + (quote == ' ' ? 0 : 2);
    TESS_TRY(put_padding(out, width - n));
    if (quote != ' ') TESS_TRY(tess__text_put(out, &quote, 1));
    TESS_TRY(tess__text_put_string(out, value));
    if (quote != ' ') TESS_TRY(tess__text_put(out, &quote, 1));
    return TESS_OK;
}

/* The comments before a row, or those behind it; *next moves on. */
static tess_status put_comments(tess__text_out *out, const tess_star_table *t, int64_t *next, int64_t row, bool behind)
{
    for (; *next < t->n_comments; ++*next) {
        const tess__star_comment *c = &t->comments[*next];
        if (c->row > row || c->behind != behind) break;
        if (behind) TESS_TRY(tess__text_put(out, "  ", 2));
        TESS_TRY(tess__text_put_string(out, c->text));
        if (!behind) TESS_TRY(tess__text_put(out, "\n", 1));
    }
    return TESS_OK;
}

static tess_status put_pairs(tess__text_out *out, const tess_star_table *t)
{
    int64_t next = 0;
    for (int64_t k = 0; k < t->n_columns; k++) {
        const int64_t n = (int64_t)strlen(t->labels[k]);
        TESS_TRY(put_comments(out, t, &next, k, false));
        TESS_TRY(tess__text_put(out, t->labels[k], n));
        TESS_TRY(put_padding(out, WIDEST - n));
        TESS_TRY(tess__text_put(out, " ", 1));
        TESS_TRY(put_value(out, t->cells[k], false, 0));
        TESS_TRY(put_comments(out, t, &next, k, true));
        TESS_TRY(tess__text_put(out, "\n", 1));
    }
    TESS_TRY(put_comments(out, t, &next, t->n_columns, false));
    return TESS_OK;
}

/* How wide each column is, row by row as they lie in memory; to be freed. */
static tess_status find_widths(int64_t **widths, const tess_star_table *t)
{
    *widths = tess__alloc((size_t)(t->n_columns + 1) * sizeof **widths);
    TESS_CHECK(*widths, TESS_ENOMEM, "star_write: no memory for %lld columns", (long long)t->n_columns);
    memset(*widths, 0, (size_t)(t->n_columns + 1) * sizeof **widths);
    for (int64_t r = 0; r < t->n_rows; r++) {
        for (int64_t k = 0; k < t->n_columns; k++) {
            int64_t *width = &(*widths)[k];
            if (*width == WIDEST) continue;
            const char   *value = t->cells[r * t->n_columns + k];
            const int64_t n = (int64_t)strlen(value) + (tess__star_quote(value, k == 0) == ' ' ? 0 : 2);
            *width = n < *width ? *width : n < WIDEST ? n : WIDEST;
        }
    }
    return TESS_OK;
}

static tess_status put_rows(tess__text_out *out, const tess_star_table *t, const int64_t *widths, int64_t next)
{
    for (int64_t r = 0; r < t->n_rows; r++) {
        TESS_TRY(put_comments(out, t, &next, r, false));
        for (int64_t k = 0; k < t->n_columns; k++) {
            if (k) TESS_TRY(tess__text_put(out, " ", 1));
            TESS_TRY(put_value(out, t->cells[r * t->n_columns + k], k == 0, widths[k]));
        }
        TESS_TRY(put_comments(out, t, &next, r, true));
        TESS_TRY(tess__text_put(out, "\n", 1));
    }
    TESS_TRY(put_comments(out, t, &next, t->n_rows, false));
    return TESS_OK;
}

static tess_status put_loop(tess__text_out *out, const tess_star_table *t)
{
    int64_t *widths, next = 0;
    char     number[32];
    TESS_TRY(put_comments(out, t, &next, -1, false));
    TESS_TRY(tess__text_put_string(out, "loop_\n"));
    for (int64_t k = 0; k < t->n_columns; k++) {
        (void)snprintf(number, sizeof number, " #%lld\n", (long long)k + 1);
        TESS_TRY(tess__text_put_string(out, t->labels[k]));
        TESS_TRY(tess__text_put_string(out, number));
    }
    TESS_TRY(find_widths(&widths, t));
    const tess_status status = t->n_columns ? put_rows(out, t, widths, next) : TESS_OK;
    tess__free(widths);
    TESS_TRY(status);
    return TESS_OK;
}

/* In one block a table without columns takes in the one that follows, and a loop without rows the labels of pairs. */
static bool takes_in(const tess_star_table *t, const tess_star_table *next)
{
    return t->n_columns == 0 || (!t->pairs && t->n_rows == 0 && next->pairs);
}

/* `before` is the table before it, or NULL. */
static tess_status put_table(tess__text_out *out, const tess_star_table *t, const tess_star_table *before)
{
    TESS_TRY(tess__text_put_string(out, "\n"));
    if (t->comment) {
        TESS_TRY(tess__text_put_string(out, t->comment));
        TESS_TRY(tess__text_put_string(out, "\n"));
    }
    if (!t->continues || !before || takes_in(before, t)) {
        TESS_TRY(tess__text_put_string(out, "data_"));
        TESS_TRY(tess__text_put_string(out, t->name));
        TESS_TRY(tess__text_put_string(out, "\n\n"));
    }
    TESS_TRY(t->pairs ? put_pairs(out, t) : put_loop(out, t));
    return TESS_OK;
}

tess_status tess_star_write(const char *path, const tess_star *star, const tess_star_opts *opts)
{
    tess_star_opts  o;
    tess__text_out *out;
    tess_status     status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_star_write, opts, &o));
    TESS_TRY(tess__check_pointer("star_write", "star", star));
    TESS_TRY(tess__check_pointer("star_write", "path", path));
    if (tess__cs_is_named(path)) {
        TESS_TRY(tess__error_under(tess__cs_write(path, star, o.overwrite != 0), "star_write"));
        return TESS_OK;
    }
    TESS_TRY(tess__text_out_open(&out, "star_write", path, o.overwrite != 0));
    for (int64_t i = 0; i < star->n_tables && status == TESS_OK; i++)
        status = put_table(out, star->tables[i], i ? star->tables[i - 1] : NULL);
    TESS_TRY(tess__text_out_close(out, status));
    return TESS_OK;
}
