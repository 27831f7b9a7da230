/* Windows onto an array: crop, pad, extract, with a border. */
#ifndef TESS_REQUESTS_WINDOW_H
#define TESS_REQUESTS_WINDOW_H

#include "requests/ewise.h"
#include "tessera/array.h"

/* Windows onto an array: element i of a window is element i + origin of the input, and where that lies outside, the
 * border decides. Plain data. Where elements of the border come from the input, no axis of it is empty. */
typedef struct tess__window {
    const char   *name;
    tess_array    out;       /* window k is its batch k, or, if there is one origin, all of it; not empty */
    tess_array    in;        /* with k coordinates below 4: of one batch, or of one for each window */
    tess_array    origins;   /* integers {n,1,1,k}; data NULL: `origin` is the only one */
    int64_t       origin[4]; /* within 2^60 */
    int32_t       border;    /* a tess_border, not DEFAULT */
    tess__element outside;   /* ZERO, VALUE */
} tess__window;

#endif
