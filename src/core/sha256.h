/* SHA-256 (FIPS 180-4), for keys made from contents. */
#ifndef TESS_CORE_SHA256_H
#define TESS_CORE_SHA256_H

#include "tessera/base.h"

typedef struct tess__sha256 {
    uint32_t      state[8];
    uint64_t      n; /* bytes so far */
    unsigned char block[64];
} tess__sha256;

void tess__sha256_start(tess__sha256 *s);
void tess__sha256_add(tess__sha256 *s, const void *bytes, size_t n);
void tess__sha256_end(tess__sha256 *s, unsigned char digest[32]);

#endif
