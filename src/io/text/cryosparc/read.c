/* Reading cryoSPARC's .cs files: rows of structured NPY arrays as texts, a column for each value of a field. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/device/memory.h"
#include "core/check/text.h"
#include "io/text/cryosparc/cs.h"
#include "io/text/cryosparc/fields.h"
#include "io/npy/header.h"
#include "io/text/text.h"

enum { MAX_HEADER = 1 << 24, PART = 1 << 20 /* bytes that are read in one call */ };

bool tess__cs_is(const unsigned char *bytes, int64_t n)
{
    return tess__npy_is(bytes, n) || (n >= 6 && memcmp(bytes,
                                                       "\x94"
                                                       "CSDAT",
                                                       6) == 0);
}

bool tess__cs_is_named(const char *path)
{
    const size_t n = path ? strlen(path) : 0;
    return n > 3 && strcasecmp(path + n - 3, ".cs") == 0;
}

/* ---- Values ---- */

static uint64_t bits_of(const unsigned char *at, int64_t bytes, bool big_endian)
{
    uint64_t bits = 0;
    for (int64_t i = 0; i < bytes; i++) bits = bits << 8 | at[big_endian ? i : bytes - 1 - i];
    return bits;
}

char *tess__cs_float_text(char *text, float value)
{
    double back;
    for (int digits = 6; digits <= 9; digits++) {
        (void)snprintf(text, 32, "%.*g", digits, (double)value);
        for (char *c = text; *c; c++)
            if (*c == ',') *c = '.';
        if (tess__text_f64(&back, text, (int64_t)strlen(text)) && (float)back == value) break;
    }
    return text;
}

static void put_number(char text[32], const tess__cs_field *f, const unsigned char *at)
{
    const uint64_t bits = bits_of(at, f->bytes, f->big_endian);
    const int      unused = 64 - 8 * (int)f->bytes;
    if (f->kind == 'b') (void)snprintf(text, 32, "%d", bits != 0);
    else if (f->kind == 'u') (void)snprintf(text, 32, "%" PRIu64, bits);
    else if (f->kind == 'i') (void)snprintf(text, 32, "%" PRId64, (int64_t)(bits << unused) >> unused);
    else if (f->bytes == 4) {
        const uint32_t half = (uint32_t)bits;
        float          value;
        memcpy(&value, &half, sizeof value);
        (void)tess__cs_float_text(text, value);
    } else {
        double value;
        memcpy(&value, &bits, sizeof value);
        (void)tess__number_text(text, value);
    }
}

/* A code point as UTF-8; those that are none, and control characters, are a question mark. */
static char *put_letter(char *to, uint64_t code)
{
    if (code < ' ' || code == 127 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = '?';
    if (code < 0x80) return *to++ = (char)code, to;
    if (code < 0x800) return *to++ = (char)(0xc0 | code >> 6), *to++ = (char)(0x80 | (code & 63)), to;
    if (code < 0x10000) *to++ = (char)(0xe0 | code >> 12);
    else *to++ = (char)(0xf0 | code >> 18), *to++ = (char)(0x80 | (code >> 12 & 63));
    *to++ = (char)(0x80 | (code >> 6 & 63));
    return *to++ = (char)(0x80 | (code & 63)), to;
}

/* Bytes or code points without the zeros behind them; `text` has room for f->bytes + 1. */
static void put_text(char *text, const tess__cs_field *f, const unsigned char *at)
{
    const int64_t unit = f->kind == 'U' ? 4 : 1;
    int64_t       n = f->bytes / unit;
    while (n > 0 && bits_of(at + (n - 1) * unit, unit, false) == 0) n--;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t code = bits_of(at + i * unit, unit, f->big_endian);
        if (f->kind == 'U') text = put_letter(text, code);
        else *text++ = code < ' ' || code == 127 ? '?' : (char)code;
    }
    *text = '\0';
}

/* ---- Rows ---- */

typedef struct rows {
    tess_star_table       *table;
    const tess__cs_header *header;
    unsigned char         *bytes; /* a part of the rows */
    char                  *text;  /* of the longest value */
} rows;

/* The cells of row r, whose bytes are `row`; `before` are those of the row before it, or NULL: equal values share a
 * text. */
static tess_status take_row(const rows *all, int64_t r, const unsigned char *row, const unsigned char *before)
{
    tess_star_table *t = all->table;
    const char     **cells = t->cells + r * t->n_columns;
    for (int64_t i = 0; i < all->header->n_fields; i++) {
        const tess__cs_field *f = &all->header->fields[i];
        for (int64_t k = 0; k < f->count; k++, cells++) {
            const int64_t at = f->offset + k * f->bytes;
            char         *copy;
            if (before && memcmp(row + at, before + at, (size_t)f->bytes) == 0) {
                *cells = cells[-t->n_columns];
                continue;
            }
            if (f->kind == 'S' || f->kind == 'U') put_text(all->text, f, row + at);
            else put_number(all->text, f, row + at);
            TESS_TRY(tess__star_keep_text(&copy, t->star, all->text, (int64_t)strlen(all->text)));
            *cells = copy;
        }
    }
    return TESS_OK;
}

static tess_status take_rows(const rows *all, tess__source *source)
{
    const tess__cs_header *h = all->header;
    const int64_t          part = h->row_bytes < PART ? PART / h->row_bytes : 1;
    for (int64_t first = 0; first < h->n_rows; first += part) {
        const int64_t n = h->n_rows - first < part ? h->n_rows - first : part;
        TESS_TRY(tess__source_read_all(source, h->data_offset + first * h->row_bytes, all->bytes, n * h->row_bytes,
                                       "the rows"));
        for (int64_t i = 0; i < n; i++) {
            const unsigned char *row = all->bytes + i * h->row_bytes;
            TESS_TRY(take_row(all, first + i, row, i ? row - h->row_bytes : NULL));
        }
    }
    return TESS_OK;
}

/* "blob/path", or "blob/shape_0" and so on of several values. */
static tess_status add_columns(tess_star_table *t, const tess__cs_header *h, const char *name)
{
    char label[256];
    for (int64_t i = 0; i < h->n_fields; i++) {
        const tess__cs_field *f = &h->fields[i];
        TESS_CHECK(f->name_length <= TESS__CS_MAX_NAME, TESS_EUNSUPPORTED,
                   "star_read: %s: a field name has %" PRId64 " characters; at most %d are allowed", name,
                   f->name_length, TESS__CS_MAX_NAME);
        for (int64_t k = 0; k < f->count; k++) {
            const int n = snprintf(label, sizeof label, "%.*s", (int)f->name_length, f->name);
            if (f->count > 1) (void)snprintf(label + n, sizeof label - (size_t)n, "_%" PRId64, k);
            TESS_CHECK(t->n_columns < TESS__CS_MAX_COLUMNS, TESS_EUNSUPPORTED,
                       "star_read: %s: more than %d values per row", name, TESS__CS_MAX_COLUMNS);
            TESS_CHECK(tess_star_column(t, label) < 0, TESS_EFORMAT, "star_read: %s: duplicate field %.60s", name,
                       label);
            TESS_TRY(tess_star_add_column(t, label, ""));
        }
    }
    return TESS_OK;
}

static tess_status fill(rows *all, tess__source *source)
{
    const tess__cs_header *h = all->header;
    const char            *name = tess__source_name(source);
    const int64_t          size = tess__source_size(source), needed = h->data_offset + h->n_rows * h->row_bytes;
    int64_t                longest = 32;
    TESS_CHECK(size < 0 || size >= needed, TESS_EFORMAT,
               "star_read: %s: %" PRId64 " rows of %" PRId64 " bytes need %" PRId64 " bytes; the file has %" PRId64,
               name, h->n_rows, h->row_bytes, needed, size);
    TESS_TRY(add_columns(all->table, h, name));
    TESS_TRY(tess_star_add_rows(all->table, h->n_rows));
    for (int64_t i = 0; i < h->n_fields; i++)
        if (h->fields[i].bytes >= longest) longest = h->fields[i].bytes + 1;
    all->bytes = tess__alloc((size_t)(h->row_bytes < PART ? PART : h->row_bytes));
    all->text = tess__alloc((size_t)longest);
    TESS_CHECK(all->bytes && all->text, TESS_ENOMEM, "star_read: %s: no memory for its rows", name);
    if (h->row_bytes > 0) TESS_TRY(take_rows(all, source));
    return TESS_OK;
}

static tess_status read_header(tess__cs_header *h, unsigned char **bytes, tess__source *source)
{
    unsigned char start[TESS__NPY_START];
    const char   *name = tess__source_name(source);
    int64_t       n, length;
    TESS_TRY(tess__source_read(source, 0, start, sizeof start, &n));
    TESS_CHECK(start[0] != 0x94, TESS_EUNSUPPORTED,
               "star_read: %s: datasets of compressed columns (CSDAT) are not supported; save it as a NumPy array "
               "(cryosparc-tools: format=NUMPY_FORMAT)",
               name);
    TESS_TRY(tess__npy_length(&length, name, start, n));
    TESS_CHECK(length <= MAX_HEADER && length <= tess__source_size(source), TESS_EFORMAT,
               "star_read: %s: its header claims %" PRId64 " bytes; the file has %" PRId64, name, length,
               tess__source_size(source));
    *bytes = tess__alloc((size_t)length);
    TESS_CHECK(*bytes, TESS_ENOMEM, "star_read: %s: no memory for a header of %" PRId64 " bytes", name, length);
    TESS_TRY(tess__source_read_all(source, 0, *bytes, length, "the header"));
    TESS_TRY(tess__cs_parse(h, name, *bytes, length));
    return TESS_OK;
}

tess_status tess__cs_read(tess_star *star, tess__source *source)
{
    tess__cs_header header = { .fields = NULL };
    rows            all = { .header = &header };
    unsigned char  *bytes = NULL;
    tess_status     status;
    TESS_GOTO(done, status, read_header(&header, &bytes, source));
    TESS_GOTO(done, status, tess_star_add(&all.table, star, TESS__CS_TABLE, false));
    TESS_GOTO(done, status, fill(&all, source));
done:
    tess__free(all.bytes);
    tess__free(all.text);
    tess__free(header.fields);
    tess__free(bytes);
    return status;
}
