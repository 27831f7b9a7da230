/* Local motion of a simulated specimen: a random quadratic polynomial of the position that fades in with exposure. */
#ifndef TESSERA_MOVIES_SPECIMEN_MOTION_H
#define TESSERA_MOVIES_SPECIMEN_MOTION_H

#include <stdint.h>

#include "tessera.h"

typedef struct specimen_motion {
    tess_array model; /* f64 {2,1,1,18}, as tess_motion_warp takes it, in pixels at time 1; no data: nothing moves */
    tess_array times; /* f64 {1,1,1,frames}: 1 - exp(-exposure / SPECIMEN_SETTLES) before each frame */
} specimen_motion;

/* Electrons per square Å after which 1/e of the motion is left. */
#define SPECIMEN_SETTLES 5.0

/* Positions of the truth along each axis: the middles of as many patches. */
enum { SPECIMEN_GRID = 5 };

/* Draws motion of at most `largest` pixels between the first exposure and the end, with a mean of 0 over the frame.
 * `dose` is that of each of `frames`. To be freed by specimen_motion_free, also after a failure. */
tess_status specimen_motion_draw(specimen_motion *s, double largest, double dose, int64_t frames, uint64_t seed,
                                 uint32_t stream);
void        specimen_motion_free(specimen_motion *s);

/* Images {n,1,h,w} of the specimen, moved as it is in frames `first` to `first` + n. */
tess_status specimen_motion_apply(const specimen_motion *s, tess_array *out, const tess_array *in, int64_t first);

/* The shifts that undo it, as a table local_shift: in pixels, for frames of this shape. */
tess_status specimen_motion_add_truth(const specimen_motion *s, tess_star *star, tess_shape frame);

#endif
