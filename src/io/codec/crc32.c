/* CRC-32 as in ZIP and gzip: zlib's where it is built in, which is faster, else by a table of 16 entries. */
#include "io/codec/crc32.h"

#ifdef TESS_HAVE_ZLIB

#include <zlib.h>

uint32_t tess__crc32(uint32_t crc, const void *bytes, int64_t n)
{
    const unsigned char *from = bytes;
    while (n > 0) { /* its count has 32 bits */
        const uInt some = (uInt)(n < 1 << 30 ? n : 1 << 30);
        crc = (uint32_t)crc32(crc, from, some);
        from += some;
        n -= some;
    }
    return crc;
}

#else

uint32_t tess__crc32(uint32_t crc, const void *bytes, int64_t n)
{
    const unsigned char *from = bytes;
    uint32_t             halves[16]; /* the table for 4 bits at a time */
    for (uint32_t i = 0; i < 16; i++) {
        halves[i] = i;
        for (int bit = 0; bit < 4; bit++) halves[i] = halves[i] >> 1 ^ (halves[i] & 1 ? 0xedb88320u : 0);
    }
    crc = ~crc;
    for (int64_t i = 0; i < n; i++) {
        crc ^= from[i];
        crc = crc >> 4 ^ halves[crc & 15];
        crc = crc >> 4 ^ halves[crc & 15];
    }
    return ~crc;
}

#endif
