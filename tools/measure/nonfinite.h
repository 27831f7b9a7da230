/* NaNs and infinities: how many there are, and the words for them. */
#ifndef TESSERA_MEASURE_NONFINITE_H
#define TESSERA_MEASURE_NONFINITE_H

#include "command/job.h"

typedef struct nonfinite {
    int64_t n_nan, n_inf; /* a complex value with a NaN counts as one NaN */
} nonfinite;

/* Adds those of an array on the CPU. One pass over arrays without any; integers have none. */
tess_status nonfinite_add(nonfinite *n, const tess_array *values);

/* A warning with both numbers, where there are any: "x.mrc: 3 values are NaN and 1 is infinite". `of_nan` and `of_inf`
 * say what becomes of them, " (shown in purple)", or are "". */
void nonfinite_tell(const nonfinite *n, job *job, const char *name, const char *of_nan, const char *of_inf);

#endif
