/* Statistics of written data in f64, tile by tile of an image, so that they do not depend on how it was appended. */
#ifndef TESS_IO_FILE_STATS_H
#define TESS_IO_FILE_STATS_H

#include "tessera/io.h"

typedef struct tess__tally {
    double  min, max, mean, m2; /* m2: sum of squared differences from the mean */
    int64_t n;                  /* elements */
    bool    has_nan;            /* there are NaNs in the file: the statistics mean nothing */
    int64_t n_nan;              /* NaNs that were given */
    int64_t n_clamped;          /* values that were outside the range of the file's dtype */
    int64_t n_rounded;          /* whole numbers with more digits than the file's dtype holds */
} tess__tally;

/* Take an image in, as it goes into the file; *nan: there are NaNs in it. Complex numbers have no statistics. */
tess_status tess__tally_add(tess__tally *tally, const tess_array *image, bool *nan);

/* Count the values of an image, as it was given, that a file of `dtype` does not hold: NaNs, values that are clamped,
 * whole numbers that are rounded. */
tess_status tess__tally_losses(tess__tally *tally, const tess_array *image, tess_dtype dtype);

/* Both of an image that was converted: `given`, and `ready` for the file. */
tess_status tess__tally_converted(tess__tally *tally, const tess_array *given, const tess_array *ready);

/* Two sets of numbers as one. */
void tess__tally_join(tess__tally *tally, const tess__tally *other);

/* What is known: nothing after a NaN or without elements. */
void tess__tally_take(const tess__tally *tally, tess_meta *meta);

#endif
