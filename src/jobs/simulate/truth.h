/* What simulated images were made of, as fields of a result. */
#ifndef TESS_JOBS_SIMULATE_TRUTH_H
#define TESS_JOBS_SIMULATE_TRUTH_H

#include "tessera/array.h"

/* A copy of an array of the host, made on a device. To be released. */
tess_status tess__copy_to_device(tess_array *to, const tess_array *from, tess_device device);

/* Rows {n,1,1,k} become a table {1,1,n,k}: the same memory. */
void tess__rows_to_table(tess_array *rows);

#endif
