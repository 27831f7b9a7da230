/* Streaming compression and decompression of whole files: gzip and bzip2. */
#ifndef TESS_IO_CODEC_COMPRESSION_H
#define TESS_IO_CODEC_COMPRESSION_H

#include "tessera/io.h"

typedef struct tess__unpacker tess__unpacker;
typedef struct tess__packer   tess__packer;

/* Is gzip or bzip2 built in? */
bool tess__has_codec(tess_compression compression);

/* The same, and if not, an error that names it and the library that is missing. */
tess_status tess__check_codec(const char *fn, const char *name, tess_compression compression);

/* Begin at the start of a compressed file. `forgives`: damaged or truncated data end there, without an error. */
tess_status tess__unpacker_new(tess__unpacker **unpacker, const char *name, tess_compression compression,
                               bool forgives);
void        tess__unpacker_free(tess__unpacker *unpacker);

/* Was the end of all that is compressed reached, and its checksum right? */
bool tess__unpacker_ended(const tess__unpacker *unpacker);

/* Compressed bytes, of which `used` have been consumed. `at_end`: no more will come. */
typedef struct tess__packed {
    const unsigned char *bytes;
    int64_t              n, used;
    bool                 at_end;
} tess__packed;

/* Decompress what is not used yet to at most n bytes, of which *produced are written. Concatenated streams are one. If
 * no more will come and the end was not reached, that is an error. */
tess_status tess__unpack(tess__unpacker *unpacker, tess__packed *in, void *out, int64_t n, int64_t *produced);

/* Begin a compressed stream; level 1 to 9. */
tess_status tess__packer_new(tess__packer **packer, const char *name, tess_compression compression, int level);
void        tess__packer_free(tess__packer *packer);

/* Compress all n bytes, handing what comes out to `put`; `last` ends the stream. */
tess_status tess__pack(tess__packer *packer, const void *bytes, int64_t n, bool last,
                       tess_status (*put)(void *context, const void *bytes, int64_t n), void *context);

/* The size of a complete gzip stream of n bytes in stored blocks: it depends on n alone, so that the stream can be
 * rewritten in place. Without zlib: 0. */
int64_t tess__gzip_stored_size(int64_t n);
void    tess__gzip_stored(void *stream, const void *bytes, int64_t n);

#endif
