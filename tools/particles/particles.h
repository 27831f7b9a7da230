/* Particles of a STAR file, as RELION has them: orientations, shifts, CTFs and half sets, row by row. */
#ifndef TESSERA_PARTICLES_PARTICLES_H
#define TESSERA_PARTICLES_PARTICLES_H

#include "files/input.h"
#include "tessera/star.h"

typedef struct particles {
    tess_star       *star;
    tess_star_table *rows;
    const char      *name;
    int64_t          n;
    tess_array       rotations; /* quaternions {n,1,1,4}, from the image to the volume */
    tess_array       shifts;    /* {n,1,1,2}, pixels (h, w) that move a particle to the centre: its origin */
    tess_array       ctfs;      /* rows {n,1,1,11} as tess_ctf has them, with beam tilt {n,1,1,17}, or no data */
    tess_array       tilts;     /* rows {n,1,1,17} of CTFs that are 1 but for the phases of beam tilt, or no data */
    int32_t         *half;      /* 1 or 2 of each, or NULL */
} particles;

/* Read a STAR file: those rows that are chosen, or with NULL all, of the table that has the column `key`. To be
 * freed by particles_free, also after a failure. */
tess_status particles_open(particles *p, const char *path, const char *key, const int64_t *chosen, int64_t n);
void        particles_free(particles *p);

/* Angles, which must be there, and origins, which are 0 where they are not: in pixels, or in Å of this pixel size
 * (0: not known, an error where it is needed). Optics groups of several pixel sizes are an error. */
tess_status particles_orientations(particles *p, double pixel_size);

/* CTFs of rows and optics groups; a warning names columns of aberrations that are not used. */
tess_status particles_ctfs(particles *p, job *job, double pixel_size);

/* Those of particles first to first + n without beam tilt; NULL if there are no CTFs. */
const tess_array *particles_even_ctfs(tess_array *part, const particles *p, int64_t first, int64_t n);

/* Images of particles from `first` on with the phases that beam tilt changed put right: `images` itself where there is
 * none, else `made`, which is to be released. */
tess_status particles_without_tilt(const tess_array **right, tess_array *made, const particles *p,
                                   const tess_array *images, int64_t first);

/* Are there columns of a CTF? */
bool particles_have_ctfs(const particles *p);

/* The half that each is in, by rlnRandomSubset; without it, the first, third … row is of half 1. */
tess_status particles_halves(particles *p, job *job);

/* Without angles: no rotations, and origins as above or none. */
tess_status particles_start(particles *p);

/* Those of a half set among particles first to first + n, as numbers from 0 in {1,1,1,m} of i64; m may be 0. */
tess_status particles_of_half(tess_array *numbers, const particles *p, int half, int64_t first, int64_t n);

/* Fails, naming the row, where one of these images, of particles from `first` on, is not finite. */
tess_status check_particles_finite(const particles *p, const tess_array *images, int64_t first);

/* Write the orientations and shifts back into the rows. */
tess_status particles_set_orientations(particles *p, double pixel_size);

/* A table of n particles of a new stack, with angles and without shifts, and an optics group of this pixel size. */
tess_status particles_new(particles *p, const tess_array *rotations, double pixel_size, int64_t side);

/* Rows name images 1 to n of this stack. */
tess_status particles_name_stack(particles *p, job *job, const char *stack);
tess_status particles_write(const particles *p, job *job, const char *path);

/* Elements first to first + n along b of an array with one for each particle; NULL of one without data. */
const tess_array *particles_part(tess_array *part, const tess_array *all, int64_t first, int64_t n);

#endif
