/* Dark and gain correction of the frames of a camera. */
#ifndef TESSERA_JOBS_CAMERA_H
#define TESSERA_JOBS_CAMERA_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** How a gain image is applied. */
typedef enum tess_gain_sense {
    TESS_GAIN_DEFAULT, /* MULTIPLY; DIVIDE for EER movies, unless the name of the gain image ends with .gain */
    TESS_GAIN_MULTIPLY,
    TESS_GAIN_DIVIDE /* times its mean over its value; pixels of value 0 become 0 */
} tess_gain_sense;

/** How a gain image is mirrored. */
typedef enum tess_gain_flip {
    TESS_GAIN_FLIP_DEFAULT, /* NONE */
    TESS_GAIN_FLIP_NONE,
    TESS_GAIN_FLIP_X, /* along x (w) */
    TESS_GAIN_FLIP_Y  /* along y (h) */
} tess_gain_flip;

typedef struct tess_camera_opts {
    const tess_source *dark;        /* image that is subtracted first [none] */
    const tess_source *gain;        /* image that frames are then multiplied with or divided by [none] */
    int32_t            gain_sense;  /* a tess_gain_sense [TESS_GAIN_DEFAULT] */
    int32_t            gain_rot;    /* quarter turns of the gain image from x towards y, 0 to 3 [0] */
    int32_t            gain_flip;   /* a tess_gain_flip, after the rotation [TESS_GAIN_FLIP_NONE] */
    uint32_t           reserved[9]; /* must be 0 */
} tess_camera_opts;

typedef struct tess_camera {
    struct tess_op *op;         /* NULL: nothing is corrected */
    tess_array      dark, gain; /* f32 {1,1,h,w} on the device of the context, or without data */
} tess_camera;

/**
 * Reads the dark and gain images for the frames of a movie.
 *
 * Both must have the size of a frame. For EER movies, a gain image of the camera's size, or of another up-sampling, is
 * enlarged or binned to it; the rows of a TIFF whose name ends with .gain stay in the order of the file, as those of
 * the movie do. `camera` must be zeroed; release it also after a failure.
 */
TESS_API TESS_MUST_CHECK tess_status tess_camera_open(tess_camera *camera, const tess_source *movie,
                                                      const tess_camera_opts *opts, const tess_context *context);

/** Corrects frames, or parts of them whose first pixel is (row, column) of a frame, into `out`: f32, made or zeroed;
 *  `out` may be `in`. Where nothing is to be corrected, `out` stays as it is. */
TESS_API TESS_MUST_CHECK tess_status tess_camera_correct(const tess_camera *camera, tess_array *out,
                                                         const tess_array *in, int64_t row, int64_t column);

/** Releases what a camera holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_camera_release(tess_camera *camera);

TESS_END_C

#endif
