/* Growing arrays: capacity doubles, so that appending takes amortised constant time. */
#ifndef TESS_IO_FILE_GROW_H
#define TESS_IO_FILE_GROW_H

#include <stddef.h>
#include <stdint.h>

#include "tessera/error.h"

/* Room for `more` of n things of `size` bytes; `array` points to the pointer to them, which have room for `*room`. At
 * least twice as much as there was, so that many are cheap. `what` is the first word of messages. */
tess_status tess__grow(const char *what, void *array, int64_t n, int64_t more, int64_t *room, size_t size);

#endif
