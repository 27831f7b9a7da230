/* In-plane alignment and averaging of images of one class. */
#ifndef TESSERA_JOBS_ALIGN2D_H
#define TESSERA_JOBS_ALIGN2D_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_align2d_opts {
    double             step;        /* angular step of the search, radians [5 degrees] */
    double             max_shift;   /* maximum shift along each axis, pixels [an eighth of the box]; TESS_ZERO */
    double             mask_radius; /* radius of the circular mask of the reference, pixels [half of the box, minus
                                       6] */
    int64_t            iterations;  /* maximum number of iterations [8] */
    const tess_source *reference;   /* initial reference [the average of the images aligned so far] */
    const tess_sink   *sink;        /* destination of the aligned images, f32 [not computed] */
    uint32_t           reserved[8]; /* must be 0 */
} tess_align2d_opts;

/** Columns of a table of alignments: an image is aligned to the average by shifting it by x and y and then rotating it
 *  by the angle, as in RELION. */
enum {
    TESS_PLACE_ANGLE, /* from +x to +y, radians, -pi to pi */
    TESS_PLACE_X,     /* pixels */
    TESS_PLACE_Y,
    TESS_PLACE_SCORE, /* correlation coefficient with the masked reference */
    TESS_PLACE_COLUMNS
};

typedef struct tess_align2d_result {
    tess_array average; /* f32 {1,1,h,w} on the CPU: average of the aligned images */
    tess_array places;  /* f64 {1,1,n,TESS_PLACE_COLUMNS}: alignment of each image */
    tess_array changes; /* f64 {1,1,iterations,1}: the largest change of an alignment in each iteration, in steps of the
                           angle or tenths of a pixel */
} tess_align2d_result;

/**
 * Aligns images of one class, {n,1,h,h} of real numbers, h at least 16, and averages them.
 *
 * The reference, under a circular mask, is rotated in steps. Each image gets the rotation and shift with the highest
 * correlation, refined between steps and pixels by parabolas. The average of the aligned images is the reference of the
 * next iteration, until angles change by less than half a step and shifts by less than 0.05 pixels. Without
 * opts->reference, the first iteration aligns each image to the average of those before it.
 */
TESS_API TESS_MUST_CHECK tess_status tess_align2d(tess_align2d_result *result, const tess_source *images,
                                                  const tess_align2d_opts *opts, const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_align2d_result_release(tess_align2d_result *result);

TESS_END_C

#endif
