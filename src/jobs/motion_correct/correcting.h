/* A movie that is being corrected: its frames, how they are aligned, and their sums. */
#ifndef TESS_JOBS_MOTION_CORRECT_CORRECTING_H
#define TESS_JOBS_MOTION_CORRECT_CORRECTING_H

#include "jobs/data/movies/exposure.h"
#include "jobs/data/movies/movie.h"
#include "jobs/motion_correct/local_motion.h"
#include "jobs/motion_correct/whole_motion.h"
#include "tessera/jobs/motion_correct.h"

typedef struct tess__correcting {
    const char                     *fn;
    const tess_motion_correct_opts *opts; /* resolved */
    const tess_context             *context;
    const tess_source              *source;
    tess__movie                     movie;
    tess__exposure                  exposure;
    double                          pixel_size;
    tess_shape                      frame;      /* {1,1,h,w} */
    tess_shape                      small;      /* {frames,1,h,w} of what is aligned */
    double                          scale[2];   /* pixels of a frame in one of that, along h and w */
    int64_t                         patches[2]; /* along y and x; 1, 1: none */
    int32_t                         group;
    double                          max_local; /* pixels of a frame */
    tess__whole_motion              whole;
    tess__local_motion              local;
    tess_array                      spectra;           /* of what is aligned */
    tess_array                      sums[2], weighted; /* spectra; of even and odd frames, or of all */
    bool                            halves, weights;
    tess_array                      zero; /* {1,1,1,2} */
} tess__correcting;

/* Finds the motion of whole frames, and of patches. */
tess_status tess__correcting_align(tess__correcting *c);

/* Adds the frames, moved. */
tess_status tess__correcting_add(tess__correcting *c);

/* Makes images of the sums. */
tess_status tess__correcting_images(tess__correcting *c, tess_motion_correct_result *result);

#endif
