/* ZIP writer: members in sequence, stored or deflated, and the central directory at the end. */
#include <inttypes.h>
#include <string.h>

#include "core/device/memory.h"
#include "io/codec/codec.h"
#include "io/codec/crc32.h"
#include "io/zip/zip.h"
#include "io/zip/zip_bytes.h"

int64_t tess__zip64_from = ZIP_IN_64;

enum { BUFFER_BYTES = 1 << 16, EXTRA64_LOCAL = 20, EXTRA64_ENTRY = 28, MAX_NAME = 65000 };

/* Bytes of a stored member begin at a multiple of this, so that they can be mapped; an extra field fills the gap. */
enum { ALIGNMENT = 64, EXTRA_ALIGNMENT = 0xd935, MIN_FILL = 6 };

/* Dates are not kept: the first that ZIP has, 1980-01-01. */
enum { DATE = 1 << 5 | 1 };

typedef struct record {
    char    *name;
    int64_t  offset, packed_size, size;
    uint32_t crc;
    uint16_t method, flags;
    bool     zip64; /* its local header has the ZIP64 extra field */
    int      fill;  /* bytes of the extra field that aligns */
} record;

struct tess__zip_writer {
    tess__sink *sink;
    record     *records; /* the last one is being written */
    int64_t     n, capacity;
    int64_t     position; /* bytes written */
    int         level;
    int64_t     put_size; /* bytes of the member that were put */
#ifdef TESS_HAVE_ZLIB
    bool          active; /* z is */
    z_stream      z;
    unsigned char buffer[BUFFER_BYTES];
#endif
};

tess_status tess__zip_writer_new(tess__zip_writer **writer, tess__sink *sink, int level)
{
    tess__zip_writer *w = tess__alloc(sizeof *w);
    TESS_CHECK(w, TESS_ENOMEM, "writer_open: %s: no memory for the archive", tess__sink_name(sink));
    memset(w, 0, sizeof *w);
    w->sink = sink;
    w->level = level;
    *writer = w;
    return TESS_OK;
}

static void end_deflate(tess__zip_writer *w)
{
#ifdef TESS_HAVE_ZLIB
    if (w->active) (void)deflateEnd(&w->z);
    w->active = false;
#else
    (void)w;
#endif
}

void tess__zip_writer_free(tess__zip_writer *writer)
{
    if (!writer) return;
    end_deflate(writer);
    for (int64_t i = 0; i < writer->n; i++) tess__free(writer->records[i].name);
    tess__free(writer->records);
    tess__free(writer);
}

static tess_status write_bytes(tess__zip_writer *w, const void *bytes, int64_t n)
{
    TESS_TRY(tess__sink_write(w->sink, bytes, n));
    w->position += n;
    return TESS_OK;
}

/* ---- Local headers ---- */

/* Deflated data may be a little larger than their input. */
static bool needs_zip64(int64_t size, bool deflated)
{
    return (deflated ? size + size / 1000 + 64 : size) >= tess__zip64_from;
}

/* Bytes of the field that aligns what follows a header of n bytes at `position`. */
static int fill_of(int64_t position, int64_t n, bool deflated)
{
    const int gap = (int)((ALIGNMENT - (position + n) % ALIGNMENT) % ALIGNMENT);
    return deflated ? 0 : gap > 0 && gap < MIN_FILL ? gap + ALIGNMENT : gap;
}

int64_t tess__zip_header_max(const char *name)
{
    return ZIP_LOCAL_SIZE + (int64_t)strlen(name) + EXTRA64_LOCAL + ALIGNMENT + MIN_FILL;
}

/* The fields that local headers and entries of the directory share: from the version needed to the sizes. */
static unsigned char *put_common(unsigned char *b, const record *r, bool zip64, uint32_t packed, uint32_t size)
{
    b = put(b, zip64 ? 45 : 20, 2);
    b = put(b, r->flags, 2);
    b = put(b, r->method, 2);
    b = put(b, 0, 2);
    b = put(b, DATE, 2);
    b = put(b, r->crc, 4);
    b = put(b, packed, 4);
    b = put(b, size, 4);
    return put(b, strlen(r->name), 2);
}

/* Sizes are 0 where they follow the bytes. */
static tess_status make_header(tess__zip_writer *w, const record *r, unsigned char **header, int64_t *n)
{
    const int64_t n_name = (int64_t)strlen(r->name);
    const int     n_extra = (r->zip64 ? EXTRA64_LOCAL : 0) + r->fill;
    *n = ZIP_LOCAL_SIZE + n_name + n_extra;
    *header = tess__alloc((size_t)*n);
    TESS_CHECK(*header, TESS_ENOMEM, "writer_open: %s: no memory for the header of '%.60s'", tess__sink_name(w->sink),
               r->name);
    unsigned char *b = put(*header, ZIP_LOCAL, 4);
    b = put_common(b, r, r->zip64, r->zip64 ? ZIP_IN_64 : (uint32_t)r->packed_size,
                   r->zip64 ? ZIP_IN_64 : (uint32_t)r->size);
    b = put(b, (uint64_t)n_extra, 2);
    memcpy(b, r->name, (size_t)n_name);
    b += n_name;
    if (r->zip64) {
        b = put(b, ZIP_EXTRA64, 2);
        b = put(b, EXTRA64_LOCAL - 4, 2);
        b = put(b, (uint64_t)r->size, 8);
        b = put(b, (uint64_t)r->packed_size, 8);
    }
    if (r->fill) {
        b = put(b, EXTRA_ALIGNMENT, 2);
        b = put(b, (uint64_t)r->fill - 4, 2);
        b = put(b, ALIGNMENT, 2);
        memset(b, 0, (size_t)r->fill - MIN_FILL);
    }
    return TESS_OK;
}

static tess_status write_header(tess__zip_writer *w, const record *r, bool again)
{
    unsigned char *header = NULL;
    int64_t        n;
    TESS_TRY(make_header(w, r, &header, &n));
    const tess_status status = again ? tess__sink_patch(w->sink, header, n) : write_bytes(w, header, n);
    tess__free(header);
    TESS_TRY(status);
    return TESS_OK;
}

/* ---- Members ---- */

static tess_status check_name(const tess__zip_writer *w, const char *name)
{
    const size_t n = strlen(name);
    TESS_CHECK(n > 4 && n <= MAX_NAME, TESS_EARG,
               "writer_open: %s: the name of a member has %zu bytes; 1 to %d are allowed", tess__sink_name(w->sink),
               n - 4, MAX_NAME - 4);
    for (const char *c = name; *c; c++)
        TESS_CHECK((unsigned char)*c >= ' ' && *c != 127, TESS_EARG,
                   "writer_open: %s: the name of a member has the control character %d", tess__sink_name(w->sink), *c);
    return TESS_OK;
}

static uint16_t name_flags(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name > 127) return ZIP_UTF8;
    return 0;
}

static tess_status reserve(tess__zip_writer *w)
{
    if (w->n < w->capacity) return TESS_OK;
    const int64_t capacity = w->capacity ? 2 * w->capacity : 8;
    record       *larger = tess__alloc((size_t)capacity * sizeof *larger);
    TESS_CHECK(larger, TESS_ENOMEM, "writer_open: %s: no memory for %" PRId64 " members", tess__sink_name(w->sink),
               capacity);
    if (w->n) memcpy(larger, w->records, (size_t)w->n * sizeof *larger);
    tess__free(w->records);
    w->records = larger;
    w->capacity = capacity;
    return TESS_OK;
}

static tess_status begin_deflate(tess__zip_writer *w)
{
#ifdef TESS_HAVE_ZLIB
    memset(&w->z, 0, sizeof w->z);
    w->z.zalloc = tess__z_alloc;
    w->z.zfree = tess__z_free;
    TESS_CHECK(deflateInit2(&w->z, w->level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK, TESS_ENOMEM,
               "writer_open: %s: no memory for compression", tess__sink_name(w->sink));
    w->active = true;
    return TESS_OK;
#else
    TESS_FAIL(TESS_EUNSUPPORTED, "writer_open: %s: deflate is not supported: this library was built without zlib",
              tess__sink_name(w->sink));
#endif
}

tess_status tess__zip_begin(tess__zip_writer *w, const char *name, int64_t size, bool deflated, const uint32_t *crc)
{
    TESS_TRY(check_name(w, name));
    TESS_TRY(reserve(w));
    const size_t n = strlen(name) + 1;
    char        *copy = tess__alloc(n);
    TESS_CHECK(copy, TESS_ENOMEM, "writer_open: %s: no memory for a name", tess__sink_name(w->sink));
    memcpy(copy, name, n);
    record *r = &w->records[w->n++];
    *r = (record){ .name = copy, .offset = w->position, .zip64 = needs_zip64(size, deflated) };
    r->fill = fill_of(w->position, ZIP_LOCAL_SIZE + (int64_t)n - 1 + (r->zip64 ? EXTRA64_LOCAL : 0), deflated);
    r->method = deflated ? TESS__ZIP_DEFLATED : TESS__ZIP_STORED;
    r->flags = (uint16_t)(name_flags(name) | (crc ? 0 : ZIP_SIZES_FOLLOW));
    if (crc) r->crc = *crc, r->size = r->packed_size = size;
    w->put_size = 0;
    if (deflated) TESS_TRY(begin_deflate(w));
    TESS_TRY(write_header(w, r, false));
    if (!crc) r->size = size;
    return TESS_OK;
}

/* Hand bytes to zlib, and what comes out to the sink; `last` ends the stream. */
static tess_status deflate_bytes(tess__zip_writer *w, const void *bytes, int64_t n, bool last)
{
#ifdef TESS_HAVE_ZLIB
    w->z.next_in = (Bytef *)(uintptr_t)bytes;
    for (;;) {
        if (w->z.avail_in == 0) w->z.avail_in = (uInt)(n < 1 << 30 ? n : 1 << 30), n -= w->z.avail_in;
        w->z.next_out = w->buffer;
        w->z.avail_out = BUFFER_BYTES;
        const int     code = deflate(&w->z, last && n == 0 ? Z_FINISH : Z_NO_FLUSH);
        const int64_t produced = BUFFER_BYTES - w->z.avail_out;
        if (produced > 0) TESS_TRY(write_bytes(w, w->buffer, produced));
        w->records[w->n - 1].packed_size += produced;
        if (last ? code == Z_STREAM_END : n == 0 && w->z.avail_in == 0 && w->z.avail_out > 0) return TESS_OK;
    }
#else
    (void)w, (void)bytes, (void)n, (void)last;
    return TESS_OK;
#endif
}

tess_status tess__zip_put(tess__zip_writer *w, const void *bytes, int64_t n)
{
    record *r = &w->records[w->n - 1];
    if (n == 0) return TESS_OK;
    w->put_size += n;
    if (r->flags & ZIP_SIZES_FOLLOW) r->crc = tess__crc32(r->crc, bytes, n);
    if (r->method == TESS__ZIP_DEFLATED) TESS_TRY(deflate_bytes(w, bytes, n, false));
    else TESS_TRY(write_bytes(w, bytes, n));
    return TESS_OK;
}

/* The data descriptor: CRC-32 and sizes behind the bytes of a member, unknown when its header was written. */
static tess_status write_descriptor(tess__zip_writer *w, const record *r)
{
    unsigned char  bytes[24];
    const int      n = r->zip64 ? 8 : 4;
    unsigned char *b = put(bytes, ZIP_DESCRIPTOR, 4);
    b = put(b, r->crc, 4);
    b = put(b, (uint64_t)r->packed_size, n);
    b = put(b, (uint64_t)r->size, n);
    TESS_TRY(write_bytes(w, bytes, b - bytes));
    return TESS_OK;
}

tess_status tess__zip_end_member(tess__zip_writer *w, bool patch)
{
    record *r = &w->records[w->n - 1];
    TESS_CHECK(w->put_size == r->size, TESS_EARG,
               "writer_open: %s: member '%.60s': expected %" PRId64 " bytes, wrote %" PRId64, tess__sink_name(w->sink),
               r->name, r->size, w->put_size);
    if (r->method == TESS__ZIP_DEFLATED) TESS_TRY(deflate_bytes(w, "", 0, true));
    else r->packed_size = r->size;
    end_deflate(w);
    if (patch) {
        r->flags = (uint16_t)(r->flags & ~ZIP_SIZES_FOLLOW);
        TESS_TRY(write_header(w, r, true));
    } else if (r->flags & ZIP_SIZES_FOLLOW) TESS_TRY(write_descriptor(w, r));
    return TESS_OK;
}

/* ---- Central directory ---- */

/* A number of an entry, or the mark that it is in the extra field. */
static uint32_t in_32(int64_t value, int *n_in_64)
{
    if (value < tess__zip64_from) return (uint32_t)value;
    ++*n_in_64;
    return ZIP_IN_64;
}

static tess_status write_entry(tess__zip_writer *w, const record *r)
{
    unsigned char  bytes[ZIP_ENTRY_SIZE], extra[EXTRA64_ENTRY];
    int            n64 = 0;
    const uint32_t size = in_32(r->size, &n64), packed = in_32(r->packed_size, &n64), offset = in_32(r->offset, &n64);
    const int      version = n64 || r->zip64 ? 45 : 20;
    unsigned char *b = put(bytes, ZIP_ENTRY, 4);
    b = put(b, (uint64_t)(3 << 8 | version), 2); /* made by Unix */
    b = put_common(b, r, version == 45, packed, size);
    b = put(b, n64 ? (uint64_t)(4 + 8 * n64) : 0, 2);
    b = put(b, 0, 2 + 2 + 2);
    b = put(b, (uint64_t)0100600 << 16, 4); /* a plain file */
    (void)put(b, offset, 4);
    unsigned char *e = put(extra, ZIP_EXTRA64, 2);
    e = put(e, (uint64_t)(8 * n64), 2);
    if (size == ZIP_IN_64) e = put(e, (uint64_t)r->size, 8);
    if (packed == ZIP_IN_64) e = put(e, (uint64_t)r->packed_size, 8);
    if (offset == ZIP_IN_64) e = put(e, (uint64_t)r->offset, 8);
    TESS_TRY(write_bytes(w, bytes, sizeof bytes));
    TESS_TRY(write_bytes(w, r->name, (int64_t)strlen(r->name)));
    if (n64) TESS_TRY(write_bytes(w, extra, e - extra));
    return TESS_OK;
}

static tess_status write_end64(tess__zip_writer *w, int64_t offset, int64_t size)
{
    unsigned char  bytes[ZIP_END64_SIZE + ZIP_LOCATOR_SIZE];
    unsigned char *b = put(bytes, ZIP_END64, 4);
    b = put(b, ZIP_END64_SIZE - 12, 8);
    b = put(b, 3 << 8 | 45, 2);
    b = put(b, 45, 2);
    b = put(b, 0, 8);
    b = put(b, (uint64_t)w->n, 8);
    b = put(b, (uint64_t)w->n, 8);
    b = put(b, (uint64_t)size, 8);
    b = put(b, (uint64_t)offset, 8);
    b = put(b, ZIP_LOCATOR, 4);
    b = put(b, 0, 4);
    b = put(b, (uint64_t)(offset + size), 8);
    (void)put(b, 1, 4);
    TESS_TRY(write_bytes(w, bytes, sizeof bytes));
    return TESS_OK;
}

tess_status tess__zip_end(tess__zip_writer *w)
{
    const int64_t offset = w->position;
    for (int64_t i = 0; i < w->n; i++) TESS_TRY(write_entry(w, &w->records[i]));
    const int64_t  size = w->position - offset;
    int            n64 = w->n >= 0xffff;
    const uint32_t size_32 = in_32(size, &n64), offset_32 = in_32(offset, &n64);
    const uint64_t n = (uint64_t)(w->n < 0xffff ? w->n : 0xffff);
    if (n64) TESS_TRY(write_end64(w, offset, size));
    unsigned char  bytes[ZIP_END_SIZE];
    unsigned char *b = put(bytes, ZIP_END, 4);
    b = put(b, 0, 4);
    b = put(b, n, 2);
    b = put(b, n, 2);
    b = put(b, size_32, 4);
    b = put(b, offset_32, 4);
    (void)put(b, 0, 2);
    TESS_TRY(write_bytes(w, bytes, sizeof bytes));
    return TESS_OK;
}
