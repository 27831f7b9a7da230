/* The frames of a movie: less a dark and times a gain image, without bad pixels, and transformed; kept in memory where
 * they fit, otherwise read again each time they are needed. */
#ifndef TESS_JOBS_DATA_MOVIES_MOVIE_H
#define TESS_JOBS_DATA_MOVIES_MOVIE_H

#include "jobs/data/movies/camera.h"

typedef struct tess__movie_opts {
    tess_camera_opts   camera;
    const tess_source *defects;  /* an image that is not 0 at bad pixels, or NULL */
    double             hot;      /* standard deviations from the median around, in the mean frame; 0: none is hot */
    double             reserved; /* bytes for other things */
} tess__movie_opts;

typedef struct tess__movie {
    const char         *fn; /* the job, for messages */
    const tess_context *context;
    const tess_source  *source;
    tess_shape          shape; /* {frames,1,h,w} */
    tess_camera         camera;
    tess_array          bad; /* u8 {1,1,h,w} on the device; no data: no pixel is */
    tess_array hot_pixels;   /* the same of those that are hot and no defects, on the CPU; no data: not looked for */
    int64_t    n_bad;
    double     hot;
    tess_array sum;   /* while hot pixels are looked for */
    tess_array store; /* f32 {frames,1,h,2 (w/2+1)}: frames, then their spectra; no data: not kept */
    bool       is_transformed;
} tess__movie;

/* Reads the corrections, and the frames once if hot pixels are looked for or the frames fit into memory. `movie` has
 * its first three fields set. To be closed, also after a failure. */
tess_status tess__movie_open(tess__movie *movie, const tess__movie_opts *opts);
void        tess__movie_close(tess__movie *movie);

/* What is done with the half spectra {n,1,h,w/2+1} of frames from `first` on, on the device; they must not change. */
typedef tess_status (*tess__movie_step)(void *user, const tess_array *spectra, int64_t first);

/* For all frames in their order: where they are kept, `at_a_time` of them. */
tess_status tess__movie_each(tess__movie *movie, int64_t at_a_time, tess__movie_step step, void *user);

#endif
