/* Byte sources: random access to a file on disk, to memory, or to a compressed file that is decompressed on the way. */
#ifndef TESS_IO_FILE_SOURCE_H
#define TESS_IO_FILE_SOURCE_H

#include "tessera/io.h"

typedef struct tess__source tess__source;

/* Open a path ("-" is standard input, which is read to its end first) and detect its compression. `name` is
 * kept for messages. */
tess_status tess__source_open(tess__source **source, const char *path);

/* Bytes in memory, which outlive it: for tests and for members of archives. */
tess_status tess__source_memory(tess__source **source, const char *name, const void *bytes, int64_t n);

/* From now on compressed data that are damaged or cut short end there, without an error. */
void tess__source_forgive(tess__source *source);

void tess__source_close(tess__source *source);

/* For messages. */
const char *tess__source_name(const tess__source *source);

/* Bytes in all; -1 where that is not known before the end: compressed files. */
int64_t tess__source_size(const tess__source *source);

/* Bytes of the file itself, compressed or not; -1 for standard input. */
int64_t tess__source_file_size(const tess__source *source);

tess_compression tess__source_compression(const tess__source *source);

/* Read up to n bytes at an offset: *got is fewer only at the end. Uncompressed files and memory may be read by several
 * threads at the same time. A compressed file is decompressed from its current position, or from its start for an
 * earlier offset; its checksum is verified when its end is reached. */
tess_status tess__source_read(tess__source *source, int64_t offset, void *bytes, int64_t n, int64_t *got);

/* The same, and fewer is an error, which says `what` was being read. */
tess_status tess__source_read_all(tess__source *source, int64_t offset, void *bytes, int64_t n, const char *what);

/* May several threads read at the same time? */
bool tess__source_is_shared(const tess__source *source);

/* The descriptor of an uncompressed file on disk, to be mapped or handed to another library; -1 for all others. */
int tess__source_descriptor(const tess__source *source);

#endif
