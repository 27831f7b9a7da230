/* ZIP central directory and local headers, with ZIP64. Nothing that the directory says is believed before it was
 * compared with the size of the file and with the member's own header. */
#include "io/zip/zip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/memory.h"
#include "io/codec/crc32.h"
#include "io/zip/zip_bytes.h"

/* ---- End of central directory record ---- */

/* Where the central directory lies. */
typedef struct directory {
    int64_t offset, size, n;
    int64_t end; /* where what follows it begins */
} directory;

/* The last end record, with its comment, that ends where the file does; -1 if there is none. */
static int64_t find_end(const unsigned char *tail, int64_t n)
{
    for (int64_t at = n - ZIP_END_SIZE; at >= 0; at--)
        if (get32(tail + at) == ZIP_END && at + ZIP_END_SIZE + get16(tail + at + 20) <= n) return at;
    return -1;
}

/* The ZIP64 record, if there is one before the 32-bit record at `end`. */
static tess_status read_end64(directory *d, tess__source *source, int64_t end, bool *found)
{
    unsigned char bytes[ZIP_END64_SIZE];
    const char   *name = tess__source_name(source);
    *found = false;
    if (end < ZIP_LOCATOR_SIZE) return TESS_OK;
    TESS_TRY(tess__source_read_all(source, end - ZIP_LOCATOR_SIZE, bytes, ZIP_LOCATOR_SIZE, "the ZIP64 locator"));
    if (get32(bytes) != ZIP_LOCATOR) return TESS_OK;
    const uint64_t at = get64(bytes + 8);
    TESS_CHECK(end - ZIP_LOCATOR_SIZE >= ZIP_END64_SIZE && at <= (uint64_t)(end - ZIP_LOCATOR_SIZE - ZIP_END64_SIZE),
               TESS_EFORMAT, "open: %s: the ZIP64 record is listed at byte %" PRIu64 "; it must end by byte %" PRId64,
               name, at, end - ZIP_LOCATOR_SIZE);
    TESS_TRY(tess__source_read_all(source, (int64_t)at, bytes, ZIP_END64_SIZE, "the ZIP64 record"));
    TESS_CHECK(get32(bytes) == ZIP_END64, TESS_EFORMAT, "open: %s: no ZIP64 record at byte %" PRIu64, name, at);
    const uint64_t n = get64(bytes + 32), size = get64(bytes + 40), offset = get64(bytes + 48);
    TESS_CHECK(size <= at && offset <= at - size && n <= size / ZIP_ENTRY_SIZE, TESS_EFORMAT,
               "open: %s: the ZIP directory, %" PRIu64 " members in %" PRIu64 " bytes at byte %" PRIu64
               ", must end by byte %" PRIu64 ", with %d or more bytes per member",
               name, n, size, offset, at, ZIP_ENTRY_SIZE);
    *d = (directory){ (int64_t)offset, (int64_t)size, (int64_t)n, (int64_t)at };
    *found = true;
    return TESS_OK;
}

static tess_status check_found(int64_t at, const char *name)
{
    TESS_CHECK(at >= 0, TESS_EFORMAT,
               "open: %s: the ZIP directory is missing: the file is truncated (`opts->salvage` looks for arrays), or "
               "not a ZIP file",
               name);
    return TESS_OK;
}

static tess_status find_directory(directory *d, tess__source *source)
{
    const char    *name = tess__source_name(source);
    const int64_t  size = tess__source_size(source);
    const int64_t  n = size < ZIP_END_SIZE + 65535 ? size : ZIP_END_SIZE + 65535;
    unsigned char *tail;
    bool           found = false;
    tess_status    status = TESS_OK;
    TESS_CHECK(size >= 0, TESS_EUNSUPPORTED,
               "open: %s: the file is compressed, which is not supported for NPZ files; decompress it first", name);
    tail = tess__alloc((size_t)n + 1);
    TESS_CHECK(tail, TESS_ENOMEM, "open: %s: no memory for the end of the archive", name);
    TESS_GOTO(done, status, tess__source_read_all(source, size - n, tail, n, "the end of the archive"));
    const int64_t at = find_end(tail, n), end = size - n + at;
    TESS_GOTO(done, status, check_found(at, name));
    *d = (directory){ get32(tail + at + 16), get32(tail + at + 12), get16(tail + at + 10), end };
    TESS_GOTO(done, status, read_end64(d, source, end, &found));
done:
    tess__free(tail);
    TESS_TRY(status);
    TESS_CHECK(found || (d->offset + d->size <= d->end && d->n <= d->size / ZIP_ENTRY_SIZE), TESS_EFORMAT,
               "open: %s: the ZIP directory, %" PRId64 " members in %" PRId64 " bytes at byte %" PRId64
               ", must end by byte %" PRId64 ", with %d or more bytes per member",
               name, d->n, d->size, d->offset, d->end, ZIP_ENTRY_SIZE);
    return TESS_OK;
}

/* ---- Entries of the central directory ---- */

bool tess__zip_take64(const unsigned char *extra, int64_t n, uint64_t *values[], int n_values)
{
    while (n >= 4 && get16(extra) != ZIP_EXTRA64) {
        const int64_t skip = 4 + get16(extra + 2);
        extra += skip;
        n -= skip;
    }
    int64_t left = n >= 4 ? get16(extra + 2) : 0;
    if (left > n - 4) left = n - 4;
    extra += 4;
    for (int i = 0; i < n_values; i++) {
        if (*values[i] != ZIP_IN_64) continue;
        if (left < 8) return false;
        *values[i] = get64(extra);
        extra += 8;
        left -= 8;
    }
    return true;
}

/* One entry; *used are its bytes. */
static tess_status read_entry(tess__zip *zip, tess__zip_member *m, const directory *d, const unsigned char *bytes,
                              int64_t n, int64_t *used, char *name)
{
    const char *file = tess__source_name(zip->source);
    const long  number = (long)(m - zip->members) + 1;
    TESS_CHECK(n >= ZIP_ENTRY_SIZE && get32(bytes) == ZIP_ENTRY, TESS_EFORMAT,
               "open: %s: entry %ld of the ZIP directory is damaged", file, number);
    const int64_t n_name = get16(bytes + 28), n_extra = get16(bytes + 30);
    *used = ZIP_ENTRY_SIZE + n_name + n_extra + get16(bytes + 32);
    TESS_CHECK(*used <= n, TESS_EFORMAT, "open: %s: entry %ld of the ZIP directory goes beyond its end", file, number);
    (void)tess__zip_copy_name(name, bytes + ZIP_ENTRY_SIZE, n_name);
    uint64_t  size = get32(bytes + 24), packed = get32(bytes + 20), offset = get32(bytes + 42);
    uint64_t *values[] = { &size, &packed, &offset };
    TESS_CHECK(tess__zip_take64(bytes + ZIP_ENTRY_SIZE + n_name, n_extra, values, 3), TESS_EFORMAT,
               "open: %s: member '%.60s': its ZIP64 sizes are missing", file, name);
    const uint64_t before = (uint64_t)d->offset;
    TESS_CHECK(offset <= before && packed <= before - offset, TESS_EFORMAT,
               "open: %s: member '%.60s' has %" PRIu64 " bytes at byte %" PRIu64 "; it must end by byte %" PRIu64
               ", where the directory begins",
               file, name, packed, offset, before);
    TESS_CHECK(size <= (uint64_t)1 << 60, TESS_EFORMAT,
               "open: %s: member '%.60s' claims to have %" PRIu64 " bytes; at most 2^60 are allowed", file, name, size);
    *m = (tess__zip_member){ .name = name,
                             .offset = (int64_t)offset,
                             .packed_size = (int64_t)packed,
                             .size = (int64_t)size,
                             .limit = d->offset,
                             .crc = get32(bytes + 16),
                             .method = get16(bytes + 10),
                             .flags = get16(bytes + 8) };
    return TESS_OK;
}

static int by_offset(const void *a, const void *b)
{
    const int64_t x = (*(tess__zip_member *const *)a)->offset, y = (*(tess__zip_member *const *)b)->offset;
    return (x > y) - (x < y);
}

/* Where each member must end: where the next one begins. */
static tess_status set_limits(tess__zip *zip)
{
    const size_t       n = (size_t)zip->n_members;
    tess__zip_member **order = tess__alloc((n + 1) * sizeof *order);
    TESS_CHECK(order, TESS_ENOMEM, "open: %s: no memory for %zu members", tess__source_name(zip->source), n);
    for (size_t i = 0; i < n; i++) order[i] = &zip->members[i];
    qsort(order, n, sizeof *order, by_offset);
    const tess__zip_member *bad = NULL;
    for (size_t i = 0; i < n; i++) {
        tess__zip_member *m = order[i];
        if (i + 1 < n) m->limit = order[i + 1]->offset;
        if (m->limit - m->offset < ZIP_LOCAL_SIZE || m->limit - m->offset - ZIP_LOCAL_SIZE < m->packed_size) bad = m;
    }
    tess__free(order);
    TESS_CHECK(!bad, TESS_EFORMAT,
               "open: %s: member '%.60s', %" PRId64 " bytes at byte %" PRId64
               ", overlaps data that begin at byte %" PRId64,
               tess__source_name(zip->source), bad->name, bad->packed_size, bad->offset, bad->limit);
    return TESS_OK;
}

static tess_status read_entries(tess__zip *zip, const directory *d, const unsigned char *bytes)
{
    int64_t at = 0;
    char   *name = zip->names;
    for (; zip->n_members < d->n; zip->n_members++) {
        tess__zip_member *m = &zip->members[zip->n_members];
        int64_t           used = 0;
        TESS_TRY(read_entry(zip, m, d, bytes + at, d->size - at, &used, name));
        name += strlen(name) + 1;
        at += used;
    }
    TESS_TRY(set_limits(zip));
    return TESS_OK;
}

static tess_status fill(tess__zip *zip)
{
    const char *name = tess__source_name(zip->source);
    directory   d = { 0, 0, 0, 0 };
    tess_status status = TESS_OK;
    TESS_TRY(find_directory(&d, zip->source));
    /* A name has up to three times its bytes as text. An entry has at least 46 more, so that the zero bytes fit too. */
    zip->names = tess__alloc(3 * (size_t)d.size + 1);
    zip->members = tess__alloc(((size_t)d.n + 1) * sizeof *zip->members);
    unsigned char *bytes = zip->names && zip->members ? tess__alloc((size_t)d.size + 1) : NULL;
    TESS_CHECK(bytes, TESS_ENOMEM, "open: %s: no memory for %" PRId64 " members", name, d.n);
    TESS_GOTO(done, status, tess__source_read_all(zip->source, d.offset, bytes, d.size, "the ZIP directory"));
    TESS_GOTO(done, status, read_entries(zip, &d, bytes));
done:
    tess__free(bytes);
    return status;
}

tess_status tess__zip_open(tess__zip **zip, tess__source *source)
{
    tess__zip *z = tess__alloc(sizeof *z);
    TESS_CHECK(z, TESS_ENOMEM, "open: %s: no memory for the archive", tess__source_name(source));
    *z = (tess__zip){ .source = source };
    const tess_status status = fill(z);
    if (status != TESS_OK) tess__zip_close(z);
    else *zip = z;
    TESS_TRY(status);
    return TESS_OK;
}

void tess__zip_close(tess__zip *zip)
{
    if (!zip) return;
    tess__free(zip->members);
    tess__free(zip->names);
    tess__free(zip);
}

/* ---- A member ---- */

/* The local header and the directory say the same. Sizes that follow the bytes are not in the header. */
static tess_status compare(const tess__zip *zip, const tess__zip_member *m, const unsigned char *local,
                           const unsigned char *extra)
{
    const char *file = tess__source_name(zip->source);
    TESS_CHECK(get16(local + 8) == m->method, TESS_EFORMAT,
               "open: %s: member '%.60s': method is %d in the directory and %d in its header", file, m->name, m->method,
               get16(local + 8));
    if (m->flags & ZIP_SIZES_FOLLOW) return TESS_OK;
    uint64_t  size = get32(local + 22), packed = get32(local + 18);
    uint64_t *values[] = { &size, &packed };
    TESS_CHECK(tess__zip_take64(extra, get16(local + 28), values, 2), TESS_EFORMAT,
               "open: %s: member '%.60s': the ZIP64 sizes of its header are missing", file, m->name);
    TESS_CHECK(size == (uint64_t)m->size && packed == (uint64_t)m->packed_size, TESS_EFORMAT,
               "open: %s: member '%.60s': sizes are %" PRId64 " and %" PRId64 " in the directory, %" PRIu64
               " and %" PRIu64 " in its header",
               file, m->name, m->size, m->packed_size, size, packed);
    TESS_CHECK(get32(local + 14) == m->crc, TESS_EFORMAT,
               "open: %s: member '%.60s': CRC32 is %08" PRIx32 " in the directory and %08" PRIx32 " in its header",
               file, m->name, m->crc, get32(local + 14));
    return TESS_OK;
}

static tess_status check_method(const tess__zip *zip, const tess__zip_member *m)
{
    const char *file = tess__source_name(zip->source);
    TESS_CHECK(!(m->flags & ZIP_ENCRYPTED), TESS_EUNSUPPORTED, "open: %s: member '%.60s' is encrypted", file, m->name);
    TESS_CHECK(m->method == TESS__ZIP_STORED || m->method == TESS__ZIP_DEFLATED, TESS_EUNSUPPORTED,
               "open: %s: member '%.60s' is compressed by method %d; 0 (stored) and 8 (deflated) are supported", file,
               m->name, m->method);
#ifndef TESS_HAVE_ZLIB
    TESS_CHECK(m->method != TESS__ZIP_DEFLATED, TESS_EUNSUPPORTED,
               "open: %s: member '%.60s' is deflated: this library was built without zlib", file, m->name);
#endif
    return TESS_OK;
}

static tess_status check_sizes(const tess__zip *zip, const tess__zip_member *m)
{
    const char *file = tess__source_name(zip->source);
    TESS_CHECK(m->method != TESS__ZIP_STORED || m->size == m->packed_size, TESS_EFORMAT,
               "open: %s: member '%.60s' is stored, but its sizes %" PRId64 " and %" PRId64 " differ", file, m->name,
               m->size, m->packed_size);
    /* DEFLATE expands a byte to at most 1032. */
    TESS_CHECK(m->size / 1032 <= m->packed_size, TESS_EFORMAT,
               "open: %s: member '%.60s': %" PRId64 " bytes cannot be deflated to %" PRId64, file, m->name, m->size,
               m->packed_size);
    return TESS_OK;
}

tess_status tess__zip_locate(int64_t *offset, const tess__zip *zip, const tess__zip_member *m)
{
    unsigned char  local[ZIP_LOCAL_SIZE];
    unsigned char *extra;
    const char    *file = tess__source_name(zip->source);
    TESS_TRY(check_method(zip, m));
    if (!zip->scanned) TESS_TRY(check_sizes(zip, m));
    TESS_TRY(tess__source_read_all(zip->source, m->offset, local, sizeof local, "the header of a member"));
    TESS_CHECK(get32(local) == ZIP_LOCAL, TESS_EFORMAT, "open: %s: member '%.60s' has no header at byte %" PRId64, file,
               m->name, m->offset);
    const int64_t n_name = get16(local + 26), n_extra = get16(local + 28);
    *offset = m->offset + ZIP_LOCAL_SIZE + n_name + n_extra;
    if (zip->scanned) return TESS_OK; /* it was found by this header */
    TESS_CHECK(*offset <= m->limit && m->packed_size <= m->limit - *offset, TESS_EFORMAT,
               "open: %s: member '%.60s', %" PRId64 " bytes at byte %" PRId64
               ", overlaps data that begin at byte %" PRId64,
               file, m->name, m->packed_size, *offset, m->limit);
    extra = tess__alloc((size_t)n_extra + 1);
    TESS_CHECK(extra, TESS_ENOMEM, "open: %s: no memory for the header of a member", file);
    tess_status status =
        tess__source_read_all(zip->source, *offset - n_extra, extra, n_extra, "the header of a member");
    if (status == TESS_OK) status = compare(zip, m, local, extra);
    tess__free(extra);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__zip_check_stored(const tess__zip *zip, const tess__zip_member *m, int64_t offset)
{
    enum { BUFFER_BYTES = 1 << 20 };
    const char    *file = tess__source_name(zip->source);
    uint32_t       crc = 0;
    tess_status    status = TESS_OK;
    unsigned char *bytes = tess__alloc(BUFFER_BYTES);
    TESS_CHECK(bytes, TESS_ENOMEM, "read: %s: no memory to check member '%.60s'", file, m->name);
    for (int64_t done = 0; done < m->size && status == TESS_OK; done += BUFFER_BYTES) {
        const int64_t n = m->size - done < BUFFER_BYTES ? m->size - done : BUFFER_BYTES;
        status = tess__source_read_all(zip->source, offset + done, bytes, n, "a member");
        if (status == TESS_OK) crc = tess__crc32(crc, bytes, n);
    }
    tess__free(bytes);
    TESS_TRY(status);
    TESS_CHECK(crc == m->crc, TESS_EFORMAT,
               "read: %s: member '%.60s' is damaged: its CRC32 is %08" PRIx32 "; expected %08" PRIx32, file, m->name,
               crc, m->crc);
    return TESS_OK;
}
