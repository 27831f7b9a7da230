/* Libraries of the CUDA family, opened when they are first needed: no build needs them. */
#ifndef TESS_CUDA_LIBRARY_H
#define TESS_CUDA_LIBRARY_H

#include "tessera/error.h"

/* A function of a library: its name there, and where its address goes. */
typedef struct tess__symbol {
    const char *name;
    size_t      offset; /* of a pointer in the table */
} tess__symbol;

typedef struct tess__library {
    const char         *what;    /* "libcuda (the driver)" */
    const char *const  *names;   /* of files, in the order they are tried; ended by NULL */
    const char         *without; /* what still works if there is none */
    const tess__symbol *symbols;
    int                 n_symbols;
} tess__library;

/* The first of the library's files that can be opened, its functions' addresses in `table`. The folder TESS_CUDA_PATH
 * is tried first, then the loader's own places, then where CUDA is usually installed. If none can be used, `why`
 * becomes one line that says which names were tried; nothing is recorded as a failure. */
bool tess__library_find(const tess__library *library, void *table, char *why, size_t size);

/* The same, and TESS_EDEVICE with that line. */
tess_status tess__library_open(const tess__library *library, const char *fn, void *table);

#endif
