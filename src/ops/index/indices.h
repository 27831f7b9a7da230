/* Argument checks of gather, scatter, mask and sort functions. */
#ifndef TESS_OPS_INDEX_INDICES_H
#define TESS_OPS_INDEX_INDICES_H

#include "tessera/array.h"

/* Indices that are read: integers. */
tess_status tess__check_index_array(const char *fn, const tess_array *indices);

/* An output whose length nobody knows yet: zeroed, or NULL. */
tess_status tess__check_zeroed(const char *fn, const char *arg, const tess_array *out);

/* An allocated output: integers that can hold 0 to the maximum. */
tess_status tess__check_holds(const char *fn, const char *arg, const tess_array *out, int64_t max);

/* An input of the dtype of `out`, which a weak number takes on: `*in`, or, of a scalar of the caller's, a copy in
 * `held`. */
tess_status tess__take_on(const char *fn, const char *arg, tess_array *held, const tess_array **in,
                          const tess_array *out);

/* A scalar that was held for work on a device is copied there too. */
tess_status tess__bring(tess_array *held, tess_device device);

/* An input lies on the device of another array, unless one of them is a number of the caller's. */
tess_status tess__check_on(const char *fn, const char *name, const tess_array *other, const char *arg,
                           const tess_array *in);

#endif
