/* Poses of particles from round to round: how far they moved, how scores and views are distributed; and weights of
 * shells by the correlation of half maps. */
#ifndef TESSERA_PARTICLES_POSES_H
#define TESSERA_PARTICLES_POSES_H

#include "command/job.h"

typedef struct pose_change {
    const tess_array *from, *to;               /* quaternions {n,1,1,4} */
    const tess_array *from_shifts, *to_shifts; /* {n,1,1,2} */
    const tess_array *scores;                  /* {n,1,1,1}; all f64 on the host */
    const char       *symmetry;
} pose_change;

/* Columns of a row: quantiles of the changes and scores, and the part of directions that has any view. `moved` receives
 * the median of the changes of angles, in radians. */
tess_status report_poses(table *t, const pose_change *change, double *moved);

/* Where the Fourier shell correlation of two maps falls below 0.143, in cycles per pixel, and sqrt(2 FSC / (1 +
 * FSC)) of the shells before it, 0 after it: {1,1,1,shells}. */
tess_status shell_weights(tess_array *curve, double *frequency, const tess_array *one, const tess_array *two);

#endif
