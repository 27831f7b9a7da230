/* Walk through the tag tree of a DM3 or DM4 file, depth first. Names, counts and types are stored with the highest byte
 * first, values in the byte order of the file. */
#include "io/dm/tags.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = 20, VALUE = 21, CHUNK = 1 << 12, MAX_TYPES = 1 << 10 };

typedef struct walker {
    tess_file      *file;
    int64_t         size;  /* of the file */
    int64_t         at;    /* offset of the next byte */
    int             width; /* bytes of counts and types: 4, in DM4 8 */
    tess__dm_level  path[TESS__DM_DEPTH];
    tess__dm_visit *visit;
    void           *context;
    unsigned char   chunk[CHUNK];
    int64_t         chunk_at, n_chunk;
} walker;

/* ---- Bytes ---- */

static tess_status take_bytes(walker *w, void *bytes, int64_t n)
{
    TESS_CHECK(n <= w->size - w->at, TESS_EFORMAT,
               "open: %s: a tag at byte %" PRId64 " needs %" PRId64 " bytes; the file has %" PRId64, w->file->path,
               w->at, n, w->size);
    if (w->at < w->chunk_at || w->at + n > w->chunk_at + w->n_chunk) {
        w->chunk_at = w->at;
        TESS_TRY(tess__source_read(w->file->source, w->at, w->chunk, CHUNK, &w->n_chunk));
        TESS_CHECK(n <= w->n_chunk, TESS_EFORMAT, "open: %s: the file ends within a tag at byte %" PRId64,
                   w->file->path, w->at);
    }
    memcpy(bytes, w->chunk + (w->at - w->chunk_at), (size_t)n);
    w->at += n;
    return TESS_OK;
}

static uint64_t number_of(const unsigned char *bytes, int n, bool big_endian)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++) value = value << 8 | bytes[big_endian ? i : n - 1 - i];
    return value;
}

/* A whole number of n bytes, the highest first, up to 2^62. */
static tess_status take_number(int64_t *value, walker *w, int n)
{
    unsigned char bytes[8];
    TESS_TRY(take_bytes(w, bytes, n));
    const uint64_t number = number_of(bytes, n, true);
    TESS_CHECK(number <= UINT64_C(1) << 62, TESS_EFORMAT, "open: %s: a count of %" PRIu64 " before byte %" PRId64,
               w->file->path, number, w->at);
    *value = (int64_t)number;
    return TESS_OK;
}

/* ---- Types ---- */

static int64_t size_of_type(int64_t type)
{
    static const unsigned char sizes[] = { 0, 0, 2, 4, 2, 4, 4, 8, 1, 1, 1, 8, 8 };
    return type >= 0 && type < (int64_t)sizeof sizes ? sizes[type] : 0;
}

/* The list of numbers that describes a type. */
typedef struct types {
    int64_t n, next;
    int64_t numbers[MAX_TYPES];
} types;

static int64_t next_of(types *t) { return t->next < t->n ? t->numbers[t->next++] : -1; }

/* Bytes of a value of the type that comes next; -1: there is no such type. */
static int64_t take_type(types *t, int *type)
{
    const int64_t first = next_of(t);
    *type = first >= 0 && first <= TESS__DM_ARRAY ? (int)first : 0;
    if (first != TESS__DM_STRUCT) return size_of_type(first) > 0 ? size_of_type(first) : -1;
    int64_t size = 0;
    (void)next_of(t); /* length of its name */
    const int64_t fields = next_of(t);
    for (int64_t i = 0; i < fields; i++) {
        (void)next_of(t);
        const int64_t one = size_of_type(next_of(t));
        if (one == 0) return -1;
        size += one;
    }
    return fields > 0 ? size : -1;
}

static double number_at(const unsigned char *bytes, int type, int size, bool big_endian)
{
    const uint64_t bits = number_of(bytes, size, big_endian);
    const uint32_t low = (uint32_t)bits;
    float          f;
    double         d;
    switch (type) {
    case TESS__DM_F32: memcpy(&f, &low, sizeof f); return (double)f;
    case TESS__DM_F64: memcpy(&d, &bits, sizeof d); return d;
    case TESS__DM_I16: return (double)(int16_t)bits;
    case TESS__DM_I32: return (double)(int32_t)low;
    case TESS__DM_I8: return (double)(int8_t)bits;
    case TESS__DM_I64: return (double)(int64_t)bits;
    default: return (double)bits;
    }
}

/* ---- Tags ---- */

static tess_status take_types(types *t, walker *w)
{
    TESS_TRY(take_number(&t->n, w, w->width));
    TESS_CHECK(t->n >= 1 && t->n <= MAX_TYPES, TESS_EFORMAT,
               "open: %s: the type of a tag before byte %" PRId64 " takes %" PRId64 " numbers; expected 1 to %d",
               w->file->path, w->at, t->n, (int)MAX_TYPES);
    for (int64_t i = 0; i < t->n; i++) TESS_TRY(take_number(&t->numbers[i], w, w->width));
    return TESS_OK;
}

static const char *printable_name(char name[TESS__DM_NAME], const tess__dm_level *level)
{
    memcpy(name, level->name, TESS__DM_NAME);
    for (char *c = name; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return name;
}

static tess_status take_value(walker *w, int depth)
{
    unsigned char marks[4], bytes[8];
    char          name[TESS__DM_NAME];
    types         t = { .n = 0 };
    tess__dm_tag  tag = { .path = w->path, .depth = depth, .count = 1 };
    TESS_TRY(take_bytes(w, marks, 4));
    TESS_CHECK(memcmp(marks, "%%%%", 4) == 0, TESS_EFORMAT,
               "open: %s: no %%%%%%%% before the type of a tag at byte %" PRId64, w->file->path, w->at - 4);
    TESS_TRY(take_types(&t, w));
    tag.is_array = t.numbers[0] == TESS__DM_ARRAY || t.numbers[0] == TESS__DM_STRING;
    if (t.numbers[0] == TESS__DM_STRING) t.numbers[0] = TESS__DM_U16; /* of so many letters */
    else if (tag.is_array) t.next = 1;
    tag.size = take_type(&t, &tag.type);
    if (tag.is_array) tag.count = next_of(&t);
    TESS_CHECK(tag.size > 0 && tag.count >= 0 && tag.count <= INT64_MAX / tag.size / 2, TESS_EFORMAT,
               "open: %s: unknown type of a tag before byte %" PRId64 ": %" PRId64, w->file->path, w->at, t.numbers[0]);
    tag.at = w->at;
    TESS_CHECK(tag.count * tag.size <= w->size - w->at, TESS_EFORMAT,
               "open: %s: the values of tag %s at byte %" PRId64 " need %" PRId64 " bytes; the file has %" PRId64,
               w->file->path, printable_name(name, &w->path[depth - 1]), w->at, tag.count * tag.size, w->size);
    if (!tag.is_array && tag.type != TESS__DM_STRUCT) {
        TESS_TRY(take_bytes(w, bytes, tag.size));
        tag.number = number_at(bytes, tag.type, (int)tag.size, w->file->info.big_endian);
    } else {
        w->at += tag.count * tag.size;
    }
    TESS_TRY(w->visit(w->context, &tag));
    return TESS_OK;
}

static tess_status take_name(walker *w, tess__dm_level *level)
{
    int64_t length = 0;
    TESS_TRY(take_number(&length, w, 2));
    const int64_t kept = length < TESS__DM_NAME ? length : TESS__DM_NAME - 1;
    memset(level->name, 0, sizeof level->name);
    TESS_TRY(take_bytes(w, level->name, kept));
    w->at += length - kept;
    return TESS_OK;
}

/* The tags of a group: recursion is limited by the depth of the path. */
static tess_status take_group(walker *w, int depth)
{
    unsigned char flags[2];
    int64_t       n = 0;
    TESS_CHECK(depth < TESS__DM_DEPTH, TESS_EFORMAT, "open: %s: tags nested in more than %d groups", w->file->path,
               (int)TESS__DM_DEPTH);
    TESS_TRY(take_bytes(w, flags, 2)); /* sorted, open */
    TESS_TRY(take_number(&n, w, w->width));
    for (int64_t i = 0; i < n; i++) {
        unsigned char kind = 0;
        int64_t       length;
        TESS_TRY(take_bytes(w, &kind, 1));
        if (kind == 0) return TESS_OK;
        TESS_CHECK(kind == GROUP || kind == VALUE, TESS_EFORMAT,
                   "open: %s: a tag of kind %d at byte %" PRId64 "; expected 20 or 21", w->file->path, (int)kind,
                   w->at - 1);
        w->path[depth].index = i;
        TESS_TRY(take_name(w, &w->path[depth]));
        if (w->width == 8) TESS_TRY(take_number(&length, w, 8));
        TESS_TRY(kind == GROUP ? take_group(w, depth + 1) : take_value(w, depth + 1));
    }
    return TESS_OK;
}

int tess__dm_version(const unsigned char *bytes, int64_t n)
{
    if (n < 16) return 0;
    const uint64_t version = number_of(bytes, 4, true), order3 = number_of(bytes + 8, 4, true);
    if (version == 3 && order3 <= 1 && bytes[12] <= 1 && bytes[13] <= 1) return 3;
    return version == 4 && number_of(bytes + 12, 4, true) <= 1 ? 4 : 0;
}

static tess_status walk(walker *w)
{
    unsigned char start[16];
    TESS_TRY(take_bytes(w, start, sizeof start));
    const int version = tess__dm_version(start, sizeof start);
    TESS_CHECK(version, TESS_EFORMAT, "open: %s: not a DM3 or DM4 file: its version is %" PRIu64, w->file->path,
               number_of(start, 4, true));
    w->width = version == 4 ? 8 : 4;
    w->at = version == 4 ? 16 : 12;
    w->file->info.big_endian = start[w->at - 1] == 0;
    TESS_TRY(take_group(w, 0));
    return TESS_OK;
}

tess_status tess__dm_walk(tess_file *file, tess__dm_visit *visit, void *context)
{
    walker            w = { .file = file, .size = tess__source_size(file->source), .visit = visit, .context = context };
    const tess_status status = walk(&w);
    if (status == TESS_EFORMAT && file->opts.salvage) {
        tess__file_warn(file, TESS_ODD_LENGTH, "tags", "", "", "%.150s", tess_error_message());
        tess_error_clear();
        return TESS_OK;
    }
    TESS_TRY(status);
    return TESS_OK;
}
