/* Writing HDF5 files as EMAN2 has them. */
#ifndef TESS_IO_HDF5_WRITE_H
#define TESS_IO_HDF5_WRITE_H

#include "io/file/file.h"

tess_dtype  tess__h5_nearest(const tess_writer *writer, tess_dtype dtype);
tess_status tess__h5_start(tess_writer *writer);

#endif
