/* Byte order: elements byte-swapped in place. */
#ifndef TESS_IO_FILE_BYTESWAP_H
#define TESS_IO_FILE_BYTESWAP_H

#include "tessera/array.h"

/* Byte-swap n elements in place: each real of a compound one. */
tess_status tess__byteswap(void *elements, int64_t n, tess_dtype dtype);

/* The same of n elements in each of some rows, which begin `pitch` elements apart. */
tess_status tess__byteswap_rows(void *elements, int64_t rows, int64_t n, int64_t pitch, tess_dtype dtype);

/* Is this machine's lowest byte first? */
static inline bool tess__is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

#endif
