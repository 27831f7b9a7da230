/* Dark and gain correction of camera frames. */
#ifndef TESSERA_JOBS_CAMERA_H
#define TESSERA_JOBS_CAMERA_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** How a gain reference is applied. */
typedef enum tess_gain_sense {
    TESS_GAIN_DEFAULT, /* MULTIPLY; DIVIDE for EER movies, unless the name of the gain reference ends with .gain */
    TESS_GAIN_MULTIPLY,
    TESS_GAIN_DIVIDE /* multiply by its mean divided by its value; pixels where it is 0 become 0 */
} tess_gain_sense;

/** How a gain reference is mirrored. */
typedef enum tess_gain_flip {
    TESS_GAIN_FLIP_DEFAULT, /* NONE */
    TESS_GAIN_FLIP_NONE,
    TESS_GAIN_FLIP_X, /* along x (w) */
    TESS_GAIN_FLIP_Y  /* along y (h) */
} tess_gain_flip;

typedef struct tess_camera_opts {
    const tess_source *dark;        /* dark image, subtracted first [none] */
    const tess_source *gain;        /* gain reference, by which frames are then multiplied or divided [none] */
    int32_t            gain_sense;  /* a tess_gain_sense [TESS_GAIN_DEFAULT] */
    int32_t            gain_rot;    /* rotation of the gain reference in steps of 90 degrees from x towards y, 0 to 3
                                       [0] */
    int32_t            gain_flip;   /* a tess_gain_flip, after the rotation [TESS_GAIN_FLIP_NONE] */
    uint32_t           reserved[9]; /* must be 0 */
} tess_camera_opts;

typedef struct tess_camera {
    struct tess_op *op;         /* NULL: no correction */
    tess_array      dark, gain; /* f32 {1,1,h,w} on the device of the context, or without data */
} tess_camera;

/**
 * Reads the dark image and gain reference for the frames of a movie.
 *
 * Both must have the size of a frame. For EER movies, a gain reference of the camera's size, or of another up-sampling,
 * is enlarged or binned to that size. The rows of a TIFF whose name ends with .gain are kept in file order, like those
 * of the movie. `camera` must be zeroed; release it also after a failure.
 */
TESS_API TESS_MUST_CHECK tess_status tess_camera_open(tess_camera *camera, const tess_source *movie,
                                                      const tess_camera_opts *opts, const tess_context *context);

/** Corrects frames, or parts of frames whose first pixel is at (row, column), into `out`: f32, allocated or zeroed;
 *  `out` may be `in`. If there is nothing to correct, `out` is unchanged. */
TESS_API TESS_MUST_CHECK tess_status tess_camera_correct(const tess_camera *camera, tess_array *out,
                                                         const tess_array *in, int64_t row, int64_t column);

/** Releases the contents of a camera and zeroes it. A zeroed camera is allowed. */
TESS_API void tess_camera_release(tess_camera *camera);

TESS_END_C

#endif
