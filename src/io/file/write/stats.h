/* Statistics of written data in f64, tile by tile of an image, so that they do not depend on how it was appended. */
#ifndef TESS_IO_FILE_WRITE_STATS_H
#define TESS_IO_FILE_WRITE_STATS_H

#include "tessera/io.h"

typedef struct tess__stats {
    double  min, max, mean, m2; /* m2: sum of squared differences from the mean */
    int64_t n;                  /* elements */
    bool    has_nan;            /* there are NaNs in the file: the statistics mean nothing */
    int64_t n_nan;              /* NaNs in the caller's data */
    int64_t n_clamped;          /* values that were outside the range of the file's integers */
    int64_t n_infinite;         /* finite values beyond the range of the file's floating dtype */
    int64_t n_rounded;          /* whole numbers with more digits than the file's dtype holds */
} tess__stats;

/* Add an image, as it is stored in the file; *nan: there are NaNs in it. Complex numbers have no statistics. */
tess_status tess__stats_add(tess__stats *stats, const tess_array *image, bool *nan);

/* Count the values of an image of the caller that a file of `dtype` does not hold: NaNs, values that are clamped
 * or become infinite, whole numbers that are rounded. */
tess_status tess__stats_add_losses(tess__stats *stats, const tess_array *image, tess_dtype dtype);

/* Both of an image that was converted: `given`, and `ready` for the file. */
tess_status tess__stats_add_converted(tess__stats *stats, const tess_array *given, const tess_array *ready);

/* Add the statistics of another set of elements. */
void tess__stats_merge(tess__stats *stats, const tess__stats *other);

/* Copy what is known to `meta`: nothing after a NaN or without elements. */
void tess__stats_take(const tess__stats *stats, tess_meta *meta);

#endif
