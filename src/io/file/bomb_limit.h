/* Decompression bomb limit: how much a compressed file can expand, by the format of its compression. */
#ifndef TESS_IO_FILE_BOMB_LIMIT_H
#define TESS_IO_FILE_BOMB_LIMIT_H

#include "io/file/file.h"

/* An error if a compressed file, whose expanded size is not known before its end, cannot hold n bytes from `offset` on.
 * No check with opts.salvage, or where the size is known: see tess__file_check_size. */
tess_status tess__check_bomb_limit(const tess_file *file, int64_t offset, int64_t n, const char *what);

#endif
