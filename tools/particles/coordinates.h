/* Coordinates of particles in micrographs: STAR files with RELION's labels, and .box files of EMAN. */
#ifndef TESSERA_PARTICLES_COORDINATES_H
#define TESSERA_PARTICLES_COORDINATES_H

#include "command/job.h"
#include "tessera/star.h"

typedef struct particle {
    int64_t micrograph; /* index among the names */
    double  x, y;       /* pixels, from 0 */
    int64_t list, row;  /* the STAR file and row it comes from */
} particle;

typedef struct coordinates {
    particle   *particles; /* micrograph by micrograph, in the order of the files */
    int64_t     n;
    char      **micrographs; /* as input_open takes them: "x.mrc", "3@stack.mrcs" */
    char      **named;       /* as the lists name them */
    int64_t     n_micrographs;
    tess_star **lists; /* of each argument; NULL for a .box file and a micrograph */
    int64_t     n_lists;
} coordinates;

/* Reads all arguments of the job that are coordinate files; the others are micrographs. STAR files mostly name theirs;
 * that of a .box file, or of a STAR file without rlnMicrographName, is found by micrograph_by_name. To be freed, also
 * after a failure. */
tess_status coordinates_read(coordinates *c, job *job, const char *pattern);
void        coordinates_free(coordinates *c);

/* The table of a STAR file that has the coordinates. */
tess_status coordinates_table(const tess_star *star, const char *path, tess_star_table **rows);

/* Is this the name of a .box file? */
bool is_box_file(const char *path);

/* Writes n boxes of `size` pixels around the points (x, y), one line each: "x y width height", where x y is the first
 * pixel. */
tess_status boxes_write(const char *path, const double *xy, int64_t n, int64_t size, bool overwrite);

#endif
