/* Streaming decompression of gzip and bzip2, of one or several concatenated streams. */
#include <string.h>

#include "core/device/memory.h"
#include "io/codec/codec.h"
#include "io/codec/compression.h"

struct tess__unpacker {
    const char      *name;
    tess_compression compression;
    bool             active; /* inside a stream */
    bool             began;  /* at least one stream was complete */
    bool             ended;
    bool             forgives; /* damage is treated as the end */
#ifdef TESS_HAVE_ZLIB
    z_stream z;
#endif
#ifdef TESS_HAVE_BZIP2
    bz_stream b;
#endif
};

#if defined TESS_HAVE_ZLIB || defined TESS_HAVE_BZIP2
static const int64_t MAX_CALL = 1 << 30; /* bytes that one call of a library takes: counts have 32 bits */
static unsigned      some(int64_t n) { return (unsigned)(n < MAX_CALL ? n : MAX_CALL); }
#endif

bool tess__has_codec(tess_compression compression)
{
    (void)compression;
#ifdef TESS_HAVE_ZLIB
    if (compression == TESS_COMPRESSION_GZIP) return true;
#endif
#ifdef TESS_HAVE_BZIP2
    if (compression == TESS_COMPRESSION_BZIP2) return true;
#endif
    return false;
}

tess_status tess__check_codec(const char *fn, const char *name, tess_compression compression)
{
    const bool gzip = compression == TESS_COMPRESSION_GZIP;
    TESS_CHECK(tess__has_codec(compression), TESS_EUNSUPPORTED,
               "%s: %s: %s is not supported: this library was built without %s", fn, name, gzip ? "gzip" : "bzip2",
               gzip ? "zlib" : "libbz2");
    return TESS_OK;
}

tess_status tess__unpacker_new(tess__unpacker **unpacker, const char *name, tess_compression compression, bool forgives)
{
    TESS_TRY(tess__check_codec("open", name, compression));
    tess__unpacker *u = tess__alloc(sizeof *u);
    TESS_CHECK(u, TESS_ENOMEM, "open: %s: no memory for decompression", name);
    memset(u, 0, sizeof *u);
    u->name = name;
    u->compression = compression;
    u->forgives = forgives;
    *unpacker = u;
    return TESS_OK;
}

static void end_stream(tess__unpacker *u)
{
    if (!u->active) return;
    u->active = false;
#ifdef TESS_HAVE_ZLIB
    if (u->compression == TESS_COMPRESSION_GZIP) (void)inflateEnd(&u->z);
#endif
#ifdef TESS_HAVE_BZIP2
    if (u->compression == TESS_COMPRESSION_BZIP2) (void)BZ2_bzDecompressEnd(&u->b);
#endif
}

void tess__unpacker_free(tess__unpacker *unpacker)
{
    if (!unpacker) return;
    end_stream(unpacker);
    tess__free(unpacker);
}

bool tess__unpacker_ended(const tess__unpacker *unpacker) { return unpacker->ended; }

static bool begin_stream(tess__unpacker *u)
{
    (void)u;
#ifdef TESS_HAVE_ZLIB
    if (u->compression == TESS_COMPRESSION_GZIP) {
        memset(&u->z, 0, sizeof u->z);
        u->z.zalloc = tess__z_alloc;
        u->z.zfree = tess__z_free;
        u->active = inflateInit2(&u->z, 15 + 16) == Z_OK;
    }
#endif
#ifdef TESS_HAVE_BZIP2
    if (u->compression == TESS_COMPRESSION_BZIP2) {
        memset(&u->b, 0, sizeof u->b);
        u->b.bzalloc = tess__b_alloc;
        u->b.bzfree = tess__b_free;
        u->active = BZ2_bzDecompressInit(&u->b, 0, 0) == BZ_OK;
    }
#endif
    return u->active;
}

/* The outcome of one call of a library. */
typedef enum outcome { GOES_ON, STREAM_ENDS, NO_MEMORY, DAMAGED } outcome;

static outcome step(tess__unpacker *u, const void *in, int64_t n_in, int64_t *used, void *out, int64_t n_out,
                    int64_t *produced)
{
    (void)u, (void)in, (void)n_in, (void)out, (void)n_out;
    *used = *produced = 0;
#ifdef TESS_HAVE_ZLIB
    if (u->compression == TESS_COMPRESSION_GZIP) {
        u->z.next_in = (Bytef *)(uintptr_t)in;
        u->z.avail_in = some(n_in);
        u->z.next_out = out;
        u->z.avail_out = some(n_out);
        const int code = inflate(&u->z, Z_NO_FLUSH);
        *used = some(n_in) - u->z.avail_in;
        *produced = some(n_out) - u->z.avail_out;
        if (code == Z_STREAM_END) return STREAM_ENDS;
        if (code == Z_MEM_ERROR) return NO_MEMORY;
        return code == Z_OK || code == Z_BUF_ERROR ? GOES_ON : DAMAGED;
    }
#endif
#ifdef TESS_HAVE_BZIP2
    if (u->compression == TESS_COMPRESSION_BZIP2) {
        u->b.next_in = (char *)(uintptr_t)in;
        u->b.avail_in = some(n_in);
        u->b.next_out = out;
        u->b.avail_out = some(n_out);
        const int code = BZ2_bzDecompress(&u->b);
        *used = some(n_in) - u->b.avail_in;
        *produced = some(n_out) - u->b.avail_out;
        if (code == BZ_STREAM_END) return STREAM_ENDS;
        if (code == BZ_MEM_ERROR) return NO_MEMORY;
        return code == BZ_OK ? GOES_ON : DAMAGED;
    }
#endif
    (void)in, (void)n_in, (void)out, (void)n_out, (void)u;
    return DAMAGED;
}

/* Does what follows a complete stream begin another one? Else it is padding, which other readers pass over too. */
static bool another_begins(const tess__unpacker *u, const unsigned char *in, int64_t n)
{
    return u->compression == TESS_COMPRESSION_GZIP ? n >= 2 && in[0] == 0x1f && in[1] == 0x8b
                                                   : n >= 2 && in[0] == 'B' && in[1] == 'Z';
}

tess_status tess__unpack(tess__unpacker *u, tess__packed *in, void *out, int64_t n, int64_t *produced)
{
    const char *what = u->compression == TESS_COMPRESSION_GZIP ? "gzip" : "bzip2";
    *produced = 0;
    while (*produced < n && !u->ended) {
        const unsigned char *from = in->bytes + in->used;
        const int64_t        left = in->n - in->used;
        if (!u->active) {
            if (left < 2 && !in->at_end) break; /* more is needed to tell what follows */
            if (u->began && !another_begins(u, from, left)) {
                u->ended = true;
                break;
            }
            TESS_CHECK(begin_stream(u), TESS_ENOMEM, "read: %s: no memory for decompression", u->name);
        }
        int64_t       took, gave;
        const outcome o = step(u, from, left, &took, (char *)out + *produced, n - *produced, &gave);
        in->used += took;
        *produced += gave;
        TESS_CHECK(o != NO_MEMORY, TESS_ENOMEM, "read: %s: no memory for decompression", u->name);
        const bool short_of = o == GOES_ON && took == 0 && gave == 0 && in->at_end;
        if (u->forgives && (o == DAMAGED || short_of)) {
            u->ended = true;
            break;
        }
        TESS_CHECK(o != DAMAGED, TESS_EFORMAT, "read: %s: the %s data are damaged", u->name, what);
        if (o == STREAM_ENDS) {
            u->began = true;
            end_stream(u);
        } else if (took == 0 && gave == 0) {
            TESS_CHECK(!short_of, TESS_EFORMAT, "read: %s: the %s data end before they are complete", u->name, what);
            break;
        }
    }
    return TESS_OK;
}
