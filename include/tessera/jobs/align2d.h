/* Alignment of images of one class in the plane, and their average. */
#ifndef TESSERA_JOBS_ALIGN2D_H
#define TESSERA_JOBS_ALIGN2D_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_align2d_opts {
    double             step;        /* angle by which the reference is turned, radians [5 degrees] */
    double             max_shift;   /* longest shift along an axis, pixels [an eighth of the box]; TESS_ZERO */
    double             mask_radius; /* of the disc of the reference that counts, pixels [half of the box, less 6] */
    int64_t            rounds;      /* maximum number of iterations [8] */
    const tess_source *reference;   /* image to begin with [the average of the images aligned so far] */
    const tess_sink   *sink;        /* where the aligned images go, f32 [they are not made] */
    uint32_t           reserved[8]; /* must be 0 */
} tess_align2d_opts;

/** Columns of a table of places: an image is brought onto the average by moving it by x and y, and then turning it by
 *  the angle, as RELION has it. */
enum {
    TESS_PLACE_ANGLE, /* from +x to +y, radians, -pi to pi */
    TESS_PLACE_X,     /* pixels */
    TESS_PLACE_Y,
    TESS_PLACE_SCORE, /* correlation coefficient with the masked reference */
    TESS_PLACE_COLUMNS
};

typedef struct tess_align2d_result {
    tess_array average; /* f32 {1,1,h,w} on the CPU: of the aligned images */
    tess_array places;  /* f64 {1,1,n,TESS_PLACE_COLUMNS}: of each image */
    tess_array changes; /* f64 {1,1,rounds,1}: the largest change of a place in each round, steps of the angle or tenths
                           of a pixel */
} tess_align2d_result;

/**
 * Aligns images of one class, {n,1,h,h} of real numbers, h at least 16, and averages them.
 *
 * The reference, under a round mask, is turned in steps; each image takes the rotation and the shift of the highest
 * correlation, between steps and pixels by parabolas. The average of the aligned images is the reference of the next
 * round, until angles change by less than half a step, and shifts by less than 0.05 pixels. Without opts->reference,
 * the first round aligns each image to the average of those before it.
 */
TESS_API TESS_MUST_CHECK tess_status tess_align2d(tess_align2d_result *result, const tess_source *images,
                                                  const tess_align2d_opts *opts, const tess_context *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_align2d_result_release(tess_align2d_result *result);

TESS_END_C

#endif
