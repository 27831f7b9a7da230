/* Dynamic loading of the CUDA libraries at first use: no build needs them. */
#ifndef TESS_CUDA_RUNTIME_LIBRARY_H
#define TESS_CUDA_RUNTIME_LIBRARY_H

#include "tessera/error.h"

/* A function of a library: its name there, and the offset of the pointer that receives its address. */
typedef struct tess__symbol {
    const char *name;
    size_t      offset; /* of a pointer in the table */
} tess__symbol;

/* A file of a library, and the generation of CUDA that it is of: 13 is 13.x; 0: of any. */
typedef struct tess__library_file {
    const char *name;
    int         generation;
} tess__library_file;

enum { TESS__LIBRARY_FILES = 8 };

typedef struct tess__library {
    const char         *what;                       /* "libcuda (the driver)" */
    tess__library_file  files[TESS__LIBRARY_FILES]; /* the newest first; those of any last; the others 0 */
    const char         *without;                    /* what still works if there is none */
    const tess__symbol *symbols;
    int                 n_symbols;
    bool                is_open; /* what tess__library_open knows */
} tess__library;

/* Names in the order that they are tried with a driver of a generation: its own, then older ones, which it runs as
 * well, then newer ones, the nearest first, then those of any; ended by NULL. 0: no driver is known, and they stay as
 * they are. */
void tess__library_order(const char *names[TESS__LIBRARY_FILES + 1], const tess__library *library, int generation);

/* The first of the library's files that can be opened, its functions' addresses in `table`. The folders of
 * TESS_CUDA_PATH, with ':' between them, are tried first (not in a program with more rights than its user), then, name
 * by name, the loader's own paths and where CUDA is usually installed. If none can be used, `why` becomes one line
 * that says which names were tried, or what the loader said of a file that is there; nothing is recorded as a
 * failure. */
bool tess__library_find(const tess__library *library, void *table, char *why, size_t size);

/* The same, remembered after the first success; else TESS_EDEVICE with that line, and the next call searches again. */
tess_status tess__library_open(tess__library *library, const char *fn, void *table);

/* Its version, 12050 for 12.5, by a function of the table that tells its numbers 0 and 1; 0 if it is not there. */
int tess__library_version(tess__library *library, void *table, int (*const *property)(int which, int *value));

#endif
