/* Projection matching: the orientation and shift of the projection of a reference that best matches an image.
 *
 * TESS_TRY(tess_fourier_prepare(&spectrum, &reference, NULL)); TESS_TRY(tess_quat_grid(&grid, 0.2, NULL));
 * TESS_TRY(tess_match_projections(&rotations, &shifts, &scores, &spectrum, &images, &grid,
 *                                 &(tess_match_projections_opts){ .high = 0.15, .radius = 3, .angle = 0.1 }));
 */
#ifndef TESSERA_MATCH_PROJECTIONS_H
#define TESSERA_MATCH_PROJECTIONS_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_match_projections_opts {
    const tess_array *ctfs;        /* CTFs by which projections are multiplied: {1 or n,1,1,m}, columns as in tess_ctf
                                      [NULL: none] */
    const tess_array *around;      /* centre of the shift search, pixels (h, w): {1 or n,1,1,2} [NULL: 0] */
    double            low, high;   /* range of frequencies compared, cycles per pixel [1 / s, 0.5]; TESS_ZERO: from 0 */
    double            radius;      /* maximum shift tried, in pixels [0: none] */
    double            shift_step;  /* step of the shifts tried, in pixels [1] */
    double            angle;       /* step of a local search around the best orientation, radians [0: none] */
    int32_t           halvings;    /* number of times that angle and shift_step are halved and the search repeated, 0 to
                                      20 [0] */
    int32_t           each;        /* 1: separate candidates for each image, {n,m,1,4} [0: the same for all images] */
    int32_t           padding;     /* padding factor of the spectrum [2] */
    int32_t           unused;      /* must be 0 */
    uint32_t          reserved[4]; /* must be 0 */
} tess_match_projections_opts;

/** Finds the best orientation and shift of each of n images {n,1,s,s}. `rotations` {n,1,1,4} receives the best of the
 *  quaternions `candidates`, {m,1,1,4}, `shifts` {n,1,1,2} the shift in pixels (h, w) that moves the image onto the
 *  projection, and `scores` {n,1,1,1} its score, all f64. `spectrum` is that of tess_fourier_prepare, c32; images are
 *  real and are processed in f32.
 *
 *  The score is the correlation, -1 to 1, of the shifted image with the projection times the CTF, over the coefficients
 *  in the range of frequencies. All candidates and shifts are compared by matrix products (tess_matmul). Of equal
 *  scores the first is taken, with shifts varying fastest. With `angle`, the 27 rotations by -1, 0 and 1 times the
 *  angle about the axes of the image, and nine shifts, are tried around the best, twice, before the steps are halved.
 *
 *  Results do not depend on the number of images per call or on threads. On other devices the last digits of scores may
 *  differ, and so may the choice between nearly equal candidates. An image with a NaN gets the first candidate and the
 *  score NaN. Synchronises with the device. */
TESS_API TESS_MUST_CHECK tess_status tess_match_projections(tess_array *rotations, tess_array *shifts,
                                                            tess_array *scores, const tess_array *spectrum,
                                                            const tess_array *images, const tess_array *candidates,
                                                            const tess_match_projections_opts *opts);

TESS_END_C

#endif
