/* Directories (IFDs) of TIFF files as they are stored, read without libtiff: offsets of all, and the entries of one. */
#ifndef TESS_IO_TIFF_DIRECTORIES_H
#define TESS_IO_TIFF_DIRECTORIES_H

#include "io/file/file.h"

/* Offsets of directories, in the order of pages. Zeroed, there are none; `offsets` is to be freed by tess__free. */
typedef struct tess__tiff_directories {
    int64_t *offsets;
    int64_t  n, capacity;
    bool     big_endian; /* the file's */
} tess__tiff_directories;

/* The offsets of all directories, by the links between them; a cycle is an error. With opts.salvage, those before a
 * broken link. On failure, offsets may be left to be freed. */
tess_status tess__tiff_chain(tess__tiff_directories *found, tess_file *file);

/* The same of the first `max`, before there is an open file. */
tess_status tess__tiff_first_directories(tess__tiff_directories *found, tess__source *source, int64_t max);

/* An entry of a directory as it is stored. */
typedef struct tess__tiff_entry {
    unsigned tag, type;
    uint64_t count;    /* of values */
    uint64_t value;    /* where they are; up to n_inline bytes are the values themselves */
    int64_t  at;       /* the offset of `value` in the file */
    int      n_inline; /* 4; in a BigTIFF 8 */
} tess__tiff_entry;

typedef void tess__tiff_visit(void *context, const tess__tiff_entry *entry);

/* All entries of the directory at an offset, whatever libtiff makes of them; the chain has checked its length. */
tess_status tess__tiff_visit_entries(tess__source *source, int64_t directory, tess__tiff_visit *visit, void *context);

/* Bytes of a value of a type; 0: there is no such type. */
int tess__tiff_value_size(unsigned type);

/* The offset of the first value of an entry, in the entry or elsewhere. */
int64_t tess__tiff_values_at(const tess__tiff_entry *entry);

#endif
