/* One STAR table as delimiter-separated values (TSV; CSV after RFC 4180), JSON, or aligned columns. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/memory.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "io/text/star.h"
#include "io/text/text.h"

static const tess_choice   forms[] = { { "tsv", TESS_STAR_TSV, "tabs between fields" },
                                       { "csv", TESS_STAR_CSV, "commas between fields" },
                                       { "json", TESS_STAR_JSON, "a list of objects" },
                                       { "aligned", TESS_STAR_ALIGNED, "aligned columns for reading" },
                                       { NULL, 0, NULL } };
static const tess_arg_info args[] = {
    TESS__NEED(TESS_ARG_PATH, "path", "name of the file"),
    TESS__NEED(TESS_ARG_OBJECT, "table", "the table"),
    TESS__FLAG(tess_star_table_opts, overwrite, "overwrite an existing file"),
    TESS__OPT_CHOICE(tess_star_table_opts, form, TESS_STAR_TSV, forms, "table format"),
};
const tess_function_info tess__info_star_write_table = TESS__INFO_OPTS(
    "star_write_table", "star", "Write a STAR table as TSV, CSV, JSON or columns.", args, tess_star_table_opts);

/* ---- Fields between separators ---- */

/* In quotes if it holds a separator, a quote, or blanks at its ends, which readers drop. */
static tess_status put_field(tess__text_out *out, const char *text, char separator)
{
    const size_t n = strlen(text);
    const bool   ends = n > 0 && (text[0] == ' ' || text[0] == '#' || text[n - 1] == ' ');
    if (!ends && !strchr(text, separator) && !strchr(text, '"') && !strchr(text, '\r'))
        return tess__text_put(out, text, (int64_t)n);
    TESS_TRY(tess__text_put(out, "\"", 1));
    for (const char *c = text; *c; c++) TESS_TRY(tess__text_put(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1));
    TESS_TRY(tess__text_put(out, "\"", 1));
    return TESS_OK;
}

static tess_status put_separated(tess__text_out *out, const tess_star_table *t, char separator)
{
    for (int64_t r = -1; r < t->n_rows; r++) {
        for (int64_t k = 0; k < t->n_columns; k++) {
            if (k) TESS_TRY(tess__text_put(out, &separator, 1));
            TESS_TRY(put_field(out, r < 0 ? t->labels[k] + 1 : t->cells[r * t->n_columns + k], separator));
        }
        TESS_TRY(tess__text_put(out, "\n", 1));
    }
    return TESS_OK;
}

/* ---- JSON ---- */

static tess_status put_json_text(tess__text_out *out, const char *text)
{
    TESS_TRY(tess__text_put(out, "\"", 1));
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        char escaped[8];
        if (*c == '"' || *c == '\\') (void)snprintf(escaped, sizeof escaped, "\\%c", *c);
        else if (*c < ' ') (void)snprintf(escaped, sizeof escaped, "\\u%04x", *c);
        else (void)snprintf(escaped, sizeof escaped, "%c", *c);
        TESS_TRY(tess__text_put_string(out, escaped));
    }
    TESS_TRY(tess__text_put(out, "\"", 1));
    return TESS_OK;
}

/* A number as JSON has them, without + and zeros before it, and with digits on both sides of a point. */
static bool is_json_number(const char *text)
{
    text += text[0] == '-';
    const size_t      n = strspn(text, "0123456789");
    const char *const point = text + n;
    return n > 0 && (text[0] != '0' || n == 1) && (*point != '.' || strspn(point + 1, "0123456789") > 0);
}

/* Texts that begin as "007" does are no numbers: they are names more often. */
static bool is_padded(const char *text) { return text[0] == '0' && text[1] >= '0' && text[1] <= '9'; }

static tess_status put_json_value(tess__text_out *out, const char *text)
{
    double value;
    char   number[32];
    if (is_padded(text) || !tess__text_f64(&value, text, (int64_t)strlen(text))) return put_json_text(out, text);
    if (!isfinite(value)) return tess__text_put_string(out, "null");
    return tess__text_put_string(out, is_json_number(text) ? text : tess__number_text(number, value));
}

static tess_status put_json(tess__text_out *out, const tess_star_table *t)
{
    for (int64_t r = 0; r < t->n_rows; r++) {
        TESS_TRY(tess__text_put_string(out, r ? ",\n {" : "[{"));
        for (int64_t k = 0; k < t->n_columns; k++) {
            if (k) TESS_TRY(tess__text_put_string(out, ", "));
            TESS_TRY(put_json_text(out, t->labels[k] + 1));
            TESS_TRY(tess__text_put_string(out, ": "));
            TESS_TRY(put_json_value(out, t->cells[r * t->n_columns + k]));
        }
        TESS_TRY(tess__text_put_string(out, "}"));
    }
    TESS_TRY(tess__text_put_string(out, t->n_rows ? "]\n" : "[]\n"));
    return TESS_OK;
}

/* ---- Columns for people ---- */

/* Letters of a UTF-8 text. */
static int64_t letters(const char *text)
{
    int64_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static tess_status put_blanks(tess__text_out *out, int64_t n)
{
    static const char blanks[] = "                                ";
    for (; n > 0; n -= 32) TESS_TRY(tess__text_put(out, blanks, n < 32 ? n : 32));
    return TESS_OK;
}

static tess_status put_aligned_rows(tess__text_out *out, const tess_star_table *t, const int64_t *widths)
{
    for (int64_t r = -1; r < t->n_rows; r++) {
        for (int64_t k = 0; k < t->n_columns; k++) {
            const char *text = r < 0 ? t->labels[k] + 1 : t->cells[r * t->n_columns + k];
            TESS_TRY(put_blanks(out, widths[k] - letters(text) + (k ? 2 : 0)));
            TESS_TRY(tess__text_put_string(out, text));
        }
        TESS_TRY(tess__text_put(out, "\n", 1));
    }
    return TESS_OK;
}

static tess_status put_aligned(tess__text_out *out, const tess_star_table *t)
{
    int64_t *widths = tess__alloc((size_t)(t->n_columns + 1) * sizeof *widths);
    TESS_CHECK(widths, TESS_ENOMEM, "star_write_table: no memory for %" PRId64 " columns", t->n_columns);
    for (int64_t k = 0; k < t->n_columns; k++) widths[k] = letters(t->labels[k] + 1);
    for (int64_t i = 0; i < t->n_rows * t->n_columns; i++) {
        const int64_t n = letters(t->cells[i]), k = i % t->n_columns;
        widths[k] = n > widths[k] ? n : widths[k];
    }
    const tess_status status = put_aligned_rows(out, t, widths);
    tess__free(widths);
    return status;
}

tess_status tess_star_write_table(const char *path, const tess_star_table *table, const tess_star_table_opts *opts)
{
    tess_star_table_opts o;
    tess__text_out      *out;
    tess_status          status;
    TESS_TRY(tess__resolve(&tess__info_star_write_table, opts, &o));
    TESS_TRY(tess__check_pointer("star_write_table", "table", table));
    TESS_TRY(tess__text_out_open(&out, "star_write_table", path, o.overwrite != 0));
    switch ((tess_star_form)o.form) {
    case TESS_STAR_CSV: status = put_separated(out, table, ','); break;
    case TESS_STAR_JSON: status = put_json(out, table); break;
    case TESS_STAR_ALIGNED: status = put_aligned(out, table); break;
    default: status = put_separated(out, table, '\t'); break;
    }
    TESS_TRY(tess__text_out_close(out, status));
    return TESS_OK;
}
