/* Statistics of the data of an open file. */
#ifndef TESS_IO_MRC_MEASURE_H
#define TESS_IO_MRC_MEASURE_H

#include "io/file/file.h"

typedef struct tess__measured {
    double  min, max, mean, std; /* of the finite values */
    int64_t n_finite, n_nan, n_inf;
} tess__measured;

/* Read all of a file, a chunk at a time. Of complex numbers only those that are not finite are counted: each of the two
 * reals is one. */
tess_status tess__measure(tess__measured *measured, tess_file *file);

#endif
