/* Columns of numbers of a table of a STAR file: RELION's postprocess.star, MTF curves, particles. */
#ifndef TESSERA_MEASURE_STAR_COLUMNS_H
#define TESSERA_MEASURE_STAR_COLUMNS_H

#include "measure/columns.h"

/* Which table: by its name, or as the only one that has all these columns. */
typedef struct star_wanted {
    const char *table; /* "fsc", "data_fsc", or NULL */
    const char *x;     /* a column, or NULL */
    const char *y;     /* columns with commas between them, or NULL: all others; without x too, the table has two */
} star_wanted;

/* Where the table cannot be told, notes say what tables and columns there are. */
tess_status columns_read_star(columns *c, job *j, const char *path, const star_wanted *wanted);

#endif
