/* zlib and libbz2, where the build found them, with allocation by the library's own allocator. */
#ifndef TESS_IO_CODEC_CODEC_H
#define TESS_IO_CODEC_CODEC_H

#include "core/device/memory.h"

#ifdef TESS_HAVE_ZLIB
#include <zlib.h>

static inline void *tess__z_alloc(void *unused, unsigned n, unsigned size)
{
    (void)unused;
    return tess__alloc((size_t)n * size);
}

static inline void tess__z_free(void *unused, void *memory)
{
    (void)unused;
    tess__free(memory);
}
#endif

#ifdef TESS_HAVE_BZIP2
#include <bzlib.h>

static inline void *tess__b_alloc(void *unused, int n, int size)
{
    (void)unused;
    return tess__alloc((size_t)n * (size_t)size);
}

static inline void tess__b_free(void *unused, void *memory)
{
    (void)unused;
    tess__free(memory);
}
#endif

#endif
