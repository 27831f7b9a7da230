/* Refinement of particles by projection matching: orientations, shifts and the map, with half sets kept apart. */
#ifndef TESSERA_JOBS_REFINE_H
#define TESSERA_JOBS_REFINE_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Tables have a row for each image: {n,1,1,k} or {1,1,n,k} of real numbers. */
typedef struct tess_refine_opts {
    const tess_array *rotations;            /* k = 4: quaternions (z, y, x, w), from the image to the map, to start from
                                               [none; needed where global_iterations is 0] */
    const tess_array *shifts;               /* k = 2: pixels (y, x) that move a particle to the centre, to start from
                                               [0] */
    const tess_array *ctfs;                 /* k = 8 to TESS_CTF_COLUMNS: fields of a tess_ctf; phases of beam tilt and
                                               trefoil are put right first [none] */
    const tess_array *halves;               /* k = 1: the half set of each image, 1 or 2 [1, 2, 1, 2 …] */
    const char       *sym;                  /* point group, as "D7" [C1] */
    int64_t           iterations;           /* maximum number of iterations, 1 to 1000 [10] */
    int64_t           global_iterations;    /* iterations that search all orientations [3]; TESS_ZERO_INT: rotations are
                                               refined */
    double            step;                 /* distance of orientations in that search, radians, 1 to 60 degrees [12
                                               degrees] */
    double            shift_range;          /* largest shift in the first search, pixels, 0 to 50 [4]; TESS_ZERO */
    double            diameter;             /* of the soft sphere around references, pixels [0.85 of the box] */
    double            cutoff;               /* low-pass filter of the reference at the start, cycles per pixel [that of
                                               30 Å] */
    double            pixel_size;           /* Å [that of the images] */
    double            reference_pixel_size; /* Å [that of the reference] */
    uint32_t          reserved[8];          /* must be 0 */
} tess_refine_opts;

/** Columns of a table of iterations. Angles and shifts tell how far particles moved in an iteration: 50 or 90 % of them
 *  moved less. 10, 50 or 90 % of particles have lower scores. */
enum {
    TESS_REFINED_ITERATION,  /* from 1 on */
    TESS_REFINED_GLOBAL,     /* 1: all orientations were searched; 0: those near the last ones */
    TESS_REFINED_RESOLUTION, /* where the FSC of the half maps under the sphere falls below 0.143, Å, or pixels where
                                their size is not known */
    TESS_REFINED_ANGLE_50,   /* radians */
    TESS_REFINED_ANGLE_90,
    TESS_REFINED_SHIFT_50, /* pixels */
    TESS_REFINED_SHIFT_90,
    TESS_REFINED_SCORE_10, /* correlation coefficients */
    TESS_REFINED_SCORE_50,
    TESS_REFINED_SCORE_90,
    TESS_REFINED_VIEWS, /* part of 48 directions of equal area that has any view, 0 to 1 */
    TESS_REFINED_COLUMNS
};

typedef struct tess_refine_result {
    tess_array map;            /* f32 {1,s,s,s} on the CPU: of all images, filtered as the last references */
    tess_array half1;          /* f32 {1,s,s,s}: of half set 1, not filtered */
    tess_array half2;          /* f32 {1,s,s,s}: of half set 2, not filtered */
    tess_array rotations;      /* f64 {n,1,1,4}: quaternions (z, y, x, w), from the image to the map */
    tess_array shifts;         /* f64 {n,1,1,2}: pixels (y, x) that move a particle to the centre */
    tess_array scores;         /* f64 {n,1,1,1}: correlation coefficient of each image with its projection */
    tess_array fsc;            /* f64 {1,1,1,shells}: Fourier shell correlation of the half maps under the sphere */
    tess_array history;        /* f64 {1,1,iterations,TESS_REFINED_COLUMNS}: a row for each iteration */
    double     resolution;     /* where that FSC falls below 0.143, Å, or pixels where their size is not known */
    double     resolution_0_5; /* where it falls below 0.5 */
    int32_t    converged;      /* 1: neither resolution nor angles changed any more */
} tess_refine_result;

/**
 * Refines orientations and shifts of images {n,1,s,s} of particles, s at least 8, and their map. `reference` is the map
 * {1,s,s,s} to start from; one whose pixels have another size is rescaled, and cropped or padded to the box of the
 * images.
 *
 * Each iteration compares every image with projections of the map of its own half set, times its CTF, by their
 * correlation up to the present resolution (tess_match_projections); then it reconstructs both half maps from the new
 * orientations. The first iterations search all orientations, opts->step apart, and shifts up to opts->shift_range;
 * then steps about the best are halved twice. Both half sets begin with the same reference, low-passed at opts->cutoff,
 * and are apart from there on. References are cut by a soft sphere, weighted by sqrt(2 FSC / (1 + FSC)), and low-passed
 * where the FSC of the half maps under the sphere falls below 0.143; one shell more is compared. The refinement stops
 * when neither resolution nor angles change, or after opts->iterations.
 *
 * Results do not depend on threads, memory and slabs. On a GPU scores may differ in their last digits, and so may which
 * of two orientations is the better.
 */
TESS_API TESS_MUST_CHECK tess_status tess_refine(tess_refine_result *result, const tess_source *images,
                                                 const tess_source *reference, const tess_refine_opts *opts,
                                                 const tess_context *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_refine_result_release(tess_refine_result *result);

TESS_END_C

#endif
