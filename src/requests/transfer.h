/* Transfer: bytes copied between two devices. */
#ifndef TESS_REQUESTS_TRANSFER_H
#define TESS_REQUESTS_TRANSFER_H

#include "tessera/array.h"

/* Bytes copied between two devices: both arrays are one block each, which begins at their first element. Plain data. */
typedef struct tess__transfer {
    const char *name;
    tess_array  out, in; /* on different devices; one of them may be the CPU */
    int64_t     size;    /* bytes, not 0 */
} tess__transfer;

#endif
