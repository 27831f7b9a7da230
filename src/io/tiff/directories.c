/* Linked list of TIFF directories (IFDs), walked with cycle detection (Floyd's tortoise and hare), so that a ring is
 * found, and the number of pages known, before libtiff reads any. */
#include "io/tiff/directories.h"

#include <inttypes.h>
#include <string.h>

#include "core/device/memory.h"

typedef struct chain {
    tess__source *source;
    int64_t       size;            /* of the file */
    bool          big_endian, big; /* BigTIFF: offsets and counts of 8 bytes */
} chain;

static uint64_t number(const unsigned char *bytes, int n, bool big_endian)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++) value = value << 8 | bytes[big_endian ? i : n - 1 - i];
    return value;
}

static tess_status read_number(uint64_t *value, const chain *c, int64_t at, int n, const char *what)
{
    unsigned char bytes[8];
    TESS_TRY(tess__source_read_all(c->source, at, bytes, n, what));
    *value = number(bytes, n, c->big_endian);
    return TESS_OK;
}

/* The offset of the first directory. */
static tess_status read_header(chain *c, uint64_t *first)
{
    unsigned char bytes[8];
    uint64_t      width = 8;
    TESS_TRY(tess__source_read_all(c->source, 0, bytes, 8, "the header"));
    c->big_endian = bytes[0] == 'M';
    c->big = number(bytes + 2, 2, c->big_endian) == 43;
    if (c->big) width = number(bytes + 4, 2, c->big_endian);
    TESS_CHECK(width == 8, TESS_EFORMAT, "open: %s: offsets take %" PRIu64 " bytes; BigTIFF has 8",
               tess__source_name(c->source), width);
    TESS_TRY(read_number(first, c, c->big ? 8 : 4, c->big ? 8 : 4, "the offset of the first directory"));
    return TESS_OK;
}

/* The offset of the directory after the one at `at`; 0: it is the last. */
static tess_status read_link(uint64_t *next, const chain *c, int64_t at, int64_t page)
{
    const int   n_count = c->big ? 8 : 2, n_offset = c->big ? 8 : 4, n_entry = c->big ? 20 : 12;
    const char *name = tess__source_name(c->source);
    uint64_t    n = 0;
    TESS_CHECK(at <= c->size - n_count, TESS_EFORMAT,
               "open: %s: the directory of page %" PRId64 " is at byte %" PRId64 "; the file has %" PRId64, name, page,
               at, c->size);
    TESS_TRY(read_number(&n, c, at, n_count, "the length of a directory"));
    const int64_t left = c->size - at - n_count - n_offset;
    TESS_CHECK(n > 0 && left >= 0 && n <= (uint64_t)left / (uint64_t)n_entry, TESS_EFORMAT,
               "open: %s: the directory of page %" PRId64 " has %" PRIu64
               " entries; expected at least 1, and no more than the file can hold",
               name, page, n);
    TESS_TRY(read_number(next, c, at + n_count + (int64_t)n * n_entry, n_offset, "the offset of a directory"));
    TESS_CHECK(*next <= INT64_MAX, TESS_EFORMAT,
               "open: %s: the directory of page %" PRId64 " is at byte %" PRIu64 "; the file has %" PRId64, name,
               page + 1, *next, c->size);
    return TESS_OK;
}

static tess_status add(tess__tiff_directories *found, int64_t offset, const char *name)
{
    if (found->n == found->capacity) {
        const int64_t more = found->capacity ? 2 * found->capacity : 64;
        int64_t      *offsets = tess__alloc((size_t)more * sizeof *offsets);
        TESS_CHECK(offsets, TESS_ENOMEM, "open: %s: no memory for a table of %" PRId64 " pages", name, more);
        if (found->n) memcpy(offsets, found->offsets, (size_t)found->n * sizeof *offsets);
        tess__free(found->offsets);
        found->offsets = offsets;
        found->capacity = more;
    }
    found->offsets[found->n++] = offset;
    return TESS_OK;
}

/* The tortoise was overtaken: there is a cycle, of a length that divides the lead. Say where it closes, and keep the
 * pages before that. */
static tess_status reject_cycle(tess__tiff_directories *found, const char *name)
{
    const int64_t  last = found->n - 1, lead = last - last / 2;
    const int64_t *offsets = found->offsets;
    int64_t        first = 0;
    while (offsets[first] != offsets[first + lead]) first++;
    int64_t again = first + 1;
    while (offsets[again] != offsets[first]) again++;
    found->n = again;
    TESS_FAIL(TESS_EFORMAT,
              "open: %s: page %" PRId64 " is followed by the directory of page %" PRId64
              " again: the pages form a loop",
              name, again - 1, first);
}

tess_status tess__tiff_first_directories(tess__tiff_directories *found, tess__source *source, int64_t max)
{
    chain    c = { .source = source, .size = tess__source_size(source) };
    uint64_t next = 0;
    TESS_TRY(read_header(&c, &next));
    found->big_endian = c.big_endian;
    TESS_CHECK(next <= INT64_MAX && next > 0, TESS_EFORMAT,
               "open: %s: the first directory is at byte %" PRIu64 "; the file has %" PRId64, tess__source_name(source),
               next, c.size);
    while (next != 0 && found->n < max) {
        const int64_t offset = (int64_t)next, page = found->n;
        TESS_TRY(read_link(&next, &c, offset, page));
        TESS_TRY(add(found, offset, tess__source_name(source)));
        if (page > 0 && found->offsets[page / 2] == offset) TESS_TRY(reject_cycle(found, tess__source_name(source)));
    }
    return TESS_OK;
}

tess_status tess__tiff_visit_entries(tess__source *source, int64_t directory, tess__tiff_visit *visit, void *context)
{
    enum { BATCH = 64, MAX_ENTRY = 20 };
    chain         c = { .source = source, .size = tess__source_size(source) };
    unsigned char bytes[BATCH * MAX_ENTRY];
    uint64_t      first = 0, n = 0;
    TESS_TRY(read_header(&c, &first));
    const int n_count = c.big ? 8 : 2, n_offset = c.big ? 8 : 4, n_entry = 4 + 2 * n_offset;
    TESS_TRY(read_number(&n, &c, directory, n_count, "the length of a directory"));
    for (int64_t i = 0; i < (int64_t)n; i++) {
        const int64_t        left = (int64_t)n - i, k = i % BATCH;
        const unsigned char *entry = bytes + k * n_entry;
        if (k == 0)
            TESS_TRY(tess__source_read_all(c.source, directory + n_count + i * n_entry, bytes,
                                           (left < BATCH ? left : BATCH) * n_entry, "a directory"));
        visit(context, &(tess__tiff_entry){ .tag = (unsigned)number(entry, 2, c.big_endian),
                                            .type = (unsigned)number(entry + 2, 2, c.big_endian),
                                            .count = number(entry + 4, n_offset, c.big_endian),
                                            .value = number(entry + 4 + n_offset, n_offset, c.big_endian),
                                            .at = directory + n_count + i * n_entry + 4 + n_offset,
                                            .n_inline = n_offset });
    }
    return TESS_OK;
}

int tess__tiff_value_size(unsigned type)
{
    static const unsigned char sizes[] = { 0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8 };
    return type < sizeof sizes ? sizes[type] : 0;
}

int64_t tess__tiff_values_at(const tess__tiff_entry *entry)
{
    const uint64_t size = (uint64_t)tess__tiff_value_size(entry->type);
    const bool     is_inline = size > 0 && entry->count <= (uint64_t)entry->n_inline / size;
    return is_inline ? entry->at : entry->value <= INT64_MAX ? (int64_t)entry->value : INT64_MAX;
}

tess_status tess__tiff_chain(tess__tiff_directories *found, tess_file *file)
{
    const tess_status status = tess__tiff_first_directories(found, file->source, INT64_MAX);
    file->info.big_endian = found->big_endian;
    if (status == TESS_EFORMAT && file->opts.salvage && found->n > 0) {
        tess__file_warn(file, TESS_ODD_FRAME, "NextIFD", "", "", "%.150s", tess_error_message());
        return TESS_OK;
    }
    TESS_TRY(status);
    return TESS_OK;
}
