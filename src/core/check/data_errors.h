/* Data-dependent errors, with the same message whichever device finds them. `index` counts the elements of an array of
 * this shape in b, d, h, w order. All of them return a failing status. */
#ifndef TESS_CORE_CHECK_DATA_ERRORS_H
#define TESS_CORE_CHECK_DATA_ERRORS_H

#include "tessera/array.h"

tess_status tess__fail_mean(const char *fn, double mean, tess_shape shape, int64_t index);

tess_status tess__fail_infinite(const char *fn, const char *arg, double value, tess_shape shape, int64_t index);

/* An index out of range: number `number` of the indices in b, d, h, w order, whose value is in `bytes`. */
struct tess__take_put;
tess_status tess__fail_index(const struct tess__take_put *work, int64_t number, const void *bytes);

/* A value that a lossless cast would change: it is at `element` in the host's memory, and `to` cannot hold it. */
tess_status tess__reject_inexact(const char *fn, const int64_t position[4], const void *element, tess_dtype from,
                                 tess_dtype to);

#endif
