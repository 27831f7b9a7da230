/* Origins of the sub-regions of extract and insert. */
#ifndef TESS_OPS_RESIZE_EXTRACT_H
#define TESS_OPS_RESIZE_EXTRACT_H

#include "tessera/array.h"

/* Origins {n,1,1,k} of integers for positions in `whole` (the argument `arg`), which has one batch, or n, where k is
 * below 4; n may be anything if it is -1. */
tess_status tess__check_origins(const char *fn, const tess_array *origins, int64_t n, const char *arg,
                                const tess_array *whole);

#endif
