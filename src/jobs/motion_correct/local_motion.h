/* Local motion of frames that are aligned as a whole: shifts of patches, a model of them, and its cross-validation.
 *
 * Each patch is aligned independently, within a limit. Those whose correlation is no better than that of noise, or
 * whose shifts jump from frame to frame, do not count. The model is fitted to the others, and then judged patch by
 * patch: the shifts that the model of all *other* patches predicts are compared with none at all, by the power of the
 * sum of the frames. If that does not rise, there is no model, and only whole frames are moved. */
#ifndef TESS_JOBS_MOTION_CORRECT_LOCAL_MOTION_H
#define TESS_JOBS_MOTION_CORRECT_LOCAL_MOTION_H

#include "jobs/run/context.h"

typedef struct tess__local_motion_opts {
    int64_t patches[2]; /* along y and x */
    double  pixel_size; /* of the images, Å */
    double  bfactor;    /* of the correlation, Å^2 */
    double  limit;      /* of a patch's shift from that of whole frames, pixels of the images */
    double  scale[2];   /* pixels of the frames in one of the images, along h and w: results are in pixels of frames */
    int32_t group;      /* frames that are aligned together */
    bool    always;     /* keep the model, whatever its cross-validation says */
    const char         *fn; /* the job, for messages */
    const tess_context *context;
} tess__local_motion_opts;

typedef enum tess__local_motion_verdict {
    TESS__LOCAL_MOTION_NONE,     /* no patches were asked for */
    TESS__LOCAL_MOTION_USED,     /* the model makes the sum better */
    TESS__LOCAL_MOTION_KEPT,     /* the model does not make the sum better, and is used because `always` says so */
    TESS__LOCAL_MOTION_FEW,      /* too few patches can be aligned, or they have too few frames */
    TESS__LOCAL_MOTION_NO_BETTER /* the model does not make the sum better */
} tess__local_motion_verdict;

typedef struct tess__local_motion {
    tess__local_motion_verdict verdict;
    tess_array                 positions, shifts; /* f64 {p,1,1,2} and {p,1,n,2} on the host, of all patches */
    tess_array                 weights;     /* f64 {p,1,n,1}: squares of scores; 0 for patches that do not count */
    tess_array                 model;       /* f64 {2,1,1,18} on the host; no data unless the verdict is USED or KEPT */
    int64_t                    used;        /* patches that count */
    double                     residual;    /* of the model, pixels rms */
    double                     gain, error; /* of the correlation of frames by cross-validation, and its standard error,
                                               as parts of that without a model; 0 where there was no fit */
} tess__local_motion;

/* `images` are frames {n,1,h,w} on any device, moved by the shifts of whole frames. To be freed by
 * tess__local_motion_free, also after a failure. */
tess_status tess__local_motion_find(tess__local_motion *m, const tess_array *images,
                                    const tess__local_motion_opts *opts);
void        tess__local_motion_free(tess__local_motion *m);

#endif
