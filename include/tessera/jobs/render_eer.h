/* EER movies as images: counts of electrons, times a gain. */
#ifndef TESSERA_JOBS_RENDER_EER_H
#define TESSERA_JOBS_RENDER_EER_H

#include "tessera/jobs/camera.h"
#include "tessera/jobs/sink.h"

TESS_BEGIN_C

typedef struct tess_render_eer_opts {
    const tess_source *dark;        /* image that is subtracted from each [none] */
    const tess_source *gain;        /* gain reference [none] */
    const tess_sink   *sink;        /* where the images go [the array of the result] */
    int32_t            gain_sense;  /* a tess_gain_sense [TESS_GAIN_DEFAULT: divide, unless it is a .gain file] */
    int32_t            gain_rot;    /* quarter turns of the gain reference from x towards y, 0 to 3 [0] */
    int32_t            gain_flip;   /* a tess_gain_flip, after the rotation [TESS_GAIN_FLIP_NONE] */
    uint32_t           reserved[7]; /* must be 0 */
} tess_render_eer_opts;

typedef struct tess_render_eer_result {
    tess_array
            images; /* {n,1,h,w} on the CPU: of the movie's dtype, f32 with a dark or gain image; zeroed with a sink */
    int64_t n_images;
} tess_render_eer_result;

/**
 * Renders an EER movie as images, as tess_camera_open corrects them.
 *
 * How camera frames are grouped and up-sampled is said when the movie is opened: eer_group, eer_dose and
 * eer_upsampling of tess_read_opts. Without a dark or gain image, images are counts of electrons.
 */
TESS_API TESS_MUST_CHECK tess_status tess_render_eer(tess_render_eer_result *result, const tess_source *movie,
                                                     const tess_render_eer_opts *opts, const tess_context *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_render_eer_result_release(tess_render_eer_result *result);

TESS_END_C

#endif
