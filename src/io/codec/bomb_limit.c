/* Decompression bomb limit: how much a compressed file can expand, by the format of its compression. */
#include "io/codec/bomb_limit.h"

#include <inttypes.h>

#include "core/error.h"

/* Deflate makes at most 258 bytes of two bits. A block of bzip2 takes more than 25 bytes for 900000 of its own, each
 * five of which stand for up to 259 that are equal. */
enum { GZIP_MOST = 1032, BZIP2_MOST = 2000000 };

int64_t tess__expands_to(const tess__source *source)
{
    const int64_t size = tess__source_file_size(source);
    const int64_t most = tess__source_compression(source) == TESS_COMPRESSION_GZIP ? GZIP_MOST : BZIP2_MOST;
    return size < 0 || size > INT64_MAX / most ? INT64_MAX : size * most;
}

tess_status tess__check_expansion(const tess_file *file, int64_t offset, int64_t n, const char *what)
{
    const bool unknown = tess__source_size(file->source) < 0;
    TESS_CHECK(!unknown || file->opts.salvage || n <= tess__expands_to(file->source) - offset, TESS_EFORMAT,
               "open: %s: %s need %" PRId64 " bytes; %" PRId64 " compressed bytes cannot hold them", file->path, what,
               offset + n, tess__source_file_size(file->source));
    return TESS_OK;
}
