/* An input as it is in a file that is compressed as a whole, some of them damaged. */
#ifndef TESS_FUZZ_PACKED_H
#define TESS_FUZZ_PACKED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/codec/compression.h"

typedef struct fuzz_packed {
    uint8_t *bytes; /* to be freed */
    size_t   n;
} fuzz_packed;

static tess_status fuzz_keep(void *context, const void *bytes, int64_t n)
{
    fuzz_packed *packed = context;
    if (n == 0) return TESS_OK;
    uint8_t *larger = realloc(packed->bytes, packed->n + (size_t)n);
    if (!larger) abort();
    memcpy(larger + packed->n, bytes, (size_t)n);
    packed->bytes = larger;
    packed->n += (size_t)n;
    return TESS_OK;
}

/* As gzip; `pick` says whether a byte of it is changed, or its end is missing. Without zlib: nothing. */
static fuzz_packed fuzz_pack(const uint8_t *data, size_t n, uint32_t pick)
{
    fuzz_packed   packed = { NULL, 0 };
    tess__packer *packer;
    if (!tess__has_codec(TESS_COMPRESSION_GZIP)) return packed;
    if (tess__packer_new(&packer, "x.gz", TESS_COMPRESSION_GZIP, 6) != TESS_OK) abort();
    if (tess__pack(packer, data, (int64_t)n, true, fuzz_keep, &packed) != TESS_OK || packed.n == 0) abort();
    tess__packer_free(packer);
    if (pick % 3 == 1) packed.bytes[pick / 3 % packed.n] ^= (uint8_t)(1u << pick / 7 % 8);
    if (pick % 3 == 2) packed.n -= pick / 3 % packed.n;
    return packed;
}

#endif
