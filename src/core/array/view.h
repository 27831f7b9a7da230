/* Views for use inside other operations: messages begin with the operation's name. */
#ifndef TESS_CORE_ARRAY_VIEW_H
#define TESS_CORE_ARRAY_VIEW_H

#include "tessera/array.h"

/* tess_permute of an array that has been checked. */
tess_status tess__permute(const char *fn, tess_array *view, const tess_array *a, int b, int d, int h, int w);

#endif
