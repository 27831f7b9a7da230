/* Values of STAR tables: texts, numbers, and images of stacks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "io/text/star.h"
#include "io/text/text.h"

/* ---- Texts and numbers ---- */

const char *tess_star_value(const tess_star_table *table, int64_t row, int64_t column)
{
    if (!table || row < 0 || row >= table->n_rows || column < 0 || column >= table->n_columns) return NULL;
    return table->cells[row * table->n_columns + column];
}

static tess_status find_value(const char *fn, const char **value, const tess_star_table *t, int64_t row,
                              const char *label)
{
    TESS_TRY(tess__check_pointer(fn, "table", t));
    TESS_TRY(tess__check_pointer(fn, "label", label));
    const int64_t column = tess_star_column(t, label);
    if (column < 0) return tess__star_missing(fn, t, label);
    TESS_TRY(tess__star_check_row(fn, t, row));
    *value = t->cells[row * t->n_columns + column];
    return TESS_OK;
}

/* "x.star: line 12", "data_particles: row 3" for rows that were not in a file, "data_general" for pairs; `text` has 160
 * bytes. */
const char *tess__star_location(char *text, const tess_star_table *t, int64_t row)
{
    if (t->star->path && t->lines[row]) {
        (void)snprintf(text, 160, "%.100s: line %" PRId64, t->star->path, t->lines[row]);
    } else if (t->pairs) {
        (void)snprintf(text, 160, "%.80s%sdata_%.60s", t->star->path ? t->star->path : "", t->star->path ? ": " : "",
                       t->name);
    } else {
        (void)snprintf(text, 160, "data_%.60s: row %" PRId64, t->name, row);
    }
    return text;
}

static tess_status no_number(const char *fn, const tess_star_table *t, int64_t row, const char *label,
                             const char *value, const char *kind)
{
    char location[160];
    TESS_FAIL(TESS_EFORMAT, "%s: %s: column _%.60s is \"%.40s\"; expected %s", fn,
              tess__star_location(location, t, row), label + (label[0] == '_'), value, kind);
}

tess_status tess_star_get(const char **value, const tess_star_table *table, int64_t row, const char *label)
{
    TESS_TRY(tess__check_pointer("star_get", "value", value));
    TESS_TRY(find_value("star_get", value, table, row, label));
    return TESS_OK;
}

tess_status tess_star_get_f64(double *value, const tess_star_table *table, int64_t row, const char *label)
{
    const char *text = NULL;
    TESS_TRY(tess__check_pointer("star_get_f64", "value", value));
    TESS_TRY(find_value("star_get_f64", &text, table, row, label));
    if (!tess__text_f64(value, text, (int64_t)strlen(text)))
        return no_number("star_get_f64", table, row, label, text, "a number");
    return TESS_OK;
}

tess_status tess_star_get_i64(int64_t *value, const tess_star_table *table, int64_t row, const char *label)
{
    const char *text = NULL;
    TESS_TRY(tess__check_pointer("star_get_i64", "value", value));
    TESS_TRY(find_value("star_get_i64", &text, table, row, label));
    if (!tess__text_i64(value, text, (int64_t)strlen(text)))
        return no_number("star_get_i64", table, row, label, text, "an integer");
    return TESS_OK;
}

static tess_status fill_numbers(double *numbers, const tess_star_table *t, int64_t column)
{
    for (int64_t r = 0; r < t->n_rows; r++) {
        const char *text = t->cells[r * t->n_columns + column];
        if (!tess__text_f64(&numbers[r], text, (int64_t)strlen(text)))
            return no_number("star_numbers", t, r, t->labels[column], text, "a number");
    }
    return TESS_OK;
}

tess_status tess_star_numbers(tess_array *out, const tess_star_table *table, const char *label)
{
    tess_array  numbers = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__check_pointer("star_numbers", "out", out));
    TESS_TRY(tess__check_pointer("star_numbers", "table", table));
    TESS_TRY(tess__check_pointer("star_numbers", "label", label));
    const int64_t column = tess_star_column(table, label);
    if (column < 0) return tess__star_missing("star_numbers", table, label);
    TESS_TRY(tess_empty(&numbers, TESS_SHAPE(table->n_rows, 1, 1, 1), TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, fill_numbers(numbers.data, table, column));
    if (tess__is_empty_out(out)) {
        *out = numbers;
        return TESS_OK;
    }
    TESS_GOTO(done, status, tess_cast(out, &numbers, TESS_DTYPE_NONE, NULL));
done:
    tess_release(&numbers);
    return status;
}

static tess_status set_value(const char *fn, tess_star_table *table, int64_t row, const char *label, const char *value)
{
    char *copy;
    TESS_TRY(tess__check_pointer(fn, "table", table));
    TESS_TRY(tess__check_pointer(fn, "value", value));
    TESS_TRY(tess__star_check_word(fn, "label", label));
    TESS_TRY(tess__star_check_row(fn, table, row));
    TESS_CHECK(tess__star_quote(value, true), TESS_EARG,
               "%s: value of %.60s has a line break, or both kinds of quotes before a space", fn, label);
    if (tess_star_column(table, label) < 0) TESS_TRY(tess_star_add_column(table, label, tess__star_zero));
    TESS_TRY(tess__star_keep_text(&copy, table->star, value, (int64_t)strlen(value)));
    table->cells[row * table->n_columns + tess_star_column(table, label)] = copy;
    return TESS_OK;
}

tess_status tess_star_set(tess_star_table *table, int64_t row, const char *label, const char *value)
{
    TESS_TRY(set_value("star_set", table, row, label, value));
    return TESS_OK;
}

tess_status tess_star_set_f64(tess_star_table *table, int64_t row, const char *label, double value)
{
    char text[32];
    TESS_TRY(set_value("star_set_f64", table, row, label, tess__number_text(text, value)));
    return TESS_OK;
}

tess_status tess_star_set_i64(tess_star_table *table, int64_t row, const char *label, int64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    TESS_TRY(set_value("star_set_i64", table, row, label, text));
    return TESS_OK;
}

/* Numbers as texts: whole ones as they are, others with the fewest digits. */
static tess_status set_texts(tess_star_table *t, int64_t column, const tess_array *numbers)
{
    for (int64_t r = 0; r < t->n_rows; r++) {
        char text[32], *copy = NULL;
        if (numbers->dtype == TESS_I64)
            (void)snprintf(text, sizeof text, "%" PRId64, ((const int64_t *)numbers->data)[r]);
        else if (numbers->dtype == TESS_U64)
            (void)snprintf(text, sizeof text, "%" PRIu64, ((const uint64_t *)numbers->data)[r]);
        else (void)tess__number_text(text, ((const double *)numbers->data)[r]);
        TESS_TRY(tess__star_keep_text(&copy, t->star, text, (int64_t)strlen(text)));
        t->cells[r * t->n_columns + column] = copy;
    }
    return TESS_OK;
}

tess_status tess_star_set_numbers(tess_star_table *table, const char *label, const tess_array *numbers)
{
    tess_array  line = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__check_pointer("star_set_numbers", "table", table));
    TESS_TRY(tess__star_check_word("star_set_numbers", "label", label));
    TESS_TRY(tess__check_pointer("star_set_numbers", "numbers", numbers));
    const tess_shape s = numbers->shape;
    const int64_t    n = s.b * s.d * s.h * s.w;
    const tess_kind  kind = tess_dtype_kind(numbers->dtype);
    TESS_CHECK(n == table->n_rows, TESS_ESHAPE,
               "star_set_numbers: `numbers` has %" PRId64 " elements; data_%.60s has %" PRId64 " rows", n, table->name,
               table->n_rows);
    TESS_CHECK(kind != TESS_KIND_COMPLEX, TESS_EDTYPE, "star_set_numbers: `numbers` is %s; expected real numbers",
               tess_dtype_name(numbers->dtype));
    const tess_dtype as = kind == TESS_KIND_FLOAT ? TESS_F64 : numbers->dtype == TESS_U64 ? TESS_U64 : TESS_I64;
    TESS_GOTO(done, status, tess_cast(&line, numbers, as, NULL));
    if (tess_star_column(table, label) < 0)
        TESS_GOTO(done, status, tess_star_add_column(table, label, tess__star_zero));
    TESS_GOTO(done, status, set_texts(table, tess_star_column(table, label), &line));
done:
    tess_release(&line);
    return status;
}

/* ---- Images ---- */

/* False: no number before the @. */
static bool split_image(int64_t *index, const char **name, const char *text)
{
    const char *at = strchr(text, '@');
    *index = 1;
    *name = at ? at + 1 : text;
    return !at || tess__text_i64(index, text, at - text);
}

tess_status tess_star_image(int64_t *index, const char **name, const char *text)
{
    TESS_TRY(tess__check_pointer("star_image", "index", index));
    TESS_TRY(tess__check_pointer("star_image", "name", name));
    TESS_TRY(tess__check_pointer("star_image", "text", text));
    TESS_CHECK(split_image(index, name, text) && (*name)[0], TESS_EFORMAT,
               "star_image: `text` is \"%.100s\"; expected number@name, such as 000012@stack.mrcs", text);
    TESS_CHECK(*index > 0, TESS_EARG, "star_image: `text` is \"%.100s\"; images are numbered from 1", text);
    return TESS_OK;
}

tess_status tess_star_get_image(int64_t *index, const char **name, const tess_star_table *table, int64_t row,
                                const char *label, int64_t n_images)
{
    const char *text = NULL;
    char        location[160];
    TESS_TRY(tess__check_pointer("star_get_image", "index", index));
    TESS_TRY(tess__check_pointer("star_get_image", "name", name));
    TESS_TRY(find_value("star_get_image", &text, table, row, label));
    if (!split_image(index, name, text) || !(*name)[0])
        return no_number("star_get_image", table, row, label, text, "an image such as 000012@stack.mrcs");
    TESS_CHECK(*index > 0, TESS_EARG, "star_get_image: %s (row %" PRId64 "): \"%.100s\"; images are numbered from 1",
               tess__star_location(location, table, row), row, text);
    TESS_CHECK(n_images == 0 || *index <= n_images, TESS_EARG,
               "star_get_image: %s (row %" PRId64 "): \"%.100s\"; the stack has %" PRId64 " images",
               tess__star_location(location, table, row), row, text, n_images);
    return TESS_OK;
}

tess_status tess_star_set_image(tess_star_table *table, int64_t row, const char *label, int64_t index, const char *name)
{
    char text[4200];
    TESS_TRY(tess__check_pointer("star_set_image", "name", name));
    TESS_CHECK(index > 0, TESS_EARG, "star_set_image: `index` is %" PRId64 "; images are numbered from 1", index);
    TESS_CHECK(snprintf(text, sizeof text, "%06" PRId64 "@%s", index, name) < (int)sizeof text, TESS_EARG,
               "star_set_image: `name` has %zu bytes; up to 4096 are allowed", strlen(name));
    TESS_TRY(tess_star_set(table, row, label, text));
    return TESS_OK;
}
