/* Local motion of a simulated specimen: a random quadratic polynomial of the position that fades in with exposure. */
#ifndef TESS_JOBS_SIMULATE_SPECIMEN_MOTION_H
#define TESS_JOBS_SIMULATE_SPECIMEN_MOTION_H

#include "tessera/jobs/simulate_movie.h"

typedef struct tess__specimen_motion {
    tess_array model; /* f64 {2,1,1,18}, as tess_motion_warp takes it, in pixels at time 1; no data: nothing moves */
    tess_array times; /* f64 {1,1,1,frames}: 1 - exp(-exposure / TESS__SPECIMEN_SETTLES) before each frame */
} tess__specimen_motion;

/* Electrons per square Å after which 1/e of the motion is left. */
#define TESS__SPECIMEN_SETTLES 5.0

/* Positions of the table along each axis: the centres of as many patches. */
enum { TESS__SPECIMEN_GRID = 5 };

/* Draws motion of at most `largest` pixels between the first exposure and the end, with a mean of 0 over the frame.
 * `dose` is that of each of `frames`. To be released, also after a failure. */
tess_status tess__specimen_motion_draw(tess__specimen_motion *s, double largest, double dose, int64_t frames,
                                       uint64_t seed, uint32_t stream);
void        tess__specimen_motion_release(tess__specimen_motion *s);

/* Images {n,1,h,w} of the specimen, moved as it is in frames `first` to `first` + n. */
tess_status tess__specimen_motion_apply(const tess__specimen_motion *s, tess_array *out, const tess_array *in,
                                        int64_t first);

/* The shifts that undo it, for frames of this shape, as rows of a table local_shifts of tess_simulate_movie_result. */
tess_status tess__specimen_motion_table(const tess__specimen_motion *s, tess_array *table, tess_shape frame);

#endif
