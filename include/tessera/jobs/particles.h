/* Particles: images with their orientations, CTFs and half sets, from STAR and .cs files or from arrays.
 *
 *     tess_particles p = { 0 };
 *     TESS_TRY(tess_particles_open(&p, "particles.star", NULL, NULL));
 *     tess_reconstruct_opts opts = { .shifts = &p.shifts };
 *     if (p.ctfs.data) opts.ctfs = &p.ctfs;
 *     TESS_TRY(tess_reconstruct(&result, &p.images, &p.rotations, &opts, NULL));
 *     ...
 *     tess_particles_release(&p);
 *
 * Files may come from any version of RELION: with origins in pixels or in Å, and with or without a table of optics
 * groups.
 */
#ifndef TESSERA_JOBS_PARTICLES_H
#define TESSERA_JOBS_PARTICLES_H

#include "tessera/jobs/table.h"
#include "tessera/star.h"

TESS_BEGIN_C

/** Flags of the data of particles. */
enum {
    TESS_PARTICLES_IMAGES = 1, /* their images */
    TESS_PARTICLES_POSES = 2,  /* rotations and shifts */
    TESS_PARTICLES_CTFS = 4,
    TESS_PARTICLES_HALVES = 8
};

/** Tables are f64 on the CPU, with a row for each particle. They may be modified, or replaced by others of the same
 *  form; the functions below transfer changes to the document. */
typedef struct tess_particles {
    int64_t          n;
    tess_source      images;      /* {n,1,h,w}; zeroed if not opened */
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
    int32_t                      what;   /* data to read, TESS_PARTICLES_ flags [everything in the file] */
    int32_t                      needed; /* data that the file must have, and that are read too, TESS_PARTICLES_ flags
                                            [0: none] */
    const int64_t               *rows;   /* rows of the table, from 0, in this order [all] */
    int64_t                      n_rows; /* their number */
    const char                  *label;  /* a column of the table of particles ["rlnImageName", otherwise
                                            "rlnMicrographName"] */
    double                       pixel_size;  /* Å [that of the file, otherwise of the images]; TESS_ZERO: not known */
    const tess_source_list_opts *files;       /* options for opening the files of images [those of tess_source_star] */
    uint32_t                     reserved[8]; /* must be 0 */
} tess_particles_opts;

/* ---- Opening ---- */

/**
 * Opens the particles of a STAR or .cs file; `particles` must be zeroed.
 *
 * Without opts->what, everything in the file is read: images if it names them, rotations if it has angles, shifts if it
 * has origins (otherwise 0), CTFs if it has a defocus, and half sets. Origins in Å and CTFs need the pixel size. Poses
 * need the same pixel size in all rows; without opts->pixel_size each CTF has that of its row. Warns about aberrations
 * that are not used.
 */
TESS_API TESS_MUST_CHECK tess_status tess_particles_open(tess_particles *particles, const char *path,
                                                         const tess_particles_opts *opts, const tess_context *context);

/**
 * Creates particles and their document from arrays; `particles` must be zeroed.
 *
 * The tables and the pixel size of `arrays` are used: rotations are required, and the others may be zeroed. Tables are
 * copied, {n,1,1,k} or {1,1,n,k} of real numbers. An optics group is created for each distinct microscope in the CTFs.
 * `box` is the side of the images in pixels; tess_particles_put_images names them.
 */
TESS_API TESS_MUST_CHECK tess_status tess_particles_new(tess_particles *particles, const tess_particles *arrays,
                                                        int64_t box);

/** Releases and zeroes particles. Zeroed particles are allowed. */
TESS_API void tess_particles_release(tess_particles *particles);

/* ---- Changing ---- */

/** Keeps n particles, in this order, by indices from 0. A particle may be repeated. After a failure the particles may
 *  be partly changed. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_choose(tess_particles *particles, const int64_t *chosen, int64_t n);

/** Assigns particles alternately to half sets 1 and 2, beginning with 1. Only `halves` is set. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_split(tess_particles *particles);

/** Sets rotations to the identity and shifts to 0. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_reset_poses(tess_particles *particles);

/* ---- Writing ---- */

/** Writes rotations and shifts to the document, as rlnAngleRot and so on, and origins in Å, or in pixels if the file
 *  had them in pixels or the pixel size is not known. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_put_poses(tess_particles *particles);

/** Writes half sets to the document, as rlnRandomSubset. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_put_halves(tess_particles *particles);

/** Sets the image names in the document to images 1 to n of the stack `path`. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_put_images(tess_particles *particles, const char *path);

/** Writes the document as a STAR file or a .cs file, depending on the extension. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_write(const char *path, const tess_particles *particles,
                                                          const tess_star_opts *opts);

/* ---- Jobs by their description ---- */

/** Returns the data (TESS_PARTICLES_ flags) that a job takes and its caller did not give, determined by the names of
 *  its rows: its first source, and tables called rotations, shifts, ctfs and halves. Returns 0 for a job without such
 *  tables. `values` and `opts` are those of tess_job_run. */
TESS_API int32_t tess_particles_wanted(const tess_job_info *job, const tess_value *values, const void *opts);

/** Fills in the arguments reported by tess_particles_wanted, as far as the particles have them. A required row without
 *  a value is an error. Values and options point into the particles. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_fill(const tess_particles *particles, const tess_job_info *job,
                                                         tess_value *values, void *opts);

/** Opens the data reported by tess_particles_wanted from a STAR or .cs file, and fills them in; options are filled in
 *  if the file has them. The pixel size is the option pixel_size of the job, otherwise that of the images in `values`.
 *  `particles` must be zeroed; release them after the job. */
TESS_API TESS_MUST_CHECK tess_status tess_particles_open_for_job(tess_particles *particles, const char *path,
                                                                 const tess_job_info *job, tess_value *values,
                                                                 void *opts, const tess_context *context);

TESS_END_C

#endif
