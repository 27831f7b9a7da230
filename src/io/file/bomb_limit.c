/* Decompression bomb limit: how much a compressed file can expand, by the format of its compression. */
#include "io/file/bomb_limit.h"

#include <inttypes.h>

#include "core/check/error.h"

/* DEFLATE expands two bits to at most 258 bytes. A block of bzip2 takes more than 25 bytes for 900000 of run-length
 * encoded ones, five of which stand for up to 259 equal bytes. */
enum { GZIP_MAX_RATIO = 1032, BZIP2_MAX_RATIO = 2000000 };

/* The maximum size of what a compressed file expands to, by the limits of its compression: 1032 bytes for each byte of
 * gzip, 2000000 of bzip2. */
static int64_t max_expanded_size(const tess__source *source)
{
    const int64_t size = tess__source_file_size(source);
    const int64_t max_ratio =
        tess__source_compression(source) == TESS_COMPRESSION_GZIP ? GZIP_MAX_RATIO : BZIP2_MAX_RATIO;
    return size < 0 || size > INT64_MAX / max_ratio ? INT64_MAX : size * max_ratio;
}

tess_status tess__check_bomb_limit(const tess_file *file, int64_t offset, int64_t n, const char *what)
{
    const bool unknown = tess__source_size(file->source) < 0;
    TESS_CHECK(!unknown || file->opts.salvage || n <= max_expanded_size(file->source) - offset, TESS_EFORMAT,
               "open: %s: %s need %" PRId64 " bytes; %" PRId64 " compressed bytes cannot hold them", file->path, what,
               offset + n, tess__source_file_size(file->source));
    return TESS_OK;
}
