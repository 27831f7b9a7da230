/* Options of reading: checked, with their defaults filled in. */
#ifndef TESS_IO_FILE_READ_OPTS_H
#define TESS_IO_FILE_READ_OPTS_H

#include "tessera/io.h"

tess_status tess__read_opts_take(tess_read_opts *resolved, const tess_read_opts *opts);

#endif
