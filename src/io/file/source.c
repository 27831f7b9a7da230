/* Byte sources: random access to a file, to memory, or to what a compressed file holds. */
#include "io/file/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "core/device/cancel.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "io/codec/compression.h"
#include "io/file/system.h"

enum { BUFFER_BYTES = 1 << 18 }; /* compressed bytes read at a time */

struct tess__source {
    char                *name;
    int                  fd;        /* -1: memory */
    bool                 closes;    /* fd is ours to close */
    int64_t              file_size; /* -1: not known */
    const unsigned char *memory;    /* of a source in memory, and its length in file_size */
    unsigned char       *owned;     /* that memory, if it is ours */
    tess_compression     compression;
    bool                 forgives;                           /* damaged data end where the damage begins */
    tess__unpacker      *unpacker;                           /* of a compressed file */
    unsigned char       *buffer;                             /* compressed bytes that were read */
    int64_t              buffer_n, buffer_at, buffer_offset; /* how many, how many used, where the next ones lie */
    int64_t              position;                           /* of the decompressed bytes */
    int64_t              length;                             /* of the decompressed bytes, once it is known; else -1 */
};

const char *tess__source_name(const tess__source *source) { return source->name; }

int64_t tess__source_file_size(const tess__source *source) { return source->file_size; }

tess_compression tess__source_compression(const tess__source *source) { return source->compression; }

static bool is_uncompressed(const tess__source *s) { return s->compression == TESS_COMPRESSION_NONE; }

int64_t tess__source_size(const tess__source *source)
{
    return is_uncompressed(source) ? source->file_size : source->length;
}

bool tess__source_is_shared(const tess__source *source) { return is_uncompressed(source); }

int tess__source_descriptor(const tess__source *source) { return is_uncompressed(source) ? source->fd : -1; }

void tess__source_forgive(tess__source *source) { source->forgives = true; }

void tess__source_close(tess__source *source)
{
    if (!source) return;
    if (source->closes) (void)tess__sys.close(source->fd);
    tess__unpacker_free(source->unpacker);
    tess__free(source->buffer);
    tess__free(source->owned);
    tess__free(source->name);
    tess__free(source);
}

static tess_status make(tess__source **source, const char *name)
{
    const size_t  n = strlen(name) + 1;
    tess__source *s = tess__alloc(sizeof *s);
    char         *copy = tess__alloc(n);
    if (!s || !copy) {
        tess__free(s);
        tess__free(copy);
        TESS_FAIL(TESS_ENOMEM, "open: %s: no memory to open the file", name);
    }
    memcpy(copy, name, n);
    *s = (tess__source){ .name = copy, .fd = -1, .file_size = -1, .compression = TESS_COMPRESSION_NONE, .length = -1 };
    *source = s;
    return TESS_OK;
}

/* ---- Bytes as they are in the file ---- */

static tess_status read_uncompressed(tess__source *s, int64_t offset, void *bytes, int64_t n, int64_t *got)
{
    if (s->fd >= 0) {
        *got = tess__read_fully(s->fd, bytes, n, offset);
        TESS__CHECK_SYSTEM(*got >= 0, "read: %s: reading at byte %" PRId64, s->name, offset);
        return TESS_OK;
    }
    const int64_t left = s->file_size - offset;
    *got = left <= 0 ? 0 : n < left ? n : left;
    if (*got > 0) memcpy(bytes, s->memory + offset, (size_t)*got);
    return TESS_OK;
}

/* A pipe is read to its end into memory that grows. */
static tess_status read_pipe(tess__source *s)
{
    int64_t capacity = 0, n = 0;
    for (;;) {
        if (n == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            unsigned char *larger = tess__alloc((size_t)capacity);
            TESS_CHECK(larger, TESS_ENOMEM, "open: %s: no memory for %" PRId64 " bytes of it", s->name, capacity);
            if (n) memcpy(larger, s->owned, (size_t)n);
            tess__free(s->owned);
            s->owned = larger;
        }
        TESS__CHECK_CANCELLED("open");
        const ssize_t got = tess__sys.read(s->fd, s->owned + n, (size_t)(capacity - n));
        if (got < 0 && errno == EINTR) continue;
        TESS__CHECK_SYSTEM(got >= 0, "open: %s: reading at byte %" PRId64, s->name, n);
        if (got == 0) break;
        n += got;
    }
    s->memory = s->owned;
    s->file_size = n;
    if (s->closes) (void)tess__sys.close(s->fd);
    s->closes = false;
    s->fd = -1;
    return TESS_OK;
}

/* ---- Compressed bytes ---- */

/* "MAP " at 208 is tested first: the number of columns of an MRC file may begin with the same two bytes. */
static tess_compression compression_of(const unsigned char *start, int64_t n)
{
    if (n >= 212 && memcmp(start + 208, "MAP", 3) == 0) return TESS_COMPRESSION_NONE;
    if (n >= 3 && start[0] == 0x1f && start[1] == 0x8b && start[2] == 8) return TESS_COMPRESSION_GZIP;
    if (n >= 4 && memcmp(start, "BZh", 3) == 0 && start[3] >= '1' && start[3] <= '9') return TESS_COMPRESSION_BZIP2;
    return TESS_COMPRESSION_NONE;
}

static tess_status rewind_stream(tess__source *s)
{
    tess__unpacker_free(s->unpacker);
    s->unpacker = NULL;
    s->position = s->buffer_n = s->buffer_at = s->buffer_offset = 0;
    TESS_TRY(tess__unpacker_new(&s->unpacker, s->name, s->compression, s->forgives));
    return TESS_OK;
}

/* More compressed bytes behind those that are not used yet. */
static tess_status refill(tess__source *s, bool *at_end)
{
    const int64_t left = s->buffer_n - s->buffer_at;
    int64_t       got;
    memmove(s->buffer, s->buffer + s->buffer_at, (size_t)left);
    TESS_TRY(read_uncompressed(s, s->buffer_offset, s->buffer + left, BUFFER_BYTES - left, &got));
    s->buffer_at = 0;
    s->buffer_n = left + got;
    s->buffer_offset += got;
    *at_end = got < BUFFER_BYTES - left;
    return TESS_OK;
}

/* The next n decompressed bytes. */
static tess_status unpack(tess__source *s, void *bytes, int64_t n, int64_t *got)
{
    bool at_end = false;
    *got = 0;
    while (*got < n && !tess__unpacker_ended(s->unpacker)) {
        int64_t produced;
        TESS__CHECK_CANCELLED("read");
        if (s->buffer_n - s->buffer_at < BUFFER_BYTES / 2 && !at_end) TESS_TRY(refill(s, &at_end));
        tess__packed packed = { s->buffer, s->buffer_n, s->buffer_at, at_end };
        TESS_TRY(tess__unpack(s->unpacker, &packed, (char *)bytes + *got, n - *got, &produced));
        s->buffer_at = packed.used;
        s->position += produced;
        *got += produced;
    }
    if (tess__unpacker_ended(s->unpacker)) s->length = s->position;
    return TESS_OK;
}

static tess_status read_packed(tess__source *s, int64_t offset, void *bytes, int64_t n, int64_t *got)
{
    *got = 0;
    if (s->length >= 0 && offset >= s->length) return TESS_OK;
    if (!s->unpacker || offset < s->position) TESS_TRY(rewind_stream(s));
    unsigned char skipped[1 << 14];
    while (s->position < offset) {
        const int64_t left = offset - s->position;
        int64_t       produced;
        TESS_TRY(unpack(s, skipped, left < (int64_t)sizeof skipped ? left : (int64_t)sizeof skipped, &produced));
        if (produced == 0) return TESS_OK;
    }
    TESS_TRY(unpack(s, bytes, n, got));
    return TESS_OK;
}

/* ---- Both ---- */

tess_status tess__source_read(tess__source *source, int64_t offset, void *bytes, int64_t n, int64_t *got)
{
    TESS__CHECK_CANCELLED("read");
    TESS_TRY((is_uncompressed(source) ? read_uncompressed : read_packed)(source, offset, bytes, n, got));
    return TESS_OK;
}

tess_status tess__source_read_all(tess__source *source, int64_t offset, void *bytes, int64_t n, const char *what)
{
    int64_t got;
    TESS_TRY(tess__source_read(source, offset, bytes, n, &got));
    TESS_CHECK(got == n, TESS_EFORMAT,
               "read: %s: %s needs %" PRId64 " bytes at byte %" PRId64 "; only %" PRId64 " are available", source->name,
               what, n, offset, got);
    return TESS_OK;
}

static tess_status look(tess__source *s)
{
    unsigned char start[256];
    int64_t       n;
    TESS_TRY(read_uncompressed(s, 0, start, sizeof start, &n));
    s->compression = compression_of(start, n);
    if (is_uncompressed(s)) return TESS_OK;
    TESS_TRY(tess__check_codec("open", s->name, s->compression));
    s->buffer = tess__alloc(BUFFER_BYTES);
    TESS_CHECK(s->buffer, TESS_ENOMEM, "open: %s: no memory for decompression", s->name);
    return TESS_OK;
}

static tess_status open_path(tess__source *s, const char *path)
{
    if (strcmp(path, "-") == 0) {
        s->fd = STDIN_FILENO;
    } else {
        s->fd = tess__sys.open(path, O_RDONLY, 0);
        TESS__CHECK_SYSTEM(s->fd >= 0, "open: %s", path);
        s->closes = true;
    }
    s->file_size = tess__sys.size(s->fd);
    TESS__CHECK_SYSTEM(s->file_size != -2, "open: %s", path);
    if (s->file_size < 0 || s->fd == STDIN_FILENO)
        TESS_TRY(read_pipe(s)); /* the position of stdin may be behind its start */
    TESS_TRY(look(s));
    return TESS_OK;
}

tess_status tess__source_open(tess__source **source, const char *path)
{
    tess__source *s;
    TESS_TRY(make(&s, strcmp(path, "-") == 0 ? "standard input" : path));
    const tess_status status = open_path(s, path);
    if (status != TESS_OK) tess__source_close(s);
    else *source = s;
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__source_memory(tess__source **source, const char *name, const void *bytes, int64_t n)
{
    tess__source *s;
    TESS_TRY(make(&s, name));
    s->memory = bytes;
    s->file_size = n;
    const tess_status status = look(s);
    if (status != TESS_OK) tess__source_close(s);
    else *source = s;
    TESS_TRY(status);
    return TESS_OK;
}
