/* Arrays in rows: contiguous copies that stand in for arrays whose neighbours along a row are apart in memory.
 *
 * Kernels walk along rows. Across them, each element touches a cache line and uses a few bytes of it; a transposing
 * copy takes whole lines. With a copy before or behind it, work takes as long in any layout as in the best, and the
 * time of the copy. Results have the same bits. */
#ifndef TESS_CORE_ARRAY_ROWS_H
#define TESS_CORE_ARRAY_ROWS_H

#include <stdbool.h>

#include "tessera/array.h"

enum { TESS__ROWS_MAX = 8 };

/* The copies of one call. Zeroed, it has none. */
typedef struct tess__rows {
    const char *name; /* of the public function */
    int         n;
    struct {
        tess_array given, copy;
        bool       written; /* the copy goes back */
    } item[TESS__ROWS_MAX];
} tess__rows;

/* Do two arrays of one shape go on in memory along different axes, or in opposite directions? */
bool tess__rows_differ(const tess_array *a, const tess_array *b);

/* Puts a copy in the place of an array of the host that is not in rows; an absent or a small array stays, and so does
 * one for whose copy there is no memory. */
tess_status tess__rows_read(tess__rows *rows, tess_array *array);

/* The same of an array that is written, after those that are read: one that is exactly one of these shares its copy.
 * `keeps`: elements that it holds may be kept or added to. */
tess_status tess__rows_write(tess__rows *rows, tess_array *array, bool keeps);

/* After work that ended with `status`: brings results to where they belong, and releases the copies. */
tess_status tess__rows_end(tess__rows *rows, tess_status status);

#endif
