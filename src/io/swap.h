/* The other byte order. */
#ifndef TESS_IO_SWAP_H
#define TESS_IO_SWAP_H

#include "tessera/dtype.h"

/* Turn the bytes of n elements round, each real of a compound one, in place. */
void tess__swap(void *elements, int64_t n, tess_dtype dtype);

/* Is this machine's lowest byte first? */
static inline bool tess__is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

#endif
