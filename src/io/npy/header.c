/* NPY header (magic, version, Python dict literal): parser and writer. */
#include "io/npy/header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/check/text.h"
#include "io/file/byteswap.h"
#include "tessera/error.h"

static const char magic[6] = "\x93NUMPY";

/* The element types that both sides have, without the mark of the byte order. */
static const struct descr {
    char       text[4];
    tess_dtype dtype;
} descrs[] = {
    { "b1", TESS_BOOL }, { "i1", TESS_I8 },  { "i2", TESS_I16 }, { "i4", TESS_I32 },  { "i8", TESS_I64 },
    { "u1", TESS_U8 },   { "u2", TESS_U16 }, { "u4", TESS_U32 }, { "u8", TESS_U64 },  { "f2", TESS_F16 },
    { "f4", TESS_F32 },  { "f8", TESS_F64 }, { "c8", TESS_C32 }, { "c16", TESS_C64 },
};

bool tess__npy_is(const unsigned char *bytes, int64_t n) { return n >= 6 && memcmp(bytes, magic, 6) == 0; }

tess_status tess__npy_length(int64_t *length, const char *name, const unsigned char *start, int64_t n)
{
    TESS_CHECK(tess__npy_is(start, n), TESS_EFORMAT, "open: %s: not NPY data: \\x93NUMPY is missing", name);
    TESS_CHECK(n >= 10, TESS_EFORMAT, "open: %s: the NPY header ends at byte %" PRId64 ", before its length", name, n);
    const int version = start[6];
    TESS_CHECK(version >= 1 && version <= 3, TESS_EUNSUPPORTED,
               "open: %s: NPY version %d.%d is not supported; expected 1, 2 or 3", name, version, start[7]);
    if (version == 1) {
        *length = 10 + (start[8] | start[9] << 8);
        return TESS_OK;
    }
    TESS_CHECK(n >= 12, TESS_EFORMAT, "open: %s: the NPY header ends at byte %" PRId64 ", before its length", name, n);
    *length = 12 + (int64_t)((uint32_t)start[8] | (uint32_t)start[9] << 8 | (uint32_t)start[10] << 16 |
                             (uint32_t)start[11] << 24);
    return TESS_OK;
}

/* ---- Reading the dict ---- */

/* The parser's position. Positions in messages count from the start of the header. */
typedef struct reader {
    const char *text;
    int64_t     at, end;
    const char *name; /* of the file */
    tess__npy  *npy;
} reader;

/* A string of the text, without its quotes. */
typedef struct slice {
    const char *text;
    int         n; /* cut at 40 for messages */
    int64_t     length;
} slice;

static void skip_space(reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", r->text[r->at]) && r->text[r->at]) r->at++;
}

/* The next character that is no space; 0 at the end. */
static char peek(reader *r)
{
    skip_space(r);
    return r->at < r->end ? r->text[r->at] : '\0';
}

static bool take(reader *r, char c)
{
    if (peek(r) != c) return false;
    r->at++;
    return true;
}

static tess_status reject(const reader *r, const char *what)
{
    TESS_FAIL(TESS_EFORMAT, "open: %s: byte %" PRId64 " of the NPY header: %s", r->name, r->at, what);
}

static tess_status read_string(reader *r, slice *s)
{
    const char quote = peek(r);
    if (quote != '\'' && quote != '"') return reject(r, "expected a quoted string");
    const char *from = r->text + ++r->at;
    const char *close = memchr(from, quote, (size_t)(r->end - r->at));
    if (!close) return reject(r, "unterminated quote");
    s->text = from;
    s->length = close - from;
    s->n = s->length < 40 ? (int)s->length : 40;
    for (int64_t i = 0; i < s->length; i++)
        if (from[i] == '\\' || (unsigned char)from[i] < ' ') return reject(r, "string with an invalid character");
    r->at += s->length + 1;
    return TESS_OK;
}

static bool is_text(const slice *s, const char *text)
{
    return s->length == (int64_t)strlen(text) && memcmp(s->text, text, (size_t)s->length) == 0;
}

/* A type that Python knows and we do not: objects, text, records, dates, long doubles. */
static bool is_foreign(const slice *kind)
{
    static const char *const wide[] = { "f16", "f12", "c32", "c24" };
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (is_text(kind, wide[i])) return true;
    return kind->length > 0 && strchr("OSUVMmat", kind->text[0]);
}

static tess_status read_descr(reader *r)
{
    slice s;
    TESS_CHECK(peek(r) != '[' && peek(r) != '(', TESS_EUNSUPPORTED,
               "open: %s: descr is a structured type; expected plain numbers", r->name);
    TESS_TRY(read_string(r, &s));
    slice      kind = s;
    const char order = s.length > 0 && strchr("<>|=", s.text[0]) ? s.text[0] : '\0';
    if (order) kind.text++, kind.length--;
    for (size_t i = 0; i < sizeof descrs / sizeof *descrs; i++) {
        if (!is_text(&kind, descrs[i].text)) continue;
        r->npy->dtype = descrs[i].dtype;
        r->npy->big_endian = order == '>' || (order != '<' && !tess__is_little_endian());
        return TESS_OK;
    }
    TESS_CHECK(
        !is_foreign(&kind), TESS_EUNSUPPORTED,
        "open: %s: descr is '%.*s'; expected bool, integers, floats, or complex numbers of up to 8 bytes per part",
        r->name, s.n, s.text);
    TESS_FAIL(TESS_EFORMAT, "open: %s: descr is '%.*s', which is not an element type", r->name, s.n, s.text);
}

static bool take_word(reader *r, const char *word)
{
    const int64_t n = (int64_t)strlen(word);
    skip_space(r);
    if (r->end - r->at < n || memcmp(r->text + r->at, word, (size_t)n) != 0) return false;
    r->at += n;
    return true;
}

static tess_status read_order(reader *r)
{
    r->npy->fortran = take_word(r, "True");
    if (!r->npy->fortran && !take_word(r, "False")) return reject(r, "fortran_order is neither True nor False");
    return TESS_OK;
}

static tess_status read_size(reader *r, int64_t *size)
{
    const char c = peek(r);
    if (c == '-') return reject(r, "shape has a negative size");
    if (c < '0' || c > '9') return reject(r, "shape contains something that is not a number");
    if (c == '0' && r->at + 1 < r->end && r->text[r->at + 1] >= '0' && r->text[r->at + 1] <= '9')
        return reject(r, "shape contains a number with a leading 0");
    *size = 0;
    for (; r->at < r->end && r->text[r->at] >= '0' && r->text[r->at] <= '9'; r->at++)
        if (__builtin_mul_overflow(*size, 10, size) || __builtin_add_overflow(*size, r->text[r->at] - '0', size))
            return reject(r, "shape contains a size beyond 2^63");
    if (r->at < r->end && r->text[r->at] == 'L') r->at++; /* Python 2 */
    return TESS_OK;
}

static tess_status read_shape(reader *r)
{
    int64_t rank = 0;
    if (!take(r, '(')) return reject(r, "shape is not a tuple");
    bool comma = false;
    while (!take(r, ')')) {
        int64_t size = 0;
        if (rank > 0 && !comma) return reject(r, "shape lacks a comma between its sizes");
        TESS_TRY(read_size(r, &size));
        if (rank < 4) r->npy->sizes[rank] = size;
        rank++;
        comma = take(r, ',');
    }
    if (rank == 1 && !comma) return reject(r, "shape is not a tuple: (5,) needs its comma");
    TESS_CHECK(rank <= 4, TESS_EUNSUPPORTED, "open: %s: shape has %" PRId64 " axes; up to 4 are supported", r->name,
               rank);
    r->npy->rank = (int)rank;
    return TESS_OK;
}

static const struct entry {
    const char *key;
    tess_status (*read)(reader *r);
} entries[] = { { "descr", read_descr }, { "fortran_order", read_order }, { "shape", read_shape } };

enum { ENTRIES = sizeof entries / sizeof *entries };

static tess_status read_entry(reader *r, bool seen[ENTRIES])
{
    slice key;
    TESS_TRY(read_string(r, &key));
    if (!take(r, ':')) return reject(r, "expected a colon after a key");
    for (int i = 0; i < ENTRIES; i++) {
        if (!is_text(&key, entries[i].key)) continue;
        if (seen[i]) return reject(r, "duplicate key");
        seen[i] = true;
        TESS_TRY(entries[i].read(r));
        return TESS_OK;
    }
    TESS_FAIL(TESS_EFORMAT,
              "open: %s: byte %" PRId64
              " of the NPY header: unknown key '%.*s'; expected descr, fortran_order or shape",
              r->name, r->at, key.n, key.text);
}

static tess_status read_dict(reader *r)
{
    bool seen[ENTRIES] = { false }, comma = true;
    if (!take(r, '{')) return reject(r, "expected a dict that begins with {");
    while (!take(r, '}')) {
        if (!comma) return reject(r, "expected a comma between entries");
        TESS_TRY(read_entry(r, seen));
        comma = take(r, ',');
    }
    for (int i = 0; i < ENTRIES; i++)
        TESS_CHECK(seen[i], TESS_EFORMAT, "open: %s: the NPY header has no '%s'", r->name, entries[i].key);
    skip_space(r);
    if (r->at < r->end) return reject(r, "unexpected text after the dict");
    return TESS_OK;
}

tess_status tess__npy_parse(tess__npy *npy, const char *name, const unsigned char *bytes, int64_t length)
{
    reader r = { .text = (const char *)bytes, .at = bytes[6] == 1 ? 10 : 12, .end = length, .name = name, .npy = npy };
    memset(npy, 0, sizeof *npy);
    TESS_TRY(read_dict(&r));
    int64_t       n, sizes[4] = { 1, 1, 1, 1 };
    const int64_t element = tess__dtype_size(npy->dtype);
    memcpy(sizes, npy->sizes, (size_t)npy->rank * sizeof *sizes);
    TESS_CHECK(tess__count(sizes, element, &n), TESS_EFORMAT,
               "open: %s: shape (%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ") of %s is more than 2^60 bytes", name,
               sizes[0], sizes[1], sizes[2], sizes[3], tess_dtype_name(npy->dtype));
    npy->data_offset = length;
    npy->data_size = n * element;
    return TESS_OK;
}

/* ---- Writing ---- */

static const char *descr_of(tess_dtype dtype)
{
    for (size_t i = 0; i < sizeof descrs / sizeof *descrs; i++)
        if (descrs[i].dtype == dtype) return descrs[i].text;
    return NULL;
}

/* "(5,)", "(2, 5)" … of the last axes. */
static void print_shape(char *text, size_t size, const tess_shape *shape, int rank)
{
    int used = 0;
    for (int i = 4 - rank; i < 4; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%" PRId64, i == 4 - rank ? "(" : ", ", shape->dim[i]);
    (void)snprintf(text + used, size - (size_t)used, rank == 1 ? ",)" : ")");
}

static tess_status check_rank(const char *name, const tess_shape *shape, int rank)
{
    char text[TESS__SHAPE_TEXT];
    for (int i = 0; i < 4 - rank; i++)
        TESS_CHECK(shape->dim[i] == 1, TESS_ESHAPE,
                   "writer_open: %s: `opts->rank` is %d, but the array is %s; expected %d or more", name, rank,
                   tess__shape_text(text, shape->dim), 4 - i);
    return TESS_OK;
}

tess_status tess__npy_make(unsigned char *bytes, int64_t *length, const char *name, tess_shape shape, int rank,
                           tess_dtype dtype, bool big_endian)
{
    const char *descr = descr_of(dtype);
    TESS_CHECK(descr, TESS_EUNSUPPORTED,
               "writer_open: %s: NPY has no element type for %s; convert the array first, or choose a dtype", name,
               tess_dtype_name(dtype));
    TESS_TRY(check_rank(name, &shape, rank));
    const char order = tess__dtype_size(dtype) == 1 ? '|' : big_endian ? '>' : '<';
    char       text[TESS__NPY_MAX_HEADER], sizes[TESS__NPY_MAX_HEADER / 2];
    print_shape(sizes, sizeof sizes, &shape, rank);
    const int n =
        snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }", order, descr, sizes);
    const int whole = (10 + n + 1 + 63) / 64 * 64; /* data begin at a multiple of 64 */
    memcpy(bytes, magic, 6);
    bytes[6] = 1, bytes[7] = 0;
    bytes[8] = (unsigned char)((whole - 10) & 255), bytes[9] = (unsigned char)((whole - 10) >> 8);
    memset(bytes + 10, ' ', (size_t)whole - 10);
    memcpy(bytes + 10, text, (size_t)n);
    bytes[whole - 1] = '\n';
    *length = whole;
    return TESS_OK;
}
