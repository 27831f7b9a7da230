/* Rendering of EER movies: images of electron counts, optionally gain-corrected. */
#ifndef TESSERA_JOBS_RENDER_EER_H
#define TESSERA_JOBS_RENDER_EER_H

#include "tessera/jobs/camera.h"
#include "tessera/jobs/sink.h"

TESS_BEGIN_C

typedef struct tess_render_eer_opts {
    const tess_source *dark;        /* dark image, subtracted from each image [none] */
    const tess_source *gain;        /* gain reference [none] */
    const tess_sink   *sink;        /* destination of the images [the array of the result] */
    int32_t            gain_sense;  /* a tess_gain_sense [TESS_GAIN_DEFAULT: divide, unless it is a .gain file] */
    int32_t            gain_rot;    /* rotation of the gain reference in steps of 90 degrees from x towards y, 0 to 3
                                       [0] */
    int32_t            gain_flip;   /* a tess_gain_flip, after the rotation [TESS_GAIN_FLIP_NONE] */
    uint32_t           reserved[7]; /* must be 0 */
} tess_render_eer_opts;

typedef struct tess_render_eer_result {
    tess_array images; /* {n,1,h,w} on the CPU, in the movie's dtype, or f32 with a dark image or gain reference; zeroed
                          with a sink */
    int64_t    n_images;
} tess_render_eer_result;

/**
 * Renders an EER movie as images, corrected as by tess_camera_open.
 *
 * The grouping and up-sampling of camera frames are set when the movie is opened: eer_group and eer_upsampling of
 * tess_read_opts. Without a dark image or gain reference, images are electron counts.
 */
TESS_API TESS_MUST_CHECK tess_status tess_render_eer(tess_render_eer_result *result, const tess_source *movie,
                                                     const tess_render_eer_opts *opts, const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_render_eer_result_release(tess_render_eer_result *result);

TESS_END_C

#endif
