/* Dark and gain correction of frames, for jobs. */
#ifndef TESS_JOBS_DATA_MOVIES_CAMERA_H
#define TESS_JOBS_DATA_MOVIES_CAMERA_H

#include "jobs/run/context.h"
#include "jobs/run/table.h"
#include "tessera/jobs/camera.h"

/* The choices of options `gain_sense` and `gain_flip`. */
extern const tess_choice tess__gain_senses[], tess__gain_flips[];

/* Rows of the options of a job that has the fields of tess_camera_opts. */
#define TESS__CAMERA_ROWS(opts)                                                                                        \
    TESS__FLAGGED_FIELD(opts, dark, const tess_source *, TESS_ARG_SOURCE, 0, 0, 0, NULL, "", TESS_ARG_IMAGES,          \
                        "dark image, subtracted from each frame"),                                                     \
        TESS__FLAGGED_FIELD(opts, gain, const tess_source *, TESS_ARG_SOURCE, 0, 0, 0, NULL, "", TESS_ARG_IMAGES,      \
                            "gain reference, by which each frame is then multiplied"),                                 \
        TESS__OPT_CHOICE(opts, gain_sense, 0, tess__gain_senses,                                                       \
                         "multiply by the gain reference, or divide by it over its mean [multiply; divide for EER "    \
                         "movies, unless the gain is a .gain file]"),                                                  \
        TESS__OPT_I32(opts, gain_rot, "", 0, 0, 3,                                                                     \
                      "rotate the gain reference by this many quarter turns from x towards y, before it is used"),     \
        TESS__OPT_CHOICE(opts, gain_flip, TESS_GAIN_FLIP_NONE, tess__gain_flips,                                       \
                         "mirror the gain reference along x or y, after the rotation")

/* tess_camera_open for a job, `fn`, whose options are in range and whose context is filled in. */
tess_status tess__camera_open(tess_camera *camera, const char *fn, const tess_source *movie,
                              const tess_camera_opts *opts, const tess_context *context);

#endif
