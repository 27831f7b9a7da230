/* A refinement on its way: its particles, the references of this iteration, and what comes of them. */
#ifndef TESS_JOBS_REFINE_REFINING_H
#define TESS_JOBS_REFINE_REFINING_H

#include "jobs/data/particles/particle_set.h"
#include "tessera/jobs/refine.h"

typedef struct tess__refinement {
    const tess_context *context;
    const char         *fn; /* the job, for messages */
    const tess_source  *reference;
    tess_refine_opts    o;          /* resolved; `sym`, `diameter` and `shift_range` are set */
    tess__particle_set  set;        /* its rotations and shifts are the newest ones */
    tess_array          scores;     /* f64 {n,1,1,1} on the CPU */
    int64_t             side;       /* pixels of an image */
    double              pixel_size; /* Å; 0: not known */
    double              cutoff;     /* cycles per pixel up to which images are compared */
    double              frequency;  /* where the FSC fell below 0.143 */
    double              reach;      /* largest shift that is searched, pixels */
    double              angle;      /* of the steps about the best, radians */
    bool                searches;   /* this iteration searches all orientations */
    tess_array          grid;       /* all orientations */
    tess_array          fsc, curve; /* of the last half maps, and weights of shells by it; without data: none yet */
    tess_array          maps[2];    /* of both halves, on the CPU */
    tess_array          spectra[2]; /* references of this iteration, on the device */
    tess_array          sums[2][2]; /* of this iteration: volume and weights of each half, on the device */
} tess__refinement;

/* ---- iteration.c ---- */

/* Fails where what an iteration holds is more than the memory of the context. */
tess_status tess__refine_fits(const tess__refinement *r);

/* Orientations, shifts and half maps anew; from the correlation of the maps the weights and the cutoff of the next
 * iteration. `i` counts from 0. */
tess_status tess__refine_iterate(tess__refinement *r, int64_t i);

/* The map of both halves together, filtered as the next references would be. It takes the sums of the first. */
tess_status tess__refined_map(tess_array *map, tess__refinement *r);

/* ---- matching.c ---- */

/* New poses, f64 {n,1,1,k} on the CPU. */
typedef struct tess__poses {
    tess_array rotations, shifts, scores;
} tess__poses;

void tess__poses_release(tess__poses *poses);

/* The orientations and shifts at which some particles of a half set are most like projections of its reference. */
tess_status tess__refine_match(tess__poses *poses, const tess__refinement *r, const tess__particle_part *part,
                               int half);

/* ---- pose_change.c ---- */

/* Sets the columns of a row that describe poses: changes from `before` to now, scores and views. */
tess_status tess__pose_change(double row[TESS_REFINED_COLUMNS], const tess__refinement *r, const tess__poses *before);

#endif
