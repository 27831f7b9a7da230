/* What the files beside tilt series share. */
#ifndef TESS_IO_COMPANIONS_H
#define TESS_IO_COMPANIONS_H

#include "core/table.h"
#include "tessera/companions.h"

/* The options of functions that write such a file; `fn` is the public function. */
tess_status tess__companion_opts_take(tess_companion_opts *resolved, const tess_companion_opts *opts, const char *fn);

#endif
