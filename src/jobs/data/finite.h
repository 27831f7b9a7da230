/* NaNs and infinities in images and maps: counted, or an error. */
#ifndef TESS_JOBS_DATA_FINITE_H
#define TESS_JOBS_DATA_FINITE_H

#include "tessera/jobs/source.h"

/* Counts the values of an array that are NaN or infinite. */
tess_status tess__count_nonfinite(int64_t *n_nan, int64_t *n_inf, const tess_array *image);

/* Fails, naming the image and counting them, where image i of a source, which was read, has values that are NaN or
 * infinite; -1: the source as a whole, as a volume. `fn` is the job, for messages. */
tess_status tess__check_finite(const char *fn, const tess_source *source, int64_t i, const tess_array *image);

/* Fails where a map, which was read of a source as a whole, has them. */
tess_status tess__check_finite_map(const char *fn, const tess_source *source, const tess_array *map);

#endif
