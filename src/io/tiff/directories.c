/* Linked list of TIFF directories (IFDs), walked with cycle detection (Floyd's tortoise and hare), so that a ring is
 * found, and the number of pages known, before libtiff reads any. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <inttypes.h>
#include <string.h>

#include "core/memory.h"

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
    TESS_CHECK(width == 8, TESS_EFORMAT, "open: %s: places take %" PRIu64 " bytes; a BigTIFF has 8",
               tess__source_name(c->source), width);
    TESS_TRY(read_number(first, c, c->big ? 8 : 4, c->big ? 8 : 4, "the place of the first directory"));
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
               "open: %s: the directory of page %" PRId64 " has %" PRIu64 " entries; from 1 to those that fit into the "
               "file are possible",
               name, page, n);
    TESS_TRY(read_number(next, c, at + n_count + (int64_t)n * n_entry, n_offset, "the place of a directory"));
    TESS_CHECK(*next <= INT64_MAX, TESS_EFORMAT,
               "open: %s: the directory of page %" PRId64 " is at byte %" PRIu64 "; the file has %" PRId64, name,
               page + 1, *next, c->size);
    return TESS_OK;
}

static tess_status add(tess__tiff_file *state, int64_t *capacity, int64_t offset, const char *name)
{
    if (state->n_pages == *capacity) {
        const int64_t    more = *capacity ? 2 * *capacity : 64;
        tess__tiff_page *pages = tess__alloc((size_t)more * sizeof *pages);
        TESS_CHECK(pages, TESS_ENOMEM, "open: %s: no memory for a table of %" PRId64 " pages", name, more);
        if (state->n_pages) memcpy(pages, state->pages, (size_t)state->n_pages * sizeof *pages);
        tess__free(state->pages);
        state->pages = pages;
        *capacity = more;
    }
    state->pages[state->n_pages] = (tess__tiff_page){ .offset = offset, .number = state->n_pages };
    state->n_pages++;
    return TESS_OK;
}

/* The tortoise was overtaken: there is a cycle, of a length that divides the lead. Say where it closes, and keep the
 * pages before that. */
static tess_status reject_cycle(tess__tiff_file *state, const char *name)
{
    const int64_t          last = state->n_pages - 1, lead = last - last / 2;
    const tess__tiff_page *pages = state->pages;
    int64_t                first = 0;
    while (pages[first].offset != pages[first + lead].offset) first++;
    int64_t again = first + 1;
    while (pages[again].offset != pages[first].offset) again++;
    state->n_pages = again;
    TESS_FAIL(TESS_EFORMAT,
              "open: %s: after page %" PRId64 " the directory of page %" PRId64 " comes again: the pages are a ring "
              "without an end",
              name, again - 1, first);
}

static tess_status follow(tess_file *file, tess__tiff_file *state)
{
    chain    c = { .source = file->source, .size = tess__source_size(file->source) };
    int64_t  capacity = 0;
    uint64_t next = 0;
    TESS_TRY(read_header(&c, &next));
    file->info.big_endian = c.big_endian;
    TESS_CHECK(next <= INT64_MAX && next > 0, TESS_EFORMAT,
               "open: %s: the first directory is at byte %" PRIu64 "; the file has %" PRId64,
               tess__source_name(c.source), next, c.size);
    while (next != 0) {
        const int64_t offset = (int64_t)next, page = state->n_pages;
        TESS_TRY(read_link(&next, &c, offset, page));
        TESS_TRY(add(state, &capacity, offset, tess__source_name(c.source)));
        if (page > 0 && state->pages[page / 2].offset == offset)
            TESS_TRY(reject_cycle(state, tess__source_name(c.source)));
    }
    return TESS_OK;
}

tess_status tess__tiff_visit_entries(tess_file *file, int64_t directory, tess__tiff_visit *visit, void *context)
{
    enum { BATCH = 64, MAX_ENTRY = 20 };
    chain         c = { .source = file->source, .size = tess__source_size(file->source) };
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
                                            .n_inline = n_offset });
    }
    return TESS_OK;
}

tess_status tess__tiff_chain(tess_file *file, tess__tiff_file *state)
{
    const tess_status status = follow(file, state);
    if (status == TESS_EFORMAT && file->opts.salvage && state->n_pages > 0) {
        tess__file_warn(file, TESS_ODD_FRAME, "NextIFD", "", "", "%.150s", tess_error_message());
        return TESS_OK;
    }
    TESS_TRY(status);
    return TESS_OK;
}

#endif
