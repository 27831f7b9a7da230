/* DEFLATE decompression of a ZIP member as a stream, with its size and CRC-32 checked. */
#include <inttypes.h>
#include <string.h>

#include "core/device/memory.h"
#include "io/codec/codec.h"
#include "io/codec/crc32.h"
#include "io/zip/zip.h"

#ifdef TESS_HAVE_ZLIB

enum { BUFFER_BYTES = 1 << 16 };

struct tess__inflater {
    tess__source    *source;
    tess__zip_member member;
    int64_t          offset;   /* of its first byte in the archive */
    int64_t          taken;    /* bytes of the archive that were read */
    int64_t          position; /* bytes produced */
    uint32_t         crc;      /* of those */
    bool             active, ended;
    bool             forgiving, broken; /* damage is followed by zeros; it was met */
    int64_t          good;              /* bytes produced before that */
    z_stream         z;
    unsigned char    buffer[BUFFER_BYTES];
};

static void end(tess__inflater *f)
{
    if (f->active) (void)inflateEnd(&f->z);
    f->active = false;
}

static tess_status start(tess__inflater *f)
{
    end(f);
    memset(&f->z, 0, sizeof f->z);
    f->z.zalloc = tess__z_alloc;
    f->z.zfree = tess__z_free;
    TESS_CHECK(inflateInit2(&f->z, -15) == Z_OK, TESS_ENOMEM, "read: %s: no memory for decompression",
               tess__source_name(f->source));
    f->active = true;
    f->ended = f->broken = false;
    f->taken = f->position = f->good = 0;
    f->crc = 0;
    return TESS_OK;
}

tess_status tess__inflater_new(tess__inflater **inflater, const tess__zip *zip, const tess__zip_member *member,
                               int64_t offset)
{
    tess__inflater *f = tess__alloc(sizeof *f);
    TESS_CHECK(f, TESS_ENOMEM, "open: %s: no memory for decompression", tess__source_name(zip->source));
    memset(f, 0, sizeof *f);
    f->source = zip->source;
    f->member = *member;
    f->offset = offset;
    const tess_status status = start(f);
    if (status != TESS_OK) tess__inflater_free(f);
    else *inflater = f;
    TESS_TRY(status);
    return TESS_OK;
}

void tess__inflater_free(tess__inflater *inflater)
{
    if (!inflater) return;
    end(inflater);
    tess__free(inflater);
}

static tess_status reject(const tess__inflater *f, const char *what)
{
    TESS_FAIL(TESS_EFORMAT, "read: %s: member '%.60s' is damaged: %s", tess__source_name(f->source), f->member.name,
              what);
}

static tess_status refill(tess__inflater *f)
{
    const int64_t left = f->member.packed_size - f->taken, n = left < BUFFER_BYTES ? left : BUFFER_BYTES;
    TESS_TRY(tess__source_read_all(f->source, f->offset + f->taken, f->buffer, n, "a deflated member"));
    f->taken += n;
    f->z.next_in = f->buffer;
    f->z.avail_in = (uInt)n;
    return TESS_OK;
}

/* Run zlib once with an output capacity of n bytes. */
static tess_status step(tess__inflater *f, void *bytes, int64_t n, int64_t *produced)
{
    if (f->z.avail_in == 0 && f->taken < f->member.packed_size) TESS_TRY(refill(f));
    const uInt capacity = (uInt)(n < 1 << 30 ? n : 1 << 30), before = f->z.avail_in;
    f->z.next_out = bytes;
    f->z.avail_out = capacity;
    const int code = inflate(&f->z, Z_NO_FLUSH);
    *produced = (int64_t)capacity - f->z.avail_out;
    TESS_CHECK(code != Z_MEM_ERROR, TESS_ENOMEM, "read: %s: no memory for decompression", tess__source_name(f->source));
    f->ended = code == Z_STREAM_END;
    const bool wrong = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
    const bool early = !f->ended && *produced == 0 && before == f->z.avail_in && f->taken == f->member.packed_size;
    f->broken = wrong || early;
    if (f->forgiving || !f->broken) return TESS_OK;
    return reject(f, wrong ? "its deflated data are invalid" : "its deflated data end too early");
}

/* After the last byte: nothing may follow, and the checksum must be right. */
static tess_status check_end(tess__inflater *f)
{
    while (!f->ended) {
        unsigned char more;
        int64_t       produced = 0;
        TESS_TRY(step(f, &more, 1, &produced));
        if (produced > 0) return reject(f, "it is longer than the directory says");
    }
    TESS_CHECK(f->crc == f->member.crc, TESS_EFORMAT,
               "read: %s: member '%.60s' is damaged: its CRC32 is %08" PRIx32 "; expected %08" PRIx32,
               tess__source_name(f->source), f->member.name, f->crc, f->member.crc);
    return TESS_OK;
}

/* There is nothing more to decompress; further bytes are 0. */
static bool is_over(const tess__inflater *f) { return f->forgiving && (f->ended || f->broken); }

/* The next n bytes. */
static tess_status next(tess__inflater *f, unsigned char *bytes, int64_t n)
{
    for (int64_t done = 0, produced = 0; done < n; done += produced) {
        if (is_over(f)) {
            memset(bytes + done, 0, (size_t)(n - done));
            f->position += n - done;
            return TESS_OK;
        }
        if (f->ended) return reject(f, "it is shorter than the directory says");
        TESS_TRY(step(f, bytes + done, n - done, &produced));
        f->crc = tess__crc32(f->crc, bytes + done, produced);
        f->position += produced;
        f->good += produced;
    }
    if (f->position == f->member.size && !f->forgiving) TESS_TRY(check_end(f));
    return TESS_OK;
}

tess_status tess__inflater_read(tess__inflater *f, int64_t offset, void *bytes, int64_t n)
{
    if (!f->forgiving && (n > f->member.size || offset > f->member.size - n))
        return reject(f, "its array needs more bytes than the directory lists");
    if (offset < f->position) TESS_TRY(start(f));
    while (f->position < offset) {
        unsigned char skipped[1 << 12];
        if (is_over(f)) f->position = offset;
        const int64_t left = offset - f->position;
        TESS_TRY(next(f, skipped, left < (int64_t)sizeof skipped ? left : (int64_t)sizeof skipped));
    }
    TESS_TRY(next(f, bytes, n));
    return TESS_OK;
}

void tess__inflater_forgive(tess__inflater *f) { f->forgiving = true; }

tess_status tess__inflater_measure(tess__inflater *f, int64_t *good, bool *right)
{
    unsigned char bytes[1 << 12];
    tess__inflater_forgive(f);
    TESS_TRY(start(f));
    while (!is_over(f) && f->good <= f->member.size) TESS_TRY(next(f, bytes, sizeof bytes));
    *good = f->good;
    *right = f->ended && f->good == f->member.size && f->crc == f->member.crc;
    return TESS_OK;
}

#else

tess_status tess__inflater_new(tess__inflater **inflater, const tess__zip *zip, const tess__zip_member *member,
                               int64_t offset)
{
    (void)inflater, (void)offset;
    TESS_FAIL(TESS_EUNSUPPORTED, "open: %s: member '%.60s' is deflated: this library was built without zlib",
              tess__source_name(zip->source), member->name);
}

void tess__inflater_free(tess__inflater *inflater) { (void)inflater; }

tess_status tess__inflater_read(tess__inflater *inflater, int64_t offset, void *bytes, int64_t n)
{
    (void)inflater, (void)offset, (void)bytes, (void)n;
    TESS_FAIL(TESS_EUNSUPPORTED, "read: deflated members are not supported: this library was built without zlib");
}

void tess__inflater_forgive(tess__inflater *inflater) { (void)inflater; }

tess_status tess__inflater_measure(tess__inflater *inflater, int64_t *good, bool *right)
{
    (void)inflater, (void)good, (void)right;
    TESS_FAIL(TESS_EUNSUPPORTED, "read: deflated members are not supported: this library was built without zlib");
}

#endif
