/* Statistics of what is written: image by image, in f64, so that they do not depend on how the images came. */
#ifndef TESS_IO_TALLY_H
#define TESS_IO_TALLY_H

#include "tessera/io.h"

typedef struct tess__tally {
    double  min, max, mean, m2; /* m2: sum of squared differences from the mean */
    int64_t n;                  /* elements */
    int64_t n_nan;              /* images with a NaN count once */
    int64_t n_clamped;          /* values that were outside the range of the file's dtype */
} tess__tally;

/* Take an image in, as it goes into the file. Complex numbers have no statistics. */
tess_status tess__tally_add(tess__tally *tally, const tess_array *image);

/* Count the values of an image that a conversion to `dtype` clamps. */
tess_status tess__tally_clamped(tess__tally *tally, const tess_array *image, tess_dtype dtype);

/* What is known: nothing after a NaN or without elements. */
void tess__tally_take(const tess__tally *tally, tess_meta *meta);

#endif
