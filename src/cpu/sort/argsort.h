/* Argsort of unsigned keys. */
#ifndef TESS_CPU_SORT_ARGSORT_H
#define TESS_CPU_SORT_ARGSORT_H

#include <stdint.h>

#include "tessera/error.h"

/* Stably sorts n unsigned integers of 1, 2, 4 or 8 bytes; `indices`, if not NULL, gets the index that each had before.
 * `fn` begins the message if there is no memory. */
tess_status tess__argsort_keys(const char *fn, void *keys, int64_t *indices, int64_t n, int64_t size);

#endif
