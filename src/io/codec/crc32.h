/* CRC-32 as in ZIP and gzip. */
#ifndef TESS_IO_CODEC_CRC32_H
#define TESS_IO_CODEC_CRC32_H

#include <stdint.h>

/* Of n more bytes; begin with 0. */
uint32_t tess__crc32(uint32_t crc, const void *bytes, int64_t n);

#endif
