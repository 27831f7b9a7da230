/* Tables with a row for each particle: poses, CTFs and half sets, as arrays of a caller's. */
#ifndef TESS_JOBS_DATA_PARTICLES_PARTICLE_ROWS_H
#define TESS_JOBS_DATA_PARTICLES_PARTICLE_ROWS_H

#include "tessera/array.h"

/* A caller's table {n,1,1,k} or {1,1,n,k} of finite real numbers, least <= k <= most, as f64 {n,1,1,k} on the CPU:
 * `out` is made. `fn` and `name` are for messages. Without a table nothing is made. */
typedef struct tess__rows_wanted {
    const char *fn, *name;
    int64_t     n, least, most;
} tess__rows_wanted;

tess_status tess__particle_rows(tess_array *out, const tess_array *table, const tess__rows_wanted *wanted);

/* Fails where a row of such a table of quaternions has not the length 1, to three digits. Nothing is checked without a
 * table. */
tess_status tess__check_quaternions(const char *fn, const char *name, const tess_array *rows);

/* Rows first to first + n, as a view; NULL where there are none at all. */
const tess_array *tess__rows_part(tess_array *part, const tess_array *rows, int64_t first, int64_t n);

/* Rows of CTFs whose beam tilt and trefoil were put right in the images: without their columns. */
const tess_array *tess__even_ctfs(tess_array *part, const tess_array *ctfs, int64_t first, int64_t n);

/* Rows {n,1,1,TESS_CTF_COLUMNS} of CTFs that are 1 but for the phases of the beam tilt and trefoil that `ctfs` have;
 * nothing is made where they have none. */
tess_status tess__tilts_of_ctfs(tess_array *tilts, const tess_array *ctfs);

/* Those of rows first to first + n whose half is this one, as numbers from 0 in {1,1,1,m} of i64; m may be 0. */
tess_status tess__rows_of_half(tess_array *numbers, const tess_array *halves, int half, int64_t first, int64_t n);

#endif
