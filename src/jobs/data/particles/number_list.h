/* Lists of numbers that a caller gives, one for each image. */
#ifndef TESS_JOBS_DATA_PARTICLES_NUMBER_LIST_H
#define TESS_JOBS_DATA_PARTICLES_NUMBER_LIST_H

#include "tessera/array.h"

/* Copies n real numbers in any shape, on any device, to f64 {n,1,1,1} on the CPU, which is made. `fn` is the job and
 * `name` the argument, for messages. */
tess_status tess__number_list(tess_array *out, const char *fn, const char *name, const tess_array *list, int64_t n);

#endif
