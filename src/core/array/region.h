/* Slices of axes, from numbers and from text. */
#ifndef TESS_CORE_ARRAY_REGION_H
#define TESS_CORE_ARRAY_REGION_H

#include "tessera/array.h"

/* A range of an axis of size n: the first index, how many, and the step from one to the next. */
tess_status tess__find_range(const char *fn, int axis, int64_t n, tess_range range, int64_t *first, int64_t *count,
                             int64_t *step);

/* Narrow one axis of a view in place. */
tess_status tess__take_range(const char *fn, tess_array *view, int axis, tess_range range);

/* "..., 16:48, ::-1" as four ranges. */
tess_status tess__parse_ranges(const char *text, tess_range ranges[4]);

#endif
