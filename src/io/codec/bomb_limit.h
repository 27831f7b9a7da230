/* Decompression bomb limit: how much a compressed file can expand, by the format of its compression. */
#ifndef TESS_IO_CODEC_BOMB_LIMIT_H
#define TESS_IO_CODEC_BOMB_LIMIT_H

#include "io/file/file.h"

/* The most bytes that come of a file that is compressed as a whole, by the limits of its compression: 1032 of each byte
 * of gzip, 2000000 of bzip2. */
int64_t tess__expands_to(const tess__source *source);

/* Data of n bytes from `offset` on may be in a compressed file, whose size is not known until its end; an error says
 * both numbers. What was decompressed, and opts.salvage, is as tess__file_check_size has it. */
tess_status tess__check_expansion(const tess_file *file, int64_t offset, int64_t n, const char *what);

#endif
