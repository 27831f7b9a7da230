/* MRC2014 writer: the functions that tess__format_mrc calls. */
#ifndef TESS_IO_MRC_WRITE_H
#define TESS_IO_MRC_WRITE_H

#include "io/file/file.h"

int64_t     tess__mrc_head(const tess_writer *writer);
tess_dtype  tess__mrc_nearest(const tess_writer *writer, tess_dtype dtype);
tess_status tess__mrc_start(tess_writer *writer);
tess_status tess__mrc_end(tess_writer *writer);

#endif
