/* Projection matching: the orientation and the shift at which a projection of a reference is most like an image.
 *
 *     TESS_TRY(tess_fourier_prepare(&spectrum, &reference, NULL));
 *     TESS_TRY(tess_quat_grid(&grid, 0.2, NULL));
 *     TESS_TRY(tess_match_projections(&rotations, &shifts, &scores, &spectrum, &images, &grid,
 *                                     &(tess_match_projections_opts){ .high = 0.15, .radius = 3, .angle = 0.1 }));
 */
#ifndef TESSERA_MATCH_PROJECTIONS_H
#define TESSERA_MATCH_PROJECTIONS_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_match_projections_opts {
    const tess_array *ctfs;        /* projections are multiplied by them: {1 or n,1,1,m}, as tess_ctf [NULL: none] */
    const tess_array *around;      /* pixels (h, w) about which shifts are tried: {1 or n,1,1,2} [NULL: 0] */
    double            low, high;   /* range of frequencies that are compared, cycles per pixel [1 / s, 0.5];
                                      TESS_ZERO: from 0 */
    double            radius;      /* largest shift that is tried, in pixels [0: none] */
    double            shift_step;  /* distance of shifts that are tried, in pixels [1] */
    double            angle;       /* then rotations by this angle about the best are tried, radians [0: none] */
    int32_t           halvings;    /* how often angle and shift_step are halved and tried again, 0 to 20 [0] */
    int32_t           each;        /* 1: {n,m,1,4}, candidates of each image; else all are those of all images [0] */
    int32_t           padding;     /* of the spectrum [2] */
    int32_t           unused;      /* must be 0 */
    uint32_t          reserved[4]; /* must be 0 */
} tess_match_projections_opts;

/** For each of n images {n,1,s,s} the best of the quaternions `candidates`, {m,1,1,4}, in `rotations` {n,1,1,4}, the
 *  shift in pixels (h, w) that moves the image onto the projection, in `shifts` {n,1,1,2}, and its score, in `scores`
 *  {n,1,1,1}, all f64. `spectrum` is that of tess_fourier_prepare, of c32; images are real, and computed with in f32.
 *
 *  A score is the correlation, -1 to 1, of the moved image with the projection times the CTF, over the coefficients in
 *  the range of frequencies. Coefficients of all candidates and shifts are compared by matrix products
 *  (tess_matmul); of equal scores the first counts, shifts first. With `angle`, the 27 rotations by -1, 0 and 1 times
 *  it about the axes of the image, and nine shifts, are tried about the best, twice, before the steps are halved.
 *  Results do not depend on how many images a call has, nor on threads; on other devices scores may differ in their
 *  last digits, and so may which of two candidates is the better. An image with a NaN has the first candidate and
 *  score NaN. It waits. */
TESS_API TESS_MUST_CHECK tess_status tess_match_projections(tess_array *rotations, tess_array *shifts,
                                                            tess_array *scores, const tess_array *spectrum,
                                                            const tess_array *images, const tess_array *candidates,
                                                            const tess_match_projections_opts *opts);

TESS_END_C

#endif
