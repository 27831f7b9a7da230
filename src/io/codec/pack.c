/* Streaming compression by gzip and bzip2, and gzip streams of stored blocks that can be rewritten in place. */
#include <string.h>

#include "core/device/cancel.h"
#include "core/device/memory.h"
#include "io/codec/codec.h"
#include "io/codec/compression.h"

enum { BUFFER_BYTES = 1 << 16 }; /* bytes handed on at a time */

struct tess__packer {
    const char      *name;
    tess_compression compression;
#ifdef TESS_HAVE_ZLIB
    z_stream z;
#endif
#ifdef TESS_HAVE_BZIP2
    bz_stream b;
#endif
    unsigned char buffer[BUFFER_BYTES];
};

static bool begin(tess__packer *p, int level)
{
    (void)p, (void)level;
#ifdef TESS_HAVE_ZLIB
    if (p->compression == TESS_COMPRESSION_GZIP) {
        p->z.zalloc = tess__z_alloc;
        p->z.zfree = tess__z_free;
        return deflateInit2(&p->z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    }
#endif
#ifdef TESS_HAVE_BZIP2
    if (p->compression == TESS_COMPRESSION_BZIP2) {
        p->b.bzalloc = tess__b_alloc;
        p->b.bzfree = tess__b_free;
        return BZ2_bzCompressInit(&p->b, level, 0, 0) == BZ_OK;
    }
#endif
    return false;
}

tess_status tess__packer_new(tess__packer **packer, const char *name, tess_compression compression, int level)
{
    TESS_TRY(tess__check_codec("writer_open", name, compression));
    tess__packer *p = tess__alloc(sizeof *p);
    TESS_CHECK(p, TESS_ENOMEM, "writer_open: %s: no memory for compression", name);
    memset(p, 0, sizeof *p);
    p->name = name;
    p->compression = compression;
    if (!begin(p, level)) {
        tess__free(p);
        TESS_FAIL(TESS_ENOMEM, "writer_open: %s: no memory for compression", name);
    }
    *packer = p;
    return TESS_OK;
}

void tess__packer_free(tess__packer *packer)
{
    if (!packer) return;
#ifdef TESS_HAVE_ZLIB
    if (packer->compression == TESS_COMPRESSION_GZIP) (void)deflateEnd(&packer->z);
#endif
#ifdef TESS_HAVE_BZIP2
    if (packer->compression == TESS_COMPRESSION_BZIP2) (void)BZ2_bzCompressEnd(&packer->b);
#endif
    tess__free(packer);
}

/* One call of a library: bytes consumed and produced; true when all input, or the end of the stream, is written. */
static bool step(tess__packer *p, const void *in, int64_t n, bool last, int64_t *used, int64_t *produced)
{
    *used = *produced = 0;
    const unsigned some = (unsigned)(n < 1 << 30 ? n : 1 << 30);
    const bool     whole = some == n;
    (void)p, (void)whole, (void)in, (void)last;
#ifdef TESS_HAVE_ZLIB
    if (p->compression == TESS_COMPRESSION_GZIP) {
        p->z.next_in = (Bytef *)(uintptr_t)in;
        p->z.avail_in = some;
        p->z.next_out = p->buffer;
        p->z.avail_out = BUFFER_BYTES;
        const int code = deflate(&p->z, last && whole ? Z_FINISH : Z_NO_FLUSH);
        *used = some - p->z.avail_in;
        *produced = BUFFER_BYTES - p->z.avail_out;
        return last && whole ? code == Z_STREAM_END : whole && p->z.avail_in == 0 && p->z.avail_out > 0;
    }
#endif
#ifdef TESS_HAVE_BZIP2
    if (p->compression == TESS_COMPRESSION_BZIP2) {
        p->b.next_in = (char *)(uintptr_t)in;
        p->b.avail_in = some;
        p->b.next_out = (char *)p->buffer;
        p->b.avail_out = BUFFER_BYTES;
        if (!last && n == 0) return true; /* running without input is an error here */
        const int code = BZ2_bzCompress(&p->b, last && whole ? BZ_FINISH : BZ_RUN);
        *used = some - p->b.avail_in;
        *produced = BUFFER_BYTES - p->b.avail_out;
        return last && whole ? code == BZ_STREAM_END : whole && p->b.avail_in == 0 && p->b.avail_out > 0;
    }
#endif
    return true;
}

tess_status tess__pack(tess__packer *packer, const void *bytes, int64_t n, bool last,
                       tess_status (*put)(void *context, const void *bytes, int64_t n), void *context)
{
    const char *from = bytes;
    for (bool done = false; !done;) {
        int64_t used, produced;
        TESS__CHECK_CANCELLED("write");
        done = step(packer, from, n, last, &used, &produced);
        from += used;
        n -= used;
        if (produced > 0) TESS_TRY(put(context, packer->buffer, produced));
    }
    return TESS_OK;
}

/* ---- gzip streams of stored blocks: a header of 10 bytes, blocks of up to 65535 with 5 bytes before each, and a
 * checksum and the length at the end ---- */

enum { GZIP_HEAD = 10, BLOCK = 65535, BLOCK_HEAD = 5, GZIP_TAIL = 8 };

static int64_t n_blocks(int64_t n) { return n == 0 ? 1 : (n + BLOCK - 1) / BLOCK; }

int64_t tess__gzip_stored_size(int64_t n) { return GZIP_HEAD + n_blocks(n) * BLOCK_HEAD + n + GZIP_TAIL; }

static unsigned char *put_little(unsigned char *at, uint32_t value, int n)
{
    for (int i = 0; i < n; i++) *at++ = (unsigned char)(value >> 8 * i);
    return at;
}

static uint32_t checksum(const unsigned char *bytes, int64_t n)
{
#ifdef TESS_HAVE_ZLIB
    uLong sum = crc32(0, NULL, 0);
    for (int64_t done = 0; done < n; done += BLOCK)
        sum = crc32(sum, bytes + done, (uInt)(n - done < BLOCK ? n - done : BLOCK));
    return (uint32_t)sum;
#else
    (void)bytes, (void)n;
    return 0;
#endif
}

void tess__gzip_stored(void *stream, const void *bytes, int64_t n)
{
    static const unsigned char head[GZIP_HEAD] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
    const unsigned char       *from = bytes;
    unsigned char             *at = stream;
    memcpy(at, head, sizeof head);
    at += sizeof head;
    for (int64_t left = n, blocks = n_blocks(n); blocks > 0; blocks--) {
        const uint32_t size = (uint32_t)(left < BLOCK ? left : BLOCK);
        *at++ = blocks == 1; /* the last block says so */
        at = put_little(at, size, 2);
        at = put_little(at, ~size, 2);
        memcpy(at, from, size);
        at += size;
        from += size;
        left -= size;
    }
    at = put_little(at, checksum(bytes, n), 4);
    (void)put_little(at, (uint32_t)n, 4);
}
