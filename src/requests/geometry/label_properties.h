/* Numbers of each label of an array: sizes, positions, and sums over an image. */
#ifndef TESS_REQUESTS_GEOMETRY_LABEL_PROPERTIES_H
#define TESS_REQUESTS_GEOMETRY_LABEL_PROPERTIES_H

#include "tessera/array.h"

/* Plain data; not empty. Arrays are on the host. Results are contiguous, of one row for each label of each batch; data
 * NULL: not wanted. */
typedef struct tess__label_properties {
    const char *name;
    tess_array  labels;                  /* integers or bool */
    tess_array  image;                   /* real numbers, of the shape of `labels`; data NULL: none */
    int64_t     n;                       /* labels 1 to n; others are background */
    tess_array  areas, bounds;           /* i64: 1 and 6 columns */
    tess_array  centres, covariances;    /* f64: 3 and 9 columns */
    tess_array  sums, means, mins, maxs; /* f64: 1 column; of the image, as the next one */
    tess_array  mass_centres;            /* f64: 3 columns */
} tess__label_properties;

#endif
