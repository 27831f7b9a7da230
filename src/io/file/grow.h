/* Growing arrays: capacity doubles, so that appending takes amortised constant time. */
#ifndef TESS_IO_FILE_GROW_H
#define TESS_IO_FILE_GROW_H

#include <stddef.h>
#include <stdint.h>

#include "tessera/error.h"

/* Grow an array of n items of `size` bytes by `more`; `array` points to the pointer to them, and `*capacity` is their
 * capacity, which at least doubles when it grows. `what` is the first word of messages. */
tess_status tess__grow(const char *what, void *array, int64_t n, int64_t more, int64_t *capacity, size_t size);

#endif
