/* Particles: images with, for each of them, its orientation, CTF and half set, from STAR and .cs files or from arrays.
 *
 *     tess_particles p = { 0 };
 *     TESS_TRY(tess_particles_open(&p, "particles.star", NULL, NULL));
 *     tess_reconstruct_opts opts = { .shifts = &p.shifts };
 *     if (p.ctfs.data) opts.ctfs = &p.ctfs;
 *     TESS_TRY(tess_reconstruct(&result, &p.images, &p.rotations, &opts, NULL));
 *     ...
 *     tess_particles_release(&p);
 *
 * Files may be of any version of RELION: origins in pixels or in Å, with or without a table of optics groups.
 */
#ifndef TESSERA_JOBS_PARTICLES_H
#define TESSERA_JOBS_PARTICLES_H

#include "tessera/jobs/table.h"
#include "tessera/star.h"

TESS_BEGIN_C

/** What may be known of particles: or-ed together. */
enum {
    TESS_PARTICLES_IMAGES = 1, /* their images */
    TESS_PARTICLES_POSES = 2,  /* rotations and shifts */
    TESS_PARTICLES_CTFS = 4,
    TESS_PARTICLES_HALVES = 8
};

/** Tables are f64 on the CPU, with a row for each particle. They may be changed, or replaced by others of the same
 *  form; what changed goes into the document by the functions below. */
typedef struct tess_particles {
    int64_t          n;
    tess_source      images;      /* {n,1,h,w}; zeroed where they were not opened */
    tess_array       rotations;   /* {n,1,1,4}: quaternions (z, y, x, w) from the image to the map; zeroed: not known */
    tess_array       shifts;      /* {n,1,1,2}: pixels (y, x) that move a particle to the centre; with rotations */
    tess_array       ctfs;        /* {n,1,1,11}: fields of a tess_ctf, with beam tilt {n,1,1,17}; zeroed: not known */
    tess_array       halves;      /* {n,1,1,1}: half sets, 1 or 2; zeroed: not known */
    double           pixel_size;  /* Å; 0: not known */
    tess_star       *star;        /* the document, with every column of the file */
    tess_star_table *rows;        /* its table of particles */
    char            *name;        /* the file, for messages */
    uint32_t         reserved[8]; /* 0 */
} tess_particles;

typedef struct tess_particles_opts {
    int32_t        what;                /* TESS_PARTICLES_… or-ed: what is read [all that the file has] */
    int32_t        needed;              /* the same: what the file must have, and is read as well [0: nothing] */
    const int64_t *rows;                /* rows of the table, from 0, in this order [all] */
    int64_t        n_rows;              /* their number */
    const char    *label;               /* a column that the table of particles has ["rlnImageName", or
 otherwise "rlnMicrographName"] */
    double         pixel_size;          /* Å [that of the file, or otherwise of the images]; TESS_ZERO: not known */
    const tess_source_list_opts *files; /* how the files of images are opened [as of tess_source_star] */
    uint32_t                     reserved[8]; /* must be 0 */
} tess_particles_opts;

/* ---- Opening ---- */

/**
 * Opens the particles of a STAR or .cs file; `particles` must be zeroed.
 *
 * Without opts->what, everything that the file has is read: images where it names them, rotations where it has angles,
 * shifts where it has origins (0 where it has not), CTFs where it has a defocus, and half sets. Origins in Å and CTFs
 * need the pixel size. Poses need one size for all rows; without opts->pixel_size each CTF has that of its row. Warns
 * of aberrations that are not used.
 */
TESS_API TESS_MUST_CHECK tess_status tess_particles_open(tess_particles *particles, const char *path,
                                                         const tess_particles_opts *opts, const tess_context *context);

/**
 * Makes particles and their document from arrays; `particles` must be zeroed.
 *
 * Of `arrays`, the tables and the pixel size are taken: rotations must be there, and the others may be zeroed. Tables
 * are copied, {n,1,1,k} or {1,1,n,k} of real numbers. There is an optics group for each microscope that the CTFs tell
 * apart. `box` is the side of the images in pixels; tess_particles_put_images names them.
 */
TESS_API TESS_MUST_CHECK tess_status tess_particles_new(tess_particles *particles, const tess_particles *arrays,
                                                        int64_t box);

/** Releases and zeroes particles. Zeroed ones are allowed. */
TESS_API void tess_particles_release(tess_particles *particles);

/* ---- Changing ---- */

/** Keeps n particles, in this order: numbers from 0. A particle may be taken several times. After a failure some of it
 *  may have been done. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_choose(tess_particles *particles, const int64_t *chosen, int64_t n);

/** Puts every other particle into half set 1, from the first on, and the rest into 2: sets `halves` alone. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_split(tess_particles *particles);

/** Sets rotations to the identity and shifts to 0. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_reset_poses(tess_particles *particles);

/* ---- Writing ---- */

/** Puts rotations and shifts into the document as rlnAngleRot and so on, and origins in Å; in pixels where the file had
 *  them so, or where the pixel size is not known. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_put_poses(tess_particles *particles);

/** Puts half sets into the document, as rlnRandomSubset. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_put_halves(tess_particles *particles);

/** Names images 1 to n of the stack `path` in the document, in place of those that it named. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_put_images(tess_particles *particles, const char *path);

/** Writes the document as a STAR file, or a .cs file by the name. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_write(const char *path, const tess_particles *particles,
                                                          const tess_star_opts *opts);

/* ---- Jobs by their description ---- */

/** Which TESS_PARTICLES_… a job takes that its caller did not give, by the names of its rows: its first source, and
 *  tables called rotations, shifts, ctfs and halves. 0 for a job that takes no such table. `values` and `opts` are
 *  those of tess_job_run. */
TESS_API int32_t tess_particles_wanted(const tess_job_info *job, const tess_value *values, const void *opts);

/** Fills in what tess_particles_wanted tells, as far as the particles have it. A row that is required and still lacks a
 *  value is an error. Values and options point into the particles. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_fill(const tess_particles *particles, const tess_job_info *job,
                                                         tess_value *values, void *opts);

/** Opens what tess_particles_wanted tells of a STAR or .cs file, and fills it in; options are filled in where the file
 *  has them. The pixel size is the option pixel_size of the job, or otherwise that of the images in `values`.
 *  `particles` must be zeroed; release them after the job. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_open_for_job(tess_particles *particles, const char *path,
                                                                 const tess_job_info *job, tess_value *values,
                                                                 void *opts, const tess_context *context);

TESS_END_C

#endif
