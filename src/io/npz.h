/* What reading and writing NPZ files share. */
#ifndef TESS_IO_NPZ_H
#define TESS_IO_NPZ_H

#include "io/file.h"

/* The parts of tess__format_npz that write: src/io/npz_write.c. */
int64_t     tess__npz_head(const tess_writer *writer);
tess_status tess__npz_start(tess_writer *writer);
tess_status tess__npz_append(tess_writer *writer, const tess_array *images);
tess_status tess__npz_end(tess_writer *writer);
void        tess__npz_drop(tess_writer *writer);

#endif
