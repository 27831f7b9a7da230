/* File writers: src/io/file/writer.c creates and completes them, src/io/file/append.c appends images. */
#ifndef TESS_IO_FILE_WRITER_H
#define TESS_IO_FILE_WRITER_H

#include "io/file/file.h"

/* tess_create; with the array that will be written, its statistics are computed first where the header cannot be
 * rewritten. NULL: it is not known yet. */
tess_status tess__writer_new(tess_writer **writer, const char *path, tess_shape shape, tess_dtype dtype,
                             const tess_write_opts *opts, const tess_array *in);

/* Compute the statistics of an array before it is written. */
tess_status tess__writer_measure(tess_writer *writer, const tess_array *in);

#endif
