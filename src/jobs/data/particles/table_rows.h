/* Tables of results that grow row by row. */
#ifndef TESS_JOBS_DATA_PARTICLES_TABLE_ROWS_H
#define TESS_JOBS_DATA_PARTICLES_TABLE_ROWS_H

#include "tessera/array.h"

/* Zeroed but for `width`. */
typedef struct tess__table_rows {
    double *values;
    int64_t n, width; /* rows so far, and their columns */
    int64_t capacity; /* rows that there is memory for */
} tess__table_rows;

/* Adds a row of `width` numbers. `fn` is the job, for messages. */
tess_status tess__table_rows_add(tess__table_rows *rows, const char *fn, const double *row);

/* The rows as an array {1,1,n,width}, which is made. */
tess_status tess__table_rows_array(tess_array *out, const tess__table_rows *rows);

void tess__table_rows_free(tess__table_rows *rows);

#endif
