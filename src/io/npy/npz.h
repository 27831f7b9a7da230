/* NPZ files: what reading, recovery and writing share. */
#ifndef TESS_IO_NPY_NPZ_H
#define TESS_IO_NPY_NPZ_H

#include "io/zip/zip.h"
#include "io/file/file.h"

/* The functions of tess__format_npz that write: src/io/npy/npz_write.c. */
int64_t     tess__npz_head(const tess_writer *writer);
tess_status tess__npz_start(tess_writer *writer);
tess_status tess__npz_append(tess_writer *writer, const tess_array *images);
tess_status tess__npz_end(tess_writer *writer);
void        tess__npz_drop(tess_writer *writer);

/* With opts.salvage: a warning that members had to be looked for. */
void tess__npz_warn_lost(tess_file *file);

/* With opts.salvage: go through a member whose header and array need so many bytes, warn of what is damaged, and let
 * the others be read. */
tess_status tess__npz_salvage(tess_file *file, const tess__zip *zip, const tess__zip_member *member, int64_t offset,
                              tess__inflater *inflater, int64_t needed);

#endif
