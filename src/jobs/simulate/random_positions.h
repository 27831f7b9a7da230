/* Random positions in an image that keep a distance from each other. */
#ifndef TESS_JOBS_SIMULATE_RANDOM_POSITIONS_H
#define TESS_JOBS_SIMULATE_RANDOM_POSITIONS_H

#include "jobs/run/context.h"

typedef struct tess__positions_wanted {
    const char         *fn; /* the job, for messages, whose options are `count`, `distance` and `size` */
    const tess_context *context;
    int64_t             n;
    tess_shape          image;    /* {1,1,h,w} */
    int64_t             margin;   /* pixels from its edges */
    double              distance; /* pixels from each other */
    uint32_t            stream;   /* of random numbers */
} tess__positions_wanted;

/* Positions y, x, {n,1,1,2} of f64 on the host, rounded to a thousandth of a pixel. Fails if not all can be placed.
 * To be released, also after a failure. */
tess_status tess__random_positions(tess_array *positions, const tess__positions_wanted *wanted);

#endif
