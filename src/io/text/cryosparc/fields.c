/* Structured NPY headers: a Python dict literal whose descr is a list of (name, type) or (name, type, shape). */
#include "io/text/cryosparc/fields.h"

#include <inttypes.h>
#include <string.h>

#include "core/device/memory.h"
#include "io/text/cryosparc/cs.h"
#include "io/file/grow.h"
#include "tessera/error.h"

typedef struct reader {
    const char      *text;
    int64_t          at, end;
    const char      *name; /* of the file */
    tess__cs_header *header;
} reader;

typedef struct slice {
    const char *text;
    int64_t     n;
} slice;

static tess_status reject(const reader *r, const char *what)
{
    TESS_FAIL(TESS_EFORMAT, "star_read: %s: byte %" PRId64 " of the header: %s", r->name, r->at, what);
}

static char peek(reader *r)
{
    while (r->at < r->end && (r->text[r->at] == ' ' || r->text[r->at] == '\n' || r->text[r->at] == '\t')) r->at++;
    return r->at < r->end ? r->text[r->at] : '\0';
}

static bool take(reader *r, char c)
{
    if (peek(r) != c || c == '\0') return false;
    r->at++;
    return true;
}

static tess_status read_string(reader *r, slice *s)
{
    const char quote = peek(r);
    if (quote != '\'' && quote != '"') return reject(r, "expected a quoted string");
    const char *from = r->text + ++r->at;
    const char *close = memchr(from, quote, (size_t)(r->end - r->at));
    if (!close) return reject(r, "unterminated quote");
    *s = (slice){ from, close - from };
    for (int64_t i = 0; i < s->n; i++)
        if (from[i] == '\\' || (unsigned char)from[i] <= ' ' || from[i] == 127)
            return reject(r, "string contains a blank, a backslash or a control character");
    r->at += s->n + 1;
    return TESS_OK;
}

static tess_status read_number(reader *r, int64_t *number)
{
    const char first = peek(r);
    *number = 0;
    if (first < '0' || first > '9') return reject(r, "expected a number");
    for (; r->at < r->end && r->text[r->at] >= '0' && r->text[r->at] <= '9'; r->at++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, r->text[r->at] - '0', number))
            return reject(r, "number exceeds 2^63");
    return TESS_OK;
}

/* A tuple of sizes: their product, and how many there are. */
static tess_status read_shape(reader *r, int64_t *product, int *rank)
{
    int64_t size;
    bool    comma = true;
    *product = 1;
    *rank = 0;
    if (!take(r, '(')) return reject(r, "expected a shape in parentheses");
    while (!take(r, ')')) {
        if (!comma) return reject(r, "expected a comma between the sizes of a shape");
        TESS_TRY(read_number(r, &size));
        if (__builtin_mul_overflow(*product, size, product)) return reject(r, "shape exceeds 2^63");
        ++*rank;
        comma = take(r, ',');
    }
    return TESS_OK;
}

/* ---- Fields ---- */

/* "<f4", "|S42", ">U10". */
static tess_status set_type(reader *r, tess__cs_field *f, const slice *type)
{
    const char  *at = type->text, *end = type->text + type->n;
    const char   order = at < end && strchr("<>|=", *at) && *at ? *at++ : '<';
    const int    n = type->n < 40 ? (int)type->n : 40;
    const slice *s = type;
    int64_t      size = 0;
    f->kind = at < end ? *at++ : '\0';
    TESS_CHECK(
        f->kind != 'O', TESS_EUNSUPPORTED,
        "star_read: %s: field %.*s holds Python objects, which are not supported; save it with fixed-length strings",
        r->name, (int)(f->name_length < 60 ? f->name_length : 60), f->name);
    if (at == end) return reject(r, "type without a size");
    for (; at < end; at++) {
        if (*at < '0' || *at > '9' || size > TESS__CS_MAX_BYTES)
            return reject(r, "type with an invalid or too large size");
        size = 10 * size + (*at - '0');
    }
    const bool is_whole = f->kind == 'i' || f->kind == 'u';
    const bool is_number = (is_whole && (size == 1 || size == 2 || size == 4 || size == 8)) ||
                           (f->kind == 'f' && (size == 4 || size == 8)) || (f->kind == 'b' && size == 1);
    TESS_CHECK(is_number || ((f->kind == 'S' || f->kind == 'U') && size <= TESS__CS_MAX_BYTES), TESS_EUNSUPPORTED,
               "star_read: %s: field %.*s has type '%.*s'; expected bool, integers, f4, f8, S or U", r->name,
               (int)(f->name_length < 60 ? f->name_length : 60), f->name, n, s->text);
    f->bytes = f->kind == 'U' ? 4 * size : size;
    f->big_endian = order == '>';
    return TESS_OK;
}

static tess_status read_field(reader *r)
{
    tess__cs_header *h = r->header;
    tess__cs_field   f = { .count = 1, .offset = h->row_bytes };
    slice            name, type;
    int              rank;
    if (!take(r, '(')) return reject(r, "expected a field in parentheses");
    TESS_TRY(read_string(r, &name));
    if (name.n == 0) return reject(r, "field without a name");
    if (!take(r, ',')) return reject(r, "expected a comma after the name of a field");
    f.name = name.text;
    f.name_length = name.n;
    TESS_TRY(read_string(r, &type));
    TESS_TRY(set_type(r, &f, &type));
    if (take(r, ',') && peek(r) == '(') TESS_TRY(read_shape(r, &f.count, &rank));
    (void)take(r, ',');
    if (!take(r, ')')) return reject(r, "unterminated parenthesis of a field");
    if (f.count < 1 || f.count > TESS__CS_MAX_BYTES)
        return reject(r, "field without values, or with more than 1048576 per row");
    h->row_bytes += f.bytes * f.count;
    TESS_TRY(tess__grow("star_read", &h->fields, h->n_fields, 1, &h->capacity, sizeof *h->fields));
    h->fields[h->n_fields++] = f;
    return TESS_OK;
}

static tess_status read_fields(reader *r)
{
    bool comma = true;
    TESS_CHECK(peek(r) == '[', TESS_EUNSUPPORTED,
               "star_read: %s: an NPY file of plain numbers, not of rows with named fields as in a .cs file", r->name);
    (void)take(r, '[');
    while (!take(r, ']')) {
        if (!comma) return reject(r, "expected a comma between fields");
        if (r->header->n_fields == TESS__CS_MAX_COLUMNS) return reject(r, "more than 4096 fields");
        TESS_TRY(read_field(r));
        comma = take(r, ',');
    }
    if (r->header->n_fields == 0) return reject(r, "descr has no fields");
    return TESS_OK;
}

/* ---- The dict ---- */

static bool is_key(const slice *key, const char *name)
{
    return key->n == (int64_t)strlen(name) && memcmp(key->text, name, (size_t)key->n) == 0;
}

/* Of rows one after the other, C and Fortran order are the same. */
static tess_status skip_order(reader *r)
{
    (void)peek(r);
    for (int i = 0; i < 2; i++) {
        const char   *word = i ? "False" : "True";
        const int64_t n = i ? 5 : 4;
        if (r->end - r->at >= n && memcmp(r->text + r->at, word, (size_t)n) == 0) return r->at += n, TESS_OK;
    }
    return reject(r, "fortran_order is neither True nor False");
}

static tess_status read_entry(reader *r, int *seen)
{
    slice key;
    int   rank = 1, which;
    TESS_TRY(read_string(r, &key));
    if (!take(r, ':')) return reject(r, "expected a colon after a key");
    if (is_key(&key, "descr")) which = 1;
    else if (is_key(&key, "fortran_order")) which = 2;
    else if (is_key(&key, "shape")) which = 4;
    else return reject(r, "unknown key; expected descr, fortran_order or shape");
    if (*seen & which) return reject(r, "duplicate key");
    *seen |= which;
    if (which == 1) TESS_TRY(read_fields(r));
    else if (which == 2) TESS_TRY(skip_order(r));
    else TESS_TRY(read_shape(r, &r->header->n_rows, &rank));
    if (rank != 1) return reject(r, "shape must have one axis");
    return TESS_OK;
}

tess_status tess__cs_parse(tess__cs_header *header, const char *name, const unsigned char *bytes, int64_t length)
{
    reader  r = { .text = (const char *)bytes, .at = bytes[6] == 1 ? 10 : 12, .end = length, .name = name };
    int     seen = 0;
    bool    comma = true;
    int64_t all;
    *header = (tess__cs_header){ .data_offset = length };
    r.header = header;
    if (!take(&r, '{')) return reject(&r, "expected a dict that begins with {");
    while (!take(&r, '}')) {
        if (!comma) return reject(&r, "expected a comma between entries");
        TESS_TRY(read_entry(&r, &seen));
        comma = take(&r, ',');
    }
    if (seen != 7) return reject(&r, "expected descr, fortran_order and shape");
    if (peek(&r) != '\0' || r.at < r.end) return reject(&r, "unexpected text after the dict");
    if (__builtin_mul_overflow(header->n_rows, header->row_bytes, &all) || header->n_rows > INT32_MAX)
        return reject(&r, "too many rows");
    for (int64_t i = 0; i < header->n_fields; i++)
        if (header->fields[i].bytes == 0 && header->n_rows > 0) return reject(&r, "string field of length 0");
    return TESS_OK;
}
