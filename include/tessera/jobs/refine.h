/* Refinement by projection matching: orientations and shifts of particles and their map, with independent half sets. */
#ifndef TESSERA_JOBS_REFINE_H
#define TESSERA_JOBS_REFINE_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Tables have a row for each image: {n,1,1,k} or {1,1,n,k} of real numbers. */
typedef struct tess_refine_opts {
    const tess_array *rotations;            /* k = 4: initial orientations, quaternions (z, y, x, w) from the image to
                                               the map [none; required if global_iterations is 0] */
    const tess_array *shifts;               /* k = 2: initial shifts, pixels (y, x) that move a particle to the centre
                                               [0] */
    const tess_array *ctfs;                 /* k = 8 to TESS_CTF_COLUMNS: fields of a tess_ctf; phases of beam tilt and
                                               trefoil are corrected first [none] */
    const tess_array *halves;               /* k = 1: half set of each image, 1 or 2 [1, 2, 1, 2 …] */
    const char       *sym;                  /* point group, such as "D7" [C1] */
    int64_t           iterations;           /* maximum number of iterations, 1 to 1000 [10] */
    int64_t           global_iterations;    /* number of iterations with a global search [3]; TESS_ZERO_INT: only refine
                                               the given rotations */
    double            step;                 /* angular step of the global search, radians, 1 to 60 degrees [12
                                               degrees] */
    double            shift_range;          /* maximum shift in the first iteration, pixels, 0 to 50; at most 2 in later
                                               ones [4]; TESS_ZERO */
    double            diameter;             /* diameter of the soft spherical mask of references, pixels, 4 to the box
                                               size [0.85 of the box] */
    double            cutoff;               /* low-pass filter applied to the initial reference, cycles per pixel [that
                                               of 30 Å] */
    double            pixel_size;           /* Å [that of the images] */
    double            reference_pixel_size; /* Å [that of the reference] */
    uint32_t          reserved[8];          /* must be 0 */
} tess_refine_opts;

/** Columns of a table of iterations. Angles and shifts are changes in an iteration, of which 50 or 90 % of particles
 *  stay below. 10, 50 or 90 % of particles have lower scores. */
enum {
    TESS_REFINED_ITERATION,  /* index of the iteration, from 1 */
    TESS_REFINED_GLOBAL,     /* 1: global search; 0: local search around the previous orientations */
    TESS_REFINED_RESOLUTION, /* resolution at which the masked FSC of the half maps falls below 0.143, Å, or pixels if
                                their size is not known */
    TESS_REFINED_ANGLE_50,   /* radians */
    TESS_REFINED_ANGLE_90,
    TESS_REFINED_SHIFT_50, /* pixels */
    TESS_REFINED_SHIFT_90,
    TESS_REFINED_SCORE_10, /* correlation coefficients */
    TESS_REFINED_SCORE_50,
    TESS_REFINED_SCORE_90,
    TESS_REFINED_VIEWS, /* fraction of 48 directions of equal area that have any view, 0 to 1 */
    TESS_REFINED_COLUMNS
};

typedef struct tess_refine_result {
    tess_array map;            /* f32 {1,s,s,s} on the CPU: map of all images, filtered like the last references */
    tess_array half1;          /* f32 {1,s,s,s}: map of half set 1, unfiltered */
    tess_array half2;          /* f32 {1,s,s,s}: map of half set 2, unfiltered */
    tess_array rotations;      /* f64 {n,1,1,4}: quaternions (z, y, x, w), from the image to the map */
    tess_array shifts;         /* f64 {n,1,1,2}: pixels (y, x) that move a particle to the centre */
    tess_array scores;         /* f64 {n,1,1,1}: correlation coefficient of each image with its projection */
    tess_array fsc;            /* f64 {1,1,1,shells}: masked Fourier shell correlation of the half maps */
    tess_array history;        /* f64 {1,1,iterations,TESS_REFINED_COLUMNS}: a row for each iteration */
    double     resolution;     /* resolution at which that FSC falls below 0.143, Å, or pixels if their size is not
                                  known */
    double     resolution_0_5; /* resolution at which it falls below 0.5 */
    int32_t    converged;      /* 1: resolution and angles stopped changing */
} tess_refine_result;

/**
 * Refines orientations and shifts of particle images {n,1,s,s}, s at least 8, and their map. `reference` is the initial
 * map {1,s,s,s}. One with another pixel size may have another size: it is rescaled, and cropped or padded to the box of
 * the images.
 *
 * Each iteration compares every image with projections of the map of its own half set, multiplied by its CTF, by their
 * correlation up to the current resolution (tess_match_projections). Then it reconstructs both half maps from the new
 * orientations. The first opts->global_iterations search all orientations in steps of opts->step, and shifts around the
 * previous ones; later iterations search near the previous orientations only. In each iteration the steps around the
 * best are then halved twice. Both half sets start from the same reference, low-pass filtered at opts->cutoff, and are
 * independent afterwards. References are multiplied by a soft spherical mask, weighted by sqrt(2 FSC / (1 + FSC)), and
 * low-pass filtered where the masked FSC of the half maps falls below 0.143; the comparison includes one more shell.
 * The refinement stops when neither resolution nor angles change, or after opts->iterations.
 *
 * Results do not depend on threads, memory and slabs. On a GPU the last digits of scores may differ, and so may the
 * choice between nearly equal orientations.
 */
TESS_API TESS_MUST_CHECK tess_status tess_refine(tess_refine_result *result, const tess_source *images,
                                                 const tess_source *reference, const tess_refine_opts *opts,
                                                 const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_refine_result_release(tess_refine_result *result);

TESS_END_C

#endif
