/* Failures that only the data can cause, in the same words whichever device finds them. `index` counts the elements of
 * an array of this shape in b, d, h, w order. All of them fail. */
#ifndef TESS_CORE_DATA_ERRORS_H
#define TESS_CORE_DATA_ERRORS_H

#include "tessera/array.h"

tess_status tess__fail_mean(const char *fn, double mean, tess_shape shape, int64_t index);

tess_status tess__fail_infinite(const char *fn, const char *arg, double value, tess_shape shape, int64_t index);

/* A place that is not there: the one of this number in b, d, h, w order, whose bytes are given. */
struct tess__take_put;
tess_status tess__fail_index(const struct tess__take_put *work, int64_t number, const void *bytes);

/* A value that an exact cast would change: it is at `element` in the host's memory, and `to` cannot hold it. */
tess_status tess__refuse_inexact(const char *fn, const int64_t place[4], const void *element, tess_dtype from,
                                 tess_dtype to);

#endif
