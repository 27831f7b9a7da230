/* NPY data: what NPY files and the members of NPZ files share. */
#ifndef TESS_IO_NPY_NPY_H
#define TESS_IO_NPY_NPY_H

#include "io/file/file.h"
#include "io/npy/header.h"

/* Fill info and flat of a file whose NPY data begin at `offset` of its source. `name` is for messages. */
tess_status tess__npy_describe(tess_file *file, const tess__npy *npy, int64_t offset, const char *name);

#endif
