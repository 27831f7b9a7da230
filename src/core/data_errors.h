/* Failures that only the data can cause, in the same words whichever device finds them. `index` counts the elements of
 * an array of this shape in b, d, h, w order. All of them fail. */
#ifndef TESS_CORE_DATA_ERRORS_H
#define TESS_CORE_DATA_ERRORS_H

#include "tessera/array.h"

tess_status tess__refuse_mean(const char *fn, double mean, tess_shape shape, int64_t index);

tess_status tess__refuse_infinite(const char *fn, const char *arg, double value, tess_shape shape, int64_t index);

#endif
